// Small drawings for buttons, of strokes on 24 × 24 units in the text's colour. They are only looked
// at: screen readers skip them.

import { h, s } from "./dom.js";

const PATHS = {
  camera: "M3 8h4l2-3h6l2 3h4v12H3zM12 10.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
  pictures: "M7 3h14v12H7zM3 8v12h14M7 12l4-4 3 3 2-2 5 4",
  undo: "M9 5 4 10l5 5M4 10h10a5.5 5.5 0 0 1 0 11h-3",
  share: "M12 15V3M7.5 7 12 3l4.5 4M5 12v9h14v-9",
  game: "M4 3v3l11 11M20 3v3L9 17M12.5 17.5l5-5M11.5 17.5l-5-5M15.5 15.5 20 20M8.5 15.5 4 20",
  home: "M3 11.5 12 4l9 7.5M6 9.5V20h12V9.5M10 20v-6h4v6",
  close: "M6 6 18 18M18 6 6 18",
  done: "M4 13l5 5L20 6",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  whole: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  layers: "M3 5h18v14H3zM12 5v14M12 9h6M12 12h6M12 15h6",
  torch: "M13 2 5 14h6l-1 8 9-13h-7z",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
  edit: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
  lock: "M6 11h12v10H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11",
  swap: "M4 8h15M15 4l4 4-4 4M20 16H5M9 12l-4 4 4 4",
  crown: "M3 19V7l5 4.5L12 4l4 7.5L21 7v12z",
};

export const glyph = (name, kind = "") =>
  s("svg", { viewBox: "0 0 24 24", class: `glyph glyph-${name} ${kind}`, "aria-hidden": "true" }, [
    s("path", { d: PATHS[name] }),
  ]);

// A round button with a drawing; more: attributes.
export const round = (name, label, act, more = {}) =>
  h(
    "button.round",
    { type: "button", "aria-label": label, title: label, onclick: act, ...more },
    glyph(name),
  );
