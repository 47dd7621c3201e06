// The page's side of the HTTP interface (see /openapi.json).

import { toast } from "./dom.js";
import { t } from "./i18n.js";

export const session = JSON.parse(document.getElementById("session").textContent);

export class Failure extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// What errors say to people, by their stable code; what is not listed speaks for itself.
const WORDS = {
  unreadable_image: () => t("This file is no picture that can be read. Take or send it again."),
  image_too_large: () => t("The picture is too large. Save it smaller."),
  no_sheet: () => t("No map was found. Take the photo again with the whole grid in view, sharp and without reflections."),
  reader_died: () => t("Reading this photo failed half way. The photo is kept: try again."),
  too_many_requests: () => t("Too many requests. Wait a moment."),
  no_session: () => t("The session has ended. Open the link with the code again."),
  offline: () => t("No connection. What you did last stays readable here."),
  bug: () => t("Something went wrong in the program. The photo is kept."),
};

export const explain = (error) => WORDS[error.code]?.() ?? error.message;

async function call(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        Accept: "application/json",
        ...(method === "GET" ? {} : { "X-CSRF-Token": session.csrf }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Failure(0, "offline", "offline");
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    const error = answer?.error ?? { code: "http", message: `HTTP ${response.status}` };
    throw new Failure(response.status, error.code, error.message);
  }
  return answer;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

// XMLHttpRequest, because fetch does not tell how much has been sent.
export function upload(file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/photos?name=${encodeURIComponent(file.name.slice(-120))}`);
    request.setRequestHeader("X-CSRF-Token", session.csrf);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => {
      if (request.status < 300) return resolve(request.response);
      const error = request.response?.error ?? { code: "http", message: `HTTP ${request.status}` };
      reject(new Failure(request.status, error.code, error.message));
    };
    request.onerror = () => reject(new Failure(0, "offline", "offline"));
    request.send(file);
  });
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

// Asks for what an event shows, and again whenever something changed there, for ever.
export async function news(path, show) {
  for (let state = null; ;) {
    try {
      const now = await get(state === null ? path : `${path}?after=${state}&wait=20`);
      if (now.state !== state) await show(now);
      state = now.state;
      document.body.classList.remove("offline");
    } catch (error) {
      if (error.code === "offline") document.body.classList.add("offline");
      else toast(explain(error));
      await pause(4);
    }
  }
}

// Waits until a photo was read, however long the queue is.
export async function finished(id) {
  for (;;) {
    const photo = await get(`/api/photos/${id}?wait=20`);
    if (photo.state !== "waiting") return photo;
  }
}
