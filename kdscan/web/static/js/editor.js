// Correcting a shield, square or line: choices at the bottom of the page, one tap each.

import { button, h, put } from "./dom.js";
import { percent, pointsText, t } from "./i18n.js";

const NEAR = 24; // largest movement of a finger during a tap, pixels
const TWICE = 350; // milliseconds between the two taps of a double tap

let last = { x: 0, y: 0, time: -Infinity };

const near = (a, b) => Math.hypot(a.clientX - b.x, a.clientY - b.y) < NEAR;

// The click that follows a tap, or the second tap of a double tap: the answer to the first may have
// moved another element there.
const justTapped = (event) => event.timeStamp - last.time < TWICE && near(event, last);

// It is nobody's: where the chooser was, the page itself is under the finger by now.
addEventListener(
  "click",
  (event) => {
    if (!justTapped(event)) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// Listeners that make a tap count for the element it was made on. Browsers do not turn it into a
// click while the page still scrolls. If the page was redrawn under the finger meanwhile, they click
// what is there now, which nobody meant.
function tapping(act) {
  const down = (start) => {
    if (!start.isPrimary || start.pointerType === "mouse") return;
    const end = (event) => {
      if (event.pointerId !== start.pointerId) return;
      removeEventListener("pointerup", end, true);
      removeEventListener("pointercancel", end, true);
      if (event.type === "pointercancel" || !near(event, { x: start.clientX, y: start.clientY }))
        return;
      const again = justTapped(start);
      last = { x: event.clientX, y: event.clientY, time: event.timeStamp };
      if (!again) act();
    };
    addEventListener("pointerup", end, true);
    addEventListener("pointercancel", end, true);
  };
  // Mouse, keys, and screen readers.
  return {
    onpointerdown: down,
    onclick: (event) => {
      if (event.detail < 2) act();
    },
  };
}

// A button for one reading of a part, with its probability and, where it is known, the total that it
// leads to. act: null where it can only be seen.
function choice(part, [value, probability, total], act) {
  const sure = percent(probability);
  const leads = typeof total === "number" && pointsText(total);
  return h(
    "button.choice type=button aria-pressed=false",
    {
      ...(act ? tapping(act) : { disabled: true }),
      "aria-label": [part.words(value), sure, leads].filter(Boolean).join(", "),
    },

    part.icon(value),
    h("span.choice-name", { "aria-hidden": "true" }, [
      part.words(value),
      leads && h("small", leads),
    ]),
    h("span.sure", { "aria-hidden": "true" }, sure),
  );
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Possible values of a doubtful part, the most probable first: [value, probability, total].
const options = (part) =>
  part.options?.map((option) => [part.value(option), option.probability, option.total]) ??
  [
    [part.read, part.confidence, part.total],
    ...part.alternatives
      .map((other) => [part.value(other), other.probability, other.total])
      .filter(([value]) => !same(value, part.read)),
  ].sort((a, b) => b[1] - a[1]);

// The most probable readings of a part, one tap each; say(value) is called with the one that was
// tapped, null where they can only be seen.
export const choices = (part, say, most = Infinity) =>
  h("div.choices", [
    options(part)
      .slice(0, most)
      .map((option) => choice(part, option, say && (() => say(option[0])))),
  ]);

// Opens the chooser; `say(value)` is called with the chosen value.
export function openEditor(page, part, say) {
  const dialog = document.getElementById("editor");
  let value = part.read;
  const close = () => dialog.close();
  const done = (chosen) => {
    close();
    say(chosen);
  };
  const body = h("div.controls");
  const change = (fresh) => {
    value = fresh;
    const focused = [...body.querySelectorAll("button")].indexOf(document.activeElement);
    render();
    if (focused >= 0) body.querySelectorAll("button")[focused].focus();
  };
  const render = () =>
    put(
      body,
      part.controls(value, change),
      endRow(part.icon(value), close, () => done(value)),
    );
  render();
  const cut = page?.view && part.crop(page);
  put(
    dialog,
    h("form.editor", { method: "dialog" }, [
      h("h2", { id: "question", tabindex: "-1" }, part.question(part.name)),
      h("div.editor-top", cut, likely(part, done)),
      body,
    ]),
  );
  dialog.onclick = (event) => event.target === dialog && close();
  dialog.onkeydown = (event) => {
    const fresh = /^[0-9]$/.test(event.key) && part.press(value, event.key);
    if (fresh) change(fresh);
  };
  dialog.showModal();
  dialog.querySelector("h2").focus();
}

const endRow = (icon, cancel, done) =>
  h("div.row.end", [
    button(t("Cancel"), cancel),
    button([icon, t("Done")], done, { class: "main" }),
  ]);

// What a part probably is: of a doubtful one all readings, one tap each.
function likely(part, done) {
  if (part.review && part.alternatives.length) return choices(part, done);
  return h("p.as-read", [
    part.icon(part.read),
    h("span", [
      t("Read as {marks}", { marks: part.words(part.read) }),
      h("small", t("{sure} sure", { sure: percent(part.confidence) })),
    ]),
  ]);
}
