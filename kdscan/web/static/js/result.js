// What was read in a photo: its sheets, one at a time, and how they belong together.

import { get, post } from "./api.js";
import { photoButtons } from "./camera.js";
import { button, h, put } from "./dom.js";
import { attempt, mayChange, why } from "./errors.js";
import { t } from "./i18n.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";
import { namesOf } from "./names.js";
import { offer } from "./pads.js";
import { send, uploadList } from "./sending.js";
import { deletion, sheetView } from "./sheet.js";

// #/photo/ID and #/photo/ID/SHEET
export async function showPhoto(place, id, wanted = null) {
  const photo = await get(`api/photos/${id}`);
  if (!place.isConnected) return; // left meanwhile
  const title = h("h1.file-name tabindex=-1", photo.name);
  const sheets = () => photo.sheets.filter(kindOf);
  const find = (sheet) => sheets().find((one) => one.id === sheet);
  const several = sheets().length > 1;
  // A photo of a table opens with who won; from there each sheet is one tap away.
  const game = gameOf(sheets());
  if (game && wanted === null) return location.replace(game);
  if (!sheets().length) {
    if (photo.state === "waiting") return location.replace(`#/wait/${id}`);
    const failed = photo.error ?? photo.pages.find((p) => p.error)?.error ?? { code: "no_sheet" };
    return put(place, title, failure(photo, failed));
  }
  let chosen, view;
  let body = h("div.sheet");
  let asked = 0;
  const label = { role: "group", "aria-label": t("What is in this photo") };
  const picker = several && h("div.tabs.row", label);
  const tab = (sheet) => {
    const points = hasScore(sheet) && !sheet.photograph_again && ` · ${sheet.score.total}`;
    return button(
      h("span", nameOf(sheet, sheets()), points, sheet.review && " ?"),
      () => open(find(sheet.id)),
      { class: "tab", "aria-pressed": String(sheet.id === chosen) },
    );
  };
  function drawTop() {
    title.textContent = namesOf(sheets()) || photo.name;
    if (place.isConnected) document.title = `${title.textContent} · kdscan`;
    const href = gameOf(sheets());
    if (picker) put(picker, sheets().map(tab), href && h("a.button.tab", { href }, t("Who won?")));
  }
  // Each has its own element, so that a late answer draws nothing over what is shown now.
  function open(sheet) {
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
    drawTop();
    return view;
  }
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
    if (chosen !== fresh.id) view.show(find(chosen));
    drawTop();
  }
  // A print was learned: the same photo, read with it.
  async function again(photos) {
    if (!photos.includes(Number(id))) return;
    await get(`api/photos/${id}?wait=25`);
    if (place.isConnected && body.isConnected) await showPhoto(place, id, chosen);
  }
  put(place, title, picker, body);
  open(find(wanted) ?? sheets()[0]);
}

// The address of a photo's game: two maps, or two to four kingdoms, in one photo are one.
function gameOf(sheets) {
  const of = Object.groupBy(sheets, ({ kind }) => kind);
  const { duel_map: maps = [], kingdom: kingdoms = [], duel_spellbook: books = [] } = of;
  const duel = maps.length === 2 && [...maps, ...(books.length === 1 ? books : [])];
  const game = duel || (kingdoms.length > 1 && kingdoms.length <= 4 && kingdoms);
  return game && `#/game/${game.map(({ id }) => id).join("/")}`;
}

// Nothing was read: why, and what to do. Such a photo goes when another one is taken.
function failure(photo, error) {
  const page = photo.pages.find((p) => p.thumb);
  const retry = async () => {
    if (await attempt(() => post(`api/photos/${photo.id}/again`))) return;
    location.hash = `#/wait/${photo.id}`;
  };
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
      h("a.button", { href: "#/" }, t("Home")),
    ]),
    may && deletion(photo),
  ]);
}
