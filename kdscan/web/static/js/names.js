// Players: names remembered on this phone, and whose sheet is which, which the server stores.

import { get, session } from "./api.js";
import { button, form, glyph, h, input, put, recall, remember, toast } from "./dom.js";
import { t } from "./i18n.js";

const KEY = "kdscan.names";
const MOST = 12;
const OFFERED = 6;

// The names of this phone's players.
const names = () => recall(KEY, []).filter((name) => typeof name === "string");
const without = (name) => names().filter((one) => one !== name);
const rememberName = (name) => remember(KEY, [name, ...without(name)].slice(0, MOST));

// Whom this phone's lines and fields are about: who signed in first.
export const ownNames = () => [...new Set([session.who, ...names()])].filter(Boolean);

// The players of the event, asked for once; none at home.
let listed = null;
const players = () =>
  (listed ??= get("api/standings")
    .then(({ standings }) => standings.map(({ player }) => player))
    .catch(() => []));

// Whose phone this is, at home: who signed in, else who was named first in the last game.
export const ownerHere = async () =>
  (await players()).length ? null : session.who || names()[1] || names()[0];

// "Ann 38 : Bob 45", from the sheets that have a name.
export function namesOf(sheets) {
  const known = sheets.filter((sheet) => sheet.player);
  const points = ({ score, total }) => score?.total ?? total ?? "";
  return known.map((sheet) => `${sheet.player} ${points(sheet)}`.trim()).join(" : ");
}

const chip = (label, act, more = {}) => button(label, act, { class: "tab", ...more });

// The names that this phone remembers, on the start page, where each can be forgotten.
export function nameField() {
  const place = h("p.row.centred");
  const forget = (name) => {
    remember(KEY, without(name));
    draw();
  };
  const entry = (name) =>
    chip([name, " ", glyph("close")], () => forget(name), {
      label: t("Forget {name}", { name }),
    });
  const title = h("span.wide", t("Names on this phone:"));
  const draw = () => put(place, names().length > 0 && title, names().map(entry));
  draw();
  return place;
}

// Whose a sheet is: the names of the sign-in, of the event and of this phone, one tap each, and a
// field for others. It is created once and updated, so that it never draws over a name being typed.
// say(action) makes the server store it, and returns what was wrong with it. show(sheet, beside):
// what belongs to the other sheets is not offered.
let fields = 0;
export function whoseField(kind, say) {
  const question = kind === "kingdom" ? t("Whose kingdom is it?") : t("Whose map is it?");
  let sheet,
    taken = [],
    changing = false;
  const tell = async (player) => {
    const before = sheet.player;
    const error = await say({ type: "assign_sheet", sheet: sheet.id, player, keep: true });
    if (error) return put(offers, (error.known ?? []).map(offered));
    if (sheet.player === before && player !== before) toast(t("This change waits for the desk."));
    rememberName(sheet.player ?? player);
    close();
  };
  const offered = (name) => chip(name, () => tell(name));
  const offers = h("span.row");
  const list = h("datalist", { id: `names-${(fields += 1)}` });
  const field = input(question, { autocomplete: "off", autocapitalize: "words", list: list.id });
  const save = { label: t("Save name"), title: t("Save name") };
  const close = () => {
    field.value = "";
    changing = false;
    draw();
  };
  const enter = () => {
    const name = field.value.trim();
    if (name && name !== sheet.player) tell(name);
    else close();
  };
  const asking = form("form.row.whose", enter, [
    offers,
    h("span.whose-field.row", field, h("button", save, glyph("done"))),
    list,
  ]);
  const change = () => {
    changing = true;
    field.value = sheet.player;
    draw();
    field.select();
  };
  const name = h("strong");
  const changed = button(t("change"), change, { class: "bare link" });
  const named = h("p.whose.named.row", name, " ", changed);
  const element = h("div", asking);
  function draw() {
    put(name, sheet.player);
    put(element, sheet.player && !changing && !field.value ? named : asking);
  }
  async function offer() {
    const playing = await players();
    const isFree = (name) => !taken.includes(name) && (!playing.length || playing.includes(name));
    const options = playing.map((value) => h("option", { value }));
    put(offers, ownNames().filter(isFree).slice(0, OFFERED).map(offered));
    put(list, options);
  }
  function show(fresh, beside) {
    const before = taken.join();
    [sheet, taken] = [fresh, beside.flatMap(({ player }) => player ?? [])];
    if (taken.join() !== before || !offers.children.length) offer();
    draw();
  }
  return { element, show };
}

// At an event: where somebody of this phone plays next, and how they stand.
export function nextGames() {
  const place = h("section");
  const draw = ({ games, standings }) => {
    const last = Math.max(0, ...games.map((game) => game.round));
    const latest = games.filter(({ round }) => round === last);
    const cards = ownNames().map((name) => {
      const sits = ({ seats }) => seats.some(({ player }) => player === name);
      const row = standings.find(({ player }) => player === name);
      const game = latest.find(sits);
      return game && row && nextGame(name, game, row);
    });
    put(place, cards);
  };
  get("api/standings").then(draw, () => {});
  return place;
}

function nextGame(name, { round, table, seats, bye, finished }, { rank }) {
  const others = seats.map(({ player }) => player).filter((player) => player !== name);
  const where = t("round {round}, table {table}", { round, table });
  const free = `${t("bye")} (${t("round {round}", { round })})`;
  const next = finished ? t("after round {n}", { n: round }) : `${where}: ${others.join(", ")}`;
  return h("a.card.next-game href=standings", [
    h("strong", name),
    " ",
    h("span", bye ? free : next),
    h("small", t("place {n}", { n: rank })),
  ]);
}
