// Two maps and their spellbook, or two to four kingdoms, make a game; this phone remembers its games.

import { get, perform, whenRead } from "./api.js";
import { photoButtons } from "./camera.js";
import { glyph, h, put, recall, remember, round } from "./dom.js";
import { attempt } from "./errors.js";
import { pointsText, t, tn, when } from "./i18n.js";
import { briefly, hasScore, kindOf, nameOf } from "./kinds.js";
import { DECIDED } from "./league.js";
import { emblem } from "./marks.js";
import { ownerHere, whoseField } from "./names.js";
import { isRetake, openQuestions } from "./questions.js";
import { doubtText } from "./score.js";
import { send, uploadList } from "./sending.js";
import { share } from "./share.js";
import { joinForm } from "./shared.js";
import { barButton, RULES, rulesField } from "./sheet.js";

// #/game/A/B, and perhaps a spellbook, or further kingdoms. The fields for names and rules are created
// once: an answer about one of them draws over nothing that somebody types in another. Without any name,
// the first sheet is that of whose phone it is, until somebody changes it.
export async function showGame(place, ids) {
  const load = () => get(`api/games?sheets=${ids.join(",")}`);
  let { sheets, game: outcome } = await load();
  const [also, player] = await Promise.all([oneMore(ids, sheets), ownerHere()]);
  if (!place.isConnected) return; // left meanwhile
  const top = h("div.stack");
  const foot = h("div");
  const say = async (actions) => {
    const error = await attempt(async () => {
      await perform(actions);
      ({ sheets, game: outcome } = await load());
    });
    draw(); // its fields already show what was refused
    return error;
  };
  const players = () => sheets.filter(hasScore);
  const ownerOf = ({ id, kind }) => {
    const field = whoseField(kind, say);
    const title = h("h2");
    return { id, title, field, element: h("div", title, field.element) };
  };
  const owners = players()
    .filter((sheet) => !sheet.player)
    .map(ownerOf);
  const fields = owners.map(({ element }) => element);
  const asking = h("section.card.owners.tiles", fields);
  const rules = sheets[0].kind === "kingdom" && rulesOf(players, say);
  function draw() {
    rememberGame(ids, players(), outcome); // though its view was left meanwhile
    if (!place.isConnected) return;
    const taken = players().flatMap(({ player }) => player ?? []);
    document.title = titleOf(players());
    put(top, gameView(sheets, outcome, { asking }));
    put(foot, bar(sheets, outcome));
    for (const { id, title, field } of owners) {
      const sheet = sheets.find((one) => one.id === id);
      title.textContent = nameOf(sheet, players());
      title.hidden = Boolean(sheet.player);
      field.show(sheet, taken);
    }
    if (rules) rules.show(players()[0]);
  }
  put(place, [
    top,
    rules && rules.element,
    also,
    h("section.stack", [
      h("h2.quiet-title", t("Rematch")),
      photoButtons((files) => send(files)),
      uploadList(),
    ]),
    foot,
  ]);
  draw();
  const [first, ...beside] = players();
  if (player && beside.length && ![first, ...beside].some((sheet) => sheet.player))
    await say({ type: "assign_sheet", sheet: first.id, player, keep: true });
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

const hrefOf = ({ photo, id }) => `#/photo/${photo}/${id}`;

// A drawing that links to its sheet if that is one's own.
export const opens = (sheet, name, drawn, mine) =>
  mine(sheet)
    ? h("a", { href: hrefOf(sheet), "aria-label": t("Look at {name}", { name }) }, drawn)
    : drawn;

export const bar = (sheets, outcome) =>
  h("div.bar.row", [
    !again(sheets) && barButton("share", t("Share"), () => share(sheets, outcome)),
    h("a.button", { href: "#/" }, glyph("home"), t("Home")),
  ]);

// Who won, by how much and how it was decided, and all sheets. mine(sheet): whether it may be opened
// here; asking: whose the sheets are.
export function gameView(sheets, outcome, { mine = () => true, asking = null }) {
  const players = sheets.filter(hasScore);
  const book = sheets.find((sheet) => !hasScore(sheet));
  const unlike = new Set(players.map(({ variants }) => JSON.stringify(variants))).size > 1;
  const open = !again(players) && (unlike || doubtful(players, outcome));
  return [
    h("h1.winner.stack", { tabindex: "-1" }, [
      emblem(),
      whoWon(players, outcome) + (open ? "\u00a0?" : ""),
    ]),
    !again(players) &&
      h("p.decided", [
        howDecided(outcome),
        open && h("span.doubtful", ` · ${unlike ? unlikeRules() : t("please check")}`),
      ]),
    asking,
    h("div.versus.tiles", [
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
    sheet.review && !sheet.photograph_again && mine(sheet) && toQuestions(sheet),
    opens(sheet, name, kindOf(sheet).draw(sheet, { labels: false }), mine),
  ]);
}

function toQuestions(sheet) {
  const { length: n } = openQuestions(sheet);
  const label = n ? tn("Answer {n} question", "Answer {n} questions", n) : t("Please check");
  return h("a.button.main", { href: hrefOf(sheet) }, label);
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
  return h("section.stack", [
    h("h2.quiet-title", kingdoms ? t("One more kingdom?") : t("Their spellbook?")),
    links(list, (sheet) => game([...ids, sheet.id])),
  ]);
}

// What a page says that looks for the other sheet of a game.
const WORDS = {
  kingdom: {
    against: () => t("Against which kingdom?"),
    none: () => t("There is no other kingdom yet. Photograph it first."),
    photograph: () => t("Photograph the other kingdom"),
  },
  duel_map: {
    against: () => t("Against which map?"),
    none: () => t("There is no other map yet. Photograph it first."),
    photograph: () => t("Photograph the other map"),
  },
};

// #/versus/A: whose map or kingdom is the other one? Photos still being read join the list when they
// are done.
export async function chooseOther(place, id) {
  const [{ kind, photo }, { photos }] = await Promise.all([
    get(`api/sheets/${id}`),
    get("api/photos"),
  ]);
  if (!place.isConnected) return; // left meanwhile
  const words = WORDS[kind];
  const list = others(photos, kind, [id]);
  const waiting = photos.find((one) => one.state === "waiting");
  put(
    place,
    h("h1", { tabindex: "-1" }, words.against()),
    waiting && h("p", { "aria-live": "polite" }, waiting.name, " · ", t("reading …")),
    !waiting && !list.length && h("p", words.none()),
    h("h2.quiet-title", words.photograph()),
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

// Games that were looked at on this phone: who played, who won how often.

const GAMES = "kdscan.games";
const MOST = 50; // games that are remembered
const SHOWN = 8;

const playedHere = () => recall(GAMES, []);
let redraw = () => {}; // the list, where it is shown

function store(list) {
  remember(GAMES, list.slice(0, MOST));
  redraw();
}

// Remembers a game as it stands; one that was remembered before is replaced.
function rememberGame(ids, players, { winners }) {
  if (players.some((sheet) => sheet.photograph_again)) return;
  const key = ids.join("/");
  const before = playedHere().find((game) => game.key === key);
  const entry = {
    key,
    at: before?.at ?? new Date().toISOString(),
    players: players.map((sheet, n) => ({
      name: sheet.player,
      label: nameOf(sheet, players),
      total: sheet.score.total,
      won: winners.length < players.length && winners.includes(n),
    })),
  };
  store([entry, ...playedHere().filter((game) => game.key !== key)]);
}

// The latest game of a sheet that this phone remembers, else the choice of an opponent.
export function gameOrChoice(sheet) {
  const own = playedHere().find(({ key }) => key.split("/").includes(String(sheet)));
  return own ? `#/game/${own.key}` : `#/versus/${sheet}`;
}

// A game without one of its sheets is none.
export const forgetGamesOf = (sheets) =>
  store(
    playedHere().filter(({ key }) => !key.split("/").some((id) => sheets.includes(Number(id)))),
  );

// How often each named player won, the most successful first: "Ann 3, Bob 1".
function tally(played) {
  const wins = new Map();
  for (const { players } of played)
    for (const { name, won } of players)
      if (name) wins.set(name, (wins.get(name) ?? 0) + Number(won));
  return [...wins].sort((a, b) => b[1] - a[1]);
}

// The games, each a link with a button that forgets it; nothing where there are none.
export function gamesList() {
  const place = h("section");
  const forget = (key) => store(playedHere().filter((game) => game.key !== key));
  const draw = () => {
    const played = playedHere();
    const wins = tally(played).map(([name, n]) => `${name} ${n}`);
    put(
      place,
      played.length > 0 && h("h2.quiet-title", t("Games")),
      wins.length > 1 && h("p.tally", t("Won:"), " ", wins.join(", ")),
      played.length > 0 &&
        h("ul.results.games", { "aria-label": t("Games") }, [
          played.slice(0, SHOWN).map((game) => gameLine(game, forget)),
        ]),
    );
  };
  redraw = draw;
  draw();
  return place;
}

function gameLine({ key, at, players }, forget) {
  const names = players.map(({ label, total }) => `${label} ${total}`).join(" : ");
  return h("li.result.card", [
    h("a.result-name", { href: `#/game/${key}` }, h("strong", names), h("small", when(at))),
    round("close", t("Forget {name}", { name: names }), () => forget(key)),
  ]);
}
