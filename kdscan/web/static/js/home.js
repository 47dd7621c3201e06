// The start page: take or choose photos, watch their progress, and see earlier ones.

import { get, pause, persist, whenRead } from "./api.js";
import { emblem } from "./coats.js";
import { announce, h, lines, put } from "./dom.js";
import { explain, mayChange } from "./errors.js";
import { pointsText, t, when } from "./i18n.js";
import { joinForm } from "./join.js";
import { briefly } from "./kinds.js";
import { nameField, namesOf } from "./names.js";
import { deliver, forget, keep, waiting } from "./outbox.js";
import { photoButtons } from "./take.js";

// Photos that are sent at a time: each holds one of the six connections that a browser has to a server
// over http, in all its tabs together; so does the one that is waited for.
const SENT = 2;
const running = new Map(); // number in the outbox → element, so that it is still shown after leaving and returning
let list = null,
  showList = null,
  asked = 0,
  drawn = 0,
  started = false,
  sending = 0,
  watching = false;
const turn = []; // photos that wait to be sent
const unread = new Set(); // photos that the server has not read yet, as far as this page knows
const alone = new Set(); // those of them that were sent by themselves

export async function showHome(place) {
  list = h("ul", { class: "results", "aria-label": t("Recent results") });
  showList = lines(list, (photo) => photo.id, line);
  put(
    place,
    h(
      "section",
      { class: "hero" },
      emblem(),
      h("h1", { tabindex: "-1" }, t("What is your kingdom worth?")),
      h("p", {}, t("Photograph the finished map or kingdom, check what is doubtful, done.")),
    ),
    photoButtons(send),
    joinForm(),
    nameField(),
    h("ul", { class: "results uploads", "aria-label": t("Uploading") }, [...running.values()]),
    h("h2", { class: "quiet-title" }, t("Recent results")),
    list,
  );
  if (!started) {
    started = true;
    (await waiting()).forEach((entry) => enqueue(entry));
  }
  // Photos that wait to be sent stay visible even if nothing else can be requested.
  await refresh().catch(
    (error) => list.isConnected && put(list, h("li", { class: "none" }, explain(error))),
  );
}

async function refresh(fresh = false) {
  const mine = ++asked,
    { photos } = await get("/api/photos", fresh);
  if (mine < drawn) return; // a later answer is newer
  drawn = mine;
  showList(photos, h("li", { class: "none" }, t("Nothing yet.")));
  const pending = photos.filter(({ state }) => state === "waiting");
  pending.forEach(({ id }) => unread.add(id));
  tell(photos.filter((photo) => !pending.includes(photo) && unread.delete(photo.id)));
  // The oldest is read first; when it is done, the next one is watched.
  pending.slice(-1).forEach(watch);
}

// Shows the result of a photo when it is ready, whoever sent it and whenever.
async function watch({ id }) {
  if (watching) return;
  watching = true;
  try {
    await whenRead(id);
  } catch {
    await pause(4);
  } finally {
    watching = false;
  } // removed meanwhile, perhaps: the list knows
  persist(() => refresh(true)).catch(() => {});
}

