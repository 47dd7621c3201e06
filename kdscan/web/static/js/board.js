// A map or kingdom as one SVG: its cells, borders of domains, points, rings around doubts.

import { DOUBT, INK } from "./coats.js";
import { s } from "./dom.js";
import { pointsText, t } from "./i18n.js";

const MARGIN = 34;

const key = (row, col) => `${row},${col}`;

export const cellName = (row, col) => `${"ABCDEFG"[col]}${row + 1}`;

// The number of the domain that each cell belongs to, by its key.
function domainOf(sheet) {
  const of = new Map();
  sheet.domains.forEach((domain, n) =>
    domain.cells.forEach(([row, col]) => of.set(key(row, col), n)),
  );
  return of;
}

// size: rows and columns; face(cell, domain): the content of a cell, undefined if none was read;
// name(cell): its description; count(domain): the multiplier of its shields or squares. Options:
// onCell(row, col) makes cells buttons; doubts: draw rings; labels: letters and numbers.
export function drawGrid(
  sheet,
  { size: [rows, cols], face, name, count, title },
  { onCell = null, doubts = true, labels = true } = {},
) {
  const left = labels ? MARGIN : 6;
  const top = labels ? MARGIN : 14;
  const wide = 100 * cols;
  const high = 100 * rows;
  const svg = s("svg class=board", {
    viewBox: `0 0 ${left + wide + 6} ${top + high + 6}`,
    role: onCell ? "group" : "img",
    "aria-label": title,
  });
  if (labels) svg.append(...axis(left, top, rows, cols));
  const grid = s("g", { transform: `translate(${left} ${top})` });
  grid.append(s("rect", { width: wide, height: high, fill: "#efe0ba" }));
  const cells = new Map(sheet.cells.map((cell) => [key(cell.row, cell.col), cell]));
  const domains = domainOf(sheet);
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) {
      const cell = cells.get(key(row, col));
      const domain = sheet.domains[domains.get(key(row, col))];
      const group = cellGroup(row, col, face(cell, domain));
      if (cell && doubts && cell.review) group.append(...doubtRing());
      if (cell && onCell)
        pressable(group, label(cell, name(cell), domain), () => onCell(row, col), [92, 92]);
      grid.append(group);
    }
  const scoring = sheet.domains.filter((domain) => domain.points);
  grid.append(
    ...strokes(rows, cols, domains),
    ...scoring.map((domain) => sum(domain, count(domain))),
  );
  svg.append(grid);
  if (onCell) walk(svg);
  return svg;
}

const cellGroup = (row, col, face) =>
  s(
    "g class=cell",
    {
      transform: `translate(${100 * col} ${100 * row})`,
      "data-cell": key(row, col),
      "data-at": key(row, col),
    },
    face,
  );

// A cell in words, for screen readers.
const label = ({ row, col, review }, name, domain) =>
  [
    cellName(row, col),
    name,
    domain?.points && `${t("Domain")}: ${pointsText(domain.points)}`,
    review && t("please check"),
  ]
    .filter(Boolean)
    .join(", ");

// Thin lines between all cells, bold ones around domains, and the frame.
function strokes(rows, cols, domains) {
  const still = { "pointer-events": "none", fill: "none", stroke: INK };
  const bold = { "stroke-width": 5, "stroke-linecap": "round", ...still };
  const frame = { width: 100 * cols, height: 100 * rows, "stroke-width": 7, rx: 4, ...still };
  return [
    s("path", { d: thin(rows, cols), "stroke-opacity": 0.18, "stroke-width": 1.5, ...still }),
    s("path", { d: borders(rows, cols, domains), ...bold }),
    s("rect", frame),
  ];
}

// The sides on which a domain ends: to the right of and below each cell where another one begins, or
// none.
function borders(rows, cols, domains) {
  const differ = (a, b) => domains.get(a) !== domains.get(b);
  const sides = [];
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) {
      const here = key(row, col);
      if (col + 1 < cols && differ(here, key(row, col + 1)))
        sides.push(`M${100 * (col + 1)} ${100 * row}v100`);
      if (row + 1 < rows && differ(here, key(row + 1, col)))
        sides.push(`M${100 * col} ${100 * (row + 1)}h100`);
    }
  return sides.join("");
}

