// A tab of the desk that is a queue of cards: which one is open, and which comes next.

import { explain, get } from "./api.js";
import { focusPart } from "./board.js";
import { $, announce, button, glyph, h, input, inUse, lines, put, select, typing } from "./dom.js";
import { joined, percent, t } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { photoView } from "./photo.js";
import { choices } from "./questions.js";
import { cardView, HEADINGS, otherOwner, where } from "./remedies.js";
import { sheetView } from "./sheet.js";

const OF_SHEETS = ["look", "rules", "again"];

const entersValue = (key) =>
  key === "Enter" || key === "Delete" || (key.length === 1 && key !== " ");

// A card that was settled while it was open, with its sheets as they are now.
const settled = (card, desk) => ({
  ...card,
  settled: true,
  sheets: card.sheets.map((sheet) => desk.sheets.find((one) => one.id === sheet.id) ?? sheet),
});

// hub: the desk around it (see desk.js). cardsOf(desk): the cards; none(desk): what is shown
// without. kept: a card stays open after it is settled, and the first one opens automatically.
export function queueTab(hub, { label, cardsOf, none, kept }) {
  const list = cardList((key) => go(() => queue.findIndex((card) => card.key === key)));
  const body = h("div.desk-body.stack");
  const keys = h("aside.keys.card", { label: t("Keys") }, keysOf());
  const empty = h("li.none");
  const all = h("nav.queue.card", { label: label() }, list.element);
  const element = h("div.desk.stack", all, body, keys);
  let desk = null;
  let queue = [];
  let at = -1;
  let wished = 0; // how often another card was asked for
  let acted = false;
  let sheet = null; // the open sheet, if the card is one
  let remedies = [];
  let drawn = null;

  const nearest = (n) => Math.max(0, Math.min(n, queue.length - 1));

  // A remedy: the card is done once it was kept.
  const act = (action) =>
    hub.act(action, () => {
      acted = true;
    });

  function showList() {
    put(empty, none(desk));
    list.show(queue, at, kept ? null : empty);
  }

  // Whether somebody works on a card that is no longer in the queue.
  function worked(card) {
    if (!kept || !card || acted) return false;
    return sheet ? card.kind === "look" : inUse(body);
  }

  // Shows the desk's new state. What somebody works on stays, even if it is settled by now. A card
  // whose sheets or players changed is redrawn, but not while somebody types in it.
  async function show(fresh) {
    desk = fresh;
    const before = queue[at];
    queue = [...cardsOf(fresh)];
    const same = queue.findIndex((card) => card.key === before?.key);
    const stays = same < 0 && worked(before);
    if (stays) queue.splice(Math.min(at, queue.length), 0, settled(before, fresh));
    if (same >= 0) at = same;
    else at = kept ? nearest(at) : -1;
    const done = acted;
    acted = false;
    const changed = !sheet && JSON.stringify(queue[at]) !== drawn && !inUse(body);
    showList();
    if (at < 0) close();
    else if (done) await bring(at);
    else if (!stays && (same < 0 || changed)) await open(at);
    else await sheet?.view.look(); // another desk may have corrected the open sheet
  }

  function close() {
    wished += 1;
    [sheet, remedies, drawn] = [null, [], null];
    put(body);
    put(keys, keysOf());
  }

  // Until the card at this place is loaded, the previous one is shown, but takes no answers.
  function choose(n) {
    at = nearest(n);
    showList();
    [sheet, remedies] = [null, []];
    body.inert = true;
  }

  async function open(n) {
    choose(n);
    const wish = wished;
    const card = queue[at];
    drawn = JSON.stringify(card);
    put(keys, keysOf());
    const draw = await loaded(card).catch(
      (error) => () => put(body, h("p.none role=alert", explain(error))),
    );
    if (wish !== wished) return;
    body.inert = false;
    draw();
  }

  // What draws a card when all that it shows is here.
  async function loaded(card) {
    if (!card) return drawNone;
    if (!OF_SHEETS.includes(card.kind)) {
      const view = await cardView(card, desk, act);
      return () => drawRemedies(view);
    }
    const [brief] = card.sheets;
    const photo = await get(`api/photos/${brief.photo}`);
    const read = photo.sheets.find((one) => one.id === brief.id);
    return () => {
      put(keys, keysOf(kindOf(read)));
      const acts = { act, confirm: () => here(confirm), say };
      sheet = openSheet(body, card, photo, read, desk, acts);
    };
  }

  const drawNone = () =>
    put(body, h("p.done.none.stack.centred", desk.sheets.length > 0 && glyph("crown"), none(desk)));

  function drawRemedies(view) {
    remedies = view.remedies;
    put(body, view.element);
    const title = $("h2", body);
    if (!typing()) title.focus({ preventScroll: true });
    if (body.isConnected) announce(title.textContent);
  }

  // On a phone the card lies below the list, and the one before may have been scrolled.
  async function bring(n) {
    await open(n);
    body.scrollIntoView();
  }

  // Opens another card, in turn; of cards that are passed over none is loaded.
  function go(which) {
    const wish = ++wished;
    return hub.inTurn(() => (wish === wished ? bring(which()) : choose(which())));
  }

  // What was meant for one sheet is never applied to another that was opened meanwhile.
  function here(doing) {
    const meant = sheet;
    return hub.inTurn(() => meant && meant === sheet && doing(meant));
  }

  const say = (id, value) => here((meant) => keep(meant, id, value));

  async function keep({ view, current, focusOn }, id, value) {
    await hub.doing(() => view.say({ [id]: value }));
    if (!current()) focusOn(id);
  }

  // What a key makes of a part depends on the keys before it, so those are handled first.
  const type = (id, pressed) =>
    here(async (meant) => {
      const part = meant.view.find(id);
      const value = pressed === "Enter" ? part.read : part.press(part.read, pressed);
      if (value) await keep(meant, id, value);
    });

  async function confirm({ view }) {
    await hub.doing(view.confirm);
    if (view.sheet().confirmed) await leave(); // else it was not kept, which was reported already
  }

  // The card after this one, which is done.
  async function leave() {
    const { key } = queue[at];
    if (kept) queue = queue.filter((card) => card.key !== key);
    await bring(kept ? at : at + 1);
  }

  // After a sheet's last doubt comes the next card, or the news that all is settled.
  async function onwards({ view, nextDoubt }) {
    if (nextDoubt()) return;
    if (at < queue.length - 1 || (kept && !view.sheet().review)) await leave();
  }

  // Shows the sheet of which something was undone; null: none.
  async function back(fresh, id) {
    const part = sheet?.view.sheet().id === id ? sheet?.current() : null;
    if (id === null || !kept) {
      await show(fresh);
      if (sheet) await open(at);
    } else {
      await openUndone(fresh, id);
    }
    if (part) sheet?.focusOn(part.id);
  }

  // Its card comes back; if there is none, the sheet is shown as settled.
  async function openUndone(fresh, id) {
    desk = fresh;
    queue = [...cardsOf(fresh)];
    const isOf = (card) => card.sheets.some((one) => one.id === id);
    const brief = fresh.sheets.find((one) => one.id === id);
    if (brief && !queue.some(isOf))
      queue.splice(Math.min(at, queue.length), 0, { ...cardOf(brief), settled: true });
    await open(queue.findIndex(isOf));
  }

  const ACTIONS = {
    j: () => go(() => at + 1),
    k: () => go(() => at - 1),
    n: () => here(({ nextDoubt }) => nextDoubt()),
    y: () => here(confirm),
  };

  // Whether a key has a meaning here.
  function key(pressed) {
    const part = sheet?.current();
    const remedy = ACTIONS[pressed] ?? remedies[Number(pressed) - 1];
    if (remedy) remedy();
    else if (part && entersValue(pressed)) type(part.id, pressed);
    else return false;
    if (pressed === "Enter") here(onwards);
    return true;
  }

  // On return: the open card may have changed meanwhile.
  async function enter(fresh) {
    await show(fresh);
    if (queue[at] && !inUse(body)) await open(at);
  }
  return { element, show, enter, back, key };
}

