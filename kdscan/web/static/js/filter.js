// Which of all sheets the desk lists: those with the searched words, to check, or without a player.

import { h } from "./dom.js";
import { t } from "./i18n.js";
import { cardOf } from "./queue.js";
import { where } from "./remedies.js";

const KINDS = { "": () => true, review: (one) => one.review, owner: (one) => !one.player };

const textOf = (sheet) =>
  [sheet.name, sheet.player, where(sheet), sheet.total, sheet.review && t("please check")]
    .filter(Boolean)
    .join(" ")
    .toLocaleLowerCase();

// Rounds, tables and totals are matched exactly: 3 is not 31.
const has = (text, word) =>
  /^\d{1,2}$/.test(word) ? text.split(/[^\p{L}\d]+/u).includes(word) : text.includes(word);

// onChange(): other sheets are wanted. found(sheets): their cards.
export function sheetFilter(onChange) {
  const search = h("input.search type=search", {
    placeholder: t("Search"),
    "aria-label": t("Search all sheets"),
    oninput: onChange,
  });
  const only = h("select", { "aria-label": t("Which sheets"), onchange: onChange }, [
    h("option", { value: "" }, t("All sheets")),
    h("option", { value: "review" }, t("please check")),
    h("option", { value: "owner" }, t("Without a player")),
  ]);
  function found(sheets) {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const fits = (sheet) => {
      const text = textOf(sheet);
      return words.every((word) => has(text, word));
    };
    return sheets.filter(KINDS[only.value]).filter(fits).map(cardOf);
  }
  return { search, only, found };
}
