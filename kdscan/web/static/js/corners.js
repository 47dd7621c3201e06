// Where a grid lies in a picture: its four corners, dragged by finger or mouse, or moved by keys.

import { flattened, toQuad } from "./canvas.js";
import { button, h, s, toast } from "./dom.js";
import { explain } from "./errors.js";
import { quarters } from "./grid.js";
import { t } from "./i18n.js";
import { turned } from "./photo.js";
import { send, uploadList } from "./sending.js";

const MAP = [7, 5]; // columns and rows
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The grid's lines as an SVG path.
function gridPath(corners, [columns, rows]) {
  const at = toQuad(corners);
  const line = (from, to) => `M${at(...from)}L${at(...to)}`;
  const parts = (n) => Array.from({ length: n + 1 }, (_, k) => k / n);
  return [
    ...parts(columns).map((x) => line([x, 0], [x, 1])),
    ...parts(rows).map((y) => line([0, y], [1, y])),
  ].join("");
}

const limited = (value, most) => Math.min(most, Math.max(0, value));

// A corner to drag. at(): its place; move(x, y) puts it elsewhere; unit: of the picture, a thousandth.
function handleOf(n, unit, at, move) {
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
    const far = (event.shiftKey ? 10 : 1) * unit;
    const [x, y] = at();
    move(x + far * by[0], y + far * by[1]);
  };
  const handle = s("circle tabindex=0 role=button", {
    r: 30 * unit,
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

// A picture, turned by quarter turns, under the grid; `corners`, as it is shown, are changed in place.
export function draggable({ href, size: [width, height], label, turn, cells = MAP }, corners) {
  const under = s("path class=under");
  const lines = s("path class=grid");
  const unit = Math.max(1, width / 1000);
  const handles = corners.map((_, n) =>
    handleOf(
      n,
      unit,
      () => corners[n],
      (x, y) => {
        corners[n] = [limited(x, width), limited(y, height)];
        draw();
      },
    ),
  );
  function draw() {
    for (const path of [under, lines]) path.setAttribute("d", gridPath(corners, cells));
    handles.forEach((handle, n) => {
      handle.setAttribute("cx", corners[n][0]);
      handle.setAttribute("cy", corners[n][1]);
    });
  }
  draw();
  const viewBox = `0 0 ${width} ${height}`;
  const image = s("image preserveAspectRatio=none", { href, ...(turn?.of ?? { width, height }) });
  return s("svg class=corners role=group", { viewBox, "aria-label": label }, [
    s("g", { transform: turn?.transform }, image),
    under,
    lines,
    handles,
  ]);
}

const CELL = 150; // pixels of a cell of the part that is read again
const MARGIN = 0.6; // of a cell around it

// The grid of a map or kingdom put right: that part of the photo, brought flat, is read in its place. cancel():
// the grid is right after all.
export function readAgainAt(page, sheet, cancel) {
  const turn = turned(page, quarters(sheet.outline));
  const of = { width: page.width, height: page.height };
  const corners = sheet.outline.map(turn.point);
  const label = t("The photo with the corners of the grid");
  const size = [turn.size.width, turn.size.height];
  const cells = sheet.kind === "kingdom" ? [sheet.size, sheet.size] : MAP;
  const grid = draggable({ href: page.view, size, label, turn: { ...turn, of }, cells }, corners);
  const read = async () => {
    again.disabled = true;
    try {
      const picture = new Image();
      picture.src = page.view;
      await picture.decode();
      const scale = picture.naturalWidth / page.width;
      const place = toQuad(corners.map(turn.back));
      const flat = cells.map((n) => Math.round(CELL * (n + 2 * MARGIN)));
      const blob = await flattened(picture, flat, (x, y) =>
        place((x / CELL - MARGIN) / cells[0], (y / CELL - MARGIN) / cells[1]).map((k) => k * scale),
      );
      await send([new File([blob], "grid.jpg", { type: "image/jpeg" })], { instead: sheet });
    } catch (error) {
      again.disabled = false;
      toast(explain(error.code ? error : { code: "unreadable_image" }));
    }
  };
  const again = button(t("Read it again here"), read, { class: "main" });
  return [
    h(
      "p",
      sheet.kind === "kingdom"
        ? t("Drag the corners until the grid's lines run between the squares.")
        : t("Drag the corners of the grid to where the lines of the map end."),
    ),
    grid,
    h("p.row", again, button(t("Cancel"), cancel)),
    uploadList(),
  ];
}
