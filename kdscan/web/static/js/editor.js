// Saying what a shield holds: a sheet of choices from below, one tap each.

import { COATS, cellName, coatName, icon, marksName } from "./coats.js";
import { h, put } from "./dom.js";
import { percent, t, tn } from "./i18n.js";
import { crop } from "./photo.js";

const same = (a, b) => a.coat === b.coat && a.crosses === b.crosses;

// One button for one reading of a shield, with how likely it is.
export function choice(mark, probability, act, pressed = false) {
  const sure = probability === null ? "" : percent(probability);
  return h("button", { type: "button", class: "choice", "aria-pressed": String(pressed), onclick: act,
    "aria-label": [marksName(mark), sure].filter(Boolean).join(", ") },
  icon(mark), h("span", { class: "choice-name", "aria-hidden": "true" }, mark.coat ? coatName(mark.coat) : t("empty")),
  sure && h("span", { class: "sure", "aria-hidden": "true" }, sure));
}

// What a doubtful shield may be: as read first, then the likeliest others.
export const options = (cell) => [
  { coat: cell.coat, crosses: cell.crosses, probability: cell.confidence },
  ...cell.alternatives.filter((other) => !same(other, cell)),
];

// Opens the chooser; `say(mark)` is called with what the person chose.
export function openEditor(page, sheet, cell, say) {
  const dialog = document.getElementById("editor");
  let mark = { coat: cell.coat, crosses: cell.crosses };
  const close = () => dialog.close();
  const done = (chosen) => { close(); say(chosen); };
  const body = h("div", {});
  const draw = () => {
    const focused = [...body.querySelectorAll("button")].indexOf(document.activeElement);
    render();
    if (focused >= 0) body.querySelectorAll("button")[focused].focus();
  };
  const render = () => put(body,
    h("div", { class: "coat-grid", role: "group", "aria-label": t("Coat of arms") },
      [...COATS, null].map((coat) => choice({ coat, crosses: 0 }, null, () => {
        mark = { coat, crosses: coat ? mark.crosses : 0 };
        draw();
      }, coat === mark.coat))),
    h("div", { class: "cross-row", role: "group", "aria-label": t("Crosses") },
      [0, 1, 2, 3, 4].map((n) => h("button", { type: "button", class: "cross-count", "aria-pressed": String(n === mark.crosses),
        disabled: !mark.coat && n > 0, "aria-label": tn("{n} cross", "{n} crosses", n),
        onclick: () => { mark = { ...mark, crosses: n }; draw(); } }, n === 0 ? "0" : "×".repeat(n)))),
    h("div", { class: "row end" },
      h("button", { type: "button", class: "quiet", onclick: close }, t("Cancel")),
      h("button", { type: "button", class: "main", onclick: () => done(mark) }, icon(mark), t("That is it"))));
  draw();
  const likely = cell.review && cell.alternatives.length ? h("div", { class: "choices" },
    options(cell).map((o) => choice(o, o.probability, () => done({ coat: o.coat, crosses: o.crosses })))) : h("p", { class: "as-read" }, icon(cell), h("span", {}, t("Read as {marks}", { marks: marksName(cell) }), h("small", {}, t("{sure} sure", { sure: percent(cell.confidence) }))));
  put(dialog, h("form", { method: "dialog", class: "editor" },
    h("h2", { tabindex: "-1" }, t("What does {cell} hold?", { cell: cellName(cell.row, cell.col) })),
    h("div", { class: "editor-top" }, page && crop(page, sheet, cell.row, cell.col), likely), body));
  dialog.onclick = (event) => event.target === dialog && close();
  dialog.onkeydown = (event) => {
    const digit = "01234".indexOf(event.key);
    if (digit >= 0 && mark.coat) { mark = { ...mark, crosses: digit }; draw(); }
  };
  dialog.showModal();
  dialog.querySelector("h2").focus();
}
