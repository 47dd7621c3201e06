// One sheet: its score, doubts first, the board and the photo, and the effect of a tap.

import { attempt, get, inTurn, perform, post, session } from "./api.js";
import { focusPart, highlight } from "./board.js";
import { $, announce, button, column, glyph, grave, h, put, recall } from "./dom.js";
import { remember, select, tabBar, table, toast, typing } from "./dom.js";
import { forgetGamesOf, gameOrChoice } from "./game.js";
import { percent, pointsText, t, tn, when } from "./i18n.js";
import { findPart, hasScore, kindOf } from "./kinds.js";
import { coatIcon, coatName, COATS, squareIcon, terrainName } from "./marks.js";
import { ownerHere, whoseField } from "./names.js";
import { photoView } from "./photo.js";
import { adviceOf, isRetake, looksEmpty, openEditor, problems } from "./questions.js";
import { questions, retakeTitle } from "./questions.js";
import { share } from "./share.js";
import { winners } from "./spellbook.js";

// Draws a sheet into `place` and keeps it up to date. onChange(sheet) gets its new state;
// onOther(sheet, part) a tap on another sheet of the photo. offer: what may help, below the
// questions. desk: without tabs, buttons, keys (Ctrl+Z undoes, 1 to 9 answer) and the question
// whose it is.
export function sheetView(place, photo, first, options = {}) {
  const { onChange = () => {}, onOther, desk = false, offer = null } = options;
  const kind = kindOf(first);
  const page = photo.pages.find((one) => one.page === first.page);
  const may = photo.can_correct;
  let sheet = first;
  let view = "board"; // or the photo, or the ink
  const answers = answering({
    shown: () => sheet,
    async show(fresh) {
      show(fresh);
      await onChange(sheet);
    },
    refused() {
      whole.show(sheet); // its fields already show what was refused
      answers.look(); // perhaps another desk has changed it
    },
  });
  const find = (id) => findPart(sheet, id);
  const say = (values) => answers.say(Object.entries(values).map(([id, v]) => [find(id), v]));
  const edit = (id) =>
    openEditor(page, find(id), async (value) => {
      await say({ [id]: value });
      focusPart(place, id);
    });
  const undo = () => may && lastOf(sheet) && answers.undo();

  const wide = !desk && page.view ? matchMedia("(min-width: 62.5rem)") : { matches: false };
  const beside = h("div.beside");
  const reading = h("div.reading.stack");
  const tabs = tabBar(t("View"), (chosen) => {
    view = chosen;
    draw();
  });
  const undoing = barButton("undo", t("Undo"), undo);
  const sharing = barButton("share", t("Share"), () => share([sheet], null));
  const game = h("a.button", { href: gameOrChoice(first.id) }, glyph("game"), t("Game"));
  const foot = h("div.bar.row");
  const asking = questions(page, may ? { say, edit, confirm: answers.confirm } : null);
  const whole = WHOLE[first.kind](first, may, answers.send);
  const decided = decisions();
  const removal = deletion(photo);
  const assign = (action) => answers.send(action, t("Player: {name}", { name: action.player }));
  const owner = !desk && may && hasScore(first) && whoseField(first.kind, assign);

  // The photo's page on which the sheet lies, with all that lies beside it.
  function photoOf() {
    const onPart = (other, part) => (other.id === sheet.id ? edit(part) : onOther(other, part));
    const all = photo.sheets.map((other) => (other.id === sheet.id ? sheet : other));
    const there = all.filter((other) => other.page === sheet.page);
    return photoView(page, there, may && onPart, sheet);
  }
  // Only the ink, without the print: the best answer to "what did you see?".
  const inkOf = ({ ink: src, layout: name }) =>
    h("figure.ink-box", [
      h("img", { src, alt: t("What was drawn on the sheet, without its print") }),
      h("figcaption", t("What was drawn, without the print of {name}", { name })),
    ]);
  const picture = () => (view === "ink" && sheet.ink ? inkOf(sheet) : photoOf());
  const fixed = t("Somebody else has already uploaded this photo. To change it, ask at the desk.");
  const draw = () => keepingPlace(reading, redraw);
  function redraw() {
    const ink = sheet.ink ? [["ink", t("Ink")]] : [];
    const usable = hasScore(sheet) && !hasNoTotal(sheet);
    const board = kind.draw(sheet, { onPart: may && edit });
    for (const part of [whole, decided, asking]) part.show(sheet);
    if (owner) owner.show(sheet, photo.sheets);
    tabs.show(view, [["board", kind.name()], ["photo", t("Photo")], ...ink]);
    undoing.disabled = !lastOf(sheet);
    put(foot, may && undoing, hasScore(sheet) && game, usable && sharing);
    place.classList.toggle("split", wide.matches);
    put(beside, wide.matches && [sheet.ink && tabs.element, picture()]);
    put(place, wide.matches && beside, reading);
    put(
      reading,
      headline(sheet, desk),
      waitingChanges(sheet),
      !may && h("p.none", fixed),
      asking.element,
      !sheet.photograph_again && problems(sheet),
      sheet.review && offer,
      !desk && !wide.matches && tabs.element,
      wide.matches || view === "board" ? h("div.board-box", board) : picture(),
      owner && owner.element,
      usable && explanation(sheet, (cells) => highlight(board, cells)),
      whole.element,
      sheet.corrections.length > 0 && decided.element,
      !desk && [photo.can_remove && removal, foot],
    );
    light(place, asking.asked());
  }
  function show(fresh) {
    sheet = fresh;
    draw();
  }

  draw();
  wide.addEventListener?.("change", () => place.isConnected && draw());
  for (const event of ["pointerover", "focusin"])
    place.addEventListener(event, ({ target }) =>
      light(place, [target.closest("[data-cell]")?.dataset.cell ?? asking.asked()].flat()),
    );
  if (!desk)
    place.addEventListener("keydown", (event) => {
      const undoes = (event.ctrlKey || event.metaKey) && event.key === "z";
      if (undoes && !event.target.closest("input")) undo();
      else if (/^[1-9]$/.test(event.key) && !typing()) asking.answer(event.key - 1);
    });
  return { ...answers, sheet: () => sheet, find, show, say, edit };
}

