// Games of two maps and their spellbook, or two to four kingdoms; this phone remembers its own.

import { attempt, copyLink, get, isLocal, noPhones, perform, poll } from "./api.js";
import { post, whenRead } from "./api.js";
import { announce, button, form, glyph, h, input, lines, put, recall } from "./dom.js";
import { remember, round } from "./dom.js";
import { joined, pointsText, t, tn, when } from "./i18n.js";
import { briefly, hasScore, kindOf, nameOf } from "./kinds.js";
import { DECIDED, gamesOf } from "./league.js";
import { emblem } from "./marks.js";
import { whoseField } from "./names.js";
import { isRetake, steps, toAnswer } from "./questions.js";
import { gameOf, photographs, resultFace } from "./sending.js";
import { share } from "./share.js";
import { barButton, doubtText, rememberRules, rulesField } from "./sheet.js";

// #/game/A/B, and perhaps a spellbook, or further kingdoms.
export async function showGame(place, ids) {
  const load = () => get(`api/games?sheets=${ids.join(",")}`);
  let { sheets, game: outcome } = await load();
  const also = await oneMore(ids, sheets);
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
  const unnamed = players().flatMap(({ id, player }) => (player ? [] : id));
  const asked = () => players().filter(({ id }) => unnamed.includes(id));
  const asking = owners(say);
  const rules = sheets[0].kind === "kingdom" && rulesOf(players, say);
  function draw() {
    rememberGame(ids, players(), outcome); // though its view was left meanwhile
    if (!place.isConnected) return;
    document.title = titleOf(players());
    asking.show(asked(), players());
    put(top, gameView(sheets, outcome, { asking: asking.element }));
    put(foot, bar(sheets, outcome));
    if (rules) rules.show(players()[0]);
  }
  const rematch = h("section.stack", h("h2.quiet-title", t("Rematch")), photographs());
  put(place, top, rules && rules.element, also, rematch, foot);
  draw();
}

// Whose sheets of a game are: {element, show(sheets, players)}, with a field for each that is created
// once: an answer about one of them draws over nothing that somebody types in another.
function owners(say) {
  const element = h("section.card.owners.tiles");
  const make = ([{ kind }]) => {
    const [title, field] = [h("h2"), whoseField(kind, say)];
    const show = ([sheet, all]) => {
      put(title, nameOf(sheet, all));
      title.hidden = Boolean(sheet.player) || all.length < 2;
      field.show(sheet, all);
    };
    return { element: h("div", title, field.element), show };
  };
  const list = lines(element, ([{ id }]) => id, make);
  return { element, show: (sheets, all) => list(sheets.map((sheet) => [sheet, all])) };
}

// The extra rules of a game of kingdoms are those of all its kingdoms.
function rulesOf(players, say) {
  const fixed = players().some((sheet) => sheet.extras_fixed);
  return rulesField(fixed, (chosen) => {
    rememberRules(chosen);
    return say(players().map(({ id }) => ({ type: "set_variants", sheet: id, ...chosen })));
  });
}

const again = (sheets) => sheets.some(isRetake);

// "Ann 38 : Bob 45 · kdscan"
function titleOf(players) {
  const points = (sheet) => (sheet.photograph_again ? "?" : sheet.score.total);
  const all = players.map((sheet) => `${nameOf(sheet, players)} ${points(sheet)}`);
  return `${all.join(" : ")} · kdscan`;
}

const worth = (sheet) =>
  sheet.photograph_again ? t("Photograph again") : pointsText(sheet.score.total);

const hrefOf = ({ photo, id }) => `#/photo/${photo}/${id}`;

// A sheet's board, which links to it if it is one's own.
function boardOf(sheet, name, mine) {
  const drawn = kindOf(sheet).draw(sheet, { labels: false });
  const label = t("Look at {name}", { name });
  return mine(sheet) ? h("a", { href: hrefOf(sheet), label }, drawn) : drawn;
}

