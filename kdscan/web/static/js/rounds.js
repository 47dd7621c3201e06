// The rounds of an event at the desk: a line a table, the next pairing, the clock and the
// projector. Elements are created once and updated, so that nothing is drawn over what somebody
// types.

import { upTo } from "./board.js";
import { $, button, card, form, glyph, h, lines, menu, pointsInput, put, round } from "./dom.js";
import { tab, tabBar, typedPoints } from "./dom.js";
import { t, tn } from "./i18n.js";
import { byeText, crossTable, seatOf } from "./league.js";

const CROSS = "cross";

export function roundsTab(act) {
  let chosen = null; // a round that is looked at, or the cross table; null: the last round
  let byHand = null;
  let desk = null;
  const tabs = tabBar(t("Rounds"), (what) => {
    chosen = what === desk.last_round ? null : what;
    show(desk);
  });
  const next = nextRound(act, (again) => {
    byHand = pairingByHand(desk, again, act, () => {
      byHand = null;
      show(desk);
    });
    show(desk);
  });
  const parts = settings(act);
  const side = h("aside.tiles.round-side", [parts.map((part) => part.element)]);
  const made = new Map();
  const main = h("section.round-main");
  const top = h("div.row.round-top", tabs.element, next.element);
  const element = h("div.rounds.stack", top, main, side);

  function show(fresh) {
    desk = fresh;
    const { last_round: last, games } = desk;
    const at = chosen ?? last;
    const items = upTo(last).map((n) => [n + 1, t("Round {n}", { n: n + 1 })]);
    tabs.show(at, last > 0 ? [...items, [CROSS, t("Cross table")]] : []);
    for (const part of [next, ...parts]) part.show(desk);
    if (last && at !== CROSS && !made.has(at)) made.set(at, roundOf(at, act));
    for (const round of made.values()) round.show(desk);
    const cross = at === CROSS && crossTable(desk.players, games);
    const none = h("p.none", t("Add the players, then pair the first round."));
    put(main, byHand ?? (cross || (made.get(at)?.element ?? none)));
  }
  return { element, show };
}

const gamesOf = (games, n) => games.filter(({ round }) => round === n);

// What comes next: the pairing of a round, by itself or by hand.
function nextRound(act, byHand) {
  let desk, active, ready, again;
  const pair = (more = {}) => act({ type: "pair_round", ...more });
  const close = (closed) => () => act({ type: "close_event", closed });
  const closing = button(t("Close the event"), close(true));
  const reopening = button(t("Reopen the event"), close(false));
  const next = button("", () => pair(), { class: "main" });
  const open = h("span.none");
  const more = menu(t("More ways to pair"), () => {
    const { last_round: n, seats } = desk;
    const inOrder = () => pair({ tables: folded(active) });
    return [
      ready && !n && seats === 2 && [t("Pair in the order of the list"), inOrder],
      ready && [t("Pair by hand"), () => byHand(false)],
      again && [t("Pair round {n} again", { n }), () => pair({ again: true })],
      again && [t("Change round {n} by hand", { n }), () => byHand(true)],
    ];
  });
  function show(fresh) {
    desk = fresh;
    const { last_round: last, rounds: planned, games, players, closed } = desk;
    const now = gamesOf(games, last);
    const playing = now.filter((game) => !game.finished).length;
    const begun = now.some((game) => game.seats.some((seat) => seat.total !== null));
    const over = planned !== null && last >= planned;
    active = players.filter((one) => one.active);
    put(next, last ? t("Pair round {n}", { n: last + 1 }) : t("Pair the first round"));
    next.disabled = playing > 0 || active.length < 2;
    next.hidden = over || closed;
    closing.hidden = closed || !last || playing > 0;
    reopening.hidden = !closed;
    const still = playing && tn("{n} table still playing", "{n} tables still playing", playing);
    const paired = over && t("All rounds are paired.");
    const cards = desk.cards.length > 0 && `${t("To settle")}: ${desk.cards.length}`;
    put(open, closed ? t("final standings") : still || cards || paired);
    ready = !next.disabled && !over && !closed;
    again = last > 0 && !begun && !closed;
    more.hidden = !ready && !again;
  }
  return { element: h("div.row", open, next, closing, reopening, more), show };
}

// The first half of the list against the second, in its order; of an odd number the last has a bye.
function folded(active) {
  const names = active.map(({ name }) => name);
  const half = Math.floor(names.length / 2);
  const tables = names.slice(0, half).map((name, n) => [name, names[half + n]]);
  return names.length % 2 ? [...tables, [names.at(-1)]] : tables;
}

