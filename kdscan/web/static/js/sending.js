// Photos on their way to the server, each with its progress, and the list of recent results.

import { get, pause, perform, persist, post, serverTime, upload, whenRead } from "./api.js";
import { announce, button, h, lines, put, toast } from "./dom.js";
import { explain, mayChange, passes } from "./errors.js";
import { pointsText, t, when } from "./i18n.js";
import { briefly } from "./kinds.js";
import { namesOf } from "./names.js";
import { canvasWorks, toBlob } from "./share.js";

// Photos that are sent at a time: each holds one of the six connections that a browser has to a server
// over http, in all its tabs together; so does the one that is waited for.
const SENT = 2;
const running = new Map(); // number in the outbox → element, so that it is still shown after leaving and returning
const turn = []; // photos that wait to be sent
let sending = 0;

export const uploadList = () =>
  h("ul.results.uploads", { "aria-label": t("Uploading") }, [...running.values()]);

// Photos of one game, at most: of four kingdoms, or of two maps and their spellbook.
const MOST_TOGETHER = 4;

// One photo's result is shown when it is read, the game of several as well; more: see `batchOf`.
export async function send(files, more = {}) {
  const batch = files.length <= MOST_TOGETHER ? batchOf(files.length, more) : null;
  if (batch && files.length > 1) toast(opensItself());
  for (const entry of files.map(keep)) enqueue(await entry, batch);
}

const opensItself = () => t("Their game opens by itself when all photos are read.");

// entry: a photo in the outbox. batch: what it was sent with, see `batchOf`.
export function enqueue(entry, batch = null) {
  if (running.has(entry.id)) return; // dropped before the start page looked for what waits
  turn.push({ entry, shown: row(entry, batch), batch });
  next();
}

async function next() {
  if (sending >= SENT || !turn.length) return;
  sending += 1;
  const { entry, shown, batch } = turn.shift();
  try {
    const photo = await deliver(entry, shown.progress, shown.state);
    await delivered(photo, batch); // it is in the list before its row goes
    shown.end();
  } catch (error) {
    shown.fail(error);
  } finally {
    sending -= 1;
    next();
  }
}

// A photo's line: {progress, state, end, fail}.
function row(entry, batch) {
  const { id, name } = entry;
  const picture = pictureOf(entry.blob);
  const bar = h("progress max=1 value=0", { "aria-label": t("Uploading {name}", { name }) });
  const state = h("strong", t("uploading …"));
  const title = h("span.result-name", name, bar);
  const item = h("li.result.card.upload", picture, title, state);
  running.set(id, item);
  document.querySelector(".uploads")?.append(item);
  const end = () => {
    running.delete(id);
    item.remove();
    if (picture.src) URL.revokeObjectURL(picture.src);
  };
  const then = (label, act) =>
    button(label, () => {
      end();
      act();
    });
  const fail = (error) => {
    bar.remove();
    item.classList.add("failed");
    const retry = mayChange(error) && then(t("Try again"), () => enqueue(entry, batch));
    const remove = then(t("Remove"), () => forget(id));
    put(state, explain(error), h("span.row", retry, remove));
    announce(`${name}: ${state.firstChild.textContent}`);
  };
  const progress = (part) => {
    bar.value = part;
  };
  return { progress, state: (text) => put(state, text), end, fail };
}

function pictureOf(blob) {
  const unseen = h("span.no-thumb.busy"); // few browsers show a HEIC
  if (!blob.type.startsWith("image/")) return unseen;
  const onerror = () => picture.replaceWith(unseen);
  const picture = h("img", { src: URL.createObjectURL(blob), alt: "", onerror });
  return picture;
}

// Photos being sent: kept on this phone until the server has them, and sent again automatically when
// the network is back, also after the page was closed.

const DATABASE = "kdscan",
  STORE = "outbox";
const LONGEST = 3200; // pixels of the longer side: a map that fills half of it has 200 per cell, and reading needs 128
const SMALL = 1_500_000; // bytes that need no shrinking
const QUALITY = 0.88;
const SECONDS = [2, 4, 8, 15, 30];
const RESUMED = ["cut_off", "too_slow", "wrong_offset"]; // codes of errors after which the rest is sent
const PATIENCE = 3000; // milliseconds: an iPhone sometimes never answers whether it opens the database

let opened = null;
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
    request.onsuccess = () => {
      request.result.onclose = () => {
        opened = null;
      }; // an iPhone closes it while the page sleeps
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    setTimeout(reject, PATIENCE);
  });
  return opened;
}