// A sheet that is open: its photo, its board, and the place with the focus, enlarged; and the keys.

// Says whether the sheet is right, counts, or is another player's. act: see openSheet.
function sheetSide(card, photo, sheet, desk, { act, confirm }, board) {
  const counts = card.sheets[0].status !== "ignored";
  const name = joined(card.player, photo.name, where(card));
  const right = button(t("The whole sheet is right"), confirm, { class: "main accept" });
  const ignore = button(counts ? t("Do not count it") : t("Count it again"), () =>
    act({ type: "ignore", sheet: sheet.id, ignored: counts }),
  );
  return h("section.desk-sheet.stack", { label: t("Sheet") }, [
    h("h2.file-name", name),
    board,
    (sheet.review || card.kind === "rules") && right,
    h("p", ignore),
    hasScore(sheet) && otherOwner(card, desk, act),
  ]);
}

// Draws a card's sheet into `body`. acts: act(action); confirm(): it is right; say(id, value).
function openSheet(body, card, photo, sheet, desk, acts) {
  const page = photo.pages.find((one) => one.page === sheet.page);
  const board = h("div.sheet");
  const side = sheetSide(card, photo, sheet, desk, acts, board);
  const whole = h("section.desk-photo", { label: t("Photo") });
  const enlarged = h("section.desk-shield.row", { label: t("This place in the photo") });
  put(body, h("div.desk-left.stack", whole, enlarged), side);

  const onPart = (_, part) => focusPart(board, part);
  const showPhoto = (now) => put(whole, page.view && photoView(page, [now], onPart, now));
  const valuesOf = (part) => choices(part, (value) => acts.say(part.id, value), 3);
  board.addEventListener("focusin", () => {
    const part = current();
    if (part && page.view)
      put(enlarged, part.crop(page), h("div", h("h2", part.name), valuesOf(part)));
  });
  const view = sheetView(board, photo, sheet, { onChange: showPhoto, desk: true });

  // The shield, square or line that has the focus.
  function current() {
    const now = document.activeElement?.closest?.("[data-cell]");
    return now && body.contains(now) ? (view.find(now.dataset.cell) ?? null) : null;
  }

  const focusOn = (id) => typing() || focusPart(side, id);

  // The next doubtful place of the sheet; false if there is none left.
  function nextDoubt() {
    const parts = kindOf(view.sheet()).parts(view.sheet());
    const now = current();
    const from = parts.findIndex((part) => part.id === now?.id);
    const doubtful = (part) => part.review;
    const next = parts.slice(from + 1).find(doubtful) ?? parts.find(doubtful);
    const broken = view.sheet().problems.flatMap(({ cells }) => cells.map(String));
    const first = parts.find(({ id }) => broken.includes(id)) ?? parts[0];
    focusOn((next ?? now ?? first).id);
    if (next && body.isConnected) announce(next.name);
    return Boolean(next);
  }

  showPhoto(sheet);
  const { scrollY } = window;
  nextDoubt();
  scrollTo(0, scrollY); // its column alone scrolls to it: the page shows the card from its top
  return { view, current, focusOn, nextDoubt };
}

