// The players of an event at the desk: adding them, one by one or as a list, and who has dropped out.

import { button, h, lines } from "./dom.js";
import { t, tn } from "./i18n.js";

export function playersTab(act) {
  const count = h("span");
  const people = h("ol.people");
  const empty = h("li.none", t("No players yet."));
  const list = lines(
    people,
    (player) => player.number,
    ({ number }) => person(number, act),
  );
  const element = h("div.rounds", [entryForm(act, count), h("section.card", people)]);
  const show = ({ players }) => {
    const playing = players.filter((player) => player.active).length;
    count.textContent = tn("{n} player", "{n} players", playing);
    list(players, empty);
  };
  return { element, show };
}

function entryForm(act, count) {
  // A pasted list enters all its lines.
  const paste = (event) => {
    const pasted = event.clipboardData.getData("text").split(/[\r\n]+/);
    const names = pasted.map((one) => one.trim()).filter(Boolean);
    if (names.length < 2) return;
    event.preventDefault();
    act(names.map((one) => ({ type: "add_player", name: one })));
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
  const name = h("input", {
    type: "text",
    required: true,
    maxlength: "60",
    "aria-label": t("Name"),
    placeholder: t("Name"),
    autocomplete: "off",
    onpaste: paste,
  });
  return h("form.card.controls-row", { onsubmit: enter }, [
    name,
    h("button.main", t("Add")),
    count,
  ]);
}

function person(number, act) {
  let now;
  const name = h("span.seat");
  const part = button("", () =>
    act({ type: now.active ? "drop_player" : "rejoin", name: now.name }),
  );
  const element = h("li", h("span.table-number", String(number)), name, part);
  function show(player) {
    now = player;
    name.textContent = player.name;
    element.className = player.active ? "" : "gone";
    part.textContent = player.active ? t("Drop out") : t("Rejoin");
    part.setAttribute("aria-label", partLabel(player));
  }
  return { element, show };
}

const partLabel = ({ active, name }) =>
  active ? t("Drop out: {name}", { name }) : t("Rejoin: {name}", { name });
