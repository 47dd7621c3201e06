// Games that were looked at on this phone: who played, who won how often.

import { h, put } from "./dom.js";
import { t, when } from "./i18n.js";
import { nameOf } from "./kinds.js";

const KEY = "kdscan.games";
const MOST = 50; // games that are remembered
const SHOWN = 8;

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

function store(games) {
  try {
    localStorage.setItem(KEY, JSON.stringify(games.slice(0, MOST)));
  } catch {
    /* a private window keeps nothing */
  }
}

// Remembers a game as it stands; one that was remembered before is replaced.
export function remember(ids, players, { winners }) {
  if (players.some((sheet) => sheet.photograph_again)) return;
  const key = ids.join("/");
  const games = remembered();
  const before = games.find((game) => game.key === key);
  const entry = {
    key,
    at: before?.at ?? new Date().toISOString(),
    players: players.map((sheet, n) => ({
      name: sheet.player,
      label: nameOf(sheet, players),
      total: sheet.score.total,
      won: winners.length < players.length && winners.includes(n),
    })),
  };
  store([entry, ...games.filter((game) => game !== before)]);
}

// How often each named player won, the most successful first: "Ann 3, Bob 1".
function tally(games) {
  const wins = new Map();
  for (const { players } of games)
    for (const { name, won } of players)
      if (name) wins.set(name, (wins.get(name) ?? 0) + Number(won));
  return [...wins].sort((a, b) => b[1] - a[1]);
}

// The games, each a link with a button that forgets it; nothing where there are none.
export function gamesList() {
  const place = h("section");
  const draw = () => {
    const games = remembered();
    const wins = tally(games);
    put(
      place,
      games.length > 0 && h("h2.quiet-title", t("Games")),
      wins.length > 1 &&
        h("p.tally", [t("Won:"), " ", wins.map(([name, n]) => `${name} ${n}`).join(", ")]),
      games.length > 0 &&
        h("ul.results.games", { "aria-label": t("Games") }, [
          games.slice(0, SHOWN).map((game) => line(game, () => forget(game, draw))),
        ]),
    );
  };
  draw();
  return place;
}

function forget(game, draw) {
  store(remembered().filter(({ key }) => key !== game.key));
  draw();
}

function line({ key, at, players }, remove) {
  const names = players.map(({ label, total }) => `${label} ${total}`).join(" : ");
  return h("li.result.card", [
    h("a.result-name", { href: `#/game/${key}` }, [h("strong", names), h("small", when(at))]),
    h(
      "button.round",
      {
        type: "button",
        "aria-label": t("Forget {name}", { name: names }),
        onclick: remove,
      },
      "×",
    ),
  ]);
}
