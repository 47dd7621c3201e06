// The photo with what was read drawn over it; pinch, wheel, keys and buttons zoom.

import { byCell } from "./board.js";
import { DOMAIN_COLORS, DOUBT, INK, PAPER, marks } from "./coats.js";
import { h, s } from "./dom.js";
import { centers, corners, pitch, quad, upright } from "./geometry.js";
import { t } from "./i18n.js";

const points = (list) => list.map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" ");

// One shield cut out of the photo, upright, as a picture of its own.
export function crop(page, sheet, row, col) {
  const lattice = corners(centers(sheet));
  return s("svg", { viewBox: "0 0 100 100", class: "crop", role: "img", "aria-label": t("This shield in the photo") },
    s("image", { href: page.view, width: page.width, height: page.height, preserveAspectRatio: "none",
      transform: `matrix(${upright(lattice, row, col, 100).join(" ")})` }));
}

function overlay(sheet, onCell) {
  const grid = centers(sheet), lattice = corners(grid), unit = pitch(grid);
  const cells = byCell(sheet);
  const group = s("g", { class: "overlay" });
  for (const domain of sheet.domains.filter((d) => d.color !== null)) {
    for (const [row, col] of domain.cells) {
      group.append(s("polygon", { points: points(quad(lattice, row, col)), class: "marker",
        fill: DOMAIN_COLORS[domain.color], "fill-opacity": 0.5 }));
    }
  }
  group.append(s("polyline", { points: points([...lattice[0], ...lattice.slice(1).map((r) => r[7]), ...lattice[5].slice(0, 7).reverse(),
    ...lattice.slice(1, 5).map((r) => r[0]).reverse(), lattice[0][0]]), fill: "none", stroke: PAPER, "stroke-width": 0.05 * unit }));
  for (const cell of cells.values()) group.append(badge(cell, lattice, unit, onCell));
  return group;
}

function badge(cell, lattice, unit, onCell) {
  const corner = quad(lattice, cell.row, cell.col);
  const [x, y] = cell.center;
  const group = s("g", { class: "badge", "data-cell": `${cell.row},${cell.col}` });
  group.append(s("polygon", { points: points(corner), fill: "transparent" }));
  if (cell.review) group.append(
    s("circle", { cx: x, cy: y, r: 0.44 * unit, fill: "none", stroke: "#fff", "stroke-width": 0.09 * unit }),
    s("circle", { cx: x, cy: y, r: 0.44 * unit, fill: "none", stroke: DOUBT, "stroke-width": 0.05 * unit }));
  if (cell.coat || cell.review) {
    const low = corner.reduce((best, p) => (p[0] + p[1] > best[0] + best[1] ? p : best));
    const size = (0.34 * unit) / 100, width = cell.crosses ? 100 : 74;
    group.append(s("g", { transform: `translate(${x + 0.62 * (low[0] - x)} ${y + 0.62 * (low[1] - y)}) scale(${size}) translate(${-width / 2} -52)` },
      s("rect", { x: -6, y: -4, width: width + 12, height: 110, rx: 16, fill: PAPER, "fill-opacity": 0.93, stroke: cell.review ? DOUBT : INK, "stroke-width": 5 }),
      marks(cell)));
  }
  if (onCell) group.addEventListener("click", () => onCell(cell.row, cell.col));
  return group;
}

// Returns the element; `sheets` are all that lie in this page.
export function photoView(page, sheets, onCell) {
  const svg = s("svg", { class: "photo", viewBox: `0 0 ${page.width} ${page.height}`, role: "img",
    "aria-label": t("The photo with what was read drawn over it") },
    s("image", { href: page.view, width: page.width, height: page.height, preserveAspectRatio: "none" }));
  for (const sheet of sheets) svg.append(overlay(sheet, onCell && ((row, col) => onCell(sheet, row, col))));
  const zoom = zoomable(svg, page);
  const press = (label, text, act) => h("button", { type: "button", class: "round", "aria-label": label, title: label, onclick: act }, text);
  const shown = h("button", { type: "button", class: "round", "aria-pressed": "true", "aria-label": t("What was read"), title: t("What was read"),
    onclick: () => {
      const on = svg.classList.toggle("bare");
      shown.setAttribute("aria-pressed", String(!on));
    } }, "◧");
  return h("div", { class: "photo-box" }, svg, h("div", { class: "zoom" },
    press(t("Closer"), "+", () => zoom.by(1.5)), press(t("Farther"), "−", () => zoom.by(1 / 1.5)),
    press(t("Whole photo"), "⤢", zoom.reset), shown));
}

// Zoom and pan by moving the viewBox: what is drawn stays sharp.
function zoomable(svg, page) {
  let view = { x: 0, y: 0, w: page.width };
  const ratio = page.height / page.width;
  const apply = () => {
    view.w = Math.min(Math.max(view.w, page.width / 16), page.width);
    view.x = Math.min(Math.max(view.x, 0), page.width - view.w);
    view.y = Math.min(Math.max(view.y, 0), page.height - view.w * ratio);
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.w * ratio}`);
    svg.classList.toggle("zoomed", view.w < page.width);
  };
  const unit = () => view.w / svg.clientWidth;
  const at = (x, y) => { const box = svg.getBoundingClientRect(); return [view.x + (x - box.left) * unit(), view.y + (y - box.top) * unit()]; };
  const about = (factor, px, py) => {
    const w = Math.min(Math.max(view.w / factor, page.width / 16), page.width);
    view.x = px - ((px - view.x) * w) / view.w;
    view.y = py - ((py - view.y) * w) / view.w;
    view.w = w;
    apply();
  };
  const fingers = new Map();
  const spread = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  let moved = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (fingers.size === 0) moved = 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const apart = fingers.size === 2 ? spread() : 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved += Math.hypot(event.clientX - before[0], event.clientY - before[1]);
    if (moved > 8 && !svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    const share = 1 / fingers.size;
    view.x -= (event.clientX - before[0]) * unit() * share;
    view.y -= (event.clientY - before[1]) * unit() * share;
    if (apart) {
      const [a, b] = [...fingers.values()];
      about(spread() / apart, ...at((a[0] + b[0]) / 2, (a[1] + b[1]) / 2));
    } else apply();
  });
  for (const kind of ["pointerup", "pointercancel"]) svg.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  svg.addEventListener("click", (event) => moved > 8 && event.stopPropagation(), true);
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && view.w >= page.width && event.deltaY > 0) return;
    event.preventDefault();
    about(Math.exp(-event.deltaY / 300), ...at(event.clientX, event.clientY));
  }, { passive: false });
  return {
    by: (factor) => about(factor, view.x + view.w / 2, view.y + (view.w * ratio) / 2),
    reset: () => { view = { x: 0, y: 0, w: page.width }; apply(); },
  };
}
