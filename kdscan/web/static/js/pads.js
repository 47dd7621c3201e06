// Prints of pads: offered where a sheet of an unknown one leaves doubts, and the list of those that are known.

import { explain, get, post, session, upload } from "./api.js";
import { announce, h, put, toast } from "./dom.js";
import { sentence, t, tn } from "./i18n.js";

const DECLINED = "pads-declined"; // asked once: whoever says no is not asked again

const remembered = () => { try { return localStorage.getItem(DECLINED) !== null; } catch { return false; } };
const remember = () => { try { localStorage.setItem(DECLINED, "1"); } catch { /* private windows forget */ } };

const isNew = (sheet) => sheet.kind === "duel_map" && sheet.layout === "unknown" && sheet.review && !sheet.confirmed;

// A card that asks for a photo of an unmarked sheet, or null where that would not help or is not this
// session's to say. onLearned(photos) is told which photos are read again.
export function offer(sheets, onLearned) {
  if (session.role !== "desk" || remembered() || !sheets.some(isNew)) return null;
  const card = h("details", { class: "card offer" },
    h("summary", {}, h("strong", {}, t("These sheets are new to me.")), " ", t("Photograph an empty one and I will read them better.")),
    teacher(async (learned) => { card.remove(); await onLearned(learned.again); }),
    h("button", { type: "button", class: "quiet", onclick: () => { remember(); card.remove(); } }, t("Not now")));
  return card;
}

// A name and the camera; onLearned(print) is told what was learned.
function teacher(onLearned) {
  const name = h("input", { type: "text", maxlength: "60", placeholder: t("My pad"), autocomplete: "off" });
  const state = h("p", { role: "alert", class: "failed-why" });
  const input = h("input", { type: "file", class: "visually-hidden", accept: "image/*", capture: "environment", onchange: learn });
  const button = h("label", { class: "capture" }, input, h("span", { class: "symbol", "aria-hidden": "true" }, "◉"), t("Photograph an empty sheet"));
  const busy = h("progress", { hidden: true, "aria-label": t("Being learned") });
  async function learn() {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    put(state);
    busy.hidden = false;
    input.disabled = true;
    try {
      const called = name.value.trim() || await freeName();
      const learned = await upload({ name: file.name, blob: file }, () => {}, `/api/prints?name=${encodeURIComponent(called)}`);
      announce(t("{name} is known now.", { name: learned.name }));
      toast(t("{name} is known now.", { name: learned.name }));
      name.value = "";
      await onLearned(learned);
    } catch (error) {
      put(state, error.code === "not_learned" ? sentence(error.message) : explain(error));
    } finally {
      busy.hidden = true;
      input.disabled = false;
    }
  }
  return h("div", { class: "teacher" }, h("label", { class: "field" }, t("What is the pad called?"), name), button, busy, state);
}

// What a pad is called when nobody says: no other print is replaced by accident.
async function freeName() {
  const taken = new Set((await get("/api/prints")).prints.map((one) => one.name.toLowerCase())), plain = t("My pad");
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? plain : `${plain} ${n}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

// The prints that the event knows, with their pictures.
export function knownPrints() {
  const count = h("span", { class: "count" }), list = h("ul", {});
  let asked = 0;
  const learns = h("input", { type: "checkbox", onchange: () => tell(post("/api/prints/learning", { on: learns.checked })) });
  const show = ({ prints, learns: on }) => {
    learns.checked = on;
    count.textContent = String(prints.length);
    put(list, prints.length ? prints.map(entry) : h("li", { class: "none" }, t("No pad is known yet.")));
  };
  const entry = (one) => h("li", {}, h("img", { src: one.picture, alt: t("The print of {name}", { name: one.name }), loading: "lazy", width: "248", height: "184" }),
    h("div", {}, h("strong", {}, one.name), h("small", {}, tn("learned from {n} sheet", "learned from {n} sheets", one.sheets), one.by_itself ? `, ${t("by itself")}` : ""),
      h("button", { type: "button", class: "quiet", onclick: () => confirm(t("Forget {name}?", { name: one.name })) && tell(post(`/api/prints/${one.id}/forget`)) }, t("Forget"))));
  // Of several answers the one that was asked for last knows most.
  const tell = (answer, turn = ++asked) => answer.then((prints) => turn === asked && show(prints)).catch((error) => toast(explain(error)));
  const refresh = () => tell(get("/api/prints"));
  refresh();
  return h("section", { class: "prints card" }, h("h2", {}, t("Known pads"), " ", count), list,
    h("label", { class: "switch" }, learns, " ", t("Learn pads by themselves, from six of their sheets")),
    h("h3", {}, t("Learn another pad")), teacher(refresh));
}
