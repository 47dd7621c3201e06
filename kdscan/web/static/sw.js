// Keeps the page and the last results readable without a network. Answers come from the network
// first; without it, the last stored answer is used.

const SHELL = "shell-{version}",
  RESULTS = "results";
const FILES = [/*files*/];
const KEPT_RESULTS = 120;
const ROOT = new URL(".", location).pathname; // the page may lie below a path of its own
const PAGES = ["", "standings", "desk"].map((name) => ROOT + name);
const GONE = [502, 503, 504]; // a proxy answers even if its server is gone

// Whoever is not signed in, or not as the desk, gets the form to sign in, which is not kept.
async function install() {
  const cache = await caches.open(SHELL);
  await cache.addAll(FILES);
  await Promise.all(
    PAGES.map(async (path) => {
      const page = await fetch(path);
      if (page.ok && !page.redirected) await cache.put(path, page);
    }),
  );
  await self.skipWaiting();
}

self.addEventListener("install", (event) => {
  event.waitUntil(install());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name !== SHELL && name !== RESULTS)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

// What an answer is kept under: a page under its path alone, so that # and ? make no other.
const keyOf = (request) => (request.mode === "navigate" ? new URL(request.url).pathname : request);

async function keep(request, response) {
  if (!response.ok || response.redirected) return;
  if (request.mode === "navigate") return (await caches.open(SHELL)).put(keyOf(request), response);
  const cache = await caches.open(RESULTS);
  await cache.put(request, response);
  const keys = await cache.keys();
  await Promise.all(
    keys.slice(0, Math.max(0, keys.length - KEPT_RESULTS)).map((key) => cache.delete(key)),
  );
}

// The same answer, marked as an older one.
function marked(known) {
  const headers = new Headers(known.headers);
  headers.set("X-Kept", "1");
  return new Response(known.body, { status: known.status, headers });
}

async function networkFirst(request) {
  const response = await fetch(request).catch(() => null);
  if (response && !GONE.includes(response.status)) {
    await keep(request, response.clone()).catch(() => {});
    return response;
  }
  const known =
    (await caches.match(keyOf(request), { ignoreVary: true })) ??
    (request.mode === "navigate" && (await caches.match(ROOT, { ignoreVary: true })));
  return known ? marked(known) : (response ?? Response.error());
}

// Without a network the language stays, and so does the page.
async function language(request) {
  return fetch(request).catch(() => Response.redirect(request.referrer || ROOT));
}

async function cacheFirst(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? networkFirst(request);
}

// Whoever cannot reach the server stays signed in, and keeps the results.
async function leave(request) {
  const response = await fetch(request);
  if (!GONE.includes(response.status)) await caches.delete(RESULTS);
  return response;
}

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url),
    path = url.pathname.replace(ROOT, "");
  if (path === "api/leave") {
    event.respondWith(leave(event.request));
    return;
  }
  if (path === "join") {
    event.waitUntil(caches.delete(RESULTS));
    return;
  }
  if (
    event.request.method !== "GET" ||
    url.origin !== location.origin ||
    url.searchParams.has("wait")
  )
    return;
  if (path.startsWith("static/") || path.endsWith(".jpg"))
    event.respondWith(cacheFirst(event.request));
  else if (path.startsWith("language/")) event.respondWith(language(event.request));
  else if (PAGES.includes(url.pathname) || path.startsWith("api/"))
    event.respondWith(networkFirst(event.request));
});
