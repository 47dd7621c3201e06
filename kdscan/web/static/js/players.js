// The players of an event at the desk: entered singly or as a list, renamed, dropped out.

import { button, card, filePicker, form, h, input, lines, menu, put } from "./dom.js";
import { t, tn } from "./i18n.js";
import { formLine } from "./rounds.js";

export function playersTab(act) {
  const count = h("strong");
  const people = h("ol.people");
  const empty = h("li.none", t("No players yet."));
  const preview = h("div");
  let desk = null;
  const list = lines(
    people,
    (player) => player.number,
    ({ number }) => person(number, act),
  );
  const clear = () => put(preview);
  const look = (text) => put(preview, previewOf(rowsOf(text), desk.players, act, clear));
  const element = h("div.rounds.stack", [
    h("section.card", [entryForm(act, look), h("p.row", [importing(look), count])]),
    preview,
    h("section.card", people),
  ]);
  function show(fresh) {
    desk = fresh;
    const { players, byes, last_round: last } = desk;
    const playing = players.filter((player) => player.active).length;
    put(count, tn("{n} player", "{n} players", playing));
    const shown = players.map((one) => ({ ...one, bye: byes.includes(one.number), last }));
    list(shown, empty);
  }
  return { element, show };
}

function entryForm(act, look) {
  const onpaste = (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (!/[\r\n\t;]/.test(text)) return;
    event.preventDefault();
    look(text);
  };
  // Free for the next name at once; a refused name is put back.
  const enter = async () => {
    const entered = name.value;
    name.value = "";
    const kept = await act({ type: "add_player", name: entered.trim() });
    if (!kept && !name.value) name.value = entered;
  };
  const placeholder = t("Name, or a pasted list");
  const name = input(t("Name"), { placeholder, required: true, autocomplete: "off", onpaste });
  return form("form.row", enter, name, h("button.main", t("Add")));
}

const importing = (look) =>
  filePicker(
    "button",
    t("Import a list"),
    { accept: ".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain" },
    async ([file]) => file && look(await file.arrayBuffer()),
  );

// What a list would enter, to look at before it does.
function previewOf(listed, players, act, end) {
  const plain = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const known = new Set(players.map(({ name }) => plain(name)));
  const isNew = (name) => !known.has(plain(name)) && Boolean(known.add(plain(name)));
  const checked = listed.map((name) => ({ name, fresh: isNew(name) }));
  const added = checked.filter(({ fresh }) => fresh);
  const enter = () =>
    act(
      added.map(({ name }) => ({ type: "add_player", name })),
      end,
    );
  const line = ({ name, fresh }) =>
    h("li", { class: !fresh && "gone" }, [
      h("span.seat", name),
      !fresh && h("em", t("in the list already")),
    ]);
  const box = card(tn("{n} new player", "{n} new players", added.length), [
    h("ol.people", checked.map(line)),
    h("p.row", [
      button(t("Add them"), enter, { class: "main", disabled: !added.length }),
      button(t("Cancel"), end),
    ]),
  ]);
  box.classList.add("preview");
  return box;
}

function person(number, act) {
  let now;
  const field = input(t("Name"), { required: true });
  const rename = () =>
    act({ type: "rename_player", name: now.name, to: field.value.trim() }, line.close);
  const line = formLine(number, field, rename);
  const edit = () => {
    field.value = now.name;
    line.edit();
  };
  const name = h("span.seat");
  const note = h("em");
  const more = menu("", () => {
    const { active, last, bye } = now;
    const round = last + 1;
    const toggle = () => act({ type: "request_bye", name: now.name, round, wanted: !bye });
    return [
      [t("Rename"), edit],
      active && [bye ? t("No bye in the next round") : t("Bye in the next round"), toggle],
      [
        active ? t("Drop out: {name}", now) : t("Rejoin: {name}", now),
        () => act({ type: active ? "drop_player" : "rejoin", name: now.name }),
      ],
      !last && [t("Delete"), () => act({ type: "remove_player", name: now.name })],
    ];
  });
  function show(player) {
    now = player;
    put(name, player.name);
    put(note, player.active ? player.bye && t("bye") : t("dropped out"));
    line.element.className = player.active ? "" : "gone";
    more.named(t("More actions for {name}", player));
    line.show([name, note, more]);
  }
  return { element: line.element, show };
}

// Lists of players as spreadsheets and text programs save them, or as they are pasted.

const NAME =
  /^(name|player|spieler|spieler(in)?|nom|joueur|nombre|jugador|gracz|imię i nazwisko|имя|игрок|ім'я|гравець)$/i;
const FIRST = /^(first|first name|given name|vorname|prénom|imię|имя)$/i;
const LAST =
  /^(last|last name|surname|family name|nachname|nom de famille|apellidos?|nazwisko|фамилия|прізвище)$/i;
const RATING = /^(rating|elo|dwz|ranking)$/i;

// The names in a list, the strongest first if it has ratings. given: text, or a file's bytes.
function rowsOf(given) {
  const rows = cells(typeof given === "string" ? given : decoded(given));
  const [head = []] = rows;
  const at = (pattern) => head.findIndex((cell) => pattern.test(cell));
  const [name, first, last, rating] = [NAME, FIRST, LAST, RATING].map(at);
  if (name < 0 && last < 0) return names(rows, (row) => row.find((cell) => /\p{L}/u.test(cell)));
  const body = rows.slice(1);
  if (rating >= 0) body.sort((a, b) => (Number(b[rating]) || 0) - (Number(a[rating]) || 0));
  return names(body, (row) =>
    last >= 0 ? [first >= 0 ? row[first] : "", row[last]].join(" ") : row[name],
  );
}

// "Doe, John" is John Doe; a number before a name is none of it.
function names(rows, nameOf) {
  const bare = rows.map((row) => (nameOf(row) ?? "").replace(/^\d+[.)]?\s+/, "").trim());
  const turned = bare.map((name) => name.replace(/^([^,]+),\s*([^,]+)$/, "$2 $1"));
  return turned.map((name) => name.replace(/\s+/g, " ").slice(0, 60)).filter(Boolean);
}

// UTF-8 or what Windows writes otherwise; the preview shows whether it was right.
function decoded(bytes) {
  const [a, b] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    return new TextDecoder(a === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

// Rows of cells: after `sep=` or by the separator that is most frequent in the first line.
function cells(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const declared = /^"?sep=(.)"?/i.exec(lines[0]);
  if (declared) lines.shift();
  const count = (mark) => lines[0].split(mark).length;
  const [head] = lines[0].split(",");
  const comma = NAME.test(head.trim()) || LAST.test(head.trim());
  const marks = comma ? [",", ";", "\t"] : [";", "\t"];
  const mark = declared?.[1] ?? marks.reduce((a, b) => (count(b) > count(a) ? b : a));
  const cell = new RegExp(`\\s*(?:"((?:[^"]|"")*)"|([^${mark}]*))(?:[${mark}]|$)`, "y");
  const rowOf = (line) => {
    const row = [];
    cell.lastIndex = 0;
    while (cell.lastIndex < line.length) {
      const found = cell.exec(line);
      if (!found) return [line];
      const text = found[1]?.replaceAll('""', '"') ?? found[2];
      row.push(text.trim().replace(/^'(?=[=+@-])/, ""));
    }
    return row;
  };
  return lines.filter((line) => line.trim()).map(rowOf);
}
