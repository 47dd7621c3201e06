// Coats of arms, crosses and the castle as SVG, 100 units per cell.

import { drawing, picture, s } from "./dom.js";
import { t, tn } from "./i18n.js";

export const COATS = ["dot", "double_dot", "line", "double_line", "filled", "checked"];

const NAMES = {
  dot: () => t("dot"),
  double_dot: () => t("double dot"),
  line: () => t("line"),
  double_line: () => t("double line"),
  filled: () => t("filled"),
  checked: () => t("checked"),
};

export const coatName = (coat) => (coat ? NAMES[coat]() : t("empty"));

export const marksName = ({ coat, crosses }) =>
  crosses ? `${coatName(coat)}, ${tn("{n} cross", "{n} crosses", crosses)}` : coatName(coat);

// Colours of Okabe and Ito (2008), which colour-blind people can tell apart; never the only cue.
export const DOMAIN_COLORS = [
  "#e69f00",
  "#56b4e9",
  "#009e73",
  "#f0e442",
  "#0072b2",
  "#d55e00",
  "#cc79a7",
];

export const INK = "#241a12";
export const PAPER = "#fdf6e3";
export const DOUBT = "#a3007f";
export const RED = "#8b1a1a";
export const GOLD = "#e2b75a";

// A shield with its coat, 70 × 100 units; empty shields are pale and dashed.
export const shield = (coat) =>
  coat ? s("g", drawing("shield"), drawing(coat)) : drawing("empty-shield");

// Crosses are placed like the small circles of the sheet: in a column right of the shield.
function crosses(n) {
  const step = n > 3 ? 23 : 25;
  const top = 50 - ((n - 1) * step) / 2;
  return Array.from({ length: n }, (_, i) =>
    s("g", { transform: `translate(82 ${top + i * step})` }, drawing("cross")),
  );
}

export const marks = ({ coat, crosses: n }) => s("g", shield(coat), crosses(n));

// The same as a separate picture, for buttons and tables.
export const icon = (mark) => picture(`0 0 ${mark.crosses ? 96 : 70} 100`, "icon", marks(mark));

export function castle(used) {
  const drawn = drawing("castle");
  if (!used) drawn.querySelector(".roof").setAttribute("fill", PAPER);
  return drawn;
}

export const emblem = () => picture("0 0 100 100", "emblem", castle(true));
