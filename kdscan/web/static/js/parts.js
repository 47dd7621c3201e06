// The parts of maps and kingdoms, as of a spellbook: what can be looked at and corrected. Each has
// an `id`, a `name`, what was `read` and how surely; where it stands on the board (`at`: its row
// and column for the arrow keys, `from`: its corner, `size`) and its `face` there; its pictures
// (`crop`, `icon`), words and keys; and the request for the server.

import { cellName, domainsByCell, drawGrid, ofDomain, upTo } from "./board.js";
import { glyph, h, s, tab } from "./dom.js";
import { cellCrop, gridOverlay } from "./grid.js";
import { t, tn } from "./i18n.js";
import { castle, coatName, DOMAIN_COLORS, icon, marks, square, squareIcon } from "./marks.js";
import { SQUARES, terrainName } from "./marks.js";

// A row of numbers, such as of crosses. sign(n), say(n): what it shows, and says.
export const numbers = (label, highest, chosen, { sign, say, most }, act) =>
  h("div.row role=group", { label }, [
    upTo(highest + 1).map((n) =>
      tab(n === 0 ? "0" : sign(n), () => act(n), n === chosen, {
        class: "choice count",
        disabled: n > most,
        label: say(n),
      }),
    ),
  ]);

// A choice of one from several, with a picture each: [value, picture, name].
const pictures = (label, things, chosen, act) =>
  h("div.coat-grid role=group", { label }, [
    things.map(([value, picture, name]) => {
      const face = [picture, h("span.choice-name aria-hidden=true", name)];
      const more = { class: "choice", label: name };
      return tab(face, () => act(value), value === chosen, more);
    }),
  ]);

// A place that holds one thing of several, and perhaps a number of them. what, count: their names
// in the JSON; keys: what each key means; most(thing): the highest number; labels, nameOf(thing),
// say(n): words for them; help: words for the keys of numbers.
export function place({ what, count, type, keys, most, labels, nameOf, sign, say, help, ...more }) {
  const holds = (thing, n) =>
    count ? { [what]: thing, [count]: Math.min(n, most(thing)) } : { [what]: thing };
  const signs = Object.entries(keys).filter(([key]) => key.length === 1);
  const highest = count && Math.max(...signs.map(([, thing]) => most(thing)));
  const choose = (value, change) => {
    const all = signs.map(([, thing]) => [thing, more.icon(holds(thing, 0)), nameOf(thing)]);
    return pictures(labels[0](), all, value[what], (thing) => change(holds(thing, value[count])));
  };
  return {
    request: ({ at }, value) => ({ type, cell: at, ...value }),
    value: (one) => holds(one[what], one[count]),
    words: (value) =>
      [nameOf(value[what]), value[count] > 0 && say(value[count])].filter(Boolean).join(", "),
    controls(value, change) {
      const fitting = { sign, say, most: count && most(value[what]) };
      const set = (n) => change({ ...value, [count]: n });
      const number = () => numbers(labels[1](), highest, value[count], fitting, set);
      return [choose(value, change), count && number()];
    },
    // The value after a key; null if the key means nothing.
    press(value, key) {
      if (key in keys) return holds(keys[key], value[count]);
      const limit = count && most(value[what]);
      if (!limit) return null;
      const more = key === "x" || key === "+";
      const number = more ? (value[count] + 1) % (limit + 1) : /^\d$/.test(key) && Number(key);
      return number !== false && number <= limit ? { ...value, [count]: number } : null;
    },
    help: () => [
      ...signs.map(([key, thing]) => [[key], nameOf(thing)]),
      [["0", "…", String(highest)], help[0]()],
      [["x"], help[1]()],
    ],
    ...more,
  };
}

// What was read of a part of this kind. read: as the server tells it.
export const partOf = (kind, read, more) => ({
  ...kind,
  read: kind.value(read),
  confidence: read.confidence,
  review: read.review,
  alternatives: read.alternatives ?? [],
  ...more,
});

export const COAT_KEYS = {
  d: "dot",
  D: "double_dot",
  l: "line",
  L: "double_line",
  f: "filled",
  c: "checked",
  ".": null,
  Delete: null,
};

