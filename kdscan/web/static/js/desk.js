// The desk: everything that is to settle as one queue of cards, each with its remedy in place; all
// sheets, the rounds and the players beside it. No mouse is needed.

import { explain, get, news, post } from "./api.js";
import { focusPart } from "./board.js";
import { HEADINGS, cardView } from "./cards.js";
import { $, announce, h, put, toast } from "./dom.js";
import { percent, t, tn } from "./i18n.js";
import { choice, options } from "./editor.js";
import { kindOf } from "./kinds.js";
import { knownPrints } from "./pads.js";
import { photoView } from "./photo.js";
import { playersTab, roundsTab } from "./rounds.js";
import { sheetView } from "./sheet.js";

const place = $("#main");
let desk = null, queue = [], at = 0, view = null, opened = 0, done = 0, tab = "settle", remedies = [];

const TABS = { settle: () => t("To settle"), sheets: () => t("Sheets"), rounds: () => t("Rounds"), players: () => t("Players"), pads: () => t("Pads") };

const help = (kind) => [
  [["j", "k"], t("next, previous card")], ...(kind ? [[["←", "↑", "→", "↓"], t("another place")], [["n"], t("next doubtful place")], ...kind.help()] : [[["1", "…", "9"], t("one of the answers")]]),
  ...(kind ? [[["Enter"], t("it is as read")], [["y"], t("the whole sheet is right")]] : []), [["u"], t("take back")], [["/"], t("search")],
];

const showKeys = (kind) => put($(".keys"), h("dl", {}, help(kind).map(([keys, what]) =>
  h("div", {}, h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, what)))));

// What the desk does to the event; the answer is the desk as it stands then.
async function act(path, body) {
  done += 1;
  await load(await post(path, body));
}

function frame() {
  const search = h("input", { type: "search", class: "search", placeholder: t("Search"), "aria-label": t("Search over all sheets"), oninput: () => { if (tab !== "sheets") choose("sheets"); else showSheets(); } });
  put(place, h("h1", { class: "visually-hidden" }, t("Desk")),
    h("div", { class: "desk-top" },
      h("div", { class: "tabs", role: "group", "aria-label": t("View") }, Object.keys(TABS).map((name) => h("button", { type: "button", class: "tab", "data-tab": name, onclick: () => choose(name) }, TABS[name](), name === "settle" && h("span", { class: "count" })))),
      search, h("button", { type: "button", class: "quiet take-back", onclick: () => inTurn(takeBack), disabled: true }, t("Undo"))),
    h("div", { class: "desk" },
      h("nav", { class: "queue card", "aria-label": t("To settle") }, h("ol", {})),
      h("div", { class: "desk-body" }),
      h("aside", { class: "keys card", "aria-label": t("Keys") })));
  showKeys();
}

function choose(name) {
  tab = name;
  showTop();
  if (name === "sheets") { showSheets(); return; }
  if (name === "settle") { showQueue(); inTurn(() => open(at)); return; }
  view = null;
  showKeys();
  showTab();
}

