// A spellbook: the content of its lines, drawn as two pages around the coats, and over the photo.

import { button, doubtRing, walk } from "./board.js";
import { COATS, DOUBT, INK, PAPER, coatName, icon, shield } from "./coats.js";
import { h, s } from "./dom.js";
import { axes, brought, cutOut } from "./geometry.js";
import { t, tn } from "./i18n.js";
import { coatKey, coats, numbers, pictures } from "./parts.js";

// The order in which our spellbook prints its lines.
const PRINTED = ["dot", "line", "double_dot", "double_line", "filled", "checked"];

const SIDES = [() => t("left"), () => t("right")];

// Who won a line: it is full and not struck.
const full = (line) => line.filled >= line.squares.length && !line.struck;

const lineWords = ({ filled, struck, used }) =>
  [tn("{n} square", "{n} squares", filled), struck && t("struck through"), used && t("power used")]
    .filter(Boolean)
    .join(", ");

// The order of a side's places on its page from left to right: numbers of squares, and "used".
function order(sheet, line) {
  const [right] = axes(sheet.outline),
    along = (p) => p[0] * right[0] + p[1] * right[1];
  const places = line.centers.map((at, k) => [along(at), k]);
  if (line.used_center) places.push([along(line.used_center), "used"]);
  return places.sort((a, b) => a[0] - b[0]).map(([, what]) => what);
}

const lineIcon = (line, places) =>
  s(
    "svg",
    { viewBox: `0 0 ${26 * places.length} 30`, class: "icon line-icon", "aria-hidden": "true" },
    row(line, places, 0, 15, 26),
  );

// Squares and the power's circle of one line, in the order of the page. squares: which are filled; by
// default the first ones.
function row({ filled, struck, used, squares }, places, x, y, step) {
  const side = 0.74 * step,
    at = (n) => x + step * (n + 0.5),
    of = places
      .map((what, n) => [what, n])
      .filter(([what]) => what !== "used")
      .map(([, n]) => n);
  const one = (what) =>
    what === "used"
      ? s("circle", {
          r: side / 2.4,
          fill: used ? "#8b1a1a" : PAPER,
          stroke: INK,
          "stroke-width": step / 14,
          ...(used ? {} : { "stroke-dasharray": "3 2" }),
        })
      : s(
          "g",
          {},
          s("rect", {
            x: -side / 2,
            y: -side / 2,
            width: side,
            height: side,
            rx: 2,
            fill: PAPER,
            stroke: INK,
            "stroke-width": step / 14,
          }),
          (squares ? squares[what] : what < filled) &&
            s("path", {
              d: `M${-side / 3} ${-side / 3} ${side / 3} ${side / 3}M${side / 3} ${-side / 3} ${-side / 3} ${side / 3}`,
              stroke: "#8b1a1a",
              "stroke-width": step / 7,
              "stroke-linecap": "round",
            }),
        );
  return [
    ...places.map((what, n) => s("g", { transform: `translate(${at(n)} ${y})` }, one(what))),
    struck &&
      s("path", {
        d: `M${at(of[0]) - step / 2} ${y}H${at(of.at(-1)) + step / 2}`,
        stroke: INK,
        "stroke-width": step / 6,
        "stroke-linecap": "round",
      }),
  ].filter(Boolean);
}

