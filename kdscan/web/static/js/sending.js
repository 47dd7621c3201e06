// Photos on their way to the server, each with its progress, and the list of recent results.

import { attempt, explain, failure, get, inTurn, mayChange, passes, pause } from "./api.js";
import { perform, persist, post, serverTime, upload, whenRead } from "./api.js";
import { photoButtons } from "./camera.js";
import { announce, button, h, lines, put, toast } from "./dom.js";
import { pointsText, t, when } from "./i18n.js";
import { briefly } from "./kinds.js";
import { namesOf } from "./names.js";
import { canvasWorks, toBlob } from "./share.js";

// Photos sent at a time: a browser has six connections over http, one of which waits for readings.
const SENT = 2;
const running = new Map(); // number in the outbox → element, shown again after returning
const turn = []; // photos that wait to be sent
let sending = 0;

export const uploadList = () =>
  h("ul.results.uploads", { label: t("Uploading") }, [...running.values()]);

// Ways to send photos, and those on their way; more: what a single one is for, see `batchOf`.
export const photographs = (more = null) => [
  photoButtons((files) => send(files, more ?? {}), { many: !more }),
  uploadList(),
];

// Photos of one game, at most: of four kingdoms, or of two maps and their spellbook.
const MOST_TOGETHER = 4;

// One photo's result is shown when it is read, the game of several as well; more: see `batchOf`.
export async function send(files, more = {}) {
  const batch = files.length <= MOST_TOGETHER ? batchOf(files.length, more) : null;
  if (batch && files.length > 1 && !isShown()) toast(opensItself());
  for (const entry of files.map(keep)) enqueue(await entry, batch);
}

const opensItself = () => t("Their game opens by itself when all photos are read.");

// entry: a photo in the outbox. batch: what it was sent with, see `batchOf`.
export function enqueue(entry, batch = null) {
  if (running.has(entry.id)) return; // dropped before the start page looked for what waits
  turn.push({ entry, line: uploadLine(entry, batch), batch });
  next();
}

async function next() {
  if (sending >= SENT || !turn.length) return;
  sending += 1;
  const { entry, line, batch } = turn.shift();
  try {
    const photo = await deliver(entry, line.progress, line.state);
    await delivered(photo, batch); // it is in the list before its line goes
    if (!isShown()) line.state(t("reading …"));
    if (!isShown()) await whenRead(photo.id).catch(() => {});
    line.end();
  } catch (error) {
    line.fail(error);
  } finally {
    sending -= 1;
    next();
  }
}

// A photo's line: {progress, state, end, fail}.
function uploadLine(entry, batch) {
  const { id, name } = entry;
  const picture = pictureOf(entry.blob);
  const bar = h("progress max=1 value=0", { label: t("Uploading {name}", { name }) });
  const state = h("strong", t("uploading …"));
  const item = h("li.result.card.upload", [picture, h("span.result-name", name, bar), state]);
  running.set(id, item);
  document.querySelector(".uploads")?.append(item);
  const end = () => {
    running.delete(id);
    item.remove();
    URL.revokeObjectURL(picture.src);
  };
  const then = (label, act) => button(label, () => (end(), act()));
  const fail = (error) => {
    bar.remove();
    item.classList.add("failed");
    const retry = mayChange(error) && then(t("Try again"), () => enqueue(entry, batch));
    const remove = then(t("Remove"), () => forget(id));
    put(state, explain(error), h("span.row", retry, remove));
    announce(`${name}: ${state.firstChild.textContent}`);
  };
  const progress = (part) => bar.setAttribute("value", part);
  return { progress, state: (text) => put(state, text), end, fail };
}

function pictureOf(blob) {
  const onerror = () => picture.replaceWith(h("span.no-thumb.busy")); // few browsers show a HEIC
  const picture = h("img", { src: URL.createObjectURL(blob), alt: "", onerror });
  return picture;
}

// Photos being sent: this phone keeps them until the server has them, though the page be closed.

