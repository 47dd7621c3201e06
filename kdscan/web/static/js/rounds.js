// Rounds and players of an event at the desk: pair, publish, results, walkovers, a clock; who plays.

import { h } from "./dom.js";
import { t, tn } from "./i18n.js";

export function roundsTab(desk, act) {
  const round = desk.last_round, games = desk.games.filter((game) => game.round === round);
  const open = games.filter((game) => !game.finished).length;
  const button = (label, doing, more = {}) => h("button", { type: "button", class: "quiet", ...more, onclick: doing }, label);
  const minutes = h("input", { type: "number", min: "1", max: "600", value: "30", "aria-label": t("Minutes"), inputmode: "numeric" });
  const begun = games.some((game) => game.seats.some((seat) => seat.total !== null));
  return h("div", { class: "rounds" },
    h("section", { class: "card controls-row" },
      button(round ? t("Pair round {n}", { n: round + 1 }) : t("Pair the first round"), () => act("/api/event/pair", {}), { class: "main", "data-key": "pair", disabled: open > 0 }),
      round > 0 && !begun && button(t("Pair round {n} anew", { n: round }), () => act("/api/event/pair", { again: true }), { "data-key": "again" }),
      open > 0 && h("span", {}, tn("{n} table still plays", "{n} tables still play", open))),
    h("section", { class: "card controls-row" }, h("strong", {}, t("Projector")),
      [["table", t("Table")], ["pairings", t("Who sits where")]].map(([what, label]) => h("button", { type: "button", class: "tab", "data-key": what, "aria-pressed": String(desk.shown === what), onclick: () => act("/api/event/show", { what }) }, label)),
      h("span", { class: "controls-row" }, h("strong", {}, t("Clock")), minutes, button(t("Start"), () => act("/api/event/clock", { minutes: Number(minutes.value) || 30 }), { "data-key": "clock" }),
        desk.clock && button(t("Stop"), () => act("/api/event/clock", { minutes: null }), { "data-key": "stop" }))),
    round > 0 && h("section", { class: "card" }, h("h2", {}, t("Round {n}", { n: round })),
      h("ol", { class: "tables" }, games.map((game) => table(game, act)))),
    !round && h("p", { class: "none" }, t("Enter the players, then pair the first round.")));
}

function table(game, act) {
  const at = { round: game.round, table: game.table };
  if (game.bye) return h("li", {}, h("span", { class: "table-number" }, String(game.table)), h("span", { class: "seat" }, game.seats[0].player), h("em", {}, t("bye")));
  const fields = game.seats.map((seat, n) => h("label", { class: game.winner === n ? "seat won" : "seat" }, h("span", {}, seat.player),
    h("input", { type: "number", min: "0", max: "999", inputmode: "numeric", value: seat.total ?? "", "data-player": seat.player, "data-key": `${game.table}-${n}`, "aria-label": t("Points of {name}", { name: seat.player }) })));
  const form = h("form", { onsubmit: (event) => {
    event.preventDefault();
    document.activeElement?.blur();
    const points = Object.fromEntries([...form.querySelectorAll("input")].filter((one) => one.value !== "").map((one) => [one.dataset.player, Number(one.value)]));
    if (Object.keys(points).length) act("/api/event/result", { ...at, points });
  } }, fields, h("button", { class: "quiet" }, t("Keep")));
  const more = h("select", { "aria-label": t("More for table {n}", { n: game.table }), onchange: () => {
    const what = more.value;
    more.value = "";
    more.blur();
    act("/api/event/result", what === "withdraw" ? at : { ...at, walkover: what });
  } }, h("option", { value: "" }, "…"), game.seats.map((seat) => h("option", { value: seat.player }, t("Walkover: {name} wins", { name: seat.player }))), h("option", { value: "withdraw" }, t("Withdraw the result")));
  return h("li", { class: game.finished ? "" : "open" }, h("span", { class: "table-number" }, String(game.table)), form, game.decided_by === "walkover" && h("em", {}, t("walkover")), more);
}

export function playersTab(desk, act) {
  const name = h("input", { type: "text", required: true, maxlength: "60", "aria-label": t("Name"), placeholder: t("Name"), "data-key": "name", autocomplete: "off" });
  const playing = desk.players.filter((player) => player.active).length;
  return h("div", { class: "rounds" },
    h("form", { class: "card controls-row", onsubmit: (event) => {
      event.preventDefault();
      const entered = name.value.trim();
      name.value = "";
      act("/api/event/player", { name: entered, active: true });
    } }, name, h("button", { class: "main" }, t("Add")), h("span", {}, tn("{n} player", "{n} players", playing))),
    h("section", { class: "card" }, desk.players.length ? h("ol", { class: "people" }, desk.players.map((player) => h("li", { class: player.active ? "" : "gone" },
      h("span", { class: "table-number" }, String(player.number)), h("span", { class: "seat" }, player.name),
      h("button", { type: "button", class: "quiet", "data-key": `part-${player.number}`, "aria-label": player.active ? t("{name} drops out", { name: player.name }) : t("{name} comes back", { name: player.name }),
        onclick: () => act("/api/event/player", { name: player.name, active: !player.active }) }, player.active ? t("Drops out") : t("Comes back")))))
      : h("p", { class: "none" }, t("Nobody is entered yet."))));
}
