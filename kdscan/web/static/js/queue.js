// The desk's cards and the open one: its list, its remedy or its sheet, its keys. A tab draws only
// into its own element, whether that is in the page or not.

import { get } from "./api.js";
import { focusPart } from "./board.js";
import { HEADINGS, cardView, otherOwner, where } from "./cards.js";
import { $, announce, h, inUse, lines, put, sign, typing } from "./dom.js";
import { choice, options } from "./editor.js";
import { explain } from "./errors.js";
import { percent, t } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { photoView } from "./photo.js";
import { sheetView } from "./sheet.js";

const help = (kind) => [
  [["j", "k"], t("next, previous card")],
  ...(kind
    ? [
        [["←", "↑", "→", "↓"], t("move to another place")],
        [["n"], t("next doubtful place")],
        ...kind.help(),
      ]
    : [[["1", "…", "9"], t("one of the answers")]]),
  ...(kind
    ? [
        [["Enter"], t("confirm what was read")],
        [["y"], t("confirm the whole sheet")],
      ]
    : []),
  [["u"], t("undo")],
  [["/"], t("search")],
];

// A sheet without problems, as a card.
export const cardOf = (sheet) => ({
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

const sideOf = (card) => {
  const [sheet] = card.sheets;
  const total = sheet && sheet.total !== null ? String(sheet.total) : "";
  const small = card.settled
    ? "✓"
    : card.decides
      ? t("decides the game")
      : card.kind !== "look"
        ? ""
        : sheet.confirmed && !sheet.review
          ? "✓"
          : percent(card.confidence);
  return h(
    "span",
    { class: "queue-total" },
    ["look", "rules"].includes(card.kind) ? total : "",
    small && h("small", {}, small),
  );
};

// Among all sheets most need nothing.
const needed = (card) => card.kind !== "look" || card.sheets[0].review;

function face(card) {
  const [sheet] = card.sheets;
  const who = card.player ?? sheet?.player ?? sheet?.name ?? card.values.name;
  const what = sheet?.kind === "duel_spellbook" ? [t("Spellbook")] : [];
  return [
    sheet
      ? h("img", { src: sheet.thumb, alt: "", loading: "lazy" })
      : sign(card.kind === "failed" ? "✗" : "…", "no-thumb"),
    h(
      "span",
      {},
      h("strong", {}, who ?? "?"),
      h(
        "small",
        {},
        [needed(card) && HEADINGS[card.kind](), ...what, where(card)].filter(Boolean).join(" · "),
      ),
    ),
    sideOf(card),
  ];
}

const OF_SHEETS = ["look", "rules", "again"];

// hub: the desk around it (see desk.js). cardsOf(desk): the cards; none(desk): what is shown without any.
// kept: a card stays open even after it is settled, and the first one opens automatically.
export function queueTab(hub, { label, cardsOf, none, kept }) {
  const body = h("div", { class: "desk-body" }),
    keys = h("aside", { class: "keys card", "aria-label": t("Keys") }),
    ol = h("ol", {});
  const element = h(
    "div",
    { class: "desk" },
    h("nav", { class: "queue card", "aria-label": label() }, ol),
    body,
    keys,
  );
  const empty = h("li", { class: "none" });
  let desk = null,
    queue = [],
    at = -1,
    view = null,
    opened = 0,
    wished = 0,
    remedies = [],
    drawn = null,
    acted = false,
    seen = null;

  const list = lines(
    ol,
    (card) => card.key,
    ({ key }) => {
      const button = h("button", {
          type: "button",
          onclick: () => go(() => queue.findIndex((card) => card.key === key)),
        }),
        li = h("li", {}, button);
      let before;
      return {
        element: li,
        show: (card) => {
          const now = JSON.stringify(card);
          if (now !== before) {
            li.className = `card-${card.kind}`;
            put(button, face(card));
          }
          before = now;
        },
      };
    },
  );

  function showList() {
    put(empty, none(desk));
    list(queue, kept ? null : empty);
    ol.querySelectorAll("button").forEach((one, n) =>
      n === at ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current"),
    );
    // News must not scroll a phone back up to the list.
    const current = $("[aria-current]", ol);
    if (current !== seen) current?.scrollIntoView({ block: "nearest" });
    seen = current;
  }

  const showKeys = (kind) =>
    put(
      keys,
      h(
        "dl",
        {},
        help(kind).map(([signs, what]) =>
          h(
            "div",
            {},
            h(
              "dt",
              {},
              signs.map((key) => h("kbd", {}, key)),
            ),
            h("dd", {}, what),
          ),
        ),
      ),
    );

  // Shows the desk's new state. What somebody works on stays, even if it is settled by now. A card
  // whose sheets or players changed is redrawn, but not while somebody types in it.
  async function show(fresh) {
    desk = fresh;
    const cards = [...cardsOf(fresh)],
      held = queue[at],
      known = cards.findIndex((card) => card.key === held?.key);
    const stays =
      kept && held && known < 0 && !acted && (view ? held.kind === "look" : inUse(body));
    if (stays)
      cards.splice(Math.min(at, cards.length), 0, {
        ...held,
        settled: true,
        sheets: held.sheets.map(
          (sheet) => fresh.sheets.find((one) => one.id === sheet.id) ?? sheet,
        ),
      });
    queue = cards;
    at = known >= 0 ? known : kept ? Math.max(0, Math.min(at, queue.length - 1)) : -1;
    const done = acted,
      changed = done || (!view && JSON.stringify(queue[at]) !== drawn && !inUse(body));
    acted = false;
    showList();
    if (!kept && at < 0) close();
    else if (!stays && (known < 0 || changed)) await (done ? bring : open)(at);
    else await view?.look(); // another desk may have corrected the open sheet
  }

  function close() {
    opened += 1;
    view = null;
    remedies = [];
    drawn = null;
    put(body);
    showKeys();
  }

  // Opens another card, in turn; one that is still loading is not drawn any more, and of cards that are
  // passed over none is loaded.
  function go(which) {
    const wish = ++wished;
    opened += 1;
    return hub.inTurn(() => (wish === wished ? bring(which()) : choose(which())));
  }

  // On a phone the card lies below the list, and the one before may have been scrolled.
  async function bring(n) {
    await open(n);
    body.scrollIntoView();
  }

  function choose(n) {
    at = Math.max(0, Math.min(n, queue.length - 1));
    showList();
    view = null;
    remedies = [];
    body.inert = true; // until the card is here, the previous one is shown
  }

  async function open(n) {
    choose(n);
    const card = queue[at],
      turn = ++opened;
    drawn = JSON.stringify(card);
    showKeys();
    try {
      const draw = card
        ? await (OF_SHEETS.includes(card.kind) ? sheetOf(card) : remedyOf(card))
        : settled;
      if (turn === opened) {
        body.inert = false;
        draw();
      }
    } catch (error) {
      if (turn !== opened) return;
      body.inert = false;
      put(body, h("p", { class: "none", role: "alert" }, explain(error)));
    }
  }

  const settled = () =>
    put(body, h("p", { class: "none done" }, desk.sheets.length > 0 && sign("♛ "), none(desk)));

  async function remedyOf(card) {
    const shown = await cardView(card, desk, act);
    return () => {
      remedies = shown.remedies;
      put(body, shown.element);
      if (!typing()) $("h2", body)?.focus({ preventScroll: true });
      tell($("h2", body)?.textContent);
    };
  }

  const tell = (text) => element.isConnected && text && announce(text);

  // A remedy: the card is done once it was kept.
  const act = (path, what) =>
    hub.act(path, what, () => {
      acted = true;
    });

  async function sheetOf(card) {
    const [brief] = card.sheets,
      photo = await get(`/api/photos/${brief.photo}`);
    return () =>
      drawSheet(
        card,
        photo,
        photo.sheets.find((one) => one.id === brief.id),
      );
  }

  function drawSheet(card, photo, sheet) {
    const [brief] = card.sheets,
      counts = brief.status !== "ignored";
    const board = h("div", { class: "sheet" }),
      shown = h("section", { class: "desk-photo", "aria-label": t("Photo") });
    const side = h(
      "section",
      { class: "desk-sheet", "aria-label": t("Sheet") },
      h(
        "h2",
        { class: "file-name" },
        [card.player, photo.name, where(card)].filter(Boolean).join(" · "),
      ),
      board,
      (sheet.review || card.kind === "rules") &&
        h(
          "button",
          { type: "button", class: "main accept", onclick: () => here(confirmed) },
          t("The whole sheet is right"),
        ),
      h(
        "p",
        {},
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () => act(`/api/sheets/${sheet.id}/ignore`, { ignored: counts }),
          },
          counts ? t("Do not count it") : t("Count it again"),
        ),
      ),
      hasScore(sheet) && otherOwner(card, desk, act),
    );
    put(
      body,
      h(
        "div",
        { class: "desk-left" },
        shown,
        h("section", { class: "desk-shield", "aria-label": t("This place in the photo") }),
      ),
      side,
    );
    const page = photo.pages.find((p) => p.page === sheet.page);
    const draw = (s) =>
      put(
        shown,
        page.view &&
          photoView(page, [s], (_, part) => focusPart(board, part), s, { upright: true }),
      );
    board.addEventListener("focusin", () => showPart(page));
    showKeys(kindOf(sheet));
    view = sheetView(board, photo, sheet, { onChange: draw, bar: false });
    draw(sheet);
    const { scrollY } = window;
    nextDoubt(0);
    scrollTo(0, scrollY); // the sheet's own column scrolls to it; a page that scrolls as a whole shows the card from its top
  }

  // The shield, square or line that has the focus, enlarged, with its possible values.
  function showPart(page) {
    const part = current();
    if (!part || !page.view) return;
    put(
      $(".desk-shield", body),
      part.crop(page),
      h(
        "div",
        {},
        h("h2", {}, part.name),
        h(
          "div",
          { class: "choices" },
          options(part)
            .slice(0, 3)
            .map(([value, p]) => choice(part, value, p, () => say(part.id, () => value))),
        ),
      ),
    );
  }

  function current() {
    const now = document.activeElement?.closest?.("[data-cell]");
    return now && view && body.contains(now) ? (view.find(now.dataset.cell) ?? null) : null;
  }

  const focusOn = (id) => typing() || focusPart($(".desk-sheet", body), id);

  // The next doubtful place of the sheet; false if there is none left.
  function nextDoubt(step = 1) {
    if (!view) return false;
    const parts = kindOf(view.sheet).parts(view.sheet),
      now = current();
    const from = now && step ? parts.findIndex((part) => part.id === now.id) : -1;
    const next =
      parts.find((part, n) => part.review && n > from) ?? parts.find((part) => part.review);
    focusOn((next ?? now ?? parts[0]).id);
    tell(next?.name);
    return Boolean(next);
  }

  // What was meant for one sheet is never applied to another that was opened meanwhile.
  const here = (doing) => {
    const seen = view;
    return hub.inTurn(() => seen && seen === view && doing());
  };

  const say = (id, valueOf) =>
    here(async () => {
      const value = valueOf(view.find(id));
      if (!value) return;
      await hub.doing(() => view.say(id, value));
      if (!current()) focusOn(id);
    });

  async function confirmed() {
    await hub.doing(() => view.confirm());
    if (view.sheet.confirmed) await leave(); // else it was not kept, which was reported already
  }

  // The card after this one, which is done.
  async function leave() {
    const { key } = queue[at];
    if (kept) queue = queue.filter((card) => card.key !== key);
    await bring(Math.min(kept ? at : at + 1, queue.length - 1));
  }

  // After a sheet's last doubt comes the next card, or the news that all is settled.
  async function onwards() {
    if (!nextDoubt() && (at < queue.length - 1 || (kept && !view.sheet.review))) await leave();
  }

  // Shows the sheet of which something was undone; null: none.
  async function back(fresh, id) {
    const part = view?.sheet.id === id ? current()?.id : null;
    if (id === null || !kept) {
      await show(fresh);
      if (view) await open(at);
    } else {
      const of = (card) => card.sheets.some((sheet) => sheet.id === id),
        brief = fresh.sheets.find((sheet) => sheet.id === id);
      desk = fresh;
      queue = cardsOf(fresh);
      if (brief && !queue.some(of))
        queue.splice(Math.min(at, queue.length), 0, { ...cardOf(brief), settled: true });
      await open(Math.max(0, queue.findIndex(of)));
    }
    if (part && view) focusOn(part);
  }

  const ACTIONS = {
    j: () => go(() => at + 1),
    k: () => go(() => at - 1),
    n: () => here(() => nextDoubt()),
    y: () => here(confirmed),
  };

  // Whether a key has a meaning here.
  function key(pressed) {
    const part = current(),
      remedy = !view && /^[1-9]$/.test(pressed) ? remedies[Number(pressed) - 1] : null;
    // Its effect on the part depends on the keys before it, so those are handled first.
    const typed =
      part &&
      (pressed === "Enter" || pressed === "Delete" || (pressed.length === 1 && pressed !== " "));
    if (pressed in ACTIONS) ACTIONS[pressed]();
    else if (remedy) remedy();
    else if (typed)
      say(part.id, (now) => (pressed === "Enter" ? now.read : now.press(now.read, pressed)));
    else return false;
    if (pressed === "Enter") here(onwards);
    return true;
  }

  showKeys();
  // On return: the open card may have changed meanwhile.
  const enter = async (fresh) => {
    await show(fresh);
    if (queue[at] && !inUse(body)) await open(at);
  };
  return { element, show, enter, back, key };
}
