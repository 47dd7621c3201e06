// The pictures of a sheet, of which one is shown: the board, the photo, and the ink alone.

import { h, put } from "./dom.js";
import { t } from "./i18n.js";
import { kindOf } from "./kinds.js";
import { photoView } from "./photo.js";

// {tabs, show(sheet), picture(sheet, board): the one chosen, board(board), beside(sheet): the photo
// or the ink, for a screen with room for both}. chosen() is called when another one is wanted;
// onPart(sheet, part) on a tap in the photo, false where nothing can be changed.
export function sheetViews(photo, first, onPart, chosen) {
  let view = "board";
  const choose = (name) => {
    view = name;
    chosen();
  };
  const labels = { board: kindOf(first).name(), photo: t("Photo"), ink: t("Ink") };
  // Created once, so that keyboard users keep the focus on them.
  const tabs = Object.entries(labels).map(([name, label]) => ({
    name,
    button: h("button.tab", { type: "button", onclick: () => choose(name) }, label),
  }));
  const element = h("div.tabs", { role: "group", "aria-label": t("View") });
  return {
    tabs: element,
    show(sheet) {
      for (const { name, button } of tabs)
        button.setAttribute("aria-pressed", String(view === name));
      const there = tabs.filter(({ name }) => name !== "ink" || sheet.ink);
      put(
        element,
        there.map(({ button }) => button),
      );
    },
    board: (board) => h("div.board-box", board),
    beside: (sheet) =>
      view === "ink" && sheet.ink ? inkView(sheet) : photoOf(photo, sheet, onPart),
    picture(sheet, board) {
      return view === "board" ? this.board(board) : this.beside(sheet);
    },
  };
}

// Only the ink, without the print: the best answer to "what did you see?".
const inkView = (sheet) =>
  h("figure.ink-box", [
    h("img", { src: sheet.ink, alt: t("What was drawn on the sheet, without its print") }),
    h("figcaption", t("What was drawn, without the print of {name}", { name: sheet.layout })),
  ]);

// The photo's page on which the sheet lies, with all that lies beside it.
function photoOf(photo, sheet, onPart) {
  const beside = photo.sheets
    .map((other) => (other.id === sheet.id ? sheet : other))
    .filter((other) => other.page === sheet.page);
  const page = photo.pages.find((one) => one.page === sheet.page);
  return photoView(page, beside, onPart, sheet, { upright: true });
}
