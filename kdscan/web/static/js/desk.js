// The desk: everything to be settled as one queue of cards, each with its remedy; besides, all
// sheets, the rounds, the players and the pads. It works without a mouse.

import { get, poll, post } from "./api.js";
import { cardOf } from "./cardlist.js";
import { where } from "./cards.js";
import { $, h, put, sign, toast } from "./dom.js";
import { explain, passes } from "./errors.js";
import { t } from "./i18n.js";
import { knownPrints } from "./pads.js";
import { playersTab } from "./players.js";
import { queueTab } from "./queue.js";
import { roundsTab } from "./rounds.js";

let desk = null,
  changes = 0,
  tab = "settle";

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
const act = (path, body, done = () => {}) =>
  inTurn(async () => {
    const fresh = await doing(() => post(path, body));
    done();
    await load(fresh);
  });

const hub = { inTurn, doing, act };

const search = h("input", {
  type: "search",
  class: "search",
  placeholder: t("Search"),
  "aria-label": t("Search all sheets"),
  oninput: () => {
    choose("sheets");
  },
});

// The sheets in the list.
const KEPT = { "": () => true, review: (one) => one.review, owner: (one) => !one.player };
const only = h(
  "select",
  { "aria-label": t("Which sheets"), onchange: () => choose("sheets") },
  h("option", { value: "" }, t("All sheets")),
  h("option", { value: "review" }, t("please check")),
  h("option", { value: "owner" }, t("Without a player")),
);

function found({ sheets }) {
  const wanted = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const shown = (one) =>
    [one.name, one.player, where(one), one.total, one.review && t("please check")]
      .filter(Boolean)
      .join(" ")
      .toLocaleLowerCase();
  // Rounds, tables and totals are matched exactly: 3 is not 31.
  const has = (text, word) =>
    /^\d{1,2}$/.test(word) ? text.split(/[^\p{L}\d]+/u).includes(word) : text.includes(word);
  const fits = (one) => {
    const text = shown(one);
    return wanted.every((word) => has(text, word));
  };
  return sheets.filter(KEPT[only.value]).filter(fits).map(cardOf);
}

// What there is to do without cards: before the first round, and when a round is over.
function none(now) {
  const begun = now.sheets.length > 0 || now.last_round > 0,
    over = now.last_round > 0 && now.games.every((game) => game.finished);
  const next = [!begun && "players", (begun ? over : now.players.length > 1) && "rounds"].filter(
    Boolean,
  );
  return [
    begun ? t("All settled.") : t("Add the players, then pair the first round."),
    h(
      "span",
      { class: "row centred" },
      next.map((name) =>
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              choose(name);
              buttons[name].focus();
            },
          },
          TABS[name][0](),
        ),
      ),
    ),
  ];
}

// A tab that fills the whole place, without a queue.
const wide = (tab) => ({
  ...tab,
  element: h("div", { class: "desk wide" }, h("div", { class: "desk-body" }, tab.element)),
});

// Each tab is created when first opened, and keeps its element: late answers for one tab cannot be
// drawn into another, and typed text stays. show(desk): the current state.
const TABS = {
  settle: [
    () => t("To settle"),
    (label) => queueTab(hub, { label, cardsOf: (now) => now.cards, none, kept: true }),
  ],
  sheets: [
    () => t("Sheets"),
    (label) =>
      queueTab(hub, {
        label,
        cardsOf: found,
        none: (now) => (now.sheets.length ? t("No matching sheets.") : t("Nothing yet.")),
        kept: false,
      }),
  ],
  rounds: [() => t("Rounds"), () => wide(roundsTab(act))],
  players: [() => t("Players"), () => wide(playersTab(act))],
  pads: [() => t("Pads"), () => wide({ ...knownPrints(), show: () => {} })],
};
const made = {};
const tabOf = (name) => (made[name] ??= TABS[name][1](TABS[name][0]));

const buttons = Object.fromEntries(
  Object.entries(TABS).map(([name, [label]]) => [
    name,
    h(
      "button",
      { type: "button", class: "tab", "data-tab": name, onclick: () => choose(name) },
      label(),
      name === "settle" && h("span", { class: "count" }),
    ),
  ]),
);
const undo = h(
  "button",
  { type: "button", class: "quiet take-back", onclick: () => inTurn(takeBack), disabled: true },
  t("Undo"),
);
const place = h("div", {});

function choose(name) {
  const entered = name !== tab || !place.firstChild;
  tab = name;
  showTop();
  const shown = tabOf(name);
  put(place, shown.element);
  if (desk) inTurn(() => (entered && shown.enter ? shown.enter(desk) : shown.show(desk)));
}

function showTop() {
  for (const [name, button] of Object.entries(buttons))
    button.setAttribute("aria-pressed", String(name === tab));
  $(".count", buttons.settle).textContent = desk?.cards.length ? ` ${desk.cards.length}` : "";
  only.hidden = tab !== "sheets";
  undo.disabled = !desk?.undo;
  put(
    undo,
    sign("↶ "),
    desk?.undo ? t("Undo: {what}", { what: t(desk.undo.text, desk.undo.values) }) : t("Undo"),
  );
}

function load(fresh) {
  desk = fresh;
  $("#main").removeAttribute("aria-busy");
  showTop();
  return tabOf(tab).show(fresh);
}

// Undoes this desk's last act, says what it was, and shows the sheet concerned.
async function takeBack() {
  const was = unanswered ?? (await get("/api/desk")).undo;
  if (!was) {
    toast(t("There is nothing to undo."));
    return;
  }
  desk = await doing(() => post("/api/event/undo", { correction: was.id })).catch((error) => {
    if (passes(error)) unanswered = was;
    throw error;
  });
  toast(t("Undone: {what}", { what: t(was.text, was.values) }));
  showTop();
  const shown = tabOf(tab);
  await (shown.back ? shown.back(desk, was.sheet) : shown.show(desk));
}

addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
      return;
    const typing = event.target.closest("input, select, textarea");
    if (typing) {
      if (event.key === "Escape") {
        event.preventDefault();
        typing.blur();
      } // else it empties the search
      return;
    }
    if (event.key === "u") inTurn(takeBack);
    else if (event.key === "/") {
      search.focus();
      search.select();
    } // at once: the next key belongs to the search
    else if (!tabOf(tab).key?.(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

put(
  $("#main"),
  h("h1", { class: "visually-hidden" }, t("Desk")),
  h(
    "div",
    { class: "desk-top" },
    h("div", { class: "tabs", role: "group", "aria-label": t("View") }, Object.values(buttons)),
    only,
    search,
    undo,
  ),
  place,
);
choose(tab);
poll(
  "/api/desk",
  (fresh, asked) => inTurn(() => asked === changes && load(fresh)),
  () => changes,
);
