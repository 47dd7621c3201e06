// A tab of the desk that is a queue of cards: which one is open, and which comes next. A tab draws
// only into its own element, whether that is in the page or not.

import { openCard } from "./card.js";
import { glyph, h, input, inUse, lines, put, select } from "./dom.js";
import { percent, t } from "./i18n.js";
import { HEADINGS, where } from "./remedies.js";

// A card that was settled while it was open, with its sheets as they are now.
const settled = (card, desk) => ({
  ...card,
  settled: true,
  sheets: card.sheets.map((sheet) => desk.sheets.find((one) => one.id === sheet.id) ?? sheet),
});

// hub: the desk around it (see desk.js). cardsOf(desk): the cards; none(desk): what is shown without any.
// kept: a card stays open even after it is settled, and the first one opens automatically.
export function queueTab(hub, { label, cardsOf, none, kept }) {
  const list = cardList((key) => go(() => queue.findIndex((card) => card.key === key)));
  const opened = openCard(hub, { none, act, confirm });
  const empty = h("li.none");
  const element = h("div.desk.stack", [
    h("nav.queue.card", { "aria-label": label() }, list.element),
    opened.element,
    opened.keys,
  ]);
  let desk = null;
  let queue = [];
  let at = -1;
  let wished = 0;
  let acted = false;

  const nearest = (n) => Math.max(0, Math.min(n, queue.length - 1));

  // A remedy: the card is done once it was kept.
  function act(action) {
    return hub.act(action, () => {
      acted = true;
    });
  }

  function showList() {
    put(empty, none(desk));
    list.show(queue, at, kept ? null : empty);
  }

  // Whether somebody works on a card that is no longer in the queue.
  function worked(card) {
    if (!kept || !card || acted) return false;
    return opened.sheet ? card.kind === "look" : inUse(opened.element);
  }

  // Shows the desk's new state. What somebody works on stays, even if it is settled by now. A card
  // whose sheets or players changed is redrawn, but not while somebody types in it.
  async function show(fresh) {
    desk = fresh;
    const held = queue[at];
    queue = [...cardsOf(fresh)];
    const known = queue.findIndex((card) => card.key === held?.key);
    const stays = known < 0 && worked(held);
    if (stays) queue.splice(Math.min(at, queue.length), 0, settled(held, fresh));
    if (known >= 0) at = known;
    else at = kept ? nearest(at) : -1;
    const done = acted;
    acted = false;
    const changed = !opened.sheet && !opened.isDrawn(queue[at]) && !inUse(opened.element);
    showList();
    if (at < 0) opened.close();
    else if (done) await bring(at);
    else if (!stays && (known < 0 || changed)) await open(at);
    else await opened.sheet?.view.look(); // another desk may have corrected the open sheet
  }

  function choose(n) {
    at = nearest(n);
    showList();
    opened.wait();
  }

  async function open(n) {
    choose(n);
    await opened.show(queue[at], desk);
  }

  // On a phone the card lies below the list, and the one before may have been scrolled.
  async function bring(n) {
    await open(n);
    opened.element.scrollIntoView();
  }

  // Opens another card, in turn; of cards that are passed over none is loaded.
  function go(which) {
    wished += 1;
    const wish = wished;
    opened.pass();
    return hub.inTurn(() => (wish === wished ? bring(which()) : choose(which())));
  }

  async function confirm(sheet) {
    await hub.doing(() => sheet.view.confirm());
    if (sheet.view.sheet.confirmed) await leave(); // else it was not kept, which was reported already
  }

  // The card after this one, which is done.
  async function leave() {
    const { key } = queue[at];
    if (kept) queue = queue.filter((card) => card.key !== key);
    await bring(kept ? at : at + 1);
  }

  // After a sheet's last doubt comes the next card, or the news that all is settled.
  async function onwards(sheet) {
    if (sheet.nextDoubt()) return;
    if (at < queue.length - 1 || (kept && !sheet.view.sheet.review)) await leave();
  }

  // Shows the sheet of which something was undone; null: none.
  async function back(fresh, id) {
    const before = opened.sheet;
    const part = before?.view.sheet.id === id ? before?.current() : null;
    if (id === null || !kept) {
      await show(fresh);
      if (opened.sheet) await open(at);
    } else {
      await openUndone(fresh, id);
    }
    if (part) opened.sheet?.focusOn(part.id);
  }

  // Its card comes back; if there is none, the sheet is shown as settled.
  async function openUndone(fresh, id) {
    desk = fresh;
    queue = [...cardsOf(fresh)];
    const isOf = (card) => card.sheets.some((sheet) => sheet.id === id);
    const brief = fresh.sheets.find((sheet) => sheet.id === id);
    if (brief && !queue.some(isOf))
      queue.splice(Math.min(at, queue.length), 0, { ...cardOf(brief), settled: true });
    await open(queue.findIndex(isOf));
  }

  const ACTIONS = {
    j: () => go(() => at + 1),
    k: () => go(() => at - 1),
    n: () => opened.here((sheet) => sheet.nextDoubt()),
    y: () => opened.here(confirm),
  };

  // Whether a key has a meaning here.
  function key(pressed) {
    if (pressed in ACTIONS) ACTIONS[pressed]();
    else if (!opened.press(pressed)) return false;
    if (pressed === "Enter") opened.here(onwards);
    return true;
  }

  // On return: the open card may have changed meanwhile.
  const enter = async (fresh) => {
    await show(fresh);
    if (queue[at] && !inUse(opened.element)) await open(at);
  };
  return { element, show, enter, back, key };
}

