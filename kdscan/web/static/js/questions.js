// What is not settled about a sheet: a better photo where that is shorter, its questions, whether
// the grid sits on the map, its problems; and the choice of a value for a place.

import { session } from "./api.js";
import { cellName } from "./board.js";
import { $, button, glyph, h, put, round, tab } from "./dom.js";
import { percent, pointsText, problemText, t, tn } from "./i18n.js";
import { findPart, kindOf } from "./kinds.js";
import { photoView, readAgainAt } from "./photo.js";
import { photographs } from "./sending.js";

const MOST_NAMED = 8; // cells of a problem that are listed
const MOST_CHOICES = 3; // readings offered before "other…"
const MOST_TOGETHER = 6; // shields that are asked for together
const LIKELY = 0.5; // least probability of a reading that may be confirmed with others

// The questions of a sheet: {element, show(sheet), asked(): the ids of the parts in question,
// answer(n)}. page: where it lies. act: {say(values): of parts by id, edit(id), confirm()}, null
// where nothing can be changed.
export function questions(page, act) {
  const element = h("section.doubts.stack");
  const chosen = new Map(); // id of a shield that is asked for with others → its value
  let ids = []; // of all parts that are asked for: those asked for first stay first
  let first = 0; // how many there were at first: more come only if answers contradict the reading
  let waiting = []; // ids that were not answered when the sheet was shown last
  let at = []; // ids of the question shown
  let shown = null;
  let anyway = false; // questions are answered though another photo would be the shorter way
  let dragging = false;
  const redraw = () => show(shown);

  function show(sheet) {
    shown = sheet;
    const open = openQuestions(sheet);
    if (sheet.questions) ids = sheet.questions.map(placeOf);
    else if (!open.some((id) => ids.includes(id))) ids = [...ids, ...open];
    first ||= ids.length;
    // What cannot be seen is asked for alone.
    const all = act && page.view ? steps(sheet, ids) : ids.map((id) => [id]);
    const left = all.map((step) => step.filter((id) => open.includes(id))).filter((one) => one[0]);
    const undone = (step) => waiting.length && step.some((id) => !waiting.includes(id));
    const stays = (step) => step.some((id) => at.includes(id));
    at = left.find(undone) ?? left.find(stays) ?? left[0] ?? [];
    waiting = left.flat();
    element.hidden = !sheet.review && !left.length;
    const again = (isRetake(sheet) || looksEmpty(sheet)) && !anyway;
    if (again || element.hidden) at = [];
    const inside = again ? retake : at.length ? question : lastQuestion;
    put(element, !element.hidden && inside(left, all));
  }

  // With the answers that the reading offers to this question, if it says so.
  const partAsked = (id) => ({ ...findPart(shown, id), options: questionOf(shown, id)?.options });

  function question(left, all) {
    const move = (by) => {
      at = left[(left.indexOf(at) + by + left.length) % left.length];
      redraw();
      $(".doubt button", element)?.focus({ preventScroll: true });
    };
    const asked = at.length > 1 ? several(at) : single(at[0]);
    const done = { max: all.length, value: all.length - left.length };
    const n = 1 + all.findIndex((step) => step.includes(at[0]));
    return [
      h("div.question-head.row", [
        h("h2", t("{n} of {all}", { n, all: all.length })),
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

  function single(id) {
    const part = partAsked(id);
    const cut = page.view && part.crop(page);
    const tall = cut?.classList.contains("strip") && "tall";
    return h("article.doubt.card", { class: tall, label: part.name }, [
      cut,
      h("div.ask.stack", [
        h("h3", part.question(part.name)),
        choices(part, act && ((value) => act.say({ [id]: value })), MOST_CHOICES),
        act && button(t("other…"), () => act.edit(id), { class: "choice more" }),
      ]),
    ]);
  }

  // One tap confirms all, after those that differ were changed.
  function several(step) {
    const row = (id) => {
      const part = partAsked(id);
      const [likeliest, second] = readings(part).map(({ value }) => value);
      const crop = part.crop(page);
      const line = h("li.row");
      const choose = (value) => {
        draw(value);
        $("[aria-pressed=true]", line).focus();
      };
      const choice = (label, face, doing, pressed = false) =>
        tab(face, doing, pressed, { class: "choice count", label: `${part.name}: ${label}` });
      function draw(now) {
        chosen.set(id, now);
        const likely = [likeliest, same(now, likeliest) ? second : now].map((value) =>
          choice(part.words(value), part.icon(value), () => choose(value), same(value, now)),
        );
        const edit = () => openEditor(page, { ...part, read: now }, choose);
        put(line, h("strong", part.name), crop, likely, choice(t("other…"), "…", edit));
      }
      draw(chosen.get(id) ?? likeliest);
      return line;
    };
    const say = () => act.say(Object.fromEntries(step.map((id) => [id, chosen.get(id)])));
    return h("article.doubt.card.tall", [
      h("h3", t("Is each of these marked right? Tap what differs.")),
      h("ul.several.stack", step.map(row)),
      h("button.main type=button", tapping(say), glyph("done"), t("All as marked")),
    ]);
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

  const answer = (n) =>
    element.querySelectorAll(at.length > 1 ? ".doubt .main" : ".doubt .choice")[n]?.click();
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
const questionOf = ({ questions }, id) => questions?.find((one) => placeOf(one) === id);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// The fixed set that the reading chose; kinds of sheets without one ask for what is doubtful.
function openQuestions(sheet) {
  if (sheet.questions) return sheet.questions.filter(({ answered }) => !answered).map(placeOf);
  const parts = kindOf(sheet).parts(sheet);
  const open = parts.filter((part) => part.review);
  return open.sort((a, b) => a.confidence - b.confidence).map((part) => part.id);
}

// The parts that are asked for, as lists of ids: shields that probably have the same coat together.
export function steps(sheet, ids = openQuestions(sheet)) {
  const all = [];
  const alike = {}; // coat → the list that takes another shield of that coat
  for (const id of ids) {
    const [{ coat, probability }] = questionOf(sheet, id)?.options ?? [{}];
    const step = probability >= LIKELY ? (alike[coat] ??= []) : [];
    if (!step.length) all.push(step);
    step.push(id);
    if (step.length === MOST_TOGETHER) delete alike[coat];
  }
  return all;
}

// Whether another photo is the shorter way to the total, and why.
export const isRetake = (sheet) =>
  Boolean(sheet.review && (sheet.photograph_again || sheet.retake?.length));

// Whether a map seems to be an empty sheet, and nothing else is wrong with its photo.
export const looksEmpty = (sheet) => sheet.retake?.includes("empty");

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
  const others = known.filter(({ value }) => !same(value, part.read));
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
