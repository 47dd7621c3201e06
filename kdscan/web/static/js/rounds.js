// The rounds of an event at the desk: a line a table with its state, the next pairing, the clock and
// what the projector shows. Elements are created once and updated, so that nothing is drawn over what
// somebody types.

import {
  button,
  form,
  glyph,
  h,
  inUse,
  lines,
  menu,
  pointsInput,
  put,
  round,
  sign,
  tabBar,
  typedPoints,
} from "./dom.js";
import { t, tn } from "./i18n.js";
import { byeText, crossTable } from "./league.js";

export function roundsTab(act) {
  let chosen = null; // a round that is looked at; null: the last one, "cross": the cross table
  let byHand = null;
  let desk = null;
  const tabs = h("div.tabs.row", { role: "group", "aria-label": t("Rounds") });
  const next = nextRound(act, (again) => {
    byHand = pairingByHand(desk, again, act, () => {
      byHand = null;
      show(desk);
    });
    show(desk);
  });
  const parts = [projectorOf, clockOf, plannedOf, byesOf].map((partOf) => partOf(act));
  const side = h("aside.tiles.round-side", parts);
  const made = new Map();
  const roundAt = (n) => {
    if (!made.has(n)) made.set(n, roundOf(n, act));
    return made.get(n);
  };
  const main = h("section.round-main");
  const element = h("div.rounds.stack", [h("div.row.round-top", tabs, next.element), main, side]);

  function show(fresh) {
    desk = fresh;
    const { last_round: last, games } = desk;
    const at = chosen ?? last;
    const choose = (what) => () => {
      chosen = what === last ? null : what;
      show(desk);
    };
    const tab = (label, what) =>
      button(label, choose(what), { class: "tab", "aria-pressed": String(at === what) });
    put(
      tabs,
      Array.from({ length: last }, (_, n) => tab(t("Round {n}", { n: n + 1 }), n + 1)),
      last > 0 && tab(t("Cross table"), "cross"),
    );
    next.show(desk);
    for (const part of parts) part.show(desk);
    for (const [n, round] of made) round.show(gamesOf(games, n), metAgain(games, n));
    if (byHand) put(main, byHand);
    else if (at === "cross") put(main, crossTable(desk.players, games));
    else if (!last) put(main, h("p.none", t("Add the players, then pair the first round.")));
    else {
      const round = roundAt(at);
      round.show(gamesOf(games, at), metAgain(games, at));
      put(main, round.element);
    }
  }
  return { element, show };
}

const gamesOf = (games, n) => games.filter(({ round }) => round === n);

// What comes next: the pairing of a round, by itself or by hand.
function nextRound(act, byHand) {
  let desk, active, ready, again;
  const pair = (more = {}) => act({ type: "pair_round", ...more });
  const close = (label, closed) => button(label, () => act({ type: "close_event", closed }));
  const [closing, reopening] = [
    close(t("Close the event"), true),
    close(t("Reopen the event"), false),
  ];
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
  const element = h("div.row", open, next, closing, reopening, more);
  function show(fresh) {
    desk = fresh;
    const { last_round: last, rounds: planned, games, players, closed } = desk;
    const now = gamesOf(games, last);
    const playing = now.filter((game) => !game.finished).length;
    const begun = now.some((game) => game.seats.some((seat) => seat.total !== null));
    const over = planned !== null && last >= planned;
    active = players.filter((one) => one.active);
    next.textContent = last ? t("Pair round {n}", { n: last + 1 }) : t("Pair the first round");
    next.disabled = playing > 0 || active.length < 2;
    next.hidden = over || closed;
    closing.hidden = closed || !last || playing > 0;
    reopening.hidden = !closed;
    const still = playing && tn("{n} table still playing", "{n} tables still playing", playing);
    const paired = over ? t("All rounds are paired.") : "";
    open.textContent = closed ? t("final standings") : still || paired;
    ready = !next.disabled && !over && !closed;
    again = last > 0 && !begun && !closed;
    more.hidden = !ready && !again;
  }
  return { element, show };
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
  const element = h("section.card", h("h2", t("Round {n}", { n })), met, games);
  const list = lines(
    games,
    (game) => `${game.table}-${game.bye_points}-${game.seats.map((seat) => seat.player).join()}`,
    (game) => (game.bye ? byeOf(game) : tableOf(game, act)),
  );
  function show(shown, again) {
    const warnings = again.map((text) => h("p", text));
    put(met, warnings);
    list(shown);
  }
  return { element, show };
}