function axis(left, top, rows, cols) {
  const text = (x, y, what) =>
    s(
      "text font-size=22 text-anchor=middle class=axis fill=currentColor aria-hidden=true",
      { x, y },
      what,
    );
  return [
    ...Array.from({ length: cols }, (_, c) => text(left + 100 * c + 50, top - 16, "ABCDEFG"[c])),
    ...Array.from({ length: rows }, (_, r) => text(left - 18, top + 100 * r + 58, String(r + 1))),
  ];
}

const thin = (rows, cols) =>
  Array.from({ length: cols - 1 }, (_, c) => `M${100 * (c + 1)} 0V${100 * rows}`).join("") +
  Array.from({ length: rows - 1 }, (_, r) => `M0 ${100 * (r + 1)}H${100 * cols}`).join("");

export function doubtRing(wide = 90, high = 90) {
  const ring = { x: 5, y: 5, width: wide, height: high, rx: 14, fill: "none" };
  const mark = {
    x: wide - 6,
    y: 24,
    "font-size": 24,
    "font-weight": 700,
    "text-anchor": "middle",
    fill: "#fff",
  };
  return [
    s("rect", { ...ring, stroke: "#fff", "stroke-width": 9 }),
    s("rect", { ...ring, stroke: DOUBT, "stroke-width": 5, "stroke-dasharray": "11 6" }),
    s("circle", { cx: wide - 6, cy: 16, r: 15, fill: DOUBT }),
    s("text", mark, "?"),
  ];
}

function sum(domain, factor) {
  const [row, col] = domain.cells[0];
  const text = `${domain.cells.length}×${factor}=${domain.points}`;
  const width = 12 + 12 * text.length;
  return s(
    "g pointer-events=none aria-hidden=true",
    { transform: `translate(${100 * col - 3} ${100 * row - 12})` },

    s("rect", { width, height: 24, rx: 6, fill: "#fffaf0", stroke: INK, "stroke-width": 2 }),
    s(
      "text y=18.5 font-size=19 font-weight=700 text-anchor=middle lengthAdjust=spacingAndGlyphs",
      { x: width / 2, fill: INK, textLength: width - 10 },
      text,
    ),
  );
}

// Makes a group of this size a button with a ring for the focus.
export function pressable(group, label, act, [wide, high]) {
  group.setAttribute("role", "button");
  group.setAttribute("tabindex", "-1");
  group.setAttribute("aria-label", label);
  group.append(
    s("rect x=4 y=4 rx=8 class=focus fill=none pointer-events=all", { width: wide, height: high }),
  );
  group.addEventListener("click", act);
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act();
    }
  });
}

// A single stop for the Tab key; arrow keys move from button to button, skipping other cells.
export function walk(svg) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const at = (row, col) => svg.querySelector(`[data-at="${row},${col}"][role=button]`),
    buttons = [...svg.querySelectorAll("[role=button]")];
  const stop = (wanted) =>
    buttons.forEach((one) => one.setAttribute("tabindex", one === wanted ? "0" : "-1"));
  stop(buttons[0]);
  // Each has its own listener: in Chromium an SVG that listens for the focus becomes a tab stop
  // itself.
  buttons.forEach((one) => one.addEventListener("focus", () => stop(one)));
  svg.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    const [row, col] = event.target.dataset.at.split(",").map(Number);
    const next = at(row + step[0], col + step[1]) ?? at(row + 2 * step[0], col + 2 * step[1]);
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  });
}

export const focusPart = (root, part) =>
  root.querySelector(`[data-cell="${part}"][role=button]`)?.focus();

export function highlight(root, cells) {
  const wanted = new Set(cells.map(([row, col]) => key(row, col)));
  root
    .querySelectorAll(".cell")
    .forEach((cell) =>
      cell.classList.toggle("dim", wanted.size > 0 && !wanted.has(cell.dataset.cell)),
    );
}