// Marks places where they stand: on the board and in the photo.
const light = (place, ids) =>
  place
    .querySelectorAll("[data-cell]")
    .forEach((spot) => spot.classList.toggle("lit", ids.includes(spot.dataset.cell)));

// The decision that is undone next: what the desk decided only the desk undoes.
const lastOf = ({ corrections }) =>
  corrections.findLast(
    ({ undone, role }) => !undone && (session.role === "desk" || role === session.role),
  );

const hasNoTotal = (sheet) => sheet.photograph_again || looksEmpty(sheet);

function headline(sheet, desk) {
  if (hasNoTotal(sheet))
    return desk && h("section.total", h("h2", retakeTitle(sheet)), h("p", adviceOf(sheet)));
  if (hasScore(sheet)) return total(sheet, isRetake(sheet) && "unsure");
  return h("section.total", h("h2.total-line", kindOf(sheet).name()), verdict(sheet));
}

// Redraws without moving the reader: the focus stays on its cell, or goes to what comes next.
function keepingPlace(place, redraw) {
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const cell = active?.closest("[data-cell]")?.dataset.cell;
  redraw();
  const next = [".doubts .doubt button", ".doubts button", ".bar :enabled", "button:enabled"];
  const gone = active && (!active.isConnected || active.disabled);
  const wanted = cell ? [`[data-cell="${cell}"]`] : gone ? next : [];
  const there = wanted.map((one) => $(one, place)).find(Boolean);
  there?.focus({ preventScroll: true });
}

