// Where cells lie in the photo, computed as in kdscan.imaging.rectify; the reading drawn over them, and
// parts of the photo cut out.

import { s } from "./dom.js";
import { t } from "./i18n.js";
import { DOMAIN_COLORS, DOUBT, INK, PAPER } from "./marks.js";

const mean = (...points) =>
  [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
const times = (factor, v) => v.map((x) => factor * x);
// The point at this part of the way from a to b.
const between = (a, b, part) => [0, 1].map((k) => a[k] + part * (b[k] - a[k]));

// Centres of all cells as rows of [x, y]; for the castle of a map, the mean of its neighbours.
function centers(sheet) {
  const most = (of) => 1 + Math.max(...sheet.cells.map(of));
  const [rows, cols] = [most(({ row }) => row), most(({ col }) => col)];
  const grid = Array.from({ length: rows }, () => Array(cols).fill(null));
  for (const { row, col, center } of sheet.cells) grid[row][col] = center;
  return grid.map((line, r) =>
    line.map((at, c) => at ?? mean(grid[r - 1][c], grid[r + 1][c], line[c - 1], line[c + 1])),
  );
}

// Corners between cells: means of four centres, extrapolated at the border.
function cornersOf(grid) {
  const beyond = (a, b) => between(a, b, -1);
  const wide = grid.map((row) => [beyond(row[0], row[1]), ...row, beyond(row.at(-1), row.at(-2))]);
  wide.unshift(wide[0].map((p, c) => beyond(p, wide[1][c])));
  wide.push(wide.at(-1).map((p, c) => beyond(p, wide.at(-2)[c])));
  return wide
    .slice(1)
    .map((row, r) => row.slice(1).map((p, c) => mean(p, row[c], wide[r][c], wide[r][c + 1])));
}

const quad = (lattice, row, col) => [
  lattice[row][col],
  lattice[row][col + 1],
  lattice[row + 1][col + 1],
  lattice[row + 1][col],
];

// The outline of the whole grid.
const rim = (lattice) => [
  ...lattice[0],
  ...lattice.slice(1, -1).map((row) => row.at(-1)),
  ...lattice.at(-1).toReversed(),
  ...lattice.map((row) => row[0]).toReversed(),
];

// The SVG matrix that maps a parallelogram (its middle, its sides) to an upright one, in units.
export function brought(middle, right, down, [wide, high]) {
  const det = right[0] * down[1] - right[1] * down[0];
  // Rows of the inverse: photo vector → fractions of the sides to the right and downwards.
  const u = [(wide * down[1]) / det, (-wide * down[0]) / det],
    v = [(-high * right[1]) / det, (high * right[0]) / det];
  const shift = (w, units) => units / 2 - (w[0] * middle[0] + w[1] * middle[1]);
  return [u[0], v[0], u[1], v[1], shift(u, wide), shift(v, high)].map((x) =>
    Number(x.toPrecision(7)),
  );
}

// A part of the photo, brought into these units by a matrix, as a picture of its own.
export const cutOut = (page, matrix, [wide, high], label, kind = "crop") =>
  s("svg", { viewBox: `0 0 ${wide} ${high}`, class: kind, role: "img", "aria-label": label }, [
    s("image preserveAspectRatio=none", {
      href: page.view,
      width: page.width,
      height: page.height,
      transform: `matrix(${matrix.join(" ")})`,
    }),
  ]);

// A quadrilateral's mean sides to the right and downwards, and both as unit vectors.
const sides = ([a, b, c, d]) => [minus(mean(b, c), mean(a, d)), minus(mean(c, d), mean(a, b))];
export const axes = (outline) => sides(outline).map((v) => times(1 / Math.hypot(...v), v));

// The strip above a sheet's grid, where names are written, cut out of the photo, upright: a quarter of
// the grid's height.
export function strip(page, { outline }, label) {
  const [right, down] = sides(outline);
  const high = times(0.24, down);
  const middle = minus(mean(outline[0], outline[1]), times(0.5, high));
  const units = [700, Math.round((700 * Math.hypot(...high)) / Math.hypot(...right))];
  return cutOut(page, brought(middle, right, high, units), units, label, "crop strip");
}

// Number of quarter turns that bring the sheet upright in a photo.
export function quarters(outline) {
  if (outline?.length !== 4) return 0;
  const [[x, y]] = sides(outline);
  return (4 - Math.round(Math.atan2(y, x) / (Math.PI / 2))) % 4;
}

const AROUND = 1.36; // of a cell's side: it and what is shown around it

// One shield or square cut out of the photo, upright, as a separate picture.
export function cellCrop(page, sheet, row, col) {
  const corners = quad(cornersOf(centers(sheet)), row, col);
  const [right, down] = sides(corners).map((v) => times(AROUND, v));
  const matrix = brought(mean(...corners), right, down, [100, 100]);
  const crop = cutOut(page, matrix, [100, 100], t("This place in the photo"));
  crop.append(s("rect class=ring x=12 y=12 width=76 height=76 rx=8"));
  return crop;
}

const points = (list) => list.map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" ");

