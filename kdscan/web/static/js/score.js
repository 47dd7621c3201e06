// The total, its remaining range, and how it is made up.

import { column, h, picture, reducedMotion, s, table } from "./dom.js";
import { percent, pointsText, t, tn } from "./i18n.js";
import { coatIcon, coatName, squareIcon, terrainName } from "./marks.js";

// A number that counts up (or down) to its new value.
function countTo(element, from, to) {
  const begin = performance.now();
  const takes = reducedMotion() || from === to ? 0 : 900; // milliseconds
  const step = (now) => {
    const part = takes ? Math.min(1, (now - begin) / takes) : 1;
    element.textContent = String(Math.round(from + (to - from) * (1 - (1 - part) ** 3)));
    if (part < 1) requestAnimationFrame(step);
  };
  step(begin);
}

// Where in its first range the total now lies: the band shrinks with each answer.
function band([low, high], [first, last], total) {
  const at = (n) => (100 * (n - first)) / Math.max(1, last - first);
  const now = { x: at(low), width: Math.max(2, at(high) - at(low)) };
  return picture("-3 0 106 14", "band", [
    s("rect x=0 y=5 width=100 height=4 rx=2"),
    s("rect.band-now y=3 height=8 rx=4", now),
    s("circle.band-dot cy=7 r=4.5", { cx: at(total) }),
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
  if (sheet.review) return h("p.verdict.doubtful", doubtText(sheet));
  const sure = () => t("{sure} sure", { sure: percent(sheet.confidence) });
  return h("p.verdict.certain", sheet.confirmed ? t("checked by a person") : sure());
}

// kind: "unsure" for a number that nobody should rely on.
export function total(sheet, before, widest, kind) {
  const { total: points } = sheet.score;
  const [low, high] = sheet.range;
  const number = h("span.total-number", String(before ?? 0));
  countTo(number, before ?? 0, points);
  return h("section.total", { class: kind, label: pointsText(points) }, [
    h("p.total-line", [number, h("span.total-unit", tn("point", "points", points))]),
    sheet.review && low < high && band([low, high], widest, points),
    verdict(sheet),
  ]);
}

// Shown for a sheet that has no score of its own.
export const heading = (sheet, name) =>
  h("section.total", h("h2.total-line", name), verdict(sheet));

const WORDS = {
  duel_map: {
    holds: (d) => [coatIcon(d.coat), coatName(d.coat)],
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
  const words = WORDS[sheet.kind];
  const { score } = sheet;
  const scoring = sheet.domains.filter((d) => d.points).sort((a, b) => b.points - a.points);
  const idle = sheet.domains.length - scoring.length;
  const row = (domain) => {
    const [lit, dark] = [() => show(domain.cells), () => show([])];
    const acts = { onfocus: lit, onblur: dark, onpointerenter: lit, onpointerleave: dark };
    return h("tr tabindex=0", acts, [
      h("th scope=row", h("span.holds", words.holds(domain))),
      h("td", domain.cells.length),
      h("td", "× ", words.times(domain)),
      h("td.points", domain.points),
    ]);
  };
  const line = (text, points) => h("tr", h("td colspan=3", text), h("td.points", points));
  const coat = coatName(sheet.chosen_coat);
  const extras = [
    [t("The wizard of the filled coat: 3 for each domain of {coat}", { coat }), score.wizard],
    [t("The castle lies in the middle"), score.middle_kingdom],
    [t("Harmony: the kingdom is complete"), score.harmony],
  ];
  const foot = [
    idle > 0 && line(words.idle(idle), 0),
    extras.map(([text, points]) => points > 0 && line(text, points)),
    h("tr.grand", h("th scope=row colspan=3", t("Total")), h("td.points", score.total)),
  ];
  const columns = [t("Domain"), words.of(), words.by(), t("Points")].map((one) => column(one));
  return h("section.sum.card", [
    h("h2", t("How it adds up")),
    table("table", columns, scoring.map(row), foot),
  ]);
}
