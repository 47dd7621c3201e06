// A spellbook as one SVG: two pages with a line for each coat, the coats between them, and the chosen
// coats below.

import { button, doubtRing, walk } from "./board.js";
import { drawLine, isWon, lineWords, placesOf, sideName } from "./bookline.js";
import { COATS, GOLD, INK, RED, coatName, shield } from "./coats.js";
import { s } from "./dom.js";
import { t } from "./i18n.js";

// The order in which our spellbook prints its lines.
export const PRINTED = ["dot", "line", "double_dot", "double_line", "filled", "checked"];

const STEP = 48; // between the places of a line
const MOST_BESIDE_CROWN = 5; // places of a line that leave room for the winner's crown

// onCell(id) makes lines and chosen coats buttons; doubts: draw rings.
export function drawBook(sheet, { onCell = null, doubts = true } = {}) {
  const svg = s(
    "svg",
    {
      class: "board",
      viewBox: "0 0 712 690",
      role: onCell ? "group" : "img",
      "aria-label": t("The spellbook as it was read"),
    },
    cover(),
  );
  const add = (part) => svg.append(drawPart(part, onCell, doubts));
  PRINTED.forEach((coat, n) => {
    svg.append(s("g", { transform: `translate(328 ${lineTop(n) + 4}) scale(.8)` }, shield(coat)));
    sheet.players.forEach((_, player) => add(linePlace(sheet, player, coat, n)));
  });
  sheet.players.forEach((side, player) => add(choicePlace(side, player)));
  if (onCell) walk(svg);
  return svg;
}

const lineTop = (n) => 26 + 88 * n;

// at: its row and column for the arrow keys; from: its corner; size: of its button.
function drawPart({ id, at, from, size, face, review, words }, onCell, doubts) {
  const [wide, high] = size;
  const group = s("g", {
    transform: `translate(${from.join(" ")})`,
    class: "cell",
    "data-cell": id,
    "data-at": at.join(),
  });
  group.append(...face);
  if (doubts && review) group.append(...doubtRing(wide - 2, high - 2));
  const label = [...words, review && t("please check")].filter(Boolean).join(", ");
  if (onCell) button(group, label, () => onCell(id), size);
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

// The open book without anything in it.
const cover = () => [
  s("rect", {
    x: 6,
    y: 6,
    width: 700,
    height: 678,
    rx: 18,
    fill: RED,
    stroke: INK,
    "stroke-width": 4,
  }),
  [16, 358].map((x) =>
    s("rect", {
      x,
      y: 16,
      width: 338,
      height: 658,
      rx: 10,
      fill: "#f4e8c9",
      stroke: INK,
      "stroke-width": 2,
    }),
  ),
  s("path", { d: "M356 16V674", stroke: INK, "stroke-opacity": 0.5, "stroke-width": 6 }),
];

// Its squares lie towards the coats in the middle; a won line is golden, with a crown outside.
function lineFace(line, places, player) {
  const won = isWon(line);
  const left = player === 0;
  return [
    won && goldenBand(),
    ...drawLine(line, places, [left ? 296 - STEP * places.length : 4, 42], STEP),
    won && places.length <= MOST_BESIDE_CROWN && crown(left ? 26 : 274),
  ].filter(Boolean);
}

const goldenBand = () =>
  s("rect", { x: 2, y: 4, width: 296, height: 76, rx: 12, fill: GOLD, "fill-opacity": 0.55 });

const crown = (x) =>
  s(
    "text",
    { x, y: 34, "font-size": 30, "text-anchor": "middle", fill: "#7a5406", "aria-hidden": "true" },
    "♛",
  );

// All coats, the chosen one framed.
function choiceFace(side) {
  const title = {
    x: 160,
    y: 22,
    "font-size": 20,
    "text-anchor": "middle",
    fill: INK,
    "aria-hidden": "true",
  };
  return [
    s("text", title, t("chosen coat")),
    ...COATS.map((coat, n) => smallShield(coat, n, coat === side.chosen_coat)),
  ];
}

function smallShield(coat, n, chosen) {
  const frame = {
    x: -8,
    y: -6,
    width: 86,
    height: 112,
    rx: 14,
    fill: GOLD,
    stroke: RED,
    "stroke-width": 7,
  };
  return s(
    "g",
    { transform: `translate(${10 + 50 * n} 34) scale(.56)`, opacity: chosen ? 1 : 0.55 },
    chosen && s("rect", frame),
    shield(coat),
  );
}
