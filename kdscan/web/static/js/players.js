// The players of an event at the desk: one by one or as a list that is looked at first, their names,
// byes they asked for, and who has dropped out.

import { button, h, lines, put } from "./dom.js";
import { t, tn } from "./i18n.js";
import { menu } from "./icons.js";
import { rowsOf } from "./lists.js";

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
  const look = (text) =>
    put(
      preview,
      previewOf(rowsOf(text), desk.players, act, () => put(preview)),
    );
  const element = h("div.rounds", [
    h("section.card", [entryForm(act, look), h("p.controls-row", [importing(look), count])]),
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
  const paste = (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (!/[\r\n\t;]/.test(text)) return;
    event.preventDefault();
    look(text);
  };
  // Free for the next name at once; a refused name is put back.
  const enter = async (event) => {
    event.preventDefault();
    const entered = name.value;
    let kept = false;
    name.value = "";
    await act({ type: "add_player", name: entered.trim() }, () => {
      kept = true;
    });
    if (!kept && !name.value) name.value = entered;
  };
  const name = h("input type=text required maxlength=60 autocomplete=off", {
    "aria-label": t("Name"),
    placeholder: t("Name, or a pasted list"),
    onpaste: paste,
  });
  return h("form.controls-row", { onsubmit: enter }, name, h("button.main", t("Add")));
}

function importing(look) {
  const chosen = async () => {
    const [file] = input.files;
    input.value = "";
    if (file) look(await file.arrayBuffer());
  };
  const accept = ".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain";
  const input = h("input.visually-hidden", { type: "file", accept, onchange: chosen });
  return h("label.button", input, t("Import a list"));
}

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
    h("p.controls-row", [
      button(t("Add them"), enter, { class: "main", disabled: !fresh.length }),
      button(t("Cancel"), end),
    ]),
  ]);
}

function person(number, act, redraw) {
  let now;
  let naming = false;
  const field = h("input type=text maxlength=60 required", { "aria-label": t("Name") });
  const rename = (event) => {
    event.preventDefault();
    act({ type: "rename_player", name: now.name, to: field.value.trim() }, () => {
      naming = false;
    });
  };
  const form = h("form.controls-row", { onsubmit: rename }, field, h("button.main", t("Save")));
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
  function show(player) {
    now = player;
    const { active, bye, last } = player;
    name.textContent = player.name;
    note.textContent = active ? (bye ? t("bye") : "") : t("dropped out");
    element.className = active ? "" : "gone";
    const label = active
      ? t("Drop out: {name}", { name: player.name })
      : t("Rejoin: {name}", { name: player.name });
    put(element, [
      h("span.table-number", String(number)),
      naming ? form : [name, note],
      menu(t("More actions for {name}", { name: player.name }), [
        [t("Rename"), edit],
        active && [
          bye ? t("No bye in the next round") : t("Bye in the next round"),
          toggle,
        ],
        [label, () => act({ type: active ? "drop_player" : "rejoin", name: player.name })],
        !last && [t("Delete"), () => act({ type: "remove_player", name: player.name })],
      ]),
    ]);
  }
  return { element, show };
}