const numberOf = (n) => h("span.table-number", String(n));

function byeOf({ table, seats, bye_points: points }) {
  const seat = h("span.seat", seats[0].player);
  const element = h("li", numberOf(table), seat, h("em", byeText(points)));
  return { element, show: () => {} };
}

// A table: its result is a button that turns into fields; what is rarer is in its menu.
function tableOf({ round, table, seats }, act) {
  const keep = (what, done = () => {}) => act({ round, table, ...what }, done);
  let game = null;
  let typing = false;
  const fields = seats.map(({ player }) =>
    pointsInput(player, { "aria-label": t("Points of {name}", { name: player }) }),
  );
  const save = () => {
    const sent = fields.map((one) => one.value);
    const points = typedPoints(fields);
    if (!Object.keys(points).length) return close();
    keep({ type: "enter_result", points }, () => {
      fields.forEach((one, n) => {
        if (one.value === sent[n]) one.defaultValue = one.value;
      });
      if (!inUse(entry) || entry.contains(document.activeElement)) close();
    });
  };
  const cancel = () => {
    entry.reset();
    close();
  };
  const entry = form("form.row", save, [
    seats.map(({ player }, n) => h("label.seat", h("span", player), fields[n])),
    h("span.row", h("button.main", t("Save")), button(t("Cancel"), cancel)),
  ]);
  const open = () => {
    typing = true;
    draw();
    fields.find((one) => !one.value)?.focus() ?? fields[0].select();
  };
  function close() {
    typing = false;
    draw();
    element.querySelector("button")?.focus();
  }
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
  const result = h("button.result-line.bare type=button", { onclick: open });
  const element = h("li");
  function draw() {
    put(element, numberOf(table), typing ? entry : [result, state, others]);
  }
  function show(fresh) {
    game = fresh;
    element.className = game.finished ? "" : "open";
    const ended = game.decided_by === "walkover" ? t("walkover") : "";
    state.textContent = game.finished ? ended : t("playing");
    const side = ({ player, total }, n) => [
      n > 0 && sign(seats.length === 2 ? ":" : "·"),
      h("span.seat", { class: game.winner === n && "won" }, [
        game.winner === n && glyph("crown"),
        h("span", player),
        h("strong", total === null ? "–" : String(total)),
      ]),
    ];
    put(result, game.seats.map(side), glyph("edit"));
    game.seats.forEach((seat, n) => bring(fields[n], String(seat.total ?? "")));
    draw();
  }
  return { element, show };
}

// The stored value of a field, unless somebody typed another that was not kept yet.
function bring(field, value) {
  const typed = field.value !== field.defaultValue;
  field.defaultValue = value;
  if (!typed) field.value = value;
}

// A part of the column beside the rounds.
function part(title, children, show) {
  const element = h("section.card", [h("h3", title), children]);
  element.show = show;
  return element;
}

function projectorOf(act) {
  const views = [
    ["table", t("Standings")],
    ["pairings", t("Pairings")],
  ];
  const bar = tabBar(t("Projector"), views, (what) => act({ type: "show", what }));
  return part(t("Projector"), bar.element, (desk) => bar.show(desk.shown));
}

const numberInput = (label, most, value) =>
  h("input type=number min=1 inputmode=numeric required", {
    max: most,
    value,
    "aria-label": label,
  });

function clockOf(act) {
  const minutes = numberInput(t("Minutes"), 600, "30");
  const set = (to) => act({ type: "start_clock", minutes: to });
  const stop = button(t("Stop"), () => set(null));
  const fields = form("form.row", () => set(Number(minutes.value)), [
    minutes,
    h("button", t("Start")),
    stop,
  ]);
  return part(t("Clock"), fields, ({ clock }) => {
    stop.hidden = !clock;
  });
}

