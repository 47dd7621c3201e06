// The reading of a grid drawn over the photo; and one cell cut out of the photo.

import { DOMAIN_COLORS, DOUBT, INK, PAPER } from "./coats.js";
import { s } from "./dom.js";
import { centers, corners, cutOut, pitch, quad, rim, upright } from "./geometry.js";
import { t } from "./i18n.js";

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
        s("polygon", {
          points: points(quad(lattice, row, col)),
          class: "marker",
          fill: DOMAIN_COLORS[domain.color],
          "fill-opacity": 0.5,
        }),
      );
    }
  }
  group.append(
    s("polyline", {
      points: points(rim(lattice)),
      fill: "none",
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
  group.append(...axes(grid, unit, turns));
  return group;
}

// A to G above the grid and 1 to 5 beside it, as on the board.
function axes(grid, unit, turns) {
  const label = (text, [x, y], [u, v]) => {
    const at = [x + 0.78 * (x - u), y + 0.78 * (y - v)];
    return s(
      "text",
      {
        transform: `translate(${at[0]} ${at[1]}) rotate(${-90 * turns})`,
        class: "axis",
        "font-size": 0.34 * unit,
        "stroke-width": 0.07 * unit,
        "text-anchor": "middle",
        "dominant-baseline": "central",
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
      s("circle", {
        cx: x,
        cy: y,
        r: 0.44 * unit,
        fill: "none",
        stroke: "#fff",
        "stroke-width": 0.09 * unit,
      }),
      s("circle", {
        cx: x,
        cy: y,
        r: 0.44 * unit,
        fill: "none",
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

      s("rect", {
        x: -6,
        y: -4,
        width: width + 12,
        height: 110,
        rx: 16,
        fill: PAPER,
        "fill-opacity": 0.93,
        stroke: cell.review ? DOUBT : INK,
        "stroke-width": 5,
      }),
      picture,
    ),
  );
  return group;
}
