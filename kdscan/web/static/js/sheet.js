// One sheet: its score, doubts first, the board and the photo, and the effect of a tap.

import { focusPart, highlight } from "./board.js";
import { decisions } from "./decisions.js";
import { h, put } from "./dom.js";
import { doubts, photographAgain, problems } from "./doubts.js";
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
// onOther(sheet, part) a tap on another sheet of the photo. keys: Ctrl+Z undoes. bar: with tabs,
// buttons and the question whose it is.
export function sheetView(
  place,
  photo,
  first,
  { onChange = () => {}, onOther = () => {}, keys = false, bar = true } = {},
) {
  const kind = kindOf(first);
  const page = photo.pages.find((one) => one.page === first.page);
  const may = photo.can_correct;
  let sheet = first;
  let before = null; // the total that was shown last

  const draw = () => keepingPlace(place, redraw);
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
  const whole = wholeOf(first, may, answers.send);
  const decided = decisions();
  const owner = bar && may && hasScore(first) && ownerField(first, answers.send);

  function redraw() {
    for (const one of [views, foot, whole, decided]) one.show(sheet);
    if (owner) owner.show(sheet, photo.sheets.map((other) => other.player).filter(Boolean));
    const board = kind.draw(sheet, { onCell: may && onCell });
    put(
      place,
      headline(sheet, before, first.range, bar),
      !may && h("p", { class: "none" }, explain({ code: "not_yours" })),
      !sheet.photograph_again && problems(sheet),
      doubts(sheet, page, may ? { say, edit, confirm: answers.confirm } : null),
      bar && views.tabs,
      views.picture(sheet, board),
      owner && owner.element,
      hasScore(sheet) &&
        !sheet.photograph_again &&
        explanation(sheet, (cells) => highlight(board, cells)),
      whole.element,
      sheet.corrections.length > 0 && decided.element,
      bar && foot.element,
    );
  }

  draw();
  if (keys) place.addEventListener("keydown", (event) => undoes(event) && undo());
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

const undoes = (event) =>
  (event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.closest("input");

const ownerField = (sheet, send) =>
  whoseField(sheet.kind, (name) => send("name", { name }, t("Player: {name}", { name })));

// before: the total that is shown until now; widest: the range in which it lay at first.
function headline(sheet, before, widest, linked) {
  if (sheet.photograph_again) return photographAgain(sheet, linked);
  if (hasScore(sheet)) return total(sheet, before, widest);
  return heading(sheet, kindOf(sheet).name());
}

// Redraws a sheet without moving the reader: the focus stays on its cell or goes to what comes next,
// and the row of doubts keeps its scroll position, so that the next doubt moves there.
function keepingPlace(place, redraw) {
  const scrolled = place.querySelector(".doubt-row")?.scrollLeft ?? 0;
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const cell = active?.closest("[data-cell]")?.dataset.cell;
  const asked = [...place.querySelectorAll(".doubt")].indexOf(active?.closest(".doubt"));
  redraw();
  if (scrolled)
    place.querySelector(".doubt-row")?.scrollTo({ left: scrolled, behavior: "instant" });
  if (cell) place.querySelector(`[data-cell="${cell}"]`)?.focus({ preventScroll: true });
  else if (active && (!active.isConnected || active.disabled))
    nextAfter(place, asked)?.focus({ preventScroll: true });
}

// Where the focus goes when its element is gone: to the doubt in its place, else to a remaining
// button.
const nextAfter = (place, asked) =>
  [...place.querySelectorAll(".doubt")]
    .slice(0, asked + 1)
    .at(-1)
    ?.querySelector("button") ??
  place.querySelector(".doubts button, .bar :enabled") ??
  place.querySelector("button:enabled");
