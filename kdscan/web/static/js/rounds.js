// Rounds and players of an event at the desk: pairing, publishing, results, walkovers, a clock; and
// who plays. Fields are created once and updated, so that nothing is drawn over what somebody types.

import { h, inUse, lines, put, typedPoints } from "./dom.js";
import { t, tn } from "./i18n.js";

const button = (label, doing, more = {}) =>
  h("button", { type: "button", class: "quiet", ...more, onclick: doing }, label);

// The stored value of a field, unless somebody typed another that was not kept yet.
function bring(field, value) {
  const typed = field.value !== field.defaultValue;
  field.defaultValue = value;
  if (!typed) field.value = value;
}

export function roundsTab(act) {
  const minutes = h("input", {
    type: "number",
    min: "1",
    max: "600",
    value: "30",
    required: true,
    "aria-label": t("Minutes"),
    inputmode: "numeric",
  });
  const pair = button("", () => act("/api/event/pair", {}), { class: "main" }),
    again = button("", () => act("/api/event/pair", { again: true }));
  const open = h("span", {}),
    stop = button(t("Stop"), () => act("/api/event/clock", { minutes: null }));
  const shown = [
    ["table", t("Standings")],
    ["pairings", t("Pairings")],
  ].map(([what, label]) => [
    what,
    button(label, () => act("/api/event/show", { what }), { class: "tab" }),
  ]);
  const none = h("p", { class: "none" }, t("Add the players, then pair the first round."));
  const begin = h("section", { class: "card controls-row" }),
    rounds = h("div", { class: "rounds" });
  const list = lines(
    rounds,
    ({ n }) => n,
    ({ n }) => roundOf(n, act),
  );
  let newest = 0;
  const tab = h(
    "div",
    { class: "rounds" },
    begin,
    h(
      "section",
      { class: "card controls-row" },
      h("strong", {}, t("Projector")),
      shown.map(([, one]) => one),
      h(
        "span",
        { class: "controls-row" },
        h("strong", {}, t("Clock")),
        minutes,
        button(
          t("Start"),
          () =>
            minutes.reportValidity() && act("/api/event/clock", { minutes: Number(minutes.value) }),
        ),
        stop,
      ),
    ),
  );
  function show({ last_round: last, rounds: planned, games: all, players, shown: what, clock }) {
    const now = all.filter((game) => game.round === last),
      playing = now.filter((game) => !game.finished).length;
    const begun = now.some((game) => game.seats.some((seat) => seat.total !== null));
    pair.textContent = last ? t("Pair round {n}", { n: last + 1 }) : t("Pair the first round");
    pair.disabled = playing > 0 || players.filter((one) => one.active).length < 2;
    again.textContent = t("Pair round {n} again", { n: last });
    open.textContent = playing
      ? tn("{n} table still playing", "{n} tables still playing", playing)
      : "";
    const over = planned !== null && last >= planned;
    put(
      begin,
      over ? h("span", {}, t("All rounds are paired.")) : pair,
      last > 0 && !begun && again,
      open,
    );
    for (const [name, one] of shown) one.setAttribute("aria-pressed", String(what === name));
    stop.hidden = !clock;
    // Newest first; when a round begins, only that one is open, and whatever somebody types in.
    list(
      Array.from({ length: last }, (_, before) => ({
        n: last - before,
        newest: last !== newest ? last : null,
        games: all.filter((game) => game.round === last - before),
        met: metAgain(all, last - before),
      })),
    );
    newest = last;
    put(tab, [...tab.children].slice(0, 2), last ? rounds : none);
  }
  return { element: wide(tab), show };
}

// Who sits at a table, two by two; whoever has a bye alone.
const pairs = ({ seats, bye }) => {
  const names = seats.map((seat) => seat.player).sort();
  return bye ? [names] : names.flatMap((one, n) => names.slice(n + 1).map((other) => [one, other]));
};

// What `kdscan pair` says of a round: who meets again, and a second bye.
function metAgain(all, n) {
  const before = new Set(
    all
      .filter((game) => game.round < n)
      .flatMap(pairs)
      .map((names) => names.join("\n")),
  );
  return all
    .filter((game) => game.round === n)
    .flatMap(pairs)
    .filter((names) => before.has(names.join("\n")))
    .map(([one, other]) =>
      other === undefined
        ? t("{player} has a bye again", { player: one })
        : t("{players} have met before", { players: `${one} – ${other}` }),
    );
}

function roundOf(n, act) {
  const games = h("ol", { class: "tables" }),
    met = h("div", { class: "none" }),
    element = h(
      "details",
      { class: "card" },
      h("summary", {}, h("h2", {}, t("Round {n}", { n }))),
      met,
      games,
    );
  const list = lines(
    games,
    (game) => `${game.table}-${game.seats.map((seat) => seat.player).join()}`,
    (game) => (game.bye ? bye(game) : table(game, act)),
  );
  return {
    element,
    show: (round) => {
      if (round.newest) element.open = n === round.newest || inUse(element);
      put(
        met,
        round.met.map((text) => h("p", {}, text)),
      );
      list(round.games);
    },
  };
}

