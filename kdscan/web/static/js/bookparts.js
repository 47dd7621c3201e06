// What may be corrected in a spellbook: each line and each chosen coat knows its words, its pictures,
// its keys, and the request for the server.

import { lineIcon, lineWords, placesOf, sideName } from "./bookline.js";
import { coatName, icon } from "./coats.js";
import { button, h } from "./dom.js";
import { axes, brought, cutOut } from "./geometry.js";
import { t, tn } from "./i18n.js";
import { coatKey, coats, numbers, pictures } from "./parts.js";

const lineValue = ({ filled, struck, used }) => ({ filled, struck, used });

export function linePart(sheet, player, coat) {
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

export function choicePart(sheet, player) {
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
