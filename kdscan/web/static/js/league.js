// What the projector shows: standings, a round's games or pairings, or totals without rounds.

import { isLocal, noPhones, session } from "./api.js";
import { $, column, glyph, h, table } from "./dom.js";
import { language, t } from "./i18n.js";

// What decided a game where the points did not.
export const DECIDED = {
  largest_domain: () => t("equal points: by the larger domain"),
  crowns: () => t("equal points and domains: by crowns"),
  draw: () => t("equal points and equally large domains"),
};

// Halves as people write them: 2½. Thirds, of a table of four, with two digits.
const number = (n) =>
  n % 1 === 0.5
    ? `${Math.floor(n) || ""}½`
    : n.toLocaleString(language, { maximumFractionDigits: 2 });

// A bye that scores like a win needs no number.
export const byeText = (points) => (points === 1 ? t("bye") : `${t("bye")} ${number(points)}`);

const signed = (n) =>
  n
    .toLocaleString(language, { signDisplay: "exceptZero", maximumFractionDigits: 1 })
    .replace("-", "−");

const line = (leads, rank, name, ...cells) =>
  h("tr", { class: leads && "place-1" }, [
    h("td", leads && glyph("crown"), rank),
    h("th.name scope=row", name),
    cells,
  ]);

// names: of this phone, whose lines stand out.
export function standingsOf(rows, names = []) {
  const columns = [
    column("#"),
    column(t("Player"), { class: "name" }),
    column(t("Score")),
    column(t("Won, drawn, lost"), { class: "record" }),
    column(t("Spread"), { title: t("Points ahead of the opponents, without the best result") }),
  ];
  const row = ({ rank, player, score, wins, draws, losses, byes, bye_points: points, spread }) => {
    const leads = rank === 1 && wins + draws + losses > 0;
    const half = byes > 0 && points !== byes && ` (${number(points)})`;
    const free = byes > 0 && h("small", ` + ${byes} ${t("bye")}`, half);
    return line(
      leads,
      rank,
      names.includes(player) ? h("mark", player) : player,
      h("td.points", number(score)),
      h("td.record", `${wins} · ${draws} · ${losses}`, free),
      h("td", signed(spread)),
    );
  };
  return table("table.league.card", columns, rows.map(row));
}

export function totalsOf(rows) {
  const columns = [column("#"), column(t("Map"), { class: "name" }), column(t("Points"))];
  const row = ({ total, review, name }, n) => {
    const doubtful = h("span.doubtful", { title: t("please check") }, " ?");
    return line(false, n + 1, name, h("td.points", total, review && doubtful));
  };
  return table("table.league.card", columns, rows.map(row));
}

// Who played whom, with what result, from the rows' point of view.
export function crossTable(players, games) {
  const names = players.map(({ name }) => name);
  const cell = (row, column) =>
    games.map(({ round, seats, winner, finished }) => {
      const [mine, theirs] = [row, column].map((name) => seats.find((s) => s.player === name));
      if (!mine || !theirs) return null;
      const kind = winner === null ? "" : seats[winner] === mine ? "won" : "none";
      const title = t("Round {n}", { n: round });
      const without = finished ? (kind === "won" ? "+" : "−") : "…"; // a walkover has no points
      const points = mine.total === null ? without : `${mine.total}:${theirs.total ?? "–"}`;
      return h("span", { class: kind, title }, points);
    });
  const byesOf = (name) =>
    games.map(({ bye, seats, round, bye_points: points }) => {
      const title = t("Round {n}", { n: round });
      return bye && seats[0].player === name && h("span", { title }, number(points));
    });
  const line = (row, n) =>
    h("tr", [
      h("td", n + 1),
      h("th.name scope=row", row),
      names.map((other) => (row === other ? h("td.self") : h("td", cell(row, other)))),
      h("td", byesOf(row)),
    ]);
  const columns = ["", "", ...names.map((_, n) => n + 1), t("byes")].map((one) => column(one));
  const all = table("table", columns, names.map(line));
  return h("div.card.cross role=group tabindex=0", { label: t("Cross table") }, all); // it scrolls
}

