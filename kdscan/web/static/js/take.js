// Ways to add photos: the camera inside the page, the phone's own, or files.

import { canSee, openCamera } from "./camera.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { glyph } from "./icons.js";

const FILES = "image/*,.heic,.heif,.avif,.tif,.tiff,.pdf,application/pdf";

// The buttons; send(files) gets what was taken or chosen. many: allow several photos at once.
export function photoButtons(send, { many = true } = {}) {
  const picker = (label, name, attributes) => {
    const chosen = () => {
      const files = [...input.files];
      input.value = "";
      send(files);
    };
    const input = h("input.visually-hidden", { type: "file", ...attributes, onchange: chosen });
    return h("label", { class: name === "camera" ? "capture" : "gallery" }, [
      input,
      glyph(name),
      label,
    ]);
  };
  const take = () => openCamera((file) => send([file]));
  return [
    h("div.actions", [
      canSee()
        ? h("button.capture", { type: "button", onclick: take }, glyph("camera"), t("Photograph"))
        : picker(t("Photograph"), "camera", { accept: "image/*", capture: "environment" }),
      picker(many ? t("Choose photos") : t("Choose a photo"), "pictures", {
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
