// One game on several phones: each photographs its own sheet, all see who won.

import { attempt, copyLink, get, perform, poll, post } from "./api.js";
import { announce, button, form, h, input, put } from "./dom.js";
import { bar, boardOf, gameView, titleOf, worth } from "./game.js";
import { t } from "./i18n.js";
import { hasScore, nameOf } from "./kinds.js";
import { emblem } from "./marks.js";
import { whoseField } from "./names.js";
import { photographs } from "./sending.js";

// #/shared/CODE
export async function showShared(place, code) {
  let now = null;
  let drawn = "";
  const names = new Map();
  const title = h("h1.winner.stack tabindex=-1", emblem(), t("Two phones, one game"));
  const [body, own] = [h("div.stack"), h("div")];
  const theirs = h("h2.quiet-title", t("Their spellbook?"));
  const buttons = h("div.stack", theirs, photographs({ shared: encodeURIComponent(code) }));
  const invite = h("section.card.centred");

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
    const fields = players.filter(isMine).map((sheet) => nameFor(sheet, players));
    put(own, fields);
    const brought = players.some(isMine);
    const again = players.some((sheet) => isMine(sheet) && sheet.photograph_again);
    const kingdoms = players.some((sheet) => sheet.kind === "kingdom");
    const full = players.length === (kingdoms ? 4 : 2);
    const lacks = full && !kingdoms && players.length === sheets.length; // a spellbook
    buttons.hidden = !again && !lacks && (brought || full);
    theirs.hidden = again || !lacks;
    invite.hidden = !(kingdoms ? !full : players.every(isMine) && !game);
    put(invite, invitation(brought));
    put(place, body, buttons, own, invite, game && bar(sheets, game));
    if (game) announce(document.title);
  }

  function invitation(brought) {
    const link = new URL(now.link, location.href).href;
    const first = t(
      "Photograph your own sheet, then open this link on the other phone and photograph its sheet there.",
    );
    const then = t("Open this link on the other phone and photograph its sheet there.");
    return [
      h("p", brought ? then : first),
      h("img.invitation width=240 height=240", {
        src: `${sharedPath(code)}/qr.svg`,
        alt: t("QR code that opens this game on another phone"),
      }),
      h("p.game-code", code),
      button(t("Send the link"), () => pass(link)),
    ];
  }

  function nameFor(sheet, players) {
    const assign = (action) =>
      attempt(async () => {
        const { sheet: named } = await perform(action, "sheet");
        show({ ...now, sheets: now.sheets.map((one) => (one.id === named.id ? named : one)) });
      });
    if (!names.has(sheet.id)) names.set(sheet.id, whoseField(sheet.kind, assign));
    const field = names.get(sheet.id);
    const taken = players.flatMap((other) => other.player ?? []);
    field.show(sheet, taken);
    return field.element;
  }

  show(await get(sharedPath(code)));
  const wanted = () => place.isConnected;
  poll(sharedPath(code), show, undefined, wanted);
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
