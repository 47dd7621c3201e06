// The review desk: doubtful sheets in the order in which they matter, by keyboard alone.

import { explain, get, news } from "./api.js";
import { focusPart } from "./board.js";
import { $, announce, h, put, toast } from "./dom.js";
import { percent, t, tn } from "./i18n.js";
import { choice, options } from "./editor.js";
import { kindOf } from "./kinds.js";
import { photoView } from "./photo.js";
import { sheetView } from "./sheet.js";

const place = $("#main");
let queue = [], at = 0, view = null, opened = 0, confirmed = 0;

const help = (kind) => [
  [["j", "k"], t("next, previous sheet")], [["←", "↑", "→", "↓"], t("another place")], [["n"], t("next doubtful place")],
  ...(kind?.help() ?? []),
  [["Enter"], t("it is as read")], [["y"], t("the whole sheet is right")], [["u"], t("take back")],
];

const showKeys = (kind) => put($(".keys"), h("dl", {}, help(kind).map(([keys, what]) =>
  h("div", {}, h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, what)))));

function frame() {
  put(place, h("h1", { class: "visually-hidden" }, t("Desk")), h("div", { class: "desk" },
    h("nav", { class: "queue card", "aria-label": t("Doubtful sheets") }, h("h2", {}, t("To look at"), " ", h("span", { class: "count" })), h("ol", {})),
    h("div", { class: "desk-left" }, h("section", { class: "desk-photo", "aria-label": t("Photo") }), h("section", { class: "desk-shield", "aria-label": t("This place in the photo") })),
    h("section", { class: "desk-sheet", "aria-label": t("Sheet") }),
    h("aside", { class: "keys card", "aria-label": t("Keys") })));
  showKeys();
}

function showQueue() {
  $(".count").textContent = String(queue.length);
  put($(".queue ol"), queue.length ? queue.map((one, n) => h("li", {}, h("button", { type: "button", "aria-current": n === at ? "true" : null, onclick: () => inTurn(() => open(n)) },
    h("img", { src: one.thumb, alt: "", loading: "lazy" }),
    h("span", {}, h("strong", {}, one.player ?? one.name), h("small", {},
      one.table !== null ? t("round {round}, table {table}", { round: one.round ?? "?", table: one.table }) : one.range?.join("–") ?? t("Spellbook"))),
    h("span", { class: "queue-total" }, one.total === null ? "" : String(one.total), h("small", {}, one.decides ? t("decides the game") : percent(one.confidence)))))) : [h("li", { class: "none" }, t("Nothing is doubtful."))]);
  $('.queue [aria-current]')?.scrollIntoView({ block: "nearest" });
}

async function load({ sheets: fresh }) {
  // What somebody works on stays, though it may be settled by now.
  const held = view && queue[at], keep = queue[at]?.id ?? null;
  if (held && !fresh.some((one) => one.id === keep)) fresh.splice(at, 0, held);
  queue = fresh;
  const known = queue.findIndex((one) => one.id === keep);
  at = known >= 0 ? known : Math.max(0, Math.min(at, queue.length - 1));
  showQueue();
  if (known < 0) await inTurn(() => open(at));
}

async function open(n) {
  at = Math.max(0, Math.min(n, queue.length - 1));
  showQueue();
  const one = queue[at], turn = ++opened;
  if (!one) {
    view = null;
    put($(".desk-photo"));
    put($(".desk-shield"));
    put($(".desk-sheet"), h("p", { class: "none" }, t("Nothing is doubtful.")));
    return;
  }
  const photo = await get(`/api/photos/${one.photo}`);
  if (turn !== opened) return; // another one was opened meanwhile
  const sheet = photo.sheets.find((s) => s.id === one.id);
  const side = $(".desk-sheet"), board = h("div", { class: "sheet" });
  const page = photo.pages.find((p) => p.page === sheet.page);
  const draw = (s) => put($(".desk-photo"), page.view && photoView(page, [s], (_, part) => focusPart(board, part), s));
  board.addEventListener("focusin", () => showPart(page));
  showKeys(kindOf(sheet));
  put(side, h("h2", { class: "file-name" }, [one.player, photo.name].filter(Boolean).join(" · ")), board);
  view = sheetView(board, photo, sheet, { onChange: draw, bar: false, tabs: false });
  draw(sheet);
  nextDoubt(0);
}

// The shield, square or line that has the focus, large, with what it may be.
function showPart(page) {
  const part = current();
  if (!part || !page.view) return;
  put($(".desk-shield"), part.crop(page), h("div", {}, h("h3", {}, part.name),
    h("div", { class: "choices" }, options(part).slice(0, 3).map(([value, p]) => choice(part, value, p, () => say(part.id, () => value))))));
}

function current() {
  const at = document.activeElement?.closest?.("[data-cell]");
  return at && view ? view.find(at.dataset.cell) ?? null : null;
}

function nextDoubt(step = 1) {
  if (!view) return;
  const parts = kindOf(view.sheet).parts(view.sheet), here = current();
  const from = here && step ? parts.findIndex((part) => part.id === here.id) : -1;
  const next = parts.find((part, n) => part.review && n > from) ?? parts.find((part) => part.review) ?? parts[0];
  focusPart($(".desk-sheet"), next.id);
  announce(next.name);
}

// What a key changes depends on what the one before it changed: one after the other.
let chain = Promise.resolve();
function inTurn(act) {
  chain = chain.then(act).catch((error) => toast(explain(error)));
  return chain;
}

// What was meant for one sheet is never said of another that was opened meanwhile.
const here = (act) => { const seen = view; return inTurn(() => seen && seen === view && act()); };

const say = (id, valueOf) => here(async () => {
  const value = valueOf(view.find(id));
  if (!value) return;
  await view.say(id, value);
  if (!current()) focusPart($(".desk-sheet"), id);
});

async function settled() {
  const { id } = view.sheet;
  await view.confirm();
  if (!view.sheet.confirmed) return; // it was not kept: said already
  confirmed += 1;
  queue = queue.filter((one) => one.id !== id);
  await open(Math.min(at, queue.length - 1));
}

const ACTIONS = {
  j: () => inTurn(() => open(at + 1)), k: () => inTurn(() => open(at - 1)),
  n: () => here(() => nextDoubt()), u: () => here(() => view.undo()), y: () => here(settled),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.closest("input, select, textarea")) return;
  const { key } = event, part = current();
  // What it makes of the part is known only when the keys before it have had their say.
  const typed = part && (key === "Enter" || key === "Delete" || (key.length === 1 && key !== " "));
  if (!(key in ACTIONS) && !typed) return;
  event.preventDefault();
  event.stopPropagation();
  if (key in ACTIONS) ACTIONS[key]();
  else say(part.id, (now) => (key === "Enter" ? now.read : now.press(now.read, key)));
  if (key === "Enter") here(() => nextDoubt());
}, true);

frame();
news("/api/queue", load, () => confirmed);
