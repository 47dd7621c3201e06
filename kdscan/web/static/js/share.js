// The result as a picture: parchment, boards, totals; shared where the phone can, else saved.

import { serverTime } from "./api.js";
import { canvasWorks, toBlob } from "./canvas.js";
import { INK } from "./coats.js";
import { s, toast } from "./dom.js";
import { language, pointsText, t } from "./i18n.js";
import { hasScore, kindOf, nameOf } from "./kinds.js";

const WIDE = 1200,
  HIGHEST = 840,
  WIDEST_LINE = 1900; // the last: letters of a line times their size

// What a total contains that the board does not show.
const besides = ({ score }) =>
  [
    score.wizard > 0 && t("of which from the wizard: {n}", { n: score.wizard }),
    score.middle_kingdom > 0 && `${t("The castle lies in the middle")}: ${score.middle_kingdom}`,
    score.harmony > 0 && `${t("Harmony: the kingdom is complete")}: ${score.harmony}`,
  ]
    .filter(Boolean)
    .join(" · ");

// A self-contained SVG: nothing in it depends on the page's style sheet.
function card(all, game) {
  const sheets = all.filter(hasScore);
  const boards = sheets.map((sheet) => kindOf(sheet).draw(sheet, { doubts: false, labels: false }));
  const [across, down] = boards[0].getAttribute("viewBox").split(" ").slice(2).map(Number);
  const tall = Math.min(HIGHEST, (1120 * down) / across),
    wide = (tall * across) / down;
  const more = sheets.some(besides) ? 44 : 0,
    each = tall + 142 + more,
    high = 130 + each * sheets.length + 60;
  const text = (x, y, size, what, more = {}) =>
    s(
      "text",
      {
        x,
        y,
        "font-size": size,
        "text-anchor": "middle",
        fill: INK,
        "font-family":
          "Palatino, 'Palatino Linotype', 'Book Antiqua', 'URW Palladio L', Georgia, serif",
        ...more,
      },
      what,
    );
  const svg = s(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${WIDE} ${high}`,
      width: WIDE,
      height: high,
    },

    s("rect", { width: WIDE, height: high, fill: "#f3e7c9" }),
    s("rect", {
      x: 14,
      y: 14,
      width: WIDE - 28,
      height: high - 28,
      rx: 18,
      fill: "none",
      stroke: "#8b1a1a",
      "stroke-width": 6,
    }),
    s("rect", {
      x: 26,
      y: 26,
      width: WIDE - 52,
      height: high - 52,
      rx: 12,
      fill: "none",
      stroke: "#b8892b",
      "stroke-width": 2,
    }),
  );
  svg.append(
    text(WIDE / 2, 96, 58, sheets[0].kind === "kingdom" ? "Kingdomino" : "Kingdomino Duel", {
      "font-weight": 700,
      "letter-spacing": 3,
    }),
  );
  sheets.forEach((sheet, n) => {
    const top = 130 + n * each,
      won = game?.winners.length === 1 && game.winners.includes(n);
    const title = sheets.length > 1 ? `${won ? "♛ " : ""}${nameOf(sheet, sheets)}: ` : "";
    const line = title + pointsText(sheet.score.total);
    svg.append(
      text(WIDE / 2, top + 60, Math.min(64, WIDEST_LINE / line.length), line, {
        "font-weight": 700,
        fill: won ? "#8b1a1a" : INK,
      }),
    );
    if (besides(sheet))
      svg.append(
        text(
          WIDE / 2,
          top + 104,
          Math.min(32, WIDEST_LINE / besides(sheet).length),
          besides(sheet),
        ),
      );
    for (const [name, value] of Object.entries({
      x: (WIDE - wide) / 2,
      y: top + 85 + more,
      width: wide,
      height: tall,
    }))
      boards[n].setAttribute(name, value);
    svg.append(boards[n]);
  });
  svg.append(
    text(
      WIDE / 2,
      high - 46,
      26,
      `kdscan · ${new Date(serverTime()).toLocaleDateString(language, { dateStyle: "long" })}`,
      { "fill-opacity": 0.75 },
    ),
  );
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
  const name = `kingdomino-${sheets
    .filter(hasScore)
    .map((sheet) => sheet.score.total)
    .join("-")}`;
  const file = new File([blob], `${name}.${blob.type === "image/png" ? "png" : "svg"}`, {
    type: blob.type,
  });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file] });
      return;
    } catch (error) {
      if (error.name === "AbortError") return;
    }
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  toast(t("The picture was saved."));
}
