// What was read in a photo: its sheets, one at a time, and how they belong together.

import { get, post } from "./api.js";
import { photoButtons } from "./camera.js";
import { button, h, put, toast } from "./dom.js";
import { explain, mayChange, why } from "./errors.js";
import { t } from "./i18n.js";
import { glyph } from "./icons.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";
import { namesOf } from "./names.js";
import { offer } from "./pads.js";
import { send, uploadList } from "./sending.js";
import { deletePhoto, sheetView } from "./sheet.js";

// #/photo/ID and #/photo/ID/SHEET
export async function showPhoto(place, id, wanted = null) {
  const photo = await get(`api/photos/${id}`);
  if (!place.isConnected) return; // left meanwhile
  const title = h("h1.file-name", { tabindex: "-1" }, photo.name);
  const shown = photo.sheets.filter(kindOf);
  // A photo of a table opens with who won; from there each sheet is one tap away.
  const game = gameOf(shown);
  if (game && wanted === null) {
    location.replace(`#/game/${game.join("/")}`);
    return;
  }
  if (!shown.length && photo.state === "waiting") {
    location.replace(`#/wait/${id}`);
    return;
  }
  if (!shown.length) {
    const failed = photo.error ?? photo.pages.find((p) => p.error)?.error ?? { code: "no_sheet" };
    put(place, title, failure(photo, failed));
    return;
  }
  let chosen = wanted ?? shown[0].id;
  const sheets = () => photo.sheets.filter(kindOf);
  let body = h("div.sheet"),
    view = null,
    asked = 0;
  const picker =
    shown.length > 1
      ? h("div.tabs", { role: "group", "aria-label": t("What is in this photo") })
      : null;
  // Each has its own element, so that a late answer draws nothing over what is shown now.
  const open = (sheet) => {
    chosen = sheet.id;
    const old = body;
    body = h("div.sheet");
    view = sheetView(body, photo, sheet, {
      keys: true,
      onChange: renew,
      onOther: (other, part) => open(other).edit(part),
      offer: offer(sheet, again),
    });
    old.replaceWith(body);
    pick();
    choose();
    return view;
  };
  // A correction changes what lies beside it: maps and their spellbook are compared, kingdoms share
  // a box. Only maps alone are independent.
  async function renew(fresh) {
    const beside = sheets().filter((sheet) => sheet.page === fresh.page);
    const turn = ++asked;
    const all =
      beside.length > 1 && beside.some((sheet) => sheet.kind !== "duel_map")
        ? (await get(`api/photos/${id}`)).sheets
        : photo.sheets.map((sheet) => (sheet.id === fresh.id ? fresh : sheet));
    if (turn !== asked) return; // a later answer is newer
    photo.sheets.splice(0, photo.sheets.length, ...all);
    if (chosen !== fresh.id) view.show(sheets().find((sheet) => sheet.id === chosen));
    pick();
    choose();
  }
  const pick = () => {
    title.textContent = namesOf(sheets()) || photo.name;
    if (place.isConnected) document.title = `${title.textContent} · kdscan`;
  };
  // A print was learned: the same photo, read with it.
  async function again(photos) {
    if (!photos.includes(Number(id))) return;
    await get(`api/photos/${id}?wait=25`);
    if (place.isConnected && body.isConnected) await showPhoto(place, id, chosen);
  }
  const choose = () =>
    picker &&
    put(
      picker,
      sheets().map((sheet) =>
        h(
          "button.tab type=button",
          {
            "aria-pressed": String(sheet.id === chosen),
            onclick: () => open(sheets().find((one) => one.id === sheet.id)),
          },

          nameOf(sheet, sheets()),
          hasScore(sheet) && !sheet.photograph_again && ` · ${sheet.score.total}`,
          sheet.review && " ?",
        ),
      ),
      gameOf(sheets()) &&
        h("a.tab.go", { href: `#/game/${gameOf(sheets()).join("/")}` }, t("Who won?")),
    );
  put(place, title, picker, body);
  open(sheets().find((sheet) => sheet.id === chosen) ?? shown[0]);
}

// Two maps, or two to four kingdoms, in one photo are a game.
function gameOf(sheets) {
  const of = (kind) => sheets.filter((sheet) => sheet.kind === kind).map((sheet) => sheet.id);
  const maps = of("duel_map"),
    kingdoms = of("kingdom"),
    books = of("duel_spellbook");
  if (maps.length === 2) return [...maps, ...(books.length === 1 ? books : [])];
  return kingdoms.length > 1 && kingdoms.length <= 4 ? kingdoms : null;
}

// Nothing was read: why, and what to do. Such a photo goes when another one is taken.
function failure(photo, error) {
  const page = photo.pages.find((p) => p.thumb);
  const retry = () =>
    post(`api/photos/${photo.id}/again`)
      .then(() => {
        location.hash = `#/wait/${photo.id}`;
      })
      .catch((e) => toast(explain(e)));
  const may = photo.can_correct;
  return h("section.card.failure", [
    page && h("img", { src: page.thumb, alt: "" }),
    h("p", { role: "alert" }, why(error)),
    photoButtons(([file]) => send([file], { instead: may ? { photo: photo.id } : null }), {
      many: false,
    }),
    uploadList(),
    h("div.row", [
      photo.state === "failed" && may && mayChange(error) && button(t("Try again"), retry),
      may && button([glyph("bin"), t("Delete")], () => deletePhoto(photo.id)),
      h("a.button", { href: "#/" }, t("Home")),
    ]),
  ]);
}
