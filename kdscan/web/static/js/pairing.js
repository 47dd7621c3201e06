// Pairing a round by hand: tap two players to swap them, lock the tables that stay.

import { button, h, put } from "./dom.js";
import { t } from "./i18n.js";
import { round } from "./icons.js";

// desk: its state. again: the last round is changed, else the next one is paired. end(): it was paired,
// or is not wanted.
export function pairingByHand(desk, again, act, end) {
  const { games, last_round: last, players, byes, seats: most } = desk;
  const n = again ? last : last + 1;
  const active = players.filter((one) => one.active);
  const names = (bye) =>
    active.filter(({ number }) => byes.includes(number) === bye).map(({ name }) => name);
  let tables = again
    ? games.filter((game) => game.round === last).map(({ seats }) => seats.map((s) => s.player))
    : [
        ...seated(names(false), most),
        ...names(true).map((name) => [name]),
      ];
  const locked = new Set();
  let picked = null;
  const list = h("ol.tables");
  const keep = () =>
    act({ type: "pair_round", again, tables: tables.filter((seats) => seats.length) }, end);

  // Two players change places; with an empty place one moves.
  function swap(one, other) {
    const at = ([table, seat]) => tables[table][seat];
    const [a, b] = [at(one), at(other)];
    tables[one[0]][one[1]] = b;
    tables[other[0]][other[1]] = a;
    tables = tables.map((names) => names.filter(Boolean));
  }
  function pick(place) {
    if (picked) swap(picked, place);
    picked = picked ? null : place;
    draw();
  }
  function shuffle() {
    const free = tables.filter((_, k) => !locked.has(k));
    const names = free.flat();
    for (let k = names.length - 1; k > 0; k--) {
      const other = Math.floor(Math.random() * (k + 1));
      [names[k], names[other]] = [names[other], names[k]];
    }
    tables = tables.map((old, k) => (locked.has(k) ? old : names.splice(0, old.length)));
    draw();
  }
  const seat = (table, k) =>
    button(tables[table][k] ?? t("nobody"), () => pick([table, k]), {
      class: "tab",
      disabled: locked.has(table),
      "aria-pressed": String(picked?.[0] === table && picked?.[1] === k),
    });
  function line(names, table) {
    const toggle = () => {
      if (!locked.delete(table)) locked.add(table);
      draw();
    };
    const lock = round("lock", t("Lock table {n}", { n: table + 1 }), toggle, {
      "aria-pressed": String(locked.has(table)),
    });
    const seats = Math.max(most, names.length);
    return h("li", [
      h("span.table-number", String(table + 1)),
      h("span.controls-row", [
        Array.from({ length: seats }, (_, k) => seat(table, k)),
        names.length === 1 && h("em", t("bye")),
      ]),
      lock,
    ]);
  }
  const draw = () => put(list, tables.map(line));
  draw();
  return h("section.card", [
    h("h2", t("Round {n}", { n })),
    h("p.none", t("Tap two players to swap them. Locked tables stay when the others are mixed.")),
    list,
    h("p.controls-row", [
      button(t("Keep this pairing"), keep, { class: "main" }),
      button(t("Mix the others"), shuffle),
      button(t("Cancel"), end),
    ]),
  ]);
}

// At as few tables as possible, of nearly the same size.
function seated(names, seats) {
  const count = Math.ceil(names.length / seats);
  const cut = (n) => Math.floor((names.length * n) / count);
  return Array.from({ length: count }, (_, n) => names.slice(cut(n), cut(n + 1)));
}
