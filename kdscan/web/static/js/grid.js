// Where cells lie in the photo, as in kdscan.imaging.rectify; what was read over it; parts cut out.

import { upTo } from "./board.js";
import { s } from "./dom.js";
import { t } from "./i18n.js";
import { DOMAIN_COLORS, DOUBT, INK, PAPER } from "./marks.js";

const mean = (...points) =>
  [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
const times = (factor, v) => v.map((x) => factor * x);
// The point at this part of the way from a to b.
const between = (a, b, part) => [0, 1].map((k) => a[k] + part * (b[k] - a[k]));

// A sheet's grid in the photo: rows of cells' centres, of corners between them, and a cell's width.
function gridOf({ cells }) {
  const [rows, cols] = ["row", "col"].map((of) => 1 + Math.max(...cells.map((cell) => cell[of])));
  const read = upTo(rows).map(() => Array(cols).fill(null));
  for (const { row, col, center } of cells) read[row][col] = center;
  // The castle of a map is the mean of its neighbours.
  const centers = read.map((line, r) =>
    line.map((at, c) => at ?? mean(read[r - 1][c], read[r + 1][c], line[c - 1], line[c + 1])),
  );
  const middle = centers[Math.floor(rows / 2)];
  const unit = Math.hypot(...minus(middle.at(-1), middle[0])) / (cols - 1);
  return { centers, corners: cornersOf(centers), unit };
}

// Corners between cells: means of four centres, extrapolated at the border.
function cornersOf(centers) {
  const beyond = (a, b) => between(a, b, -1);
  const ends = (row) => [beyond(row[0], row[1]), ...row, beyond(row.at(-1), row.at(-2))];
  const wide = centers.map(ends);
  wide.unshift(wide[0].map((p, c) => beyond(p, wide[1][c])));
  wide.push(wide.at(-1).map((p, c) => beyond(p, wide.at(-2)[c])));
  return wide
    .slice(1)
    .map((row, r) => row.slice(1).map((p, c) => mean(p, row[c], wide[r][c], wide[r][c + 1])));
}

const quad = ({ corners }, { row, col }) => [
  ...corners[row].slice(col, col + 2),
  ...corners[row + 1].slice(col, col + 2).reverse(),
];

// The outline of the whole grid.
const rim = (corners) => [
  ...corners[0],
  ...corners.slice(1, -1).map((row) => row.at(-1)),
  ...corners.at(-1).toReversed(),
  ...corners.map((row) => row[0]).toReversed(),
];

// A parallelogram of the photo (its middle, its sides), upright in these units, as a picture.
function cutOut(page, middle, right, down, [wide, high], kind = "crop") {
  const det = right[0] * down[1] - right[1] * down[0];
  // Rows of the inverse: photo vector → fractions of the sides to the right and downwards.
  const u = [(wide * down[1]) / det, (-wide * down[0]) / det];
  const v = [(-high * right[1]) / det, (high * right[0]) / det];
  const shift = (w, units) => units / 2 - (w[0] * middle[0] + w[1] * middle[1]);
  const numbers = [u[0], v[0], u[1], v[1], shift(u, wide), shift(v, high)];
  const transform = `matrix(${numbers.map((x) => Number(x.toPrecision(7))).join(" ")})`;
  const { view: href, width, height } = page;
  const label = { role: "img", label: t("This place in the photo") };
  return s("svg", { viewBox: `0 0 ${wide} ${high}`, class: kind, ...label }, [
    s("image preserveAspectRatio=none", { href, width, height, transform }),
  ]);
}

// A quadrilateral's mean sides to the right and downwards, and both as unit vectors.
const sides = ([a, b, c, d]) => [minus(mean(b, c), mean(a, d)), minus(mean(c, d), mean(a, b))];
export const axes = (outline) => sides(outline).map((v) => times(1 / Math.hypot(...v), v));

// The strip above a sheet's grid, where names are written, upright: a quarter of the grid's height.
export function strip(page, { outline }) {
  const [right, down] = sides(outline);
  const high = times(0.24, down);
  const middle = minus(mean(outline[0], outline[1]), times(0.5, high));
  const units = [700, Math.round((700 * Math.hypot(...high)) / Math.hypot(...right))];
  const cut = cutOut(page, middle, right, high, units, "crop strip");
  cut.setAttribute("aria-label", t("Where the name is"));
  return cut;
}

// Some places of a sheet, upright, with some paper around them.
export function placesCrop(page, { outline }, places, reach) {
  const [right, down] = axes(outline);
  const span = (v) => {
    const along = places.map((p) => p[0] * v[0] + p[1] * v[1]);
    return [Math.min(...along) - 2 * reach, Math.max(...along) + 2 * reach];
  };
  const [[left, end], [top, bottom]] = [span(right), span(down)];
  const [wide, high] = [end - left, bottom - top];
  // The axes are nearly at right angles, so their sums give the place in the photo.
  const middle = [0, 1].map((k) => (right[k] * (left + end) + down[k] * (top + bottom)) / 2);
  const units = [Math.round((100 * wide) / high), 100];
  return cutOut(page, middle, times(wide, right), times(high, down), units, "crop strip");
}

const AROUND = 1.36; // of a cell's side: it and what is shown around it

// One shield or square, upright.
export function cellCrop(page, sheet, cell) {
  const corners = quad(gridOf(sheet), cell);
  const [right, down] = sides(corners).map((v) => times(AROUND, v));
  const crop = cutOut(page, mean(...corners), right, down, [100, 100]);
  crop.append(s("rect.ring x=12 y=12 width=76 height=76 rx=8"));
  return crop;
}

// Number of quarter turns that bring the sheet upright in a photo.
export function quarters(outline) {
  if (outline?.length !== 4) return 0;
  const [[x, y]] = sides(outline);
  return (4 - Math.round(Math.atan2(y, x) / (Math.PI / 2))) % 4;
}

const points = (list) => list.map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" ");

