// The table for the projector, updated when something changes.

import { poll, serverTime } from "./api.js";
import { emblem } from "./coats.js";
import { $, h, put, sign } from "./dom.js";
import { language, t, tn } from "./i18n.js";

const place = $("#main");

const crown = (leads) => (leads ? sign("♛", "crown") : null);
const played = (row) => row.wins + row.draws + row.losses > 0;

// Halves as people write them: 2½. Thirds, of a table of four, with two digits.
const number = (n) =>
  n % 1 === 0.5
    ? `${Math.floor(n) || ""}½`
    : n.toLocaleString(language, { maximumFractionDigits: 2 });

const signed = (n) =>
  n
    .toLocaleString(language, { signDisplay: "exceptZero", maximumFractionDigits: 1 })
    .replace("-", "−");

const table = (rows) =>
  h(
    "table",
    { class: "league card" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "#"),
        h("th", { scope: "col", class: "name" }, t("Player")),
        h("th", { scope: "col" }, t("Score")),
        h("th", { scope: "col", class: "record" }, t("Won, drawn, lost")),
        h("th", { scope: "col" }, t("Spread")),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          { class: row.rank === 1 && played(row) && "place-1" },
          h("td", {}, crown(row.rank === 1 && played(row)), String(row.rank)),
          h("th", { scope: "row", class: "name" }, row.player),
          h("td", { class: "points" }, number(row.score)),
          h("td", { class: "record" }, `${row.wins} · ${row.draws} · ${row.losses}`),
          h("td", {}, signed(row.spread)),
        ),
      ),
    ),
  );

const games = (list) =>
  h(
    "section",
    { class: "games" },
    h("h2", {}, t("Round {n}", { n: list[0].round })),
    h(
      "ul",
      {},
      list.map((game) =>
        h(
          "li",
          { class: game.finished ? "card" : "card open" },
          h("span", { class: "table-number" }, String(game.table)),
          game.seats.map((seat, n) =>
            h(
              "span",
              { class: game.winner === n ? "seat won" : "seat" },
              h("span", {}, seat.player),
              game.seats.some((one) => one.total !== null) && h("strong", {}, seat.total ?? "–"),
            ),
          ),
          game.bye ? h("em", {}, t("bye")) : null,
        ),
      ),
    ),
  );

const totals = (rows) =>
  h(
    "table",
    { class: "league card" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "#"),
        h("th", { scope: "col", class: "name" }, t("Map")),
        h("th", { scope: "col" }, t("Points")),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row, n) =>
        h(
          "tr",
          { class: n === 0 && "place-1" },
          h("td", {}, crown(n === 0), String(n + 1)),
          h("th", { scope: "row", class: "name" }, row.name),
          h(
            "td",
            { class: "points" },
            String(row.total),
            row.review ? h("span", { class: "doubtful", title: t("please check") }, " ?") : "",
          ),
        ),
      ),
    ),
  );

// Surnames first, as people look for their own: the last word, then the whole name.
const surname = (name) => name.trim().split(/\s+/).at(-1);
const byName = new Intl.Collator(language);

const pairings = (list) =>
  h(
    "section",
    { class: "pairings" },
    h(
      "ul",
      {},
      list
        .flatMap((game) =>
          game.seats.map((seat, n) => ({
            game,
            name: seat.player,
            other: game.seats.filter((_, k) => k !== n).map((one) => one.player),
          })),
        )
        .sort(
          (a, b) =>
            byName.compare(surname(a.name), surname(b.name)) || byName.compare(a.name, b.name),
        )
        .map(({ game, name, other }) =>
          h(
            "li",
            {},
            h(
              "span",
              {},
              name.slice(0, name.lastIndexOf(surname(name))),
              h("strong", {}, surname(name)),
            ),
            h("span", { class: "against" }, game.bye ? t("bye") : other.join(", ")),
            h("span", { class: "table-number" }, game.bye ? "" : String(game.table)),
          ),
        ),
    ),
  );

