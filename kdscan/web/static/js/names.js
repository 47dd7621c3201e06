// Who plays: names remembered on this phone, and whose sheet is which, which the server keeps.

import { h, put } from "./dom.js";
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

// Whose a sheet is: the names known on this phone, one tap each, and a field for others. It is made
// once and brought up to date: nothing is drawn over a name that is being typed. say(name) has the
// server keep it, and gives what was wrong with it. show(sheet, taken): taken are the names beside it.
export function whoseField(kind, say) {
  const question = kind === "kingdom" ? t("Whose kingdom is it?") : t("Whose map is it?");
  let sheet, taken = [], changing = false;
  const tell = async (name) => {
    const error = await say(name);
    if (error) { put(offers, (error.known ?? []).map(chip)); return; }
    remember(sheet.player ?? name);
    field.value = "";
    changing = false;
    draw();
  };
  const chip = (name) => h("button", { type: "button", class: "name-chip", onclick: () => tell(name) }, name);
  const offers = h("span", { class: "row" });
  const field = h("input", { type: "text", maxlength: "60", "aria-label": question, placeholder: question, autocomplete: "off", autocapitalize: "words" });
  const form = h("form", { class: "row whose", onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) tell(field.value.trim()); } },
    offers, h("span", { class: "whose-field" }, field, h("button", { class: "quiet" }, "✓", h("span", { class: "visually-hidden" }, t("That is the name")))));
  const name = h("strong", {}), named = h("p", { class: "whose named" }, name, " ", h("button", { type: "button", class: "link", onclick: () => { changing = true; draw(); field.focus(); } }, t("change")));
  const element = h("div", {}, form);
  function draw() {
    name.textContent = sheet.player ?? "";
    put(element, sheet.player && !changing && !field.value ? named : form);
  }
  return { element, show: (fresh, beside) => {
    const others = JSON.stringify(beside) !== JSON.stringify(taken);
    [sheet, taken] = [fresh, beside];
    if (others || !offers.children.length) put(offers, remembered().filter((one) => !taken.includes(one)).slice(0, 6).map(chip));
    draw();
  } };
}
