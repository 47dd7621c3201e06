// Where the grid lies on a pad's print: its four corners, dragged by finger or mouse, or moved by keys.

import { button, h, s } from "./dom.js";
import { t } from "./i18n.js";

// A print's picture in pixels, and where the grid's corners should be in it.
const WIDTH = 992;
const HEIGHT = 736;
const CORNERS = [
  [47.5, 47.5],
  [943.5, 47.5],
  [943.5, 687.5],
  [47.5, 687.5],
];
const COLUMNS = 7;
const ROWS = 5;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The point at these parts, 0 to 1, of the way across and down between four corners.
function between([a, b, c, d], [across, down]) {
  const onLine = (from, to, part, i) => (1 - part) * from[i] + part * to[i];
  return [0, 1].map((i) => (1 - down) * onLine(a, b, across, i) + down * onLine(d, c, across, i));
}

// The grid's lines as an SVG path.
function gridPath(corners) {
  const line = (from, to) => `M${between(corners, from)}L${between(corners, to)}`;
  const parts = (n) => Array.from({ length: n + 1 }, (_, k) => k / n);
  return [
    ...parts(COLUMNS).map((x) => line([x, 0], [x, 1])),
    ...parts(ROWS).map((y) => line([0, y], [1, y])),
  ].join("");
}

const limited = (value, most) => Math.min(most, Math.max(0, value));

// A corner to drag. at(): its place; move(x, y) puts it elsewhere.
function handleOf(n, at, move) {
  const drag = (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const toPicture = handle.ownerSVGElement.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(toPicture);
    move(x, y);
  };
  const step = (event) => {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    const far = event.shiftKey ? 10 : 1;
    const [x, y] = at();
    move(x + far * by[0], y + far * by[1]);
  };
  const handle = s("circle", {
    r: 22,
    tabindex: 0,
    role: "button",
    "aria-label": t("Corner {n}", { n: n + 1 }),
    onpointerdown: (event) => {
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
      handle.focus();
    },
    onpointermove: drag,
    onkeydown: step,
  });
  return handle;
}

// The picture of what was found in a print, under the grid; `corners` are changed in place.
function gridOf(print, corners) {
  const lines = s("path", { class: "grid" });
  const handles = corners.map((_, n) =>
    handleOf(
      n,
      () => corners[n],
      (x, y) => {
        corners[n] = [limited(x, WIDTH), limited(y, HEIGHT)];
        draw();
      },
    ),
  );
  function draw() {
    lines.setAttribute("d", gridPath(corners));
    handles.forEach((handle, n) => {
      handle.setAttribute("cx", corners[n][0]);
      handle.setAttribute("cy", corners[n][1]);
    });
  }
  draw();
  return s(
    "svg",
    {
      class: "corners",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "group",
      "aria-label": t("The print of {name}", { name: print.name }),
    },
    s("image", { href: print.found, width: WIDTH, height: HEIGHT }),
    lines,
    handles,
  );
}

// done(corners) gets their new places, and a promise says when they are saved; done(null) means no change.
export function cornersOf(print, done) {
  const corners = [...CORNERS];
  const busy = h("progress", { hidden: true, "aria-label": t("Learning") });
  const keep = async () => {
    save.disabled = true;
    busy.hidden = false;
    await done(corners); // tells of a failure itself
    save.disabled = false;
    busy.hidden = true;
  };
  const save = button(t("Save corners"), keep, { class: "main" });
  const cancel = button(t("Cancel"), () => done(null));
  return h("div.put-right", [
    h("p", t("Drag the corners of the grid to where the lines of the map end.")),
    gridOf(print, corners),
    h("p", save, " ", cancel),
    busy,
  ]);
}
