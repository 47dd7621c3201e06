// Helpers for pictures that are drawn here.

const COLOR = [200, 120, 40, 255];

// Whether a canvas returns what was drawn on it. Browsers that resist fingerprinting (Firefox with
// resistFingerprinting, Tor) return noise: a photo drawn on one would be lost. An iPhone whose memory
// for canvases is used up gives nothing to draw on.
export function canvasWorks() {
  const context = Object.assign(document.createElement("canvas"), {
    width: 8,
    height: 8,
  }).getContext("2d");
  if (!context) return false;
  context.fillStyle = `rgb(${COLOR.slice(0, 3).join()})`;
  context.fillRect(0, 0, 8, 8);
  return context
    .getImageData(0, 0, 8, 8)
    .data.every((value, n) => Math.abs(value - COLOR[n % 4]) < 8);
}

// A picture as a file of this size; null if it cannot be drawn.
export function toBlob(picture, width, height, type, quality) {
  const canvas = Object.assign(document.createElement("canvas"), {
    width: Math.round(width),
    height: Math.round(height),
  });
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}
