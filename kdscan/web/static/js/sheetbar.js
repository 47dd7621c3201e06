// The buttons below a sheet. They are created once, so that keyboard users keep the focus on them.

import { h, put, sign } from "./dom.js";
import { t } from "./i18n.js";
import { hasScore } from "./kinds.js";
import { share } from "./share.js";

const barButton = (mark, label, act) =>
  h("button.bar-button", { type: "button", onclick: act }, sign(mark), label);

// {element, show(sheet)}: undo, the sheet's game, and a picture to share. may: whether it can be
// corrected; shown(): the sheet as it is shown now.
export function sheetBar(shown, may, undo) {
  const undoing = barButton("↶", t("Undo"), undo);
  const sharing = barButton("⇪", t("Share"), () => share([shown()], null));
  const game = h("a.bar-button", { href: `#/versus/${shown().id}` }, [sign("⚔"), t("Game")]);
  const element = h("div.bar");
  return {
    element,
    show(sheet) {
      const scored = hasScore(sheet);
      undoing.disabled = !sheet.can_undo;
      put(element, may && undoing, scored && game, scored && !sheet.photograph_again && sharing);
    },
  };
}
