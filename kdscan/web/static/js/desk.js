// The desk: what is to settle as a queue of cards, all sheets, rounds, players and pads.

import { explain, get, inTurn, passes, perform, poll, session, serverTime } from "./api.js";
import { $, button, glyph, h, put, tabBar, toast } from "./dom.js";
import { t, tn } from "./i18n.js";
import { knownPrints } from "./pads.js";
import { playersTab } from "./players.js";
import { publishTab } from "./publish.js";
import { queueTab, sheetFilter } from "./queue.js";
import { roundsTab } from "./rounds.js";

let desk = null;
let changes = 0;
let tab = "settle";

// The effect of a key depends on that of the one before: they are handled one after another.
const queue = inTurn();
const next = (act) => queue(act).catch((error) => toast(explain(error)));

// What was last to be undone, if the answer was lost: undoing again means the same.
let unanswered = null;

// Counts changes to the event: an answer requested before one ended may not include it.
async function doing(act) {
  changes += 1;
  unanswered = null;
  try {
    return await act();
  } finally {
    changes += 1;
  }
}

// Performs an act and shows the new state; done(): it was kept. Resolves to whether it was.
const act = (action, done = () => {}) =>
  next(async () => {
    const answer = await doing(() => perform(action, "desk", desk?.last));
    done();
    await load(answer.desk);
    return true;
  });

const hub = { inTurn: next, doing, act };

const { search, only, found } = sheetFilter(() => choose("sheets"));

// The tab that is next without cards: before the first round, and when a round is over.
function nextTabs({ sheets, last_round: last, games, players }) {
  if (!sheets.length && !last) return players.length > 1 ? ["players", "rounds"] : ["players"];
  return last && games.every((game) => game.finished) ? ["rounds"] : [];
}

function none(now) {
  const begun = now.sheets.length > 0 || now.last_round > 0;
  const sending = h("a.button href=./", t("Photograph")); // on the start page
  const leading = (name) => {
    const lead = () => (choose(name), $(`[data-tab=${name}]`).focus());
    return button(TABS[name].label(), lead, { class: "button" });
  };
  return [
    begun ? t("All settled.") : t("Add the players, then pair the first round."),
    h("span.row.centred", nextTabs(now).map(leading), begun && sending),
  ];
}

const matching = (now) => (now.sheets.length ? t("No matching sheets.") : t("Nothing yet."));

// A tab that fills the whole place, without a queue.
const wide = ({ element, ...tab }) => ({
  element: h("div.desk.wide.stack", h("div.desk-body.stack", element)),
  ...tab,
});

// Each tab is created when first opened, and keeps its element with what was typed in it.
const TABS = {
  settle: {
    label: () => t("To settle"),
    make: (label) => queueTab(hub, { label, cardsOf: (now) => now.cards, none, kept: true }),
  },
  sheets: {
    label: () => t("Sheets"),
    make: (label) => queueTab(hub, { label, cardsOf: (now) => found(now.sheets), none: matching }),
  },
  rounds: { label: () => t("Rounds"), make: () => wide(roundsTab(act)) },
  players: { label: () => t("Players"), make: () => wide(playersTab(act)) },
  publish: { label: () => t("Publish"), make: () => wide(publishTab()) },
  pads: { label: () => t("Pads"), make: () => wide({ ...knownPrints(), show: () => {} }) },
};
const made = {};
const tabOf = (name) => (made[name] ??= TABS[name].make(TABS[name].label));

const tabs = tabBar(t("View"), choose);
const toCome = h("p.to-come role=status");
const undo = button(t("Undo"), () => next(takeBack), { class: "take-back", disabled: true });
const place = h("div");

function choose(name) {
  const entered = name !== tab || !place.firstChild;
  tab = name;
  showTop();
  const shown = tabOf(name);
  put(place, shown.element);
  if (desk) next(() => (entered && shown.enter ? shown.enter(desk) : shown.show(desk)));
}

const told = ({ text, values }) => t(text, values);

function showTop() {
  const open = desk?.cards.length;
  const count = open > 0 && h("span.count", ` ${open}`);
  const labelOf = ([name, { label }]) => [label(), name === "settle" && count];
  const items = Object.entries(TABS).map((one) => [one[0], labelOf(one), { "data-tab": one[0] }]);
  tabs.show(tab, items);
  only.hidden = tab !== "sheets";
  search.hidden = !["settle", "sheets"].includes(tab);
  const coming = desk?.to_come ?? 0;
  toCome.hidden = !coming || tab !== "settle";
  put(toCome, tn("{n} sheet still to come", "{n} sheets still to come", coming));
  const last = desk?.undo;
  undo.disabled = !last;
  put(undo, glyph("undo"), last ? t("Undo: {what}", { what: told(last) }) : t("Undo"));
}

function load(fresh) {
  desk = fresh;
  $("#main").removeAttribute("aria-busy");
  showTop();
  return tabOf(tab).show(fresh);
}

// Undoes this desk's last act, says what it was, and shows the sheet concerned.
async function takeBack() {
  const was = unanswered ?? (await get("api/desk")).undo;
  if (!was) return toast(t("There is nothing to undo."));
  const undoing = () => perform({ type: "undo", action: was.id }, "desk");
  ({ desk } = await doing(undoing).catch((error) => {
    if (passes(error)) unanswered = was;
    throw error;
  }));
  toast(t("Undone: {what}", { what: told(was) }));
  showTop();
  const shown = tabOf(tab);
  await (shown.back ? shown.back(desk, was.sheet) : shown.show(desk));
}

// At once: the next key belongs to the search.
function startSearch() {
  if (search.hidden) choose("sheets");
  search.focus();
  search.select();
}

function onKey(event) {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || $("dialog[open]")) return;
  const field = event.target.closest("input, select, textarea");
  if (field) {
    if (key !== "Escape") return;
    event.preventDefault(); // else it empties the search
    return field.blur();
  }
  if (key === "u") next(takeBack);
  else if (key === "/") startSearch();
  else if (!tabOf(tab).key?.(key)) return;
  event.preventDefault();
  event.stopPropagation();
}
addEventListener("keydown", onKey, true);

put(
  $("#main"),
  h("h1.visually-hidden", t("Desk")),
  h("div.desk-top.row", tabs.element, only, search, undo),
  toCome,
  place,
);
document.title = `${session.event} · ${t("Desk")}`;
choose(tab);
// What the desk itself changed is drawn already: open menus stay.
const news = (fresh, asked) =>
  next(() => asked === changes && (fresh.state === desk?.state || load(fresh)));
poll("api/desk", news, () => changes);
const isOver = () => desk?.to_come && Date.parse(desk.clock) < serverTime(); // then they are missing
setInterval(() => isOver() && next(() => get("api/desk", true).then(load, () => {})), 3000);
