// Players: names remembered on this phone, and whose sheet is which, which the server stores.

import { h, put, sign } from "./dom.js";
import { t } from "./i18n.js";

const KEY = "kdscan.names",
  MOST = 12;

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]").filter((name) => typeof name === "string");
  } catch {
    return [];
  }
}

function remember(name) {
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify([name, ...remembered().filter((one) => one !== name)].slice(0, MOST)),
    );
  } catch {
    /* a private window keeps nothing */
  }
}

// "Ann 38 : Bob 45", from the sheets that have a name.
export function namesOf(sheets) {
  const known = sheets.filter((sheet) => sheet.player);
  return known
    .map((sheet) =>
      [sheet.player, sheet.score?.total ?? sheet.total]
        .filter((part) => part !== null && part !== undefined)
        .join(" "),
    )
    .join(" : ");
}

// The names that this phone remembers, on the start page, where each can be forgotten.
export function nameField() {
  const place = h("p.names-known.row");
  const draw = () =>
    put(
      place,
      remembered().length > 0 && h("span", t("Names on this phone:")),
      remembered().map((name) =>
        h(
          "button.name-chip",
          {
            type: "button",
            "aria-label": t("Forget {name}", { name }),
            onclick: () => {
              localStorage.setItem(KEY, JSON.stringify(remembered().filter((one) => one !== name)));
              draw();
            },
          },
          name,
          sign(" ×"),
        ),
      ),
    );
  draw();
  return place;
}

// Whose a sheet is: the names remembered on this phone, one tap each, and a field for others. It is
// created once and updated, so that it never draws over a name being typed. say(name) makes the
// server store it, and returns what was wrong with it. show(sheet, taken): taken are the other
// sheets' names.
export function whoseField(kind, say) {
  const question = kind === "kingdom" ? t("Whose kingdom is it?") : t("Whose map is it?");
  let sheet,
    taken = [],
    changing = false;
  const tell = async (name) => {
    const error = await say(name);
    if (error) {
      put(offers, (error.known ?? []).map(chip));
      return;
    }
    remember(sheet.player ?? name);
    field.value = "";
    changing = false;
    draw();
  };
  const chip = (name) => h("button.name-chip", { type: "button", onclick: () => tell(name) }, name);
  const offers = h("span.row");
  const field = h("input", {
    type: "text",
    maxlength: "60",
    "aria-label": question,
    placeholder: question,
    autocomplete: "off",
    autocapitalize: "words",
  });
  const form = h(
    "form.row.whose",
    {
      onsubmit: (event) => {
        event.preventDefault();
        if (field.value.trim()) tell(field.value.trim());
      },
    },

    offers,
    h("span.whose-field", [
      field,
      h("button.quiet", "✓", h("span.visually-hidden", t("Save name"))),
    ]),
  );
  const name = h("strong"),
    named = h("p.whose.named", [
      name,
      " ",
      h(
        "button.link",
        {
          type: "button",
          onclick: () => {
            changing = true;
            draw();
            field.focus();
          },
        },
        t("change"),
      ),
    ]);
  const element = h("div", form);
  function draw() {
    name.textContent = sheet.player ?? "";
    put(element, sheet.player && !changing && !field.value ? named : form);
  }
  return {
    element,
    show: (fresh, beside) => {
      const others = JSON.stringify(beside) !== JSON.stringify(taken);
      [sheet, taken] = [fresh, beside];
      if (others || !offers.children.length)
        put(
          offers,
          remembered()
            .filter((one) => !taken.includes(one))
            .slice(0, 6)
            .map(chip),
        );
      draw();
    },
  };
}