// The list of cards beside the open one: of each its picture, whose it is, and what there is to do.

// A sheet without problems, as a card.
const cardOf = (sheet) => ({
  kind: "look",
  key: `look-${sheet.id}`,
  sheets: [sheet],
  values: {},
  players: [],
  player: sheet.player,
  round: sheet.round,
  table: sheet.table,
  decides: false,
  confidence: sheet.confidence,
});

// Among all sheets most need nothing.
const needed = (card) => card.kind !== "look" || card.sheets[0].review;

function noteOf({ kind, settled, decides, sheets, confidence }) {
  if (settled) return glyph("done");
  if (decides) return t("decides the game");
  if (kind !== "look") return "";
  return sheets[0].confirmed && !sheets[0].review ? glyph("done") : percent(confidence);
}

function sideOf(card) {
  const total = ["look", "rules"].includes(card.kind) && card.sheets[0]?.total;
  const note = noteOf(card);
  return h("span.queue-total", total, note && h("small", note));
}

function face(card) {
  const [sheet] = card.sheets;
  const who = card.player ?? sheet?.player ?? sheet?.name ?? card.values.name;
  const what = [
    needed(card) && HEADINGS[card.kind](),
    sheet?.kind === "duel_spellbook" && t("Spellbook"),
    where(card),
  ];
  const picture = sheet
    ? h("img", { src: sheet.thumb, alt: "", loading: "lazy" })
    : h("span.no-thumb", glyph(card.kind === "failed" ? "close" : "more"));
  return [
    picture,
    h("span", h("strong", who ?? "?"), h("small", what.filter(Boolean).join(" · "))),
    sideOf(card),
  ];
}

// The list of cards: {element, show(cards, at, empty)}, of which the one at `at` is open; empty: a line that
// is shown if there are none. onPick(key): a card was tapped. A line is drawn anew only if its card
// changed: its picture would flicker.
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
  let seen = null;
  function show(cards, at, empty) {
    list(cards, empty);
    const buttons = [...element.querySelectorAll("button")];
    buttons.forEach((one, n) =>
      n === at ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current"),
    );
    // News must not scroll a phone back up to the list.
    if (buttons[at] !== seen) buttons[at]?.scrollIntoView({ block: "nearest" });
    seen = buttons[at];
  }
  return { element, show };
}

// Which of all sheets the desk lists: those with the searched words, to check, or without a player.

const KINDS = { "": () => true, review: (one) => one.review, owner: (one) => !one.player };

const textOf = (sheet) =>
  [sheet.name, sheet.player, where(sheet), sheet.total, sheet.review && t("please check")]
    .filter(Boolean)
    .join(" ")
    .toLocaleLowerCase();

// Rounds, tables and totals are matched exactly: 3 is not 31.
const has = (text, word) =>
  /^\d{1,2}$/.test(word) ? text.split(/[^\p{L}\d]+/u).includes(word) : text.includes(word);

// onChange(): other sheets are wanted. found(sheets): their cards.
export function sheetFilter(onChange) {
  const search = input(t("Search all sheets"), {
    type: "search",
    class: "search",
    placeholder: t("Search"),
    oninput: onChange,
  });
  const kinds = [
    ["", t("All sheets")],
    ["review", t("please check")],
    ["owner", t("Without a player")],
  ];
  const only = select(t("Which sheets"), kinds, { onchange: onChange });
  function found(sheets) {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const fits = (sheet) => {
      const text = textOf(sheet);
      return words.every((word) => has(text, word));
    };
    return sheets.filter(KINDS[only.value]).filter(fits).map(cardOf);
  }
  return { search, only, found };
}