const ofSheet = (kind) => [
  [["←", "↑", "→", "↓"], t("move to another place")],
  [["n"], t("next doubtful place")],
  ...kind.help(),
  [["Enter"], t("confirm what was read")],
  [["y"], t("confirm the whole sheet")],
];

// The keys for a sheet of this kind; without one, those for a card with answers.
function keysOf(kind = null) {
  const lines = [
    [["j", "k"], t("next, previous card")],
    ...(kind ? ofSheet(kind) : [[["1", "…", "9"], t("one of the answers")]]),
    [["u"], t("undo")],
    [["/"], t("search")],
  ];
  const line = ([signs, what]) => {
    const keys = signs.map((key) => h("kbd", key));
    return h("div.row", h("dt", keys), h("dd", what));
  };
  return h("dl.row", lines.map(line));
}

// The list of cards beside the open one: of each its picture, whose it is, and what there is to do.

// A sheet without problems, as a card.
const cardOf = (sheet) => {
  const [kind, key] = ["look", `look-${sheet.id}`];
  return { ...sheet, kind, key, sheets: [sheet], values: {}, players: [], decides: false };
};

// Among all sheets most need nothing.
const needed = (card) => card.kind !== "look" || card.sheets[0].review;

function noteOf({ kind, settled, decides, sheets, confidence }) {
  if (settled) return glyph("done");
  if (decides) return t("decides the game");
  if (kind !== "look") return "";
  return sheets[0].confirmed && !sheets[0].review ? glyph("done") : percent(confidence);
}