let ends = null;
function tick() {
  const clock = $(".clock");
  if (!clock) return;
  const left = Math.max(0, Math.round((ends - serverTime()) / 1000));
  clock.textContent = left
    ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`
    : t("Time is up");
  clock.classList.toggle("over", left < 60);
}
setInterval(tick, 500);

// On a projector everything should be visible at once: smaller as long as it is readable from afar,
// else page by page, each list by itself, and then as large as its longest page allows.
const SMALLEST = 0.62,
  SECONDS_A_PAGE = 12,
  FEWEST = 3;
let paging;
function fit() {
  clearInterval(paging);
  const body = $(".standings, .pairings"),
    lists = [...place.querySelectorAll(".league tbody, .games ul, .pairings ul")].map(
      ({ children }) => [...children],
    );
  lists.flat().forEach((row) => {
    row.hidden = false;
  });
  if (!body || !matchMedia("(min-width: 70rem)").matches) return;
  body.style.fontSize = "";
  const { scrollHeight } = document.documentElement,
    bottom = (part) => part.getBoundingClientRect().bottom + scrollY;
  const end = innerHeight - (scrollHeight - bottom(body)); // what follows stays visible
  let scale = 1;
  const shrink = () => {
    for (; bottom(body) > end && scale > SMALLEST; scale -= 0.04)
      body.style.fontSize = `calc(var(--from-afar) * ${scale})`;
  };
  shrink();
  const paged = lists.map((rows) => {
    let per = rows.length;
    while (per > FEWEST && bottom(rows[0].parentElement) > end) {
      per = Math.max(FEWEST, Math.floor(0.95 * per));
      rows.forEach((row, n) => {
        row.hidden = n >= per;
      });
    }
    return [rows, Math.ceil(rows.length / Math.ceil(rows.length / per))]; // no page of two rows after a full one
  });
  const show = (page) => {
    for (const [rows, per] of paged)
      rows.forEach((row, n) => {
        row.hidden = Math.floor(n / per) !== page % Math.ceil(rows.length / per);
      });
  };
  const pages = Math.max(...paged.map(([rows, per]) => Math.ceil(rows.length / per)));
  [body.style.fontSize, scale] = ["", 1];
  for (let page = 0; page < pages; page += 1) {
    show(page);
    shrink();
  }
  // By the time since the page was opened: news must not bring the first page back.
  const turn = () => show(Math.floor(performance.now() / (1000 * SECONDS_A_PAGE)));
  turn();
  paging = setInterval(turn, 1000);
}
addEventListener("resize", fit);

function draw(now) {
  const latest = now.games.length ? Math.max(...now.games.map((game) => game.round)) : null;
  const over = now.games.every((game) => game.round !== now.played_round || game.finished);
  const round = now.games.filter((game) => game.round === latest),
    sitting = now.shown === "pairings" && latest;
  ends = now.clock ? Date.parse(now.clock) : null;
  put(
    place,
    h(
      "header",
      { class: "standings-head" },
      emblem(),
      h("h1", { tabindex: "-1" }, now.event),
      h(
        "p",
        {},
        sitting
          ? t("Round {n}", { n: latest })
          : latest
            ? !now.played_round
              ? t("before round 1")
              : over
                ? t("after round {n}", { n: now.played_round })
                : t("during round {n}", { n: now.played_round })
            : tn("{n} map", "{n} maps", now.totals.length),
      ),
      ends && h("p", { class: "clock", role: "timer" }),
    ),
    sitting
      ? pairings(round)
      : h(
          "div",
          { class: latest ? "standings two" : "standings" },
          now.standings.length
            ? table(now.standings)
            : now.totals.length
              ? totals(now.totals)
              : h("p", { class: "none" }, t("Nothing yet.")),
          latest ? games(round) : null,
        ),
  );
  place.removeAttribute("aria-busy");
  tick();
  fit();
}

poll("/api/standings", draw);
