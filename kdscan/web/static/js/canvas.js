// Helpers for pictures that are drawn here.

const COLOR = [200, 120, 40, 255];

const canvasOf = (width, height) =>
  Object.assign(document.createElement("canvas"), { width, height });

// Whether a canvas returns what was drawn on it. Browsers that resist fingerprinting (Firefox with
// resistFingerprinting, Tor) return noise: a photo drawn on one would be lost. An iPhone whose memory
// for canvases is used up gives nothing to draw on.
export function canvasWorks() {
  const context = canvasOf(8, 8).getContext("2d");
  if (!context) return false;
  context.fillStyle = `rgb(${COLOR.slice(0, 3).join()})`;
  context.fillRect(0, 0, 8, 8);
  const { data } = context.getImageData(0, 0, 8, 8);
  return data.every((value, n) => Math.abs(value - COLOR[n % 4]) < 8);
}

// A picture as a file of this size; null if it cannot be drawn.
export function toBlob(picture, width, height, type, quality) {
  const canvas = canvasOf(Math.round(width), Math.round(height));
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}

// From the unit square to a quadrilateral, corners clockwise from the upper left (Heckbert 1989).
export function toQuad([a, b, c, d]) {
  const sum = [0, 1].map((k) => a[k] - b[k] + c[k] - d[k]);
  const [p, q] = [b, d].map((one) => [one[0] - c[0], one[1] - c[1]]);
  const det = p[0] * q[1] - q[0] * p[1];
  const g = (sum[0] * q[1] - q[0] * sum[1]) / det;
  const k = (p[0] * sum[1] - sum[0] * p[1]) / det;
  return (u, v) =>
    [0, 1].map(
      (n) =>
        ((b[n] - a[n] + g * b[n]) * u + (d[n] - a[n] + k * d[n]) * v + a[n]) / (g * u + k * v + 1),
    );
}

// A part of a picture brought flat, as a JPEG. at(x, y): the place in the picture of a pixel of the
// result.
export async function flattened(picture, [width, height], at) {
  const from = canvasOf(picture.naturalWidth, picture.naturalHeight).getContext("2d");
  from.drawImage(picture, 0, 0);
  const source = from.getImageData(0, 0, from.canvas.width, from.canvas.height);
  const to = canvasOf(width, height).getContext("2d");
  const image = to.createImageData(width, height);
  const [pixels, out] = [source, image].map(({ data }) => new Uint32Array(data.buffer));
  for (let y = 0, n = 0; y < height; y++)
    for (let x = 0; x < width; x++, n++) {
      const [column, row] = at(x, y).map(Math.round);
      const inside = column >= 0 && row >= 0 && column < source.width && row < source.height;
      out[n] = inside ? pixels[row * source.width + column] : 0xff808080;
    }
  to.putImageData(image, 0, 0);
  return new Promise((resolve) => to.canvas.toBlob(resolve, "image/jpeg", 0.92));
}
