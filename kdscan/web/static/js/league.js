// What the projector shows: the standings, a round's games or pairings, or the totals of maps without
// rounds.

import { h, sign } from "./dom.js";
import { language, t } from "./i18n.js";

const crown = (leads) => (leads ? sign("♛", "crown") : null);

// Halves as people write them: 2½. Thirds, of a table of four, with two digits.
const number = (n) =>
  n % 1 === 0.5
    ? `${Math.floor(n) || ""}½`
    : n.toLocaleString(language, { maximumFractionDigits: 2 });

const signed = (n) =>
  n
    .toLocaleString(language, { signDisplay: "exceptZero", maximumFractionDigits: 1 })
    .replace("-", "−");

const column = (label, kind = null) => h("th", { scope: "col", class: kind }, label);

const league = (columns, rows) =>
  h("table.league.card", h("thead", h("tr", columns)), h("tbody", rows));

const line = (leads, rank, name, cells) =>
  h("tr", { class: leads && "place-1" }, [
    h("td", crown(leads), String(rank)),
    h("th.name", { scope: "row" }, name),
    cells,
  ]);

const played = (row) => row.wins + row.draws + row.losses > 0;

export const standingsOf = (rows) =>
  league(
    [
      column("#"),
      column(t("Player"), "name"),
      column(t("Score")),
      column(t("Won, drawn, lost"), "record"),
      column(t("Spread")),
    ],
    rows.map((row) =>
      line(row.rank === 1 && played(row), row.rank, row.player, [
        h("td.points", number(row.score)),
        h("td.record", `${row.wins} · ${row.draws} · ${row.losses}`),
        h("td", signed(row.spread)),
      ]),
    ),
  );

export const totalsOf = (rows) =>
  league(
    [column("#"), column(t("Map"), "name"), column(t("Points"))],
    rows.map((row, n) => {
      const doubtful = h("span.doubtful", { title: t("please check") }, " ?");
      const points = h("td.points", String(row.total), row.review && doubtful);
      return line(n === 0, n + 1, row.name, points);
    }),
  );

export const gamesOf = (games) =>
  h("section.games", [
    h("h2", t("Round {n}", { n: games[0].round })),
    h("ul", games.map(gameLine)),
  ]);

function gameLine({ table, seats, winner, bye, finished }) {
  const begun = seats.some((one) => one.total !== null);
  return h("li", { class: finished ? "card" : "card open" }, [
    h("span.table-number", String(table)),
    seats.map((seat, n) =>
      h("span", { class: winner === n ? "seat won" : "seat" }, [
        h("span", seat.player),
        begun && h("strong", seat.total ?? "–"),
      ]),
    ),
    bye && h("em", t("bye")),
  ]);
}

// Surnames first, as people look for their own: the last word, then the whole name.
const surname = (name) => name.trim().split(/\s+/).at(-1);
const compare = new Intl.Collator(language).compare;
const byName = (a, b) => compare(surname(a.name), surname(b.name)) || compare(a.name, b.name);

const seatsOf = (game) =>
  game.seats.map((seat, n) => ({
    game,
    name: seat.player,
    others: game.seats.filter((_, k) => k !== n).map((one) => one.player),
  }));

export const pairingsOf = (games) =>
  h("section.pairings", [h("ul", games.flatMap(seatsOf).sort(byName).map(pairingLine))]);

function pairingLine({ game, name, others }) {
  const last = surname(name);
  return h("li", [
    h("span", name.slice(0, name.lastIndexOf(last)), h("strong", last)),
    h("span.against", game.bye ? t("bye") : others.join(", ")),
    h("span.table-number", game.bye ? "" : String(game.table)),
  ]);
}
