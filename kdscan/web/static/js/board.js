// A sheet as one SVG: its parts (see parts.js) with rings around doubts, domains and their points.

import { s } from "./dom.js";
import { pointsText, t } from "./i18n.js";
import { DOUBT, INK } from "./marks.js";

export const cellName = (row, col) => `${"ABCDEFG"[col]}${row + 1}`;
export const upTo = (n) => [...Array(n).keys()];

// under, over: what is drawn around the parts. onPart(id) makes them buttons; doubts: rings.
export function drawBoard({ viewBox, title, parts, under, over }, { onPart, doubts = true }) {
  const role = onPart ? "group" : "img";
  const svg = s("svg.board", { viewBox: viewBox.join(" "), role, label: title }, [
    under,
    parts.map((part) => placed(part, onPart, doubts)),
    over,
  ]);
  if (onPart) walk(svg);
  return svg;
}

function placed(part, onPart, doubts) {
  const { id, at, from, size, review } = part;
  const more = { "data-cell": id, "data-at": at.join() };
  const group = s("g.cell", { transform: `translate(${from.join(" ")})`, ...more }, [
    part.face(),
    doubts && review && doubtRing(...size),
  ]);
  if (!onPart || !part.name) return group;
  const label = [part.name, part.words(part.read), part.more?.(), review && t("please check")];
  pressable(group, label.filter(Boolean).join(", "), () => onPart(id), size);
  return group;
}

function doubtRing(wide, high) {
  const size = { width: wide - 2, height: high - 2 };
  const ring = (more) => s("rect fill=none x=5 y=5 rx=14", { ...size, ...more });
  const x = wide - 8;
  return [
    ring({ stroke: "#fff", "stroke-width": 9 }),
    ring({ stroke: DOUBT, "stroke-width": 5, "stroke-dasharray": "11 6" }),
    s("circle cy=16 r=15", { cx: x, fill: DOUBT }),
    s("text y=24 font-size=24 font-weight=700 text-anchor=middle fill=#fff", { x }, "?"),
  ];
}

// Makes a group of this size a button with a ring for the focus.
function pressable(group, label, act, [width, height]) {
  const given = { role: "button", tabindex: "-1", "aria-label": label };
  for (const [name, value] of Object.entries(given)) group.setAttribute(name, value);
  group.append(s("rect.focus x=4 y=4 rx=8 fill=none pointer-events=all", { width, height }));
  group.addEventListener("click", act);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

export const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

// A single stop for the Tab key; arrow keys move from button to button, skipping other cells.
function walk(svg) {
  const at = (row, col) => svg.querySelector(`[data-at="${row},${col}"][role=button]`);
  const buttons = [...svg.querySelectorAll("[role=button]")];
  const stop = (wanted) =>
    buttons.forEach((one) => one.setAttribute("tabindex", one === wanted ? "0" : "-1"));
  stop(buttons[0]);
  // Each has a listener: in Chromium an SVG that listens for the focus is a tab stop itself.
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
  const wanted = new Set(cells.map(String));
  for (const cell of root.querySelectorAll(".cell"))
    cell.classList.toggle("dim", wanted.size > 0 && !wanted.has(cell.dataset.cell));
}

// A map or kingdom of this size. count: the multiplier of its domains; labels: letters and numbers.
export function drawGrid(sheet, { size, count, ...board }, { labels = true, ...options }) {
  const [height, width] = size.map((n) => 100 * n);
  const [left, top] = labels ? [34, 34] : [6, 14];
  const viewBox = [-left, -top, left + width + 6, top + height + 6];
  const scoring = sheet.domains.filter((domain) => domain.points);
  const under = [labels && axis(size), s("rect fill=#efe0ba", { width, height })];
  const over = [strokes(size, sheet.domains), scoring.map((domain) => sum(domain, domain[count]))];
  return drawBoard({ ...board, viewBox, under, over }, options);
}

export const ofDomain = (domain) =>
  domain?.points && `${t("Domain")}: ${pointsText(domain.points)}`;

// Which domain each cell belongs to, by "row,column".
export const domainsByCell = (domains) =>
  new Map(domains.flatMap((domain) => domain.cells.map((at) => [String(at), domain])));

// Thin lines between all cells, bold ones where a domain ends, and the frame.
function strokes([rows, cols], domains) {
  const still = { "pointer-events": "none", fill: "none", stroke: INK };
  const [width, height] = [100 * cols, 100 * rows];
  const columns = upTo(cols).map((col) => `M${100 * col} 0V${height}`);
  const thin = [...columns, ...upTo(rows).map((row) => `M0 ${100 * row}H${width}`)];
  const domainAt = domainsByCell(domains);
  const ends = (row, col, before) => domainAt.get(`${row},${col}`) !== domainAt.get(before);
  const bold = upTo(rows).flatMap((row) =>
    upTo(cols).map((col) => {
      const start = `M${100 * col} ${100 * row}`;
      const left = col > 0 && ends(row, col, `${row},${col - 1}`);
      const above = row > 0 && ends(row, col, `${row - 1},${col}`);
      return (left ? `${start}v100` : "") + (above ? `${start}h100` : "");
    }),
  );
  return [
    s("path stroke-opacity=0.18 stroke-width=1.5", { d: thin.join(""), ...still }),
    s("path stroke-width=5 stroke-linecap=round", { d: bold.join(""), ...still }),
    s("rect stroke-width=7 rx=4", { width, height, ...still }),
  ];
}

function axis([rows, cols]) {
  const kind = "text.axis font-size=22 text-anchor=middle fill=currentColor aria-hidden=true";
  const text = (x, y, what) => s(kind, { x, y }, what);
  return [
    upTo(cols).map((col) => text(100 * col + 50, -16, "ABCDEFG"[col])),
    upTo(rows).map((row) => text(-18, 100 * row + 58, String(row + 1))),
  ];
}

function sum({ cells, points }, factor) {
  const [row, col] = cells[0];
  const text = `${cells.length}×${factor}=${points}`;
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
