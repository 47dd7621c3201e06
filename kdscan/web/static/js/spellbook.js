// A spellbook: its lines drawn as two pages around the coats, over the photo, and in words.

import { drawBoard } from "./board.js";
import { drawing, h, picture, s, tab } from "./dom.js";
import { axes, overlay, placesCrop, rimmed } from "./grid.js";
import { t, tn } from "./i18n.js";
import { coatIcon, coatName, COATS, DOUBT, GOLD, INK, RED, shield } from "./marks.js";
import { COAT_KEYS, numbers, partOf, place } from "./parts.js";

export const spellbook = {
  name: () => t("Spellbook"),
  numbered: () => t("Spellbook"),
  parts: (sheet) => partsOf(sheet).filter((part) => part.name),
  draw(sheet, options = {}) {
    const title = t("The spellbook as it was read");
    const board = { viewBox: [0, 0, 712, 690], title, under: [drawing("book"), middle()] };
    return drawBoard({ ...board, parts: partsOf(sheet) }, options);
  },
  overlay: (sheet, act) => overlay(spellbook.parts(sheet), badge, act),
  help: () => [
    [["0", "…", "5"], t("number of squares")],
    [["x"], t("one more square")],
    [["s"], t("struck through")],
    [["p"], t("power used")],
    [["d", "D", "l", "L", "f", "c", "."], t("the chosen coat")],
  ],
};

const partsOf = (sheet) =>
  sheet.players.flatMap((_, player) => [
    ...PRINTED.map((coat, n) => linePart(sheet, player, coat, n)),
    choicePart(sheet, player),
  ]);

// Who won which wizard: the spellbook in words.
export const winners = (sheet) =>
  h("section.sum.card", [
    h("h2", t("The wizards")),
    h("div.versus.row", [
      sheet.players.map((side, player) => h("div", h("h3", SIDES[player]()), wizardsOf(side))),
    ]),
  ]);

function wizardsOf(side) {
  const won = COATS.filter((coat) => isWon(side.lines[coat]));
  if (!won.length) return h("p.none", t("no wizard"));
  return h("ul", [won.map((coat) => wonWizard(side, coat))]);
}

// The wizard of the filled coat pays for the coat that its owner chose.
const wonWizard = ({ lines, chosen_coat: chosen }, coat) =>
  h("li", [
    coatIcon(coat),
    " ",
    coatName(coat),
    coat === "filled" && chosen && ` → ${coatName(chosen)}`,
    lines[coat].used && h("small", ` (${t("power used")})`),
  ]);

// The order in which our spellbook prints its lines.
const PRINTED = ["dot", "line", "double_dot", "double_line", "filled", "checked"];

const lineTop = (n) => 26 + 88 * n;

// The coats between the pages.
const middle = () =>
  PRINTED.map((coat, n) =>
    s("g", { transform: `translate(328 ${lineTop(n) + 4}) scale(.8)` }, shield(coat)),
  );

const SIDES = [() => t("left"), () => t("right")];

// Who won a line: it is full and not struck.
const isWon = (line) => line.filled >= line.squares.length && !line.struck;

const lineWords = ({ filled, struck, used }) =>
  [tn("{n} square", "{n} squares", filled), struck && t("struck through"), used && t("power used")]
    .filter(Boolean)
    .join(", ");

const LINE = {
  value: ({ filled, struck, used }) => ({ filled, struck, used }),
  words: lineWords,
  question: (name) => t("What does this line show: {line}?", { line: name }),
};

