// What may be corrected in maps and kingdoms: each shield and square knows its words, its pictures,
// its keys, and the request for the server.

import { cellName, drawGrid } from "./board.js";
import { button, glyph, h, s } from "./dom.js";
import { cellCrop, gridOverlay } from "./grid.js";
import { t, tn } from "./i18n.js";
import {
  castle,
  coatName,
  COATS,
  DOMAIN_COLORS,
  icon,
  marks,
  marksName,
  MOST_CROWNS,
  square,
  squareIcon,
  squareName,
  terrainName,
  TERRAINS,
} from "./marks.js";

// A row of numbers to choose from, such as the number of crosses.
export const numbers = (label, of, chosen, sign, say, most, act) =>
  h("div.row", { role: "group", "aria-label": label }, [
    of.map((n) =>
      button(n === 0 ? "0" : sign(n), () => act(n), {
        class: "choice count",
        "aria-pressed": String(n === chosen),
        disabled: n > most,
        "aria-label": say(n),
      }),
    ),
  ]);

// A choice of one from several, with a picture each.
export const pictures = (label, of, chosen, act) =>
  h("div.coat-grid", { role: "group", "aria-label": label }, [
    of.map(([value, picture, name]) =>
      button([picture, h("span.choice-name aria-hidden=true", name)], () => act(value), {
        class: "choice",
        "aria-label": name,
        "aria-pressed": String(value === chosen),
      }),
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

// A place that holds one thing of several, and a number of them counts. what, count: their names; keys:
// what each key means; things(): [value, picture, name]; most(thing): the highest number.
const place = ({ what, count, keys, things, most, type, labels, sign, say, ...more }) => {
  const holds = (thing, n) => ({ [what]: thing, [count]: Math.min(n, most(thing)) });
  const upTo = 1 + Math.max(...Object.values(keys).map(most));
  return {
    ...more,
    value: (cell) => ({ [what]: cell[what], [count]: cell[count] }),
    request: ({ row, col }, value) => ({ type, cell: [row, col], ...value }),
    controls: (value, change) => [
      pictures(labels[0](), things(), value[what], (thing) => change(holds(thing, value[count]))),
      numbers(
        labels[1](),
        [...Array(upTo).keys()],
        value[count],
        sign,
        say,
        most(value[what]),
        (n) => change({ ...value, [count]: n }),
      ),
    ],
    // The value after a key; null if the key means nothing.
    press(value, key) {
      if (key in keys) return holds(keys[key], value[count]);
      const highest = most(value[what]);
      if (!highest) return null;
      if (key === "x" || key === "+")
        return { ...value, [count]: (value[count] + 1) % (highest + 1) };
      return /^\d$/.test(key) && key <= highest ? { ...value, [count]: Number(key) } : null;
    },
  };
};

const shield = place({
  what: "coat",
  count: "crosses",
  type: "correct_shield",
  keys: COAT_KEYS,
  things: coats,
  most: (coat) => (coat ? 4 : 0),
  labels: [() => t("Coat of arms"), () => t("Crosses")],
  sign: (n) => "×".repeat(n),
  say: (n) => tn("{n} cross", "{n} crosses", n),
  icon: (value) => icon(value),
  words: marksName,
  question: (name) => t("What does {cell} hold?", { cell: name }),
});

const tile = place({
  what: "terrain",
  count: "crowns",
  type: "correct_square",
  keys: {
    ...Object.fromEntries(TERRAINS.map((terrain) => [terrain[0], terrain])),
    "#": "castle",
    ".": "empty",
    Delete: "empty",
  },
  things: () =>
    [...TERRAINS, "castle", "empty"].map((terrain) => [
      terrain,
      squareIcon({ terrain, crowns: 0 }),
      terrainName(terrain),
    ]),
  most: (terrain) => MOST_CROWNS[terrain],
  labels: [() => t("Terrain"), () => t("Crowns")],
  sign: (n) => Array.from({ length: n }, () => glyph("crown")),
  say: (n) => tn("{n} crown", "{n} crowns", n),
  icon: (value) => squareIcon(value),
  words: squareName,
  question: (name) => t("What lies on {cell}?", { cell: name }),
});

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
