// What may be corrected in maps and kingdoms: each shield and square knows its words, its pictures,
// its keys, and the request for the server.

import { cellName, drawGrid } from "./board.js";
import { COATS, DOMAIN_COLORS, castle, coatName, icon, marks, marksName } from "./coats.js";
import { h, s } from "./dom.js";
import { cellCrop, gridOverlay } from "./grid.js";
import { t, tn } from "./i18n.js";
import { glyph } from "./icons.js";
import { MOST_CROWNS, TERRAINS, square, squareIcon, squareName, terrainName } from "./terrains.js";

// A row of numbers to choose from, such as the number of crosses.
export const numbers = (label, of, chosen, sign, say, most, act) =>
  h("div.cross-row", { role: "group", "aria-label": label }, [
    of.map((n) =>
      h(
        "button.cross-count type=button",
        {
          "aria-pressed": String(n === chosen),
          disabled: n > most,
          "aria-label": say(n),
          onclick: () => act(n),
        },
        n === 0 ? "0" : sign(n),
      ),
    ),
  ]);

// A choice of one from several, with a picture each.
export const pictures = (label, of, chosen, act) =>
  h("div.coat-grid", { role: "group", "aria-label": label }, [
    of.map(([value, picture, name]) =>
      h(
        "button.choice type=button",
        { "aria-label": name, "aria-pressed": String(value === chosen), onclick: () => act(value) },
        picture,
        h("span.choice-name", { "aria-hidden": "true" }, name),
      ),
    ),
  ]);

export const coats = () =>
  [...COATS, null].map((coat) => [coat, icon({ coat, crosses: 0 }), coatName(coat)]);

const COAT_KEYS = {
  d: "dot",
  D: "double_dot",
  l: "line",
  L: "double_line",
  f: "filled",
  c: "checked",
  ".": null,
  Delete: null,
};

export const coatKey = (key) => COAT_KEYS[key];

const shield = {
  icon: (value) => icon(value),
  words: marksName,
  value: ({ coat, crosses }) => ({ coat, crosses }),
  request: ({ row, col }, value) => ({ type: "correct_shield", cell: [row, col], ...value }),
  question: (name) => t("What does {cell} hold?", { cell: name }),
  controls: (value, change) => [
    pictures(t("Coat of arms"), coats(), value.coat, (coat) =>
      change({ coat, crosses: coat ? value.crosses : 0 }),
    ),
    numbers(
      t("Crosses"),
      [0, 1, 2, 3, 4],
      value.crosses,
      (n) => "×".repeat(n),
      (n) => tn("{n} cross", "{n} crosses", n),
      value.coat ? 4 : 0,
      (crosses) => change({ ...value, crosses }),
    ),
  ],
  // The value after a key; null if the key means nothing.
  press(value, key) {
    if (key in COAT_KEYS)
      return { coat: COAT_KEYS[key], crosses: COAT_KEYS[key] ? value.crosses : 0 };
    if (!value.coat) return null;
    if (key === "x" || key === "+") return { ...value, crosses: (value.crosses + 1) % 5 };
    return /^[0-4]$/.test(key) ? { ...value, crosses: Number(key) } : null;
  },
};

const TERRAIN_KEYS = {
  ...Object.fromEntries(TERRAINS.map((terrain) => [terrain[0], terrain])),
  "#": "castle",
  ".": "empty",
  Delete: "empty",
};

const laid = (terrain, crowns) => ({ terrain, crowns: Math.min(crowns, MOST_CROWNS[terrain]) });

