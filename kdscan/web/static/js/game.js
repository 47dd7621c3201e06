// Two maps and their spellbook, or two to four kingdoms, make a game.

import { get, whenRead } from "./api.js";
import { emblem } from "./coats.js";
import { h, put, sign } from "./dom.js";
import { pointsText, t, tn } from "./i18n.js";
import { joinForm } from "./join.js";
import { briefly, hasScore, kindOf, nameOf } from "./kinds.js";
import { doubtText } from "./score.js";
import { share } from "./share.js";

const DECIDED = {
  score: () => t("by points"),
  largest_domain: () => t("equal points: by the larger domain"),
  crowns: () => t("equal points and domains: by crowns"),
  draw: () => t("equal points and equally large domains"),
};

const MOST = { duel_map: 2, kingdom: 4 };

// All sheets of photos, with their photos, besides those given.
const others = (photos, kind, but) =>
  photos
    .flatMap((photo) => photo.sheets.map((sheet) => ({ photo, sheet })))
    .filter(({ sheet }) => sheet.kind === kind && !but.includes(sheet.id));

const links = (list, href) =>
  h(
    "ul",
    { class: "results" },
    list.map(({ photo, sheet }) =>
      h(
        "li",
        {},
        h(
          "a",
          { class: "result card", href: href(sheet) },
          h("img", {
            src: photo.pages.find((page) => page.page === sheet.page)?.thumb,
            alt: "",
            loading: "lazy",
          }),
          h("span", { class: "result-name" }, sheet.player ?? photo.name),
          h("strong", { class: sheet.review && "doubtful" }, briefly(sheet)),
        ),
      ),
    ),
  );

const game = (ids) => `#/game/${ids.join("/")}`;

// #/game/A/B, and perhaps a spellbook, or further kingdoms
export async function showGame(place, ids) {
  const { sheets, game: outcome } = await get(`/api/games?sheets=${ids.join(",")}`);
  const players = sheets.filter(hasScore),
    also = await more(
      ids,
      players,
      sheets.some((sheet) => !hasScore(sheet)),
    );
  if (!place.isConnected) return; // left meanwhile
  document.title = titleOf(players);
  put(place, gameView(sheets, outcome), also, bar(sheets, outcome));
}

const again = (sheets) => sheets.some((sheet) => sheet.photograph_again);

// "Ann 38 : Bob 45 · kdscan"
export const titleOf = (players) =>
  `${players.map((sheet) => `${nameOf(sheet, players)} ${sheet.photograph_again ? "?" : sheet.score.total}`).join(" : ")} · kdscan`;

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
  h(
    "div",
    { class: "bar" },
    !again(sheets) &&
      h(
        "button",
        { type: "button", class: "bar-button", onclick: () => share(sheets, outcome) },
        sign("⇪"),
        t("Share"),
      ),
    h("a", { class: "bar-button", href: "#/" }, sign("⌂"), t("Home")),
  );