// The same drawn twice, with a white rim: it shows on any paper. draw(attributes) of its stroke.
export const rimmed = (stroke, width, rim, draw) => [
  draw({ stroke: "#fff", "stroke-width": rim }),
  draw({ stroke, "stroke-width": width }),
];

// The reading of a grid over the photo. turns: quarter turns by which the photo is shown. marks(cell):
// its picture, 100 units high and width(cell) wide; shown(cell): whether it has any.
export function gridOverlay(sheet, marks, shown, width, act, turns = 0) {
  const grid = centers(sheet),
    lattice = cornersOf(grid);
  const [row] = grid.slice(grid.length / 2);
  const unit = Math.hypot(...minus(row.at(-1), row[0])) / (row.length - 1); // width of a cell
  const colored = sheet.domains.filter(({ color }) => color !== null);
  const domains = colored.flatMap(({ cells, color }) =>
    cells.map(([row, col]) =>
      s("polygon class=marker fill-opacity=0.5", {
        points: points(quad(lattice, row, col)),
        fill: DOMAIN_COLORS[color],
      }),
    ),
  );
  const badges = sheet.cells.map((cell) => {
    const picture = shown(cell) || cell.review ? marks(cell) : null;
    const corners = quad(lattice, cell.row, cell.col);
    const one = badge(cell, corners, unit, picture, width(cell), turns);
    if (act) one.addEventListener("click", () => act(`${cell.row},${cell.col}`));
    return one;
  });
  const frame = { points: points(rim(lattice)), stroke: PAPER, "stroke-width": 0.05 * unit };
  return s("g class=overlay", [
    domains,
    s("polyline fill=none", frame),
    badges,
    axisLabels(grid, unit, turns),
  ]);
}

// A to G above the grid and 1 to 5 beside it, as on the board.
function axisLabels(grid, unit, turns) {
  const label = (text, at, inside) =>
    s(
      "text class=axis text-anchor=middle dominant-baseline=central",
      {
        transform: `translate(${between(at, inside, -0.78)}) rotate(${-90 * turns})`,
        "font-size": 0.34 * unit,
        "stroke-width": 0.07 * unit,
      },
      text,
    );
  return [
    ...grid[0].map((at, col) => label("ABCDEFG"[col], at, grid[1][col])),
    ...grid.map((row, n) => label(String(n + 1), row[0], row[1])),
  ];
}

function badge(cell, corners, unit, picture, width, turns) {
  const [cx, cy] = cell.center;
  const ring = (more) => s("circle fill=none", { cx, cy, r: 0.44 * unit, ...more });
  const small = () => {
    // At the corner that is shown at the lower right.
    const [right, down] = [[1, 1, -1, -1][turns], [1, -1, -1, 1][turns]];
    const lower = (p) => right * p[0] + down * p[1];
    const low = corners.reduce((best, p) => (lower(p) > lower(best) ? p : best));
    const place = `translate(${between(cell.center, low, 0.62)}) rotate(${-90 * turns})`;
    const transform = `${place} scale(${0.0034 * unit}) translate(${-width / 2} -52)`;
    return s("g", { transform }, [
      s("rect x=-6 y=-4 height=110 rx=16 fill-opacity=0.93 stroke-width=5", {
        width: width + 12,
        fill: PAPER,
        stroke: cell.review ? DOUBT : INK,
      }),
      picture,
    ]);
  };
  return s("g class=badge", { "data-cell": `${cell.row},${cell.col}` }, [
    s("polygon fill=transparent", { points: points(corners) }),
    cell.review && rimmed(DOUBT, 0.05 * unit, 0.09 * unit, ring),
    picture && small(),
  ]);
}
