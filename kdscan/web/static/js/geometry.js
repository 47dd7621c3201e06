// Where cells lie in the photo: the same construction as in kdscan.overlay.

import { COLS, ROWS } from "./board.js";

// Centres of all 35 cells as rows of [x, y]; the castle's is the mean of its neighbours'.
export function centers(sheet) {
  const grid = Array.from({ length: ROWS }, () => Array(COLS).fill(null));
  for (const cell of sheet.cells) grid[cell.row][cell.col] = cell.center;
  const around = [grid[1][3], grid[3][3], grid[2][2], grid[2][4]];
  grid[2][3] = [0, 1].map((k) => around.reduce((sum, p) => sum + p[k], 0) / 4);
  return grid;
}

// Corners between cells, 6 × 8: means of four centres, which go on outside as they do inside.
export function corners(grid) {
  const beyond = (a, b) => [2 * a[0] - b[0], 2 * a[1] - b[1]];
  const wide = grid.map((row) => [beyond(row[0], row[1]), ...row, beyond(row[6], row[5])]);
  wide.unshift(wide[0].map((p, c) => beyond(p, wide[1][c])));
  wide.push(wide[5].map((p, c) => beyond(p, wide[4][c])));
  return Array.from({ length: ROWS + 1 }, (_, r) => Array.from({ length: COLS + 1 }, (_, c) =>
    [0, 1].map((k) => (wide[r][c][k] + wide[r + 1][c][k] + wide[r][c + 1][k] + wide[r + 1][c + 1][k]) / 4)));
}

export const quad = (lattice, row, col) =>
  [lattice[row][col], lattice[row][col + 1], lattice[row + 1][col + 1], lattice[row + 1][col]];

// The map that brings a cell upright into a square of that many units: an SVG matrix.
export function upright(lattice, row, col, units, margin = 0.18) {
  const [a, b, c, d] = quad(lattice, row, col);
  const right = [(b[0] - a[0] + c[0] - d[0]) / 2, (b[1] - a[1] + c[1] - d[1]) / 2];
  const down = [(d[0] - a[0] + c[0] - b[0]) / 2, (d[1] - a[1] + c[1] - b[1]) / 2];
  const middle = [0, 1].map((k) => (a[k] + b[k] + c[k] + d[k]) / 4);
  const scale = units / (1 + 2 * margin);
  const det = right[0] * down[1] - right[1] * down[0];
  // Rows of the inverse: photo vector → share of a cell to the right, and downwards.
  const u = [down[1] / det, -down[0] / det], v = [-right[1] / det, right[0] / det];
  const shift = (w) => units / 2 - scale * (w[0] * middle[0] + w[1] * middle[1]);
  return [scale * u[0], scale * v[0], scale * u[1], scale * v[1], shift(u), shift(v)]
    .map((x) => Number(x.toPrecision(7)));
}

// How far a cell is across in the photo, pixels.
export function pitch(grid) {
  const [a, b] = [grid[2][0], grid[2][6]];
  return Math.hypot(b[0] - a[0], b[1] - a[1]) / 6;
}
