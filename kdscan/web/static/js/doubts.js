// What is not settled about a sheet: a better photo where that is the shorter way, its questions, one
// at a time, whether the grid sits on the map, and its problems.

import { cellName } from "./board.js";
import { photoButtons } from "./camera.js";
import { readAgainAt } from "./corners.js";
import { $, button, h, put } from "./dom.js";
import { choices } from "./editor.js";
import { send, uploadList } from "./sending.js";
import { problemText, t, tn } from "./i18n.js";
import { glyph, round } from "./icons.js";
import { kindOf } from "./kinds.js";
import { photoView } from "./photo.js";

const MOST_NAMED = 8; // cells of a problem that are listed
const MOST_CHOICES = 3; // readings offered before "other…"

// The questions of a sheet, one at a time. page: where the sheet lies. act: {say(id, value), edit(id),
// confirm()}, null where nothing can be changed. {element, show(sheet), asked: the id of the part in
// question, answer(n)}.
export function questions(page, act) {
  const element = h("section.doubts");
  let ids = []; // of all parts that are asked for, in their order
  let first = 0; // how many there were at first: more come only if answers contradict the reading
  let waiting = []; // ids that were not answered when the sheet was shown last
  let at = null; // id of the question shown
  let shown = null;
  let anyway = false; // questions are answered though another photo would be the shorter way
  let dragging = false;

  // The fixed set that the reading chose; kinds of sheets without one ask for what is doubtful.
  function unanswered(sheet, parts) {
    if (sheet.questions) {
      ids = sheet.questions.map(placeOf);
      return sheet.questions.filter(({ answered }) => !answered).map(placeOf);
    }
    const open = parts.filter((part) => part.review);
    let left = ids.filter((id) => open.some((part) => part.id === id));
    if (!left.length && open.length) {
      left = open.sort((a, b) => a.confidence - b.confidence).map((part) => part.id);
      ids = [...ids, ...left];
    }
    return left;
  }

  function show(sheet) {
    shown = sheet;
    const parts = kindOf(sheet).parts(sheet);
    const left = unanswered(sheet, parts);
    first ||= ids.length;
    element.hidden = !sheet.review && !left.length;
    if (element.hidden) {
      at = null;
      put(element);
      return;
    }
    const undone = left.find((id) => waiting.length && !waiting.includes(id));
    if (undone || !left.includes(at)) at = undone ?? left[0] ?? null;
    waiting = left;
    if (isRetake(sheet) && !anyway) at = null;
    const part = parts.find(({ id }) => id === at);
    put(
      element,
      part ? question(part, left) : !isRetake(sheet) || anyway ? lastQuestion() : retake(left),
    );
  }

  const redraw = () => show(shown);

  // With the answers that the reading offers to this question, if it says so.
  function asked(part) {
    const question = shown.questions?.find((one) => placeOf(one) === part.id);
    return { ...part, options: question?.options };
  }

  function question(part, left) {
    const move = (by) => {
      at = left[(left.indexOf(at) + by + left.length) % left.length];
      redraw();
      $("button", element)?.focus({ preventScroll: true });
    };
    const cut = page.view && part.crop(page);
    const tall = cut?.classList.contains("strip") && "tall";
    return [
      h("div.question-head", [
        h("h2", t("{n} of {all}", { n: ids.indexOf(at) + 1, all: ids.length })),
        h("progress", {
          max: ids.length,
          value: ids.length - left.length,
          "aria-label": t("Answered"),
        }),
        left.length > 1 && [
          round("back", t("Previous question"), () => move(-1)),
          round("next", t("Next question"), () => move(1)),
        ],
      ]),
      ids.length > first && h("p", t("Your answers differ from what was read, so a few more:")),
      wiped(
        h("article.doubt.card", { class: tall, "aria-label": part.name }, [
          cut,
          h("div.ask", [
            h("h3", part.question(part.name)),
            choices(asked(part), act && ((value) => act.say(part.id, value)), MOST_CHOICES),
            act && button(t("other…"), () => act.edit(part.id), { class: "choice more" }),
          ]),
        ]),
        left.length > 1 ? move : () => {},
      ),
    ];
  }

  // What remains when every doubtful place is answered: whether the grid was laid where it is printed.
  function lastQuestion() {
    const drag = () => {
      dragging = true;
      redraw();
    };
    const isGrid = shown.kind !== "duel_spellbook" && page.view;
    return [
      h("h2", isGrid ? t("Is the grid in the right place?") : t("Please check")),
      h("article.doubt.card.tall", [
        dragging
          ? readAgainAt(page, shown, () => {
              dragging = false;
              redraw();
            })
          : [
              page.view && photoView(page, [shown], null, shown, { upright: true }),
              act &&
                h("div.row", [
                  button(t("Yes, the sheet is right"), act.confirm, { class: "main" }),
                  isGrid && button(t("No: drag its corners"), drag),
                ]),
            ],
      ]),
    ];
  }

  // What is wrong with the photo, and what to do first; answering is the second way.
  function retake(left) {
    const answer = () => {
      anyway = true;
      redraw();
    };
    return h("article.doubt.card.tall", [
      h("h2", glyph("camera"), " ", t("Photograph again")),
      adviceOf(shown).map((text) => h("p", { role: "alert" }, text)),
      act && photoButtons(([file]) => send([file], { instead: shown }), { many: false }),
      act && uploadList(),
      act &&
        left.length > 0 &&
        button(
          tn("Answer {n} question instead", "Answer {n} questions instead", left.length),
          answer,
        ),
    ]);
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

const WIPE = 60; // pixels

// A finger that wipes over a question goes to the next one, or to the one before.
function wiped(element, move) {
  let from = null;
  element.addEventListener("pointerdown", ({ pointerType, clientX }) => {
    from = pointerType === "mouse" ? null : clientX;
  });
  element.addEventListener("pointerup", ({ clientX }) => {
    const by = from === null ? 0 : clientX - from;
    from = null;
    if (Math.abs(by) > WIPE) move(by < 0 ? 1 : -1);
  });
  return element;
}

const placeOf = ({ row, col }) => `${row},${col}`;

// Whether another photo is the shorter way to the total, and why.
export const isRetake = (sheet) =>
  Boolean(sheet.review && (sheet.photograph_again || sheet.retake?.length));

const RETAKE = {
  dark: () => t("The picture is dark: switch on a light."),
  blurred: () => t("The picture is blurred: hold the camera still and let it focus."),
  far: () => t("The shields are small: go closer until the map fills the picture."),
  covered: () => t("Objects or glare cover shields: clear the sheet, or turn it out of the light."),
  doubtful: () => t("Many shields are hard to read: photograph from above, in even light."),
};

export function adviceOf(sheet) {
  const cut = sheet.problems.filter(({ code }) => code === "cut_off");
  const cells = new Set(cut.flatMap((problem) => problem.cells.map((at) => at.join())));
  const beyond = tn(
    "{n} shield lies at the picture's edge or beyond it, so there is no total.",
    "{n} shields lie at the picture's edge or beyond it, so there is no total.",
    cells.size,
  );
  const reasons = (sheet.retake ?? []).filter((code) => code in RETAKE);
  return [sheet.photograph_again && beyond, ...reasons.map((code) => RETAKE[code]())].filter(
    Boolean,
  );
}

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
