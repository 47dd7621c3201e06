// One sheet: its score, doubts first, the board and the photo, and the effect of a tap.

import { focusPart, highlight } from "./board.js";
import { decisions } from "./decisions.js";
import { h, put, typing } from "./dom.js";
import { photographAgain, problems, questions } from "./doubts.js";
import { openEditor } from "./editor.js";
import { explain } from "./errors.js";
import { t } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { whoseField } from "./names.js";
import { answering } from "./requests.js";
import { explanation, heading, total } from "./score.js";
import { sheetBar } from "./sheetbar.js";
import { sheetViews } from "./views.js";
import { wholeOf } from "./whole.js";

// Draws a sheet into `place` and keeps it up to date. onChange(sheet) gets its new state;
// onOther(sheet, part) a tap on another sheet of the photo. keys: Ctrl+Z undoes, 1 to 9 answer. bar: with tabs,
// buttons and the question whose it is. offer: what may help, below the questions.
export function sheetView(
  place,
  photo,
  first,
  { onChange = () => {}, onOther = () => {}, keys = false, bar = true, offer = null } = {},
) {
  const kind = kindOf(first);
  const page = photo.pages.find((one) => one.page === first.page);
  const may = photo.can_correct;
  let sheet = first;
  let before = null; // the total that was shown last

  const wide = bar && page.view ? matchMedia("(min-width: 62.5rem)") : { matches: false };
  const beside = h("div.beside");
  const reading = h("div.reading");

  const draw = () => keepingPlace(reading, redraw);
  function show(fresh) {
    before = sheet.score?.total ?? null;
    sheet = fresh;
    draw();
  }

  const answers = answering({
    shown: () => sheet,
    async show(fresh) {
      show(fresh);
      await onChange(sheet);
    },
    refused: () => whole.show(sheet), // its fields already show what was refused
  });
  const find = (id) => kind.parts(sheet).find((part) => part.id === id);
  const say = (id, value) => answers.say(find(id), value);
  const edit = (id) =>
    openEditor(page, find(id), async (value) => {
      await say(id, value);
      focusPart(place, id);
    });
  const undo = () => may && sheet.can_undo && answers.undo();
  const onCell = (row, col) => edit(col === undefined ? row : `${row},${col}`);
  const onPart = (other, part) => (other.id === sheet.id ? edit(part) : onOther(other, part));

  const views = sheetViews(photo, first, may && onPart, draw);
  const foot = sheetBar(() => sheet, may, undo);
  const asking = questions(page, may ? { say, edit, confirm: answers.confirm } : null);
  const whole = wholeOf(first, may, answers.send);
  const decided = decisions();
  const owner = bar && may && hasScore(first) && ownerField(first, answers.send);

  function redraw() {
    for (const part of [views, foot, whole, decided, asking]) part.show(sheet);
    if (owner) owner.show(sheet, photo.sheets.map((other) => other.player).filter(Boolean));
    const board = kind.draw(sheet, { onCell: may && onCell });
    place.classList.toggle("split", wide.matches);
    put(beside, wide.matches && [sheet.ink && views.tabs, views.beside(sheet)]);
    put(place, wide.matches && beside, reading);
    put(
      reading,
      headline(sheet, before, first.range, bar),
      !may && h("p.none", explain({ code: "not_yours" })),
      !sheet.photograph_again && problems(sheet),
      asking.element,
      offer,
      bar && !wide.matches && views.tabs,
      wide.matches ? views.board(board) : views.picture(sheet, board),
      owner && owner.element,
      hasScore(sheet) &&
        !sheet.photograph_again &&
        explanation(sheet, (cells) => highlight(board, cells)),
      whole.element,
      sheet.corrections.length > 0 && decided.element,
      bar && foot.element,
    );
    light(place, asking.asked);
  }

  draw();
  wide.addEventListener?.("change", () => place.isConnected && draw());
  for (const kind of ["pointerover", "focusin"])
    place.addEventListener(kind, ({ target }) =>
      light(place, target.closest("[data-cell]")?.dataset.cell ?? asking.asked),
    );
  if (keys)
    place.addEventListener("keydown", (event) => {
      if (undoes(event)) undo();
      else if (/^[1-9]$/.test(event.key) && !typing()) asking.answer(event.key - 1);
    });
  return {
    get sheet() {
      return sheet;
    },
    find,
    show,
    say,
    edit,
    confirm: answers.confirm,
    look: answers.look,
  };
}

// Marks a place where it stands: on the board and in the photo.
function light(place, id) {
  for (const old of place.querySelectorAll(".lit")) old.classList.remove("lit");
  if (id)
    for (const spot of place.querySelectorAll(`[data-cell="${id}"]`)) spot.classList.add("lit");
}

const undoes = (event) =>
  (event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.closest("input");

const ownerField = (sheet, send) =>
  whoseField(sheet.kind, (name) =>
    send({ type: "assign_sheet", player: name || null, keep: true }, t("Player: {name}", { name })),
  );

// before: the total that is shown until now; widest: the range in which it lay at first.
function headline(sheet, before, widest, linked) {
  if (sheet.photograph_again) return photographAgain(sheet, linked);
  if (hasScore(sheet)) return total(sheet, before, widest);
  return heading(sheet, kindOf(sheet).name());
}

// Redraws a sheet without moving the reader: the focus stays on its cell or goes to what comes next.
function keepingPlace(place, redraw) {
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const cell = active?.closest("[data-cell]")?.dataset.cell;
  redraw();
  if (cell) place.querySelector(`[data-cell="${cell}"]`)?.focus({ preventScroll: true });
  else if (active && (!active.isConnected || active.disabled))
    nextAfter(place)?.focus({ preventScroll: true });
}

// Where the focus goes when its element is gone: to the next question, else to a remaining button.
const nextAfter = (place) =>
  place.querySelector(".doubts .doubt button") ??
  place.querySelector(".doubts button") ??
  place.querySelector(".bar :enabled") ??
  place.querySelector("button:enabled");
