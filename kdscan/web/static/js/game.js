// Two maps and their spellbook, or two to four kingdoms, make a game.

import { get, perform } from "./api.js";
import { emblem } from "./coats.js";
import { h, put, sign, toast } from "./dom.js";
import { explain } from "./errors.js";
import { pointsText, t, tn } from "./i18n.js";
import { remember } from "./games.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";
import { whoseField } from "./names.js";
import { oneMore } from "./opponents.js";
import { doubtText } from "./score.js";
import { share } from "./share.js";

const DECIDED = {
  score: () => t("by points"),
  largest_domain: () => t("equal points: by the larger domain"),
  crowns: () => t("equal points and domains: by crowns"),
  draw: () => t("equal points and equally large domains"),
};

// #/game/A/B, and perhaps a spellbook, or further kingdoms
export async function showGame(place, ids) {
  const { sheets, game: outcome } = await get(`/api/games?sheets=${ids.join(",")}`);
  const also = await oneMore(ids, sheets);
  if (!place.isConnected) return; // left meanwhile
  document.title = titleOf(sheets.filter(hasScore));
  const players = sheets.filter(hasScore);
  remember(ids, players, outcome);
  const renew = () => place.isConnected && showGame(place, ids);
  put(place, gameView(sheets, outcome), whoPlayed(players, renew), also, bar(sheets, outcome));
}

// Whose the sheets are that have no name yet. renew(): one was given.
function whoPlayed(players, renew) {
  const unnamed = players.filter((sheet) => !sheet.player);
  return unnamed.map((sheet) => {
    const field = whoseField(sheet.kind, async (name) => {
      try {
        await perform({ type: "assign_sheet", sheet: sheet.id, player: name, keep: true });
      } catch (error) {
        toast(explain(error));
        return error;
      }
      renew();
      return null;
    });
    field.show(sheet, players.map(({ player }) => player).filter(Boolean));
    return h("section.card", h("h2", nameOf(sheet, players)), field.element);
  });
}

const again = (sheets) => sheets.some((sheet) => sheet.photograph_again);

// "Ann 38 : Bob 45 · kdscan"
export function titleOf(players) {
  const points = (sheet) => (sheet.photograph_again ? "?" : sheet.score.total);
  const all = players.map((sheet) => `${nameOf(sheet, players)} ${points(sheet)}`);
  return `${all.join(" : ")} · kdscan`;
}

export const worth = (sheet) =>
  sheet.photograph_again ? t("Photograph again") : pointsText(sheet.score.total);

// A drawing that links to its sheet if that is one's own.
export const opens = (sheet, name, drawn, mine) =>
  mine(sheet)
    ? h(
        "a",
        { href: `#/photo/${sheet.photo}/${sheet.id}`, "aria-label": t("Look at {name}", { name }) },
        drawn,
      )
    : drawn;

export const bar = (sheets, outcome) =>
  h("div.bar", [
    !again(sheets) &&
      h("button.bar-button", { type: "button", onclick: () => share(sheets, outcome) }, [
        sign("⇪"),
        t("Share"),
      ]),
    h("a.bar-button", { href: "#/" }, sign("⌂"), t("Home")),
  ]);

// Who won, by how much and how it was decided, and all sheets. mine(sheet): whether it may be opened
// here.
export function gameView(sheets, outcome, mine = () => true) {
  const players = sheets.filter(hasScore);
  const book = sheets.find((sheet) => !hasScore(sheet));
  const unlike = new Set(players.map(({ variants }) => JSON.stringify(variants))).size > 1;
  const open = !again(players) && (unlike || doubtful(players, outcome));
  return [
    h("h1.winner", { tabindex: "-1" }, [
      emblem(),
      whoWon(players, outcome) + (open ? "\u00a0?" : ""),
    ]),
    !again(players) &&
      h("p.decided", [
        howDecided(outcome),
        open && h("span.doubtful", ` · ${unlike ? unlikeRules() : t("please check")}`),
      ]),
    h("div.versus", [
      players.map((sheet, n) => playerCard(sheet, players, outcome, n, mine)),
      book && bookCard(book, mine),
    ]),
  ];
}

const unlikeRules = () =>
  t("the kingdoms are scored by different extra rules; set the same ones for all");

// Whether the doubts that are left may change who won.
function doubtful(players, { winners: [first, ...equal] }) {
  if (!players.some((sheet) => sheet.review)) return false;
  if (equal.length > 0) return true;
  const rangeOf = ({ review, range, score }) => (review ? range : [score.total, score.total]);
  const [least] = rangeOf(players[first]);
  return players.some((sheet, n) => n !== first && rangeOf(sheet)[1] >= least);
}

function whoWon(players, outcome) {
  if (again(players)) return t("Photograph again");
  const winners = outcome.winners.map((n) => nameOf(players[n], players));
  if (winners.length === 1) return t("{name} wins", { name: winners[0] });
  if (winners.length === players.length) return t("A draw");
  return t("{names} share the win", { names: winners.join(", ") });
}

// "45 : 38 · by 7 points", and what decided where the points did not.
function howDecided({ players, winners, decided_by: by }) {
  const totals = players.map((player) => player.total);
  const [most, second] = [...totals].sort((a, b) => b - a);
  const margin = winners.length === 1 ? most - second : 0;
  return [
    totals.join(" : "),
    margin > 0 && tn("by {n} point", "by {n} points", margin),
    by !== "score" && DECIDED[by](),
  ]
    .filter(Boolean)
    .join(" · ");
}

function playerCard(sheet, players, outcome, n, mine) {
  const won = outcome.winners.includes(n);
  const alone = won && outcome.winners.length === 1;
  const crowned = won && outcome.winners.length < players.length;
  const name = nameOf(sheet, players);
  return h("article", { class: alone ? "player card won" : "player card" }, [
    h("h2", crowned && sign("♛ ", "crown"), name, " · ", worth(sheet)),
    !sheet.photograph_again &&
      h("p.verdict", [
        whatCounts(sheet, outcome.players[n]),
        sheet.review && h("span.doubtful", ` · ${doubtText(sheet)}`),
      ]),
    opens(sheet, name, kindOf(sheet).draw(sheet, { labels: false }), mine),
  ]);
}

// What a total comes from, and what decides a game of equal totals.
const whatCounts = ({ score }, { largest_domain: largest, crowns }) =>
  [
    score.wizard > 0 && t("of which from the wizard: {n}", { n: score.wizard }),
    t("largest domain: {n}", { n: largest }),
    crowns !== undefined && tn("{n} crown", "{n} crowns", crowns),
  ]
    .filter(Boolean)
    .join(" · ");

const bookCard = (book, mine) =>
  h("article.player.card.book", [
    h("h2", t("Spellbook")),
    book.review && h("p.verdict.doubtful", t("please check")),
    opens(book, t("Spellbook"), kindOf(book).draw(book), mine),
  ]);
