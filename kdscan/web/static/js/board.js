// A map or kingdom as one SVG: its cells, borders of domains, points, rings around doubts.

import { s } from "./dom.js";
import { pointsText, t } from "./i18n.js";
import { DOUBT, INK } from "./marks.js";

const key = (row, col) => `${row},${col}`;

export const cellName = (row, col) => `${"ABCDEFG"[col]}${row + 1}`;

const upTo = (n) => [...Array(n).keys()];

// size: rows and columns; face(cell, domain): the content of a cell, undefined if none was read;
// name(cell): its description; count(domain): the multiplier of its shields or squares. Options:
// onCell(row, col) makes cells buttons; doubts: draw rings; labels: letters and numbers.
export function drawGrid(
  sheet,
  { size: [rows, cols], face, name, count, title },
  { onCell = null, doubts = true, labels = true } = {},
) {
  const [left, top] = labels ? [34, 34] : [6, 14];
  const [width, height] = [100 * cols, 100 * rows];
  const cells = new Map(sheet.cells.map((cell) => [key(cell.row, cell.col), cell]));
  const domains = new Map(
    sheet.domains.flatMap((domain) => domain.cells.map((at) => [key(...at), domain])),
  );
  const place = (row, col) => {
    const [cell, domain] = [cells, domains].map((of) => of.get(key(row, col)));
    const group = placed(
      key(row, col),
      key(row, col),
      [100 * col, 100 * row],
      [face(cell, domain), cell && doubts && cell.review && doubtRing()],
    );
    if (cell && onCell)
      pressable(group, label(cell, name(cell), domain), () => onCell(row, col), [92, 92]);
    return group;
  };
  const scoring = sheet.domains.filter((domain) => domain.points);
  const svg = s(
    "svg class=board",
    {
      viewBox: `0 0 ${left + width + 6} ${top + height + 6}`,
      role: onCell ? "group" : "img",
      "aria-label": title,
    },
    labels && axis(left, top, rows, cols),
    s("g", { transform: `translate(${left} ${top})` }, [
      s("rect fill=#efe0ba", { width, height }),
      upTo(rows).map((row) => upTo(cols).map((col) => place(row, col))),
      strokes(rows, cols, domains),
      scoring.map((domain) => sum(domain, count(domain))),
    ]),
  );
  if (onCell) walk(svg);
  return svg;
}

// A place of a board. id: its part of the sheet; at: its row and column for the arrow keys.
export const placed = (id, at, from, inside) =>
  s(
    "g class=cell",
    {
      transform: `translate(${from.join(" ")})`,
      "data-cell": id,
      "data-at": at,
    },
    inside,
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

// Thin lines between all cells, bold ones where a domain ends, and the frame.
function strokes(rows, cols, domains) {
  const still = { "pointer-events": "none", fill: "none", stroke: INK };
  const [width, height] = [100 * cols, 100 * rows];
  const thin = [
    upTo(cols).map((col) => `M${100 * col} 0V${height}`),
    upTo(rows).map((row) => `M0 ${100 * row}H${width}`),
  ];
  const ends = (a, b) => domains.get(a) !== domains.get(b);
  const bold = upTo(rows).flatMap((row) =>
    upTo(cols).map((col) => [
      col > 0 && ends(key(row, col - 1), key(row, col)) && `M${100 * col} ${100 * row}v100`,
      row > 0 && ends(key(row - 1, col), key(row, col)) && `M${100 * col} ${100 * row}h100`,
    ]),
  );
  const d = (parts) => parts.flat(2).filter(Boolean).join("");
  return [
    s("path stroke-opacity=0.18 stroke-width=1.5", { d: d(thin), ...still }),
    s("path stroke-width=5 stroke-linecap=round", { d: d(bold), ...still }),
    s("rect stroke-width=7 rx=4", { width, height, ...still }),
  ];
}

function axis(left, top, rows, cols) {
  const text = (x, y, what) =>
    s(
      "text font-size=22 text-anchor=middle class=axis fill=currentColor aria-hidden=true",
      { x, y },
      what,
    );
  return [
    upTo(cols).map((col) => text(left + 100 * col + 50, top - 16, "ABCDEFG"[col])),
    upTo(rows).map((row) => text(left - 18, top + 100 * row + 58, String(row + 1))),
  ];
}

export function doubtRing(width = 90, height = 90) {
  const ring = (more) => s("rect fill=none x=5 y=5 rx=14", { width, height, ...more });
  const x = width - 6;
  return [
    ring({ stroke: "#fff", "stroke-width": 9 }),
    ring({ stroke: DOUBT, "stroke-width": 5, "stroke-dasharray": "11 6" }),
    s("circle cy=16 r=15", { cx: x, fill: DOUBT }),
    s("text y=24 font-size=24 font-weight=700 text-anchor=middle fill=#fff", { x }, "?"),
  ];
}

function sum(domain, factor) {
  const [row, col] = domain.cells[0];
  const text = `${domain.cells.length}×${factor}=${domain.points}`;
  const width = 12 + 12 * text.length;
  const transform = `translate(${100 * col - 3} ${100 * row - 12})`;
  return s("g pointer-events=none aria-hidden=true", { transform }, [
    s("rect height=24 rx=6 fill=#fffaf0 stroke-width=2", { width, stroke: INK }),
    s(
      "text y=18.5 font-size=19 font-weight=700 text-anchor=middle lengthAdjust=spacingAndGlyphs",
      { x: width / 2, fill: INK, textLength: width - 10 },
      text,
    ),
  ]);
}

// Makes a group of this size a button with a ring for the focus.
export function pressable(group, label, act, [width, height]) {
  const given = { role: "button", tabindex: "-1", "aria-label": label };
  for (const [name, value] of Object.entries(given)) group.setAttribute(name, value);
  group.append(s("rect x=4 y=4 rx=8 class=focus fill=none pointer-events=all", { width, height }));
  group.addEventListener("click", act);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// A single stop for the Tab key; arrow keys move from button to button, skipping other cells.
export function walk(svg) {
  const at = (row, col) => svg.querySelector(`[data-at="${row},${col}"][role=button]`),
    buttons = [...svg.querySelectorAll("[role=button]")];
  const stop = (wanted) =>
    buttons.forEach((one) => one.setAttribute("tabindex", one === wanted ? "0" : "-1"));
  stop(buttons[0]);
  // Each has its own listener: in Chromium an SVG that listens for the focus becomes a tab stop
  // itself.
  buttons.forEach((one) => one.addEventListener("focus", () => stop(one)));
  svg.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
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
  const wanted = new Set(cells.map((at) => key(...at)));
  for (const cell of root.querySelectorAll(".cell"))
    cell.classList.toggle("dim", wanted.size > 0 && !wanted.has(cell.dataset.cell));
}
