// What the page needs to know of each kind of sheet, by its name in the JSON.

import { pointsText, t } from "./i18n.js";
import { kingdom, map } from "./parts.js";
import { spellbook } from "./spellbook.js";

const KINDS = { duel_map: map, kingdom, duel_spellbook: spellbook };

export const kindOf = (sheet) => KINDS[sheet.kind];

// The owner, or numbered names of sheets that lie side by side: Map 1, Map 2, Spellbook.
export function nameOf(sheet, all) {
  if (sheet.player) return sheet.player;
  const alike = all.filter((one) => one.kind === sheet.kind);
  const kind = kindOf(sheet);
  return alike.length > 1
    ? kind.numbered(alike.findIndex((one) => one.id === sheet.id) + 1)
    : kind.name();
}

export const hasScore = (sheet) => "score" in sheet;

// What a list of photos says of a sheet. points(n): a total in words, or as a number.
export const briefly = (sheet, points = pointsText) =>
  sheet.photograph_again
    ? t("Photograph again")
    : `${sheet.total === null ? kindOf(sheet).name() : points(sheet.total)}${sheet.review ? "\u00a0?" : ""}`;
