// The review desk: doubtful sheets in the order in which they matter, by keyboard alone.

import { explain, get } from "./api.js";
import { byCell, focusCell } from "./board.js";
import { cellName } from "./coats.js";
import { $, announce, h, put, toast } from "./dom.js";
import { percent, t, tn } from "./i18n.js";
import { choice, options } from "./editor.js";
import { crop, photoView } from "./photo.js";
import { sheetView } from "./sheet.js";

const COAT_KEYS = { d: "dot", D: "double_dot", l: "line", L: "double_line", f: "filled", c: "checked", ".": null, Delete: null };
const EVERY = 10000;

const place = $("#main");
let queue = [], at = 0, view = null, photo = null;

const help = () => [
  [["j", "k"], t("next, previous sheet")], [["←", "↑", "→", "↓"], t("another shield")], [["n"], t("next doubtful shield")],
  [["d", "D"], t("dot, double dot")], [["l", "L"], t("line, double line")], [["f"], t("filled")], [["c"], t("checked")], [["."], t("empty")],
  [["0", "…", "4"], t("so many crosses")], [["x"], t("one cross more")], [["Enter"], t("it is as read")], [["y"], t("the whole sheet is right")], [["u"], t("take back")],
];

function frame() {
  put(place, h("h1", { class: "visually-hidden" }, t("Desk")), h("div", { class: "desk" },
    h("nav", { class: "queue card", "aria-label": t("Doubtful sheets") }, h("h2", {}, t("To look at"), " ", h("span", { class: "count" })), h("ol", {})),
    h("div", { class: "desk-left" }, h("section", { class: "desk-photo", "aria-label": t("Photo") }), h("section", { class: "desk-shield", "aria-label": t("This shield in the photo") })),
    h("section", { class: "desk-sheet", "aria-label": t("Map") }),
    h("aside", { class: "keys card", "aria-label": t("Keys") }, h("dl", {}, help().map(([keys, what]) =>
      h("div", {}, h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, what)))))));
}

function showQueue() {
  $(".count").textContent = String(queue.length);
  put($(".queue ol"), queue.length ? queue.map((one, n) => h("li", {}, h("button", { type: "button", "aria-current": n === at ? "true" : null, onclick: () => open(n) },
    h("img", { src: one.thumb, alt: "", loading: "lazy" }),
    h("span", {}, h("strong", {}, one.player ?? one.name), h("small", {},
      one.table !== null ? t("round {round}, table {table}", { round: one.round ?? "?", table: one.table }) : one.range.join("–"))),
    h("span", { class: "queue-total" }, String(one.total ?? "?"), h("small", {}, one.decides ? t("decides the game") : percent(one.confidence)))))) : [h("li", { class: "none" }, t("Nothing is doubtful."))]);
  $('.queue [aria-current]')?.scrollIntoView({ block: "nearest" });
}

async function load(keep = null) {
  const fresh = await get("/api/queue");
  queue = fresh.sheets;
  const known = queue.findIndex((one) => one.id === keep);
  at = known >= 0 ? known : Math.max(0, Math.min(at, queue.length - 1));
  showQueue();
  if (known < 0) await open(at);
}

async function open(n) {
  at = Math.max(0, Math.min(n, queue.length - 1));
  showQueue();
  const one = queue[at];
  if (!one) {
    view = null;
    put($(".desk-photo"));
    put($(".desk-shield"));
    put($(".desk-sheet"), h("p", { class: "none" }, t("Nothing is doubtful.")));
    return;
  }
  photo = await get(`/api/photos/${one.photo}`);
  if (queue[at]?.id !== one.id) return;
  const sheet = photo.sheets.find((s) => s.id === one.id);
  const side = $(".desk-sheet"), board = h("div", { class: "sheet" });
  const page = photo.pages[sheet.page];
  const draw = (s) => put($(".desk-photo"), page.view && photoView(page, [s], (_, row, col) => focusCell(board, row, col)));
  board.addEventListener("focusin", () => showShield(page));
  put(side, h("h2", { class: "file-name" }, [one.player, photo.name].filter(Boolean).join(" · ")), board);
  view = sheetView(board, photo, sheet, { onChange: draw, bar: false, tabs: false });
  draw(sheet);
  nextDoubt(0);
}

// The shield that has the focus, large, with what it may be.
function showShield(page) {
  const cell = current();
  if (!cell || !page.view) return;
  put($(".desk-shield"), crop(page, view.sheet, cell.row, cell.col), h("div", {}, h("h3", {}, cellName(cell.row, cell.col)),
    h("div", { class: "choices" }, options(cell).slice(0, 3).map((one, n) => choice(one, one.probability, () => say(cell, () => one), n === 0)))));
}

function current() {
  const cell = document.activeElement?.closest?.("[data-cell]");
  if (!cell || !view) return null;
  return byCell(view.sheet).get(cell.dataset.cell);
}

function nextDoubt(step = 1) {
  const open = view?.sheet.cells.filter((cell) => cell.review) ?? [];
  const here = current();
  const place_ = (cell) => cell.row * 7 + cell.col;
  const next = here && step ? open.find((cell) => place_(cell) > place_(here)) ?? open[0] : open[0];
  const cell = next ?? view?.sheet.cells[0];
  if (cell) {
    focusCell($(".desk-sheet"), cell.row, cell.col);
    announce(cellName(cell.row, cell.col));
  }
}

// What a key changes depends on what the one before it changed: one after the other.
let chain = Promise.resolve();
function inTurn(act) {
  chain = chain.then(act).catch((error) => toast(explain(error)));
  return chain;
}

const say = ({ row, col }, markOf) => inTurn(async () => {
  const mark = markOf(byCell(view.sheet).get(`${row},${col}`));
  if (!mark) return;
  await view.say(row, col, mark);
  focusCell($(".desk-sheet"), row, col);
});

async function settled() {
  const id = queue[at]?.id;
  await view.confirm();
  queue = queue.filter((one) => one.id !== id);
  await open(Math.min(at, queue.length - 1));
}

const ACTIONS = {
  j: () => open(at + 1), k: () => open(at - 1), n: () => nextDoubt(), u: () => view?.undo(), y: () => view && settled(),
};

// What a key makes of a shield; null where it makes nothing of it.
function markFor(key, cell) {
  if (key in COAT_KEYS) return { coat: COAT_KEYS[key], crosses: COAT_KEYS[key] ? cell.crosses : 0 };
  if (key === "Enter") return { coat: cell.coat, crosses: cell.crosses };
  if (!cell.coat) return null;
  if (key === "x" || key === "+") return { coat: cell.coat, crosses: (cell.crosses + 1) % 5 };
  return /^[0-4]$/.test(key) ? { coat: cell.coat, crosses: Number(key) } : null;
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.closest("input, select, textarea")) return;
  const { key } = event, cell = current();
  const marks = cell && (key in COAT_KEYS || key === "Enter" || /^[0-4x+]$/.test(key));
  if (!(key in ACTIONS) && !marks) return;
  event.preventDefault();
  event.stopPropagation();
  if (key in ACTIONS) inTurn(ACTIONS[key]);
  else say(cell, (now) => markFor(key, now));
  if (key === "Enter") inTurn(() => nextDoubt());
}, true);

async function again() {
  try { await load(queue[at]?.id); } catch (error) { toast(explain(error)); }
  setTimeout(again, EVERY);
}

frame();
load().catch((error) => toast(explain(error))).then(() => setTimeout(again, EVERY));
