// What belongs to a sheet as a whole: a map's wizard, a kingdom's extra rules, who won a spellbook's
// wizards.

import { winners } from "./book.js";
import { COATS, coatName, icon } from "./coats.js";
import { h, put } from "./dom.js";
import { t } from "./i18n.js";

// {element, show(sheet)} of a sheet's kind. Its fields are created once, so that an incoming answer
// closes nothing that somebody has opened. may: whether they can be changed; send: see answering.
export const wholeOf = (sheet, may, send) => WHOLE[sheet.kind](sheet, may, send);

const WHOLE = { duel_map: wizard, kingdom: extraRules, duel_spellbook: wonWizards };

function wizard(sheet, may, send) {
  const id = `wizard-${sheet.id}`;
  const pick = h(
    "select",
    {
      disabled: !may,
      id,
      onchange: (event) =>
        send({ type: "correct_wizard", coat: event.target.value || null }, t("Wizard")),
    },

    h("option", { value: "" }, t("not on this map")),
    COATS.map((coat) => h("option", { value: coat }, coatName(coat))),
  );
  const label = h("label", { for: id }, [
    icon({ coat: "filled", crosses: 0 }),
    " ",
    t("The wizard's 3 points for each domain of"),
  ]);
  return {
    element: h("p.wizard", label, pick),
    show(fresh) {
      pick.value = fresh.chosen_coat ?? "";
    },
  };
}

function extraRules(sheet, may, send) {
  const labels = {
    middle_kingdom: t("Middle Kingdom: 10 for a castle in the middle"),
    harmony: t("Harmony: 5 for a complete kingdom"),
  };
  const boxes = {};
  // As they are ticked now, which may be ahead of the sheet that is shown.
  const chosen = () =>
    Object.fromEntries(Object.entries(boxes).map(([name, box]) => [name, box.checked]));
  for (const [name, label] of Object.entries(labels))
    boxes[name] = h("input", {
      type: "checkbox",
      onchange: () => send({ type: "set_variants", ...chosen() }, label),
    });
  const element = h("fieldset.wizard", { disabled: !may || sheet.extras_fixed }, [
    h("legend", t("Extra rules")),
    Object.entries(labels).map(([name, label]) => h("label.switch", boxes[name], label)),
  ]);
  return {
    element,
    show(fresh) {
      for (const [name, box] of Object.entries(boxes)) box.checked = fresh.variants[name];
    },
  };
}

function wonWizards() {
  const element = h("div");
  return { element, show: (fresh) => put(element, winners(fresh)) };
}
