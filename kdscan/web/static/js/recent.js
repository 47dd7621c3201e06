// The list of recent results, up to date: photos that the server has not read yet are waited for, and
// announced when they are.

import { get, pause, perform, persist, post, serverTime, whenRead } from "./api.js";
import { announce, h, lines, put } from "./dom.js";
import { explain } from "./errors.js";
import { pointsText, t, when } from "./i18n.js";
import { briefly } from "./kinds.js";
import { namesOf } from "./names.js";

const unread = new Set(); // photos that the server has not read yet, as far as this page knows
const batches = new Map(); // of those that were sent from this page: what they were sent with
let list = null;
let showList = null;
let asked = 0;
let drawn = 0;
let watching = false;

// The list's element, empty until it is refreshed.
export function recentList() {
  list = h("ul.results", { "aria-label": t("Recent results") });
  showList = lines(list, (photo) => photo.id, line);
  return list;
}

export const isShown = () => Boolean(list?.isConnected);

// Says in the list why there is none, without a network perhaps.
export const refreshOrExplain = () =>
  refresh().catch((error) => isShown() && put(list, h("li.none", explain(error))));

async function refresh(fresh = false) {
  asked += 1;
  const mine = asked;
  const { photos } = await get("api/photos", fresh);
  if (mine < drawn) return; // a later answer is newer
  drawn = mine;
  showList?.(photos.filter(isCurrent), h("li.none", t("Nothing yet.")));
  const pending = photos.filter(({ state }) => state === "waiting");
  pending.forEach(({ id }) => unread.add(id));
  tell(photos.filter((photo) => !pending.includes(photo) && unread.delete(photo.id)));
  // The oldest is read first; when it is done, the next one is watched.
  pending.slice(-1).forEach(watch);
}

// A photo that could not be read is of no use to anybody an hour later.
const isCurrent = ({ state, added_at: at }) =>
  state !== "failed" || serverTime() - Date.parse(at) < 3_600_000;

// Photos that were sent together: when all are read, the page shows their game, or the only one's
// result, if the view is still the one from which they were sent. against: sheets that they play
// against; instead: a sheet in whose place they come.
export const batchOf = (size, { against = [], instead = null } = {}) => ({
  size,
  against,
  instead,
  from: location.hash,
  read: [],
});

// A photo is on the server now.
export async function delivered({ id, state }, batch) {
  unread.add(id);
  if (batch) batches.set(id, batch);
  await persist(() => refresh(true));
  if (state !== "waiting" && unread.delete(id))
    tell([await persist(() => get(`api/photos/${id}`))]); // known, and older than those listed
}

// Shows the result of a photo when it is ready, whoever sent it and whenever.
async function watch({ id }) {
  if (watching) return;
  watching = true;
  try {
    await whenRead(id);
  } catch {
    await pause(4); // removed meanwhile, perhaps: the list knows
  } finally {
    watching = false;
  }
  persist(() => refresh(true)).catch(() => {});
}

// Announces photos that have been read. Their pictures in the list are loaded once, so that they are
// there without a network too.
function tell(photos) {
  for (const { thumb } of photos.flatMap(({ pages }) => pages)) if (thumb) new Image().src = thumb;
  if (photos.length) announce(photos.map(newsOf).join(". "));
  for (const photo of photos) {
    const batch = batches.get(photo.id);
    if (!batches.delete(photo.id)) continue;
    batch.read.push(photo);
    if (batch.read.length === batch.size) open(batch);
  }
}

// Somebody who sent a photo, or those of a game, and waited sees the result; others find it in the
// list.
async function open({ read, against, instead, from }) {
  const sheets = read.sort((a, b) => a.id - b.id).flatMap((photo) => photo.sheets);
  const scored = sheets.filter(({ total }) => total !== null && total !== undefined);
  if (instead && sheets.length) await replace(instead, sheets);
  if (location.hash !== from) return;
  const players = [...against, ...scored.map(({ id }) => id)];
  const books = sheets.filter(({ kind }) => kind === "duel_spellbook").map(({ id }) => id);
  const kinds = new Set(scored.map(({ kind }) => kind));
  const most = kinds.has("kingdom") ? 4 : 2;
  const game = players.length > 1 && players.length <= most && kinds.size === 1;
  if (game && books.length < 2 && read.length + against.length > 1)
    location.hash = `#/game/${[...players, ...books].join("/")}`;
  else if (read.length === 1) location.hash = `#/photo/${read[0].id}`;
}

// A better photo takes the name and the place of another one.
async function replace({ photo, player, kind }, sheets) {
  const [same] = sheets.filter((sheet) => sheet.kind === kind);
  if (player && same && !same.player)
    await perform({ type: "assign_sheet", sheet: same.id, player, keep: true }).catch(() => {});
  await post(`api/photos/${photo}/remove`).catch(() => {}); // in an event the desk decides
}

const newsOf = ({ name, state }) =>
  state === "read" ? t("{name} was read", { name }) : t("{name} could not be read", { name });

// One photo in the list; it remains the same link while it is updated.
function line({ id }) {
  const link = h("a.result.card");
  const show = (photo) => {
    link.href = photo.state === "waiting" ? `#/wait/${id}` : `#/photo/${id}`;
    put(
      link,
      thumbOf(photo),
      h("span.result-name", titleOf(photo), h("small", when(photo.added_at))),
      h("strong", { class: photo.sheets.some(({ review }) => review) && "doubtful" }, [
        resultOf(photo),
      ]),
    );
  };
  return { element: h("li", link), show };
}

function thumbOf({ pages, state }) {
  const thumb = pages.find((page) => page.thumb)?.thumb;
  if (thumb) return h("img", { src: thumb, alt: "", loading: "lazy" });
  return h("span", { class: state === "waiting" ? "no-thumb busy" : "no-thumb" });
}

function titleOf({ name, sheets }) {
  const players = sheets.length === 1 ? sheets[0].player : namesOf(sheets);
  return players || name;
}

function resultOf({ state, sheets }) {
  if (state === "waiting") return t("reading …");
  if (state === "failed") return t("could not be read");
  const points = sheets.length > 1 ? String : pointsText; // of a table and a scan of many pages, numbers alone
  return sheets.map((sheet) => briefly(sheet, points)).join(" · ") || t("nothing found");
}
