// What is not settled about a sheet: a better photo where that is shorter, its questions, one at a
// time, whether the grid sits on the map, its problems; and the choice of a value for a place.

import { session } from "./api.js";
import { cellName } from "./board.js";
import { $, button, glyph, h, put, round } from "./dom.js";
import { percent, pointsText, problemText, t, tn } from "./i18n.js";
import { findPart, kindOf } from "./kinds.js";
import { photoView, readAgainAt } from "./photo.js";
import { photographs } from "./sending.js";

const MOST_NAMED = 8; // cells of a problem that are listed
const MOST_CHOICES = 3; // readings offered before "other…"

// The questions of a sheet: {element, show(sheet), asked(): the id of the part in question,
// answer(n)}. page: where it lies. act: {say(id, value), edit(id), confirm()}, null where nothing
// can be changed.
export function questions(page, act) {
  const element = h("section.doubts.stack");
  let ids = []; // of all parts that are asked for, in their order
  let first = 0; // how many there were at first: more come only if answers contradict the reading
  let waiting = []; // ids that were not answered when the sheet was shown last
  let at = null; // id of the question shown
  let shown = null;
  let anyway = false; // questions are answered though another photo would be the shorter way
  let dragging = false;
  const redraw = () => show(shown);

  // Those asked for first stay first.
  function unanswered(sheet) {
    const open = openQuestions(sheet);
    if (sheet.questions) ids = sheet.questions.map(placeOf);
    const left = ids.filter((id) => open.includes(id));
    if (left.length || !open.length) return left;
    ids = [...ids, ...open];
    return open;
  }

  function show(sheet) {
    shown = sheet;
    const left = unanswered(sheet);
    first ||= ids.length;
    const undone = left.find((id) => waiting.length && !waiting.includes(id));
    if (undone || !left.includes(at)) at = undone ?? left[0] ?? null;
    waiting = left;
    element.hidden = !sheet.review && !left.length;
    const again = (isRetake(sheet) || looksEmpty(sheet)) && !anyway;
    if (again || element.hidden) at = null;
    const inside = again ? retake : at ? question : lastQuestion;
    put(element, !element.hidden && inside(left));
  }

  function question(left) {
    const part = findPart(shown, at);
    // With the answers that the reading offers to this question, if it says so.
    const { options } = shown.questions?.find((one) => placeOf(one) === at) ?? {};
    const move = (by) => {
      at = left[(left.indexOf(at) + by + left.length) % left.length];
      redraw();
      $("button", element)?.focus({ preventScroll: true });
    };
    const cut = page.view && part.crop(page);
    const tall = cut?.classList.contains("strip") && "tall";
    const done = { max: ids.length, value: ids.length - left.length };
    const asked = h("article.doubt.card", { class: tall, label: part.name }, [
      cut,
      h("div.ask.stack", [
        h("h3", part.question(part.name)),
        choices({ ...part, options }, act && ((value) => act.say(part.id, value)), MOST_CHOICES),
        act && button(t("other…"), () => act.edit(part.id), { class: "choice more" }),
      ]),
    ]);
    return [
      h("div.question-head.row", [
        h("h2", t("{n} of {all}", { n: ids.indexOf(at) + 1, all: ids.length })),
        h("progress", { ...done, label: t("Answered") }),
        left.length > 1 && [
          round("back", t("Previous question"), () => move(-1)),
          round("next", t("Next question"), () => move(1)),
        ],
      ]),
      ids.length > first && h("p", t("Your answers differ from what was read, so a few more:")),
      left.length > 1 ? wiped(asked, move) : asked,
    ];
  }

  // What remains when every question is answered: whether the grid was laid where it is printed.
  function lastQuestion() {
    const drag = (so) => () => {
      dragging = so;
      redraw();
    };
    const isGrid = shown.kind !== "duel_spellbook" && page.view;
    const ask = () => [
      page.view && photoView(page, [shown], null, shown),
      act &&
        h("div.row", [
          button(t("Yes, the sheet is right"), act.confirm, { class: "main" }),
          isGrid && button(t("No: drag its corners"), drag(true)),
        ]),
    ];
    const inside = dragging ? readAgainAt(page, shown, drag(false)) : ask();
    return [
      h("h2", isGrid ? t("Is the grid in the right place?") : t("Please check")),
      h("article.doubt.card.tall", inside),
    ];
  }

  // What is wrong with the photo, and what to do first; answering is the second way.
  function retake(left) {
    const answer = () => {
      anyway = true;
      redraw();
    };
    return h("article.doubt.card.tall", [
      h("h2", glyph("camera"), " ", retakeTitle(shown)),
      adviceOf(shown).map((text) => h("p", { role: "alert" }, text)),
      act && !(looksEmpty(shown) && isTeachable(shown)) && photographs({ instead: shown }),
      act && left.length > 0 && button(toAnswer(left.length), answer),
    ]);
  }

  const answer = (n) => element.querySelectorAll(".doubt .choice")[n]?.click();
  return { element, show, asked: () => at, answer };
}

