// The desk: everything to be settled as one queue of cards, each with its remedy; besides, all
// sheets, the rounds, the players and the pads. It works without a mouse.

import { get, perform, poll } from "./api.js";
import { $, button, glyph, h, put, toast } from "./dom.js";
import { explain, passes } from "./errors.js";
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
let chain = Promise.resolve();
function inTurn(act) {
  chain = chain.then(act).catch((error) => toast(explain(error)));
  return chain;
}

// What was last to be undone, if the answer was lost: it may be undone, so undoing it again is meant.
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

// Performs an act of the desk; the answer is the desk's new state. done(): it was kept.
const act = (action, done = () => {}) =>
  inTurn(async () => {
    const answer = await doing(() => perform(action, "desk"));
    done();
    await load(answer.desk);
  });

const hub = { inTurn, doing, act };

const { search, only, found } = sheetFilter(() => choose("sheets"));

// The tab that is next without cards: before the first round, and when a round is over.
function nextTabs({ sheets, last_round: last, games, players }) {
  if (!sheets.length && !last) return players.length > 1 ? ["players", "rounds"] : ["players"];
  return last && games.every((game) => game.finished) ? ["rounds"] : [];
}

function none(now) {
  const begun = now.sheets.length > 0 || now.last_round > 0;
  const leadTo = (name) => {
    choose(name);
    buttons[name].focus();
  };
  const next = nextTabs(now).map((name) =>
    button(TABS[name].label(), () => leadTo(name), { class: "button" }),
  );
  return [
    begun ? t("All settled.") : t("Add the players, then pair the first round."),
    h("span.row.centred", next),
  ];
}

// A tab that fills the whole place, without a queue.
const wide = (inner) => ({
  ...inner,
  element: h("div.desk.wide.stack", h("div.desk-body.stack", inner.element)),
});

// Each tab is created when first opened, and keeps its element: late answers for one tab cannot be
// drawn into another, and typed text stays. show(desk): the current state.
const TABS = {
  settle: {
    label: () => t("To settle"),
    make: (label) => queueTab(hub, { label, cardsOf: (now) => now.cards, none, kept: true }),
  },
  sheets: {
    label: () => t("Sheets"),
    make: (label) =>
      queueTab(hub, {
        label,
        cardsOf: (now) => found(now.sheets),
        none: (now) => (now.sheets.length ? t("No matching sheets.") : t("Nothing yet.")),
        kept: false,
      }),
  },
  rounds: { label: () => t("Rounds"), make: () => wide(roundsTab(act)) },
  players: { label: () => t("Players"), make: () => wide(playersTab(act)) },
  publish: { label: () => t("Publish"), make: () => wide(publishTab()) },
  pads: { label: () => t("Pads"), make: () => wide({ ...knownPrints(), show: () => {} }) },
};
const made = {};
const tabOf = (name) => (made[name] ??= TABS[name].make(TABS[name].label));

function tabButton([name, { label }]) {
  const count = name === "settle" && h("span.count");
  const shown = [label(), count];
  return [name, button(shown, () => choose(name), { class: "tab", "data-tab": name })];
}
const buttons = Object.fromEntries(Object.entries(TABS).map(tabButton));
const toCome = h("p.to-come", { role: "status" });
const undo = button(t("Undo"), () => inTurn(takeBack), { class: "take-back", disabled: true });
const place = h("div");

function choose(name) {
  const entered = name !== tab || !place.firstChild;
  tab = name;
  showTop();
  const shown = tabOf(name);
  put(place, shown.element);
  if (desk) inTurn(() => (entered && shown.enter ? shown.enter(desk) : shown.show(desk)));
}

const told = ({ text, values }) => t(text, values);

function showTop() {
  for (const [name, one] of Object.entries(buttons))
    one.setAttribute("aria-pressed", String(name === tab));
  $(".count", buttons.settle).textContent = desk?.cards.length ? ` ${desk.cards.length}` : "";
  only.hidden = tab !== "sheets";
  search.hidden = !["settle", "sheets"].includes(tab);
  const coming = desk?.to_come.length ?? 0;
  toCome.hidden = !coming || tab !== "settle";
  toCome.textContent = tn("{n} sheet still to come", "{n} sheets still to come", coming);
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
  if (key === "u") inTurn(takeBack);
  else if (key === "/") startSearch();
  else if (!tabOf(tab).key?.(key)) return;
  event.preventDefault();
  event.stopPropagation();
}
addEventListener("keydown", onKey, true);

put(
  $("#main"),
  h("h1.visually-hidden", t("Desk")),
  h("div.desk-top.row", [
    h("div.tabs.row", { role: "group", "aria-label": t("View") }, Object.values(buttons)),
    only,
    search,
    undo,
  ]),
  toCome,
  place,
);
choose(tab);
poll(
  "api/desk",
  // What the desk itself changed is drawn already: open menus stay.
  (fresh, asked) => inTurn(() => asked === changes && (fresh.state === desk?.state || load(fresh))),
  () => changes,
);
