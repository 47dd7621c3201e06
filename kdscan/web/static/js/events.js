// The events of the store, at the desk: which one is open, another one, and a new one. The page starts
// again with it, and everybody signs in with the same codes.

import { get, pause, post } from "./api.js";
import { button, h, put, toast } from "./dom.js";
import { explain } from "./errors.js";
import { t } from "./i18n.js";
import { rulesField } from "./sheet.js";

const GAMES = { duel: () => "Kingdomino Duel", kingdomino: () => "Kingdomino" };

export function eventsCard() {
  const list = h("ul.people");
  const element = h("section.card", [h("h2", t("Events")), list, newEvent()]);
  get("api/events")
    .then(({ events }) => put(list, events.map(line)))
    .catch((error) => put(list, h("li", explain(error))));
  return element;
}

const line = ({ name, game, open }) =>
  h("li", [
    h("span.seat", [h("span", name), h("small", GAMES[game]())]),
    open ? h("em", t("open")) : button(t("Open"), () => choose({ name })),
  ]);

function newEvent() {
  const name = h("input type=text required maxlength=60", {
    "aria-label": t("Name of the event"),
    placeholder: t("Name of the event"),
  });
  const rules = rulesField(false, () => {});
  rules.show({ variants: {} });
  const show = () => {
    rules.element.hidden = game.value !== "kingdomino";
  };
  const game = h("select", { "aria-label": t("Game"), onchange: show }, [
    Object.entries(GAMES).map(([value, label]) => h("option", { value }, label())),
  ]);
  show();
  const make = (event) => {
    event.preventDefault();
    const extra = game.value === "kingdomino" ? rules.chosen() : {};
    choose({ name: name.value.trim(), game: game.value, ...extra });
  };
  return h("form", { onsubmit: make }, [
    h("h3", t("New event")),
    h("div.controls-row", [name, game, h("button.main", t("Make and open"))]),
    rules.element,
  ]);
}

// The page starts again with another event; this browser goes along.
async function choose(event) {
  try {
    await post("api/events", event);
  } catch (error) {
    toast(explain(error));
    return;
  }
  toast(t("The page starts again with this event …"));
  for (let tries = 0; tries < 60; tries += 1) {
    await pause(1);
    const { event: now } = await get("api/session", true).catch(() => ({}));
    if (now === event.name) break;
  }
  location.href = "desk";
}