const linePart = (sheet, player, coat) => {
  const line = sheet.players[player].lines[coat],
    squares = line.squares.length,
    places = order(sheet, line);
  const value = ({ filled, struck, used }) => ({ filled, struck, used });
  return {
    id: `line:${player},${coat}`,
    name: t("{side}, {coat}", { side: SIDES[player](), coat: coatName(coat) }),
    read: value(line),
    confidence: line.confidence,
    review: line.review,
    alternatives: (line.alternatives ?? []).map((o) => ({
      ...value(o),
      probability: o.probability,
    })),
    value,
    icon: (one) => lineIcon(one, places),
    words: lineWords,
    short: lineWords,
    request: (part, one) => ["lines", { player, coat, ...one }],
    question: (name) => t("What does this line show: {line}?", { line: name }),
    crop: (page) =>
      strip(page, sheet, [...line.centers, line.used_center ?? line.centers[0]], line.reach),
    controls: (one, change) => [
      numbers(
        t("Squares filled"),
        Array.from({ length: squares + 1 }, (_, n) => n),
        one.filled,
        String,
        (n) => tn("{n} square", "{n} squares", n),
        squares,
        (filled) => change({ ...one, filled }),
      ),
      h(
        "div",
        { class: "row" },
        ...[
          ["struck", t("struck through")],
          ["used", t("power used")],
        ].map(([what, words]) =>
          h(
            "button",
            {
              type: "button",
              class: "tab",
              "aria-pressed": String(one[what]),
              onclick: () => change({ ...one, [what]: !one[what] }),
            },
            words,
          ),
        ),
      ),
    ],
    press(one, key) {
      if (/^[0-5]$/.test(key) && Number(key) <= squares) return { ...one, filled: Number(key) };
      if (key === "x" || key === "+") return { ...one, filled: (one.filled + 1) % (squares + 1) };
      return key === "s"
        ? { ...one, struck: !one.struck }
        : key === "p"
          ? { ...one, used: !one.used }
          : null;
    },
  };
};

const choicePart = (sheet, player) => {
  const side = sheet.players[player],
    { choice } = side;
  const words = ({ coat }) => (coat ? coatName(coat) : t("none"));
  return {
    id: `choice:${player}`,
    name: t("{side}, chosen coat", { side: SIDES[player]() }),
    read: { coat: side.chosen_coat },
    confidence: choice.confidence,
    review: choice.review,
    alternatives: choice.alternatives,
    value: ({ coat }) => ({ coat }),
    icon: ({ coat }) => icon({ coat, crosses: 0 }),
    words,
    short: words,
    request: (part, { coat }) => ["choices", { player, coat }],
    question: (name) => t("Which coat is marked: {line}?", { line: name }),
    crop: (page) => strip(page, sheet, Object.values(choice.centers), choice.reach),
    controls: ({ coat }, change) => [
      pictures(
        t("Coat of arms"),
        coats().map(([one, picture]) => [one, picture, words({ coat: one })]),
        coat,
        (one) => change({ coat: one }),
      ),
    ],
    press: (one, key) => (coatKey(key) === undefined ? null : { coat: coatKey(key) }),
  };
};

// A part of the page cut out of the photo, upright: all these places with some paper around them.
function strip(page, sheet, places, reach) {
  const [right, down] = axes(sheet.outline),
    dot = (p, v) => p[0] * v[0] + p[1] * v[1];
  const span = (v) => {
    const all = places.map((p) => dot(p, v));
    return [Math.min(...all) - 2 * reach, Math.max(...all) + 2 * reach];
  };
  const [x, y] = [span(right), span(down)],
    [wide, high] = [x[1] - x[0], y[1] - y[0]];
  // The axes are nearly at right angles, so their sums give the place in the photo.
  const middle = [0, 1].map((k) => (right[k] * (x[0] + x[1])) / 2 + (down[k] * (y[0] + y[1])) / 2);
  const units = [Math.round((100 * wide) / high), 100];
  const matrix = brought(
    middle,
    right.map((k) => k * wide),
    down.map((k) => k * high),
    units,
  );
  return cutOut(page, matrix, units, t("This place in the photo"), "crop strip");
}

