// The start page: take, choose, drop or paste photos, watch their progress, and see earlier ones.

import { whenRead } from "./api.js";
import { photoButtons } from "./camera.js";
import { emblem } from "./coats.js";
import { h, put } from "./dom.js";
import { t } from "./i18n.js";
import { nameField, nextGames } from "./names.js";
import { gamesList } from "./games.js";
import { isShown, recentList, refreshOrExplain } from "./recent.js";
import { enqueue, send, uploadList, waiting } from "./sending.js";
import { joinForm } from "./shared.js";

let started = false;

export async function showHome(place) {
  put(
    place,
    h("section.hero", [
      emblem(),
      h("h1", { tabindex: "-1" }, t("What is your kingdom worth?")),
      h("p", t("Photograph the finished map or kingdom, check what is doubtful, done.")),
    ]),
    photoButtons((files) => send(files)),
    h("p.hint", t("Photos of a game are chosen together: both maps, or all kingdoms.")),
    nextGames(),
    joinForm(),
    nameField(),
    uploadList(),
    gamesList(),
    h("h2.quiet-title", t("Recent results")),
    recentList(),
  );
  if (!started) {
    started = true;
    (await waiting()).forEach((entry) => enqueue(entry));
  }
  // Photos that wait to be sent stay visible even if nothing else can be requested.
  await refreshOrExplain();
}

// Browsers give the pictures of a page as files too: one that is dragged by accident is no new photo.
const OURS = "kdscan";
addEventListener("dragstart", ({ dataTransfer }) => dataTransfer.setData(OURS, OURS));

// Photos are dropped anywhere in the window, on any view (a browser would open them in place of the
// page), or pasted on the start page.
function given(event) {
  const { types, files } = event.dataTransfer ?? event.clipboardData;
  const elsewhere = !isShown();
  if (!types.includes("Files")) return;
  if (event.type === "paste" && (elsewhere || event.target.matches("[type=text]"))) return; // a table's cells come as text and picture
  event.preventDefault();
  if (event.type === "dragover" || types.includes(OURS)) return;
  if (elsewhere) location.hash = "#/";
  send([...files]);
}
for (const kind of ["dragover", "drop", "paste"]) addEventListener(kind, given);

// #/wait/ID: a photo that was sent earlier, perhaps before a restart. failed(error): it cannot be
// waited for.
export function showWaiting(place, id, failed) {
  put(
    place,
    h("section.hero", [
      h("h1", { tabindex: "-1" }, t("reading …")),
      h("progress", { "aria-label": t("Reading") }),
    ]),
  );
  whenRead(id).then(() => place.isConnected && location.replace(`#/photo/${id}`), failed);
}
