// The rounds of an event at the desk: pairing them, the clock, and what the projector shows. Elements are
// created once and updated, so that nothing is drawn over what somebody types.

import { button, h, inUse, lines, pointsInput, put, typedPoints } from "./dom.js";
import { t, tn } from "./i18n.js";

export function roundsTab(act) {
  const pairing = pairingOf(act);
  const projector = projectorOf(act);
  const none = h("p.none", t("Add the players, then pair the first round."));
  const rounds = h("div.rounds");
  const element = h("div.rounds", pairing.element, projector.element);
  const list = lines(
    rounds,
    ({ n }) => n,
    ({ n }) => roundOf(n, act),
  );
  let newest = 0;
  function show(desk) {
    const { last_round: last, games } = desk;
    pairing.show(desk);
    projector.show(desk);
    // Newest first; when a round begins, only that one is open, and whatever somebody types in.
    list(
      Array.from({ length: last }, (_, before) => ({
        n: last - before,
        newest: last !== newest ? last : null,
        games: games.filter((game) => game.round === last - before),
        met: metAgain(games, last - before),
      })),
    );
    newest = last;
    put(element, pairing.element, projector.element, last ? rounds : none);
  }
  return { element, show };
}

function pairingOf(act) {
  const pair = button("", () => act({ type: "pair_round" }), { class: "main" });
  const again = button("", () => act({ type: "pair_round", again: true }));
  const open = h("span");
  const element = h("section.card.controls-row");
  function show({ last_round: last, rounds: planned, games, players }) {
    const now = games.filter((game) => game.round === last);
    const playing = now.filter((game) => !game.finished).length;
    const begun = now.some((game) => game.seats.some((seat) => seat.total !== null));
    const over = planned !== null && last >= planned;
    pair.textContent = last ? t("Pair round {n}", { n: last + 1 }) : t("Pair the first round");
    pair.disabled = playing > 0 || players.filter((one) => one.active).length < 2;
    again.textContent = t("Pair round {n} again", { n: last });
    open.textContent = playing
      ? tn("{n} table still playing", "{n} tables still playing", playing)
      : "";
    put(
      element,
      over ? h("span", t("All rounds are paired.")) : pair,
      last > 0 && !begun && again,
      open,
    );
  }
  return { element, show };
}

function projectorOf(act) {
  const view = (what, label) => button(label, () => act({ type: "show", what }), { class: "tab" });
  const views = { table: view("table", t("Standings")), pairings: view("pairings", t("Pairings")) };
  const clock = clockOf(act);
  const element = h("section.card.controls-row", [
    h("strong", t("Projector")),
    Object.values(views),
    clock.element,
  ]);
  function show(desk) {
    for (const [what, one] of Object.entries(views))
      one.setAttribute("aria-pressed", String(what === desk.shown));
    clock.show(desk);
  }
  return { element, show };
}

function clockOf(act) {
  const minutes = h("input", {
    type: "number",
    min: "1",
    max: "600",
    value: "30",
    required: true,
    "aria-label": t("Minutes"),
    inputmode: "numeric",
  });
  const set = (to) => act({ type: "start_clock", minutes: to });
  const start = button(t("Start"), () => minutes.reportValidity() && set(Number(minutes.value)));
  const stop = button(t("Stop"), () => set(null));
  const element = h("span.controls-row", [h("strong", t("Clock")), minutes, start, stop]);
  const show = ({ clock }) => {
    stop.hidden = !clock;
  };
  return { element, show };
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
  return games
    .filter((game) => game.round === n)
    .flatMap(pairs)
    .filter((names) => before.has(keyOf(names)))
    .map(([one, other]) =>
      other === undefined
        ? t("{player} has a bye again", { player: one })
        : t("{players} have met before", { players: `${one} – ${other}` }),
    );
}

// One round at the desk: its tables, and for each the points, a walkover, or no result any more.

function roundOf(n, act) {
  const games = h("ol.tables");
  const met = h("div.none");
  const title = h("summary", h("h2", t("Round {n}", { n })));
  const element = h("details.card", title, met, games);
  const list = lines(
    games,
    (game) => `${game.table}-${game.seats.map((seat) => seat.player).join()}`,
    (game) => (game.bye ? byeOf(game) : tableOf(game, act)),
  );
  function show(round) {
    if (round.newest) element.open = n === round.newest || inUse(element);
    put(
      met,
      round.met.map((text) => h("p", text)),
    );
    list(round.games);
  }
  return { element, show };
}

const numberOf = (n) => h("span.table-number", String(n));

function byeOf({ table, seats }) {
  const player = h("span.seat", seats[0].player);
  const element = h("li", numberOf(table), player, h("em", t("bye")));
  return { element, show: () => {} };
}

function tableOf({ round, table, seats }, act) {
  const fields = seats.map(({ player }) => pointsField(player));
  const labels = seats.map(({ player }, n) => h("label.seat", h("span", player), fields[n]));
  const keep = (what) => {
    const sent = fields.map((one) => one.value);
    act({ round, table, ...what }, () => kept(fields, sent));
  };
  const save = (event) => {
    event.preventDefault();
    const points = typedPoints(fields);
    if (Object.keys(points).length) keep({ type: "enter_result", points });
  };
  const form = h("form", { onsubmit: save }, labels, h("button.quiet", t("Save")));
  const walkover = h("em", t("walkover"));
  const element = h("li", numberOf(table), form, walkover, moreActions(table, seats, keep));
  function show(game) {
    element.className = game.finished ? "" : "open";
    walkover.hidden = game.decided_by !== "walkover";
    game.seats.forEach((seat, n) => {
      labels[n].classList.toggle("won", game.winner === n);
      bring(fields[n], String(seat.total ?? ""));
    });
  }
  return { element, show };
}

const pointsField = (player) =>
  pointsInput(player, { "aria-label": t("Points of {name}", { name: player }) });

// What was sent is the stored value now, where nobody typed on meanwhile.
function kept(fields, sent) {
  fields.forEach((one, n) => {
    if (one.value === sent[n]) one.defaultValue = one.value;
  });
}

// The stored value of a field, unless somebody typed another that was not kept yet.
function bring(field, value) {
  const typed = field.value !== field.defaultValue;
  field.defaultValue = value;
  if (!typed) field.value = value;
}

const ACTIONS = {
  withdraw: { type: "withdraw_result" },
  forfeit: { type: "walkover", winner: null },
};

function moreActions(table, seats, keep) {
  const choose = () => {
    const what = more.value;
    more.value = "";
    more.blur();
    keep(ACTIONS[what] ?? { type: "walkover", winner: what });
  };
  const walkovers = seats.map(({ player }) =>
    h("option", { value: player }, t("Walkover: {name} wins", { name: player })),
  );
  const more = h(
    "select",
    { "aria-label": t("More actions for table {n}", { n: table }), onchange: choose },

    h("option", { value: "" }, "…"),
    seats.length === 2 && walkovers,
    seats.length === 2 && h("option", { value: "forfeit" }, t("Both absent: both lose")),
    h("option", { value: "withdraw" }, t("Withdraw the result")),
  );
  return more;
}
