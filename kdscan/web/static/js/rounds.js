// The rounds of an event at the desk: a line a table with its state, the next pairing, the clock and
// what the projector shows. Elements are created once and updated, so that nothing is drawn over what
// somebody types.

import { button, h, inUse, lines, pointsInput, put, sign, typedPoints } from "./dom.js";
import { t, tn } from "./i18n.js";
import { glyph, menu } from "./icons.js";
import { byeText, crossTable } from "./league.js";
import { pairingByHand } from "./pairing.js";

export function roundsTab(act) {
  let chosen = null; // a round that is looked at; null: the last one, "cross": the cross table
  let byHand = null;
  let desk = null;
  const tabs = h("div.tabs", { role: "group", "aria-label": t("Rounds") });
  const next = nextRound(act, (again) => {
    byHand = pairingByHand(desk, again, act, () => {
      byHand = null;
      show(desk);
    });
    show(desk);
  });
  const side = h("aside.round-side", projectorOf(act), clockOf(act), plannedOf(act), byesOf(act));
  const made = new Map();
  const roundAt = (n) => {
    if (!made.has(n)) made.set(n, roundOf(n, act));
    return made.get(n);
  };
  const main = h("section.round-main");
  const element = h("div.rounds", [h("div.round-top", tabs, next.element), main, side]);

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
    for (const part of side.children) part.show(desk);
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
  const pair = (more = {}) => act({ type: "pair_round", ...more });
  const close = (closed) => () => act({ type: "close_event", closed });
  const next = button("", () => pair(), { class: "main" });
  const open = h("span.none");
  const element = h("div.controls-row");
  function show({ last_round: last, rounds: planned, games, players, seats, closed }) {
    const now = gamesOf(games, last);
    const playing = now.filter((game) => !game.finished).length;
    const begun = now.some((game) => game.seats.some((seat) => seat.total !== null));
    const over = planned !== null && last >= planned;
    const active = players.filter((one) => one.active);
    next.textContent = last ? t("Pair round {n}", { n: last + 1 }) : t("Pair the first round");
    next.disabled = playing > 0 || active.length < 2;
    open.textContent = playing
      ? tn("{n} table still playing", "{n} tables still playing", playing)
      : over
        ? t("All rounds are paired.")
        : "";
    const ready = !next.disabled && !over;
    const again = last > 0 && !begun;
    if (closed) {
      put(element, [h("strong", t("final standings")), button(t("Reopen the event"), close(false))]);
      return;
    }
    put(element, [
      open,
      !over && next,
      last > 0 && !playing && button(t("Close the event"), close(true)),
      (ready || again) &&
        menu(t("More ways to pair"), [
          ready &&
            !last &&
            seats === 2 && [
              t("Pair in the order of the list"),
              () => pair({ tables: folded(active) }),
            ],
          ready && [t("Pair by hand"), () => byHand(false)],
          again && [t("Pair round {n} again", { n: last }), () => pair({ again: true })],
          again && [t("Change round {n} by hand", { n: last }), () => byHand(true)],
        ]),
    ]);
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
    put(
      met,
      again.map((text) => h("p", text)),
    );
    list(shown);
  }
  return { element, show };
}

const numberOf = (n) => h("span.table-number", String(n));

function byeOf({ table, seats, bye_points: points }) {
  const element = h("li", [numberOf(table), h("span.seat", seats[0].player), h("em", byeText(points))]);
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
  const save = (event) => {
    event.preventDefault();
    const sent = fields.map((one) => one.value);
    const points = typedPoints(fields);
    if (!Object.keys(points).length) return close();
    keep({ type: "enter_result", points }, () => {
      fields.forEach((one, n) => {
        if (one.value === sent[n]) one.defaultValue = one.value;
      });
      if (!inUse(form) || form.contains(document.activeElement)) close();
    });
  };
  const form = h("form", { onsubmit: save }, [
    seats.map(({ player }, n) => h("label.seat", h("span", player), fields[n])),
    h("button.main", t("Save")),
    button(t("Cancel"), () => {
      fields.forEach((one) => {
        one.value = one.defaultValue;
      });
      close();
    }),
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
  const others = menu(t("More actions for table {n}", { n: table }), [
    seats.length === 2 && [
      ...seats.map(({ player }) => [
        t("Walkover: {name} wins", { name: player }),
        () => keep({ type: "walkover", winner: player }),
      ]),
      [t("Both absent: both lose"), () => keep({ type: "walkover", winner: null })],
    ],
    [t("Withdraw the result"), () => keep({ type: "withdraw_result" })],
  ]);
  const state = h("em.state");
  const result = h("button.result-line", { type: "button", onclick: open });
  const element = h("li");
  function draw() {
    put(element, numberOf(table), typing ? form : [result, state, others]);
  }
  function show(fresh) {
    game = fresh;
    element.className = game.finished ? "" : "open";
    state.textContent = game.finished
      ? game.decided_by === "walkover"
        ? t("walkover")
        : ""
      : t("playing");
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
  const view = (what, label) => button(label, () => act({ type: "show", what }), { class: "tab" });
  const views = { table: view("table", t("Standings")), pairings: view("pairings", t("Pairings")) };
  return part(t("Projector"), h("div.controls-row", Object.values(views)), (desk) => {
    for (const [what, one] of Object.entries(views))
      one.setAttribute("aria-pressed", String(what === desk.shown));
  });
}

const numberField = (label, most, value) =>
  h("input type=number min=1 inputmode=numeric", { max: String(most), value, "aria-label": label });

function clockOf(act) {
  const minutes = numberField(t("Minutes"), 600, "30");
  minutes.required = true;
  const set = (to) => act({ type: "start_clock", minutes: to });
  const start = button(t("Start"), () => minutes.reportValidity() && set(Number(minutes.value)));
  const stop = button(t("Stop"), () => set(null));
  return part(t("Clock"), h("div.controls-row", minutes, start, stop), ({ clock }) => {
    stop.hidden = !clock;
  });
}

function plannedOf(act) {
  const rounds = numberField(t("Number of rounds"), 99, "");
  const set = () => rounds.value && act({ type: "set_rules", rounds: Number(rounds.value) });
  return part(
    t("Number of rounds"),
    h("div.controls-row", rounds, button(t("Set"), set)),
    ({ rounds: planned }) => bring(rounds, String(planned ?? "")),
  );
}

function byesOf(act) {
  const scores = (half) =>
    button(half ? "½" : "0", () => act({ type: "set_rules", half_byes: half }), { class: "tab" });
  const choices = [scores(true), scores(false)];
  return part(t("Points of a requested bye"), h("div.controls-row", choices), (desk) => {
    choices.forEach((one, n) => one.setAttribute("aria-pressed", String(desk.half_byes === !n)));
  });
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
