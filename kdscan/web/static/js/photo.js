// The photo with the reading over it, zoomed by pinch, wheel and buttons; dragged corners.

import { explain, failure } from "./api.js";
import { STEPS, upTo } from "./board.js";
import { button, h, round, s, toast } from "./dom.js";
import { quarters } from "./grid.js";
import { t } from "./i18n.js";
import { kindOf } from "./kinds.js";
import { send, uploadList } from "./sending.js";
import { flattened, toQuad } from "./share.js";

// A photo turned by quarter turns: its size, the matrix, the new place of a point, and back.
function turned({ width, height }, turns) {
  const [cos, sin] = [[1, 0, -1, 0][turns], [0, 1, 0, -1][turns]];
  const [right, down] = [[0, height, width, 0][turns], [0, 0, height, width][turns]];
  return {
    size: turns % 2 ? { width: height, height: width } : { width, height },
    transform: `matrix(${cos} ${sin} ${-sin} ${cos} ${right} ${down})`,
    point: ([x, y]) => [cos * x - sin * y + right, sin * x + cos * y + down],
    back: ([x, y]) => [cos * (x - right) + sin * (y - down), cos * (y - down) - sin * (x - right)],
  };
}

// sheets: all of this page; onPart(sheet, part): a tap; about: the one shown first, upright.
export function photoView(page, sheets, onPart, about) {
  const turns = quarters(about?.outline);
  const { size, transform, point } = turned(page, turns);
  const svg = s("svg class=photo role=img", {
    label: t("The photo with what was read drawn over it"),
  });
  const failed = () => box.prepend(h("p.error-text", t("The photo cannot be shown right now.")));
  const overlays = sheets.map((sheet) =>
    kindOf(sheet).overlay(sheet, onPart && ((part) => onPart(sheet, part)), turns),
  );
  svg.append(s("g", { transform }, imageOf(page.view, page, failed), overlays));
  const zoom = zoomable(svg, size);
  if (about?.outline.length) zoom.show(about.outline.map(point));
  const toggle = () => shown.setAttribute("aria-pressed", String(!svg.classList.toggle("bare")));
  const shown = round("layers", t("What was read"), toggle, { "aria-pressed": "true" });
  const zooms = [
    round("plus", t("Zoom in"), () => zoom.by(1.5)),
    round("minus", t("Zoom out"), () => zoom.by(1 / 1.5)),
    round("whole", t("Whole photo"), zoom.reset),
  ];
  const box = h("div.photo-box", svg, h("div.zoom.row", zooms, shown));
  return box;
}

const imageOf = (href, { width, height }, onerror) =>
  s("image preserveAspectRatio=none", { href, width, height, onerror });

const limited = (value, least, most) => Math.max(least, Math.min(most, value));

// From the screen to a drawing, which need not fill its box.
const onto = (svg, x, y) => new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());

