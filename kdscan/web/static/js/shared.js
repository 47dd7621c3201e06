// One game on several phones: each photographs its own sheet, all see who won.

import { get, perform, persist, poll, post, whenRead } from "./api.js";
import { photoButtons } from "./camera.js";
import { announce, button, form, h, input, put } from "./dom.js";
import { attempt, copyLink, mayChange } from "./errors.js";
import { bar, gameView, opens, titleOf, worth } from "./game.js";
import { t } from "./i18n.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";
import { emblem } from "./marks.js";
import { whoseField } from "./names.js";
import { deliver, forget, keep } from "./sending.js";

// #/shared/CODE
export async function showShared(place, code) {
  let now = null,
    drawn = "";
  const names = new Map();
  const title = h("h1.winner.stack", { tabindex: "-1" }, emblem(), t("Two phones, one game"));
  const body = h("div.stack"),
    own = h("div"),
    state = h("p.decided", { role: "status" });
  const theirs = h("h2.quiet-title", t("Their spellbook?"));
  const buttons = h("div", [theirs, photoButtons((files) => bring(files[0]), { many: false })]);
  const invite = h("section.card.centred");

  function show(fresh) {
    now = fresh;
    const { sheets, mine, game } = fresh,
      text = JSON.stringify([sheets, mine, game]);
    if (text === drawn || !place.isConnected) return;
    drawn = text;
    const players = sheets.filter(hasScore),
      isMine = (sheet) => mine.includes(sheet.id);
    if (players.length) document.title = titleOf(players);
    put(
      body,
      game
        ? gameView(sheets, game, { mine: isMine })
        : [
            title,
            sheets.map((sheet) => {
              const name = nameOf(sheet, players);
              return h("article.player.card", [
                h("h2", name, hasScore(sheet) && ` · ${worth(sheet)}`),
                opens(sheet, name, kindOf(sheet).draw(sheet, { labels: false }), isMine),
              ]);
            }),
          ],
    );
    const fields = players.filter(isMine).map((sheet) => nameFor(sheet, players));
    put(own, fields);
    const brought = players.some(isMine),
      again = players.some((sheet) => isMine(sheet) && sheet.photograph_again);
    const kingdoms = players.some((sheet) => sheet.kind === "kingdom"),
      full = players.length === (kingdoms ? 4 : 2);
    const lacks = full && !kingdoms && players.length === sheets.length; // whoever has a spellbook may add it
    buttons.hidden = !again && !lacks && (brought || full);
    theirs.hidden = again || !lacks;
    const open = kingdoms ? !full : players.every(isMine) && !game;
    put(
      invite,
      open && [
        h(
          "p",
          brought
            ? t("Open this link on the other phone and photograph its sheet there.")
            : t(
                "Photograph your own sheet, then open this link on the other phone and photograph its sheet there.",
              ),
        ),
        h("img.invitation width=240 height=240", {
          src: `${sharedPath(code)}/qr.svg`,
          alt: t("QR code that opens this game on another phone"),
        }),
        h("p.game-code", code),
        button(t("Send the link"), () => pass(new URL(fresh.link, location.href).href)),
      ],
    );
    invite.hidden = !open;
    put(place, body, state, buttons, own, invite, game && bar(sheets, game));
    if (game) announce(document.title);
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

  async function bring(file) {
    buttons.hidden = true;
    const entry = await keep(file);
    const say = (text) => put(state, text);
    const failed = async (error) => {
      if (!mayChange(error)) await forget(entry.id); // the start page sends others again
      buttons.hidden = false;
    };
    await attempt(async () => {
      const { id } = await deliver(entry, () => {}, say);
      say(t("reading …"));
      const photo = await whenRead(id);
      if (photo.sheets.length) show(await persist(() => post(sharedPath(code), { photo: id })));
      else if (place.isConnected) location.hash = `#/photo/${id}`; // which says what is wrong
    }, failed);
    say("");
  }

  show(await get(sharedPath(code)));
  poll(
    sharedPath(code),
    show,
    () => 0,
    () => place.isConnected,
  );
}

// The link, shared in this phone's own way.
async function pass(link) {
  const away = (error) => {
    if (error.name !== "AbortError") return copyLink(link);
  };
  if (navigator.share) await navigator.share({ url: link }).catch(away);
  else await copyLink(link);
}

// A game with another phone: started here, or joined by its code.

const sharedPath = (code) => `api/shared/${encodeURIComponent(code)}`;

// photo: the one whose sheets to add.
export function joinForm(photo = null) {
  const go = (asking) =>
    attempt(async () => {
      location.hash = `#/shared/${(await asking).code}`;
    });
  const field = input(t("Code of the game"), {
    class: "code",
    maxlength: "20",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
  });
  const join = () => {
    const code = field.value.replace(/\s/g, "").toUpperCase();
    if (code) go(photo === null ? get(sharedPath(code)) : post(sharedPath(code), { photo }));
  };
  return h("details.together.card", [
    h("summary", t("Two phones, one game")),
    h("div.stack", [
      button(t("Show a code to the other phone"), () => go(post("api/shared", { photo })), {
        class: "main wide",
      }),
      form("form.row.centred", join, field, h("button", t("Join"))),
    ]),
  ]);
}
