// The phone's page: which view belongs to which address; the start page.

import { setOffline, whenRead } from "./api.js";
import { closeCamera, photoButtons } from "./camera.js";
import { $, h, put } from "./dom.js";
import { explain } from "./errors.js";
import { chooseOther, gamesList, showGame } from "./game.js";
import { t } from "./i18n.js";
import { emblem } from "./marks.js";
import { nameField, nextGames } from "./names.js";
import { showPhoto } from "./result.js";
import {
  enqueue,
  isShown,
  recentList,
  refreshOrExplain,
  send,
  uploadList,
  waiting,
} from "./sending.js";
import { joinForm, showShared } from "./shared.js";

const VIEWS = {
  "": (place) => showHome(place),
  wait: (place, [id]) => showWaiting(place, id, (error) => showFailure(place, error)),
  photo: (place, [id, sheet]) => showPhoto(place, id, sheet ?? null),
  game: (place, ids) => showGame(place, ids),
  shared: (place, [code]) => showShared(place, code),
  versus: (place, [id]) => chooseOther(place, id),
};

const showFailure = (place, error) =>
  put(
    place,
    h("h1.file-name", { tabindex: "-1" }, t("This cannot be shown")),
    h("section.card.failure", [
      h("p", { role: "alert" }, explain(error)),
      h("a.button", { href: "#/", onclick: () => location.hash === "#/" && route() }, t("Home")),
    ]),
  );

async function route(first = false) {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  // Each view has its own element: a late answer cannot draw over the next view.
  const old = $("#main"),
    place = old.cloneNode(false);
  place.append(...old.childNodes);
  old.replaceWith(place);
  $("#editor")?.close();
  closeCamera();
  document.title = "kdscan"; // until the view sets a better one
  document.querySelectorAll(".languages a").forEach((one) => {
    one.hash = location.hash;
  }); // the same view in another language
  const busy = setTimeout(() => place.setAttribute("aria-busy", "true"), 200);
  try {
    await (VIEWS[name] ?? VIEWS[""])(
      place,
      rest.map((id) => (/^\d+$/.test(id) ? Number(id) : id)),
    );
  } catch (error) {
    showFailure(place, error);
  }
  clearTimeout(busy);
  place.removeAttribute("aria-busy");
  if (!first && place.isConnected) {
    scrollTo(0, 0);
    $("h1", place)?.focus({ preventScroll: true });
  }
}

// The start page: take, choose, drop or paste photos, watch their progress, and see earlier ones.

let started = false;

async function showHome(place) {
  put(
    place,
    h("section.hero.stack", [
      emblem(),
      h("h1", { tabindex: "-1" }, t("What is your kingdom worth?")),
      h("p", t("Photograph the finished map or kingdom, check what is doubtful, done.")),
    ]),
    photoButtons((files) => send(files)),
    h("p.hint.none", t("Photos of a game are chosen together: both maps, or all kingdoms.")),
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
function showWaiting(place, id, failed) {
  put(
    place,
    h("section.hero.stack", [
      h("h1", { tabindex: "-1" }, t("reading …")),
      h("progress", { "aria-label": t("Reading") }),
    ]),
  );
  whenRead(id).then(() => place.isConnected && location.replace(`#/photo/${id}`), failed);
}

addEventListener("hashchange", () => route());
// An address with # is a view here; the link at the top leads into the one shown.
$(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("#main").focus();
});
route(true);

addEventListener("online", () => setOffline(false));
addEventListener("offline", () => setOffline(true));
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
