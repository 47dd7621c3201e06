// Who plays: names remembered on this phone, and whose sheet is which, which the server keeps.

import { explain, post } from "./api.js";
import { h, put, toast } from "./dom.js";
import { t } from "./i18n.js";

const KEY = "kdscan.names", MOST = 12;

export function remembered() {
  try { return JSON.parse(localStorage.getItem(KEY) ?? "[]").filter((name) => typeof name === "string"); } catch { return []; }
}

export function remember(name) {
  try { localStorage.setItem(KEY, JSON.stringify([name, ...remembered().filter((one) => one !== name)].slice(0, MOST))); } catch { /* a private window keeps nothing */ }
}

// "Ann 38 : Bob 45" of the sheets that somebody's name stands at.
export function namesOf(sheets) {
  const known = sheets.filter((sheet) => sheet.player);
  return known.map((sheet) => [sheet.player, sheet.score?.total ?? sheet.total].filter((part) => part !== null && part !== undefined).join(" ")).join(" : ");
}

// Names that this phone knows, on the start page, to be forgotten one by one.
export function nameField() {
  const place = h("p", { class: "names-known row" });
  const draw = () => put(place, remembered().length > 0 && h("span", { class: "quiet-label" }, t("Known here:")),
    remembered().map((name) => h("button", { type: "button", class: "name-chip", "aria-label": t("Forget {name}", { name }), onclick: () => {
      localStorage.setItem(KEY, JSON.stringify(remembered().filter((one) => one !== name)));
      draw();
    } }, name, h("span", { "aria-hidden": "true" }, " ×"))));
  draw();
  return place;
}

// Whose a sheet is: the names known on this phone, one tap each, and a field for others.
export function whose(sheet, taken, onNamed) {
  const say = async (name) => {
    try {
      const fresh = await post(`/api/sheets/${sheet.id}/name`, { name: name || null });
      if (name) remember(fresh.player ?? name);
      onNamed(fresh);
    } catch (error) {
      toast(explain(error));
      if (error.known?.length) put(offers, error.known.map((known) => chip(known)));
    }
  };
  const chip = (name) => h("button", { type: "button", class: "name-chip", onclick: () => say(name) }, name);
  const offers = h("span", { class: "row" }, remembered().filter((name) => !taken.includes(name)).slice(0, 6).map(chip));
  const field = h("input", { type: "text", maxlength: "60", "aria-label": t("Whose map is it?"), placeholder: t("Whose map is it?"), autocomplete: "off", autocapitalize: "words" });
  const form = h("form", { class: "row whose", onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) say(field.value.trim()); } },
    offers, h("span", { class: "whose-field" }, field, h("button", { class: "quiet" }, "✓", h("span", { class: "visually-hidden" }, t("That is the name")))));
  if (!sheet.player) return form;
  return h("p", { class: "whose named" }, h("strong", {}, sheet.player), " ", h("button", { type: "button", class: "link", onclick: (event) => event.target.closest(".whose").replaceWith(form) }, t("change")));
}