// Two pages with a line for each coat, the coats between them, and the chosen coats below.
function draw(sheet, { onCell = null, doubts = true } = {}) {
  const svg = s("svg", {
    class: "board",
    viewBox: "0 0 712 690",
    role: onCell ? "group" : "img",
    "aria-label": t("The spellbook as it was read"),
  });
  svg.append(
    s("rect", {
      x: 6,
      y: 6,
      width: 700,
      height: 678,
      rx: 18,
      fill: "#8b1a1a",
      stroke: INK,
      "stroke-width": 4,
    }),
    ...[16, 358].map((x) =>
      s("rect", {
        x,
        y: 16,
        width: 338,
        height: 658,
        rx: 10,
        fill: "#f4e8c9",
        stroke: INK,
        "stroke-width": 2,
      }),
    ),
    s("path", { d: "M356 16V674", stroke: INK, "stroke-opacity": 0.5, "stroke-width": 6 }),
  );
  PRINTED.forEach((coat, n) => {
    const y = 26 + 88 * n;
    svg.append(s("g", { transform: `translate(328 ${y + 4}) scale(.8)` }, shield(coat)));
    [0, 1].forEach((player) => {
      const line = sheet.players[player].lines[coat];
      const places = order(sheet, line),
        from = player === 0 ? 296 - 48 * places.length : 4;
      const group = s("g", {
        transform: `translate(${player === 0 ? 20 : 392} ${y})`,
        class: "cell",
        "data-cell": `line:${player},${coat}`,
        "data-at": `${n},${player}`,
      });
      group.append(
        ...[
          full(line) &&
            s("rect", {
              x: 2,
              y: 4,
              width: 296,
              height: 76,
              rx: 12,
              fill: "#e2b75a",
              "fill-opacity": 0.55,
            }),
          ...row(line, places, from, 42, 48),
        ].filter(Boolean),
      );
      if (full(line) && places.length < 6)
        group.append(
          s(
            "text",
            {
              x: player === 0 ? 26 : 274,
              y: 34,
              "font-size": 30,
              "text-anchor": "middle",
              fill: "#7a5406",
              "aria-hidden": "true",
            },
            "♛",
          ),
        );
      if (doubts && line.review) group.append(...doubtRing(290, 74));
      if (onCell)
        button(
          group,
          [
            `${SIDES[player]()}, ${coatName(coat)}`,
            lineWords(line),
            full(line) && t("line won"),
            line.review && t("please check"),
          ]
            .filter(Boolean)
            .join(", "),
          () => onCell(`line:${player},${coat}`),
          [292, 76],
        );
      svg.append(group);
    });
  });
  [0, 1].forEach((player) => {
    const side = sheet.players[player];
    const group = s("g", {
      transform: `translate(${player === 0 ? 24 : 368} 564)`,
      class: "cell",
      "data-cell": `choice:${player}`,
      "data-at": `6,${player}`,
    });
    group.append(
      s(
        "text",
        {
          x: 160,
          y: 22,
          "font-size": 20,
          "text-anchor": "middle",
          fill: INK,
          "aria-hidden": "true",
        },
        t("chosen coat"),
      ),
    );
    COATS.forEach((coat, n) => {
      const chosen = side.chosen_coat === coat;
      group.append(
        s(
          "g",
          { transform: `translate(${10 + 50 * n} 34) scale(.56)`, opacity: chosen ? 1 : 0.55 },
          chosen &&
            s("rect", {
              x: -8,
              y: -6,
              width: 86,
              height: 112,
              rx: 14,
              fill: "#e2b75a",
              stroke: "#8b1a1a",
              "stroke-width": 7,
            }),
          shield(coat),
        ),
      );
    });
    if (doubts && side.choice?.review) group.append(...doubtRing(306, 92));
    if (onCell)
      button(
        group,
        [
          `${SIDES[player]()}, ${t("chosen coat")}`,
          side.chosen_coat ? coatName(side.chosen_coat) : t("none"),
          side.choice.review && t("please check"),
        ]
          .filter(Boolean)
          .join(", "),
        () => onCell(`choice:${player}`),
        [308, 94],
      );
    svg.append(group);
  });
  if (onCell) walk(svg);
  return svg;
}

