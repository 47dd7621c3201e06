// A game with another phone: started here, or joined by its code.

import { get, post } from "./api.js";
import { h, toast } from "./dom.js";
import { explain } from "./errors.js";
import { t } from "./i18n.js";

export const sharedPath = (code) => `/api/shared/${encodeURIComponent(code)}`;

// photo: the one whose sheets to add.
export function joinForm(photo = null) {
  const go = (asking) =>
    asking
      .then(({ code }) => {
        location.hash = `#/shared/${code}`;
      })
      .catch((error) => toast(explain(error)));
  const field = h("input.code", {
    type: "text",
    maxlength: "20",
    "aria-label": t("Code of the game"),
    placeholder: t("Code of the game"),
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
  });
  return h("details.together.card", [
    h("summary", t("Two phones, one game")),
    h("button.main.wide", { type: "button", onclick: () => go(post("/api/shared", { photo })) }, [
      t("Show a code to the other phone"),
    ]),
    h(
      "form.row",
      {
        onsubmit: (event) => {
          event.preventDefault();
          const code = field.value.replace(/\s/g, "").toUpperCase();
          if (code) go(photo === null ? get(sharedPath(code)) : post(sharedPath(code), { photo }));
        },
      },
      field,
      h("button.quiet", t("Join")),
    ),
  ]);
}
