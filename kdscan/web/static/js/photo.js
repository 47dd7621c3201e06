// The photo with the reading drawn over it; zoomed by pinch, wheel and buttons.

import { h, s } from "./dom.js";
import { quarters } from "./grid.js";
import { t } from "./i18n.js";
import { round } from "./icons.js";
import { kindOf } from "./kinds.js";

// A photo turned by quarter turns: its size, the matrix, the new place of a point, and back.
export function turned({ width, height }, turns) {
  const [cos, sin] = [[1, 0, -1, 0][turns], [0, 1, 0, -1][turns]];
  const [right, down] = [[0, height, width, 0][turns], [0, 0, height, width][turns]];
  return {
    size: turns % 2 ? { width: height, height: width } : { width, height },
    transform: `matrix(${cos} ${sin} ${-sin} ${cos} ${right} ${down})`,
    point: ([x, y]) => [cos * x - sin * y + right, sin * x + cos * y + down],
    back: ([x, y]) => [cos * (x - right) + sin * (y - down), cos * (y - down) - sin * (x - right)],
  };
}

// Returns the element. `sheets` are all in this page, onPart(sheet, part) is called on a tap, `about`
// is the sheet shown first. upright: turned by quarter turns so that `about` can be read.
export function photoView(page, sheets, onPart, about, { upright = false } = {}) {
  const turns = upright ? quarters(about?.outline) : 0;
  const turn = turned(page, turns);
  const { size } = turn;
  const svg = s("svg class=photo role=img", {
    viewBox: `0 0 ${size.width} ${size.height}`,
    "aria-label": t("The photo with what was read drawn over it"),
  });
  const image = s("image preserveAspectRatio=none", {
    href: page.view,
    width: page.width,
    height: page.height,
  });
  const inside = s("g", { transform: turn.transform }, image);
  for (const sheet of sheets)
    inside.append(kindOf(sheet).overlay(sheet, onPart && ((part) => onPart(sheet, part)), turns));
  svg.append(inside);
  const zoom = zoomable(svg, size);
  if (about?.outline.length) zoom.show(about.outline.map(turn.point));
  const toggle = () => shown.setAttribute("aria-pressed", String(!svg.classList.toggle("bare")));
  const shown = round("layers", t("What was read"), toggle, { "aria-pressed": "true" });
  const box = h("div.photo-box", [
    svg,
    h("div.zoom", [
      round("plus", t("Zoom in"), () => zoom.by(1.5)),
      round("minus", t("Zoom out"), () => zoom.by(1 / 1.5)),
      round("whole", t("Whole photo"), zoom.reset),
      shown,
    ]),
  ]);
  image.addEventListener("error", () =>
    box.prepend(h("p.error-text", t("The photo cannot be shown right now."))),
  );
  return box;
}

// Zoom and pan by changing the viewBox, so that drawings stay sharp.
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
  // From the screen to the photo, which need not fill its box.
  const onto = () => svg.getScreenCTM().inverse();
  const unit = () => onto().a;
  const at = (x, y) => {
    const point = new DOMPoint(x, y).matrixTransform(onto());
    return [point.x, point.y];
  };
  const about = (factor, px, py) => {
    const w = Math.min(Math.max(view.w / factor, page.width / 16), page.width);
    view.x = px - ((px - view.x) * w) / view.w;
    view.y = py - ((py - view.y) * w) / view.w;
    view.w = w;
    apply();
  };
  const fingers = new Map();
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
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
    if (moved > 8 && !svg.hasPointerCapture(event.pointerId))
      svg.setPointerCapture(event.pointerId);
    const share = 1 / fingers.size;
    view.x -= (event.clientX - before[0]) * unit() * share;
    view.y -= (event.clientY - before[1]) * unit() * share;
    if (apart) {
      const [a, b] = [...fingers.values()];
      about(spread() / apart, ...at((a[0] + b[0]) / 2, (a[1] + b[1]) / 2));
    } else apply();
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"])
    svg.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  svg.addEventListener("click", (event) => moved > 8 && event.stopPropagation(), true);
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && view.w >= page.width && event.deltaY > 0) return;
      event.preventDefault();
      about(Math.exp(-event.deltaY / 300), ...at(event.clientX, event.clientY));
    },
    { passive: false },
  );
  return {
    by: (factor) => about(factor, view.x + view.w / 2, view.y + (view.w * ratio) / 2),
    // As large as these points and some paper around them allow.
    show: (points) => {
      const [low, high] = [Math.min, Math.max].map((f) =>
        [0, 1].map((k) => f(...points.map((p) => p[k]))),
      );
      const w = 1.25 * Math.max(high[0] - low[0], (high[1] - low[1]) / ratio);
      if (w > 0.8 * page.width) return;
      view = { x: (low[0] + high[0] - w) / 2, y: (low[1] + high[1] - w * ratio) / 2, w };
      apply();
    },
    reset: () => {
      view = { x: 0, y: 0, w: page.width };
      apply();
    },
  };
}
