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

// Replaces what is in an element; nothing stands for nothing.
export const put = (element, ...children) => element.replaceChildren(...children.flat(3).filter(shown));

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