// A button of the bar at the foot of a view.
export const barButton = (name, label, act) => button([glyph(name), label], act);

// The photo's end.
export const deletion = ({ id, sheets }) =>
  grave(t("Delete"), t("Delete this photo and what was read in it?"), async () => {
    if (await attempt(() => post(`api/photos/${id}/remove`))) return;
    forgetGamesOf(sheets.map((sheet) => sheet.id));
    location.hash = "#/";
    toast(t("The photo was deleted."));
  });

// What belongs to a sheet as a whole: a map's wizard, a kingdom's extra rules, who won a
// spellbook's wizards: {element, show(sheet)}, created once, so that news close nothing that
// somebody opened. may: whether it can be changed; send: see answering.
const WHOLE = {
  duel_map(sheet, may, send) {
    const choose = () => send({ type: "correct_wizard", coat: pick.value || null }, t("Wizard"));
    const words = t("Filled wizard pays for");
    const coats = [["", t("not on this map")], ...COATS.map((coat) => [coat, coatName(coat)])];
    const pick = select(words, coats, { disabled: !may, onchange: choose });
    const element = h("p.row.wizard", h("span", coatIcon("filled"), " ", words), pick);
    const show = (fresh) => {
      pick.value = fresh.chosen_coat ?? "";
      element.hidden = !pick.value && !fresh.cells.some(({ coat }) => coat === "filled");
    };
    return { element, show };
  },
  kingdom(sheet, may, send) {
    const fixed = !may || sheet.extras_fixed;
    const set = (chosen, label) => send({ type: "set_variants", ...chosen }, label);
    const isNew = !sheet.corrections.some(({ what }) => what === "variants");
    const usual = recall(RULES, sheet.variants);
    const differs = Object.keys(RULE_NAMES).some((name) => usual[name] !== sheet.variants[name]);
    if (!fixed && isNew && differs) set(usual, t("Extra rules"));
    return rulesField(fixed, (chosen, label) => {
      rememberRules(chosen);
      set(chosen, label);
    });
  },
  duel_spellbook() {
    const element = h("div");
    return { element, show: (fresh) => put(element, winners(fresh)) };
  },
};

// The extra rules belong to the game: this phone remembers them for the kingdoms that come.
const RULES = "kdscan.rules";
export const rememberRules = (chosen) => remember(RULES, chosen);

const RULE_NAMES = {
  middle_kingdom: () => t("Middle Kingdom: 10 for a castle in the middle"),
  harmony: () => t("Harmony: 5 for a complete kingdom"),
};

// Kingdoms' extra rules: {element, show({variants}), chosen()}; say(chosen, label): one was ticked.
export function rulesField(fixed, say) {
  const boxes = Object.entries(RULE_NAMES).map(([name, label]) => {
    const tick = () => say(chosen(), label());
    return [name, h("input type=checkbox", { onchange: tick }), label()];
  });
  // As they are ticked now, which may be ahead of the sheet that is shown.
  const chosen = () => Object.fromEntries(boxes.map(([name, box]) => [name, box.checked]));
  const element = h("fieldset.wizard.card", { disabled: fixed }, [
    h("legend", t("Extra rules")),
    boxes.map(([, box, label]) => h("label.switch.row", box, label)),
  ]);
  const show = ({ variants }) =>
    boxes.forEach(([name, box]) => {
      box.checked = Boolean(variants[name]);
    });
  return { element, show, chosen };
}

// Who has decided what, under a line that opens: {element, show(sheet)}, created once to stay open.
function decisions() {
  const summary = h("summary");
  const list = h("ol");
  const show = (sheet) => {
    const all = sheet.corrections.map((one) => decisionLine(sheet, one));
    put(summary, tn("{n} decision", "{n} decisions", all.length));
    put(list, all);
  };
  return { element: h("details.history", summary, list), show };
}

export const personName = (who) => ({ player: t("somebody"), desk: t("Desk") })[who] ?? who;

