// Elements from calls: h("input.code type=text", { value }, "text", [child]). Classes and attributes that
// are always the same stand with the tag; others may be left out. Text is never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(create, what, [first, ...rest]) {
  const [name, ...fixed] = what.split(" ");
  const [tag, ...classes] = name.split(".");
  const element = create(tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const given = first?.constructor === Object ? first : {};
  const constant = fixed.map((one) => [...one.split("="), true].slice(0, 2));
  for (const [name, value] of [...constant, ...Object.entries(given)]) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.classList.add(...value.split(" ").filter(Boolean));
    else element.setAttribute(name, value === true ? "" : value);
  }
  const children = given === first ? rest : [first, ...rest];
  element.append(...children.flat(Infinity).filter(shown));
  return element;
}

const shown = (child) => child !== null && child !== undefined && child !== false && child !== "";

// Makes these the children of an element, skipping empty ones. A child that is already there is not
// touched, so it keeps the focus, typed text, and the finger on it.
export function put(element, ...children) {
  const wanted = children
      .flat(Infinity)
      .filter(shown)
      .map((child) => (child instanceof Node ? child : new Text(child))),
    stay = new Set(wanted);
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
export const inUse = (part) =>
  [...part.querySelectorAll("input:not([type=checkbox], [type=file]), select")].some(
    (one) =>
      one === document.activeElement || (one.matches("input") && one.value !== one.defaultValue),
  );

// A field for a player's points; more: attributes.
export const pointsInput = (player, more) =>
  h("input", { type: "number", min: "0", max: "999", inputmode: "numeric", name: player, ...more });

// The points that were typed, by player. Unchanged values were read from the sheet, and may be read again.
export const typedPoints = (fields) =>
  Object.fromEntries(
    fields
      .filter((one) => one.value !== "" && one.value !== one.defaultValue)
      .map((one) => [one.name, Number(one.value)]),
  );

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
  h("button", { type: "button", class: "quiet", ...more, onclick: doing }, label);

// A character that is only looked at: screen readers skip it.
export const sign = (text, kind = null) => h("span", { class: kind, "aria-hidden": "true" }, text);

export const $ = (selector, root = document) => root.querySelector(selector);

// Announces to screen readers what others see change.
export function announce(text) {
  const place = $("#announcer");
  place.textContent = "";
  setTimeout(() => {
    place.textContent = text;
  }, 50);
}

let toastTimer;
// Shown as long as reading it takes. said: children.
export function toast(said) {
  const place = $("#toast");
  put(place, said);
  place.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(
    () => {
      place.hidden = true;
    },
    Math.max(5000, 80 * place.textContent.length),
  );
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

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
