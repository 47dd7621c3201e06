// The phone's page: which view belongs to which address.

import { setOffline } from "./api.js";
import { closeCamera } from "./camera.js";
import { $, h, put } from "./dom.js";
import { explain } from "./errors.js";
import { chooseOther, showGame } from "./game.js";
import { showHome, showWaiting } from "./home.js";
import { t } from "./i18n.js";
import { showPhoto } from "./result.js";
import { showShared } from "./shared.js";

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
      h("p", [
        h("a.button", { href: "#/", onclick: () => location.hash === "#/" && route() }, [
          t("Home"),
        ]),
      ]),
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
