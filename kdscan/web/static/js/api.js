// The page's side of the HTTP interface (see /openapi.json).

import { toast } from "./dom.js";
import { language, sentence, t } from "./i18n.js";

export const session = JSON.parse(document.getElementById("session").textContent);

class Failure extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const ended = () => t("The session has ended. Open the link with the code again.");
const halfSent = () => t("The photo did not arrive complete. Upload it again.");
const ourFault = () => t("Something went wrong in the program. The photo is kept.");

// Messages for errors, by their stable code; codes that are missing here can only be caused by
// programs.
const WORDS = {
  unreadable_image: () => t("This file is not a readable picture. Take or upload it again."),
  image_too_large: () => t("The picture is too large. Save it smaller."),
  no_sheet: () => t("No map was found. Take the photo again with the whole grid in view, sharp and without reflections."),
  reader_died: () => t("Reading this photo failed half way. The photo is kept: try again."),
  too_many_requests: () => t("Too many requests. Wait a moment."),
  no_session: ended,
  no_csrf_token: ended,
  desk_only: () => t("This is for the desk only: sign in with its code."),
  not_found: () => t("This does not exist, or you have no access to it."),
  cut_off: halfSent,
  too_slow: halfSent,
  blank_page: () => t("There is nothing on this page."),
  not_learned: () => t("The pad could not be learned from these photos. Take its blank sheets again."),
  wrong_kind: () => t("A game is two maps with their spellbook, or two to four kingdoms."),
  not_kept: () => t("This sheet was read by an older version. Photograph it again to correct it."),
  nothing_to_undo: () => t("There is nothing to undo."),
  store_full: () => t("There is no room for more photos right now. What was uploaded before is kept."),
  quota: () => t("You have reached the limit of photos. Ask at the desk."),
  game_full: () => t("This game has all its sheets already."),
  not_read: () => t("This photo is still being read. Try again in a moment."),
  not_yours: () => t("Somebody else has already uploaded this photo. To change it, ask at the desk."),
  store: () => t("The results cannot be saved or loaded right now. Try again later."),
  offline: () => t("No connection. What you did last can still be read here."),
  refused: (error) => sentence(error.message),
  model: ourFault,
  bug: ourFault,
};

export const explain = (error) => WORDS[error.code]?.(error) ?? (language === "en" ? error.message : t("This cannot be done."));

// Whether reading the same file again may succeed.
export const mayChange = (error) => !["unreadable_image", "image_too_large", "quota"].includes(error.code);

// Errors that pass by themselves: the request is repeated after a while.
export const passes = (error) => ["offline", "too_many_requests", "store_full"].includes(error.code);

// Whether the page says that it shows older data: there may be a network but no server.
export const lost = (so) => document.body.classList.toggle("offline", so);

function unreachable() {
  lost(true);
  return new Failure(0, "offline", "offline");
}

// A proxy in between may report that the server is gone while it restarts.
const GONE = [502, 503, 504];

function refused(status, answer) {
  if (GONE.includes(status) && !answer?.error) return unreachable();
  const error = answer?.error ?? { code: "http", message: `HTTP ${status}` };
  return Object.assign(new Failure(status, error.code, error.message), { known: error.known ?? [] });
}

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
    throw unreachable();
  }
  lost(response.headers.has("X-Kept"));
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw refused(response.status, answer);
  return answer;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

// XMLHttpRequest, because fetch does not report upload progress. The first argument is a file's name
// and bytes; path: where to send it, by default to the photos.
export function upload({ name, blob }, onProgress, path = `/api/photos?name=${encodeURIComponent(name.slice(-120))}`) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("X-CSRF-Token", session.csrf);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => {
      lost(false);
      if (request.status < 300) resolve(request.response);
      else reject(refused(request.status, request.response));
    };
    request.onerror = () => reject(unreachable());
    request.ontimeout = request.onerror;
    request.timeout = 180_000; // a connection that hangs is treated as lost
    request.send(blob);
  });
}

// Resolves after this many seconds, or when the network is back.
export const pause = (seconds) => new Promise((resolve) => {
  const done = () => { clearTimeout(timer); removeEventListener("online", done); resolve(); };
  const timer = setTimeout(done, 1000 * seconds);
  addEventListener("online", done);
});

// A page that is restored by going back comes as it was left: its requests were cut off, not the
// network.
addEventListener("pageshow", (event) => event.persisted && dispatchEvent(new Event("online")));

// Seconds that the server may wait for news; 0 after a failed request, so that the page knows at once
// when the server answers again.
const WAIT = 20;

// Requests what an event shows, again and again when something has changed, as long as `wanted`.
// show(now, before) returns false if `now` is outdated: `before` is what changes() was when it was
// requested.
export async function news(path, show, changes = () => 0, wanted = () => true) {
  for (let state = null, wait = WAIT; wanted();) {
    try {
      const before = changes(), now = await get(state === null ? path : `${path}?after=${state}&wait=${wait}`);
      wait = WAIT;
      if (now.state === state || (await show(now, before)) !== false) state = now.state;
    } catch (error) {
      if (error.code !== "offline") toast(explain(error));
      await pause(4);
      wait = 0;
    }
  }
}

// Waits until a photo has been read, however long the queue is. The server has the photo, though the
// network or the server may go away meanwhile, or the phone sleep.
export async function finished(id) {
  for (let wait = WAIT; ;) {
    try {
      const photo = await get(`/api/photos/${id}?wait=${wait}`);
      if (photo.state !== "waiting") return photo;
      wait = WAIT;
    } catch (error) {
      if (!passes(error)) throw error;
      await pause(4);
      wait = 0;
    }
  }
}

document.getElementById("leave")?.addEventListener("click", async () => {
  await post("/api/leave").catch((error) => toast(explain(error)));
  location.href = "/join";
});