export const toAnswer = (n) => tn("Answer {n} question", "Answer {n} questions", n);

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

// The fixed set that the reading chose; kinds of sheets without one ask for what is doubtful.
export function openQuestions(sheet) {
  if (sheet.questions) return sheet.questions.filter(({ answered }) => !answered).map(placeOf);
  const parts = kindOf(sheet).parts(sheet);
  const open = parts.filter((part) => part.review);
  return open.sort((a, b) => a.confidence - b.confidence).map((part) => part.id);
}

// Whether another photo is the shorter way to the total, and why.
export const isRetake = (sheet) =>
  Boolean(sheet.review && (sheet.photograph_again || sheet.retake?.length));

const MOST_MARKED = 2; // shields with a coat on a sheet on which nobody has played

// Whether a map seems to be an empty sheet, and nothing else is wrong with its photo.
export const looksEmpty = (sheet) =>
  sheet.kind === "duel_map" &&
  sheet.review &&
  !sheet.confirmed &&
  !sheet.photograph_again &&
  !sheet.retake?.some((code) => code !== "doubtful") &&
  sheet.cells.filter(({ coat }) => coat).length <= MOST_MARKED;

// Whether somebody may teach the pad of a sheet, and that helps.
export const isTeachable = (sheet) =>
  session.teaches && sheet.layout === "unknown" && sheet.review && !sheet.confirmed;

export const retakeTitle = (sheet) =>
  looksEmpty(sheet) ? t("This sheet looks empty") : t("Photograph again");

const RETAKE = {
  dark: () => t("The picture is dark: switch on a light."),
  blurred: () => t("The picture is blurred: hold the camera still and let it focus."),
  far: () => t("The shields are small: go closer until the map fills the picture."),
  covered: () => t("Objects or glare cover shields: clear the sheet, or turn it out of the light."),
  doubtful: () => t("Many shields are hard to read: photograph from above, in even light."),
};

export function adviceOf(sheet) {
  if (looksEmpty(sheet)) return [t("Nobody seems to have played on it.")];
  const cut = sheet.problems.filter(({ code }) => code === "cut_off");
  const beyond = tn(
    "{n} shield lies at the picture's edge or beyond it, so there is no total.",
    "{n} shields lie at the picture's edge or beyond it, so there is no total.",
    new Set(cut.flatMap((problem) => problem.cells.map(String))).size,
  );
  const reasons = (sheet.retake ?? []).map((code) => RETAKE[code]?.());
  return [sheet.photograph_again && beyond, ...reasons].filter(Boolean);
}

// What the rules forbid, or what could not be read, with its cells; null if there is nothing.
export function problems(sheet) {
  if (!sheet.problems.length) return null;
  const line = ({ cells, ...problem }) => {
    const names = ` (${cells.map(([row, col]) => cellName(row, col)).join(" ")})`;
    const few = cells.length > 0 && cells.length <= MOST_NAMED;
    return h("li", { class: problem.severity }, problemText(problem), few && names);
  };
  return h("ul.problems.card", sheet.problems.map(line));
}

// Correcting a shield, square or line: choices at the bottom of the page, one tap each.

const NEAR = 24; // largest movement of a finger during a tap, pixels
const TWICE = 350; // milliseconds between the two taps of a double tap

let last = { clientX: 0, clientY: 0, timeStamp: -Infinity };

const near = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) < NEAR;

