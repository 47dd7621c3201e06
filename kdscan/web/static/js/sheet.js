// One map: the total, doubts first, the board and the photo, and what follows from a tap.

import { explain, get, post } from "./api.js";
import { byCell, drawBoard, focusCell, highlight } from "./board.js";
import { COATS, cellName, coatName, icon, marksName } from "./coats.js";
import { announce, h, put, toast } from "./dom.js";
import { choice, openEditor, options } from "./editor.js";
import { t, tn, when } from "./i18n.js";
import { crop, photoView } from "./photo.js";
import { explanation, total } from "./score.js";
import { share } from "./share.js";

const PROBLEMS = {
  unsure_place: () => t("The grid may not lie where it was found: look at the photo, or take another."),
};

// Draws a sheet into `place` and keeps it up to date; returns {sheet, set}.
export function sheetView(place, photo, first, { onChange = () => {}, keys = false, bar = true, tabs = true } = {}) {
  const page = photo.pages[first.page];
  let sheet = first, before = null, widest = first.range, view = "board";

  async function send(path, body, said) {
    try {
      set(await post(`/api/sheets/${sheet.id}/${path}`, body));
      announce(`${said}. ${tn("{n} point", "{n} points", sheet.score.total)}`);
    } catch (error) { toast(explain(error)); }
  }
  const say = (row, col, mark) => send("corrections", { cell: [row, col], coat: mark.coat, crosses: mark.crosses },
    `${cellName(row, col)}: ${marksName(mark)}`);
  const undo = () => sheet.can_undo && send("undo", {}, t("Taken back"));
  const confirm = () => send("confirm", {}, t("Confirmed"));
  const edit = (row, col) => {
    const cell = byCell(sheet).get(`${row},${col}`);
    openEditor(page, sheet, cell, async (mark) => { await say(row, col, mark); focusCell(place, row, col); });
  };

  function set(fresh) {
    before = sheet.score.total;
    sheet = fresh;
    draw();
    onChange(sheet);
  }

  function doubts() {
    const open = sheet.cells.filter((cell) => cell.review).sort((a, b) => a.confidence - b.confidence);
    if (!open.length && !sheet.review) return null;
    return h("section", { class: "doubts" },
      h("h2", {}, open.length ? tn("{n} shield to look at", "{n} shields to look at", open.length) : t("Please check")),
      h("div", { class: "doubt-row" }, open.map((cell) => h("article", { class: "doubt card", "aria-label": cellName(cell.row, cell.col) },
        h("h3", {}, cellName(cell.row, cell.col)), crop(page, sheet, cell.row, cell.col),
        h("div", { class: "choices" },
          options(cell).slice(0, 3).map((o) => choice(o, o.probability, () => say(cell.row, cell.col, o))),
          h("button", { type: "button", class: "choice more", onclick: () => edit(cell.row, cell.col) }, t("other…")))))),
      h("button", { type: "button", class: "quiet wide", onclick: confirm }, t("Everything is as on paper")));
  }

  function wizard() {
    const pick = h("select", { id: `wizard-${sheet.id}`, onchange: (event) => send("wizard", { coat: event.target.value || null }, t("Wizard")) },
      h("option", { value: "" }, t("not on this map")),
      COATS.map((coat) => h("option", { value: coat, selected: sheet.chosen_coat === coat }, coatName(coat))));
    return h("p", { class: "wizard" }, h("label", { for: `wizard-${sheet.id}` }, icon({ coat: "filled", crosses: 0 }), " ", t("The wizard's 3 points for each domain of")), pick);
  }

  const notes = () => sheet.problems.length ? h("ul", { class: "problems card" }, sheet.problems.map((problem) =>
    h("li", { class: problem.severity }, PROBLEMS[problem.code]?.() ?? problem.message,
      problem.cells.length ? ` (${problem.cells.map(([r, c]) => cellName(r, c)).join(" ")})` : ""))) : null;

  const tab = (name, label) => h("button", { type: "button", class: "tab", "aria-pressed": String(view === name),
    onclick: () => { view = name; draw(); } }, label);

  function history() {
    if (!sheet.corrections.length) return null;
    return h("details", { class: "history" }, h("summary", {}, tn("{n} decision", "{n} decisions", sheet.corrections.length)),
      h("ol", {}, sheet.corrections.map((one) => h("li", { class: one.undone ? "undone" : "" },
        h("strong", {}, one.cell ? cellName(...one.cell) : one.what === "confirmed" ? t("Confirmed") : t("Wizard")), " ",
        one.new && one.cell ? marksName(one.new) : "", " ", h("span", { class: "who" }, `${one.who || t("somebody")}, ${when(one.at)}`)))));
  }

  function draw() {
    const focused = document.activeElement?.closest?.("[data-cell]")?.dataset.cell;
    const board = drawBoard(sheet, { onCell: edit });
    const lit = (cells) => highlight(board, cells);
    const mine = photo.sheets.map((other) => (other.id === sheet.id ? sheet : other)).filter((s) => s.page === sheet.page && s.kind === "duel_map");
    put(place,
      total(sheet, before, widest), notes(), doubts(),
      tabs && h("div", { class: "tabs", role: "group", "aria-label": t("View") }, tab("board", t("Map")), tab("photo", t("Photo"))),
      view === "board" ? h("div", { class: "board-box" }, board) : photoView(page, mine, (s, row, col) => s.id === sheet.id && edit(row, col)),
      explanation(sheet, lit), wizard(), history(),
      bar && h("div", { class: "bar" },
        h("button", { type: "button", class: "bar-button", disabled: !sheet.can_undo, onclick: undo }, h("span", { "aria-hidden": "true" }, "↶"), t("Undo")),
        h("a", { class: "bar-button", href: `#/versus/${sheet.id}` }, h("span", { "aria-hidden": "true" }, "⚔"), t("Game")),
        h("button", { type: "button", class: "bar-button", onclick: () => share([sheet], null) }, h("span", { "aria-hidden": "true" }, "⇪"), t("Share"))));
    if (focused) place.querySelector(`[data-cell="${focused}"]`)?.focus({ preventScroll: true });
  }

  draw();
  if (keys) place.addEventListener("keydown", (event) => (event.ctrlKey || event.metaKey) && event.key === "z" && undo());
  return { get sheet() { return sheet; }, set, say, undo, confirm, edit };
}

