// Who has decided what about a sheet, under one line that opens.

import { h, put } from "./dom.js";
import { t, tn, when } from "./i18n.js";
import { kindOf } from "./kinds.js";

// {element, show(sheet)}. It is created once, so that it stays open.
export function decisions() {
  const summary = h("summary");
  const list = h("ol");
  return {
    element: h("details.history", summary, list),
    show(sheet) {
      const made = sheet.corrections;
      summary.textContent = tn("{n} decision", "{n} decisions", made.length);
      put(
        list,
        made.map((one) => line(sheet, one)),
      );
    },
  };
}

const line = (sheet, decision) =>
  h("li", { class: decision.undone ? "undone" : "" }, [
    h("strong", decided(sheet, decision)),
    " ",
    h("span.who", `${decision.who || t("somebody")}, ${when(decision.at)}`),
  ]);

const SAID = {
  place: (fresh) => t("Player: {name}", { name: fresh?.player ?? fresh?.code ?? "–" }),
  confirmed: () => t("Confirmed"),
  variants: () => t("Extra rules"),
  ignored: (fresh) => (fresh ? t("Do not count it") : t("Count it again")),
  same_as: (fresh) => (fresh ? t("It is the same sheet") : t("One code, different sheets")),
};

// A decision in words.
function decided(sheet, decision) {
  const id = partOf(decision);
  const part = kindOf(sheet)
    .parts(sheet)
    .find((one) => one.id === id);
  const { what, new: fresh } = decision;
  if (part) return `${part.name}: ${part.words(what === "choice" ? { coat: fresh } : fresh)}`;
  return SAID[what]?.(fresh) ?? t("Wizard");
}

// The id of the part that was decided; null if it was the sheet as a whole.
function partOf({ cell, what, player, coat }) {
  if (cell) return cell.join();
  if (what === "line") return `line:${player},${coat}`;
  if (what === "choice") return `choice:${player}`;
  return null;
}
