// The page's side of the HTTP interface (see /openapi.json), and its errors in words.

import { h, toast } from "./dom.js";
import { sentence, t } from "./i18n.js";

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
  return failure("offline");
}

// What a proxy answers by itself, by its limits.
const OF_PROXIES = { 408: "too_slow", 413: "image_too_large", 429: "too_many_requests" };

// A proxy without its server, or a network's own page to sign in, does not say what is wrong.
function refused(status, answer) {
  if ((status >= 500 || status < 300) && !answer?.error) return unreachable();
  return answer?.error ? new Failure(answer.error) : failure(OF_PROXIES[status] ?? "http");
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

// Does one action, or several that are undone together. want: the answer's part, "sheet" or "desk".
// last: see `Actions`.
export async function perform(actions, want = "nothing", last = undefined) {
  const done = await post("api/actions", { actions: [actions].flat(), want, last });
  if (done?.notes?.length) toast(done.notes.map((note) => sentence(note)).join(" "));
  return done;
}

// Milliseconds in which nothing is sent nor answered: the connection is treated as lost.
const SILENCE = 120_000;

// XMLHttpRequest, as fetch reports no progress of uploads. from: how many bytes came before.
export function upload(blob, onProgress, path, from = 0) {
  return new Promise((resolve, reject) => {
    if (blob.size > session.max_bytes) throw failure("image_too_large");
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
    const signal = AbortSignal.timeout(1000 * seconds);
    setTimeout(resolve, 1000 * seconds);
    addEventListener("online", resolve, { once: true, signal });
  });

// Going back restores a page as it was left: its requests were cut off, not the network.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  dispatchEvent(new Event("online"));
  staySignedIn();
});
document.addEventListener("visibilitychange", () => document.hidden || staySignedIn());

// Whoever signed out meanwhile, in another tab perhaps, sees no results any more.
async function staySignedIn() {
  if (session.role === "public") return;
  const gone = (error) => (error.code === "no_session" ? null : session);
  const now = await get("api/session").catch(gone);
  if (now?.csrf !== session.csrf) location.reload();
}

// Seconds that the server may wait for news; 0 after a failure, to know at once that it answers.
const WAIT = 20;

// Requests what an event shows, again whenever it has changed, as long as `wanted`. show(now,
// before) returns false if `now` is outdated: `before` is what changes() was at its request.
export async function poll(path, show, changes = () => 0, wanted = () => true) {
  for (let state = null, wait = WAIT; wanted();) {
    try {
      const before = changes();
      const now = await get(state === null ? path : `${path}?after=${state}&wait=${wait}`);
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

// Waits until a photo has been read, however long the queue is: the server has it, though the
// network or the server may go away meanwhile, or the phone sleep. Whoever waits for the same photo
// shares one request: over http a browser has only six connections to a server.
const unread = new Map();
export function whenRead(id) {
  const untilRead = async () => {
    for (;;) {
      const photo = await persist((wait) => get(`api/photos/${id}?wait=${wait}`));
      if (photo.state !== "waiting") return photo;
    }
  };
  const reading = unread.get(id) ?? untilRead().finally(() => unread.delete(id));
  unread.set(id, reading);
  return reading;
}

// Repeats ask(wait), with seconds as above, until it fails in no way that passes by itself.
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
  const error = await post("api/leave").catch((error) => error);
  if (error && error.code !== "no_session") toast(explain(error));
  else location.href = "join";
});

// What people are told of an error: the server's own words, except for these.

const ended = () => [
  t("The session has ended. Open the link with the code again."),
  " ",
  h("a", { href: "join" }, t("Sign in")),
];

// What goes wrong before the server says anything.
const WORDS = {
  unreadable_image: () => t("This file is not a readable picture. Take or upload it again."),
  image_too_large: () => t("The picture is too large. Save it smaller."),
  too_many_requests: () => t("Too many requests. Wait a moment."),
  too_slow: () => t("The photo did not arrive complete. Upload it again."),
  offline: () => t("No connection: try again later."),
  no_sheet: () =>
    t(
      "No map was found. Take the photo again with the whole grid in view, sharp and without reflections.",
    ),
};

export const failure = (code) =>
  new Failure({ code, message: WORDS[code]?.() ?? t("This cannot be done.") });

// What an error says, as children of an element.
export const explain = ({ code, message }) =>
  ["no_session", "no_csrf_token"].includes(code) ? ended() : sentence(message);

// Does something and says what was wrong; resolves to the error, or null. refused(error).
export async function attempt(act, refused = () => {}) {
  try {
    await act();
    return null;
  } catch (error) {
    refused(error);
    toast(explain(error));
    return error;
  }
}

// Does acts one after another, though each waits for an answer; resolves to what an act does.
export function inTurn() {
  let last = Promise.resolve();
  return (act) => {
    const done = last.then(act);
    last = done.catch(() => {});
    return done;
  };
}

// Whether a link leads to this machine itself, so that no phone can open it.
export const isLocal = (link) =>
  ["localhost", "127.0.0.1", "[::1]"].includes(new URL(link).hostname);

// Stands in place of such a link.
export const noPhones = () =>
  t(
    "Phones cannot reach this page: only this machine opens it. Start kdscan serve in a network, without --host 127.0.0.1.",
  );

// Over http a page may not copy: then the link is shown to be copied by hand.
export async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link);
    toast(t("The link was copied."));
  } catch {
    prompt(t("The link"), link);
  }
}

// Whether reading the same file again may succeed.
export const mayChange = (error) =>
  !["unreadable_image", "image_too_large", "quota"].includes(error.code);

// Errors that pass by themselves: the request is repeated after a while.
export const passes = (error) =>
  ["offline", "too_many_requests", "store", "store_full"].includes(error.code);