async function inStore(mode, act) {
  const transaction = (await database()).transaction(STORE, mode),
    request = act(transaction.objectStore(STORE));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result); // on disk; a full disk shows only here
    transaction.onabort = () => reject(transaction.error);
  });
}

// If a browser stores nothing (private windows), photos are still sent, from memory.
const kept = (act, otherwise) => act().catch(() => otherwise);

// What is still waiting from before, the oldest first.
export const waiting = () => kept(() => inStore("readonly", (store) => store.getAll()), []);

// Keeps a photo to be sent, under a number of its own. It is kept unchanged, because shrinking takes
// a while, and somebody who leaves the page meanwhile would lose it.
let unkept = -1;
export async function keep(file) {
  const entry = { name: file.name, blob: file };
  return {
    ...entry,
    id: await kept(() => inStore("readwrite", (store) => store.add(entry)), unkept--),
  };
}

export const forget = (id) =>
  id < 0 ? Promise.resolve() : kept(() => inStore("readwrite", (store) => store.delete(id)));

// Photos are shrunk one at a time: a phone's browser cannot bear three of its largest photos at once.
let shrinking = Promise.resolve();

// Sends one until the server has it or refuses it; onState(text) says what it waits for. Returns the
// server's answer. A refusal is thrown, and the photo stays in the outbox.
export async function deliver({ id, name, blob }, onProgress, onState) {
  const photo = await (shrinking = shrinking.then(() => shrunk(blob, name)));
  // A folder, or a file that is gone by now: sending it would look like a lost network.
  await photo.blob
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => Promise.reject({ code: "unreadable_image" }));
  const path = `api/photos?name=${encodeURIComponent([...photo.name].slice(-120).join(""))}`,
    token = [...crypto.getRandomValues(new Uint8Array(8))].join("");
  for (let n = 0; ; n = Math.min(n + 1, SECONDS.length - 1)) {
    try {
      onState(t("uploading …"));
      // Only what has not come yet is sent again.
      const from = n ? (await get(`api/uploads/${token}`, true)).bytes : 0;
      const answer = await upload(photo, onProgress, `${path}&token=${token}&offset=${from}`, from);
      await forget(id);
      return answer;
    } catch (error) {
      if (!passes(error) && !RESUMED.includes(error.code)) throw error;
      onState(
        error.code === "offline" ? t("waiting for the network") : t("waiting for the server"),
      );
      await pause(SECONDS[n]);
    }
  }
}

// A photo as large as reading needs it, upright; unchanged if this browser cannot decode it.
async function shrunk(file, name) {
  const asIs = { blob: file, name };
  const known = /^image\/(jpeg|png|webp|avif|heic|heif|bmp)$/.test(file.type);
  if (file.size <= SMALL || !known || !canvasWorks()) return asIs;
  try {
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    const factor = Math.min(1, LONGEST / Math.max(width, height));
    if (factor === 1 && file.type === "image/jpeg") return asIs;
    const blob = await toBlob(picture, width * factor, height * factor, "image/jpeg", QUALITY);
    picture.close();
    const smaller = blob && blob.size < file.size;
    return smaller ? { blob, name: name.replace(/\.\w+$/, "") + ".jpg" } : asIs;
  } catch {
    return asIs;
  }
}

// The list of recent results, up to date: photos that the server has not read yet are waited for, and
// announced when they are.

const unread = new Set(); // photos that the server has not read yet, as far as this page knows
const batches = new Map(); // of those that were sent from this page: what they were sent with
let list = null;
let showList = null;
let asked = 0;
let drawn = 0;
let watching = false;

// The list's element, empty until it is refreshed.
export function recentList() {
  list = h("ul.results", { "aria-label": t("Recent results") });
  showList = lines(list, (photo) => photo.id, line);
  return list;
}

export const isShown = () => Boolean(list?.isConnected);

// Says in the list why there is none, without a network perhaps.
export const refreshOrExplain = () =>
  refresh().catch((error) => isShown() && put(list, h("li.none", explain(error))));

async function refresh(fresh = false) {
  asked += 1;
  const mine = asked;
  const { photos } = await get("api/photos", fresh);
  if (mine < drawn) return; // a later answer is newer
  drawn = mine;
  showList?.(photos.filter(isCurrent), h("li.none", t("Nothing yet.")));
  const pending = photos.filter(({ state }) => state === "waiting");
  pending.forEach(({ id }) => unread.add(id));
  tell(photos.filter((photo) => !pending.includes(photo) && unread.delete(photo.id)));
  // The oldest is read first; when it is done, the next one is watched.
  pending.slice(-1).forEach(watch);
}

