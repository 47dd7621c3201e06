// Coats of arms, crosses and the castle as SVG, 100 units per cell.

import { s } from "./dom.js";
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

const SHIELD = "M8 8H62V48C62 70 48 82 35 92C22 82 8 70 8 48Z";

let clips = 0;

function charge(coat, clip) {
  const ink = { fill: INK };
  const cut = { ...ink, "clip-path": `url(#${clip})` };
  switch (coat) {
    case "dot":
      return [s("circle", { cx: 35, cy: 43, r: 13, ...ink })];
    case "double_dot":
      return [22.5, 47.5].map((cx) => s("circle", { cx, cy: 43, r: 9.5, ...ink }));
    case "line":
      return [s("rect", { x: 30, y: 8, width: 10, height: 84, ...cut })];
    case "double_line":
      return [20, 41].map((x) => s("rect", { x, y: 8, width: 9, height: 84, ...cut }));
    case "filled":
      return [s("path", { d: SHIELD, ...ink })];
    case "checked":
      return [s("path", { d: "M8 8H35V46H8ZM35 46H62V92H35Z", ...cut })];
    default:
      return [];
  }
}

// A shield with its coat, 70 × 100 units; empty shields are pale and dashed.
export function shield(coat) {
  const clip = `shield-${clips++}`;
  return s("g", [
    s("clipPath", { id: clip }, s("path", { d: SHIELD })),
    coat &&
      s("path", {
        d: SHIELD,
        fill: PAPER,
        stroke: PAPER,
        "stroke-width": 9,
        "stroke-linejoin": "round",
      }),
    s("path", { d: SHIELD, fill: PAPER, "fill-opacity": coat ? 1 : 0.45 }),
    charge(coat, clip),
    s("path", {
      d: SHIELD,
      fill: "none",
      stroke: INK,
      "stroke-width": coat ? 4 : 2.5,
      "stroke-linejoin": "round",
      ...(coat ? {} : { "stroke-dasharray": "5 6", "stroke-opacity": 0.55 }),
    }),
  ]);
}

// Crosses are placed like the small circles of the sheet: in a column right of the shield.
function crosses(n) {
  const step = n > 3 ? 23 : 25;
  const top = 50 - ((n - 1) * step) / 2;
  return Array.from({ length: n }, (_, i) =>
    s("g", { transform: `translate(82 ${top + i * step})` }, [
      s("circle", { r: 11.5, fill: PAPER, stroke: INK, "stroke-width": 2.2 }),
      s("path", {
        d: "M-7-7 7 7M7-7-7 7",
        stroke: RED,
        "stroke-width": 4.8,
        "stroke-linecap": "round",
      }),
    ]),
  );
}

export const marks = ({ coat, crosses: n }) => s("g", shield(coat), crosses(n));

// The same as a separate picture, for buttons and tables.
export const icon = (mark) =>
  s(
    "svg",
    { viewBox: mark.crosses ? "0 0 96 100" : "0 0 70 100", class: "icon", "aria-hidden": "true" },
    marks(mark),
  );

export function castle(used) {
  const roof = used ? RED : PAPER;
  const ink = { stroke: INK, "stroke-width": 3, "stroke-linejoin": "round" };
  return s("g", [
    s("path", { d: "M14 92V44H26V52H38V44H62V52H74V44H86V92Z", fill: "#d9c7a0", ...ink }),
    s("path", { d: "M36 44V30H64V44", fill: "#d9c7a0", ...ink }),
    s("path", {
      d: "M10 44 20 22 30 44ZM70 44 80 22 90 44ZM32 30 50 8 68 30Z",
      fill: roof,
      ...ink,
    }),
    s("path", { d: "M42 92V74A8 8 0 0 1 58 74V92Z", fill: INK }),
    s("path", { d: "M50 8V1L60 4L50 7", fill: RED, stroke: INK, "stroke-width": 1.5 }),
    s("path", {
      d: "M46 36H54M20 60H26M74 60H80M20 74H26M74 74H80",
      stroke: INK,
      "stroke-width": 3,
    }),
  ]);
}

export const emblem = () =>
  s("svg", { viewBox: "0 0 100 100", class: "emblem", "aria-hidden": "true" }, castle(true));