// Zoom and pan by changing the viewBox, so that drawings stay sharp.
function zoomable(svg, { width, height }) {
  const ratio = height / width;
  let view;
  const apply = (x, y, w) => {
    const wide = limited(w, width / 16, width);
    view = { x: limited(x, 0, width - wide), y: limited(y, 0, height - wide * ratio), w: wide };
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${wide} ${wide * ratio}`);
    svg.classList.toggle("zoomed", wide < width);
  };
  const reset = () => apply(0, 0, width);
  // Larger by a factor, about a point that stays in its place.
  const about = (factor, { x, y }) => {
    const w = limited(view.w / factor, width / 16, width);
    apply(x - ((x - view.x) * w) / view.w, y - ((y - view.y) * w) / view.w, w);
  };
  reset();
  const fingers = new Map();
  const middle = () => {
    const [a, b] = [...fingers.values()];
    return [Math.hypot(a.x - b.x, a.y - b.y), (a.x + b.x) / 2, (a.y + b.y) / 2];
  };
  let moved = 0;
  const down = ({ pointerId, clientX: x, clientY: y }) => {
    if (fingers.size === 0) moved = 0;
    fingers.set(pointerId, { x, y });
  };
  const move = ({ pointerId, clientX: x, clientY: y }) => {
    const before = fingers.get(pointerId);
    if (!before) return;
    const [apart] = fingers.size === 2 ? middle() : [0];
    fingers.set(pointerId, { x, y });
    moved += Math.hypot(x - before.x, y - before.y);
    if (moved > 8 && !svg.hasPointerCapture(pointerId)) svg.setPointerCapture(pointerId);
    const [from, to] = [onto(svg, before.x, before.y), onto(svg, x, y)];
    const share = 1 / fingers.size;
    apply(view.x - (to.x - from.x) * share, view.y - (to.y - from.y) * share, view.w);
    if (!apart) return;
    const [now, ...at] = middle();
    about(now / apart, onto(svg, ...at));
  };
  const wheel = (event) => {
    if (!event.ctrlKey && view.w >= width && event.deltaY > 0) return;
    event.preventDefault();
    about(Math.exp(-event.deltaY / 300), onto(svg, event.clientX, event.clientY));
  };
  svg.addEventListener("pointerdown", down);
  svg.addEventListener("pointermove", move);
  for (const kind of ["pointerup", "pointercancel", "pointerleave"])
    svg.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  svg.addEventListener("click", (event) => moved > 8 && event.stopPropagation(), true);
  svg.addEventListener("wheel", wheel, { passive: false });
  return {
    reset,
    by: (factor) => about(factor, { x: view.x + view.w / 2, y: view.y + (view.w * ratio) / 2 }),
    // As large as these points and some paper around them allow.
    show: (points) => {
      const span = (k) => [Math.min, Math.max].map((f) => f(...points.map((p) => p[k])));
      const [[left, right], [top, bottom]] = [span(0), span(1)];
      const w = 1.25 * Math.max(right - left, (bottom - top) / ratio);
      if (w <= 0.8 * width) apply((left + right - w) / 2, (top + bottom - w * ratio) / 2, w);
    },
  };
}

// Where a grid lies in a picture: its four corners, dragged by finger or mouse, or moved by keys.

const MAP = [7, 5]; // columns and rows

// The grid's lines as an SVG path.
function gridPath(corners, [columns, rows]) {
  const at = toQuad(corners);
  const line = (from, to) => `M${at(...from)}L${at(...to)}`;
  const parts = (n) => upTo(n + 1).map((k) => k / n);
  const down = parts(columns).map((x) => line([x, 0], [x, 1]));
  return [...down, ...parts(rows).map((y) => line([0, y], [1, y]))].join("");
}

// A corner to drag. at(): its place; move(x, y): to another; unit: a thousandth of the picture.
function handleOf(n, unit, at, move) {
  const onpointerdown = (event) => {
    handle.setPointerCapture(event.pointerId);
    event.preventDefault();
    handle.focus();
  };
  const onpointermove = ({ pointerId, clientX, clientY }) => {
    if (!handle.hasPointerCapture(pointerId)) return;
    const { x, y } = onto(handle.ownerSVGElement, clientX, clientY);
    move(x, y);
  };
  const onkeydown = (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const far = (event.shiftKey ? 10 : 1) * unit;
    move(at()[0] + far * step[1], at()[1] + far * step[0]);
  };
  const acts = { onpointerdown, onpointermove, onkeydown };
  const label = { label: t("Corner {n}", { n: n + 1 }) };
  const handle = s("circle tabindex=0 role=button", { r: 30 * unit, ...label, ...acts });
  return handle;
}

// A picture, turned by quarter turns, under the grid; `corners` are changed in place.
function draggable({ href, size: [width, height], label, turn, cells = MAP }, corners) {
  const paths = [s("path class=under"), s("path class=grid")];
  const unit = Math.max(1, width / 1000);
  const move = (n) => (x, y) => {
    corners[n] = [limited(x, 0, width), limited(y, 0, height)];
    draw();
  };
  const handles = corners.map((_, n) => handleOf(n, unit, () => corners[n], move(n)));
  function draw() {
    for (const path of paths) path.setAttribute("d", gridPath(corners, cells));
    handles.forEach((handle, n) =>
      ["cx", "cy"].forEach((name, k) => handle.setAttribute(name, corners[n][k])),
    );
  }
  draw();
  const viewBox = `0 0 ${width} ${height}`;
  return s("svg class=corners role=group", { viewBox, label }, [
    s("g", { transform: turn?.transform }, imageOf(href, turn?.of ?? { width, height })),
    paths,
    handles,
  ]);
}

// The corners of a grid to drag; keep() resolves when something was done with them.
export function cornersForm(grid, corners, label, keep, cancel, advice = null) {
  const act = async () => {
    save.disabled = true;
    await keep();
    save.disabled = false;
  };
  const save = button(label, act, { class: "main" });
  return [
    h("p", advice || t("Drag the corners of the grid to where the lines of the map end.")),
    draggable(grid, corners),
    h("p.row", save, button(t("Cancel"), cancel)),
  ];
}

const CELL = 150; // pixels of a cell of the part that is read again
const MARGIN = 0.6; // of a cell around it

// The grid put right: that part of the photo is read again, brought flat. cancel(): it was right.
export function readAgainAt(page, sheet, cancel) {
  const turn = turned(page, quarters(sheet.outline));
  const corners = sheet.outline.map(turn.point);
  const isKingdom = sheet.kind === "kingdom";
  const cells = isKingdom ? [sheet.size, sheet.size] : MAP;
  const grid = {
    href: page.view,
    size: [turn.size.width, turn.size.height],
    label: t("The photo with the corners of the grid"),
    turn: { transform: turn.transform, of: { width: page.width, height: page.height } },
    cells,
  };
  const flat = cells.map((n) => Math.round(CELL * (n + 2 * MARGIN)));
  const readFlat = async () => {
    const picture = new Image();
    picture.src = page.view;
    await picture.decode();
    const scale = picture.naturalWidth / page.width;
    const place = toQuad(corners.map(turn.back));
    const part = (at, n) => (at / CELL - MARGIN) / cells[n];
    const at = (x, y) => place(part(x, 0), part(y, 1)).map((k) => k * scale);
    const blob = await flattened(picture, flat, at);
    await send([new File([blob], "grid.jpg", { type: "image/jpeg" })], { instead: sheet });
  };
  const read = () =>
    readFlat().catch((error) => toast(explain(error.code ? error : failure("unreadable_image"))));
  const advice = isKingdom && t("Drag the corners until the grid's lines run between the squares.");
  const label = t("Read it again here");
  return [cornersForm(grid, corners, label, read, cancel, advice), uploadList()];
}