const bar = (sheets, outcome) =>
  h("div.bar.row", [
    !again(sheets) && barButton("share", t("Share"), () => share(sheets, outcome)),
    h("a.button", { href: "#/" }, glyph("home"), t("Home")),
  ]);

const contentOf = ({ cells }) => JSON.stringify(cells, ["coat", "crosses", "terrain", "crowns"]);

// Who won, by how much and why, and all sheets. mine(sheet): may it be opened? asking: for names.
function gameView(sheets, outcome, { mine = () => true, asking = null }) {
  const players = sheets.filter(hasScore);
  const book = sheets.find((sheet) => !hasScore(sheet));
  const unlike = new Set(players.map(({ variants }) => JSON.stringify(variants))).size > 1;
  const twice = new Set(players.map(contentOf)).size < players.length;
  const open = !again(players) && (unlike || twice || doubtful(players, outcome));
  const why = unlike
    ? t("the kingdoms are scored by different extra rules; set the same ones for all")
    : (twice && t("It is the same sheet")) || t("please check");
  const title = whoWon(players, outcome) + (open ? "\u00a0?" : "");
  return [
    h("h1.winner.stack tabindex=-1", emblem(), title),
    !again(players) && h("p.decided", howDecided(outcome), open && h("span.doubtful", ` · ${why}`)),
    asking,
    h("div.versus.tiles", [
      players.map((sheet, n) => playerCard(sheet, players, outcome, n, mine)),
      book && bookCard(book, mine),
    ]),
  ];
}

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
  const ahead = margin > 0 && tn("by {n} point", "by {n} points", margin);
  return joined(totals.join(" : "), ahead, DECIDED[by]?.());
}

function playerCard(sheet, players, outcome, n, mine) {
  const won = outcome.winners.includes(n);
  const alone = won && outcome.winners.length === 1;
  const crowned = won && outcome.winners.length < players.length;
  const name = nameOf(sheet, players);
  const doubt = sheet.review && h("span.doubtful", ` · ${doubtText(sheet)}`);
  return h("article.player.card", { class: alone && "won" }, [
    h("h2", crowned && glyph("crown"), name, " · ", worth(sheet)),
    !sheet.photograph_again && [
      h("p.verdict", whatCounts(sheet, outcome.players[n]), doubt),
      sheet.review && mine(sheet) && toQuestions(sheet),
    ],
    boardOf(sheet, name, mine),
  ]);
}

function toQuestions(sheet) {
  const { length: n } = steps(sheet);
  return h("a.button.main", { href: hrefOf(sheet) }, n ? toAnswer(n) : t("Please check"));
}

// What a total comes from, and what decides a game of equal totals.
const whatCounts = ({ score }, { largest_domain: largest, crowns }) =>
  joined(
    score.wizard > 0 && t("of which from the wizard: {n}", { n: score.wizard }),
    t("largest domain: {n}", { n: largest }),
    crowns !== undefined && tn("{n} crown", "{n} crowns", crowns),
  );

const bookCard = (book, mine) =>
  h("article.player.card.book", [
    h("h2", t("Spellbook")),
    book.review && [h("p.verdict.doubtful", t("please check")), mine(book) && toQuestions(book)],
    boardOf(book, t("Spellbook"), mine),
  ]);

// The sheets that a game lacks, chosen from the photos.

// Links to the games with another sheet of this kind besides those given; null if there is none.
function others(photos, kind, ids) {
  const lines = photos.flatMap((photo) =>
    photo.sheets
      .filter((sheet) => sheet.kind === kind && !ids.includes(sheet.id))
      .map((sheet) => {
        const face = resultFace(photo, [sheet], sheet.player ?? photo.name, briefly(sheet));
        const href = `#/game/${[...ids, sheet.id].join("/")}`;
        return h("li", h("a.result.card", { href }, face));
      }),
  );
  return lines.length > 0 && h("ul.results", lines);
}

