// Where cells lie in the photo, computed as in kdscan.imaging.rectify.

import { DOMAIN_COLORS, DOUBT, INK, PAPER } from "./coats.js";
import { s } from "./dom.js";
import { t } from "./i18n.js";

// Centres of all cells as rows of [x, y]; for the castle of a map, the mean of its neighbours.
function centers(sheet) {
  const rows = 1 + Math.max(...sheet.cells.map((cell) => cell.row)),
    cols = 1 + Math.max(...sheet.cells.map((cell) => cell.col));
  const grid = Array.from({ length: rows }, () => Array(cols).fill(null));
  for (const cell of sheet.cells) grid[cell.row][cell.col] = cell.center;
  grid.forEach((line, r) =>
    line.forEach((known, c) => {
      if (known) return;
      const around = [grid[r - 1][c], grid[r + 1][c], line[c - 1], line[c + 1]];
      line[c] = [0, 1].map((k) => around.reduce((sum, p) => sum + p[k], 0) / 4);
    }),
  );
  return grid;
}

// Corners between cells: means of four centres, extrapolated at the border.
function corners(grid) {
  const beyond = (a, b) => [2 * a[0] - b[0], 2 * a[1] - b[1]];
  const wide = grid.map((row) => [beyond(row[0], row[1]), ...row, beyond(row.at(-1), row.at(-2))]);
  wide.unshift(wide[0].map((p, c) => beyond(p, wide[1][c])));
  wide.push(wide.at(-1).map((p, c) => beyond(p, wide.at(-2)[c])));
  return Array.from({ length: wide.length - 1 }, (_, r) =>
    Array.from({ length: wide[0].length - 1 }, (_, c) =>
      [0, 1].map(
        (k) => (wide[r][c][k] + wide[r + 1][c][k] + wide[r][c + 1][k] + wide[r + 1][c + 1][k]) / 4,
      ),
    ),
  );
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
  ...lattice.slice(1).map((r) => r.at(-1)),
  ...lattice.at(-1).slice(0, -1).reverse(),
  ...lattice
    .slice(1, -1)
    .map((r) => r[0])
    .reverse(),
  lattice[0][0],
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

const MARGIN = 0.18; // of a cell's side: what is shown around it

// The same for a cell with some of its surroundings, into a square.
function upright(lattice, row, col, units) {
  const [a, b, c, d] = quad(lattice, row, col);
  const side = (p, q, r, t) =>
    [0, 1].map((k) => ((p[k] - q[k] + r[k] - t[k]) / 2) * (1 + 2 * MARGIN));
  const middle = [0, 1].map((k) => (a[k] + b[k] + c[k] + d[k]) / 4);
  return brought(middle, side(b, a, c, d), side(d, a, c, b), [units, units]);
}

// Width of a cell in the photo, pixels.
function pitch(grid) {
  const row = grid[Math.floor(grid.length / 2)],
    [a, b] = [row[0], row.at(-1)];
  return Math.hypot(b[0] - a[0], b[1] - a[1]) / (row.length - 1);
}

// Unit vectors of a page in the photo: to the right, and downwards.
export function axes([a, b, c, d]) {
  const unit = (v) => v.map((x) => x / Math.hypot(...v));
  return [
    unit([b[0] - a[0] + c[0] - d[0], b[1] - a[1] + c[1] - d[1]]),
    unit([d[0] - a[0] + c[0] - b[0], d[1] - a[1] + c[1] - b[1]]),
  ];
}

// The strip above a sheet's grid, where names are written, cut out of the photo, upright.
export function strip(page, sheet, label) {
  const [a, b, c, d] = sheet.outline,
    part = (p, q, k) => [0, 1].map((n) => p[n] + k * (q[n] - p[n]));
  // From one row above the grid to its upper edge.
  const up = [0, 1].map((n) => (a[n] - d[n] + b[n] - c[n]) / 2),
    right = [0, 1].map((n) => (b[n] - a[n] + c[n] - d[n]) / 2);
  const high = up.map((x) => x * 0.24),
    middle = part(
      part(a, b, 0.5),
      part(a, b, 0.5).map((x, n) => x + high[n]),
      0.5,
    );
  const units = [700, Math.round((700 * Math.hypot(...high)) / Math.hypot(...right))];
  return cutOut(
    page,
    brought(
      middle,
      right,
      high.map((x) => -x),
      units,
    ),
    units,
    label,
    "crop strip name-strip",
  );
}

// Number of quarter turns that bring the sheet upright in a photo.
export function quarters(outline) {
  if (outline?.length !== 4) return 0;
  const [a, b, c, d] = outline;
  return (
    (4 -
      Math.round(
        Math.atan2(b[1] - a[1] + c[1] - d[1], b[0] - a[0] + c[0] - d[0]) / (Math.PI / 2),
      )) %
    4
  );
}

// The reading of a grid drawn over the photo; and one cell cut out of the photo.

const points = (list) => list.map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" ");

