// One sheet: its score, doubts first, the board and the photo, and the effect of a tap.

import { forgetGamesOf, gameOrChoice } from "./game.js";
import { get, perform, post, session } from "./api.js";
import { focusPart, highlight } from "./board.js";
import {
  $,
  announce,
  button,
  glyph,
  h,
  put,
  recall,
  remember,
  select,
  tabBar,
  toast,
  typing,
} from "./dom.js";
import { attempt, explain } from "./errors.js";
import { pointsText, t, tn, when } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { coatName, COATS, icon } from "./marks.js";
import { ownerHere, whoseField } from "./names.js";
import { photoView } from "./photo.js";
import { adviceOf, isRetake, openEditor, problems, questions } from "./questions.js";
import { explanation, heading, total } from "./score.js";
import { share } from "./share.js";
import { winners } from "./spellbook.js";

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
  const reading = h("div.reading.stack");

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
  const foot = sheetBar(photo, () => sheet, may, undo);
  const asking = questions(page, may ? { say, edit, confirm: answers.confirm } : null);
  const whole = wholeOf(first, may, answers.send);
  const decided = decisions();
  const removal = deletion(photo);
  const assign = (action) => answers.send(action, t("Player: {name}", { name: action.player }));
  const owner = bar && may && hasScore(first) && whoseField(first.kind, assign);

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
      asking.element,
      !sheet.photograph_again && problems(sheet),
      sheet.review && offer,
      bar && !wide.matches && views.tabs,
      wide.matches ? views.board(board) : views.picture(sheet, board),
      owner && owner.element,
      hasScore(sheet) &&
        !sheet.photograph_again &&
        explanation(sheet, (cells) => highlight(board, cells)),
      whole.element,
      sheet.corrections.length > 0 && decided.element,
      bar && may && removal,
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
const light = (place, id) =>
  place
    .querySelectorAll("[data-cell]")
    .forEach((spot) => spot.classList.toggle("lit", spot.dataset.cell === id));

