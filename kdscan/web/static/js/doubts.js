// What is not settled about a sheet: its doubtful parts, one tap each, its problems, and whether it
// must be photographed again.

import { cellName } from "./board.js";
import { button, h } from "./dom.js";
import { choices } from "./editor.js";
import { problemText, t, tn } from "./i18n.js";
import { kindOf } from "./kinds.js";

const MOST_NAMED = 8; // cells of a problem that are listed
const MOST_CHOICES = 3; // readings offered before "other…"

// The doubtful parts of a sheet, the most doubtful first; null if there is nothing to settle.
// page: where they lie. act: {say(id, value), edit(id), confirm()}, null where they can only be seen.
export function doubts(sheet, page, act) {
  if (sheet.photograph_again) return null;
  const kind = kindOf(sheet);
  const open = kind
    .parts(sheet)
    .filter((part) => part.review)
    .sort((a, b) => a.confidence - b.confidence);
  if (!open.length && !sheet.review) return null;
  return h(
    "section",
    { class: "doubts" },
    h("h2", {}, open.length ? kind.toLook(open.length) : t("Please check")),
    h(
      "div",
      { class: "doubt-row" },
      open.map((part) => doubt(part, page, act)),
    ),
    act && button(t("The whole sheet is right"), act.confirm, { class: "quiet wide" }),
  );
}

// One doubtful part as the photo shows it, and what it may be.
function doubt(part, page, act) {
  const cut = page.view && part.crop(page);
  const tall = cut?.classList.contains("strip");
  return h(
    "article",
    { class: tall ? "doubt card tall" : "doubt card", "aria-label": part.name },
    h("h3", {}, part.name),
    cut,
    choices(part, act && ((value) => act.say(part.id, value)), MOST_CHOICES),
    act && button(t("other…"), () => act.edit(part.id), { class: "choice more" }),
  );
}

// What the rules forbid, or what could not be read, with its cells; null if there is nothing.
export function problems(sheet) {
  if (!sheet.problems.length) return null;
  return h(
    "ul",
    { class: "problems card" },
    sheet.problems.map((problem) =>
      h("li", { class: problem.severity }, problemText(problem), cellNames(problem.cells)),
    ),
  );
}

const cellNames = (cells) =>
  cells.length && cells.length <= MOST_NAMED
    ? ` (${cells.map(([row, col]) => cellName(row, col)).join(" ")})`
    : "";

// Shields lie outside the photo: instead of a total it says what to do. linked: with a link that
// leads there.
export function photographAgain(sheet, linked) {
  return h(
    "section",
    { class: "total again" },
    h("h2", {}, t("Photograph again")),
    h(
      "p",
      { role: "alert" },
      tn(
        "{n} shield lies at the picture's edge or beyond it, so there is no total.",
        "{n} shields lie at the picture's edge or beyond it, so there is no total.",
        countCutOff(sheet),
      ),
    ),
    linked && h("p", {}, h("a", { class: "main", href: "#/" }, t("Photograph again"))),
  );
}

// How many cells the picture's edge cuts off.
const countCutOff = (sheet) =>
  new Set(
    sheet.problems
      .filter((problem) => problem.code === "cut_off")
      .flatMap((problem) => problem.cells.map((at) => at.join())),
  ).size;
