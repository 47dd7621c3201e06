// What the desk's cards are made of: answers to tap, and the photos that help to choose one.

import { get } from "./api.js";
import { h } from "./dom.js";
import { strip } from "./geometry.js";
import { pointsText, t } from "./i18n.js";
import { photoView } from "./photo.js";

export const answer = (label, doing, kind = "answer") =>
  h("button", { type: "button", class: kind, onclick: doing }, h("span", label));

export const answers = (...inside) => h("div.answers", inside);

// The keys 1 to 9 give answers too, numbered in the order shown, whichever photo came first.
export function numbered(element) {
  const buttons = [...element.querySelectorAll(".answer:not(.unkeyed)")];
  buttons
    .slice(0, 9)
    .forEach((button, n) => button.prepend(h("kbd", { "aria-hidden": "true" }, String(n + 1))));
  return buttons.map((button) => () => button.click());
}

// Of an answer that is too grave for one digit.
export const UNKEYED = "answer unkeyed";

// A sheet's photo, upright, with the strip in which its player wrote a name.
export async function evidence(brief) {
  const photo = await get(`/api/photos/${brief.photo}`);
  const sheet = photo.sheets.find((one) => one.id === brief.id);
  const page = photo.pages.find((one) => one.page === brief.page);
  if (!sheet || !page?.view) return h("p.none", brief.name);
  return h("div.evidence", [
    sheet.outline.length === 4 && strip(page, sheet, t("Where the name is")),
    photoView(page, [], null, sheet, { upright: true }),
  ]);
}

const summary = (brief) =>
  h("p.evidence-line", [
    h("strong", brief.total === null ? "–" : pointsText(brief.total)),
    " ",
    h("small", [brief.player, brief.name].filter(Boolean).join(" · ")),
  ]);

// One of a card's sheets, with its total above what is said of it.
export const side = (brief, inside, kind = "side card") =>
  h("article", { class: kind, "aria-label": brief.name }, summary(brief), inside);
