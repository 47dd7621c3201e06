// What an event prints, saves and publishes at the desk; and the events, of which one is open.

import { attempt, copyLink, explain, get, isLocal, noPhones, pause, post, session } from "./api.js";
import { upTo } from "./board.js";
import { button, card, form, glyph, h, input, put, select, toast } from "./dom.js";
import { t } from "./i18n.js";
import { signInOf } from "./league.js";
import { rulesField } from "./sheet.js";

const GAMES = { duel: "Kingdomino Duel", kingdomino: "Kingdomino" };

// Of a round: sheets for an event of one game, cards for one of the other.
const OF_ROUNDS = {
  "sheets.pdf": { label: () => t("Sheets with names and codes"), game: "duel" },
  "cards.pdf": { label: () => t("Cards for kingdoms"), game: "kingdomino" },
  "slips.pdf": { label: () => t("Result slips") },
};
const SAVED = {
  "standings.csv": () => t("Standings for a spreadsheet"),
  "results.csv": () => t("All results for a spreadsheet"),
  "report.html": () => t("Report with all sheets"),
  "archive.zip": () => t("Archive with all photos"),
};

const file = (name, label, query = "") =>
  h("a.button.wide download", { href: `api/publish/${name}${query}` }, label);

export function publishTab() {
  let last = null; // round
  let events = [];
  const round = h("select", { label: t("Round"), onchange: () => draw() });
  const print = h("section.card");
  const link = h("div.stack");
  const list = h("ul.people");
  const saved = Object.entries(SAVED).map(([name, label]) => h("li", file(name, label())));
  const element = h("div.publish.tiles", [
    h("div.stack", print, card(t("Public link"), link)),
    h("div.stack", card(t("Save"), h("ul", saved)), card(t("Events"), list, newEvent())),
    session.join && signInOf(),
  ]);
  function draw() {
    const played = events.find(({ open }) => open)?.game;
    const files = Object.entries(OF_ROUNDS).filter(([, { game }]) => !game || game === played);
    const line = ([name, { label }]) => h("li", file(name, label(), `?round=${round.value}`));
    put(print, [
      h("h2", t("Print")),
      last > 0 && h("label", t("Round"), " ", round),
      h("ul", [
        last > 0 && files.map(line),
        h("li", file("standings.pdf", t("Standings to post"))),
      ]),
    ]);
  }
  async function load() {
    const all = await get("api/events");
    events = all.events;
    draw();
    put(list, events.map(eventLine));
    put(link, linkTo(all.link));
  }
  function show(desk) {
    if (last === desk.last_round) return;
    if (last === null) attempt(load);
    last = desk.last_round;
    const rounds = upTo(last).map((n) => h("option", { value: n + 1 }, n + 1));
    put(round, rounds);
    round.value = String(last);
    draw();
  }
  return { element, show };
}

function linkTo(address) {
  const copy = () => copyLink(address);
  return [
    isLocal(address) && h("p.error-text", noPhones()),
    h("p", t("Whoever opens it sees the standings and the games, and nothing else.")),
    h("p.row", h("a", { href: address }, address), button([glyph("share"), t("Copy")], copy)),
  ];
}

function eventLine({ name, game, open }) {
  const others = () => [
    button(t("Open"), () => choose({ name })),
    button(t("Delete"), () => remove("")),
  ];
  const line = h("li", [
    h("span.seat", h("span", name), h("small", GAMES[game])),
    open ? h("em", t("open")) : others(),
  ]);
  // Refused until the event's name is typed: the error says so, and what it holds.
  async function remove(typed) {
    const error = await attempt(() => post("api/events/delete", { name, typed }));
    const again = error && prompt(explain(error));
    if (again) await remove(again.trim());
    else if (!error) line.remove();
  }
  return line;
}

function newEvent() {
  const name = input(t("Name of the event"), { required: true });
  const rules = rulesField(false, () => {});
  const show = () => rules.element.toggleAttribute("hidden", game.value !== "kingdomino");
  const game = select(t("Game"), Object.entries(GAMES), { onchange: show });
  show();
  const make = () => {
    const extra = rules.element.hidden ? {} : rules.chosen();
    choose({ name: name.value.trim(), game: game.value, ...extra });
  };
  return form("form.stack", make, [
    h("h3", t("New event")),
    h("div.row", [name, game, h("button.main", t("Make and open"))]),
    rules.element,
  ]);
}

// The page starts again with another event; this browser goes along, and all codes stay.
async function choose(event) {
  if (await attempt(() => post("api/events", event))) return;
  toast(t("The page starts again with this event …"));
  for (let tries = 0; tries < 60; tries += 1) {
    await pause(1);
    const { event: now } = await get("api/session", true).catch(() => ({}));
    if (now === event.name) break;
  }
  location.href = "desk";
}
