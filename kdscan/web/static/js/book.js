// A spellbook: the content of its lines, drawn as two pages around the coats, over the photo, and in
// words.

import { PRINTED, drawBook } from "./bookboard.js";
import { isWon, sideName } from "./bookline.js";
import { bookOverlay } from "./bookoverlay.js";
import { choicePart, linePart } from "./bookparts.js";
import { COATS, coatName, icon } from "./coats.js";
import { h } from "./dom.js";
import { t, tn } from "./i18n.js";

export const spellbook = {
  name: () => t("Spellbook"),
  numbered: () => t("Spellbook"),
  toLook: (n) => tn("{n} line to look at", "{n} lines to look at", n),
  parts: (sheet) =>
    sheet.players.flatMap((side, player) => [
      ...PRINTED.map((coat) => linePart(sheet, player, coat)),
      ...(side.choice ? [choicePart(sheet, player)] : []),
    ]),
  draw: drawBook,
  overlay: bookOverlay,
  help: () => [
    [["0", "…", "5"], t("number of squares")],
    [["x"], t("one more square")],
    [["s"], t("struck through")],
    [["p"], t("power used")],
    [["d", "D", "l", "L", "f", "c", "."], t("the chosen coat")],
  ],
};

// Who won which wizard: the spellbook in words.
export const winners = (sheet) =>
  h("section.sum.card", [
    h("h2", t("The wizards")),
    h("div.versus", [
      sheet.players.map((side, player) => h("div", h("h3", sideName(player)), wizardsOf(side))),
    ]),
  ]);

function wizardsOf(side) {
  const won = COATS.filter((coat) => isWon(side.lines[coat]));
  if (!won.length) return h("p.none", t("no wizard"));
  return h("ul.wizards", [won.map((coat) => wonWizard(side, coat))]);
}

// The wizard of the filled coat pays for the coat that its owner chose.
function wonWizard({ lines, chosen_coat: chosen }, coat) {
  return h("li", [
    icon({ coat, crosses: 0 }),
    " ",
    coatName(coat),
    coat === "filled" && chosen && ` → ${coatName(chosen)}`,
    lines[coat].used && h("small", ` (${t("power used")})`),
  ]);
}
