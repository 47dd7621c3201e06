// Photos on their way to the server, each with its progress; what went wrong, and another try.

import { announce, button, h, put } from "./dom.js";
import { explain, mayChange } from "./errors.js";
import { t } from "./i18n.js";
import { deliver, forget } from "./outbox.js";
import { delivered } from "./recent.js";

// Photos that are sent at a time: each holds one of the six connections that a browser has to a server
// over http, in all its tabs together; so does the one that is waited for.
const SENT = 2;
const running = new Map(); // number in the outbox → element, so that it is still shown after leaving and returning
const turn = []; // photos that wait to be sent
let sending = 0;

export const uploadList = () =>
  h("ul.results.uploads", { "aria-label": t("Uploading") }, [...running.values()]);

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
