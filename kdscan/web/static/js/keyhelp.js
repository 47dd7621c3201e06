// The keys that have a meaning at the desk, listed beside the open card.

import { h, put } from "./dom.js";
import { t } from "./i18n.js";

const help = (kind) => [
  [["j", "k"], t("next, previous card")],
  ...(kind ? ofSheet(kind) : [[["1", "…", "9"], t("one of the answers")]]),
  [["u"], t("undo")],
  [["/"], t("search")],
];

const ofSheet = (kind) => [
  [["←", "↑", "→", "↓"], t("move to another place")],
  [["n"], t("next doubtful place")],
  ...kind.help(),
  [["Enter"], t("confirm what was read")],
  [["y"], t("confirm the whole sheet")],
];

const line = ([signs, what]) => {
  const keys = signs.map((key) => h("kbd", key));
  return h("div", h("dt", keys), h("dd", what));
};

// show(kind): the keys for a sheet of this kind; without one, those for a card with answers.
export function keyHelp() {
  const element = h("aside.keys.card", { "aria-label": t("Keys") });
  const show = (kind) => put(element, h("dl", help(kind).map(line)));
  show();
  return { element, show };
}
