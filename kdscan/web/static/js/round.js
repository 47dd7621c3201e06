// One round at the desk: its tables, and for each the points, a walkover, or no result any more.

import { h, inUse, lines, pointsInput, put, typedPoints } from "./dom.js";
import { t } from "./i18n.js";

export function roundOf(n, act) {
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
