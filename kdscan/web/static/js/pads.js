// The pads whose prints the event knows: to look at, to adjust, to forget, and to learn another.

import { get, post, session, upload } from "./api.js";
import { photoButtons } from "./camera.js";
import { $, announce, button, h, input, put, toast } from "./dom.js";
import { attempt, explain } from "./errors.js";
import { t, tn } from "./i18n.js";
import { draggable } from "./photo.js";

const picture = (print) =>
  h("img loading=lazy width=248 height=184", {
    src: print.picture,
    alt: t("The print of {name}", { name: print.name }),
  });

const origin = (print) =>
  h("small", [
    tn("learned from {n} sheet", "learned from {n} sheets", print.sheets),
    print.by_itself ? `, ${t("automatically")}` : "",
  ]);

// A known print. tell(answer): shows the prints that an answer will hold; refresh(): asks for them.
function entry(print, { tell, refresh }) {
  const { id, name } = print;
  const keep = (corners) =>
    corners ? tell(post(`api/prints/${id}/corners`, { corners })) : refresh();
  const adjust = () => put(item, cornersOf(print, keep));
  const forget = () =>
    confirm(t("Forget {name}?", { name })) && tell(post(`api/prints/${id}/forget`));
  const about = h("div.stack", [
    h("strong", name),
    origin(print),
    button(t("Adjust"), adjust),
    button(t("Forget"), forget),
  ]);
  const item = h("li.row", picture(print), about);
  return item;
}

// enter(): the tab is opened again; pads may have been learned meanwhile.
export function knownPrints() {
  const count = h("span.count");
  const list = h("ul.tiles");
  const learns = h("input type=checkbox", {
    onchange: () => tell(post("api/prints/learning", { on: learns.checked })),
  });
  function show({ prints, learns: on }) {
    const none = h("li.none", t("No known pads yet."));
    learns.checked = on;
    count.textContent = String(prints.length);
    put(list, prints.length ? prints.map((one) => entry(one, { tell, refresh })) : none);
  }
  // Of several answers the one requested last is the newest.
  let asked = 0;
  const tell = (answer) =>
    attempt(async () => {
      const mine = ++asked;
      const known = await answer;
      if (mine === asked) show(known);
    });
  const refresh = () => tell(get("api/prints"));
  refresh();
  const element = h("section.prints.card", [
    h("h2", t("Known pads"), " ", count),
    list,
    h("label.switch.row", [learns, " ", t("Learn pads automatically, from four of their sheets")]),
    h("h3", t("Learn another pad")),
    teacher(refresh),
  ]);
  return { element, enter: () => $(".corners", list) ?? refresh() };
}

// A print's picture in pixels, and where the grid's corners should be in it.
const SIZE = [992, 736];
const CORNERS = [
  [47.5, 47.5],
  [943.5, 47.5],
  [943.5, 687.5],
  [47.5, 687.5],
];

// done(corners) gets their new places, and a promise says when they are saved; done(null) means no change.
function cornersOf({ name, found }, done) {
  const corners = CORNERS.map((at) => [...at]);
  const label = t("The print of {name}", { name });
  const busy = h("progress hidden", { "aria-label": t("Learning") });
  const wait = (so) => {
    save.disabled = so;
    busy.hidden = !so;
  };
  const keep = async () => {
    wait(true);
    await done(corners); // tells of a failure itself
    wait(false);
  };
  const save = button(t("Save corners"), keep, { class: "main" });
  const cancel = button(t("Cancel"), () => done(null));
  return h("div.put-right.stack", [
    h("p", t("Drag the corners of the grid to where the lines of the map end.")),
    draggable({ href: found, size: SIZE, label }, corners),
    h("p.row", save, cancel),
    busy,
  ]);
}

// Learning a pad from a photo of an unmarked sheet; offered where a sheet of an unknown pad leaves doubts.

const isNew = (sheet) =>
  sheet.kind === "duel_map" && sheet.layout === "unknown" && sheet.review && !sheet.confirmed;

// A card that asks for a photo of an unmarked sheet, or null if that would not help or this session
// may not do it. onLearned(photos) gets the photos that are read again.
export function offer(sheet, onLearned) {
  if (!session.teaches || !isNew(sheet)) return null;
  const summary = h("summary", [
    h("strong", t("New pad?")),
    " ",
    t("One photo of an empty sheet answers most of these questions."),
  ]);
  const learn = teacher(async (learned) => {
    card.remove();
    await onLearned(learned.again);
  });
  const card = h("details.card.offer", summary, learn);
  return card;
}

// A name, the camera and files; onLearned(print) gets the learned print.
function teacher(onLearned) {
  const name = input(t("What is the pad called?"), { placeholder: t("My pad") });
  const state = h("p.error-text", { role: "alert" });
  const busy = h("progress", { hidden: true, "aria-label": t("Learning") });
  const ways = h("div", [photoButtons(([file]) => file && taken(file), { many: false })]);
  async function taken(file) {
    put(state);
    busy.hidden = false;
    ways.inert = true;
    try {
      const learned = await learn(file, name.value.trim() || (await freeName()));
      name.value = "";
      await onLearned(learned);
    } catch (error) {
      put(state, explain(error));
    } finally {
      busy.hidden = true;
      ways.inert = false;
    }
  }
  return h("div.teacher.stack", [
    h("label.stack", t("What is the pad called?"), name),
    h("p", t("Photograph an empty sheet")),
    ways,
    busy,
    state,
  ]);
}

async function learn(file, called) {
  const path = `api/prints?name=${encodeURIComponent(called)}`;
  const learned = await upload({ name: file.name, blob: file }, () => {}, path);
  const news = t("{name} is known now.", { name: learned.name });
  announce(news);
  toast(news);
  return learned;
}

// The default name of a pad, chosen so that no other print is replaced by accident.
async function freeName() {
  const { prints } = await get("api/prints");
  const taken = new Set(prints.map((one) => one.name.toLowerCase()));
  const plain = t("My pad");
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? plain : `${plain} ${n}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