// One round: a line a table.
function roundOf(n, act) {
  const games = h("ol.tables");
  const met = h("div.none");
  const element = card(t("Round {n}", { n }), met, games);
  const keyOf = ({ table, bye_points: points, seats }) =>
    JSON.stringify([table, points, seats.map(({ player }) => player)]);
  const list = lines(games, keyOf, (game) => (game.bye ? byeOf(game) : tableOf(game, act)));
  function show(desk) {
    put(met, [desk.met[n - 1].map((names) => h("p", metText(names)))]);
    list(gamesOf(desk.games, n));
  }
  return { element, show };
}

const metText = (names) =>
  names.length > 1
    ? t("{players} have met before", { players: names.join(" – ") })
    : t("{player} has a bye again", { player: names[0] });

const numberOf = (n) => h("span.table-number", String(n));

function byeOf({ table, seats, bye_points: points }) {
  const seat = h("span.seat", seats[0].player);
  const element = h("li", numberOf(table), seat, h("em", byeText(points)));
  return { element, show: () => {} };
}

// A numbered line that turns into a form and back: {element, show(parts), edit(), close()}. save():
// sends what was typed in its fields, and closes it when that was kept.
export function formLine(number, fields, save) {
  let parts = [];
  let open = false;
  const cancel = () => {
    entry.reset();
    close();
  };
  const buttons = h("span.row", h("button.main", t("Save")), button(t("Cancel"), cancel));
  const entry = form("form.row", save, fields, buttons);
  const element = h("li");
  const shownNumber = numberOf(number);
  const draw = () => put(element, shownNumber, open ? entry : parts);
  const show = (fresh) => {
    parts = fresh;
    draw();
  };
  const edit = () => {
    open = true;
    draw();
    const inputs = [...entry.querySelectorAll("input")];
    const empty = inputs.find((one) => !one.value);
    if (empty) empty.focus();
    else inputs[0].select();
  };
  function close() {
    open = false;
    draw();
    $("button, summary", element)?.focus();
  }
  return { element, show, edit, close };
}

// A table: its result is a button that turns into fields; what is rarer is in its menu.
function tableOf({ round, table, seats }, act) {
  const keep = (what) => act({ round, table, ...what });
  const fields = seats.map(({ player }) =>
    pointsInput(player, { label: t("Points of {name}", { name: player }) }),
  );
  const save = async () => {
    const points = typedPoints(fields);
    const emptied = !Object.keys(points).length;
    const action = emptied ? { type: "withdraw_result" } : { type: "enter_result", points };
    if (!(await keep(action))) return;
    const typed = fields.some((one) => one.value !== one.defaultValue); // something else by now
    if (!typed) line.close();
  };
  const labels = seats.map(({ player }, n) => h("label.seat", h("span", player), fields[n]));
  const line = formLine(table, labels, save);
  const walkover = (label, winner) => [label, () => keep({ type: "walkover", winner })];
  const pair = seats.length === 2;
  const others = menu(t("More actions for table {n}", { n: table }), () => [
    ...seats.map(
      ({ player }) => pair && walkover(t("Walkover: {name} wins", { name: player }), player),
    ),
    pair && walkover(t("Both absent: both lose"), null),
    [t("Withdraw the result"), () => keep({ type: "withdraw_result" })],
  ]);
  const state = h("em.state");
  const result = h("button.result-line.bare type=button", { onclick: line.edit });
  function show(game) {
    line.element.className = game.finished ? "" : "open";
    const walked = game.winner === null ? t("both absent") : t("walkover");
    put(state, game.finished ? game.decided_by === "walkover" && walked : t("playing"));
    const between = () => h("span aria-hidden=true", pair ? ":" : "·");
    const side = (seat, n) => [n > 0 && between(), seatOf(seat, game.winner === n)];
    put(result, game.seats.map(side), glyph("edit"));
    game.seats.forEach((seat, n) => bring(fields[n], String(seat.total ?? "")));
    line.show([result, state, others]);
  }
  return { element: line.element, show };
}

// The stored value of a field, unless somebody typed another that was not kept yet.
function bring(field, value) {
  const typed = field.value !== field.defaultValue;
  field.defaultValue = value;
  if (!typed) field.value = value;
}

