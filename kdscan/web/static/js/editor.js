// Saying what a shield, square or line holds: choices from below, one tap each.

import { h, put } from "./dom.js";
import { percent, t } from "./i18n.js";

const NEAR = 24; // pixels that a finger moves in a tap
const TWICE = 350; // milliseconds between the two taps of a double tap

let last = { x: 0, y: 0, time: -Infinity };

const near = (a, b) => Math.hypot(a.clientX - b.x, a.clientY - b.y) < NEAR;

// The click that follows a tap, and the second tap of two: what lies there now may have moved there
// after the first one's answer.
const justTapped = (event) => event.timeStamp - last.time < TWICE && near(event, last);

// Listeners by which a finger's tap counts for what it was put on. Browsers make no click of it
// while the page still scrolls; and where the page was drawn anew under the finger meanwhile they
// click what lies there now, which nobody meant.
function tapping(act) {
  const down = (start) => {
    if (!start.isPrimary || start.pointerType === "mouse") return;
    const end = (event) => {
      if (event.pointerId !== start.pointerId) return;
      removeEventListener("pointerup", end, true);
      removeEventListener("pointercancel", end, true);
      if (event.type === "pointercancel" || !near(event, { x: start.clientX, y: start.clientY })) return;
      const again = justTapped(start);
      last = { x: event.clientX, y: event.clientY, time: event.timeStamp };
      if (!again) act();
    };
    addEventListener("pointerup", end, true);
    addEventListener("pointercancel", end, true);
  };
  // A mouse, keys, and what reads the page aloud.
  const click = (event) => {
    if (event.detail < 2 && !justTapped(event)) act();
  };
  return { onpointerdown: down, onclick: click };
}

// One button for one reading of a part, with how likely it is.
export function choice(part, value, probability, act) {
  const sure = percent(probability);
  return h("button", { type: "button", class: "choice", "aria-pressed": "false", ...tapping(act),
    "aria-label": [part.words(value), sure].filter(Boolean).join(", ") },
  part.icon(value), h("span", { class: "choice-name", "aria-hidden": "true" }, part.short(value)),
  h("span", { class: "sure", "aria-hidden": "true" }, sure));
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What a doubtful part may be: as read first, then the likeliest others; [value, probability].
export const options = (part) => [
  [part.read, part.confidence],
  ...part.alternatives.map((other) => [part.value(other), other.probability]).filter(([value]) => !same(value, part.read)),
];

// Opens the chooser; `say(value)` is called with what the person chose.
export function openEditor(page, part, say) {
  const dialog = document.getElementById("editor");
  let value = part.read;
  const close = () => dialog.close();
  const done = (chosen) => { close(); say(chosen); };
  const body = h("div", { class: "controls" });
  const change = (fresh) => {
    value = fresh;
    const focused = [...body.querySelectorAll("button")].indexOf(document.activeElement);
    render();
    if (focused >= 0) body.querySelectorAll("button")[focused].focus();
  };
  const render = () => put(body, part.controls(value, change),
    h("div", { class: "row end" },
      h("button", { type: "button", class: "quiet", onclick: close }, t("Cancel")),
      h("button", { type: "button", class: "main", onclick: () => done(value) }, part.icon(value), t("That is it"))));
  render();
  const likely = part.review && part.alternatives.length
    ? h("div", { class: "choices" }, options(part).map(([one, p]) => choice(part, one, p, () => done(one))))
    : h("p", { class: "as-read" }, part.icon(part.read), h("span", {}, t("Read as {marks}", { marks: part.words(part.read) }), h("small", {}, t("{sure} sure", { sure: percent(part.confidence) }))));
  const cut = page?.view && part.crop(page);
  put(dialog, h("form", { method: "dialog", class: "editor" },
    h("h2", { tabindex: "-1" }, part.question(part.name)),
    h("div", { class: "editor-top" }, cut, likely), body));
  dialog.onclick = (event) => event.target === dialog && close();
  dialog.onkeydown = (event) => {
    const fresh = /^[0-9]$/.test(event.key) && part.press(value, event.key);
    if (fresh) change(fresh);
  };
  dialog.showModal();
  dialog.querySelector("h2").focus();
}