// One shield or square cut out of the photo, upright, as a separate picture.
export function cellCrop(page, sheet, row, col) {
  const crop = cutOut(
    page,
    upright(corners(centers(sheet)), row, col, 100),
    [100, 100],
    t("This place in the photo"),
  );
  crop.append(s("rect", { x: 12, y: 12, width: 76, height: 76, rx: 8, class: "ring" }));
  return crop;
}

// turns: quarter turns by which the photo is shown. marks(cell): its picture, 100 units high and width(cell) wide; shown(cell): whether it has any.
export function gridOverlay(sheet, marks, shown, width, act, turns = 0) {
  const grid = centers(sheet),
    lattice = corners(grid),
    unit = pitch(grid);
  const group = s("g", { class: "overlay" });
  for (const domain of sheet.domains.filter((d) => d.color !== null)) {
    for (const [row, col] of domain.cells) {
      group.append(
        s("polygon class=marker fill-opacity=0.5", {
          points: points(quad(lattice, row, col)),
          fill: DOMAIN_COLORS[domain.color],
        }),
      );
    }
  }
  group.append(
    s("polyline fill=none", {
      points: points(rim(lattice)),
      stroke: PAPER,
      "stroke-width": 0.05 * unit,
    }),
  );
  for (const cell of sheet.cells) {
    const one = badge(
      cell,
      quad(lattice, cell.row, cell.col),
      unit,
      shown(cell) || cell.review ? marks(cell) : null,
      width(cell),
      turns,
    );
    if (act) one.addEventListener("click", () => act(`${cell.row},${cell.col}`));
    group.append(one);
  }
  group.append(...axisLabels(grid, unit, turns));
  return group;
}

// A to G above the grid and 1 to 5 beside it, as on the board.
function axisLabels(grid, unit, turns) {
  const label = (text, [x, y], [u, v]) => {
    const at = [x + 0.78 * (x - u), y + 0.78 * (y - v)];
    return s(
      "text class=axis text-anchor=middle dominant-baseline=central",
      {
        transform: `translate(${at[0]} ${at[1]}) rotate(${-90 * turns})`,
        "font-size": 0.34 * unit,
        "stroke-width": 0.07 * unit,
      },
      text,
    );
  };
  return [
    ...grid[0].map((at, col) => label("ABCDEFG"[col], at, grid[1][col])),
    ...grid.map((row, n) => label(String(n + 1), row[0], row[1])),
  ];
}

function badge(cell, corner, unit, picture, width, turns) {
  const [x, y] = cell.center;
  const group = s("g", { class: "badge", "data-cell": `${cell.row},${cell.col}` });
  group.append(s("polygon", { points: points(corner), fill: "transparent" }));
  if (cell.review)
    group.append(
      s("circle fill=none stroke=#fff", {
        cx: x,
        cy: y,
        r: 0.44 * unit,
        "stroke-width": 0.09 * unit,
      }),
      s("circle fill=none", {
        cx: x,
        cy: y,
        r: 0.44 * unit,
        stroke: DOUBT,
        "stroke-width": 0.05 * unit,
      }),
    );
  if (!picture) return group;
  // The corner that is shown at the lower right.
  const [right, down] = [
    [1, 1],
    [1, -1],
    [-1, -1],
    [-1, 1],
  ][turns];
  const lower = (p) => right * p[0] + down * p[1];
  const low = corner.reduce((best, p) => (lower(p) > lower(best) ? p : best));
  const size = (0.34 * unit) / 100;
  group.append(
    s(
      "g",
      {
        transform: `translate(${x + 0.62 * (low[0] - x)} ${y + 0.62 * (low[1] - y)}) rotate(${-90 * turns}) scale(${size}) translate(${-width / 2} -52)`,
      },

      s("rect height=110 rx=16 fill-opacity=0.93 stroke-width=5", {
        x: -6,
        y: -4,
        width: width + 12,
        fill: PAPER,
        stroke: cell.review ? DOUBT : INK,
      }),
      picture,
    ),
  );
  return group;
}
