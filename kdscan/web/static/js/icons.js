// Small drawings for buttons, of strokes on 24 × 24 units in the text's colour. They are only looked
// at: screen readers skip them.

import { button, drawing, h, picture } from "./dom.js";

export const glyph = (name) =>
  picture("0 0 24 24", `glyph glyph-${name}`, drawing(`glyph-${name}`));

// A round button with a drawing; more: attributes.
export const round = (name, label, act, more = {}) =>
  h(
    "button.round type=button",
    { "aria-label": label, title: label, onclick: act, ...more },
    glyph(name),
  );

// Actions that are rarely wanted, behind one button. items: [label, act], or null.
export function menu(label, items) {
  const close = () => element.removeAttribute("open");
  const item = ([text, act]) =>
    button(text, () => {
      close();
      act();
    });
  const pairs = items.filter(Boolean).flatMap((one) => (typeof one[0] === "string" ? [one] : one));
  const summary = h("summary", { "aria-label": label, title: label }, glyph("more"));
  const element = h("details.menu", summary, h("div.card", pairs.map(item)));
  element.addEventListener("focusout", ({ relatedTarget: to }) => element.contains(to) || close());
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    summary.focus();
  });
  return element;
}