// Rounds, players and pads fill the whole place; what somebody types there is not drawn over.
function showTab() {
  const body = $(".desk-body");
  if (tab === "pads") { if (!body.querySelector(".prints")) put(body, knownPrints()); return; }
  if (!desk) return; // what comes in draws it
  if (body.contains(document.activeElement) && document.activeElement.matches("input, select") && document.activeElement.value) return;
  const focused = document.activeElement?.dataset?.key;
  put(body, (tab === "rounds" ? roundsTab : playersTab)(desk, (path, what) => inTurn(() => act(path, what))));
  if (focused) body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function showTop() {
  place.querySelectorAll("[data-tab]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.tab === tab)));
  $(".count").textContent = desk?.cards.length ? ` ${desk.cards.length}` : "";
  $(".desk").classList.toggle("wide", ["rounds", "players", "pads"].includes(tab));
  const back = $(".take-back");
  back.disabled = !desk?.undo;
  put(back, h("span", { "aria-hidden": "true" }, "↶ "), desk?.undo ? t("Take back: {what}", { what: t(desk.undo.text, desk.undo.values) }) : t("Undo"));
}

const where = (one) => (one.round === null ? null : one.table === null ? t("round {round}", { round: one.round }) : t("round {round}, table {table}", { round: one.round, table: one.table }));

const sideOf = (card) => {
  const [sheet] = card.sheets;
  const total = sheet && sheet.total !== null ? String(sheet.total) : "";
  const small = card.settled ? "✓" : card.decides ? t("decides the game") : card.kind === "look" ? percent(card.confidence) : "";
  return h("span", { class: "queue-total" }, ["look", "rules"].includes(card.kind) ? total : "", small && h("small", {}, small));
};

function line(card, n, current) {
  const [sheet] = card.sheets;
  const who = card.player ?? sheet?.player ?? sheet?.name ?? card.values.name;
  const what = sheet?.kind === "duel_spellbook" ? [t("Spellbook")] : [];
  return h("li", { class: `card-${card.kind}` }, h("button", { type: "button", "aria-current": current ? "true" : null, onclick: () => inTurn(() => open(n)) },
    sheet ? h("img", { src: sheet.thumb, alt: "", loading: "lazy" }) : h("span", { class: "no-thumb", "aria-hidden": "true" }, card.kind === "failed" ? "✗" : "…"),
    h("span", {}, h("strong", {}, who ?? "?"), h("small", {}, [HEADINGS[card.kind](), ...what, where(card)].filter(Boolean).join(" · "))), sideOf(card)));
}

function showQueue() {
  put($(".queue ol"), queue.length ? queue.map((card, n) => line(card, n, n === at)) : [h("li", { class: "none" }, t("Everything is settled."))]);
  $('.queue [aria-current]')?.scrollIntoView({ block: "nearest" });
}

// A sheet that nothing complains about, as a card.
const cardOf = (sheet) => ({ kind: "look", key: `look-${sheet.id}`, sheets: [sheet], values: {}, players: [], player: sheet.player, round: sheet.round, table: sheet.table, decides: false, confidence: sheet.confidence });

// All sheets that the search fits, counted or not.
function showSheets() {
  const wanted = $(".search").value.trim().toLocaleLowerCase();
  const fits = (one) => [one.name, one.player, where(one), one.total, one.review && t("please check")].some((part) => part && String(part).toLocaleLowerCase().includes(wanted));
  queue = (desk?.sheets ?? []).filter(fits).map(cardOf);
  const current = view && queue.findIndex((card) => card.sheets[0].id === view.sheet.id);
  at = Math.max(0, current ?? 0);
  put($(".queue ol"), queue.length ? queue.map((card, n) => line(card, n, n === at && current >= 0)) : [h("li", { class: "none" }, t("No sheet fits."))]);
}

async function load(fresh) {
  desk = fresh;
  showTop();
  if (["rounds", "players", "pads"].includes(tab)) { showTab(); return; }
  if (tab === "sheets") { showSheets(); return; }
  // What somebody works on stays, though it may be settled by now.
  const held = view || remedies.length ? queue[at] : null, known = fresh.cards.findIndex((card) => card.key === held?.key);
  queue = [...fresh.cards];
  if (held?.kind === "look" && view && known < 0) queue.splice(Math.min(at, queue.length), 0, { ...held, settled: true });
  at = known >= 0 ? known : Math.max(0, Math.min(at, queue.length - 1));
  showQueue();
  if (known < 0 && !(held?.kind === "look" && view)) await open(at);
}

async function open(n) {
  at = Math.max(0, Math.min(n, queue.length - 1));
  if (tab === "settle") showQueue(); else $(".queue ol").querySelectorAll("button").forEach((one, k) => one.toggleAttribute("aria-current", k === at));
  const card = queue[at], turn = ++opened;
  view = null;
  remedies = [];
  showKeys();
  const body = $(".desk-body");
  if (!card) { put(body, h("p", { class: "none done" }, h("span", { "aria-hidden": "true" }, "♛ "), t("Everything is settled."))); return; }
  if (["look", "rules", "again"].includes(card.kind)) { await openSheet(card, turn); return; }
  const drawn = await cardView(card, desk, (path, what) => inTurn(() => act(path, what)));
  if (turn !== opened) return;
  remedies = drawn.remedies;
  put(body, drawn.element);
  $("h2", body)?.focus({ preventScroll: true });
  announce($("h2", body)?.textContent ?? "");
}

async function openSheet(card, turn) {
  const [brief] = card.sheets;
  const photo = await get(`/api/photos/${brief.photo}`);
  if (turn !== opened) return; // another one was opened meanwhile
  const sheet = photo.sheets.find((s) => s.id === brief.id);
  if (!sheet) return;
  const board = h("div", { class: "sheet" }), shown = h("section", { class: "desk-photo", "aria-label": t("Photo") });
  const side = h("section", { class: "desk-sheet", "aria-label": t("Sheet") },
    h("h2", { class: "file-name" }, [card.player, photo.name, where(card)].filter(Boolean).join(" · ")), board,
    h("p", { class: "row" }, sheet.review && h("button", { type: "button", class: "main", onclick: () => here(settled) }, t("The whole sheet is right")),
      h("button", { type: "button", class: "quiet", onclick: () => inTurn(() => act(`/api/sheets/${sheet.id}/ignore`, { ignored: brief.status !== "ignored" })) }, brief.status === "ignored" ? t("It counts again") : t("It counts nowhere"))));
  put($(".desk-body"), h("div", { class: "desk-left" }, shown, h("section", { class: "desk-shield", "aria-label": t("This place in the photo") })), side);
  const page = photo.pages.find((p) => p.page === sheet.page);
  const draw = (s) => put(shown, page.view && photoView(page, [s], (_, part) => focusPart(board, part), s, { upright: true }));
  board.addEventListener("focusin", () => showPart(page));
  showKeys(kindOf(sheet));
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
  const now = document.activeElement?.closest?.("[data-cell]");
  return now && view ? view.find(now.dataset.cell) ?? null : null;
}

// The next doubtful place of the sheet; false where there is none any more.
function nextDoubt(step = 1) {
  if (!view) return false;
  const parts = kindOf(view.sheet).parts(view.sheet), now = current();
  const from = now && step ? parts.findIndex((part) => part.id === now.id) : -1;
  const next = parts.find((part, n) => part.review && n > from) ?? parts.find((part) => part.review);
  focusPart($(".desk-sheet"), (next ?? now ?? parts[0]).id);
  if (next) announce(next.name);
  return Boolean(next);
}

// What a key changes depends on what the one before it changed: one after the other.
let chain = Promise.resolve();
function inTurn(doing) {
  chain = chain.then(doing).catch((error) => toast(error.known?.length ? `${explain(error)}` : explain(error)));
  return chain;
}

// What was meant for one sheet is never said of another that was opened meanwhile.
const here = (doing) => { const seen = view; return inTurn(() => seen && seen === view && doing()); };

const say = (id, valueOf) => here(async () => {
  const value = valueOf(view.find(id));
  if (!value) return;
  done += 1;
  await view.say(id, value);
  if (!current()) focusPart($(".desk-sheet"), id);
});

async function settled() {
  const { key } = queue[at];
  done += 1;
  await view.confirm();
  if (!view.sheet.confirmed) return; // it was not kept: said already
  queue = queue.filter((card) => card.key !== key);
  await open(Math.min(at, queue.length - 1));
}

// After the last doubt of a sheet the next card follows.
async function onwards() {
  if (nextDoubt() || at >= queue.length - 1) return;
  const last = queue[at].key;
  queue = queue.filter((card) => card.key !== last);
  await open(at);
}

// Takes back what this desk did last, says what that was, and shows the sheet that it was said of.
async function takeBack() {
  const fresh = await get("/api/desk"), was = fresh.undo;
  if (!was) { toast(t("There is nothing to take back.")); return; }
  done += 1;
  const now = await post("/api/event/undo");
  toast(t("Taken back: {what}", { what: t(was.text, was.values) }));
  if (tab === "settle" && was.sheet !== null) {
    const id = view?.sheet.id === was.sheet ? $(":focus")?.closest?.("[data-cell]")?.dataset.cell : null;
    view = null;
    desk = now;
    queue = [...now.cards];
    showTop();
    const of = (card) => card.sheets.some((sheet) => sheet.id === was.sheet);
    const brief = now.sheets.find((sheet) => sheet.id === was.sheet);
    if (brief && !queue.some(of)) queue.splice(Math.min(at, queue.length), 0, { ...cardOf(brief), settled: true });
    await open(Math.max(0, queue.findIndex(of)));
    if (id && view) focusPart($(".desk-sheet"), id);
    return;
  }
  await load(now);
}

const ACTIONS = {
  j: () => inTurn(() => open(at + 1)), k: () => inTurn(() => open(at - 1)),
  n: () => here(() => nextDoubt()), u: () => inTurn(takeBack), y: () => here(settled),
  "/": () => inTurn(() => $(".search").focus()),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest("input, select, textarea");
  if (typing) { if (event.key === "Escape") typing.blur(); return; }
  const { key } = event, part = current();
  const remedy = !view && /^[1-9]$/.test(key) ? remedies[Number(key) - 1] : null;
  // What it makes of the part is known only when the keys before it have had their say.
  const typed = part && (key === "Enter" || key === "Delete" || (key.length === 1 && key !== " "));
  if (!(key in ACTIONS) && !typed && !remedy) return;
  event.preventDefault();
  event.stopPropagation();
  if (key in ACTIONS) ACTIONS[key]();
  else if (remedy) remedy();
  else say(part.id, (now) => (key === "Enter" ? now.read : now.press(now.read, key)));
  if (key === "Enter") here(onwards);
}, true);

frame();
news("/api/desk", (fresh) => inTurn(() => load(fresh)), () => done);
