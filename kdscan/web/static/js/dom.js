// Elements from calls: h("input.code type=text", { value }, "text", [child]). Classes and
// attributes that are always the same stand with the tag; others may be left out. label: what
// screen readers say. Text is never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(create, what, [first, ...rest]) {
  const [name, ...fixed] = what.split(" ");
  const [tag, ...classes] = name.split(".");
  const element = create(tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const given = first?.constructor === Object ? first : {};
  const constant = fixed.map((one) => [...one.split("="), true]);
  for (const [name, value] of [...constant, ...Object.entries(given)]) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.classList.add(...value.split(" ").filter(Boolean));
    else element.setAttribute(name === "label" ? "aria-label" : name, value === true ? "" : value);
  }
  const children = given === first ? rest : [first, ...rest];
  element.append(...children.flat(Infinity).filter(shown));
  return element;
}

const shown = (child) => child !== null && child !== undefined && child !== false && child !== "";

// Makes these an element's children. Those that are there already keep focus and typed text.
export function put(element, ...children) {
  const node = (child) => (child instanceof Node ? child : new Text(child));
  const wanted = children.flat(Infinity).filter(shown).map(node);
  const stay = new Set(wanted);
  for (const child of [...element.childNodes]) if (!stay.has(child)) child.remove();
  wanted.forEach((child, n) => {
    if (element.childNodes[n] !== child) element.insertBefore(child, element.childNodes[n] ?? null);
  });
}

// A list whose lines keep their elements as long as their keys stay. make(item) returns {element,
// show(item)}. Returns a function that shows other items; `empty` is shown if there are none.
export function lines(list, key, make) {
  let known = new Map();
  return (items, empty = null) => {
    known = new Map(items.map((item) => [key(item), known.get(key(item)) ?? make(item)]));
    put(list, items.length ? [...known.values()].map(({ element }) => element) : empty);
    items.forEach((item) => known.get(key(item)).show(item));
  };
}

// Whether somebody types in a part of the page, or has typed something that is not kept yet.
export function inUse(part) {
  const fields = [...part.querySelectorAll("input:not([type=checkbox], [type=file]), select")];
  const typed = (one) => one.matches("input") && one.value !== one.defaultValue;
  return fields.some((one) => one === document.activeElement || typed(one));
}

// A field for a player's points; more: attributes.
export const pointsInput = (player, more) =>
  h("input", { type: "number", min: "0", max: "999", inputmode: "numeric", name: player, ...more });

// The points that were typed, by player; unchanged ones were read, and may be read again.
export function typedPoints(fields) {
  const typed = fields.filter((one) => one.value !== "" && one.value !== one.defaultValue);
  return Object.fromEntries(typed.map((one) => [one.name, Number(one.value)]));
}

// Whether somebody types anywhere: the focus is not taken away then.
export const typing = () => Boolean(document.activeElement?.matches("input, select, textarea"));
export const h = (what, ...rest) => fill((tag) => document.createElement(tag), what, rest);
export const s = (what, ...rest) => fill((tag) => document.createElementNS(SVG, tag), what, rest);

// A drawing of the page (see drawings.svg), and a picture that is only looked at.
export function drawing(id) {
  const drawn = document.getElementById(id).cloneNode(true);
  drawn.removeAttribute("id");
  return drawn;
}

export const picture = (viewBox, kind, ...inside) =>
  s("svg", { viewBox, class: kind, "aria-hidden": "true" }, inside);

// A button beside others; more: attributes, as the class of one that stands out.
export const button = (label, doing, more = {}) =>
  h("button", { type: "button", ...more, onclick: doing }, label);

// A form whose submission is an act of the page. what: its classes.
export const form = (what, submit, ...inside) =>
  h(what, { onsubmit: (event) => (event.preventDefault(), submit(event)) }, inside);

// A field that says in itself what belongs there; more: attributes.
export const input = (label, more = {}) =>
  h("input", { type: "text", label, placeholder: label, maxlength: "60", ...more });

