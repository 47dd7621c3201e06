// Games that were looked at on this phone: who played, who won how often.

import { h, put, recall, remember } from "./dom.js";
import { t, when } from "./i18n.js";
import { round } from "./icons.js";
import { nameOf } from "./kinds.js";

const KEY = "kdscan.games";
const MOST = 50; // games that are remembered
const SHOWN = 8;

const games = () => recall(KEY, []);
let redraw = () => {}; // the list, where it is shown

function store(list) {
  remember(KEY, list.slice(0, MOST));
  redraw();
}

// Remembers a game as it stands; one that was remembered before is replaced.
export function rememberGame(ids, players, { winners }) {
  if (players.some((sheet) => sheet.photograph_again)) return;
  const key = ids.join("/");
  const before = games().find((game) => game.key === key);
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
  store([entry, ...games().filter((game) => game.key !== key)]);
}

// How often each named player won, the most successful first: "Ann 3, Bob 1".
function tally(played) {
  const wins = new Map();
  for (const { players } of played)
    for (const { name, won } of players)
      if (name) wins.set(name, (wins.get(name) ?? 0) + Number(won));
  return [...wins].sort((a, b) => b[1] - a[1]);
}

// The games, each a link with a button that forgets it; nothing where there are none.
export function gamesList() {
  const place = h("section");
  const forget = (key) => store(games().filter((game) => game.key !== key));
  const draw = () => {
    const played = games();
    const wins = tally(played).map(([name, n]) => `${name} ${n}`);
    put(
      place,
      played.length > 0 && h("h2.quiet-title", t("Games")),
      wins.length > 1 && h("p.tally", t("Won:"), " ", wins.join(", ")),
      played.length > 0 &&
        h("ul.results.games", { "aria-label": t("Games") }, [
          played.slice(0, SHOWN).map((game) => line(game, forget)),
        ]),
    );
  };
  redraw = draw;
  draw();
  return place;
}

function line({ key, at, players }, forget) {
  const names = players.map(({ label, total }) => `${label} ${total}`).join(" : ");
  return h("li.result.card", [
    h("a.result-name", { href: `#/game/${key}` }, h("strong", names), h("small", when(at))),
    round("close", t("Forget {name}", { name: names }), () => forget(key)),
  ]);
}
