// The camera inside the page: a live picture with the found grid drawn over it. Held still, it
// takes the photo automatically; there are also a shutter and, if the phone has one, a torch.

import { pause, post } from "./api.js";
import { announce, button, filePicker, glyph, h, picture, put, round, s, toast } from "./dom.js";
import { t } from "./i18n.js";
import { canvasWorks, toBlob } from "./share.js";

const FRAME = 640; // longer side of the frames that are examined, pixels
const EVERY = 0.25; // seconds between an answer and the next request
const STILL = 3; // number of consecutive good frames without movement that take the photo
const AIM = "M0 20V0H20M120 0H140V20M140 80V100H120M20 100H0V80"; // corners of a frame, 7 to 5
const MOVED = 0.025; // trembling of a hand, as a fraction of the picture's width

const WANTED = {
  video: { facingMode: { ideal: "environment" }, width: { ideal: 3840 }, height: { ideal: 2160 } },
  audio: false,
};

const canSee = () =>
  Boolean(window.isSecureContext && navigator.mediaDevices?.getUserMedia && canvasWorks());

const HINTS = {
  none: () => t("Point the camera at the whole grid"),
  dark: () => t("Too dark: more light, or the torch"),
  cut_off: () => t("Cut off: the whole grid has to be in view"),
  far: () => t("Too far: come closer"),
  blurred: () => t("Blurred: hold still"),
  good: () => t("Hold still …"),
  busy: () => t("Take the photo with the shutter button"),
};

let closeOpen = null;

// The camera belongs to the view that opened it: going back leaves both.
export const closeCamera = () => closeOpen?.();

async function openCamera(send) {
  closeCamera();
  const video = h("video playsinline muted autoplay", { label: t("Live picture") });
  const grid = s("polygon.found-grid");
  // Fitted as the picture is: both fill the screen and are cut off alike.
  const drawn = picture(null, "found", grid);
  drawn.setAttribute("preserveAspectRatio", "xMidYMid slice");
  const aim = picture("-20 -16 180 136", "found", s("path.aim", { d: AIM }));
  const hint = h("p.camera-hint role=status", HINTS.none());
  const shutter = button("", () => take(), { class: "shutter", label: t("Take the photo") });
  const off = { hidden: true, "aria-pressed": "false" };
  const torch = round("torch", t("Torch"), () => light(), off);
  const dialog = h("dialog.camera", { label: t("Camera") }, [
    h("div.camera-view", video, aim, drawn),
    hint,
    h("div.camera-bar", [torch, shutter, round("close", t("Close"), () => close())]),
  ]);
  let stream = null;
  let running = true;
  let [good, before] = [0, null]; // of the frames until now
  const close = () => {
    running = false;
    stream?.getTracks().forEach((track) => track.stop());
    dialog.close();
    dialog.remove();
    if (closeOpen === close) closeOpen = null; // another may be open by now
  };
  closeOpen = close;
  dialog.addEventListener("cancel", close);
  document.body.append(dialog);
  dialog.showModal();
  const broken = t(
    "The camera does not work, or another program is using it. Choose a photo instead.",
  );
  const forbidden = t(
    "The browser is not allowed to use the camera: allow it in its settings, or choose a photo.",
  );
  const failed = ({ name } = {}) => {
    if (running) toast(name === "NotAllowedError" ? forbidden : broken);
    close();
  };
  stream = await navigator.mediaDevices.getUserMedia(WANTED).catch(failed);
  if (!running) stream?.getTracks().forEach((track) => track.stop());
  if (!running) return;
  video.srcObject = stream;
  await video.play().catch(() => {});
  const [track] = stream.getVideoTracks();
  track.addEventListener("ended", () => failed()); // unplugged, or taken by another program
  torch.hidden = !track.getCapabilities?.().torch;

  async function light() {
    const on = torch.getAttribute("aria-pressed") !== "true";
    const done = () => torch.setAttribute("aria-pressed", String(on));
    await track.applyConstraints({ advanced: [{ torch: on }] }).then(done, () => {});
  }

  function frame(longest, quality) {
    const { videoWidth: wide, videoHeight: high } = video;
    const scale = Math.min(1, longest / Math.max(wide, high));
    return toBlob(video, wide * scale, high * scale, "image/jpeg", quality);
  }

  // The best resolution available: a photo if the browser can take one, else the live picture.
  async function take() {
    if (shutter.disabled || !video.videoWidth) return;
    shutter.disabled = true;
    const capture = window.ImageCapture && new ImageCapture(track).takePhoto().catch(() => null);
    const photo = await Promise.race([capture, pause(2.5)]);
    const blob = photo ?? (await frame(Infinity, 0.92));
    if (!blob) return failed();
    navigator.vibrate?.(40);
    close();
    announce(t("The photo was taken"));
    const name = `photo-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.jpg`;
    send(new File([blob], name, { type: "image/jpeg" }));
  }

  function show({ hint: what, outline }) {
    const [wide, high] = [video.videoWidth, video.videoHeight];
    hint.textContent = HINTS[what]();
    for (const part of [hint, drawn]) part.classList.toggle("good", what === "good");
    drawn.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    aim.toggleAttribute("hidden", Boolean(outline));
    put(drawn, outline && grid);
    const corners = (outline ?? []).map(([x, y]) => `${x * wide},${y * high}`);
    grid.setAttribute("points", corners.join(" "));
    const near = (p, n) => Math.hypot(p[0] - before[n][0], p[1] - before[n][1]) < MOVED;
    const still = outline && before && outline.every(near);
    before = outline;
    good = what === "good" && (still || good === 0) ? good + 1 : 0;
    hint.style.setProperty("--held", String(good / STILL));
    if (good >= STILL) take();
  }

  for (; running && !shutter.disabled; await pause(EVERY)) {
    if (!video.videoWidth) continue;
    const looked = post("api/look", await frame(FRAME, 0.7));
    const found = await looked.catch(() => ({ hint: "busy", outline: null }));
    if (running && !shutter.disabled) show(found);
  }
}

// Ways to add photos: the camera inside the page, the phone's own, or files.

const FILES = "image/*,.heic,.heif,.avif,.tif,.tiff,.pdf,application/pdf";

// The buttons; send(files) gets what was taken or chosen. many: allow several photos at once.
export function photoButtons(send, { many = true } = {}) {
  const own = { accept: "image/*", capture: "environment" };
  const label = [glyph("camera"), t("Photograph")];
  const choose = [glyph("pictures"), many ? t("Choose photos") : t("Choose a photo")];
  const live = () => openCamera((file) => send([file]));
  const capture = canSee()
    ? button(label, live, { class: "capture" })
    : filePicker("button capture", label, own, send);
  const why = t(
    "Browsers let a page use the camera only over https: whoever runs kdscan starts it with --https. Until then this button opens the phone's own camera.",
  );
  return [
    h("div.actions", [
      capture,
      filePicker("button gallery", choose, { accept: FILES, multiple: many }, send),
    ]),
    !navigator.mediaDevices &&
      h("details.hint.none", h("summary", t("Why is there no live camera?")), h("p", why)),
  ];
}
