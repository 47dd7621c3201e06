// The pads whose prints the event knows: to look at, to adjust, to forget, and to learn another.

import { attempt, explain, get, inTurn, post, session, upload } from "./api.js";
import { upTo } from "./board.js";
import { photoButtons } from "./camera.js";
import { $, button, grave, h, input, put, toast } from "./dom.js";
import { sentence, t, tn } from "./i18n.js";
import { cornersForm } from "./photo.js";
import { isTeachable, looksEmpty } from "./questions.js";

// A known print. tell(answer): shows the prints that an answer will hold; refresh(): asks for them.
function entry(print, { tell, refresh }) {
  const { id, name } = print;
  const keep = (corners) =>
    corners ? tell(post(`api/prints/${id}/corners`, { corners })) : refresh();
  const adjust = () => put(item, cornersOf(print, keep));
  const forget = () => tell(post(`api/prints/${id}/forget`));
  const alt = t("The print of {name}", { name });
  const from = tn("learned from {n} sheet", "learned from {n} sheets", print.sheets);
  const item = h("li.row", [
    h("img loading=lazy width=248 height=184", { src: print.picture, alt }),
    h("div.stack", [
      h("strong", name),
      h("small", from, print.by_itself && `, ${t("automatically")}`),
      button(t("Adjust"), adjust),
      grave(t("Forget"), t("Forget {name}?", { name }), forget),
    ]),
  ]);
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
    put(count, String(prints.length));
    put(list, prints.length ? prints.map((one) => entry(one, { tell, refresh })) : none);
  }
  const next = inTurn(); // of several answers the one requested last is the newest
  const tell = (answer) => next(() => attempt(async () => show(await answer)));
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
const [LEFT, RIGHT, TOP, BOTTOM] = [47.5, 943.5, 47.5, 687.5];

// done(corners) gets their new places, and resolves when they are saved; null: no change.
function cornersOf({ name, found }, done) {
  const corners = [LEFT, RIGHT, RIGHT, LEFT].map((x, n) => [x, n < 2 ? TOP : BOTTOM]);
  const grid = { href: found, size: SIZE, label: t("The print of {name}", { name }) };
  const keep = () => done(corners); // tells of a failure itself
  const cancel = () => done(null);
  return h("div.put-right.stack", cornersForm(grid, corners, t("Save corners"), keep, cancel));
}

// Learning a pad from a photo of an unmarked sheet; offered where an unknown pad leaves doubts.

// Offers to learn a pad where that helps: at once from an empty sheet's own photo, of which `page`
// is the picture. onLearned(photos): those that are read again.
export function offer(sheet, page, onLearned) {
  if (!isTeachable(sheet)) return null;
  const summary = h("summary", [
    h("strong", t("New pad?")),
    " ",
    t("One photo of an empty sheet answers most of these questions."),
  ]);
  const done = async (learned) => {
    card.remove();
    await onLearned(learned.again);
  };
  const own = looksEmpty(sheet) && page?.view;
  const card = h("details.card.offer", { open: Boolean(own) }, summary, teacher(done, own));
  return card;
}

// A name, the camera and files; onLearned(print) gets the learned print. own: the address of an
// empty sheet's picture, if there is one.
function teacher(onLearned, own = null) {
  const name = input(t("What is the pad called?"), { placeholder: t("My pad") });
  const state = h("p.error-text", { role: "alert" });
  const busy = h("progress", { hidden: true, label: t("Learning") });
  const ways = h("div.stack");
  const many = session.role === "desk";
  const choose = (said = null) => {
    put(state, said);
    const chosen = (files) => files.length && check(URL.createObjectURL(files[0]), files);
    const teach = async () => check(own, [await (await fetch(own)).blob()]);
    put(ways, [
      own && button(t("Learn the pad from this photo"), teach, { class: "main wide" }),
      h("p", t("Photograph an empty sheet")),
      photoButtons(chosen, { many }),
      many && h("p.hint.none", t("Or choose four photos or more of sheets that were played on.")),
    ]);
  };
  // Front cameras mirror photos, which no blank sheet tells.
  function check(src, files) {
    const mirrored = () => choose(t("Take it again with the camera on the phone's back."));
    put(state);
    put(ways, [
      h("img", { src, alt: "" }),
      h("p", t("Is writing on the sheet mirrored in the photo?")),
      h("div.actions", [button(t("No"), () => taken(files)), button(t("Yes"), mirrored)]),
    ]);
  }
  async function taken(files) {
    [busy.hidden, ways.inert] = [false, true];
    try {
      const learned = await learn(files, name.value.trim() || (await freeName()));
      const warnings = learned.warnings.map((text) => h("p", sentence(text)));
      toast([h("p", t("{name} is known now.", learned)), warnings]);
      name.value = "";
      await onLearned(learned);
      choose(learned.warnings.map((text) => h("span", sentence(text), " ")));
    } catch (error) {
      choose(explain(error));
    }
    [busy.hidden, ways.inert] = [true, false];
  }
  choose();
  return h("div.teacher.stack", [
    h("label.stack", t("What is the pad called?"), name),
    ways,
    busy,
    state,
  ]);
}

const send = (file, path, name) =>
  upload(file, () => {}, `${path}?name=${encodeURIComponent(name)}`);

// Several sheets come as photos, which go again: they are nobody's results.
async function learn(files, name) {
  if (files.length === 1) return send(files[0], "api/prints", name);
  const photos = [];
  for (const file of files) photos.push(await send(file, "api/photos", file.name));
  try {
    return await post("api/prints/of-photos", { name, photos: photos.map(({ id }) => id) });
  } finally {
    const added = photos.filter(({ state }) => state === "waiting");
    for (const { id } of added) await post(`api/photos/${id}/remove`).catch(() => {});
  }
}

// The default name of a pad, chosen so that no other print is replaced by accident.
async function freeName() {
  const { prints } = await get("api/prints");
  const taken = prints.map((one) => one.name.toLowerCase());
  const names = upTo(taken.length + 1).map((n) => t("My pad") + (n ? ` ${n + 1}` : ""));
  return names.find((name) => !taken.includes(name.toLowerCase()));
}
