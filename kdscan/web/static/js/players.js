// The players of an event at the desk: entered singly or as a list, renamed, dropped out.

import { attempt, post } from "./api.js";
import { button, card, filePicker, form, h, input, lines, menu, put } from "./dom.js";
import { t, tn } from "./i18n.js";
import { formLine } from "./rounds.js";

export function playersTab(act) {
  const count = h("strong");
  const people = h("ol.people");
  const empty = h("li.none", t("No players yet."));
  const preview = h("div");
  const make = ({ number }) => person(number, act);
  const list = lines(people, (player) => player.number, make);
  const clear = () => put(preview);
  // list: text or a file, which the server reads.
  const look = (list) =>
    attempt(async () => {
      put(preview, previewOf(await post("api/players", new Blob([list])), act, clear));
    });
  const choose = filePicker("button", t("Import a list"), LISTS, ([file]) => file && look(file));
  const element = h("div.rounds.stack", [
    h("section.card", [entryForm(act, look), h("p.row", [choose, count])]),
    preview,
    h("section.card", people),
  ]);
  function show({ players, byes, last_round: last }) {
    const playing = players.filter((player) => player.active).length;
    put(count, tn("{n} player", "{n} players", playing));
    list(
      players.map((one) => ({ ...one, bye: byes.includes(one.number), last })),
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
    name.value = "";
    const kept = await act({ type: "add_player", name: entered.trim() });
    if (!kept && !name.value) name.value = entered;
  };
  const placeholder = t("Name, or a pasted list");
  const name = input(t("Name"), { placeholder, required: true, autocomplete: "off", onpaste });
  return form("form.row", enter, name, h("button.main", t("Add")));
}

const LISTS = { accept: ".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain" };

// What a list would enter, to look at before it does.
function previewOf({ new: added, known }, act, end) {
  const actions = added.map((name) => ({ type: "add_player", name }));
  const add = () => act(actions, end);
  const box = card(tn("{n} new player", "{n} new players", added.length), [
    h("ol.people", [
      added.map((name) => h("li", h("span.seat", name))),
      known.map((name) => h("li.gone", h("span.seat", name), h("em", t("in the list already")))),
    ]),
    h("p.row", [
      button(t("Add them"), add, { class: "main", disabled: !added.length }),
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