function linePart(sheet, player, coat, n) {
  const line = sheet.players[player].lines[coat];
  const most = line.squares.length;
  const places = placesOf(sheet, line);
  const around = [...line.centers, line.used_center ?? line.centers[0]];
  return partOf(LINE, line, {
    id: `line:${player},${coat}`,
    at: [n, player],
    from: [player === 0 ? 20 : 392, lineTop(n)],
    size: [292, 76],
    name: t("{side}, {coat}", { side: SIDES[player](), coat: coatName(coat) }),
    more: () => isWon(line) && t("line won"),
    face: () => lineFace(line, places, player),
    ink: () => lineInk(line),
    centers: line.centers,
    reach: line.reach,
    icon: (value) => lineIcon(value, places),
    request: (part, value) => ({ type: "correct_line", side: player, coat, ...value }),
    crop: (page) => placesCrop(page, sheet, around, line.reach),
    controls: (value, change) => lineControls(value, most, change),
    press: (value, key) => afterKey(value, key, most),
  });
}

function lineControls(value, most, change) {
  const shown = { sign: String, say: (n) => tn("{n} square", "{n} squares", n), most };
  const fill = (filled) => change({ ...value, filled });
  const toggle = (what, words) =>
    tab(words, () => change({ ...value, [what]: !value[what] }), value[what]);
  return [
    numbers(t("Squares filled"), most, value.filled, shown, fill),
    h("div.row", toggle("struck", t("struck through")), toggle("used", t("power used"))),
  ];
}

// The value of a line after a key; null if the key means nothing.
function afterKey(value, key, most) {
  if (/^[0-5]$/.test(key) && Number(key) <= most) return { ...value, filled: Number(key) };
  if (key === "x" || key === "+") return { ...value, filled: (value.filled + 1) % (most + 1) };
  if (key === "s") return { ...value, struck: !value.struck };
  if (key === "p") return { ...value, used: !value.used };
  return null;
}

// A side's places on its page from left to right: numbers of squares, and "used".
function placesOf(sheet, line) {
  const [right] = axes(sheet.outline);
  const along = (at) => at[0] * right[0] + at[1] * right[1];
  const places = line.centers.map((at, n) => [along(at), n]);
  if (line.used_center) places.push([along(line.used_center), "used"]);
  return places.sort((a, b) => a[0] - b[0]).map(([, what]) => what);
}

const STEP = 48; // between the places of a line
const MOST_BESIDE_CROWN = 5; // places of a line that leave room for the winner's crown
const ICON_STEP = 26;

// Its squares lie towards the coats in the middle; a won line is golden, with a crown outside.
function lineFace(line, places, player) {
  const won = isWon(line);
  const start = player === 0 ? 296 - STEP * places.length : 4;
  const crown = { transform: `translate(${player === 0 ? 26 : 274} 26) scale(1.2)` };
  return [
    won && drawing("book-won"),
    drawLine(line, places, [start, 42], STEP),
    won && places.length <= MOST_BESIDE_CROWN && s("g", crown, drawing("crown")),
  ];
}

function lineIcon(line, places) {
  const viewBox = `0 0 ${ICON_STEP * places.length} 30`;
  return picture(viewBox, "icon line-icon", drawLine(line, places, [0, 15], ICON_STEP));
}

// A line's places, `step` apart from [x, y]. squares: which are filled; by default the first.
function drawLine({ filled, struck, used, squares }, places, [x, y], step) {
  const middle = (n) => x + step * (n + 0.5);
  const isFilled = (n) => (squares ? squares[n] : n < filled);
  const square = (n) => [drawing("book-square"), isFilled(n) && drawing("book-filled")];
  const power = drawing(used ? "book-used" : "book-power");
  const drawn = places.map((what, n) =>
    s("g", { transform: `translate(${middle(n)} ${y}) scale(${step / 100})` }, [
      what === "used" ? power : square(what),
    ]),
  );
  if (!struck) return drawn;
  const squaresAt = places.flatMap((what, n) => (what === "used" ? [] : [middle(n)]));
  const d = `M${squaresAt[0] - step / 2} ${y}H${squaresAt.at(-1) + step / 2}`;
  return [drawn, s("path stroke-linecap=round", { d, stroke: INK, "stroke-width": step / 6 })];
}