const tile = {
  icon: (value) => squareIcon(value),
  words: squareName,
  value: ({ terrain, crowns }) => ({ terrain, crowns }),
  request: ({ row, col }, value) => ({ type: "correct_square", cell: [row, col], ...value }),
  question: (name) => t("What lies on {cell}?", { cell: name }),
  controls: (value, change) => [
    pictures(
      t("Terrain"),
      [...TERRAINS, "castle", "empty"].map((terrain) => [
        terrain,
        squareIcon({ terrain, crowns: 0 }),
        terrainName(terrain),
      ]),
      value.terrain,
      (terrain) => change(laid(terrain, value.crowns)),
    ),
    numbers(
      t("Crowns"),
      [0, 1, 2, 3],
      value.crowns,
      (n) => Array.from({ length: n }, () => glyph("crown")),
      (n) => tn("{n} crown", "{n} crowns", n),
      MOST_CROWNS[value.terrain],
      (crowns) => change({ ...value, crowns }),
    ),
  ],
  press(value, key) {
    if (key in TERRAIN_KEYS) return laid(TERRAIN_KEYS[key], value.crowns);
    const most = MOST_CROWNS[value.terrain];
    if (key === "x" || key === "+")
      return most ? { ...value, crowns: (value.crowns + 1) % (most + 1) } : null;
    return /^[0-3]$/.test(key) && Number(key) <= most ? { ...value, crowns: Number(key) } : null;
  },
};

// The parts of a sheet that lie in a grid.
const cells = (sheet, what) =>
  sheet.cells.map((cell) => ({
    ...what,
    id: `${cell.row},${cell.col}`,
    row: cell.row,
    col: cell.col,
    name: cellName(cell.row, cell.col),
    read: what.value(cell),
    confidence: cell.confidence,
    review: cell.review,
    total: cell.alternatives.some((o) => "total" in o) ? sheet.score.total : undefined,
    alternatives: cell.alternatives.map((o) => ({
      ...what.value(o),
      probability: o.probability,
      total: o.total,
    })),
    crop: (page) => cellCrop(page, sheet, cell.row, cell.col),
  }));

const paper = () => s("rect", { width: 100, height: 100, fill: "#efe0ba" });

export const map = {
  name: () => t("Map"),
  numbered: (n) => t("Map {n}", { n }),
  toLook: (n) => tn("{n} shield to look at", "{n} shields to look at", n),
  parts: (sheet) => cells(sheet, shield),
  draw: (sheet, options) =>
    drawGrid(
      sheet,
      {
        size: [5, 7],
        title: t("The map as it was read"),
        name: marksName,
        count: (domain) => domain.crosses,
        face: (cell, domain) =>
          [
            paper(),
            domain &&
              domain.color !== null &&
              s("rect width=100 height=100 fill-opacity=0.62", {
                fill: DOMAIN_COLORS[domain.color],
              }),
            cell
              ? s("g", { transform: "translate(2 7) scale(.92)" }, marks(cell))
              : castle(sheet.castle_bonus_used),
          ].filter(Boolean),
      },
      options,
    ),
  overlay: (sheet, act, turns) =>
    gridOverlay(
      sheet,
      marks,
      (cell) => cell.coat,
      ({ crosses }) => (crosses ? 100 : 74),
      act,
      turns,
    ),
  help: () => [
    [["d", "D"], t("dot, double dot")],
    [["l", "L"], t("line, double line")],
    [["f"], t("filled")],
    [["c"], t("checked")],
    [["."], t("empty")],
    [["0", "…", "4"], t("number of crosses")],
    [["x"], t("one more cross")],
  ],
};

export const kingdom = {
  name: () => t("Kingdom"),
  numbered: (n) => t("Kingdom {n}", { n }),
  toLook: (n) => tn("{n} square to look at", "{n} squares to look at", n),
  parts: (sheet) => cells(sheet, tile),
  draw: (sheet, options) =>
    drawGrid(
      sheet,
      {
        size: [sheet.size, sheet.size],
        title: t("The kingdom as it was read"),
        name: squareName,
        count: (domain) => domain.crowns,
        face: (cell) => [paper(), square(cell)],
      },
      options,
    ),
  overlay: (sheet, act, turns) =>
    gridOverlay(
      sheet,
      square,
      (cell) => cell.terrain !== "empty" && (cell.crowns || cell.review),
      () => 100,
      act,
      turns,
    ),
  help: () => [
    ...TERRAINS.map((terrain) => [[terrain[0]], terrainName(terrain)]),
    [["#"], t("castle")],
    [["."], t("no tile")],
    [["0", "…", "3"], t("number of crowns")],
    [["x"], t("one more crown")],
  ],
};
