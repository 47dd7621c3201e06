// Photos on their way to the server, each with its progress; what went wrong, and another try.

import { get, pause, upload } from "./api.js";
import { canvasWorks, toBlob } from "./canvas.js";
import { announce, button, h, put } from "./dom.js";
import { explain, mayChange, passes } from "./errors.js";
import { t } from "./i18n.js";
import { batchOf, delivered } from "./recent.js";

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
  for (const entry of files.map(keep)) enqueue(await entry, batch);
}

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

function row(entry, batch) {
  const { id, name } = entry;
  const picture = pictureOf(entry.blob);
  const label = t("Uploading {name}", { name });
  const bar = h("progress", { max: "1", value: "0", "aria-label": label });
  const state = h("strong", t("uploading …"));
  const title = h("span.result-name", name, bar);
  const item = h("li.result.card.upload", picture, title, state);
  running.set(id, item);
  document.querySelector(".uploads")?.append(item);
  const progress = (part) => {
    bar.value = part;
  };
  const say = (text) => {
    state.textContent = text;
  };
  const end = () => {
    running.delete(id);
    item.remove();
    if (picture.src) URL.revokeObjectURL(picture.src);
  };
  const again = () => {
    end();
    enqueue(entry, batch);
  };
  const remove = () => {
    end();
    forget(id);
  };
  const fail = (error) => {
    bar.remove();
    item.classList.add("failed");
    put(state, explain(error));
    announce(`${name}: ${state.textContent}`);
    const retry = mayChange(error) && button(t("Try again"), again);
    state.append(h("span.row", retry, button(t("Remove"), remove)));
  };
  return { progress, state: say, end, fail };
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
  try {
    if (
      file.size <= SMALL ||
      !/^image\/(jpeg|png|webp|avif|heic|heif|bmp)$/.test(file.type) ||
      !canvasWorks()
    )
      return asIs;
    const picture = await createImageBitmap(file);
    const factor = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
    if (factor === 1 && file.type === "image/jpeg") return asIs;
    const blob = await toBlob(
      picture,
      picture.width * factor,
      picture.height * factor,
      "image/jpeg",
      QUALITY,
    );
    picture.close();
    return blob && blob.size < file.size
      ? { blob, name: name.replace(/\.\w+$/, "") + ".jpg" }
      : asIs;
  } catch {
    return asIs;
  }
}