// The reading over the photo: filled squares, used powers, struck lines, chosen coats.
function overlay(sheet, act) {
  const group = s("g", { class: "overlay" });
  const spot = (at, r, more) => s("circle", { cx: at[0], cy: at[1], r, ...more });
  const ring = (places, reach) => {
    const [a, b] = [places[0], places.at(-1)],
      long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const u = [0, 1].map((k) => (1.6 * reach * (b[k] - a[k])) / long),
      n = [-u[1], u[0]];
    const corner = (p, f, g) =>
      [0, 1].map((k) => (p[k] + f * u[k] + g * n[k]).toFixed(1)).join(",");
    const points = [corner(a, -1, -1), corner(b, 1, -1), corner(b, 1, 1), corner(a, -1, 1)].join(
      " ",
    );
    return [
      ["#fff", 0.5],
      [DOUBT, 0.3],
    ].map(([stroke, width]) =>
      s("polygon", {
        points,
        stroke,
        "stroke-width": width * reach,
        "stroke-linejoin": "round",
        fill: "none",
      }),
    );
  };
  const part = (id, places, reach, review, drawn) => {
    const one = s("g", { class: "badge", "data-cell": id });
    if (review) one.append(...ring(places, reach));
    one.append(...drawn);
    for (const at of places) one.append(spot(at, 1.5 * reach, { fill: "transparent" }));
    if (act) one.addEventListener("click", () => act(id));
    group.append(one);
  };
  sheet.players.forEach((side, player) => {
    for (const coat of COATS) {
      const line = side.lines[coat],
        { reach } = line,
        [a, b] = [line.centers[0], line.centers.at(-1)];
      part(
        `line:${player},${coat}`,
        line.centers,
        reach,
        line.review,
        [
          full(line) &&
            s("path", {
              d: `M${a.join(" ")}L${b.join(" ")}`,
              stroke: "#e2b75a",
              "stroke-width": 3 * reach,
              "stroke-linecap": "round",
              class: "marker",
              "stroke-opacity": 0.7,
            }),
          ...line.squares.map(
            (marked, k) =>
              marked &&
              spot(line.centers[k], 0.7 * reach, {
                fill: "#8b1a1a",
                stroke: "#fff",
                "stroke-width": 0.2 * reach,
              }),
          ),
          line.used &&
            line.used_center &&
            spot(line.used_center, 0.7 * reach, {
              fill: "#1d3f6e",
              stroke: "#fff",
              "stroke-width": 0.2 * reach,
            }),
          line.struck &&
            [
              ["#fff", 0.8],
              [INK, 0.45],
            ].map(([stroke, width]) =>
              s("path", {
                d: `M${a.join(" ")}L${b.join(" ")}`,
                stroke,
                "stroke-width": width * reach,
                "stroke-linecap": "round",
              }),
            ),
        ]
          .flat()
          .filter(Boolean),
      );
    }
    if (!side.choice) return;
    const { centers, reach, review } = side.choice;
    part(
      `choice:${player}`,
      Object.values(centers),
      reach,
      review,
      side.chosen_coat
        ? [
            ["#fff", 0.5],
            ["#8b1a1a", 0.3],
          ].map(([stroke, width]) =>
            spot(centers[side.chosen_coat], 1.5 * reach, {
              fill: "none",
              stroke,
              "stroke-width": width * reach,
            }),
          )
        : [],
    );
  });
  return group;
}

export const spellbook = {
  name: () => t("Spellbook"),
  numbered: () => t("Spellbook"),
  toLook: (n) => tn("{n} line to look at", "{n} lines to look at", n),
  parts: (sheet) =>
    [0, 1].flatMap((player) => [
      ...PRINTED.map((coat) => linePart(sheet, player, coat)),
      ...(sheet.players[player].choice ? [choicePart(sheet, player)] : []),
    ]),
  draw,
  overlay,
  help: () => [
    [["0", "…", "5"], t("number of squares")],
    [["x"], t("one more square")],
    [["s"], t("struck through")],
    [["p"], t("power used")],
    [["d", "D", "l", "L", "f", "c", "."], t("the chosen coat")],
  ],
};

// Who won which wizard: the spellbook in words.
export function winners(sheet) {
  const won = [0, 1].map((player) =>
    COATS.filter((coat) => full(sheet.players[player].lines[coat])),
  );
  return h(
    "section",
    { class: "sum card" },
    h("h2", {}, t("The wizards")),
    h(
      "div",
      { class: "versus" },
      won.map((list, player) =>
        h(
          "div",
          {},
          h("h3", {}, SIDES[player]()),
          list.length
            ? h(
                "ul",
                { class: "wizards" },
                list.map((coat) =>
                  h(
                    "li",
                    {},
                    icon({ coat, crosses: 0 }),
                    " ",
                    coatName(coat),
                    coat === "filled" && sheet.players[player].chosen_coat
                      ? ` → ${coatName(sheet.players[player].chosen_coat)}`
                      : "",
                    sheet.players[player].lines[coat].used
                      ? h("small", {}, ` (${t("power used")})`)
                      : "",
                  ),
                ),
              )
            : h("p", { class: "none" }, t("no wizard")),
        ),
      ),
    ),
  );
}
