// Terrains, crowns and the castle of Kingdomino as SVG, 100 units per square.

import { drawing, picture, s } from "./dom.js";
import { t, tn } from "./i18n.js";

export const TERRAINS = ["wheat", "forest", "lake", "grassland", "swamp", "mine"];

const NAMES = {
  wheat: () => t("wheat field"),
  forest: () => t("forest"),
  lake: () => t("lake"),
  grassland: () => t("grassland"),
  swamp: () => t("swamp"),
  mine: () => t("mine"),
  castle: () => t("castle"),
  empty: () => t("no tile"),
};

// The most crowns that any tile of the box has on each terrain.
export const MOST_CROWNS = {
  wheat: 1,
  forest: 1,
  lake: 1,
  grassland: 2,
  swamp: 2,
  mine: 3,
  castle: 0,
  empty: 0,
};

export const terrainName = (terrain) => NAMES[terrain]();

export const squareName = ({ terrain, crowns }) =>
  crowns
    ? `${terrainName(terrain)}, ${tn("{n} crown", "{n} crowns", crowns)}`
    : terrainName(terrain);

// Crowns on a dark plate at the square's top right, as tiles have them in a corner.
function crowns(n) {
  if (!n) return null;
  const width = 30 * n + 6;
  return s("g", { transform: `translate(${97 - width} 14)` }, [
    s("rect", { width, height: 28, rx: 9, fill: "#2a1d12", "fill-opacity": 0.86 }),
    Array.from({ length: n }, (_, k) =>
      s("g", { transform: `translate(${18 + 30 * k} 15)` }, drawing("crown")),
    ),
  ]);
}

// Dark and light alternate, and each terrain has its own sign, so that they differ without colour too.
export const square = ({ terrain, crowns: n }) =>
  s("g", [
    terrain === "castle" && s("rect", { width: 100, height: 100, fill: "#e9d8ae" }),
    drawing(terrain === "empty" ? "no-tile" : terrain),
    crowns(n),
  ]);

export const squareIcon = (what) => picture("0 0 100 100", "icon tile", square(what));
