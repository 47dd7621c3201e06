// Ways to add photos: the camera inside the page, the phone's own, or files.

import { canSee, openCamera } from "./camera.js";
import { h, sign } from "./dom.js";
import { t } from "./i18n.js";

const FILES = "image/*,.heic,.heif,.avif,.tif,.tiff,.pdf,application/pdf";

// The buttons; send(files) gets what was taken or chosen. many: allow several photos at once.
export function photoButtons(send, { many = true } = {}) {
  const picker = (label, symbol, attributes) => {
    const input = h("input.visually-hidden", {
      type: "file",
      ...attributes,
      onchange: () => {
        const files = [...input.files];
        input.value = "";
        send(files);
      },
    });
    return h("label", { class: attributes.capture ? "capture" : "gallery" }, [
      input,
      sign(symbol, "symbol"),
      label,
    ]);
  };
  return [
    h("div.actions", [
      canSee()
        ? h(
            "button.capture",
            { type: "button", onclick: () => openCamera((file) => send([file])) },
            sign("◉", "symbol"),
            t("Photograph"),
          )
        : picker(t("Photograph"), "◉", { accept: "image/*", capture: "environment" }),
      picker(many ? t("Choose photos") : t("Choose a photo"), "▤", {
        accept: FILES,
        multiple: many,
      }),
    ]),
    !navigator.mediaDevices &&
      h("details.hint", [
        h("summary", t("Why is there no live camera?")),
        h("p", [
          t(
            "Browsers let a page use the camera only over https. Whoever runs kdscan finds out how in its docs under hosting; until then this button opens the phone's own camera.",
          ),
        ]),
      ]),
  ];
}
