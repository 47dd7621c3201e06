// Learning a pad from a photo of an unmarked sheet; offered where a sheet of an unknown pad leaves doubts.

import { get, session, upload } from "./api.js";
import { announce, h, put, toast } from "./dom.js";
import { explain } from "./errors.js";
import { t } from "./i18n.js";
import { photoButtons } from "./take.js";

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
export function teacher(onLearned) {
  const name = h("input", { type: "text", maxlength: "60", placeholder: t("My pad") });
  const state = h("p.failed-why", { role: "alert" });
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
  return h("div.teacher", [
    h("label.field", t("What is the pad called?"), name),
    h("p", t("Photograph an empty sheet")),
    ways,
    busy,
    state,
  ]);
}

async function learn(file, called) {
  const path = `/api/prints?name=${encodeURIComponent(called)}`;
  const learned = await upload({ name: file.name, blob: file }, () => {}, path);
  const news = t("{name} is known now.", { name: learned.name });
  announce(news);
  toast(news);
  return learned;
}

// The default name of a pad, chosen so that no other print is replaced by accident.
async function freeName() {
  const { prints } = await get("/api/prints");
  const taken = new Set(prints.map((one) => one.name.toLowerCase()));
  const plain = t("My pad");
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? plain : `${plain} ${n}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
