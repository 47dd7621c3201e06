// Two maps and their spellbook, or two to four kingdoms, make a game.

import { get, perform, whenRead } from "./api.js";
import { photoButtons } from "./camera.js";
import { emblem } from "./coats.js";
import { isRetake } from "./doubts.js";
import { h, put, remember, toast } from "./dom.js";
import { explain } from "./errors.js";
import { rememberGame } from "./games.js";
import { pointsText, t, tn } from "./i18n.js";
import { glyph } from "./icons.js";
import { briefly, hasScore, kindOf, nameOf } from "./kinds.js";
import { DECIDED } from "./league.js";
import { whoseField } from "./names.js";
import { doubtText } from "./score.js";
import { send, uploadList } from "./sending.js";
import { share } from "./share.js";
import { joinForm } from "./shared.js";
import { barButton, RULES, rulesField } from "./sheet.js";

// #/game/A/B, and perhaps a spellbook, or further kingdoms. The fields for names and rules are created
// once: an answer about one of them draws over nothing that somebody types in another.
export async function showGame(place, ids) {
  const load = () => get(`api/games?sheets=${ids.join(",")}`);
  let { sheets, game: outcome } = await load();
  const also = await oneMore(ids, sheets);
  if (!place.isConnected) return; // left meanwhile
  const top = h("div");
  const foot = h("div");
  const say = (actions) =>
    perform(actions)
      .then(async () => {
        ({ sheets, game: outcome } = await load());
        draw();
        return null;
      })
      .catch((error) => {
        toast(explain(error));
        draw(); // its fields already show what was refused
        return error;
      });
  const players = () => sheets.filter(hasScore);
  const owners = players()
    .filter((sheet) => !sheet.player)
    .map(({ id, kind }) => ({
      id,
      title: h("h2"),
      field: whoseField(kind, (name) =>
        say({ type: "assign_sheet", sheet: id, player: name, keep: true }),
      ),
    }));
  const rules = sheets[0].kind === "kingdom" && rulesOf(players, say);
  function draw() {
    rememberGame(ids, players(), outcome); // though its view was left meanwhile
    if (!place.isConnected) return;
    const taken = players()
      .map(({ player }) => player)
      .filter(Boolean);
    document.title = titleOf(players());
    put(top, gameView(sheets, outcome));
    put(foot, bar(sheets, outcome));
    for (const { id, title, field } of owners) {
      const sheet = sheets.find((one) => one.id === id);
      title.textContent = nameOf(sheet, players());
      field.show(sheet, taken);
    }
    if (rules) rules.show(players()[0]);
  }
  put(place, [
    top,
    rules && rules.element,
    owners.map(({ title, field }) => h("section.card.whose-card", title, field.element)),
    also,
    h("section.also", [
      h("h2.quiet-title", t("Rematch")),
      photoButtons((files) => send(files)),
      uploadList(),
    ]),
    foot,
  ]);
  draw();
}

// The extra rules of a game of kingdoms are those of all its kingdoms.
function rulesOf(players, say) {
  const fixed = players().some((sheet) => sheet.extras_fixed);
  return rulesField(fixed, (chosen) => {
    remember(RULES, chosen);
    return say(players().map(({ id }) => ({ type: "set_variants", sheet: id, ...chosen })));
  });
}

const again = (sheets) => sheets.some(isRetake);

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
    !again(sheets) && barButton("share", t("Share"), () => share(sheets, outcome)),
    h("a.bar-button", { href: "#/" }, glyph("home"), t("Home")),
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
    DECIDED[by]?.(),
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
    h("h2", crowned && glyph("crown"), name, " · ", worth(sheet)),
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

// The sheets that a game lacks, chosen from the photos: the opponent, further kingdoms, the spellbook.

const MOST_KINGDOMS = 4;

// All sheets of photos, with their photos, besides those given.
const others = (photos, kind, but) =>
  photos
    .flatMap((photo) => photo.sheets.map((sheet) => ({ photo, sheet })))
    .filter(({ sheet }) => sheet.kind === kind && !but.includes(sheet.id));

const links = (list, href) =>
  h("ul.results", [
    list.map(({ photo, sheet }) =>
      h("li", [
        h("a.result.card", { href: href(sheet) }, [
          h("img loading=lazy", {
            src: photo.pages.find((page) => page.page === sheet.page)?.thumb,
            alt: "",
          }),
          h("span.result-name", sheet.player ?? photo.name),
          h("strong", { class: sheet.review && "doubtful" }, briefly(sheet)),
        ]),
      ]),
    ),
  ]);

const game = (ids) => `#/game/${ids.join("/")}`;

// What else may belong to a game of these sheets: the spellbook, or a third and fourth kingdom; null
// if there is nothing.
async function oneMore(ids, sheets) {
  const players = sheets.filter(hasScore);
  const kingdoms = players[0].kind === "kingdom";
  const book = players.length < sheets.length;
  if (book || (kingdoms && players.length >= MOST_KINGDOMS)) return null;
  const { photos } = await get("api/photos").catch(() => ({ photos: [] }));
  const list = others(photos, kingdoms ? "kingdom" : "duel_spellbook", ids);
  if (!list.length) return null;
  return h("section.also", [
    h("h2.quiet-title", kingdoms ? t("One more kingdom?") : t("Their spellbook?")),
    links(list, (sheet) => game([...ids, sheet.id])),
  ]);
}

const kingdomWords = () => ({
  against: t("Against which kingdom?"),
  none: t("There is no other kingdom yet. Photograph it first."),
  photograph: t("Photograph the other kingdom"),
});

const mapWords = () => ({
  against: t("Against which map?"),
  none: t("There is no other map yet. Photograph it first."),
  photograph: t("Photograph the other map"),
});

// #/versus/A: whose map or kingdom is the other one? Photos still being read join the list when they
// are done.
export async function chooseOther(place, id) {
  const [{ kind, photo }, { photos }] = await Promise.all([
    get(`api/sheets/${id}`),
    get("api/photos"),
  ]);
  if (!place.isConnected) return; // left meanwhile
  const words = kind === "kingdom" ? kingdomWords() : mapWords();
  const list = others(photos, kind, [id]);
  const waiting = photos.find((one) => one.state === "waiting");
  put(
    place,
    h("h1", { tabindex: "-1" }, words.against),
    waiting && h("p", { "aria-live": "polite" }, waiting.name, " · ", t("reading …")),
    !waiting && !list.length && h("p", words.none),
    h("h2.quiet-title", words.photograph),
    photoButtons(([file]) => send([file], { against: [id] }), { many: false }),
    uploadList(),
    joinForm(photo),
    list.length > 0 && links(list, (sheet) => game([id, sheet.id])),
  );
  if (waiting)
    whenRead(waiting.id)
      .then(() => place.isConnected && chooseOther(place, id))
      .catch(() => {});
}