// The same drawn twice, with a white rim: it shows on any paper. draw(attributes) of its stroke.
export const rimmed = (stroke, width, rim, draw) => [
  draw({ stroke: "#fff", "stroke-width": rim }),
  draw({ stroke, "stroke-width": width }),
];

// What was read, over the photo. ink(part): how it is drawn; act(id): what a tap does, false where
// nothing can be changed; under, over: what is drawn below and above the parts.
export const overlay = (parts, ink, act, under, over) =>
  s("g.overlay", under, [
    parts.map((part) =>
      s("g.badge", { "data-cell": part.id, onclick: act && (() => act(part.id)) }, ink(part)),
    ),
    over,
  ]);

// The same of a grid; turns: quarter turns by which the photo is shown.
export function gridOverlay(sheet, parts, act, turns = 0) {
  const grid = gridOf(sheet);
  const domains = sheet.domains.flatMap(({ cells, color }) =>
    (color === null ? [] : cells).map(([row, col]) => {
      const at = { points: points(quad(grid, { row, col })), fill: DOMAIN_COLORS[color] };
      return s("polygon.marker fill-opacity=0.5", at);
    }),
  );
  const line = { stroke: PAPER, "stroke-width": 0.05 * grid.unit };
  const frame = s("polyline fill=none", { points: points(rim(grid.corners)), ...line });
  const ink = (part) => badge(part, grid, turns);
  return overlay(parts, ink, act, [domains, frame], axisLabels(grid, turns));
}

// A to G above the grid and 1 to 5 beside it, as on the board.
function axisLabels({ centers, unit }, turns) {
  const label = (text, at, inside) => {
    const transform = `translate(${between(at, inside, -0.78)}) rotate(${-90 * turns})`;
    const size = { "font-size": 0.34 * unit, "stroke-width": 0.07 * unit };
    const more = { transform, ...size };
    return s("text.axis text-anchor=middle dominant-baseline=central", more, text);
  };
  return [
    centers[0].map((at, col) => label("ABCDEFG"[col], at, centers[1][col])),
    centers.map((row, n) => label(String(n + 1), row[0], row[1])),
  ];
}

// What a cell holds, small, at the corner that is shown at the lower right.
function badge({ cell, seal, review }, grid, turns) {
  const corners = quad(grid, cell);
  const [cx, cy] = cell.center;
  const ring = (more) => s("circle fill=none", { cx, cy, r: 0.44 * grid.unit, ...more });
  const small = ({ drawn, width }) => {
    const [right, down] = [[1, 1, -1, -1][turns], [1, -1, -1, 1][turns]];
    const lower = (p) => right * p[0] + down * p[1];
    const low = corners.reduce((best, p) => (lower(p) > lower(best) ? p : best));
    const place = `translate(${between(cell.center, low, 0.62)}) rotate(${-90 * turns})`;
    const transform = `${place} scale(${0.0034 * grid.unit}) translate(${-width / 2} -52)`;
    const plate = { width: width + 12, fill: PAPER, stroke: review ? DOUBT : INK };
    return s("g", { transform }, [
      s("rect x=-6 y=-4 height=110 rx=16 fill-opacity=0.93 stroke-width=5", plate),
      drawn,
    ]);
  };
  const drawn = seal(cell);
  return [
    s("polygon fill=transparent", { points: points(corners) }),
    review && rimmed(DOUBT, 0.05 * grid.unit, 0.09 * grid.unit, ring),
    drawn && small(drawn),
  ];
}
