// Where cells lie in the photo, as in kdscan.imaging.picture; what was read over it; parts cut out.

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

// A quadrilateral's mean sides to the right and downwards, and both as unit vectors.
const sides = ([a, b, c, d]) => [minus(mean(b, c), mean(a, d)), minus(mean(c, d), mean(a, b))];
export const axes = (outline) => sides(outline).map((v) => times(1 / Math.hypot(...v), v));

// The part of a photo around some points, upright as this outline is, with some paper around them.
function crop(page, outline, points, reach, kind, name = t("This place in the photo")) {
  const [[cos, sin]] = axes(outline);
  const spanOf = (along) => {
    const places = points.map(([x, y]) => x * along[0] + y * along[1]);
    const first = Math.min(...places) - reach;
    return [first, Math.max(...places) + reach - first];
  };
  const [[x, width], [y, height]] = [spanOf([cos, sin]), spanOf([-sin, cos])];
  const box = [x, y, width, height].map((n) => n.toFixed(1)).join(" ");
  const transform = `matrix(${[cos, -sin, sin, cos].map((n) => n.toFixed(5)).join(" ")} 0 0)`;
  const whole = { href: page.view, width: page.width, height: page.height, transform };
  return s("svg role=img", { viewBox: box, class: kind, label: name }, [
    s("image preserveAspectRatio=none", whole),
    kind === "crop" && ringIn(x, y, width, height),
  ]);
}

const ringIn = (x, y, width, height) => {
  const [across, down] = [0.12 * width, 0.12 * height];
  const size = { width: 0.76 * width, height: 0.76 * height, rx: 0.08 * width };
  return s("rect.ring", { x: x + across, y: y + down, ...size });
};

// The strip above a sheet's grid, where names are written: a quarter of the grid's height.
export function strip(page, sheet) {
  const [left, right, , low] = sheet.outline;
  const up = times(-0.24, minus(low, left));
  const above = [left, right].map((at) => [at[0] + up[0], at[1] + up[1]]);
  const name = t("Where the name is");
  return crop(page, sheet.outline, [left, right, ...above], 0, "crop strip", name);
}

// Some places of a sheet.
export const placesCrop = (page, sheet, places, reach) =>
  crop(page, sheet.outline, places, 2 * reach, "crop strip");

const AROUND = 0.18; // of a cell's side, shown around it

// One shield or square.
export function cellCrop(page, sheet, cell) {
  const grid = gridOf(sheet);
  const corners = quad(grid, cell);
  return crop(page, corners, corners, AROUND * grid.unit, "crop");
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
