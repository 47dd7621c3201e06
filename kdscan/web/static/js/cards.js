// The desk's cards: what they are called, where they belong, and those that are settled with an answer.

import { numbered } from "./answers.js";
import { h } from "./dom.js";
import { sentence, t } from "./i18n.js";
import { everybody } from "./owners.js";
import { remediesOf } from "./remedies.js";

export const HEADINGS = {
  changed: () => t("Changed by a player"),
  conflict: () => t("One code, different sheets"),
  twice: () => t("Submitted twice"),
  owner: () => t("Whose is it?"),
  differs: () => t("Sheet or entered points?"),
  again: () => t("Photograph again"),
  opponent: () => t("An opponent is missing"),
  missing: () => t("A sheet is missing"),
  look: () => t("To check"),
  failed: () => t("Could not be read"),
  rules: () => t("Against the rules?"),
};

// The round and table of a sheet or card, if known.
export function where({ round, table }) {
  if (round === null) return null;
  if (table === null) return t("round {round}", { round });
  return t("round {round}, table {table}", { round, table });
}

const title = (card) =>
  h("h2.card-title", { tabindex: "-1" }, [
    HEADINGS[card.kind](),
    card.round !== null && h("small", " ", where(card)),
  ]);

// A card with its answers, and what the keys 1 to 9 do.
export async function cardView(card, desk, act) {
  const inside = await remediesOf(card, desk, act);
  const element = h("section", { class: `remedy remedy-${card.kind}` }, [
    title(card),
    h("p.card-text", sentence(t(card.text), card.values)),
    inside,
    everybody(desk),
  ]);
  return { remedies: numbered(element), element };
}
