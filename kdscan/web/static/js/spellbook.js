// A spellbook: the content of its lines, drawn as two pages around the coats, over the photo, and in
// words.

import { doubtRing, placed, pressable, walk } from "./board.js";
import { button, drawing, h, picture, s } from "./dom.js";
import { axes, brought, cutOut, rimmed } from "./grid.js";
import { t, tn } from "./i18n.js";
import { coatName, COATS, DOUBT, GOLD, icon, INK, RED, shield } from "./marks.js";
import { coatKey, coats, numbers, pictures } from "./parts.js";

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
    h("div.versus.row", [
      sheet.players.map((side, player) => h("div", h("h3", sideName(player)), wizardsOf(side))),
    ]),
  ]);

function wizardsOf(side) {
  const won = COATS.filter((coat) => isWon(side.lines[coat]));
  if (!won.length) return h("p.none", t("no wizard"));
  return h("ul", [won.map((coat) => wonWizard(side, coat))]);
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

// The order in which our spellbook prints its lines.
const PRINTED = ["dot", "line", "double_dot", "double_line", "filled", "checked"];

const STEP = 48; // between the places of a line
const MOST_BESIDE_CROWN = 5; // places of a line that leave room for the winner's crown

// A spellbook as one SVG: two pages with a line for each coat, the coats between them, and the chosen
// coats below. onCell(id) makes lines and chosen coats buttons; doubts: draw rings.
function drawBook(sheet, { onCell = null, doubts = true } = {}) {
  const draw = (part) => drawPart(part, onCell, doubts);
  const title = t("The spellbook as it was read");
  const role = onCell ? "group" : "img";
  const svg = s("svg", { class: "board", viewBox: "0 0 712 690", role, "aria-label": title }, [
    drawing("book"),
    PRINTED.map((coat, n) => [
      s("g", { transform: `translate(328 ${lineTop(n) + 4}) scale(.8)` }, shield(coat)),
      sheet.players.map((_, player) => draw(linePlace(sheet, player, coat, n))),
    ]),
    sheet.players.map((side, player) => draw(choicePlace(side, player))),
  ]);
  if (onCell) walk(svg);
  return svg;
}

const lineTop = (n) => 26 + 88 * n;

// at: its row and column for the arrow keys; from: its corner; size: of its button.
function drawPart({ id, at, from, size, face, review, words }, onCell, doubts) {
  const [wide, high] = size;
  const ring = doubts && review && doubtRing(wide - 2, high - 2);
  const group = placed(id, at.join(), from, [face, ring]);
  const label = [...words, review && t("please check")].filter(Boolean).join(", ");
  if (onCell) pressable(group, label, () => onCell(id), size);
  return group;
}

function linePlace(sheet, player, coat, n) {
  const line = sheet.players[player].lines[coat];
  return {
    id: `line:${player},${coat}`,
    at: [n, player],
    from: [player === 0 ? 20 : 392, lineTop(n)],
    size: [292, 76],
    face: lineFace(line, placesOf(sheet, line), player),
    review: line.review,
    words: [sideName(player), coatName(coat), lineWords(line), isWon(line) && t("line won")],
  };
}

const choicePlace = (side, player) => ({
  id: `choice:${player}`,
  at: [PRINTED.length, player],
  from: [player === 0 ? 24 : 368, 564],
  size: [308, 94],
  face: choiceFace(side),
  review: side.choice?.review,
  words: [
    sideName(player),
    t("chosen coat"),
    side.chosen_coat ? coatName(side.chosen_coat) : t("none"),
  ],
});

// Its squares lie towards the coats in the middle; a won line is golden, with a crown outside.
function lineFace(line, places, player) {
  const won = isWon(line);
  const left = player === 0;
  return [
    won && drawing("book-won"),
    ...drawLine(line, places, [left ? 296 - STEP * places.length : 4, 42], STEP),
    won && places.length <= MOST_BESIDE_CROWN && crown(left ? 26 : 274),
  ].filter(Boolean);
}

const crown = (x) => s("g", { transform: `translate(${x} 26) scale(1.2)` }, drawing("crown"));

// All coats, the chosen one framed.
function choiceFace(side) {
  const title = { x: 160, y: 22, "font-size": 20, "text-anchor": "middle", "aria-hidden": "true" };
  return [
    s("text", { ...title, fill: INK }, t("chosen coat")),
    ...COATS.map((coat, n) => {
      const chosen = coat === side.chosen_coat;
      const transform = `translate(${10 + 50 * n} 34) scale(.56)`;
      return s("g", { transform, opacity: chosen ? 1 : 0.55 }, [
        chosen && drawing("book-chosen"),
        shield(coat),
      ]);
    }),
  ];
}

// A line of a spellbook: who won it, its words, and its squares with the power's circle.

const SIDES = [() => t("left"), () => t("right")];

const sideName = (player) => SIDES[player]();

// Who won a line: it is full and not struck.
const isWon = (line) => line.filled >= line.squares.length && !line.struck;

const lineWords = ({ filled, struck, used }) =>
  [tn("{n} square", "{n} squares", filled), struck && t("struck through"), used && t("power used")]
    .filter(Boolean)
    .join(", ");

// A side's places on its page from left to right: numbers of squares, and "used".
function placesOf(sheet, line) {
  const [right] = axes(sheet.outline);
  const along = (at) => at[0] * right[0] + at[1] * right[1];
  const places = line.centers.map((at, n) => [along(at), n]);
  if (line.used_center) places.push([along(line.used_center), "used"]);
  return places.sort((a, b) => a[0] - b[0]).map(([, what]) => what);
}

const ICON_STEP = 26;

const lineIcon = (line, places) =>
  picture(
    `0 0 ${ICON_STEP * places.length} 30`,
    "icon line-icon",
    drawLine(line, places, [0, 15], ICON_STEP),
  );

// A line's places, `step` apart from [x, y] on. squares: which are filled; by default the first ones.
function drawLine({ filled, struck, used, squares }, places, [x, y], step) {
  const middle = (n) => x + step * (n + 0.5);
  const isFilled = (n) => (squares ? squares[n] : n < filled);
  const drawn = places.map((what, n) =>
    s("g", { transform: `translate(${middle(n)} ${y}) scale(${step / 100})` }, [
      what === "used"
        ? drawing(used ? "book-used" : "book-power")
        : [drawing("book-square"), isFilled(what) && drawing("book-filled")],
    ]),
  );
  if (struck) {
    const squaresAt = places.flatMap((what, n) => (what === "used" ? [] : [middle(n)]));
    const d = `M${squaresAt[0] - step / 2} ${y}H${squaresAt.at(-1) + step / 2}`;
    drawn.push(s("path", { d, stroke: INK, "stroke-width": step / 6, "stroke-linecap": "round" }));
  }
  return drawn;
}

// A spellbook's reading over the photo: filled squares, used powers, struck lines, chosen coats.

const POWER = "#1d3f6e"; // a used power

// act(id): what a tap on a line or chosen coat does; false where nothing can be changed.
function bookOverlay(sheet, act) {
  const ofSide = (side, player) => [
    COATS.map((coat) => {
      const line = side.lines[coat];
      return badge(`line:${player},${coat}`, line.centers, line, lineInk(line), act);
    }),
    side.choice &&
      badge(
        `choice:${player}`,
        Object.values(side.choice.centers),
        side.choice,
        chosenInk(side),
        act,
      ),
  ];
  return s("g class=overlay", sheet.players.map(ofSide));
}

// One part of the reading, with all its places to tap on.
function badge(id, centers, { reach, review }, drawn, act) {
  const targets = centers.map((at) => spot(at, 1.5 * reach, { fill: "transparent" }));
  const inside = [review && doubtFrame(centers, reach), drawn, targets];
  return s("g class=badge", { "data-cell": id, onclick: act && (() => act(id)) }, inside);
}

const spot = ([cx, cy], r, more) => s("circle", { cx, cy, r, ...more });

// What a line holds.
function lineInk(line) {
  const { centers, reach, used_center: power } = line;
  const dot = (at, fill) =>
    spot(at, 0.7 * reach, { fill, stroke: "#fff", "stroke-width": 0.2 * reach });
  const d = `M${centers[0].join(" ")}L${centers.at(-1).join(" ")}`;
  const along = (more) => s("path", { d, "stroke-linecap": "round", ...more });
  const marker = {
    stroke: GOLD,
    "stroke-width": 3 * reach,
    "stroke-opacity": 0.7,
    class: "marker",
  };
  return [
    isWon(line) && along(marker),
    ...line.squares.map((filled, n) => filled && dot(centers[n], RED)),
    line.used && power && dot(power, POWER),
    ...(line.struck ? rimmed(INK, 0.45 * reach, 0.8 * reach, along) : []),
  ].filter(Boolean);
}

// A ring around the chosen coat.
function chosenInk({ choice: { centers, reach }, chosen_coat: coat }) {
  if (!coat) return [];
  return rimmed(RED, 0.3 * reach, 0.5 * reach, (more) =>
    spot(centers[coat], 1.5 * reach, { fill: "none", ...more }),
  );
}

// A frame around a row of places, turned as the row is.
function doubtFrame(centers, reach) {
  const [a, b] = [centers[0], centers.at(-1)];
  const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const along = [0, 1].map((k) => (1.6 * reach * (b[k] - a[k])) / long);
  const across = [-along[1], along[0]];
  const corner = (at, f, g) =>
    [0, 1].map((k) => (at[k] + f * along[k] + g * across[k]).toFixed(1)).join(",");
  const points = [corner(a, -1, -1), corner(b, 1, -1), corner(b, 1, 1), corner(a, -1, 1)];
  return rimmed(DOUBT, 0.3 * reach, 0.5 * reach, (more) =>
    s("polygon", { points: points.join(" "), "stroke-linejoin": "round", fill: "none", ...more }),
  );
}

// What may be corrected in a spellbook: each line and each chosen coat knows its words, its pictures,
// its keys, and the request for the server.

const lineValue = ({ filled, struck, used }) => ({ filled, struck, used });

function linePart(sheet, player, coat) {
  const line = sheet.players[player].lines[coat];
  const most = line.squares.length;
  const places = placesOf(sheet, line);
  const alternatives = line.alternatives ?? [];
  return {
    id: `line:${player},${coat}`,
    name: t("{side}, {coat}", { side: sideName(player), coat: coatName(coat) }),
    read: lineValue(line),
    confidence: line.confidence,
    review: line.review,
    alternatives: alternatives.map((o) => ({ ...lineValue(o), probability: o.probability })),
    value: lineValue,
    icon: (value) => lineIcon(value, places),
    words: lineWords,
    request: (part, value) => ({ type: "correct_line", side: player, coat, ...value }),
    question: (name) => t("What does this line show: {line}?", { line: name }),
    crop: (page) =>
      cutAround(page, sheet, [...line.centers, line.used_center ?? line.centers[0]], line.reach),
    controls: (value, change) => lineControls(value, most, change),
    press: (value, key) => afterKey(value, key, most),
  };
}

const lineControls = (value, most, change) => [
  numbers(
    t("Squares filled"),
    Array.from({ length: most + 1 }, (_, n) => n),
    value.filled,
    String,
    (n) => tn("{n} square", "{n} squares", n),
    most,
    (filled) => change({ ...value, filled }),
  ),
  h("div.row", [
    toggle(value, "struck", t("struck through"), change),
    toggle(value, "used", t("power used"), change),
  ]),
];

const toggle = (value, what, words, change) =>
  button(words, () => change({ ...value, [what]: !value[what] }), {
    class: "tab",
    "aria-pressed": String(value[what]),
  });

// The value of a line after a key; null if the key means nothing.
function afterKey(value, key, most) {
  if (/^[0-5]$/.test(key) && Number(key) <= most) return { ...value, filled: Number(key) };
  if (key === "x" || key === "+") return { ...value, filled: (value.filled + 1) % (most + 1) };
  if (key === "s") return { ...value, struck: !value.struck };
  if (key === "p") return { ...value, used: !value.used };
  return null;
}

const chosenWords = ({ coat }) => (coat ? coatName(coat) : t("none"));

function choicePart(sheet, player) {
  const { choice, chosen_coat: chosen } = sheet.players[player];
  return {
    id: `choice:${player}`,
    name: t("{side}, chosen coat", { side: sideName(player) }),
    read: { coat: chosen },
    confidence: choice.confidence,
    review: choice.review,
    alternatives: choice.alternatives,
    value: ({ coat }) => ({ coat }),
    icon: ({ coat }) => icon({ coat, crosses: 0 }),
    words: chosenWords,
    request: (part, { coat }) => ({ type: "correct_choice", side: player, coat }),
    question: (name) => t("Which coat is marked: {line}?", { line: name }),
    crop: (page) => cutAround(page, sheet, Object.values(choice.centers), choice.reach),
    controls: ({ coat }, change) => [
      pictures(
        t("Coat of arms"),
        coats().map(([one, picture]) => [one, picture, chosenWords({ coat: one })]),
        coat,
        (one) => change({ coat: one }),
      ),
    ],
    press: (value, key) => (coatKey(key) === undefined ? null : { coat: coatKey(key) }),
  };
}

// A part of the page cut out of the photo, upright: all these places with some paper around them.
function cutAround(page, sheet, places, reach) {
  const [right, down] = axes(sheet.outline);
  const span = (v) => {
    const along = places.map((p) => p[0] * v[0] + p[1] * v[1]);
    return [Math.min(...along) - 2 * reach, Math.max(...along) + 2 * reach];
  };
  const [left, rightmost] = span(right);
  const [top, bottom] = span(down);
  const wide = rightmost - left;
  const high = bottom - top;
  // The axes are nearly at right angles, so their sums give the place in the photo.
  const middle = [0, 1].map(
    (k) => (right[k] * (left + rightmost)) / 2 + (down[k] * (top + bottom)) / 2,
  );
  const units = [Math.round((100 * wide) / high), 100];
  const matrix = brought(
    middle,
    right.map((k) => k * wide),
    down.map((k) => k * high),
    units,
  );
  return cutOut(page, matrix, units, t("This place in the photo"), "crop strip");
}
