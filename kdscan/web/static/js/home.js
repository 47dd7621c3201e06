// The start: photograph or choose, watch it go, and what came before.

import { explain, finished, get, mayChange, passes, session, upload } from "./api.js";
import { castle } from "./coats.js";
import { announce, h, put, s } from "./dom.js";
import { t, tn, when } from "./i18n.js";

const AT_ONCE = 3;
const running = new Map(); // name and number → element, so that going away and back shows them still
let number = 0, list = null, asked = 0;

export async function showHome(place) {
  list = h("ul", { class: "results", "aria-label": t("Last results") });
  const picker = (label, symbol, attributes) => {
    const input = h("input", { type: "file", class: "visually-hidden", ...attributes, onchange: () => { send([...input.files]); input.value = ""; } });
    return h("label", { class: attributes.capture ? "capture" : "gallery" }, input, h("span", { class: "symbol", "aria-hidden": "true" }, symbol), label);
  };
  const accept = "image/*,.heic,.heif,.tif,.tiff,.pdf,application/pdf";
  put(place,
    h("section", { class: "hero" }, s("svg", { viewBox: "0 0 100 100", class: "emblem", "aria-hidden": "true" }, castle(true)),
      h("h1", { tabindex: "-1" }, t("What is your kingdom worth?")),
      h("p", {}, t("Photograph the finished map or kingdom, look at what is doubtful, done."))),
    h("div", { class: "actions" },
      picker(t("Photograph"), "◉", { accept: "image/*", capture: "environment" }),
      picker(t("Choose photos"), "▤", { accept, multiple: true })),
    h("ul", { class: "results uploads", "aria-label": t("Being read") }, [...running.values()]),
    h("h2", { class: "quiet-title" }, t("Last results")), list);
  place.ondragover = (event) => event.preventDefault();
  place.ondrop = (event) => { event.preventDefault(); send([...event.dataTransfer.files]); };
  await refresh();
}

async function refresh() {
  const turn = ++asked, { photos } = await get("/api/photos");
  if (turn !== asked) return; // a later answer knows more
  put(list, ...(photos.length ? photos.map(line) : [h("li", { class: "none" }, t("Nothing yet."))]));
}

function line(photo) {
  const thumb = photo.pages.find((page) => page.thumb)?.thumb;
  const said = photo.sheets.map((sheet) => sheet.photograph_again ? t("Photograph again") : `${sheet.total === null ? t("Spellbook") : tn("{n} point", "{n} points", sheet.total)}${sheet.review ? " ?" : ""}`);
  const result = photo.state === "waiting" ? t("is being read") : said.length ? said.join(" · ") : t("nothing found");
  return h("li", {}, h("a", { class: "result card", href: photo.state === "waiting" ? `#/wait/${photo.id}` : `#/photo/${photo.id}` },
    thumb ? h("img", { src: thumb, alt: "", loading: "lazy" }) : h("span", { class: "no-thumb" }),
    h("span", { class: "result-name" }, photo.name, h("small", {}, when(photo.added_at))), h("strong", {}, result)));
}

async function send(files) {
  const tooLarge = files.filter((file) => file.size > session.limits.bytes);
  const waiting = files.filter((file) => !tooLarge.includes(file));
  tooLarge.forEach((file) => row(file).fail({ code: "image_too_large" }));
  const rows = new Map(waiting.map((file) => [file, row(file)]));
  const done = [];
  const next = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const photo = await one(file, rows.get(file));
      if (photo) done.push(photo);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  if (done.length) await keepForLater();
  if (done.length === 1 && files.length === 1 && location.hash.replace(/^#\/?/, "") === "") location.hash = `#/photo/${done[0].id}`;
  else if (list?.isConnected) await refresh().catch(() => {});
}

// What the start page shows, asked for once more, so that it is there without a network too.
async function keepForLater() {
  const { photos } = await get("/api/photos").catch(() => ({ photos: [] }));
  for (const { thumb } of photos.flatMap((photo) => photo.pages)) if (thumb) new Image().src = thumb;
}

async function one(file, shown) {
  for (let wait = 1; ; wait = Math.min(2 * wait, 20)) {
    try {
      const { id } = await upload(file, shown.progress);
      shown.reading(id);
      const photo = await finished(id);
      shown.done(photo);
      return photo;
    } catch (error) {
      if (!passes(error)) { shown.fail(error); return null; }
      await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
    }
  }
}

function row(file) {
  const id = ++number;
  const bar = h("progress", { max: "1", value: "0", "aria-label": t("Sending {name}", { name: file.name }) });
  const state = h("strong", {}, t("is being sent"));
  const item = h("li", { class: "result card upload" }, h("span", { class: "no-thumb busy" }), h("span", { class: "result-name" }, file.name, bar), state);
  running.set(id, item);
  document.querySelector(".uploads")?.append(item);
  const end = () => { running.delete(id); item.remove(); };
  return {
    progress: (part) => { bar.value = part; },
    reading: () => { bar.removeAttribute("value"); state.textContent = t("is being read"); },
    done: (photo) => { end(); announce(`${photo.name}: ${photo.state === "read" ? t("was read") : t("could not be read")}`); },
    fail: (error) => {
      running.delete(id);
      bar.remove();
      item.classList.add("failed");
      state.textContent = "";
      state.append(explain(error));
      if (mayChange(error)) state.append(" ", h("button", { type: "button", class: "quiet", onclick: () => { item.remove(); send([file]); } }, t("Try again")));
      announce(`${file.name}: ${explain(error)}`);
    },
  };
}

// #/wait/ID: a photo that was sent before, perhaps before a restart.
export async function showWaiting(place, id) {
  put(place, h("section", { class: "hero" }, h("h1", { tabindex: "-1" }, t("is being read")), h("progress", { "aria-label": t("Being read") })));
  await finished(id);
  if (place.isConnected) location.replace(`#/photo/${id}`);
}