const undoes = (event) =>
  (event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.closest("input");

// before: the total that is shown until now; widest: the range in which it lay at first.
function headline(sheet, before, widest, bar) {
  if (sheet.photograph_again)
    return !bar && h("section.total", h("h2", t("Photograph again")), h("p", adviceOf(sheet)));
  if (hasScore(sheet)) return total(sheet, before, widest, isRetake(sheet) && "unsure");
  return heading(sheet, kindOf(sheet).name());
}

// Redraws a sheet without moving the reader: the focus stays on its cell or goes to what comes next, the
// next question or a remaining button.
function keepingPlace(place, redraw) {
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const cell = active?.closest("[data-cell]")?.dataset.cell;
  const next = [".doubts .doubt button", ".doubts button", ".bar :enabled", "button:enabled"];
  redraw();
  const there = cell
    ? $(`[data-cell="${cell}"]`, place)
    : active && (!active.isConnected || active.disabled)
      ? next.map((one) => $(one, place)).find(Boolean)
      : null;
  there?.focus({ preventScroll: true });
}

// The pictures of a sheet, of which one is shown: the board, the photo, and the ink alone. {tabs,
// show(sheet), picture(sheet, board): the one chosen, board(board), beside(sheet): the photo or the ink,
// for a screen with room for both}. chosen() is called when another one is wanted; onPart(sheet, part)
// on a tap in the photo, false where nothing can be changed.
function sheetViews(photo, first, onPart, chosen) {
  let view = "board";
  const labels = [
    ["board", kindOf(first).name()],
    ["photo", t("Photo")],
    ["ink", t("Ink")],
  ];
  const tabs = tabBar(t("View"), labels, (name) => {
    view = name;
    chosen();
  });
  const board = (drawn) => h("div.board-box", drawn);
  const beside = (sheet) =>
    view === "ink" && sheet.ink ? inkView(sheet) : photoOf(photo, sheet, onPart);
  return {
    tabs: tabs.element,
    show: (sheet) => tabs.show(view, ["board", "photo", ...(sheet.ink ? ["ink"] : [])]),
    board,
    beside,
    picture: (sheet, drawn) => (view === "board" ? board(drawn) : beside(sheet)),
  };
}

// Only the ink, without the print: the best answer to "what did you see?".
const inkView = (sheet) =>
  h("figure.ink-box", [
    h("img", { src: sheet.ink, alt: t("What was drawn on the sheet, without its print") }),
    h("figcaption", t("What was drawn, without the print of {name}", { name: sheet.layout })),
  ]);

// The photo's page on which the sheet lies, with all that lies beside it.
function photoOf(photo, sheet, onPart) {
  const beside = photo.sheets
    .map((other) => (other.id === sheet.id ? sheet : other))
    .filter((other) => other.page === sheet.page);
  const page = photo.pages.find((one) => one.page === sheet.page);
  return photoView(page, beside, onPart, sheet, { upright: true });
}

// A button of the bar at the foot of a view.
export const barButton = (name, label, act) => button([glyph(name), label], act);

// {element, show(sheet)}: undo, the sheet's game, and a picture to share. They are created once, so that keyboard users keep the focus on them. may: whether it can be corrected;
// shown(): the sheet as it is shown now.
function sheetBar(photo, shown, may, undo) {
  const undoing = barButton("undo", t("Undo"), undo);
  const sharing = barButton("share", t("Share"), () => share([shown()], null));
  const game = h("a.button", { href: gameOrChoice(shown().id) }, glyph("game"), t("Game"));
  const element = h("div.bar.row");
  const show = (sheet) => {
    const scored = hasScore(sheet);
    undoing.disabled = !sheet.can_undo;
    const usable = scored && !sheet.photograph_again;
    put(element, may && undoing, scored && game, usable && sharing);
  };
  return { element, show };
}

// The photo's end: a line that opens, so that no single tap deletes.
export function deletion({ id, sheets }) {
  const remove = async () => {
    if (await attempt(() => post(`api/photos/${id}/remove`))) return;
    forgetGamesOf(sheets.map((sheet) => sheet.id));
    location.hash = "#/";
    toast(t("The photo was deleted."));
  };
  return h("details.removal", [
    h("summary", t("Delete")),
    h("p", t("Delete this photo and what was read in it?")),
    button([glyph("bin"), t("Delete")], remove),
  ]);
}

// What belongs to a sheet as a whole: a map's wizard, a kingdom's extra rules, who won a spellbook's
// wizards. {element, show(sheet)}: its fields are created once, so that an incoming answer closes
// nothing that somebody has opened. may: whether they can be changed; send: see answering.
const wholeOf = (sheet, may, send) => WHOLE[sheet.kind](sheet, may, send);

const WHOLE = {
  duel_map: wizard,
  kingdom: extraRules,
  duel_spellbook() {
    const element = h("div");
    return { element, show: (fresh) => put(element, winners(fresh)) };
  },
};

function wizard(sheet, may, send) {
  const choose = () => send({ type: "correct_wizard", coat: pick.value || null }, t("Wizard"));
  const words = t("Filled wizard pays for");
  const coats = COATS.map((coat) => [coat, coatName(coat)]);
  const pick = select(words, [["", t("not on this map")], ...coats], {
    disabled: !may,
    onchange: choose,
  });
  const element = h("p.row.wizard", icon({ coat: "filled", crosses: 0 }), words, pick);
  return {
    element,
    show(fresh) {
      pick.value = fresh.chosen_coat ?? "";
      element.hidden = !pick.value && !fresh.cells.some(({ coat }) => coat === "filled");
    },
  };
}

// The extra rules belong to the game: this phone remembers them for the kingdoms that come.
export const RULES = "kdscan.rules";

function extraRules(sheet, may, send) {
  const fixed = !may || sheet.extras_fixed;
  const rules = rulesField(fixed, (chosen, label) => {
    remember(RULES, chosen);
    send({ type: "set_variants", ...chosen }, label);
  });
  const usual = recall(RULES, null);
  const isNew = !sheet.corrections.some(({ what }) => what === "variants");
  const differs = usual && RULE_NAMES.some((name) => usual[name] !== sheet.variants[name]);
  if (!fixed && isNew && differs) send({ type: "set_variants", ...usual }, t("Extra rules"));
  return rules;
}

const RULE_NAMES = ["middle_kingdom", "harmony"];

// {element, show({variants})}: the extra rules of kingdoms; say(chosen, label): one was ticked.
export function rulesField(fixed, say) {
  const labels = [
    t("Middle Kingdom: 10 for a castle in the middle"),
    t("Harmony: 5 for a complete kingdom"),
  ];
  // As they are ticked now, which may be ahead of the sheet that is shown.
  const chosen = () => Object.fromEntries(RULE_NAMES.map((name, n) => [name, boxes[n].checked]));
  const boxes = labels.map((label) =>
    h("input", { type: "checkbox", onchange: () => say(chosen(), label) }),
  );
  const element = h("fieldset.wizard", { disabled: fixed }, [
    h("legend", t("Extra rules")),
    labels.map((label, n) => h("label.switch.row", boxes[n], label)),
  ]);
  const show = ({ variants }) =>
    boxes.forEach((box, n) => {
      box.checked = variants[RULE_NAMES[n]];
    });
  return { element, show, chosen };
}

// Who has decided what about a sheet, under one line that opens: {element, show(sheet)}. It is created
// once, so that it stays open.
function decisions() {
  const summary = h("summary");
  const list = h("ol");
  const show = (sheet) => {
    summary.textContent = tn("{n} decision", "{n} decisions", sheet.corrections.length);
    const all = sheet.corrections.map((one) => decisionLine(sheet, one));
    put(list, all);
  };
  return { element: h("details.history", summary, list), show };
}

// Who gave no name has that of the role: it was perhaps whose phone this is.
function decisionLine(sheet, decision) {
  const named = decision.who !== decision.role && decision.who;
  const who = h("span", named || t("somebody"));
  if (!named && decision.role === session.role) ownerHere().then((name) => name && put(who, name));
  return h("li", { class: decision.undone && "undone" }, [
    h("strong", decided(sheet, decision)),
    h("small", " ", who, ", ", h("time", when(decision.at))),
  ]);
}

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

// Answers about one sheet on their way to the server, and what the server says the sheet is by then.

// shown(): the sheet as it is shown now; show(sheet) shows another state of it; refused(): an answer
// was not kept. All go one after another, so that the last answer drawn is the last one given.
function answering({ shown, show, refused }) {
  let last = Promise.resolve();

  // Whether somebody else has changed the sheet meanwhile, or only what matters of it: then it is
  // shown.
  async function unseen(matters) {
    const now = await get(`api/sheets/${shown().id}`, true);
    if (JSON.stringify(matters(now)) === JSON.stringify(matters(shown()))) return false;
    await show(now);
    return true;
  }

  async function deliver(action, message) {
    const { actions, sheet: fresh } = await perform({ sheet: shown().id, ...action() }, "sheet");
    await show(fresh);
    const sheet = shown();
    const waits = (one) => one.source === "waits" && actions.includes(one.id);
    if (sheet.corrections.some(waits)) toast(t("This change waits for the desk."));
    announce(hasScore(sheet) ? `${message}. ${pointsText(sheet.score.total)}` : message);
  }

  // An answer that concerns everything that is shown: nobody confirms or undoes what they have not
  // seen.
  async function deliverSeen(deliverIt) {
    if (await unseen((sheet) => sheet.corrections)) toast(t("Please check"));
    else await deliverIt();
  }

  // Resolves to what was wrong, or null.
  function inTurn(act) {
    last = last.then(() => attempt(act, refused));
    return last;
  }

  const send = (action, message) => inTurn(() => deliver(() => action, message));
  // Which one is undone is known when it is this one's turn.
  async function undo() {
    const last = shown()
      .corrections.filter((one) => !one.undone)
      .at(-1);
    await show((await perform({ type: "undo", action: last.id }, "sheet")).sheet);
    announce(t("Undone"));
  }
  const confirm = () => deliver(() => ({ type: "confirm_sheet" }), t("Confirmed"));
  return {
    send,
    say: (part, value) => send(part.request(part, value), `${part.name}: ${part.words(value)}`),
    undo: () => inTurn(() => deliverSeen(undo)),
    confirm: () => inTurn(() => deliverSeen(confirm)),
    // Shows what others have changed; without a network nothing is new.
    look() {
      last = last.then(() => unseen((sheet) => sheet)).catch(() => null);
      return last;
    },
  };
}