// #/photo/ID and #/sheet/ID
export async function showPhoto(place, id, wanted = null) {
  const photo = await get(`/api/photos/${id}`);
  const maps = photo.sheets.filter((sheet) => sheet.kind === "duel_map");
  const title = h("h1", { tabindex: "-1", class: "file-name" }, photo.name);
  if (!maps.length) {
    const failed = photo.error ?? photo.pages.find((p) => p.error)?.error ?? { code: "no_sheet" };
    put(place, title, failure(photo, failed));
    return;
  }
  let chosen = maps.find((sheet) => sheet.id === wanted) ?? maps[0];
  const body = h("div", { class: "sheet" });
  const picker = maps.length > 1 ? h("div", { class: "tabs maps", role: "group", "aria-label": t("Maps in this photo") }) : null;
  const known = new Map(maps.map((sheet) => [sheet.id, sheet]));
  const open = (sheet) => {
    chosen = sheet;
    sheetView(body, { ...photo, sheets: [...known.values()] }, sheet, { keys: true, onChange: (fresh) => { known.set(fresh.id, fresh); pick(); } });
    pick();
  };
  const pick = () => picker && put(picker,
    ...[...known.values()].map((sheet, n) => h("button", { type: "button", class: "tab", "aria-pressed": String(sheet.id === chosen.id), onclick: () => open(sheet) },
      t("Map {n}", { n: n + 1 }), " · ", String(sheet.score.total))),
    maps.length === 2 && h("a", { class: "tab", href: `#/game/${maps[0].id}/${maps[1].id}` }, t("Who won?")));
  put(place, title, picker ?? "", body);
  open(chosen);
}

function failure(photo, error) {
  const page = photo.pages.find((p) => p.thumb);
  return h("section", { class: "card failure" }, page && h("img", { src: page.thumb, alt: "" }),
    h("p", { role: "alert" }, explain(error)),
    h("div", { class: "row" },
      photo.state === "failed" && h("button", { type: "button", class: "main", onclick: async () => {
        await post(`/api/photos/${photo.id}/again`).catch((e) => toast(explain(e)));
        location.hash = `#/wait/${photo.id}`;
      } }, t("Try again")),
      h("a", { class: "button", href: "#/" }, t("Another photo"))));
}
