// The list of cards beside the open one: of each its picture, whose it is, and what there is to do.

import { HEADINGS, where } from "./cards.js";
import { $, h, lines, put, sign } from "./dom.js";
import { percent, t } from "./i18n.js";

// A sheet without problems, as a card.
export const cardOf = (sheet) => ({
  kind: "look",
  key: `look-${sheet.id}`,
  sheets: [sheet],
  values: {},
  players: [],
  player: sheet.player,
  round: sheet.round,
  table: sheet.table,
  decides: false,
  confidence: sheet.confidence,
});

// Among all sheets most need nothing.
const needed = (card) => card.kind !== "look" || card.sheets[0].review;

function noteOf(card) {
  if (card.settled) return "✓";
  if (card.decides) return t("decides the game");
  if (card.kind !== "look") return "";
  const [sheet] = card.sheets;
  return sheet.confirmed && !sheet.review ? "✓" : percent(card.confidence);
}

function sideOf(card) {
  const total = ["look", "rules"].includes(card.kind) ? card.sheets[0]?.total : null;
  const note = noteOf(card);
  return h("span.queue-total", [
    total === null || total === undefined ? "" : String(total),
    note && h("small", note),
  ]);
}

function face(card) {
  const [sheet] = card.sheets;
  const who = card.player ?? sheet?.player ?? sheet?.name ?? card.values.name;
  const what = [
    needed(card) && HEADINGS[card.kind](),
    sheet?.kind === "duel_spellbook" && t("Spellbook"),
    where(card),
  ];
  const picture = sheet
    ? h("img", { src: sheet.thumb, alt: "", loading: "lazy" })
    : sign(card.kind === "failed" ? "✗" : "…", "no-thumb");
  return [
    picture,
    h("span", h("strong", who ?? "?"), h("small", what.filter(Boolean).join(" · "))),
    sideOf(card),
  ];
}

// A line of the list, drawn anew only if its card changed: its picture would flicker.
function entry(onPick) {
  const button = h("button", { type: "button", onclick: onPick });
  const element = h("li", button);
  let drawn;
  const show = (card) => {
    const now = JSON.stringify(card);
    if (now === drawn) return;
    drawn = now;
    element.className = `card-${card.kind}`;
    put(button, face(card));
  };
  return { element, show };
}

// onPick(key): a card was tapped. show(cards, at, empty): the cards, of which the one at `at` is open;
// empty: a line that is shown if there are none.
export function cardList(onPick) {
  const element = h("ol");
  const list = lines(
    element,
    (card) => card.key,
    ({ key }) => entry(() => onPick(key)),
  );
  let seen = null;
  function show(cards, at, empty) {
    list(cards, empty);
    element.querySelectorAll("button").forEach((one, n) => {
      if (n === at) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    });
    // News must not scroll a phone back up to the list.
    const current = $("[aria-current]", element);
    if (current !== seen) current?.scrollIntoView({ block: "nearest" });
    seen = current;
  }
  return { element, show };
}