// What else may belong to a game of these sheets: the spellbook, or further kingdoms.
async function oneMore(ids, sheets) {
  const players = sheets.filter(hasScore);
  const kingdoms = players[0].kind === "kingdom";
  const book = players.length < sheets.length;
  if (book || (kingdoms && players.length >= 4)) return null;
  const { photos } = await get("api/photos").catch(() => ({ photos: [] }));
  const list = others(photos, kingdoms ? "kingdom" : "duel_spellbook", ids);
  const title = kingdoms ? t("One more kingdom?") : t("Their spellbook?");
  return list && h("section.stack", h("h2.quiet-title", title), list);
}

// At an event: the game at a sheet's table, if there is one, and this phone's sheets of it.
const gameAt = ({ round, table }) =>
  get("api/standings")
    .then(({ games }) => games.find((game) => game.round === round && game.table === table))
    .catch(() => null);

const sheetsAt = ({ round, table }, photos) =>
  photos
    .flatMap(({ sheets }) => sheets)
    .filter((sheet) => sheet.round === round && sheet.table === table);

// #/versus/A: whose map or kingdom is the other one? Photos being read join the list when done.
export async function chooseOther(place, id) {
  const asked = [get(`api/sheets/${id}`), get("api/photos")];
  const [{ kind, photo }, { photos }] = await Promise.all(asked);
  const own = photos.flatMap(({ sheets }) => sheets).find((sheet) => sheet.id === id);
  const game = own?.table ? await gameAt(own) : null;
  const link = game && gameOf(sheetsAt(own, photos));
  if (!place.isConnected) return; // left meanwhile
  if (link) return location.replace(link);
  const isKingdom = kind === "kingdom";
  const which = isKingdom ? t("Against which kingdom?") : t("Against which map?");
  const other = isKingdom ? t("Photograph the other kingdom") : t("Photograph the other map");
  const list = others(photos, kind, [id]);
  const waiting = photos.find((one) => one.state === "waiting");
  put(
    place,
    game
      ? [h("h1 tabindex=-1", t("Game")), gamesOf([game])]
      : h("h1 tabindex=-1", list ? which : other),
    waiting && h("p aria-live=polite", waiting.name, " · ", t("reading …")),
    (game || list) && h("h2.quiet-title", other),
    photographs({ against: [id] }),
    !game && [joinForm(photo), list],
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
  const entryOf = (sheet, n) => ({
    name: sheet.player,
    label: nameOf(sheet, players),
    total: sheet.score.total,
    won: winners.length < players.length && winners.includes(n),
  });
  const entry = { key, at: before?.at ?? new Date().toISOString(), players: players.map(entryOf) };
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
  const wins = {};
  for (const { name, won } of played.flatMap(({ players }) => players))
    if (name) wins[name] = (wins[name] ?? 0) + Number(won);
  return Object.entries(wins).sort((a, b) => b[1] - a[1]);
}

// The games, each a link with a button that forgets it; nothing where there are none.
export function gamesList() {
  const place = h("section");
  redraw = () => {
    const played = playedHere();
    const wins = tally(played).map(([name, n]) => `${name} ${n}`);
    const games = [
      h("h2.quiet-title", t("Games")),
      wins.length > 1 && h("p.tally", t("Won:"), " ", wins.join(", ")),
      h("ul.results.games", { label: t("Games") }, [played.slice(0, SHOWN).map(gameLine)]),
    ];
    put(place, played.length > 0 && games);
  };
  redraw();
  return place;
}

function gameLine({ key, at, players }) {
  const names = players.map(({ label, total }) => `${label} ${total}`).join(" : ");
  const forget = () => store(playedHere().filter((game) => game.key !== key));
  return h("li.result.card", [
    h("a.result-name", { href: `#/game/${key}` }, h("strong", names), h("small", when(at))),
    round("close", t("Forget {name}", { name: names }), forget),
  ]);
}

// One game on several phones: each photographs its own sheet, all see who won.

// #/shared/CODE
export async function showShared(place, code) {
  let now = null;
  let drawn = "";
  const title = h("h1.winner.stack tabindex=-1", emblem(), t("Two phones, one game"));
  const body = h("div.stack");
  const theirs = h("h2.quiet-title", t("Their spellbook?"));
  const buttons = h("div.stack", theirs, photographs({ shared: encodeURIComponent(code) }));
  const invite = h("section.card.centred");
  const own = owners((action) =>
    attempt(async () => {
      const { sheet: named } = await perform(action, "sheet");
      show({ ...now, sheets: now.sheets.map((one) => (one.id === named.id ? named : one)) });
    }),
  );

  function show(fresh) {
    now = fresh;
    const { sheets, mine, game } = fresh;
    const text = JSON.stringify([sheets, mine, game]);
    if (text === drawn || !place.isConnected) return;
    drawn = text;
    const players = sheets.filter(hasScore);
    const isMine = (sheet) => mine.includes(sheet.id);
    if (players.length) document.title = titleOf(players);
    const cardOf = (sheet) => {
      const name = nameOf(sheet, players);
      return h("article.player.card", [
        h("h2", name, hasScore(sheet) && ` · ${worth(sheet)}`),
        boardOf(sheet, name, isMine),
      ]);
    };
    put(body, game ? gameView(sheets, game, { mine: isMine }) : [title, sheets.map(cardOf)]);
    own.show(players.filter(isMine), players);
    const brought = players.some(isMine);
    const again = players.some((sheet) => isMine(sheet) && sheet.photograph_again);
    const kingdoms = players.some((sheet) => sheet.kind === "kingdom");
    const full = players.length === (kingdoms ? 4 : 2);
    const lacks = full && !kingdoms && players.length === sheets.length; // a spellbook
    buttons.hidden = !again && !lacks && (brought || full);
    theirs.hidden = again || !lacks;
    invite.hidden = !(kingdoms ? !full : players.every(isMine) && !game);
    put(invite, invitation(brought));
    put(place, body, buttons, own.element, invite, game && bar(sheets, game));
    if (game) announce(document.title);
  }

  function invitation(brought) {
    if (isLocal(now.link)) return h("p.error-text", noPhones());
    const first = t(
      "Photograph your own sheet, then open this link on the other phone and photograph its sheet there.",
    );
    const then = t("Open this link on the other phone and photograph its sheet there.");
    return [
      h("p", brought ? then : first),
      h("img.invitation width=240 height=240", {
        src: `api/join.svg?game=${encodeURIComponent(code)}`,
        alt: t("QR code that opens this game on another phone"),
      }),
      h("p.game-code", code),
      button(t("Send the link"), () => pass(now.link)),
    ];
  }

  show(await get(sharedPath(code)));
  poll(sharedPath(code), show, undefined, () => place.isConnected);
}

// The link, shared in this phone's own way.
async function pass(link) {
  if (!navigator.share) return copyLink(link);
  const away = (error) => error.name !== "AbortError" && copyLink(link);
  await navigator.share({ url: link }).catch(away);
}

// A game with another phone: started here, or joined by its code.

const sharedPath = (code) => `api/shared/${encodeURIComponent(code)}`;

// photo: the one whose sheets to add.
export function joinForm(photo = null) {
  const go = (asking) =>
    attempt(async () => {
      location.hash = `#/shared/${(await asking).code}`;
    });
  const exact = { autocomplete: "off", autocapitalize: "characters", spellcheck: "false" };
  const field = input(t("Code of the game"), { class: "code", maxlength: "20", ...exact });
  const join = () => {
    const code = field.value.replace(/\s/g, "").toUpperCase();
    if (code) go(photo === null ? get(sharedPath(code)) : post(sharedPath(code), { photo }));
  };
  const start = () => go(post("api/shared", { photo }));
  return h("details.together.card", [
    h("summary", t("Two phones, one game")),
    h("div.stack", [
      button(t("Show a code to the other phone"), start, { class: "main wide" }),
      form("form.row.centred", join, field, h("button", t("Join"))),
    ]),
  ]);
}
