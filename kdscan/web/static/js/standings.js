// The page for the projector, updated when something changes.

import { poll, serverTime, session } from "./api.js";
import { $, h, put } from "./dom.js";
import { t, tn } from "./i18n.js";
import { fit, gamesOf, isProjector, pairingsOf } from "./league.js";
import { signInOf, standingsOf, totalsOf } from "./league.js";
import { emblem } from "./marks.js";
import { ownNames } from "./names.js";

const place = $("#main");

let ends = null;
function tick() {
  const clock = $(".clock");
  if (!clock) return;
  const left = Math.max(0, Math.round((ends - serverTime()) / 1000));
  clock.textContent = left
    ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`
    : t("Time is up");
  clock.classList.toggle("over", left < 60);
}
setInterval(tick, 500);

addEventListener("resize", fit);
document.fonts.addEventListener("loadingdone", fit); // letters of another face have another size

function stateOf({ games, totals, played_round: n, closed }, latest) {
  if (closed) return t("final standings");
  if (!latest) return tn("{n} map", "{n} maps", totals.length);
  if (!n) return t("before round 1");
  const over = games.every((game) => game.round !== n || game.finished);
  return over ? t("after round {n}", { n }) : t("during round {n}", { n });
}

function tableOf({ standings, totals }) {
  if (standings.length) return standingsOf(standings, ownNames());
  if (totals.length) return totalsOf(totals);
  return h("p.none", t("Nothing yet."));
}

// On a phone the rounds before can be opened; a projector has no room for them.
function earlierRounds(games, latest) {
  const rounds = [...new Set(games.map(({ round }) => round))].filter((n) => n < latest);
  const open = Boolean($(".earlier[open]")); // as it was drawn before
  const draw = (n) => gamesOf(games.filter(({ round }) => round === n));
  const earlier = rounds.sort((a, b) => b - a).map(draw);
  const title = h("summary", t("Earlier rounds"));
  return earlier.length > 0 && h("details.earlier", { open }, title, earlier);
}

function draw(now) {
  const latest = now.games.length ? Math.max(...now.games.map((game) => game.round)) : null;
  const round = now.games.filter((game) => game.round === latest);
  const sitting = now.shown === "pairings" && latest;
  // For those who look at a projector; who looks at a phone has signed in.
  const signing = now.shown === "sign_in" && session.join && isProjector();
  ends = now.clock ? Date.parse(now.clock) : null;
  put(
    place,
    h("header.standings-head", [
      emblem(),
      h("h1 tabindex=-1", now.event === "Table" ? t("Standings") : now.event),
      h("p", sitting ? t("Round {n}", { n: latest }) : stateOf(now, latest)),
      ends && h("p.clock role=timer"),
    ]),
    (signing && h("div.standings", signInOf())) ||
      (sitting && pairingsOf(round)) ||
      h("div", { class: latest ? "standings stack two" : "standings stack" }, [
        tableOf(now),
        latest && gamesOf(round),
      ]),
    earlierRounds(now.games, latest),
  );
  place.removeAttribute("aria-busy");
  tick();
  fit();
}

poll(session.role === "public" ? `../api/public/${session.code}` : "api/standings", draw);
