// A spellbook's reading over the photo: filled squares, used powers, struck lines, chosen coats.

import { isWon } from "./bookline.js";
import { COATS, DOUBT, GOLD, INK, RED } from "./coats.js";
import { s } from "./dom.js";

const POWER = "#1d3f6e"; // a used power

// act(id): what a tap on a line or chosen coat does; false where nothing can be changed.
export function bookOverlay(sheet, act) {
  const group = s("g", { class: "overlay" });
  sheet.players.forEach((side, player) => {
    for (const coat of COATS) {
      const line = side.lines[coat];
      const { centers, reach, review } = line;
      group.append(badge(`line:${player},${coat}`, { centers, reach, review }, lineInk(line), act));
    }
    if (!side.choice) return;
    const { reach, review } = side.choice;
    const centers = Object.values(side.choice.centers);
    group.append(badge(`choice:${player}`, { centers, reach, review }, chosenInk(side), act));
  });
  return group;
}

// One part of the reading, with all its places to tap on.
function badge(id, { centers, reach, review }, drawn, act) {
  const targets = centers.map((at) => spot(at, 1.5 * reach, { fill: "transparent" }));
  const one = s("g", { class: "badge", "data-cell": id });
  one.append(...(review ? doubtFrame(centers, reach) : []), ...drawn, ...targets);
  if (act) one.addEventListener("click", () => act(id));
  return one;
}

const spot = (at, r, more) => s("circle", { cx: at[0], cy: at[1], r, ...more });

// The same drawn twice, with a white rim: it shows on any paper. draw(attributes) of its stroke.
const rimmed = (stroke, width, rim, draw) => [
  draw({ stroke: "#fff", "stroke-width": rim }),
  draw({ stroke, "stroke-width": width }),
];

// What a line holds.
function lineInk(line) {
  const { centers, reach, used_center: power } = line;
  const dot = (at, fill) =>
    spot(at, 0.7 * reach, { fill, stroke: "#fff", "stroke-width": 0.2 * reach });
  const d = `M${centers[0].join(" ")}L${centers.at(-1).join(" ")}`;
  const along = (more) => s("path", { d, "stroke-linecap": "round", ...more });
  const marker = {
    stroke: GOLD,
    "stroke-width": 3 * reach,
    "stroke-opacity": 0.7,
    class: "marker",
  };
  return [
    isWon(line) && along(marker),
    ...line.squares.map((filled, n) => filled && dot(centers[n], RED)),
    line.used && power && dot(power, POWER),
    ...(line.struck ? rimmed(INK, 0.45 * reach, 0.8 * reach, along) : []),
  ].filter(Boolean);
}

// A ring around the chosen coat.
function chosenInk({ choice: { centers, reach }, chosen_coat: coat }) {
  if (!coat) return [];
  return rimmed(RED, 0.3 * reach, 0.5 * reach, (more) =>
    spot(centers[coat], 1.5 * reach, { fill: "none", ...more }),
  );
}

// A frame around a row of places, turned as the row is.
function doubtFrame(centers, reach) {
  const [a, b] = [centers[0], centers.at(-1)];
  const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const along = [0, 1].map((k) => (1.6 * reach * (b[k] - a[k])) / long);
  const across = [-along[1], along[0]];
  const corner = (at, f, g) =>
    [0, 1].map((k) => (at[k] + f * along[k] + g * across[k]).toFixed(1)).join(",");
  const points = [corner(a, -1, -1), corner(b, 1, -1), corner(b, 1, 1), corner(a, -1, 1)];
  return rimmed(DOUBT, 0.3 * reach, 0.5 * reach, (more) =>
    s("polygon", { points: points.join(" "), "stroke-linejoin": "round", fill: "none", ...more }),
  );
}