// Who won, by how much and how it was decided, and all sheets. mine(sheet): whether it may be opened
// here.
export function gameView(sheets, outcome, mine = () => true) {
  const players = sheets.filter(hasScore),
    book = sheets.find((sheet) => !hasScore(sheet));
  const side = (sheet, n) =>
    h(
      "article",
      {
        class:
          outcome.winners.length === 1 && outcome.winners.includes(n)
            ? "player card won"
            : "player card",
      },
      h(
        "h2",
        {},
        outcome.winners.includes(n) &&
          outcome.winners.length < players.length &&
          sign("♛ ", "crown"),
        nameOf(sheet, players),
        " · ",
        worth(sheet),
      ),
      !sheet.photograph_again &&
        h(
          "p",
          { class: "verdict" },
          [
            sheet.score.wizard > 0 && t("of which from the wizard: {n}", { n: sheet.score.wizard }),
            t("largest domain: {n}", { n: outcome.players[n].largest_domain }),
            outcome.players[n].crowns !== undefined &&
              tn("{n} crown", "{n} crowns", outcome.players[n].crowns),
          ]
            .filter(Boolean)
            .join(" · "),
          sheet.review ? h("span", { class: "doubtful" }, ` · ${doubtText(sheet)}`) : "",
        ),
      opens(sheet, nameOf(sheet, players), kindOf(sheet).draw(sheet, { labels: false }), mine),
    );
  const winners = outcome.winners.map((n) => nameOf(players[n], players));
  const title = again(players)
    ? t("Photograph again")
    : winners.length === 1
      ? t("{name} wins", { name: winners[0] })
      : winners.length < players.length
        ? t("{names} share the win", { names: winners.join(", ") })
        : t("A draw");
  // Whether the doubts that are left, or rules that differ, may change who won.
  const unlike = new Set(players.map(({ variants }) => JSON.stringify(variants))).size > 1;
  const rangeOf = ({ review, range, score }) => (review ? range : [score.total, score.total]),
    [first, ...equal] = outcome.winners;
  const open =
    !again(players) &&
    (unlike ||
      (players.some((sheet) => sheet.review) &&
        (equal.length > 0 ||
          players.some(
            (sheet, n) => n !== first && rangeOf(sheet)[1] >= rangeOf(players[first])[0],
          ))));
  const margin =
    winners.length === 1
      ? Math.max(...outcome.players.map((p) => p.total)) -
        outcome.players.map((p) => p.total).sort((a, b) => b - a)[1]
      : 0;
  return [
    h("h1", { tabindex: "-1", class: "winner" }, emblem(), title + (open ? "\u00a0?" : "")),
    !again(players) &&
      h(
        "p",
        { class: "decided" },
        [
          outcome.players.map((p) => p.total).join(" : "),
          margin > 0 && tn("by {n} point", "by {n} points", margin),
          outcome.decided_by !== "score" && DECIDED[outcome.decided_by](),
        ]
          .filter(Boolean)
          .join(" · "),
        open &&
          h(
            "span",
            { class: "doubtful" },
            ` · ${unlike ? t("the kingdoms are scored by different extra rules; set the same ones for all") : t("please check")}`,
          ),
      ),
    h(
      "div",
      { class: "versus" },
      players.map(side),
      book &&
        h(
          "article",
          { class: "player card book" },
          h("h2", {}, t("Spellbook")),
          book.review ? h("p", { class: "verdict doubtful" }, t("please check")) : null,
          opens(book, t("Spellbook"), kindOf(book).draw(book), mine),
        ),
    ),
  ];
}

// What else may belong to the game: the spellbook, or a third and fourth kingdom.
async function more(ids, players, book) {
  const kingdoms = players[0].kind === "kingdom";
  if (book || (kingdoms && players.length >= MOST.kingdom)) return null;
  const { photos } = await get("/api/photos").catch(() => ({ photos: [] }));
  const list = others(photos, kingdoms ? "kingdom" : "duel_spellbook", ids);
  if (!list.length) return null;
  return h(
    "section",
    { class: "also" },
    h("h2", { class: "quiet-title" }, kingdoms ? t("One more kingdom?") : t("Their spellbook?")),
    links(list, (sheet) => game([...ids, sheet.id])),
  );
}

// #/versus/A: whose map or kingdom is the other one? Photos still being read join the list when they
// are done.
export async function chooseOther(place, id) {
  const [{ kind, photo }, { photos }] = await Promise.all([
    get(`/api/sheets/${id}`),
    get("/api/photos"),
  ]);
  if (!place.isConnected) return; // left meanwhile
  const kingdom = kind === "kingdom",
    list = others(photos, kind, [id]),
    waiting = photos.find((one) => one.state === "waiting");
  put(
    place,
    h("h1", { tabindex: "-1" }, kingdom ? t("Against which kingdom?") : t("Against which map?")),
    waiting
      ? h("p", { "aria-live": "polite" }, waiting.name, " · ", t("reading …"))
      : !list.length &&
          h(
            "p",
            {},
            kingdom
              ? t("There is no other kingdom yet. Photograph it first.")
              : t("There is no other map yet. Photograph it first."),
          ),
    h(
      "p",
      {},
      h(
        "a",
        { class: "button wide", href: "#/" },
        kingdom ? t("Photograph the other kingdom") : t("Photograph the other map"),
      ),
    ),
    joinForm(photo),
    list.length > 0 && links(list, (sheet) => game([id, sheet.id])),
  );
  if (waiting)
    whenRead(waiting.id)
      .then(() => place.isConnected && chooseOther(place, id))
      .catch(() => {});
}