// Announces photos that have been read. Their pictures in the list are loaded once, so that they are
// there without a network too.
function tell(photos) {
  for (const { thumb } of photos.flatMap(({ pages }) => pages)) if (thumb) new Image().src = thumb;
  if (photos.length)
    announce(
      photos
        .map(({ name, state }) =>
          state === "read"
            ? t("{name} was read", { name })
            : t("{name} could not be read", { name }),
        )
        .join(". "),
    );
  // Somebody who sent one photo and waited sees the result; others find it in the list.
  for (const { id } of photos)
    if (alone.delete(id) && location.hash.replace(/^#\/?/, "") === "")
      location.hash = `#/photo/${id}`;
}

// One photo in the list; it remains the same link while it is updated.
function line({ id }) {
  const link = h("a", { class: "result card" });
  return {
    element: h("li", {}, link),
    show: (photo) => {
      const thumb = photo.pages.find((page) => page.thumb)?.thumb,
        waits = photo.state === "waiting";
      const points = photo.sheets.length > 1 ? String : pointsText; // of a table and a scan of many pages, numbers alone
      const summary = photo.sheets.map((sheet) => briefly(sheet, points));
      link.href = waits ? `#/wait/${id}` : `#/photo/${id}`;
      put(
        link,
        thumb
          ? h("img", { src: thumb, alt: "", loading: "lazy" })
          : h("span", { class: waits ? "no-thumb busy" : "no-thumb" }),
        h(
          "span",
          { class: "result-name" },
          (photo.sheets.length === 1 ? photo.sheets[0].player : namesOf(photo.sheets)) ||
            photo.name,
          h("small", {}, when(photo.added_at)),
        ),
        h(
          "strong",
          { class: photo.sheets.some(({ review }) => review) && "doubtful" },
          waits
            ? t("reading …")
            : photo.state === "failed"
              ? t("could not be read")
              : summary.join(" · ") || t("nothing found"),
        ),
      );
    },
  };
}

async function send(files) {
  for (const entry of files.map(keep)) enqueue(await entry, files.length === 1);
}

// Browsers give the pictures of a page as files too: one that is dragged by accident is no new photo.
const OURS = "kdscan";
addEventListener("dragstart", ({ dataTransfer }) => dataTransfer.setData(OURS, OURS));

// Photos are dropped anywhere in the window, on any view (a browser would open them in place of the
// page), or pasted on the start page.
function given(event) {
  const { types, files } = event.dataTransfer ?? event.clipboardData,
    elsewhere = !list?.isConnected;
  if (!types.includes("Files")) return;
  if (event.type === "paste" && (elsewhere || event.target.matches("[type=text]"))) return; // a table's cells come as text and picture
  event.preventDefault();
  if (event.type === "dragover" || types.includes(OURS)) return;
  if (elsewhere) location.hash = "#/";
  send([...files]);
}
for (const kind of ["dragover", "drop", "paste"]) addEventListener(kind, given);

function enqueue(entry, single = false) {
  if (running.has(entry.id)) return; // dropped before the start page looked for what waits
  turn.push({ entry, shown: row(entry), single });
  next();
}

async function next() {
  if (sending >= SENT || !turn.length) return;
  sending += 1;
  const { entry, shown, single } = turn.shift();
  try {
    const { id, state } = await deliver(entry, shown.progress, shown.state);
    unread.add(id);
    if (single) alone.add(id);
    await persist(() => refresh(true)); // it is in the list before its row goes
    if (state !== "waiting" && unread.delete(id))
      tell([await persist(() => get(`/api/photos/${id}`))]); // known, and older than those listed
    shown.end();
  } catch (error) {
    shown.fail(error);
  } finally {
    sending -= 1;
    next();
  }
}

function row(entry) {
  const { id, name } = entry;
  const bar = h("progress", {
    max: "1",
    value: "0",
    "aria-label": t("Uploading {name}", { name }),
  });
  const state = h("strong", {}, t("uploading …")),
    unseen = h("span", { class: "no-thumb busy" }); // few browsers show a HEIC
  const picture = entry.blob.type.startsWith("image/")
    ? h("img", {
        src: URL.createObjectURL(entry.blob),
        alt: "",
        onerror: () => picture.replaceWith(unseen),
      })
    : unseen;
  const item = h(
    "li",
    { class: "result card upload" },
    picture,
    h("span", { class: "result-name" }, name, bar),
    state,
  );
  running.set(id, item);
  document.querySelector(".uploads")?.append(item);
  const end = () => {
    running.delete(id);
    item.remove();
    if (picture.src) URL.revokeObjectURL(picture.src);
  };
  return {
    progress: (part) => {
      bar.value = part;
    },
    state: (text) => {
      state.textContent = text;
    },
    end,
    fail: (error) => {
      bar.remove();
      item.classList.add("failed");
      put(state, explain(error));
      announce(`${name}: ${state.textContent}`);
      state.append(
        h(
          "span",
          { class: "row" },
          mayChange(error) &&
            h(
              "button",
              {
                type: "button",
                class: "quiet",
                onclick: () => {
                  end();
                  enqueue(entry);
                },
              },
              t("Try again"),
            ),
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => {
                end();
                forget(id);
              },
            },
            t("Remove"),
          ),
        ),
      );
    },
  };
}

// #/wait/ID: a photo that was sent earlier, perhaps before a restart. failed(error): it cannot be
// waited for.
export function showWaiting(place, id, failed) {
  put(
    place,
    h(
      "section",
      { class: "hero" },
      h("h1", { tabindex: "-1" }, t("reading …")),
      h("progress", { "aria-label": t("Reading") }),
    ),
  );
  whenRead(id).then(() => place.isConnected && location.replace(`#/photo/${id}`), failed);
}