// A label that opens the choice of files; chosen(files).
export function filePicker(kind, label, attributes, chosen) {
  const onchange = () => {
    const files = [...field.files];
    field.value = "";
    chosen(files);
  };
  const field = h("input.visually-hidden type=file", { ...attributes, onchange });
  return h("label", { class: kind }, field, label);
}

// A choice from a list. options: [value, label].
export function select(label, options, more = {}) {
  const all = options.map(([value, text]) => h("option", { value }, text));
  return h("select", { label, ...more }, all);
}

// A button of several of which one, or some, are pressed; more: attributes.
export const tab = (label, act, pressed, more = {}) =>
  button(label, act, { class: "tab", "aria-pressed": String(pressed), ...more });

// A row of tabs: {element, show(current, items)}, items: [value, label, attributes]. choose(value):
// one was tapped. A tab stays the same element, so that it keeps the focus.
export function tabBar(label, choose) {
  const element = h("div.tabs.row role=group", { label });
  let current;
  const entry = ([value, , more]) => {
    const one = tab([], () => choose(value), false, more);
    const show = ([, text]) => {
      one.setAttribute("aria-pressed", String(value === current));
      put(one, text);
    };
    return { element: one, show };
  };
  const list = lines(element, ([value]) => value, entry);
  const show = (value, items) => {
    current = value;
    list(items);
  };
  return { element, show };
}

// A part of the page with a title.
export const card = (title, ...inside) => h("section.card", h("h2", title), inside);

// A line that opens, so that no single tap does what is grave.
export const grave = (label, question, act) =>
  h("details.removal", [h("summary", label), h("p", question), button([glyph("bin"), label], act)]);

// A table of columns, rows, and rows at its foot.
export const column = (label, more = {}) => h("th scope=col", more, label);
export const table = (kind, columns, rows, foot = null) =>
  h(kind, [h("thead", h("tr", columns)), h("tbody", rows), foot && h("tfoot", foot)]);

export const $ = (selector, root = document) => root.querySelector(selector);

// Announces to screen readers what others see change.
export function announce(text) {
  put($("#announcer"));
  setTimeout(() => put($("#announcer"), text), 50);
}

let toastTimer;
// Shown as long as reading it takes. said: children.
export function toast(said) {
  const place = $("#toast");
  put(place, said);
  place.hidden = false;
  clearTimeout(toastTimer);
  const long = Math.max(5000, 80 * place.textContent.length);
  toastTimer = setTimeout(() => place.setAttribute("hidden", ""), long);
}

// What this phone remembers under a key; a private window keeps nothing.
export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* nothing is kept */
  }
}

// A small drawing for buttons, of strokes in the text's colour.
export const glyph = (name) =>
  picture("0 0 24 24", `glyph glyph-${name}`, drawing(`glyph-${name}`));

// A round button with a drawing; more: attributes.
export const round = (name, label, act, more = {}) =>
  button(glyph(name), act, { class: "round", label, title: label, ...more });

// Actions that are rarely wanted, behind one button. It is created once, so that news do not close
// it; items() are asked for when it opens: [label, act], or false. named(label) names it anew.
export function menu(label, items) {
  const close = () => element.removeAttribute("open");
  const item = ([text, act]) => button(text, () => (close(), act()), { class: "bare" });
  const summary = h("summary", glyph("more"));
  const list = h("div.card");
  const element = h("details.menu", summary, list);
  element.addEventListener("toggle", () => put(list, items().filter(Boolean).map(item)));
  element.addEventListener("focusout", ({ relatedTarget: to }) => element.contains(to) || close());
  element.addEventListener("keydown", ({ key }) => key === "Escape" && (close(), summary.focus()));
  element.named = (text) =>
    ["aria-label", "title"].forEach((name) => summary.setAttribute(name, text));
  element.named(label);
  return element;
}
