// The card that is open at the desk: its remedies, or its sheet, and the keys that act on it.

import { get } from "./api.js";
import { focusPart } from "./board.js";
import { $, announce, button, glyph, h, put, typing } from "./dom.js";
import { explain } from "./errors.js";
import { t } from "./i18n.js";
import { hasScore, kindOf } from "./kinds.js";
import { photoView } from "./photo.js";
import { choices } from "./questions.js";
import { cardView, otherOwner, where } from "./remedies.js";
import { sheetView } from "./sheet.js";

const OF_SHEETS = ["look", "rules", "again"];

const entersValue = (key) =>
  key === "Enter" || key === "Delete" || (key.length === 1 && key !== " ");

// hub: the desk around it (see desk.js). none(desk): what is shown without a card. act(path, what):
// performs a remedy. confirm(sheet): the whole open sheet is right.
export function openCard(hub, { none, act, confirm }) {
  const body = h("div.desk-body.stack");
  const keys = keyHelp();
  let open = null; // the open sheet, if the card is one
  let remedies = [];
  let drawn = null;
  let turn = 0;

  const tell = (text) => body.isConnected && text && announce(text);

  // A card that is still loading is not drawn any more.
  function pass() {
    turn += 1;
  }

  // Another card is coming: until it is here, the previous one is shown, but takes no answers.
  function wait() {
    open = null;
    remedies = [];
    body.inert = true;
  }

  function close() {
    pass();
    open = null;
    remedies = [];
    drawn = null;
    put(body);
    keys.show();
  }

  async function show(card, desk) {
    pass();
    const mine = turn;
    drawn = JSON.stringify(card);
    keys.show();
    try {
      const draw = card ? await loaded(card, desk) : () => showNone(desk);
      if (mine !== turn) return;
      body.inert = false;
      draw();
    } catch (error) {
      if (mine !== turn) return;
      body.inert = false;
      put(body, h("p.none", { role: "alert" }, explain(error)));
    }
  }

  const loaded = (card, desk) =>
    OF_SHEETS.includes(card.kind) ? loadSheet(card, desk) : loadRemedies(card, desk);

  const showNone = (desk) =>
    put(body, h("p.done.none.stack.centred", desk.sheets.length > 0 && glyph("crown"), none(desk)));

  async function loadRemedies(card, desk) {
    const shown = await cardView(card, desk, act);
    return () => {
      remedies = shown.remedies;
      put(body, shown.element);
      const title = $("h2", body);
      if (!typing()) title?.focus({ preventScroll: true });
      tell(title?.textContent);
    };
  }

  async function loadSheet(card, desk) {
    const [brief] = card.sheets;
    const photo = await get(`api/photos/${brief.photo}`);
    return () => {
      const sheet = photo.sheets.find((one) => one.id === brief.id);
      keys.show(kindOf(sheet));
      const right = () => here(confirm);
      open = openSheet(body, { card, photo, sheet, desk, act, confirm: right, tell, say });
    };
  }

  // What was meant for one sheet is never applied to another that was opened meanwhile.
  const here = (doing) => {
    const meant = open;
    return hub.inTurn(() => meant && meant === open && doing(meant));
  };

  const say = (id, value) => here((sheet) => keep(sheet, id, value));

  async function keep(sheet, id, value) {
    await hub.doing(() => sheet.view.say(id, value));
    if (!sheet.current()) sheet.focusOn(id);
  }

  // What a key makes of a part depends on the keys before it, so those are handled first.
  const type = (id, key) =>
    here(async (sheet) => {
      const part = sheet.view.find(id);
      const value = key === "Enter" ? part.read : part.press(part.read, key);
      if (value) await keep(sheet, id, value);
    });

  // Whether a key has a meaning for this card.
  function press(key) {
    const remedy = remedies[Number(key) - 1];
    if (remedy) {
      remedy();
      return true;
    }
    const part = open?.current();
    if (!part || !entersValue(key)) return false;
    type(part.id, key);
    return true;
  }

  return {
    element: body,
    keys: keys.element,
    get sheet() {
      return open;
    },
    isDrawn: (card) => JSON.stringify(card) === drawn,
    pass,
    wait,
    close,
    show,
    here,
    press,
  };
}