// What is set beside the rounds, each {element, show(desk)}.
function settings(act) {
  const rules = (more) => act({ type: "set_rules", ...more });
  const part = (title, show, inside) => ({
    element: h("section.card", h("h3", title), inside),
    show,
  });
  // One of several; labels: by value.
  const choice = (title, labels, current, set) => {
    const bar = tabBar(title, set);
    return part(title, (desk) => bar.show(current(desk), Object.entries(labels)), bar.element);
  };
  const number = (title, label, max, set, show, extra = null) => {
    const value = extra && "30";
    const field = h("input type=number min=1 inputmode=numeric required", { max, label, value });
    const enter = () => set(Number(field.value));
    const go = h("button", extra ? t("Start") : t("Set"));
    const fields = form("form.row", enter, [field, extra && label, go]);
    if (extra) fields.append(extra);
    return part(title, (desk) => show(desk, field), fields);
  };
  const run = (minutes) => act({ type: "start_clock", minutes });
  const stop = button(t("Stop"), () => run(null));
  const showClock = ({ clock }) => stop.toggleAttribute("hidden", !clock);
  const plan = (rounds) => rules({ rounds });
  const showRounds = ({ rounds }, field) => bring(field, String(rounds ?? ""));
  const shown = (what) => act({ type: "show", what });
  const views = { table: t("Standings"), pairings: t("Pairings"), sign_in: t("Sign in") };
  const halves = (points) => rules({ half_byes: points === "½" });
  const half = (desk) => (desk.half_byes ? "½" : "0");
  return [
    choice(t("Projector"), views, (desk) => desk.shown, shown),
    number(t("Clock"), t("Minutes"), 600, run, showClock, stop),
    number(t("Number of rounds"), t("Number of rounds"), 99, plan, showRounds),
    choice(t("Points of a requested bye"), { "½": "½", 0: "0" }, half, halves),
  ];
}

// Pairing a round by hand: tap two players to swap them, lock the tables that stay.

// again: the last round is changed, else the next one is paired. end(): it was, or is not wanted.
function pairingByHand(desk, again, act, end) {
  const { games, last_round: last, players, byes, seats: most } = desk;
  const n = again ? last : last + 1;
  const active = players.filter((one) => one.active);
  const names = (bye) =>
    active.filter(({ number }) => byes.includes(number) === bye).map(({ name }) => name);
  let tables = again
    ? gamesOf(games, last).map(({ seats }) => seats.map((seat) => seat.player))
    : [...seated(names(false), most), ...names(true).map((name) => [name])];
  const locked = new Set();
  let picked = null;
  const list = h("ol.tables");
  const keep = () =>
    act({ type: "pair_round", again, tables: tables.filter((seats) => seats.length) }, end);

  // Two players change places; with an empty place one moves.
  function swap(one, other) {
    const [a, b] = [one, other].map(([table, seat]) => tables[table][seat]);
    tables[one[0]][one[1]] = b;
    tables[other[0]][other[1]] = a;
    tables = tables.map((names) => names.filter(Boolean));
  }
  function pick(place) {
    if (picked) swap(picked, place);
    picked = picked ? null : place;
    draw();
  }
  function shuffle() {
    const names = tables.filter((_, k) => !locked.has(k)).flat();
    for (let k = names.length - 1; k > 0; k--) {
      const other = Math.floor(Math.random() * (k + 1));
      [names[k], names[other]] = [names[other], names[k]];
    }
    tables = tables.map((old, k) => (locked.has(k) ? old : names.splice(0, old.length)));
    draw();
  }
  function toggle(table) {
    if (!locked.delete(table)) locked.add(table);
    draw();
  }
  const seat = (table, k) =>
    tab(
      tables[table][k] ?? t("nobody"),
      () => pick([table, k]),
      picked?.[0] === table && picked?.[1] === k,
      { disabled: locked.has(table) },
    );
  function line(names, table) {
    const pressed = { "aria-pressed": String(locked.has(table)) };
    const label = t("Lock table {n}", { n: table + 1 });
    const seats = upTo(Math.max(most, names.length)).map((k) => seat(table, k));
    return h("li", [
      numberOf(table + 1),
      h("span.row", seats, names.length === 1 && h("em", t("bye"))),
      round("lock", label, () => toggle(table), pressed),
    ]);
  }
  const draw = () => put(list, tables.map(line));
  draw();
  return card(t("Round {n}", { n }), [
    h("p.none", t("Tap two players to swap them. Locked tables stay when the others are mixed.")),
    list,
    h("p.row", [
      button(t("Keep this pairing"), keep, { class: "main" }),
      button(t("Mix the others"), shuffle),
      button(t("Cancel"), end),
    ]),
  ]);
}

// At as few tables as possible, of nearly the same size.
function seated(names, seats) {
  const count = Math.ceil(names.length / seats);
  const cut = (n) => Math.floor((names.length * n) / count);
  return upTo(count).map((n) => names.slice(cut(n), cut(n + 1)));
}
