// The page's side of the HTTP interface (see /openapi.json).

import { toast } from "./dom.js";
import { explain, passes } from "./errors.js";
import { sentence } from "./i18n.js";

export const session = JSON.parse(document.getElementById("session").textContent);

class Failure extends Error {
  constructor({ code, message, known = [] }) {
    super(message);
    this.code = code;
    this.known = known; // names that may have been meant
  }
}

// Whether the page says that it shows older data: there may be a network but no server.
export const setOffline = (so) => document.body.classList.toggle("offline", so);

function unreachable() {
  setOffline(true);
  return new Failure({ code: "offline", message: "offline" });
}

// What a proxy answers by itself, by its limits.
const OF_PROXIES = { 408: "too_slow", 413: "image_too_large", 429: "too_many_requests" };

// A server that stops, and a proxy whose server is gone, answer without saying what is wrong; a
// network's own page to sign in comes in place of any answer.
function refused(status, answer) {
  if ((status >= 500 || status < 300) && !answer?.error) return unreachable();
  return new Failure(
    answer?.error ?? { code: OF_PROXIES[status] ?? "http", message: `HTTP ${status}` },
  );
}

let ahead = 0;
// The server's time in milliseconds: this device's own clock may be wrong.
export const serverTime = () => Date.now() + ahead;

// fresh: what the service worker has kept from before is no answer.
async function call(method, path, body, fresh) {
  const isFile = body instanceof Blob;
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRF-Token"] = session.csrf;
  if (body) headers["Content-Type"] = isFile ? "application/octet-stream" : "application/json";
  const sent = isFile ? body : body && JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: sent }).catch(() => {
    throw unreachable();
  });
  const kept = response.headers.has("X-Kept");
  if (kept && fresh) throw unreachable();
  setOffline(kept);
  const at = Date.parse(response.headers.get("Date"));
  if (!kept && at) ahead = at - Date.now();
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) throw refused(response.status, answer);
  return answer;
}

export const get = (path, fresh = false) => call("GET", path, undefined, fresh);
export const post = (path, body = {}) => call("POST", path, body);

// Does something in the event: one action, or several that are undone together. want: what the answer
// brings, "sheet" or "desk". What else it changes is told.
export async function perform(actions, want = "nothing") {
  const done = await post("api/actions", { actions: [actions].flat(), want });
  if (done?.notes?.length) toast(done.notes.map((note) => sentence(note)).join(" "));
  return done;
}

// Milliseconds in which nothing is sent nor answered: the connection is treated as lost.
const SILENCE = 120_000;

// XMLHttpRequest, because fetch does not report upload progress. path: where to send it;
// from: how many bytes came before.
export function upload({ blob }, onProgress, path, from = 0) {
  return new Promise((resolve, reject) => {
    if (blob.size > session.limits.bytes) throw new Failure({ code: "image_too_large" });
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("X-CSRF-Token", session.csrf);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    let timer;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), SILENCE);
    };
    request.upload.onprogress = ({ lengthComputable, loaded }) => {
      listen();
      if (lengthComputable) onProgress((from + loaded) / blob.size);
    };
    request.onloadend = () => {
      clearTimeout(timer);
      const { status, response } = request;
      if (!status) return reject(unreachable()); // lost, or aborted
      setOffline(false);
      if (status < 300 && response) resolve(response);
      else reject(refused(status, response));
    };
    listen();
    request.send(from ? blob.slice(from) : blob);
  });
}

// Resolves after this many seconds, or when the network is back.
export const pause = (seconds) =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000 * seconds);
    const signal = AbortSignal.timeout(1000 * seconds);
    addEventListener("online", resolve, { once: true, signal });
  });

// A page that is restored by going back comes as it was left: its requests were cut off, not the network.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  dispatchEvent(new Event("online"));
  staySignedIn();
});
document.addEventListener("visibilitychange", () => document.hidden || staySignedIn());

// Whoever signed out meanwhile, in another tab perhaps, sees no results any more.
async function staySignedIn() {
  if (session.role === "public") return;
  const now = await get("api/session").catch((error) =>
    error.code === "no_session" ? null : session,
  );
  if (now?.csrf !== session.csrf) location.reload();
}

// Seconds that the server may wait for news; 0 after a failed request, so that the page knows at once
// when the server answers again.
const WAIT = 20;

// Requests what an event shows, again and again when something has changed, as long as `wanted`.
// show(now, before) returns false if `now` is outdated: `before` is what changes() was when it was
// requested.
export async function poll(path, show, changes = () => 0, wanted = () => true) {
  for (let state = null, wait = WAIT; wanted();) {
    try {
      const before = changes(),
        now = await get(state === null ? path : `${path}?after=${state}&wait=${wait}`);
      wait = WAIT;
      if (now.state === state || (await show(now, before)) !== false) state = now.state;
    } catch (error) {
      if (error.code === "no_session") return location.reload(); // nobody may be there to read it
      if (error.code !== "offline") toast(explain(error));
      await pause(4);
      wait = 0;
    }
  }
}

// Waits until a photo has been read, however long the queue is: the server has it, though the network or
// the server may go away meanwhile, or the phone sleep. Whoever waits for the same photo shares one
// request: over http a browser has only six connections to a server.
const unread = new Map();
export function whenRead(id) {
  const untilRead = async () => {
    for (;;) {
      const photo = await persist((wait) => get(`api/photos/${id}?wait=${wait}`));
      if (photo.state !== "waiting") return photo;
    }
  };
  if (!unread.has(id))
    unread.set(
      id,
      untilRead().finally(() => unread.delete(id)),
    );
  return unread.get(id);
}

// Repeats ask(wait), where `wait` is in seconds as above, until it fails in no way that passes by
// itself.
export async function persist(ask) {
  for (let wait = WAIT; ; wait = 0) {
    try {
      return await ask(wait);
    } catch (error) {
      if (!passes(error)) throw error;
      await pause(4);
    }
  }
}

document.getElementById("leave")?.addEventListener("click", async () => {
  try {
    await post("api/leave");
  } catch (error) {
    if (error.code !== "no_session") return toast(explain(error));
  }
  location.href = "join";
});
