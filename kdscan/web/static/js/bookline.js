// A line of a spellbook: who won it, its words, and its squares with the power's circle.

import { INK, PAPER, RED } from "./coats.js";
import { s } from "./dom.js";
import { axes } from "./geometry.js";
import { t, tn } from "./i18n.js";

const SIDES = [() => t("left"), () => t("right")];

export const sideName = (player) => SIDES[player]();

// Who won a line: it is full and not struck.
export const isWon = (line) => line.filled >= line.squares.length && !line.struck;

export const lineWords = ({ filled, struck, used }) =>
  [tn("{n} square", "{n} squares", filled), struck && t("struck through"), used && t("power used")]
    .filter(Boolean)
    .join(", ");

// A side's places on its page from left to right: numbers of squares, and "used".
export function placesOf(sheet, line) {
  const [right] = axes(sheet.outline);
  const along = (at) => at[0] * right[0] + at[1] * right[1];
  const places = line.centers.map((at, n) => [along(at), n]);
  if (line.used_center) places.push([along(line.used_center), "used"]);
  return places.sort((a, b) => a[0] - b[0]).map(([, what]) => what);
}

const ICON_STEP = 26;

export const lineIcon = (line, places) =>
  s(
    "svg",
    {
      viewBox: `0 0 ${ICON_STEP * places.length} 30`,
      class: "icon line-icon",
      "aria-hidden": "true",
    },
    drawLine(line, places, [0, 15], ICON_STEP),
  );

// A line's places, `step` apart from [x, y] on. squares: which are filled; by default the first ones.
export function drawLine({ filled, struck, used, squares }, places, [x, y], step) {
  const middle = (n) => x + step * (n + 0.5);
  const isFilled = (n) => (squares ? squares[n] : n < filled);
  const drawn = places.map((what, n) =>
    s(
      "g",
      { transform: `translate(${middle(n)} ${y})` },
      what === "used" ? circle(used, step) : square(isFilled(what), step),
    ),
  );
  if (struck) {
    const squaresAt = places.flatMap((what, n) => (what === "used" ? [] : [middle(n)]));
    drawn.push(stroke(squaresAt[0] - step / 2, squaresAt.at(-1) + step / 2, y, step));
  }
  return drawn;
}

const SIDE = 0.74; // a square's, of a step

const circle = (used, step) =>
  s("circle", {
    r: (SIDE * step) / 2.4,
    fill: used ? RED : PAPER,
    stroke: INK,
    "stroke-width": step / 14,
    "stroke-dasharray": used ? null : "3 2",
  });

function square(filled, step) {
  const side = SIDE * step;
  const arm = side / 3;
  return s("g", [
    s("rect", {
      x: -side / 2,
      y: -side / 2,
      width: side,
      height: side,
      rx: 2,
      fill: PAPER,
      stroke: INK,
      "stroke-width": step / 14,
    }),
    filled &&
      s("path", {
        d: `M${-arm} ${-arm} ${arm} ${arm}M${arm} ${-arm} ${-arm} ${arm}`,
        stroke: RED,
        "stroke-width": step / 7,
        "stroke-linecap": "round",
      }),
  ]);
}

const stroke = (from, to, y, step) =>
  s("path", {
    d: `M${from} ${y}H${to}`,
    stroke: INK,
    "stroke-width": step / 6,
    "stroke-linecap": "round",
  });