// A player at a table, with the points if there are any.
export const seatOf = ({ player, total }, won, begun = true) =>
  h("span.seat", { class: won && "won" }, [
    won && glyph("crown"),
    h("span", player),
    begun && h("strong", String(total ?? "–")),
  ]);

export const gamesOf = (games) =>
  h("section.games", [
    h("h2", t("Round {n}", { n: games[0].round })),
    h("ul", games.map(gameLine)),
  ]);

function gameLine({ table, seats, winner, bye, bye_points: points, finished, decided_by: by }) {
  const begun = seats.some((one) => one.total !== null);
  return h("li", { class: finished ? "card" : "card open" }, [
    h("span.table-number", String(table)),
    seats.map((seat, n) => seatOf(seat, winner === n, begun)),
    bye && h("em", byeText(points)),
    DECIDED[by] && h("small", by === "draw" ? t("A draw") : DECIDED[by]()),
  ]);
}

// How others sign in: with the phone's own camera, or by the address and the code.
export const signInOf = () =>
  h("section.card.centred", [
    h("h2", t("Sign in")),
    isLocal(session.join) ? h("p.error-text", noPhones()) : invitation(),
  ]);

const invitation = () => [
  h("p", t("Scan the QR code with the phone's own camera, or type the code below it.")),
  h("img.invitation width=240 height=240", { src: "api/join.svg", alt: t("QR code to sign in") }),
  h("p.game-code", session.join.split("/").at(-1)),
  h("p", session.join),
];

// As people look for their own: before a comma, else the last word without "B" or "(Leeds)".
const SURNAME = /^[^,]+(?=,)| \S+(?= \p{L}\.?$)|\S+(?=( \(.*\))?$)/u;
const surname = (name) => SURNAME.exec(name)[0].trim();
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
  const at = name.lastIndexOf(last);
  return h("li", [
    h("span", name.slice(0, at), h("strong", last), name.slice(at + last.length)),
    h("span.against", game.bye ? t("bye") : others.join(", ")),
    h("span.table-number", game.bye ? "" : String(game.table)),
  ]);
}

// On a projector everything should be visible at once: smaller as long as it is readable from afar,
// else page by page.

export const isProjector = () => matchMedia("(min-width: 70rem)").matches;
const LISTS = ".league tbody, .games ul, .pairings ul";
const SCALES = [1, 0.92, 0.84, 0.76, 0.68, 0.62];
const SECONDS_A_PAGE = 12;
const FEWEST = 3; // rows of a page
let paging;

export function fit() {
  clearInterval(paging);
  const body = $(".standings, .pairings");
  const lists = [...document.querySelectorAll(LISTS)].map(({ children }) => [...children]);
  // The rows of a page, of which each list has as many as it needs, nearly equally long.
  const show = (most, page) => {
    for (const rows of lists) {
      const pages = Math.ceil(rows.length / most);
      const own = (n) => Math.floor((n * pages) / rows.length) === page % pages;
      rows.forEach((row, n) => row.classList.toggle("off", !own(n)));
    }
  };
  const longest = Math.max(FEWEST, ...lists.map((rows) => rows.length));
  let most = longest;
  show(most, 0);
  if (!body || !isProjector()) return;
  const bottom = () => body.getBoundingClientRect().bottom + scrollY;
  body.style.fontSize = "";
  const end = innerHeight - (document.documentElement.scrollHeight - bottom()); // of what follows
  const isShort = (_, page) => (show(most, page), bottom() <= end);
  const fits = (scale) => {
    body.style.fontSize = `calc(var(--from-afar) * ${scale})`;
    return Array.from({ length: Math.ceil(longest / most) }, isShort).every(Boolean);
  };
  while (!SCALES.some(fits) && most > FEWEST) most -= 1;
  // By the time since the page was opened: news must not bring the first page back.
  const turn = () => show(most, Math.floor(performance.now() / (1000 * SECONDS_A_PAGE)));
  turn();
  paging = setInterval(turn, 1000);
}
