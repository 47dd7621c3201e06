// What was read in a photo: its sheets, one at a time, and how they belong together.

import { attempt, explain, failure, get, mayChange, post, whenRead } from "./api.js";
import { button, h, put, tabBar } from "./dom.js";
import { t } from "./i18n.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";
import { namesOf } from "./names.js";
import { offer } from "./pads.js";
import { gameOf, photographs } from "./sending.js";
import { deletion, sheetView } from "./sheet.js";

// The same view, from the start.
const showAgain = () => dispatchEvent(new Event("hashchange"));

// #/photo/ID and #/photo/ID/SHEET; one that is still being read is waited for.
export async function showPhoto(place, id, wanted = null) {
  const photo = await get(`api/photos/${id}`);
  if (!place.isConnected) return; // left meanwhile
  const label = t("reading …");
  const busy = () => h("section.hero.stack", h("h1 tabindex=-1", label), h("progress", { label }));
  if (photo.state === "waiting" && !photo.sheets.length) {
    const again = () => place.isConnected && showAgain();
    whenRead(id).then(again, again);
    return put(place, busy());
  }
  const title = h("h1.file-name tabindex=-1", photo.name);
  const sheets = () => photo.sheets.filter(kindOf);
  const find = (sheet) => sheets().find((one) => one.id === sheet);
  // A photo of a table opens with who won; from there each sheet is one tap away.
  const game = gameOf(sheets());
  if (game && wanted === null) return location.replace(game);
  if (!sheets().length) return put(place, title, unread(photo));
  const pageOf = (sheet) => photo.pages.find(({ page }) => page === sheet.page);
  let chosen, view;
  let body = h("div.sheet");
  let asked = 0;
  const picker = tabBar(t("What is in this photo"), (sheet) => open(find(sheet)));
  const labelOf = (sheet) => {
    const points = hasScore(sheet) && !sheet.photograph_again && ` · ${sheet.score.total}`;
    return h("span", nameOf(sheet, sheets()), points, sheet.review && " ?");
  };
  function drawTop() {
    title.textContent = namesOf(sheets()) || photo.name;
    if (place.isConnected) document.title = `${title.textContent} · kdscan`;
    const items = sheets().map((sheet) => [sheet.id, labelOf(sheet)]);
    picker.show(chosen, items);
    const href = gameOf(sheets());
    if (href) picker.element.append(h("a.button.tab", { href }, t("Who won?")));
  }
  // Each has its own element, so that a late answer draws nothing over what is shown now.
  function open(sheet) {
    chosen = sheet.id;
    const old = body;
    body = h("div.sheet");
    view = sheetView(body, photo, sheet, {
      onChange: renew,
      onOther: (other, part) => open(other).edit(part),
      offer: offer(sheet, pageOf(sheet), again),
    });
    old.replaceWith(body);
    drawTop();
    return view;
  }
  // A correction may change what lies beside it, such as a spellbook's maps.
  async function renew(fresh) {
    const turn = ++asked;
    const known = photo.sheets.map((sheet) => (sheet.id === fresh.id ? fresh : sheet));
    const all = known.length > 1 ? (await get(`api/photos/${id}`)).sheets : known;
    if (turn !== asked) return; // a later answer is newer
    photo.sheets.splice(0, photo.sheets.length, ...all);
    if (chosen !== fresh.id) view.show(find(chosen));
    drawTop();
  }
  // A print was learned: the same photo, read with it.
  async function again(photos) {
    if (!photos.includes(Number(id))) return;
    put(body, busy());
    await whenRead(id).catch(() => {});
    if (place.isConnected && body.isConnected) await showPhoto(place, id, chosen);
  }
  put(place, title, sheets().length > 1 && picker.element, body);
  open(find(wanted) ?? sheets()[0]);
}

// Nothing was read: why, and what to do. Such a photo goes when another one is taken.
function unread(photo) {
  const { id, pages, can_correct: may } = photo;
  const error = photo.error ?? pages.find((p) => p.error)?.error ?? failure("no_sheet");
  const page = pages.find((p) => p.thumb);
  const retry = () => attempt(() => post(`api/photos/${id}/again`).then(showAgain));
  const again = photo.state === "failed" && may && mayChange(error);
  return h("section.card.failure", [
    page && h("img", { src: page.thumb, alt: "" }),
    h("p", { role: "alert" }, explain(error)),
    photographs({ instead: may ? { photo: id } : null }),
    h("div.row", [
      again && button(t("Try again"), retry),
      h("a.button", { href: "#/" }, t("Home")),
    ]),
    photo.can_remove && deletion(photo),
  ]);
}