// A sheet that is open at the desk: its photo, its board, and the place that has the focus, enlarged
// with its possible values.

// Says whether the sheet is right, counts, or is another player's. confirm(): it is right.
function sheetSide({ card, photo, sheet, desk, act, confirm }, board) {
  const counts = card.sheets[0].status !== "ignored";
  const name = [card.player, photo.name, where(card)].filter(Boolean).join(" · ");
  const right = button(t("The whole sheet is right"), confirm, { class: "main accept" });
  const ignore = button(counts ? t("Do not count it") : t("Count it again"), () =>
    act({ type: "ignore", sheet: sheet.id, ignored: counts }),
  );
  return h("section.desk-sheet.stack", { "aria-label": t("Sheet") }, [
    h("h2.file-name", name),
    board,
    (sheet.review || card.kind === "rules") && right,
    h("p", ignore),
    hasScore(sheet) && otherOwner(card, desk, act),
  ]);
}

// Draws a card's sheet into `body`. given: card, photo, sheet, desk, and how its buttons act:
// act(path, what); confirm(); say(id, value): a value was tapped. tell(text): for screen readers.
function openSheet(body, given) {
  const { photo, sheet } = given;
  const page = photo.pages.find((one) => one.page === sheet.page);
  const board = h("div.sheet");
  const side = sheetSide(given, board);
  const whole = h("section.desk-photo", { "aria-label": t("Photo") });
  const enlarged = h("section.desk-shield.row", { "aria-label": t("This place in the photo") });
  put(body, h("div.desk-left.stack", whole, enlarged), side);

  const showPhoto = (now) =>
    put(
      whole,
      page.view &&
        photoView(page, [now], (_, part) => focusPart(board, part), now, { upright: true }),
    );
  board.addEventListener("focusin", () => {
    const part = current();
    if (part && page.view) put(enlarged, part.crop(page), valuesOf(part, given.say));
  });
  const view = sheetView(board, photo, sheet, { onChange: showPhoto, bar: false });

  // The shield, square or line that has the focus.
  function current() {
    const now = document.activeElement?.closest?.("[data-cell]");
    return now && body.contains(now) ? (view.find(now.dataset.cell) ?? null) : null;
  }

  const focusOn = (id) => typing() || focusPart(side, id);

  // The next doubtful place of the sheet; false if there is none left.
  function nextDoubt() {
    const parts = kindOf(view.sheet).parts(view.sheet);
    const now = current();
    const from = parts.findIndex((part) => part.id === now?.id);
    const doubtful = (part) => part.review;
    const next = parts.slice(from + 1).find(doubtful) ?? parts.find(doubtful);
    focusOn((next ?? now ?? parts[0]).id);
    given.tell(next?.name);
    return Boolean(next);
  }

  showPhoto(sheet);
  const { scrollY } = window;
  nextDoubt();
  scrollTo(0, scrollY); // the sheet's own column scrolls to it; a page that scrolls as a whole shows the card from its top
  return { view, current, focusOn, nextDoubt };
}

const valuesOf = (part, say) =>
  h("div", [h("h2", part.name), choices(part, (value) => say(part.id, value), 3)]);

// The keys that have a meaning at the desk, listed beside the open card.

const help = (kind) => [
  [["j", "k"], t("next, previous card")],
  ...(kind ? ofSheet(kind) : [[["1", "…", "9"], t("one of the answers")]]),
  [["u"], t("undo")],
  [["/"], t("search")],
];

const ofSheet = (kind) => [
  [["←", "↑", "→", "↓"], t("move to another place")],
  [["n"], t("next doubtful place")],
  ...kind.help(),
  [["Enter"], t("confirm what was read")],
  [["y"], t("confirm the whole sheet")],
];

const line = ([signs, what]) => {
  const keys = signs.map((key) => h("kbd", key));
  return h("div.row", h("dt", keys), h("dd", what));
};

// show(kind): the keys for a sheet of this kind; without one, those for a card with answers.
function keyHelp() {
  const element = h("aside.keys.card", { "aria-label": t("Keys") });
  const show = (kind) => put(element, h("dl.row", help(kind).map(line)));
  show();
  return { element, show };
}