// The coat that a side chose for the wizard of the filled one.
const CHOICE = place({
  what: "coat",
  keys: COAT_KEYS,
  labels: [() => t("Coat of arms")],
  nameOf: (coat) => (coat ? coatName(coat) : t("none")),
  icon: ({ coat }) => coatIcon(coat),
  question: (name) => t("Which coat is marked: {line}?", { line: name }),
});

function choicePart(sheet, player) {
  const { choice, chosen_coat: coat } = sheet.players[player];
  const { centers, reach } = choice ?? { centers: {} };
  const read = { ...choice, coat };
  return partOf(CHOICE, read, {
    id: `choice:${player}`,
    at: [PRINTED.length, player],
    from: [player === 0 ? 24 : 368, 564],
    size: [308, 94],
    name: choice && t("{side}, chosen coat", { side: SIDES[player]() }), // else it cannot be changed
    face: () => choiceFace(coat),
    ink: () => coat && chosenInk(centers[coat], reach),
    centers: Object.values(centers),
    reach,
    request: (part, value) => ({ type: "correct_choice", side: player, ...value }),
    crop: (page) => placesCrop(page, sheet, Object.values(centers), reach),
  });
}

// All coats, the chosen one framed.
const choiceFace = (chosen) => [
  s("text x=160 y=22 font-size=20 text-anchor=middle aria-hidden=true", { fill: INK }, [
    t("chosen coat"),
  ]),
  COATS.map((coat, n) => {
    const transform = `translate(${10 + 50 * n} 34) scale(.56)`;
    const frame = coat === chosen && drawing("book-chosen");
    return s("g", { transform, opacity: frame ? 1 : 0.55 }, frame, shield(coat));
  }),
];

// The reading over the photo: filled squares, used powers, struck lines, chosen coats.

const POWER = "#1d3f6e"; // a used power

// One part of the reading, with all its places to tap on.
const badge = ({ ink, centers, reach, review }) => [
  review && doubtFrame(centers, reach),
  ink(),
  centers.map((at) => spot(at, 1.5 * reach, { fill: "transparent" })),
];

const spot = ([cx, cy], r, more) => s("circle", { cx, cy, r, ...more });

// What a line holds.
function lineInk(line) {
  const { centers, reach, used_center: power } = line;
  const rim = { stroke: "#fff", "stroke-width": 0.2 * reach };
  const dot = (at, fill) => spot(at, 0.7 * reach, { fill, ...rim });
  const d = `M${centers[0].join(" ")}L${centers.at(-1).join(" ")}`;
  const along = (more) => s("path stroke-linecap=round", { d, ...more });
  const gold = { stroke: GOLD, "stroke-width": 3 * reach, "stroke-opacity": 0.7, class: "marker" };
  return [
    isWon(line) && along(gold),
    line.squares.map((filled, n) => filled && dot(centers[n], RED)),
    line.used && power && dot(power, POWER),
    line.struck && rimmed(INK, 0.45 * reach, 0.8 * reach, along),
  ];
}

// A ring around the chosen coat.
const chosenInk = (center, reach) =>
  rimmed(RED, 0.3 * reach, 0.5 * reach, (more) =>
    spot(center, 1.5 * reach, { fill: "none", ...more }),
  );

// A frame around a row of places, turned as the row is.
function doubtFrame(centers, reach) {
  const [a, b] = [centers[0], centers.at(-1)];
  const [across, down] = [b[0] - a[0], b[1] - a[1]];
  const around = 1.6 * reach;
  const transform = `translate(${a}) rotate(${(Math.atan2(down, across) * 180) / Math.PI})`;
  const size = { width: Math.hypot(across, down) + 2 * around, height: 2 * around };
  return rimmed(DOUBT, 0.3 * reach, 0.5 * reach, (more) =>
    s("rect fill=none rx=2", { x: -around, y: -around, ...size, transform, ...more }),
  );
}
