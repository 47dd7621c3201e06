// The table for the projector; news come when there are some.

import { news } from "./api.js";
import { castle } from "./coats.js";
import { $, h, put, s } from "./dom.js";
import { language, t, tn } from "./i18n.js";

const place = $("#main");

const crown = (leads) => (leads ? h("span", { class: "crown", "aria-hidden": "true" }, "♛") : null);
const played = (row) => row.wins + row.draws + row.losses > 0;

const number = (n) => n.toLocaleString(language);

const table = (rows) => h("table", { class: "league card" },
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), h("th", { scope: "col", class: "name" }, t("Player")), h("th", { scope: "col" }, t("Score")),
    h("th", { scope: "col", class: "record" }, t("Won, drawn, lost")), h("th", { scope: "col" }, t("Spread")))),
  h("tbody", {}, rows.map((row) => h("tr", { class: row.rank <= 3 && played(row) ? `place-${row.rank}` : "" },
    h("td", { class: "rank" }, crown(row.rank === 1 && played(row)), String(row.rank)),
    h("th", { scope: "row", class: "name" }, row.player), h("td", { class: "points" }, number(row.score)),
    h("td", { class: "record" }, `${row.wins} · ${row.draws} · ${row.losses}`), h("td", {}, row.spread > 0 ? `+${row.spread}` : String(row.spread).replace("-", "−"))))));

const games = (list) => h("section", { class: "games" }, h("h2", {}, t("Round {n}", { n: list[0].round })),
  h("ul", {}, list.map((game) => h("li", { class: game.finished ? "card" : "card open" }, h("span", { class: "table-number" }, String(game.table)),
    game.seats.map((seat, n) => h("span", { class: game.winner === n ? "seat won" : "seat" }, h("span", {}, seat.player), game.seats.some((one) => one.total !== null) && h("strong", {}, seat.total ?? "–"))),
    game.bye ? h("em", {}, t("bye")) : null))));

const totals = (rows) => h("table", { class: "league card" },
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), h("th", { scope: "col", class: "name" }, t("Map")), h("th", { scope: "col" }, t("Points")))),
  h("tbody", {}, rows.map((row, n) => h("tr", { class: n < 3 ? `place-${n + 1}` : "" }, h("td", { class: "rank" }, crown(n === 0), String(n + 1)),
    h("th", { scope: "row", class: "name" }, row.name), h("td", { class: "points" }, String(row.total), row.review ? h("span", { class: "doubtful", title: t("please check") }, " ?") : "")))));

function draw(now) {
  const latest = now.games.length ? Math.max(...now.games.map((game) => game.round)) : null;
  put(place,
    h("header", { class: "standings-head" }, s("svg", { viewBox: "0 0 100 100", class: "emblem", "aria-hidden": "true" }, castle(true)),
      h("h1", { tabindex: "-1" }, now.event), h("p", {}, latest ? (now.played_round ? t("after round {n}", { n: now.played_round }) : t("before round 1")) : tn("{n} map", "{n} maps", now.totals.length))),
    h("div", { class: latest ? "standings two" : "standings" },
      now.standings.length ? table(now.standings) : now.totals.length ? totals(now.totals) : h("p", { class: "none" }, t("Nothing yet.")),
      latest ? games(now.games.filter((game) => game.round === latest)) : null));
}

news("/api/standings", draw);