const DATABASE = "kdscan";
const STORE = "outbox";
const LONGEST = 3200; // pixels of the longer side: half of it has 200 per cell, and reading needs 128
const SMALL = 1_500_000; // bytes that need no shrinking
const QUALITY = 0.88;
const SECONDS = [2, 4, 8, 15, 30];
const RESUMED = ["cut_off", "too_slow", "wrong_offset"]; // errors after which the rest is sent

let opened = null;
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
    request.onsuccess = () => {
      request.result.onclose = () => {
        opened = null; // an iPhone closes it while the page sleeps
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
  return opened;
}

// If a browser stores nothing (private windows), photos are still sent, from memory.
async function inStore(mode, act, otherwise) {
  try {
    const transaction = (await database()).transaction(STORE, mode);
    const request = act(transaction.objectStore(STORE));
    return await new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result); // a full disk shows only here
      transaction.onabort = () => reject(transaction.error);
    });
  } catch {
    return otherwise;
  }
}

// What is still waiting from before, the oldest first.
export const waiting = () => inStore("readonly", (store) => store.getAll(), []);

// Keeps a photo to be sent, as it is: who leaves the page while it is shrunk would lose it.
let unkept = -1;
async function keep(file) {
  const entry = { name: file.name, blob: file };
  return { ...entry, id: await inStore("readwrite", (store) => store.add(entry), unkept--) };
}

const forget = async (id) => id > 0 && inStore("readwrite", (store) => store.delete(id));

// Photos are shrunk one at a time: a phone cannot bear three of its largest at once.
const oneByOne = inTurn();