// Who gave no name has that of the role, or it was whose phone this is.
export function decisionLine(sheet, decision) {
  const who = h("span", personName(decision.who));
  if (decision.who === decision.role && decision.role === session.role)
    ownerHere().then((name) => name && put(who, name));
  return h("li", { class: decision.undone && "undone" }, [
    h("strong", decided(sheet, decision)),
    h("small", " ", who, ", ", h("time", when(decision.at))),
    isWaiting(decision) && h("small", " ", t("This change waits for the desk.")),
  ]);
}

const SAID = {
  place: (fresh) => t("Player: {name}", { name: fresh?.player ?? fresh?.code ?? "–" }),
  confirmed: () => t("Confirmed"),
  variants: () => t("Extra rules"),
  ignored: (fresh) => (fresh ? t("Do not count it") : t("Count it again")),
  same_as: (fresh) => (fresh ? t("It is the same sheet") : t("One code, different sheets")),
};

// What a player changed, from what to what, as long as the desk has not decided.
const isWaiting = ({ source, undone }) => source === "waits" && !undone;

function waitingChanges(sheet) {
  const changes = sheet.corrections.filter(isWaiting);
  if (!changes.length) return null;
  return h("section.problems.card role=status", [
    h("h3", t("This change waits for the desk.")),
    h("ul", [changes.map((one) => h("li", decided(sheet, one)))]),
    h("p", t("What was read counts until then.")),
  ]);
}

// The part that a decision is about; none if it is about the sheet as a whole.
export function partOf(sheet, { cell, what, player, coat }) {
  const id = cell?.join() ?? (what === "line" ? `line:${player},${coat}` : `${what}:${player}`);
  return findPart(sheet, id);
}

// A decision in words: about a part, from what to what, or the sheet as a whole.
function decided(sheet, decision) {
  const { what, old, new: fresh } = decision;
  const part = partOf(sheet, decision);
  if (!part) return SAID[what]?.(fresh) ?? t("Wizard");
  const words = (value) => part.words(what === "choice" ? { coat: value } : value);
  const before = old && words(old) !== words(fresh) ? `${words(old)} → ` : "";
  return `${part.name}: ${before}${words(fresh)}`;
}

// Answers about a sheet on their way to the server, one after another. shown(): the sheet as it is
// shown now; show(sheet) shows another state of it; refused(): an answer was not kept.
function answering({ shown, show, refused }) {
  const queue = inTurn();
  const next = (act) => queue(() => attempt(act, refused)); // resolves to what was wrong, or null

  // Shows what somebody else has changed meanwhile, if it matters; resolves to whether it was so.
  async function unseen(matters) {
    const now = await get(`api/sheets/${shown().id}`, true);
    if (JSON.stringify(matters(now)) === JSON.stringify(matters(shown()))) return false;
    await show(now);
    return true;
  }

  async function deliver(actions, message) {
    const newest = Math.max(0, ...shown().corrections.map((one) => one.id));
    const last = session.role === "desk" ? newest : undefined;
    const whole = [actions].flat().map((action) => ({ sheet: shown().id, ...action }));
    const done = await perform(whole, "sheet", last);
    await show(done.sheet);
    const sheet = shown();
    const waits = (one) => one.source === "waits" && done.actions.includes(one.id);
    if (sheet.corrections.some(waits)) toast(t("This change waits for the desk."));
    announce(hasScore(sheet) ? `${message}. ${pointsText(sheet.score.total)}` : message);
  }

  // An answer about all that is shown: nobody confirms or undoes what they have not seen.
  const deliverSeen = (act) =>
    next(async () => {
      if (await unseen((sheet) => sheet.corrections)) toast(t("Please check"));
      else await act();
    });

  const send = (actions, message) => next(() => deliver(actions, message));
  // Which one is undone is known when it is this one's turn.
  async function undo() {
    const { id } = lastOf(shown());
    await show((await perform({ type: "undo", action: id }, "sheet")).sheet);
    announce(t("Undone"));
  }
  return {
    send,
    say: (answers) =>
      send(
        answers.map(([part, value]) => part.request(part, value)),
        answers.map(([part, value]) => `${part.name}: ${part.words(value)}`).join("; "),
      ),
    undo: () => deliverSeen(undo),
    confirm: () => deliverSeen(() => deliver({ type: "confirm_sheet" }, t("Confirmed"))),
    // Shows what others have changed; without a network nothing is new.
    look: () => queue(() => unseen((sheet) => sheet).catch(() => null)),
  };
}