function plannedOf(act) {
  const rounds = numberInput(t("Number of rounds"), 99, "");
  const set = () => act({ type: "set_rules", rounds: Number(rounds.value) });
  const fields = form("form.row", set, rounds, h("button", t("Set")));
  return part(t("Number of rounds"), fields, (desk) => bring(rounds, String(desk.rounds ?? "")));
}

function byesOf(act) {
  const scores = [
    [true, "½"],
    [false, "0"],
  ];
  const title = t("Points of a requested bye");
  const bar = tabBar(title, scores, (half) => act({ type: "set_rules", half_byes: half }));
  return part(title, bar.element, (desk) => bar.show(desk.half_byes));
}

// Who sits at a table, two by two; whoever has a bye alone.
function pairs({ seats, bye }) {
  const names = seats.map((seat) => seat.player).sort();
  if (bye) return [names];
  return names.flatMap((one, n) => names.slice(n + 1).map((other) => [one, other]));
}

// What `kdscan pair` says of a round: who meets again, and a second bye.
function metAgain(games, n) {
  const keyOf = (names) => names.join("\n");
  const earlier = games.filter((game) => game.round < n);
  const before = new Set(earlier.flatMap(pairs).map(keyOf));
  return gamesOf(games, n)
    .flatMap(pairs)
    .filter((names) => before.has(keyOf(names)))
    .map(([one, other]) =>
      other === undefined
        ? t("{player} has a bye again", { player: one })
        : t("{players} have met before", { players: `${one} – ${other}` }),
    );
}

// Pairing a round by hand: tap two players to swap them, lock the tables that stay.

// desk: its state. again: the last round is changed, else the next one is paired. end(): it was paired,
// or is not wanted.
function pairingByHand(desk, again, act, end) {
  const { games, last_round: last, players, byes, seats: most } = desk;
  const n = again ? last : last + 1;
  const active = players.filter((one) => one.active);
  const names = (bye) =>
    active.filter(({ number }) => byes.includes(number) === bye).map(({ name }) => name);
  let tables = again
    ? games.filter((game) => game.round === last).map(({ seats }) => seats.map((s) => s.player))
    : [...seated(names(false), most), ...names(true).map((name) => [name])];
  const locked = new Set();
  let picked = null;
  const list = h("ol.tables");
  const keep = () =>
    act({ type: "pair_round", again, tables: tables.filter((seats) => seats.length) }, end);

  // Two players change places; with an empty place one moves.
  function swap(one, other) {
    const at = ([table, seat]) => tables[table][seat];
    const [a, b] = [at(one), at(other)];
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
    const free = tables.filter((_, k) => !locked.has(k));
    const names = free.flat();
    for (let k = names.length - 1; k > 0; k--) {
      const other = Math.floor(Math.random() * (k + 1));
      [names[k], names[other]] = [names[other], names[k]];
    }
    tables = tables.map((old, k) => (locked.has(k) ? old : names.splice(0, old.length)));
    draw();
  }
  const seat = (table, k) =>
    button(tables[table][k] ?? t("nobody"), () => pick([table, k]), {
      class: "tab",
      disabled: locked.has(table),
      "aria-pressed": String(picked?.[0] === table && picked?.[1] === k),
    });
  function line(names, table) {
    const toggle = () => {
      if (!locked.delete(table)) locked.add(table);
      draw();
    };
    const lock = round("lock", t("Lock table {n}", { n: table + 1 }), toggle, {
      "aria-pressed": String(locked.has(table)),
    });
    const seats = Math.max(most, names.length);
    return h("li", [
      h("span.table-number", String(table + 1)),
      h("span.row", [
        Array.from({ length: seats }, (_, k) => seat(table, k)),
        names.length === 1 && h("em", t("bye")),
      ]),
      lock,
    ]);
  }
  const draw = () => put(list, tables.map(line));
  draw();
  return h("section.card", [
    h("h2", t("Round {n}", { n })),
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
  return Array.from({ length: count }, (_, n) => names.slice(cut(n), cut(n + 1)));
}