// Sends one until the server has it; onState(text): what it waits for. A refusal is thrown.
async function deliver({ id, name, blob }, onProgress, onState) {
  const photo = await oneByOne(() => shrunk(blob, name));
  // A folder, or a file that is gone by now: sending it would look like a lost network.
  const start = photo.blob.slice(0, 1).arrayBuffer();
  await start.catch(() => Promise.reject(failure("unreadable_image")));
  const called = encodeURIComponent([...photo.name].slice(-120).join(""));
  const token = [...crypto.getRandomValues(new Uint8Array(8))].join("");
  for (let n = 0; ; n = Math.min(n + 1, SECONDS.length - 1)) {
    try {
      onState(t("uploading …"));
      // Only what has not come yet is sent again.
      const from = n ? (await get(`api/uploads/${token}`, true)).bytes : 0;
      const path = `api/photos?name=${called}&token=${token}&offset=${from}`;
      const answer = await upload(photo.blob, onProgress, path, from);
      await forget(id);
      return answer;
    } catch (error) {
      if (!passes(error) && !RESUMED.includes(error.code)) throw error;
      const gone = error.code === "offline";
      onState(gone ? t("waiting for the network") : t("waiting for the server"));
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

// The list of recent results: photos that are not read yet are waited for, and announced then.

const unread = new Set(); // photos that the server has not read yet, as far as this page knows
const batches = new Map(); // of those that were sent from this page: what they were sent with
let list = null;
let showList = null;
let asked = 0;
let drawn = 0;
let watching = false;

export function recentList() {
  list = h("ul.results", { label: t("Recent results") });
  showList = lines(list, (photo) => photo.id, resultLine);
  return list;
}

export const isShown = () => Boolean(list?.isConnected);

// Says in the list why there is none, without a network perhaps.
export const refreshOrExplain = () =>
  refresh().catch((error) => isShown() && put(list, h("li.none", explain(error))));

async function refresh(fresh = false) {
  const mine = ++asked;
  const { photos } = await get("api/photos", fresh);
  if (mine < drawn) return; // a later answer is newer
  drawn = mine;
  const pending = photos.filter(({ state }) => state === "waiting");
  pending.forEach(({ id }) => unread.add(id));
  tell(photos.filter((photo) => !pending.includes(photo) && unread.delete(photo.id)));
  showList?.(photos.filter(isCurrent), h("li.none", t("Nothing yet.")));
  if (pending.length) watch(pending.at(-1)); // the oldest is read first, then the next is watched
}

// A photo that could not be read is of no use to anybody an hour later.
const isCurrent = ({ state, added_at: at }) =>
  state !== "failed" || serverTime() - Date.parse(at) < 3_600_000;

// Photos that were sent together: when all are read, the page shows their game, or the only one's
// result, if the view is still the one from which they were sent. against: sheets that they play
// against; instead: a sheet in whose place they come.
const batchOf = (size, { against = [], instead = null, shared = null }) => {
  const from = location.hash;
  return { size, against, instead, shared, from, read: [] };
};

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
  await whenRead(id).catch(() => pause(4)); // removed meanwhile, perhaps: the list knows
  watching = false;
  persist(() => refresh(true)).catch(() => {});
}

// Announces photos that have been read; their pictures are loaded, for when there is no network.
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

const newsOf = ({ name, state }) =>
  state === "read" ? t("{name} was read", { name }) : t("{name} could not be read", { name });

// Who sent photos and waited sees the result; others find it in the list.
async function open({ read, against, instead, shared, from }) {
  const sheets = read.sort((a, b) => a.id - b.id).flatMap((photo) => photo.sheets);
  if (instead && sheets.length) await replace(instead, sheets);
  const join = () => post(`api/shared/${shared}`, { photo: read[0].id });
  if (shared && sheets.length) return attempt(() => persist(join));
  if (location.hash !== from) return;
  const game = gameOf(sheets, against);
  if (game && read.length + against.length > 1) location.hash = game;
  else if (read.length === 1) location.hash = `#/photo/${read[0].id}`;
  else toast(t("These photos are no game: that takes two maps, or two to four kingdoms."));
}

// The address of the game that sheets make, perhaps with some that are there already: two maps and
// perhaps their spellbook, or two to four kingdoms; null if they make none.
export function gameOf(sheets, against = []) {
  const { duel_spellbook: books = [], ...others } = Object.groupBy(sheets, ({ kind }) => kind);
  const [players, mixed] = Object.values(others);
  if (!players || mixed) return null;
  const ids = [...against, ...players.map(({ id }) => id)];
  const most = players[0].kind === "kingdom" ? 4 : 2;
  const book = books.length === 1 ? [books[0].id] : [];
  return ids.length > 1 && ids.length <= most ? `#/game/${[...ids, ...book].join("/")}` : null;
}

// A better photo takes the name and the place of another one.
async function replace({ photo, player, kind }, sheets) {
  const same = sheets.find((sheet) => sheet.kind === kind);
  if (player && same && !same.player)
    await perform({ type: "assign_sheet", sheet: same.id, player, keep: true }).catch(() => {});
  await post(`api/photos/${photo}/remove`).catch(() => {}); // in an event the desk decides
}

// One photo in the list; it remains the same link while it is updated.
function resultLine({ id }) {
  const link = h("a.result.card", { href: `#/photo/${id}` });
  const show = (photo) => {
    const note = batches.get(id)?.size > 1 ? opensItself() : when(photo.added_at);
    put(link, resultFace(photo, photo.sheets, [titleOf(photo), h("small", note)], resultOf(photo)));
  };
  return { element: h("li", link), show };
}

// A photo's picture, what it is called, and what some of its sheets are worth.
export const resultFace = ({ pages, state }, sheets, title, result) => [
  thumbOf(pages, sheets, state),
  h("span.result-name", title),
  h("strong", { class: sheets.some(({ review }) => review) && "doubtful" }, result),
];

function thumbOf(pages, sheets, state) {
  const on = pages.find(
    (page) => page.thumb && (sheets.length !== 1 || page.page === sheets[0].page),
  );
  if (on) return h("img loading=lazy", { src: on.thumb, alt: "" });
  return h("span.no-thumb", { class: state === "waiting" && "busy" });
}

const titleOf = ({ name, sheets }) =>
  (sheets.length === 1 ? sheets[0].player : namesOf(sheets)) || name;

function resultOf({ state, sheets }) {
  if (state === "waiting") return t("reading …");
  if (state === "failed") return t("could not be read");
  const points = sheets.length > 1 ? String : pointsText; // of several, numbers alone
  return sheets.map((sheet) => briefly(sheet, points)).join(" · ") || t("nothing found");
}
