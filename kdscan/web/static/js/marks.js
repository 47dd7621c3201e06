// Coats of arms, crosses, terrains, crowns and castles as SVG, 100 units per cell.

import { drawing, picture, s } from "./dom.js";
import { t } from "./i18n.js";

const COAT_NAMES = {
  dot: () => t("dot"),
  double_dot: () => t("double dot"),
  line: () => t("line"),
  double_line: () => t("double line"),
  filled: () => t("filled"),
  checked: () => t("checked"),
};

export const COATS = Object.keys(COAT_NAMES);

export const coatName = (coat) => (coat ? COAT_NAMES[coat]() : t("empty"));

// Colours of Okabe and Ito (2008), which colour-blind people can tell apart; never the only cue.
const [ORANGE, SKY, GREEN] = ["#e69f00", "#56b4e9", "#009e73"];
const [YELLOW, BLUE, VERMILION, PURPLE] = ["#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
export const DOMAIN_COLORS = [ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE];

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
export const coatIcon = (coat) => icon({ coat, crosses: 0 });

export function castle(used) {
  const drawn = drawing("castle");
  if (!used) drawn.querySelector(".roof").setAttribute("fill", PAPER);
  return drawn;
}

export const emblem = () => picture("0 0 100 100", "emblem", castle(true));

// What a square may hold: its name, and the most crowns that any tile of the box has on it.
export const SQUARES = {
  wheat: [() => t("wheat field"), 1],
  forest: [() => t("forest"), 1],
  lake: [() => t("lake"), 1],
  grassland: [() => t("grassland"), 2],
  swamp: [() => t("swamp"), 2],
  mine: [() => t("mine"), 3],
  castle: [() => t("castle"), 0],
  empty: [() => t("no tile"), 0],
};

export const terrainName = (terrain) => SQUARES[terrain][0]();

// Crowns on a dark plate at the square's top right, as tiles have them in a corner.
function plate(n) {
  if (!n) return null;
  const width = 30 * n + 6;
  return s("g", { transform: `translate(${97 - width} 14)` }, [
    s("rect height=28 rx=9 fill=#2a1d12 fill-opacity=0.86", { width }),
    Array.from({ length: n }, (_, k) =>
      s("g", { transform: `translate(${18 + 30 * k} 15)` }, drawing("crown")),
    ),
  ]);
}

// Dark and light alternate, and each terrain has its own sign: they differ without colour too.
export const square = ({ terrain, crowns: n }) =>
  s("g", [
    terrain === "castle" && s("rect width=100 height=100 fill=#e9d8ae"),
    drawing(terrain === "empty" ? "no-tile" : terrain),
    plate(n),
  ]);

export const squareIcon = (what) => picture("0 0 100 100", "icon tile", square(what));
