// The players of an event at the desk: one by one or as a list that is looked at first, their names,
// byes they asked for, and who has dropped out.

import { button, filePicker, form, h, input, lines, menu, put } from "./dom.js";
import { t, tn } from "./i18n.js";

export function playersTab(act) {
  const count = h("strong");
  const people = h("ol.people");
  const empty = h("li.none", t("No players yet."));
  const preview = h("div");
  let desk = null;
  const list = lines(
    people,
    (player) => player.number,
    ({ number }) => person(number, act, () => show(desk)),
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
    const playing = desk.players.filter((player) => player.active).length;
    count.textContent = tn("{n} player", "{n} players", playing);
    list(
      desk.players.map((player) => ({
        ...player,
        bye: desk.byes.includes(player.number),
        last: desk.last_round,
      })),
      empty,
    );
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
    let kept = false;
    name.value = "";
    await act({ type: "add_player", name: entered.trim() }, () => {
      kept = true;
    });
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

// What a list would enter, to look at before it does. rows: {name, problem}.
function previewOf(rows, players, act, end) {
  const plain = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const known = new Set(players.map(({ name }) => plain(name)));
  const checked = rows.map((name) => {
    const twice = known.has(plain(name));
    known.add(plain(name));
    return { name, twice };
  });
  const fresh = checked.filter(({ twice }) => !twice).map(({ name }) => name);
  const enter = () =>
    act(
      fresh.map((name) => ({ type: "add_player", name })),
      end,
    );
  return h("section.card.preview", [
    h("h2", tn("{n} new player", "{n} new players", fresh.length)),
    h("ol.people", [
      checked.map(({ name, twice }) =>
        h("li", { class: twice && "gone" }, [
          h("span.seat", name),
          twice && h("em", t("in the list already")),
        ]),
      ),
    ]),
    h("p.row", [
      button(t("Add them"), enter, { class: "main", disabled: !fresh.length }),
      button(t("Cancel"), end),
    ]),
  ]);
}

function person(number, act, redraw) {
  let now;
  let naming = false;
  const field = input(t("Name"), { required: true });
  const rename = () =>
    act({ type: "rename_player", name: now.name, to: field.value.trim() }, () => {
      naming = false;
    });
  const renaming = form("form.row", rename, field, h("button.main", t("Save")));
  const name = h("span.seat");
  const note = h("em");
  const element = h("li");
  const toggle = () =>
    act({ type: "request_bye", name: now.name, round: now.last + 1, wanted: !now.bye });
  const edit = () => {
    naming = true;
    field.value = now.name;
    redraw();
    field.select();
  };
  const more = menu("", () => {
    const { active, last } = now;
    const bye = now.bye ? t("No bye in the next round") : t("Bye in the next round");
    const label = active ? t("Drop out: {name}", now) : t("Rejoin: {name}", now);
    return [
      [t("Rename"), edit],
      active && [bye, toggle],
      [label, () => act({ type: active ? "drop_player" : "rejoin", name: now.name })],
      !last && [t("Delete"), () => act({ type: "remove_player", name: now.name })],
    ];
  });
  const numbered = h("span.table-number", String(number));
  function show(player) {
    now = player;
    const bye = player.bye ? t("bye") : "";
    name.textContent = player.name;
    note.textContent = player.active ? bye : t("dropped out");
    element.className = player.active ? "" : "gone";
    more.named(t("More actions for {name}", player));
    put(element, numbered, naming ? renaming : [name, note], more);
  }
  return { element, show };
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
const names = (rows, nameOf) =>
  rows
    .map((row) => (nameOf(row) ?? "").replace(/^\d+[.)]?\s+/, "").trim())
    .map((name) =>
      name
        .replace(/^([^,]+),\s*([^,]+)$/, "$2 $1")
        .replace(/\s+/g, " ")
        .slice(0, 60),
    )
    .filter(Boolean);

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
  const said = /^"?sep=(.)"?/i.exec(lines[0]);
  if (said) lines.shift();
  const [first] = lines;
  const count = (mark) => first.split(mark).length;
  const comma = NAME.test(first.split(",")[0].trim()) || LAST.test(first.split(",")[0].trim());
  const marks = comma ? [",", ";", "\t"] : [";", "\t"];
  const mark = said?.[1] ?? marks.reduce((best, one) => (count(one) > count(best) ? one : best));
  const cell = new RegExp(
    `\\s*(?:"((?:[^"]|"")*)"|([^${mark}]*))(?:${mark === "\t" ? "\\t" : mark}|$)`,
    "y",
  );
  return lines
    .filter((line) => line.trim())
    .map((line) => {
      const row = [];
      cell.lastIndex = 0;
      while (cell.lastIndex < line.length) {
        const found = cell.exec(line);
        if (!found) return [line];
        row.push((found[1]?.replaceAll('""', '"') ?? found[2]).trim().replace(/^'(?=[=+@-])/, ""));
      }
      return row;
    });
}
