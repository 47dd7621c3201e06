// The total, its remaining range, and how it is made up.

import { coatName, icon } from "./coats.js";
import { h, reducedMotion, s } from "./dom.js";
import { percent, pointsText, t, tn } from "./i18n.js";
import { squareIcon, terrainName } from "./terrains.js";

// A number that counts up (or down) to its new value.
function countTo(element, from, to) {
  if (reducedMotion() || from === to) {
    element.textContent = String(to);
    return;
  }
  const begin = performance.now(),
    takes = 900;
  const step = (now) => {
    const part = Math.min(1, (now - begin) / takes);
    element.textContent = String(Math.round(from + (to - from) * (1 - (1 - part) ** 3)));
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// Where in its first range the total now lies: the band shrinks with each answer.
function band([low, high], [first, last], total) {
  const span = Math.max(1, last - first),
    at = (n) => (100 * (n - first)) / span;
  return s("svg", { class: "band", viewBox: "-3 0 106 14", "aria-hidden": "true" }, [
    s("rect", { x: 0, y: 5, width: 100, height: 4, rx: 2, class: "band-all" }),
    s("rect y=3 height=8 rx=4 class=band-now", {
      x: at(low),
      width: Math.max(2, at(high) - at(low)),
    }),
    s("circle", { cx: at(total), cy: 7, r: 4.5, class: "band-dot" }),
  ]);
}

export function doubtText({ range }) {
  const [low, high] = range ?? [0, 0];
  return low < high
    ? t("between {low} and {high}: please check", { low, high })
    : t("please check");
}

// How far to trust a sheet.
function verdict(sheet) {
  if (!sheet.review)
    return h(
      "p.verdict.certain",
      sheet.confirmed
        ? t("checked by a person")
        : t("{sure} sure", { sure: percent(sheet.confidence) }),
    );
  return h("p.verdict.doubtful", doubtText(sheet));
}

// kind: "unsure" for a number that nobody should rely on.
export function total(sheet, before, widest, kind) {
  const { total: points } = sheet.score,
    [low, high] = sheet.range;
  const number = h("span.total-number", String(before ?? 0));
  countTo(number, before ?? 0, points);
  return h("section.total", { class: kind, "aria-label": pointsText(points) }, [
    h("p.total-line", [number, h("span.total-unit", tn("point", "points", points))]),
    sheet.review && low < high ? band([low, high], widest, points) : null,
    verdict(sheet),
  ]);
}

// Shown for a sheet that has no score of its own.
export const heading = (sheet, name) =>
  h("section.total", h("h2.total-line", name), verdict(sheet));

const WORDS = {
  duel_map: {
    holds: (d) => [icon({ coat: d.coat, crosses: 0 }), coatName(d.coat)],
    times: (d) => d.crosses,
    of: () => t("Coats of arms"),
    by: () => t("Crosses"),
    idle: (n) => tn("{n} domain without a cross", "{n} domains without a cross", n),
  },
  kingdom: {
    holds: (d) => [squareIcon({ terrain: d.terrain, crowns: 0 }), terrainName(d.terrain)],
    times: (d) => d.crowns,
    of: () => t("Squares"),
    by: () => t("Crowns"),
    idle: (n) => tn("{n} domain without a crown", "{n} domains without a crown", n),
  },
};

// A line for each domain that scores; `show(cells)` lights it up on the board.
export function explanation(sheet, show) {
  const words = WORDS[sheet.kind],
    { score } = sheet;
  const scoring = sheet.domains.filter((d) => d.points).sort((a, b) => b.points - a.points);
  const idle = sheet.domains.length - scoring.length;
  const row = (domain) =>
    h(
      "tr tabindex=0",
      {
        onfocus: () => show(domain.cells),
        onblur: () => show([]),
        onpointerenter: () => show(domain.cells),
        onpointerleave: () => show([]),
      },

      h("th", { scope: "row" }, h("span.holds", words.holds(domain))),
      h("td", String(domain.cells.length)),
      h("td", "× " + words.times(domain)),
      h("td.points", String(domain.points)),
    );
  const line = (text, points) =>
    h("tr", h("td", { colspan: "3" }, text), h("td.points", String(points)));
  const extra = (text, points) => points > 0 && line(text, points);
  return h("section.sum.card", [
    h("h2", t("How it adds up")),
    h("table", [
      h("thead", [
        h("tr", [
          h("th", { scope: "col" }, t("Domain")),
          h("th", { scope: "col" }, words.of()),
          h("th", { scope: "col" }, words.by()),
          h("th", { scope: "col" }, t("Points")),
        ]),
      ]),
      h("tbody", scoring.map(row)),
      h("tfoot", [
        idle > 0 && line(words.idle(idle), 0),
        extra(
          t("The wizard of the filled coat: 3 for each domain of {coat}", {
            coat: coatName(sheet.chosen_coat),
          }),
          score.wizard,
        ),
        extra(t("The castle lies in the middle"), score.middle_kingdom),
        extra(t("Harmony: the kingdom is complete"), score.harmony),
        h("tr.grand", [
          h("th", { scope: "row", colspan: "3" }, t("Total")),
          h("td.points", String(score.total)),
        ]),
      ]),
    ]),
  ]);
}