// The click that follows a tap, or a second tap: the first may have moved something else there.
const justTapped = (event) => event.timeStamp - last.timeStamp < TWICE && near(event, last);

// It is nobody's: where the chooser was, the page itself is under the finger by now.
const swallow = (event) => {
  if (!justTapped(event)) return;
  event.preventDefault();
  event.stopPropagation();
};
addEventListener("click", swallow, true);

// Listeners that make a tap count for the element it was made on. Browsers make no click of it
// while the page still scrolls; if it was redrawn meanwhile, they click what nobody meant.
function tapping(act) {
  const onpointerdown = (start) => {
    if (!start.isPrimary || start.pointerType === "mouse") return;
    const ended = new AbortController();
    const end = (event) => {
      if (event.pointerId !== start.pointerId) return;
      ended.abort();
      if (event.type === "pointercancel" || !near(event, start)) return;
      const again = justTapped(start);
      last = event;
      if (!again) act();
    };
    for (const kind of ["pointerup", "pointercancel"])
      addEventListener(kind, end, { capture: true, signal: ended.signal });
  };
  // Mouse, keys, and screen readers.
  return { onpointerdown, onclick: (event) => event.detail < 2 && act() };
}

// A reading of a part, its probability, and the total it leads to. act: null where it is fixed.
function choice(part, { value, probability, total }, act) {
  const sure = probability >= 0.01 && percent(probability); // of a covered shield nothing is sure
  const leads = typeof total === "number" && pointsText(total);
  const label = [part.words(value), sure, leads].filter(Boolean).join(", ");
  const acts = act ? tapping(act) : { disabled: true };
  return h("button.choice type=button aria-pressed=false", { ...acts, label }, [
    part.icon(value),
    h("span.choice-name aria-hidden=true", part.words(value), leads && h("small", leads)),
    sure && h("span.sure aria-hidden=true", sure),
  ]);
}

// Possible values of a doubtful part, the most probable first.
function readings(part) {
  const valued = (one) => ({ ...one, value: part.value(one) });
  const known = (part.options ?? part.alternatives).map(valued);
  if (part.options) return known;
  const read = JSON.stringify(part.read);
  const others = known.filter(({ value }) => JSON.stringify(value) !== read);
  const first = { value: part.read, probability: part.confidence, total: part.total };
  return [first, ...others].sort((a, b) => b.probability - a.probability);
}

// The most probable readings of a part, one tap each. say(value): null where they can only be seen.
export const choices = (part, say, most = Infinity) =>
  h("div.choices.stack", [
    readings(part)
      .slice(0, most)
      .map((reading) => choice(part, reading, say && (() => say(reading.value)))),
  ]);

// Opens the chooser; `say(value)` is called with the chosen value.
export function openEditor(page, part, say) {
  const dialog = $("#editor");
  const close = () => dialog.close();
  const done = (chosen) => {
    close();
    say(chosen);
  };
  const body = h("div.controls.stack");
  let value;
  const change = (fresh) => {
    value = fresh;
    const focused = [...body.querySelectorAll("button")].indexOf(document.activeElement);
    put(body, [
      part.controls(value, change),
      h("div.row.centred", [
        button(t("Cancel"), close),
        button([part.icon(value), t("Done")], () => done(value), { class: "main" }),
      ]),
    ]);
    body.querySelectorAll("button")[focused]?.focus();
  };
  change(part.read);
  put(
    dialog,
    h("form.editor.stack method=dialog", [
      h("h2 id=question tabindex=-1", part.question(part.name)),
      h("div.row", page?.view && part.crop(page), likely(part, done)),
      body,
    ]),
  );
  dialog.onclick = (event) => event.target === dialog && close();
  dialog.onkeydown = (event) => {
    const fresh = /^[0-9]$/.test(event.key) && part.press(value, event.key);
    if (fresh) change(fresh);
  };
  dialog.showModal();
  $("h2", dialog).focus();
}

// What a part probably is: of a doubtful one all readings, one tap each.
function likely(part, done) {
  if (part.review && part.alternatives.length) return choices(part, done);
  return h("p.as-read.stack", [
    part.icon(part.read),
    h("span", [
      t("Read as {marks}", { marks: part.words(part.read) }),
      h("small", t("{sure} sure", { sure: percent(part.confidence) })),
    ]),
  ]);
}
