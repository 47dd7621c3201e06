// The card that is open at the desk: its remedies, or its sheet, and the keys that act on it.

import { get } from "./api.js";
import { cardView } from "./cards.js";
import { $, announce, h, put, sign, typing } from "./dom.js";
import { explain } from "./errors.js";
import { keyHelp } from "./keyhelp.js";
import { kindOf } from "./kinds.js";
import { openSheet } from "./opensheet.js";

const OF_SHEETS = ["look", "rules", "again"];

const entersValue = (key) =>
  key === "Enter" || key === "Delete" || (key.length === 1 && key !== " ");

// hub: the desk around it (see desk.js). none(desk): what is shown without a card. act(path, what):
// performs a remedy. confirm(sheet): the whole open sheet is right.
export function openCard(hub, { none, act, confirm }) {
  const body = h("div.desk-body");
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
    put(body, h("p.none.done", desk.sheets.length > 0 && sign("♛ "), none(desk)));

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
    const photo = await get(`/api/photos/${brief.photo}`);
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