// A photo that could not be read is of no use to anybody an hour later.
const isCurrent = ({ state, added_at: at }) =>
  state !== "failed" || serverTime() - Date.parse(at) < 3_600_000;

// Photos that were sent together: when all are read, the page shows their game, or the only one's
// result, if the view is still the one from which they were sent. against: sheets that they play
// against; instead: a sheet in whose place they come.
const batchOf = (size, { against = [], instead = null } = {}) => ({
  size,
  against,
  instead,
  from: location.hash,
  read: [],
});

// A photo is on the server now.
async function delivered({ id, state }, batch) {
  unread.add(id);
  if (batch) batches.set(id, batch);
  await persist(() => refresh(true));
  if (state !== "waiting" && unread.delete(id))
    tell([await persist(() => get(`api/photos/${id}`))]); // known, and older than those listed
}

// Shows the result of a photo when it is ready, whoever sent it and whenever.
async function watch({ id }) {
  if (watching) return;
  watching = true;
  try {
    await whenRead(id);
  } catch {
    await pause(4); // removed meanwhile, perhaps: the list knows
  } finally {
    watching = false;
  }
  persist(() => refresh(true)).catch(() => {});
}

// Announces photos that have been read. Their pictures in the list are loaded once, so that they are
// there without a network too.
function tell(photos) {
  for (const { thumb } of photos.flatMap(({ pages }) => pages)) if (thumb) new Image().src = thumb;
  if (photos.length) announce(photos.map(newsOf).join(". "));
  for (const photo of photos) {
    const batch = batches.get(photo.id);
    if (!batches.delete(photo.id)) continue;
    batch.read.push(photo);
    if (batch.read.length === batch.size) open(batch);
  }
}

// Somebody who sent a photo, or those of a game, and waited sees the result; others find it in the
// list.
async function open({ read, against, instead, from }) {
  const sheets = read.sort((a, b) => a.id - b.id).flatMap((photo) => photo.sheets);
  const scored = sheets.filter(({ total }) => total !== null && total !== undefined);
  if (instead && sheets.length) await replace(instead, sheets);
  if (location.hash !== from) return;
  const players = [...against, ...scored.map(({ id }) => id)];
  const books = sheets.filter(({ kind }) => kind === "duel_spellbook").map(({ id }) => id);
  const kinds = new Set(scored.map(({ kind }) => kind));
  const most = kinds.has("kingdom") ? 4 : 2;
  const game = players.length > 1 && players.length <= most && kinds.size === 1;
  if (game && books.length < 2 && read.length + against.length > 1)
    location.hash = `#/game/${[...players, ...books].join("/")}`;
  else if (read.length === 1) location.hash = `#/photo/${read[0].id}`;
}

// A better photo takes the name and the place of another one.
async function replace({ photo, player, kind }, sheets) {
  const [same] = sheets.filter((sheet) => sheet.kind === kind);
  if (player && same && !same.player)
    await perform({ type: "assign_sheet", sheet: same.id, player, keep: true }).catch(() => {});
  await post(`api/photos/${photo}/remove`).catch(() => {}); // in an event the desk decides
}

const newsOf = ({ name, state }) =>
  state === "read" ? t("{name} was read", { name }) : t("{name} could not be read", { name });

// One photo in the list; it remains the same link while it is updated.
function line({ id }) {
  const link = h("a.result.card");
  const show = (photo) => {
    link.href = photo.state === "waiting" ? `#/wait/${id}` : `#/photo/${id}`;
    put(
      link,
      thumbOf(photo),
      h("span.result-name", titleOf(photo), [
        h("small", batches.get(id)?.size > 1 ? opensItself() : when(photo.added_at)),
      ]),
      h("strong", { class: photo.sheets.some(({ review }) => review) && "doubtful" }, [
        resultOf(photo),
      ]),
    );
  };
  return { element: h("li", link), show };
}

function thumbOf({ pages, state }) {
  const thumb = pages.find((page) => page.thumb)?.thumb;
  if (thumb) return h("img", { src: thumb, alt: "", loading: "lazy" });
  return h("span", { class: state === "waiting" ? "no-thumb busy" : "no-thumb" });
}

function titleOf({ name, sheets }) {
  const players = sheets.length === 1 ? sheets[0].player : namesOf(sheets);
  return players || name;
}

function resultOf({ state, sheets }) {
  if (state === "waiting") return t("reading …");
  if (state === "failed") return t("could not be read");
  const points = sheets.length > 1 ? String : pointsText; // of a table and a scan of many pages, numbers alone
  return sheets.map((sheet) => briefly(sheet, points)).join(" · ") || t("nothing found");
}
