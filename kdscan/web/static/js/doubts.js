// What is not settled about a sheet: its questions, one at a time, its problems, and whether it must
// be photographed again.

import { cellName } from "./board.js";
import { $, button, h, put } from "./dom.js";
import { choices } from "./editor.js";
import { problemText, t, tn } from "./i18n.js";
import { kindOf } from "./kinds.js";

const MOST_NAMED = 8; // cells of a problem that are listed
const MOST_CHOICES = 3; // readings offered before "other…"

// The questions of a sheet, one at a time: which they are is settled when the sheet is opened, so that
// they end. page: where the sheet lies. act: {say(id, value), edit(id), confirm()}, null where
// nothing can be changed. {element, show(sheet), asked: the id of
// the part in question, answer(n)}.
export function questions(page, act) {
  const element = h("section.doubts");
  let asked = []; // ids, in the order in which they are asked
  let rounds = 0; // how often questions were chosen: a second time if answers contradict the reading
  let waiting = []; // ids that were not answered when the sheet was shown last
  let at = null; // id of the question shown
  let shown = null;
  const open = (sheet) =>
    kindOf(sheet)
      .parts(sheet)
      .filter((part) => part.review);

  function show(sheet) {
    shown = sheet;
    const parts = open(sheet);
    let left = asked.filter((id) => parts.some((part) => part.id === id));
    if (!left.length && parts.length) {
      left = parts.sort((a, b) => a.confidence - b.confidence).map((part) => part.id);
      asked = [...asked, ...left];
      rounds += 1;
    }
    element.hidden = Boolean(sheet.photograph_again) || (!sheet.review && !parts.length);
    if (element.hidden) {
      at = null;
      put(element);
      return;
    }
    const undone = left.find((id) => waiting.length && !waiting.includes(id));
    if (undone || !left.includes(at)) at = undone ?? left[0] ?? null;
    waiting = left;
    put(
      element,
      at === null
        ? lastQuestion(act)
        : question(
            parts.find((part) => part.id === at),
            left,
          ),
    );
  }

  function question(part, left) {
    const n = asked.length - left.length + 1 + left.indexOf(at);
    const move = (by) => {
      at = left[(left.indexOf(at) + by + left.length) % left.length];
      show(shown);
      $("button", element)?.focus({ preventScroll: true });
    };
    const cut = page.view && part.crop(page);
    return [
      h("div.question-head", [
        h("h2", t("{n} of {all}", { n, all: asked.length })),
        h("progress", {
          max: asked.length,
          value: asked.length - left.length,
          "aria-label": t("Answered"),
        }),
        left.length > 1 && step(t("Previous question"), "‹", () => move(-1)),
        left.length > 1 && step(t("Next question"), "›", () => move(1)),
      ]),
      rounds > 1 && h("p", t("Your answers differ from what was read, so a few more:")),
      h(
        "article",
        {
          class: cut?.classList.contains("strip") ? "doubt card tall" : "doubt card",
          "aria-label": part.name,
        },

        cut,
        h("div.ask", [
          h("h3", part.question(part.name)),
          choices(part, act && ((value) => act.say(part.id, value)), MOST_CHOICES),
          act && button(t("other…"), () => act.edit(part.id), { class: "choice more" }),
        ]),
      ),
    ];
  }

  return {
    element,
    show,
    get asked() {
      return at;
    },
    answer: (n) => element.querySelectorAll(".doubt .choice")[n]?.click(),
  };
}

const step = (label, mark, act) =>
  h("button.round", { type: "button", "aria-label": label, title: label, onclick: act }, mark);

// What remains when every doubtful place is answered: whether the grid was laid where it is printed.
const lastQuestion = (act) => [
  h("h2", t("Does the grid sit on the map?")),
  h("p", [
    t("Look at the photo with what was read drawn over it. If it does, the sheet is right."),
  ]),
  act &&
    h("div.row", [
      button(t("Yes, the sheet is right"), act.confirm, { class: "main" }),
      h("a.button", { href: "#/" }, t("No: photograph again")),
    ]),
];

// What the rules forbid, or what could not be read, with its cells; null if there is nothing.
export function problems(sheet) {
  if (!sheet.problems.length) return null;
  return h("ul.problems.card", [
    sheet.problems.map((problem) =>
      h("li", { class: problem.severity }, problemText(problem), cellNames(problem.cells)),
    ),
  ]);
}

const cellNames = (cells) =>
  cells.length && cells.length <= MOST_NAMED
    ? ` (${cells.map(([row, col]) => cellName(row, col)).join(" ")})`
    : "";

// Shields lie outside the photo: instead of a total it says what to do. linked: with a link that
// leads there.
export function photographAgain(sheet, linked) {
  return h("section.total.again", [
    h("h2", t("Photograph again")),
    h("p", { role: "alert" }, [
      tn(
        "{n} shield lies at the picture's edge or beyond it, so there is no total.",
        "{n} shields lie at the picture's edge or beyond it, so there is no total.",
        countCutOff(sheet),
      ),
    ]),
    linked && h("p", h("a.main", { href: "#/" }, t("Photograph again"))),
  ]);
}

// How many cells the picture's edge cuts off.
const countCutOff = (sheet) =>
  new Set(
    sheet.problems
      .filter((problem) => problem.code === "cut_off")
      .flatMap((problem) => problem.cells.map((at) => at.join())),
  ).size;