export const shield = place({
  what: "coat",
  count: "crosses",
  type: "correct_shield",
  keys: COAT_KEYS,
  most: (coat) => (coat ? 4 : 0),
  labels: [() => t("Coat of arms"), () => t("Crosses")],
  nameOf: coatName,
  sign: (n) => "×".repeat(n),
  say: (n) => tn("{n} cross", "{n} crosses", n),
  help: [() => t("number of crosses"), () => t("one more cross")],
  icon,
  question: (name) => t("What does {cell} hold?", { cell: name }),
  draw: (cell, domain) => [
    domain &&
      domain.color !== null &&
      s("rect width=100 height=100 fill-opacity=0.62", { fill: DOMAIN_COLORS[domain.color] }),
    s("g", { transform: "translate(2 7) scale(.92)" }, marks(cell)),
  ],
  seal: (cell) =>
    (cell.coat || cell.review) && { drawn: marks(cell), width: cell.crosses ? 100 : 74 },
});

const initial = (terrain) => ({ castle: "#", empty: "." })[terrain] ?? terrain[0];
const TERRAIN_KEYS = Object.fromEntries(Object.keys(SQUARES).map((one) => [initial(one), one]));

export const tile = place({
  what: "terrain",
  count: "crowns",
  type: "correct_square",
  keys: { ...TERRAIN_KEYS, Delete: "empty" },
  most: (terrain) => SQUARES[terrain][1],
  labels: [() => t("Terrain"), () => t("Crowns")],
  nameOf: terrainName,
  sign: (n) => upTo(n).map(() => glyph("crown")),
  say: (n) => tn("{n} crown", "{n} crowns", n),
  help: [() => t("number of crowns"), () => t("one more crown")],
  icon: squareIcon,
  question: (name) => t("What lies on {cell}?", { cell: name }),
  draw: square,
  seal: (cell) =>
    (cell.review || (cell.terrain !== "empty" && cell.crowns > 0)) && {
      drawn: square(cell),
      width: 100,
    },
});

const paper = () => s("rect width=100 height=100 fill=#efe0ba");

// The parts of a sheet in a grid. draw(cell, domain): on the board; seal(cell): on the photo.
function cells(sheet, kind) {
  const domainAt = domainsByCell(sheet.domains);
  return sheet.cells.map((cell) => {
    const at = [cell.row, cell.col];
    const domain = domainAt.get(String(at));
    return partOf(kind, cell, {
      id: String(at),
      at,
      cell,
      from: [100 * cell.col, 100 * cell.row],
      size: [92, 92],
      name: cellName(...at),
      total: cell.alternatives.some((one) => "total" in one) ? sheet.score.total : undefined,
      face: () => [paper(), kind.draw(cell, domain)],
      more: () => ofDomain(domain),
      crop: (page) => cellCrop(page, sheet, cell),
    });
  });
}

// In the middle of a map, where nothing is read.
const castleOf = (sheet) => ({
  id: "2,3",
  at: [2, 3],
  from: [300, 200],
  face: () => [paper(), castle(sheet.castle_bonus_used)],
});

// A sheet in a grid. kind: of its cells; title(): of its picture; more(sheet): for `drawGrid`, with
// parts that are no cells.
const grid = (kind, title, more, names) => ({
  ...names,
  parts: (sheet) => cells(sheet, kind),
  draw(sheet, options) {
    const { parts = [], ...rest } = more(sheet);
    const all = [...parts, ...cells(sheet, kind)];
    return drawGrid(sheet, { title: title(), parts: all, ...rest }, options);
  },
  overlay: (sheet, ...how) => gridOverlay(sheet, cells(sheet, kind), ...how),
  help: kind.help,
});

export const map = grid(
  shield,
  () => t("The map as it was read"),
  (sheet) => ({ size: [5, 7], count: "crosses", parts: [castleOf(sheet)] }),
  { name: () => t("Map"), numbered: (n) => t("Map {n}", { n }) },
);

export const kingdom = grid(
  tile,
  () => t("The kingdom as it was read"),
  ({ size }) => ({ size: [size, size], count: "crowns" }),
  { name: () => t("Kingdom"), numbered: (n) => t("Kingdom {n}", { n }) },
);
