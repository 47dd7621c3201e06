// Pictures that are drawn here: the result as one, shared where the phone can, else saved.

import { serverTime } from "./api.js";
import { drawing, h, s, toast } from "./dom.js";
import { joined, language, pointsText, t } from "./i18n.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";
import { INK, RED } from "./marks.js";

const WIDE = 1200;
const HIGHEST = 840;
const WIDEST_LINE = 1900; // letters of a line times their size
const FACE = "Palatino, 'Palatino Linotype', 'Book Antiqua', 'URW Palladio L', Georgia, serif";

// What a total contains that the board does not show.
const besides = ({ score: { wizard, middle_kingdom: castle, harmony } }) =>
  joined(
    wizard > 0 && t("of which from the wizard: {n}", { n: wizard }),
    castle > 0 && `${t("The castle lies in the middle")}: ${castle}`,
    harmony > 0 && `${t("Harmony: the kingdom is complete")}: ${harmony}`,
  );

// A self-contained SVG: nothing in it depends on the page's style sheet.
function card(all, game) {
  const sheets = all.filter(hasScore);
  const boards = sheets.map((sheet) => kindOf(sheet).draw(sheet, { doubts: false, labels: false }));
  const [across, down] = boards[0].getAttribute("viewBox").split(" ").slice(2).map(Number);
  const height = Math.min(HIGHEST, (1120 * down) / across);
  const width = (height * across) / down;
  const more = sheets.some(besides) ? 44 : 0;
  const each = height + 142 + more;
  const high = 130 + each * sheets.length + 60;
  const middle = { x: WIDE / 2, "text-anchor": "middle", fill: INK, "font-family": FACE };
  const text = (y, size, what, rest = {}) => {
    const fitting = Math.min(size, WIDEST_LINE / what.length);
    return s("text", { ...middle, y, "font-size": fitting, ...rest }, what);
  };
  const inside = (n) => ({ width: WIDE - 2 * n, height: high - 2 * n });
  const title = sheets[0].kind === "kingdom" ? "Kingdomino" : "Kingdomino Duel";
  const date = new Date(serverTime()).toLocaleDateString(language, { dateStyle: "long" });
  const xmlns = "http://www.w3.org/2000/svg";
  const svg = s("svg", { xmlns, viewBox: `0 0 ${WIDE} ${high}`, width: WIDE, height: high }, [
    s("rect", { width: WIDE, height: high, fill: "#f3e7c9" }),
    s("rect x=14 y=14 rx=18 fill=none stroke-width=6", { ...inside(14), stroke: RED }),
    s("rect x=26 y=26 rx=12 fill=none stroke=#b8892b stroke-width=2", inside(26)),
    text(96, 58, title, { "font-weight": 700, "letter-spacing": 3 }),
    text(high - 46, 26, `kdscan · ${date}`, { "fill-opacity": 0.75 }),
  ]);
  sheets.forEach((sheet, n) => {
    const top = 130 + n * each;
    const won = game?.winners.length === 1 && game.winners.includes(n);
    const name = (sheets.length > 1 || sheet.player) && `${nameOf(sheet, sheets)}: `;
    const line = (name || "") + pointsText(sheet.score.total) + (sheet.review ? "\u00a0?" : "");
    svg.append(text(top + 60, 64, line, { "font-weight": 700, fill: won ? RED : INK }));
    if (won)
      svg.append(s("g", { transform: `translate(600 ${top - 20}) scale(1.8)` }, drawing("crown")));
    if (besides(sheet)) svg.append(text(top + 104, 32, besides(sheet)));
    const at = { x: (WIDE - width) / 2, y: top + 85 + more, width, height };
    for (const [key, value] of Object.entries(at)) boards[n].setAttribute(key, value);
    svg.append(boards[n]);
  });
  return { svg, high };
}

async function picture(sheets, game) {
  const { svg, high } = card(sheets, game);
  const file = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
  if (!canvasWorks()) return file;
  const url = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return (await toBlob(image, WIDE, high, "image/png")) ?? file;
  } catch {
    return file; /* a phone that is short of memory draws nothing */
  } finally {
    URL.revokeObjectURL(url);
  }
}

export async function share(sheets, game) {
  const blob = await picture(sheets, game);
  const { type } = blob;
  const totals = sheets.filter(hasScore).map((sheet) => sheet.score.total);
  const name = `kingdomino-${totals.join("-")}.${type === "image/png" ? "png" : "svg"}`;
  const files = [new File([blob], name, { type })];
  if (navigator.canShare?.({ files })) {
    const shared = await navigator.share({ files }).catch((error) => error);
    if (!shared || shared.name === "AbortError") return;
  }
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  toast(t("The picture was saved."));
}

// Helpers for pictures that are drawn here.

const COLOR = [200, 120, 40, 255];

const canvasOf = (width, height) =>
  Object.assign(document.createElement("canvas"), { width, height });

// Whether a canvas returns what was drawn on it. Browsers that resist fingerprinting (Firefox with
// resistFingerprinting, Tor) return noise: a photo drawn on one would be lost. An iPhone whose
// memory for canvases is used up gives nothing to draw on.
export function canvasWorks() {
  const context = canvasOf(8, 8).getContext("2d");
  if (!context) return false;
  context.fillStyle = `rgb(${COLOR.slice(0, 3).join()})`;
  context.fillRect(0, 0, 8, 8);
  const { data } = context.getImageData(0, 0, 8, 8);
  return data.every((value, n) => Math.abs(value - COLOR[n % 4]) < 8);
}

// A picture as a file of this size; null if it cannot be drawn.
export function toBlob(picture, width, height, type, quality) {
  const canvas = canvasOf(Math.round(width), Math.round(height));
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}

// From the unit square to a quadrilateral, corners clockwise from the upper left (Heckbert 1989).
export function toQuad([a, b, c, d]) {
  const sum = [0, 1].map((k) => a[k] - b[k] + c[k] - d[k]);
  const [p, q] = [b, d].map((one) => [one[0] - c[0], one[1] - c[1]]);
  const det = p[0] * q[1] - q[0] * p[1];
  const g = (sum[0] * q[1] - q[0] * sum[1]) / det;
  const k = (p[0] * sum[1] - sum[0] * p[1]) / det;
  return (u, v) =>
    [0, 1].map(
      (n) =>
        ((b[n] - a[n] + g * b[n]) * u + (d[n] - a[n] + k * d[n]) * v + a[n]) / (g * u + k * v + 1),
    );
}

// A part of a picture brought flat, as a JPEG. at(x, y): where a pixel of it is in the picture.
export async function flattened(picture, [width, height], at) {
  const from = canvasOf(picture.naturalWidth, picture.naturalHeight).getContext("2d");
  from.drawImage(picture, 0, 0);
  const source = from.getImageData(0, 0, from.canvas.width, from.canvas.height);
  const to = canvasOf(width, height).getContext("2d");
  const image = to.createImageData(width, height);
  const [pixels, out] = [source, image].map(({ data }) => new Uint32Array(data.buffer));
  for (let y = 0, n = 0; y < height; y++)
    for (let x = 0; x < width; x++, n++) {
      const [column, row] = at(x, y).map(Math.round);
      const inside = column >= 0 && row >= 0 && column < source.width && row < source.height;
      out[n] = inside ? pixels[row * source.width + column] : 0xff808080;
    }
  to.putImageData(image, 0, 0);
  return new Promise((resolve) => to.canvas.toBlob(resolve, "image/jpeg", 0.92));
}