// The total, its remaining range, and how it is made up.

export function doubtText({ range }) {
  const [low, high] = range ?? [0, 0];
  return low < high
    ? t("between {low} and {high}: please check", { low, high })
    : t("please check");
}

// How far to trust a sheet.
function verdict(sheet) {
  if (sheet.review) return h("p.verdict.doubtful", doubtText(sheet));
  const sure = () => t("{sure} sure", { sure: percent(sheet.confidence) });
  return h("p.verdict.certain", sheet.confirmed ? t("checked by a person") : sure());
}

// kind: "unsure" for a number that nobody should rely on.
function total(sheet, kind) {
  const { total: points } = sheet.score;
  const unit = h("span.total-unit", tn("point", "points", points));
  return h("section.total", { class: kind, label: pointsText(points) }, [
    h("p.total-line", h("span.total-number", String(points)), unit),
    verdict(sheet),
  ]);
}

const WORDS = {
  duel_map: {
    holds: (d) => [coatIcon(d.coat), coatName(d.coat)],
    times: (d) => d.crosses,
    of: () => t("Coats of arms"),
    by: () => t("Crosses"),
    idle: (n) => tn("{n} domain without a cross", "{n} domains without a cross", n),
  },
  kingdom: {
    holds: (d) => [squareIcon({ terrain: d.terrain, crowns: 0 }), terrainName(d.terrain)],
    times: (d) => d.crowns,
    of: () => t("Squares"),
    by: () => t("Crowns"),
    idle: (n) => tn("{n} domain without a crown", "{n} domains without a crown", n),
  },
};

// A line for each domain that scores; `show(cells)` lights it up on the board.
function explanation(sheet, show) {
  const words = WORDS[sheet.kind];
  const { score } = sheet;
  const scoring = sheet.domains.filter((d) => d.points).sort((a, b) => b.points - a.points);
  const idle = sheet.domains.length - scoring.length;
  const row = (domain) => {
    const [lit, dark] = [() => show(domain.cells), () => show([])];
    const acts = { onfocus: lit, onblur: dark, onpointerenter: lit, onpointerleave: dark };
    return h("tr tabindex=0", acts, [
      h("th scope=row", h("span.row", words.holds(domain))),
      h("td", domain.cells.length),
      h("td", "× ", words.times(domain)),
      h("td.points", domain.points),
    ]);
  };
  const line = (text, points) => h("tr", h("td colspan=3", text), h("td.points", points));
  const coat = coatName(sheet.chosen_coat);
  const extras = [
    [t("The wizard of the filled coat: 3 for each domain of {coat}", { coat }), score.wizard],
    [t("The castle lies in the middle"), score.middle_kingdom],
    [t("Harmony: the kingdom is complete"), score.harmony],
  ];
  const foot = [
    idle > 0 && line(words.idle(idle), 0),
    extras.map(([text, points]) => points > 0 && line(text, points)),
    h("tr.grand", h("th scope=row colspan=3", t("Total")), h("td.points", score.total)),
  ];
  const columns = [t("Domain"), words.of(), words.by(), t("Points")].map((one) => column(one));
  return h("section.sum.card", [
    h("h2", t("How it adds up")),
    table("table", columns, scoring.map(row), foot),
  ]);
}
