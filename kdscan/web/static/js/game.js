// Two maps make a game.

import { get } from "./api.js";
import { drawBoard } from "./board.js";
import { castle } from "./coats.js";
import { h, put, s } from "./dom.js";
import { t, tn } from "./i18n.js";
import { share } from "./share.js";

const DECIDED = {
  score: () => t("by points"),
  largest_domain: () => t("equal points: by the larger domain"),
  draw: () => t("equal points and equally large domains"),
};

// #/game/A/B
export async function showGame(place, ids) {
  const { sheets, game } = await get(`/api/games?sheets=${ids.join(",")}`);
  const side = (sheet, n) => h("article", { class: game.winner === n ? "player card won" : "player card" },
    h("h2", {}, game.winner === n && h("span", { class: "crown", "aria-hidden": "true" }, "♛ "), t("Map {n}", { n: n + 1 }), " · ", tn("{n} point", "{n} points", sheet.score.total)),
    h("p", { class: "verdict" }, t("largest domain: {n}", { n: game.players[n].largest_domain }), sheet.review ? ` · ${t("please check")}` : ""),
    h("a", { href: `#/photo/${sheet.photo}/${sheet.id}`, "aria-label": t("Look at map {n}", { n: n + 1 }) }, drawBoard(sheet, { labels: false })));
  put(place,
    h("h1", { tabindex: "-1", class: "winner" }, s("svg", { viewBox: "0 0 100 100", class: "emblem", "aria-hidden": "true" }, castle(true)),
      game.winner === null ? t("A draw") : t("Map {n} wins", { n: game.winner + 1 })),
    h("p", { class: "decided" }, `${game.players.map((p) => p.total).join(" : ")} · ${DECIDED[game.decided_by]()}`),
    h("div", { class: "versus" }, sheets.map(side)),
    h("div", { class: "bar" }, h("button", { type: "button", class: "bar-button", onclick: () => share(sheets, game) }, h("span", { "aria-hidden": "true" }, "⇪"), t("Share")),
      h("a", { class: "bar-button", href: "#/" }, h("span", { "aria-hidden": "true" }, "⌂"), t("Start"))));
}

// #/versus/A: whose map is the other one?
export async function chooseOther(place, id) {
  const { photos } = await get("/api/photos");
  const others = photos.flatMap((photo) => photo.sheets.map((sheet) => ({ photo, sheet }))).filter(({ sheet }) => sheet.kind === "duel_map" && sheet.id !== id);
  put(place, h("h1", { tabindex: "-1" }, t("Against which map?")),
    others.length
      ? h("ul", { class: "results" }, others.map(({ photo, sheet }) => h("li", {}, h("a", { class: "result card", href: `#/game/${id}/${sheet.id}` },
        h("img", { src: photo.pages[sheet.page]?.thumb, alt: "", loading: "lazy" }),
        h("span", { class: "result-name" }, photo.name), h("strong", {}, tn("{n} point", "{n} points", sheet.total))))))
      : h("p", {}, t("There is no other map yet. Photograph it first.")),
    h("p", {}, h("a", { class: "button", href: "#/" }, t("Photograph the other map"))));
}
