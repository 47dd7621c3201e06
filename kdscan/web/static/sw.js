// Keeps the page and the last results readable without a network, which is asked first.

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
  const add = async (path) => {
    const page = await fetch(path);
    if (page.ok && !page.redirected) await cache.put(path, page);
  };
  await cache.addAll(FILES);
  await Promise.all(PAGES.map(add));
  await self.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name !== SHELL && name !== RESULTS);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

// What an answer is kept under: a page under its path alone, so that # and ? make no other.
const keyOf = (request) => (request.mode === "navigate" ? new URL(request.url).pathname : request);

async function keep(request, response) {
  if (!response.ok || response.redirected) return;
  if (request.mode === "navigate") return (await caches.open(SHELL)).put(keyOf(request), response);
  const cache = await caches.open(RESULTS);
  await cache.put(request, response);
  const old = (await cache.keys()).slice(0, -KEPT_RESULTS);
  await Promise.all(old.map((key) => cache.delete(key)));
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
  const page = request.mode === "navigate" && kept(ROOT);
  const known = (await kept(keyOf(request))) ?? (await page);
  return known ? marked(known) : (response ?? Response.error());
}

const kept = (request) => caches.match(request, { ignoreVary: true });

// Without a network the language stays, and so does the page.
const language = (request) =>
  fetch(request).catch(() => Response.redirect(request.referrer || ROOT));

const cacheFirst = async (request) => (await kept(request)) ?? networkFirst(request);

// Whoever cannot reach the server stays signed in, and keeps the results.
async function leave(request) {
  const response = await fetch(request);
  if (!GONE.includes(response.status)) await caches.delete(RESULTS);
  return response;
}

// What answers a request; null: nothing but the network.
function answerTo(request) {
  const { pathname, origin, searchParams } = new URL(request.url);
  const path = pathname.replace(ROOT, "");
  if (path === "api/leave") return leave(request);
  if (request.method !== "GET" || origin !== location.origin || searchParams.has("wait"))
    return null;
  if (path.startsWith("static/") || path.endsWith(".jpg")) return cacheFirst(request);
  if (path.startsWith("language/")) return language(request);
  return PAGES.includes(pathname) || path.startsWith("api/") ? networkFirst(request) : null;
}

self.addEventListener("fetch", (event) => {
  const answer = answerTo(event.request);
  if (answer) event.respondWith(answer);
  else if (new URL(event.request.url).pathname === `${ROOT}join`)
    event.waitUntil(caches.delete(RESULTS));
});