// A tab that fills the whole place, without a queue.
export const wide = (tab) =>
  h("div", { class: "desk wide" }, h("div", { class: "desk-body" }, tab));

const bye = (game) => ({
  element: h(
    "li",
    {},
    h("span", { class: "table-number" }, String(game.table)),
    h("span", { class: "seat" }, game.seats[0].player),
    h("em", {}, t("bye")),
  ),
  show: () => {},
});

function table({ round, table: number, seats }, act) {
  const at = { round, table: number };
  const fields = seats.map(({ player }) =>
    h("input", {
      type: "number",
      min: "0",
      max: "999",
      inputmode: "numeric",
      name: player,
      "aria-label": t("Points of {name}", { name: player }),
    }),
  );
  const labels = seats.map(({ player }, n) =>
    h("label", { class: "seat" }, h("span", {}, player), fields[n]),
  );
  const kept = (sent) =>
    fields.forEach((one, n) => {
      if (one.value === sent[n]) one.defaultValue = one.value;
    });
  const keep = (what) => {
    const sent = fields.map((one) => one.value);
    act("/api/event/result", { ...at, ...what }, () => kept(sent));
  };
  const form = h(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        const points = typedPoints(fields);
        if (Object.keys(points).length) keep({ points });
      },
    },
    labels,
    h("button", { class: "quiet" }, t("Save")),
  );
  const more = h(
    "select",
    {
      "aria-label": t("More actions for table {n}", { n: number }),
      onchange: () => {
        const what = more.value;
        more.value = "";
        more.blur();
        keep(what === "withdraw" ? {} : { walkover: what });
      },
    },
    h("option", { value: "" }, "…"),
    seats.length === 2 &&
      seats.map(({ player }) =>
        h("option", { value: player }, t("Walkover: {name} wins", { name: player })),
      ),
    h("option", { value: "withdraw" }, t("Withdraw the result")),
  );
  const walkover = h("em", {}, t("walkover")),
    element = h(
      "li",
      {},
      h("span", { class: "table-number" }, String(number)),
      form,
      walkover,
      more,
    );
  return {
    element,
    show: (game) => {
      element.className = game.finished ? "" : "open";
      walkover.hidden = game.decided_by !== "walkover";
      game.seats.forEach((seat, n) => {
        labels[n].classList.toggle("won", game.winner === n);
        bring(fields[n], String(seat.total ?? ""));
      });
    },
  };
}

export function playersTab(act) {
  // A pasted list enters all its lines.
  const paste = (event) => {
    const names = event.clipboardData
      .getData("text")
      .split(/[\r\n]+/)
      .map((one) => one.trim())
      .filter(Boolean);
    if (names.length < 2) return;
    event.preventDefault();
    names.forEach((one) => act("/api/event/player", { name: one, active: true }));
  };
  const name = h("input", {
    type: "text",
    required: true,
    maxlength: "60",
    "aria-label": t("Name"),
    placeholder: t("Name"),
    autocomplete: "off",
    onpaste: paste,
  });
  const count = h("span", {}),
    people = h("ol", { class: "people" }),
    list = lines(
      people,
      (player) => player.number,
      ({ number }) => person(number, act),
    );
  const empty = h("li", { class: "none" }, t("No players yet."));
  const enter = (event) => {
    event.preventDefault();
    // Free for the next name at once; a refused name is put back.
    const entered = name.value;
    let kept = false;
    name.value = "";
    act("/api/event/player", { name: entered.trim(), active: true }, () => {
      kept = true;
    }).then(() => {
      if (!kept && !name.value) name.value = entered;
    });
  };
  const tab = h(
    "div",
    { class: "rounds" },
    h(
      "form",
      { class: "card controls-row", onsubmit: enter },
      name,
      h("button", { class: "main" }, t("Add")),
      count,
    ),
    h("section", { class: "card" }, people),
  );
  const show = ({ players }) => {
    const playing = players.filter((player) => player.active).length;
    count.textContent = tn("{n} player", "{n} players", playing);
    list(players, empty);
  };
  return { element: wide(tab), show };
}

function person(number, act) {
  let now;
  const name = h("span", { class: "seat" }),
    part = button("", () => act("/api/event/player", { name: now.name, active: !now.active }));
  const element = h("li", {}, h("span", { class: "table-number" }, String(number)), name, part);
  return {
    element,
    show: (player) => {
      now = player;
      element.className = player.active ? "" : "gone";
      name.textContent = player.name;
      part.textContent = player.active ? t("Drop out") : t("Rejoin");
      part.setAttribute(
        "aria-label",
        player.active
          ? t("Drop out: {name}", { name: player.name })
          : t("Rejoin: {name}", { name: player.name }),
      );
    },
  };
}
