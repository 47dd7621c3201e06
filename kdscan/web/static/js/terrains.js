// Terrains, crowns and the castle of Kingdomino as SVG, 100 units per square.

import { INK, PAPER, castle } from "./coats.js";
import { s } from "./dom.js";
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

// Dark and light alternate, and each has its own sign, so that they differ without colour too.
const GROUND = {
  wheat: "#efca4d",
  forest: "#2c6a3f",
  lake: "#4a9bd4",
  grassland: "#a9d36a",
  swamp: "#a58f6d",
  mine: "#4b4139",
  castle: "#e9d8ae",
  empty: "none",
};

const stroke = (d, color, width = 3) =>
  s("path", {
    d,
    fill: "none",
    stroke: color,
    "stroke-width": width,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
const at = (places, draw) =>
  places.map(([x, y]) => s("g", { transform: `translate(${x} ${y})` }, draw()));

const SIGNS = {
  wheat: () =>
    at(
      [
        [24, 40],
        [52, 66],
        [80, 42],
        [22, 86],
        [80, 90],
      ],
      () => [stroke("M0 12V-8M0-8V-15M0-6-6-11M0-6 6-11M0 0-6-5M0 0 6-5", "#9a6d0c")],
    ),
  forest: () =>
    at(
      [
        [26, 40],
        [72, 36],
        [48, 74],
        [84, 78],
        [14, 78],
      ],
      () => [
        s("path", { d: "M0-24 13 0H6L15 15H-15L-6 0H-13Z", fill: "#174a28" }),
        s("path", { d: "M-3 15H3V22H-3Z", fill: "#4d321b" }),
      ],
    ),
  lake: () =>
    at(
      [
        [28, 34],
        [66, 52],
        [30, 74],
        [74, 88],
      ],
      () => [stroke("M-18 0q9-9 18 0t18 0", "#e6f4ff", 4)],
    ),
  grassland: () =>
    at(
      [
        [24, 40],
        [70, 34],
        [46, 68],
        [82, 78],
        [18, 88],
      ],
      () => [stroke("M-9 8Q-7-2-11-7M0 8V-10M9 8Q7-2 11-7", "#4f7f24", 3.5)],
    ),
  swamp: () => [
    ...at(
      [
        [30, 80],
        [72, 66],
      ],
      () => [s("ellipse", { rx: 23, ry: 8, fill: "#5f5438" })],
    ),
    ...at(
      [
        [24, 60],
        [40, 50],
        [76, 46],
      ],
      () => [
        stroke("M0 22V-8", "#463a20", 3),
        s("rect", { x: -4, y: -20, width: 8, height: 17, rx: 4, fill: "#6b3d16" }),
      ],
    ),
  ],
  mine: () => [
    s("path", { d: "M0 100V66L18 44 34 60 56 30 78 58 100 40V100Z", fill: "#2e2722" }),
    ...at(
      [
        [30, 84],
        [58, 74],
        [80, 86],
        [48, 94],
      ],
      () => [s("path", { d: "M0-7 7 0 0 7-7 0Z", fill: "#e8b93a" })],
    ),
  ],
  castle: () => [castle(true)],
  empty: () => [
    s("path", { d: "M50 40V60M40 50H60", stroke: INK, "stroke-opacity": 0.3, "stroke-width": 3 }),
  ],
};

const CROWN = "M-13 8V-6L-6 1 0-11 6 1 13-6V8Z";

// Crowns on a dark plate at the square's top right, as tiles have them in a corner.
function crowns(n) {
  if (!n) return null;
  const width = 30 * n + 6;
  return s("g", { transform: `translate(${97 - width} 14)` }, [
    s("rect", { width, height: 28, rx: 9, fill: "#2a1d12", "fill-opacity": 0.86 }),
    Array.from({ length: n }, (_, k) =>
      s("path", {
        d: CROWN,
        transform: `translate(${18 + 30 * k} 15)`,
        fill: "#ffd65c",
        stroke: "#7a5406",
        "stroke-width": 1,
      }),
    ),
  ]);
}

export const square = ({ terrain, crowns: n }) =>
  s("g", [
    terrain === "empty"
      ? s("rect", { width: 100, height: 100, fill: PAPER, "fill-opacity": 0.5 })
      : s("rect", { width: 100, height: 100, fill: GROUND[terrain] }),
    SIGNS[terrain](),
    crowns(n),
  ]);

export const squareIcon = (what) =>
  s("svg", { viewBox: "0 0 100 100", class: "icon tile", "aria-hidden": "true" }, square(what));
