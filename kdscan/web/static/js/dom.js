// Elements from calls: h("p", {class: "note"}, "text", child). Text is never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter(shown));
  return element;
}

const shown = (child) => child !== null && child !== undefined && child !== false && child !== "";

// Makes these the children of an element; nothing stands for nothing. A child that is there already
// is not touched: it keeps the focus, what is typed in it, and the finger that is on it.
export function put(element, ...children) {
  const wanted = children.flat(3).filter(shown).map((child) => (child instanceof Node ? child : new Text(child))), stay = new Set(wanted);
  for (const child of [...element.childNodes]) if (!stay.has(child)) child.remove();
  wanted.forEach((child, n) => { if (element.childNodes[n] !== child) element.insertBefore(child, element.childNodes[n] ?? null); });
}

// A list whose lines stay the same elements as long as their keys do. make(item) gives {element,
// show(item)}. Returns what shows other items; `empty` stands there without any.
export function lines(list, key, make) {
  let known = new Map();
  return (items, empty = null) => {
    known = new Map(items.map((item) => [key(item), known.get(key(item)) ?? make(item)]));
    put(list, items.length ? [...known.values()].map(({ element }) => element) : empty);
    items.forEach((item) => known.get(key(item)).show(item));
  };
}

// Whether somebody types in a part of the page, or has typed what was not kept yet.
export const inUse = (part) => [...part.querySelectorAll("input:not([type=checkbox], [type=file]), select")].some((one) =>
  one === document.activeElement || (one.matches("input") && one.value !== one.defaultValue));

// The points that somebody typed, by player: what stood there was read, and stays to be read again.
export const typedPoints = (fields) => Object.fromEntries(fields.filter((one) => one.value !== "" && one.value !== one.defaultValue)
  .map((one) => [one.name, Number(one.value)]));

// Whether somebody types, wherever that is: the focus is not taken from them.
export const typing = () => Boolean(document.activeElement?.matches("input, select, textarea"));

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const $ = (selector, root = document) => root.querySelector(selector);

// Tells screen readers what changed; sighted people see it happen.
export function announce(text) {
  const place = $("#announcer");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 50);
}

let toastTimer;
export function toast(text) {
  const place = $("#toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { place.hidden = true; }, 5000);
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
