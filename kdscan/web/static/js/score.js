// The total, how far it may still move, and how it comes about.

import { coatName, icon } from "./coats.js";
import { calm, h, s } from "./dom.js";
import { percent, t, tn } from "./i18n.js";

// A number that counts up (or down) to what it now is.
export function countTo(element, from, to) {
  if (calm() || from === to) { element.textContent = String(to); return; }
  const begin = performance.now(), takes = 900;
  const step = (now) => {
    const part = Math.min(1, (now - begin) / takes);
    element.textContent = String(Math.round(from + (to - from) * (1 - (1 - part) ** 3)));
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// Where in its first range the total lies now: the band shrinks with each answer.
function band([low, high], [first, last], total) {
  const span = Math.max(1, last - first), at = (n) => (100 * (n - first)) / span;
  return s("svg", { class: "band", viewBox: "-3 0 106 14", "aria-hidden": "true" },
    s("rect", { x: 0, y: 5, width: 100, height: 4, rx: 2, class: "band-all" }),
    s("rect", { x: at(low), y: 3, width: Math.max(2, at(high) - at(low)), height: 8, rx: 4, class: "band-now" }),
    s("circle", { cx: at(total), cy: 7, r: 4.5, class: "band-dot" }));
}

export function total(sheet, before, widest) {
  const { total: points } = sheet.score, [low, high] = sheet.range;
  const number = h("span", { class: "total-number" }, String(before ?? 0));
  countTo(number, before ?? 0, points);
  const sure = sheet.review
    ? h("p", { class: "verdict doubtful" }, low < high ? t("between {low} and {high}: please check", { low, high }) : t("please check"))
    : h("p", { class: "verdict certain" }, sheet.confirmed ? t("checked by a person") : t("{sure} sure", { sure: percent(sheet.confidence) }));
  return h("section", { class: "total", "aria-label": tn("{n} point", "{n} points", points) },
    h("p", { class: "total-line" }, number, h("span", { class: "total-unit" }, tn("point", "points", points))),
    low < high ? band([low, high], widest, points) : null, sure);
}

// A line for each domain that scores; `show(cells)` lights it up on the board.
export function explanation(sheet, show) {
  const scoring = sheet.domains.filter((d) => d.points).sort((a, b) => b.points - a.points);
  const idle = sheet.domains.length - scoring.length;
  const row = (domain) => h("tr", { tabindex: "0", onfocus: () => show(domain.cells), onblur: () => show([]),
    onpointerenter: () => show(domain.cells), onpointerleave: () => show([]) },
  h("th", { scope: "row" }, icon({ coat: domain.coat, crosses: 0 }), " ", coatName(domain.coat)),
  h("td", {}, String(domain.cells.length)), h("td", {}, "× " + domain.crosses), h("td", { class: "points" }, String(domain.points)));
  return h("section", { class: "sum card" }, h("h2", {}, t("How it adds up")),
    h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("Domain")), h("th", { scope: "col" }, t("Coats of arms")),
        h("th", { scope: "col" }, t("Crosses")), h("th", { scope: "col" }, t("Points")))),
      h("tbody", {}, scoring.map(row)),
      h("tfoot", {},
        idle > 0 && h("tr", {}, h("td", { colspan: "3" }, tn("{n} domain without a cross", "{n} domains without a cross", idle)), h("td", { class: "points" }, "0")),
        sheet.score.wizard > 0 && h("tr", {}, h("td", { colspan: "3" }, t("The wizard of the filled coat: 3 for each domain of {coat}", { coat: coatName(sheet.chosen_coat) })),
          h("td", { class: "points" }, String(sheet.score.wizard))),
        h("tr", { class: "grand" }, h("th", { scope: "row", colspan: "3" }, t("Total")), h("td", { class: "points" }, String(sheet.score.total))))));
}