function face(card) {
  const [sheet] = card.sheets;
  const who = card.player ?? sheet?.player ?? sheet?.name ?? card.values.name;
  const book = sheet?.kind === "duel_spellbook" && t("Spellbook");
  const what = [needed(card) && HEADINGS[card.kind](), book, where(card)];
  const picture = sheet
    ? h("img loading=lazy", { src: sheet.thumb, alt: "" })
    : h("span.no-thumb", glyph(card.kind === "failed" ? "close" : "more"));
  const total = ["look", "rules"].includes(card.kind) && sheet?.total;
  const note = noteOf(card);
  return [
    picture,
    h("span", h("strong", who ?? "?"), h("small", joined(...what))),
    h("span.queue-total", total, note && h("small", note)),
  ];
}

// The list of cards: {element, show(cards, at, empty)}, of which the one at `at` is open; empty: a
// line that is shown if there are none. onPick(key): a card was tapped. A line is drawn anew only
// if its card changed: its picture would flicker.
function cardList(onPick) {
  const element = h("ol");
  const entry = ({ key }) => {
    const line = h("li", h("button.bare type=button", { onclick: () => onPick(key) }));
    let drawn;
    const show = (card) => {
      const now = JSON.stringify(card);
      if (now !== drawn) put(line.firstChild, face(card));
      drawn = now;
      line.className = `card-${card.kind}`;
    };
    return { element: line, show };
  };
  const list = lines(element, (card) => card.key, entry);
  let last = null;
  function show(cards, at, empty) {
    list(cards, empty);
    const buttons = [...element.querySelectorAll("button")];
    buttons.forEach((one) => one.removeAttribute("aria-current"));
    buttons[at]?.setAttribute("aria-current", "true");
    // News must not scroll a phone back up to the list.
    if (buttons[at] !== last) buttons[at]?.scrollIntoView({ block: "nearest" });
    last = buttons[at];
  }
  return { element, show };
}

// Which of all sheets the desk lists: those with the searched words, to check, or without a player.

const KINDS = { "": () => true, review: (one) => one.review, owner: (one) => !one.player };

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

const textOf = (sheet) =>
  joined(sheet.name, sheet.player, where(sheet), sheet.total, sheet.review && t("please check"));

// Rounds, tables and totals are matched exactly: 3 is not 31.
const has = (text, word) =>
  /^\d{1,2}$/.test(word) ? text.split(/[^\p{L}\d]+/u).includes(word) : text.includes(word);

// onChange(): other sheets are wanted. found(sheets): their cards.
export function sheetFilter(onChange) {
  const acts = { oninput: onChange, placeholder: t("Search") };
  const search = input(t("Search all sheets"), { type: "search", class: "search", ...acts });
  const kinds = [
    ["", t("All sheets")],
    ["review", t("please check")],
    ["owner", t("Without a player")],
  ];
  const only = select(t("Which sheets"), kinds, { onchange: onChange });
  function found(sheets) {
    const words = plain(search.value).split(/\s+/).filter(Boolean);
    const fits = (sheet) => words.every((word) => has(plain(textOf(sheet)), word));
    return sheets.filter(KINDS[only.value]).filter(fits).map(cardOf);
  }
  return { search, only, found };
}
