// The phone's page: which view belongs to which address; the start page.

import { explain, setOffline } from "./api.js";
import { closeCamera, photoButtons } from "./camera.js";
import { $, h, put } from "./dom.js";
import { chooseOther, gamesList, joinForm, showGame, showShared } from "./game.js";
import { t } from "./i18n.js";
import { emblem } from "./marks.js";
import { nameField, nextGames } from "./names.js";
import { showPhoto } from "./result.js";
import { enqueue, isShown, recentList, refreshOrExplain, send, uploadList } from "./sending.js";
import { waiting } from "./sending.js";

const VIEWS = {
  photo: (place, [id, sheet]) => showPhoto(place, id, sheet ?? null),
  game: showGame,
  shared: (place, [code]) => showShared(place, code),
  versus: (place, [id]) => chooseOther(place, id),
};

function showFailure(place, error) {
  const again = () => location.hash === "#/" && route();
  const home = h("a.button href=#/", { onclick: again }, t("Home"));
  put(place, h("h1.file-name tabindex=-1", t("This cannot be shown")), [
    h("section.card.failure", h("p role=alert", explain(error)), home),
  ]);
}

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
  for (const one of document.querySelectorAll(".languages a")) one.hash = location.hash; // the same view
  const busy = setTimeout(() => place.setAttribute("aria-busy", "true"), 200);
  const ids = rest.map((id) => (/^\d+$/.test(id) ? Number(id) : id));
  await (VIEWS[name] ?? showHome)(place, ids).catch((error) => showFailure(place, error));
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
  const title = h("h1 tabindex=-1", t("What is your kingdom worth?"));
  const how = h("p", t("Photograph the finished map or kingdom, check what is doubtful, done."));
  const begin = h("div.stack", [
    h("section.hero.stack", emblem(), title, how),
    photoButtons((files) => send(files)),
    h("p.hint.none", t("Photos of a game are chosen together: both maps, or all kingdoms.")),
    nextGames(),
    joinForm(),
    nameField(),
  ]);
  const recent = [h("h2.quiet-title", t("Recent results")), recentList()];
  const before = h("div.stack", uploadList(), gamesList(), recent);
  put(place, h("div.split.stack", begin, before));
  if (!started) {
    started = true;
    (await waiting()).forEach((entry) => enqueue(entry));
  }
  // Photos that wait to be sent stay visible even if nothing else can be requested.
  await refreshOrExplain();
}

// Pictures of a page come as files too: one that is dragged by accident is no new photo.
const OURS = "kdscan";
addEventListener("dragstart", ({ dataTransfer }) => dataTransfer.setData(OURS, OURS));

// Photos are dropped on any view (a browser would open them instead), or pasted on the start page.
function given(event) {
  const { types, files } = event.dataTransfer ?? event.clipboardData;
  const elsewhere = !isShown();
  if (!types.includes("Files")) return;
  // A table's cells are pasted as text and picture.
  if (event.type === "paste" && (elsewhere || event.target.matches("[type=text]"))) return;
  event.preventDefault();
  if (event.type === "dragover" || types.includes(OURS)) return;
  if (elsewhere) location.hash = "#/";
  send([...files]);
}
for (const kind of ["dragover", "drop", "paste"]) addEventListener(kind, given);

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
