// What the page needs to know of each kind of sheet, by its name in the JSON.

import { pointsText, t } from "./i18n.js";
import { kingdom, map } from "./parts.js";
import { spellbook } from "./spellbook.js";

const KINDS = { duel_map: map, kingdom, duel_spellbook: spellbook };

export const kindOf = (sheet) => KINDS[sheet.kind];

// The shield, square or line with this id.
export const findPart = (sheet, id) =>
  kindOf(sheet)
    .parts(sheet)
    .find((part) => part.id === id);

// The owner, or numbered names of sheets that lie side by side: Map 1, Map 2, Spellbook.
export function nameOf(sheet, all) {
  if (sheet.player) return sheet.player;
  const alike = all.filter((one) => one.kind === sheet.kind).map(({ id }) => id);
  const kind = kindOf(sheet);
  return alike.length > 1 ? kind.numbered(alike.indexOf(sheet.id) + 1) : kind.name();
}

export const hasScore = (sheet) => "score" in sheet;

// What a list of photos says of a sheet. points(n): a total in words, or as a number.
export function briefly(sheet, points = pointsText) {
  if (sheet.photograph_again) return t("Photograph again");
  const what = sheet.total === null ? kindOf(sheet).name() : points(sheet.total);
  return what + (sheet.review ? "\u00a0?" : "");
}
