// A map as one SVG: tinted domains with borders, shields, sums, rings around doubts.

import { DOMAIN_COLORS, DOUBT, INK, castle, cellName, marks, marksName } from "./coats.js";
import { s } from "./dom.js";
import { t } from "./i18n.js";

export const ROWS = 5, COLS = 7, CASTLE = [2, 3];
const MARGIN = 34;

const key = (row, col) => `${row},${col}`;

export function byCell(sheet) {
  return new Map(sheet.cells.map((cell) => [key(cell.row, cell.col), cell]));
}

function domainOf(sheet) {
  const of = new Map();
  sheet.domains.forEach((domain, n) => domain.cells.forEach(([row, col]) => of.set(key(row, col), n)));
  return of;
}

export function cellLabel(cell, domain) {
  const parts = [cellName(cell.row, cell.col), marksName(cell)];
  if (domain?.points) parts.push(t("domain of {points} points", { points: domain.points }));
  if (cell.review) parts.push(t("please check"));
  return parts.join(", ");
}

// Options: onCell(row, col) makes cells buttons; doubts: draw rings; labels: letters and numbers.
export function drawBoard(sheet, { onCell = null, doubts = true, labels = true } = {}) {
  const cells = byCell(sheet), domains = domainOf(sheet);
  const left = labels ? MARGIN : 6, top = labels ? MARGIN : 14;
  const svg = s("svg", {
    class: "board", viewBox: `0 0 ${left + 100 * COLS + 6} ${top + 100 * ROWS + 6}`,
    role: onCell ? "group" : "img", "aria-label": t("The map as it was read"),
  });
  if (labels) svg.append(...axis(left, top));
  const grid = s("g", { transform: `translate(${left} ${top})` });
  grid.append(s("rect", { width: 700, height: 500, fill: "#efe0ba" }));
  const at = (row, col) => `translate(${100 * col} ${100 * row})`;
  const sides = [];
  for (let row = 0; row < ROWS; row++) for (let col = 0; col < COLS; col++) {
    const here = key(row, col), cell = cells.get(here), domain = sheet.domains[domains.get(here)];
    const group = s("g", { transform: at(row, col), class: "cell", "data-cell": here });
    group.append(s("rect", { width: 100, height: 100, class: "tint",
      fill: domain && domain.color !== null ? DOMAIN_COLORS[domain.color] : "#efe0ba", "fill-opacity": 0.62 }));
    if (!cell) group.append(castle(sheet.castle_bonus_used));
    else {
      group.append(s("g", { transform: "translate(2 7) scale(.92)" }, marks(cell)));
      if (doubts && cell.review) group.append(...doubtRing());
      if (onCell) button(group, cell, domain, onCell);
    }
    grid.append(group);
    sides.push(...borders(row, col, domains));
  }
  grid.append(s("path", { d: thin(), stroke: INK, "stroke-opacity": 0.18, "stroke-width": 1.5, "pointer-events": "none" }));
  grid.append(s("path", { d: sides.join(""), stroke: INK, "stroke-width": 5, "stroke-linecap": "round", "pointer-events": "none" }));
  grid.append(s("rect", { width: 700, height: 500, fill: "none", stroke: INK, "stroke-width": 7, rx: 4, "pointer-events": "none" }));
  grid.append(...sheet.domains.filter((d) => d.points).map(sum));
  svg.append(grid);
  if (onCell) walk(svg);
  return svg;
}

function axis(left, top) {
  const text = (x, y, what) => s("text", { x, y, "font-size": 24, "text-anchor": "middle", class: "axis", fill: "currentColor", "aria-hidden": "true" }, what);
  return [
    ...Array.from({ length: COLS }, (_, c) => text(left + 100 * c + 50, top - 9, "ABCDEFG"[c])),
    ...Array.from({ length: ROWS }, (_, r) => text(left - 18, top + 100 * r + 58, String(r + 1))),
  ];
}

const thin = () =>
  Array.from({ length: COLS - 1 }, (_, c) => `M${100 * (c + 1)} 0V500`).join("") +
  Array.from({ length: ROWS - 1 }, (_, r) => `M0 ${100 * (r + 1)}H700`).join("");

// Strokes on the right and lower side of a cell where another domain begins.
function borders(row, col, domains) {
  const mine = domains.get(key(row, col));
  const out = [];
  const differs = (r, c) => r < ROWS && c < COLS && domains.get(key(r, c)) !== mine;
  if (differs(row, col + 1)) out.push(`M${100 * (col + 1)} ${100 * row}v100`);
  if (differs(row + 1, col)) out.push(`M${100 * col} ${100 * (row + 1)}h100`);
  return out;
}

const doubtRing = () => [
  s("rect", { x: 5, y: 5, width: 90, height: 90, rx: 14, fill: "none", stroke: "#fff", "stroke-width": 9 }),
  s("rect", { x: 5, y: 5, width: 90, height: 90, rx: 14, fill: "none", stroke: DOUBT, "stroke-width": 5, "stroke-dasharray": "11 6" }),
  s("circle", { cx: 84, cy: 16, r: 15, fill: DOUBT }),
  s("text", { x: 84, y: 24, "font-size": 24, "font-weight": 700, "text-anchor": "middle", fill: "#fff" }, "?"),
];

function sum(domain) {
  const [row, col] = domain.cells[0];
  const text = `${domain.cells.length}×${domain.crosses}=${domain.points}`;
  const width = 12 + 12 * text.length;
  return s("g", { transform: `translate(${100 * col - 3} ${100 * row - 12})`, "pointer-events": "none", "aria-hidden": "true" },
    s("rect", { width, height: 24, rx: 6, fill: "#fffaf0", stroke: INK, "stroke-width": 2 }),
    s("text", { x: width / 2, y: 18.5, "font-size": 19, "font-weight": 700, "text-anchor": "middle", fill: INK, textLength: width - 10, lengthAdjust: "spacingAndGlyphs" }, text));
}

function button(group, cell, domain, onCell) {
  group.setAttribute("role", "button");
  group.setAttribute("tabindex", "-1");
  group.setAttribute("aria-label", cellLabel(cell, domain));
  group.append(s("rect", { x: 4, y: 4, width: 92, height: 92, rx: 8, class: "focus", fill: "none" }));
  const act = () => onCell(cell.row, cell.col);
  group.addEventListener("click", act);
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
  });
}

// One stop for the Tab key; arrows walk from shield to shield, over the castle.
function walk(svg) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const at = (row, col) => svg.querySelector(`[data-cell="${row},${col}"][role=button]`);
  const first = svg.querySelector("[role=button]");
  first?.setAttribute("tabindex", "0");
  svg.addEventListener("focusin", (event) => {
    const cell = event.target.closest("[role=button]");
    svg.querySelectorAll('[role=button][tabindex="0"]').forEach((other) => other.setAttribute("tabindex", "-1"));
    cell?.setAttribute("tabindex", "0");
  });
  svg.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    let [row, col] = event.target.dataset.cell.split(",").map(Number);
    do { row += step[0]; col += step[1]; } while (row === CASTLE[0] && col === CASTLE[1]);
    const next = at(row, col);
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  });
}

export const focusCell = (root, row, col) => root.querySelector(`[data-cell="${row},${col}"]`)?.focus();

export function highlight(root, cells) {
  const wanted = new Set(cells.map(([row, col]) => key(row, col)));
  root.querySelectorAll(".cell").forEach((cell) => cell.classList.toggle("dim", wanted.size > 0 && !wanted.has(cell.dataset.cell)));
}
