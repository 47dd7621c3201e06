// What an event prints and publishes at the desk: sheets, slips, standings, results, report, archive,
// and the link to the standings that needs no code.

import { get } from "./api.js";
import { button, h, put, toast } from "./dom.js";
import { explain } from "./errors.js";
import { eventsCard } from "./events.js";
import { t } from "./i18n.js";
import { glyph } from "./icons.js";

const FILES = {
  print: [
    ["sheets.pdf", () => t("Sheets with names and codes"), true],
    ["cards.pdf", () => t("Cards for kingdoms"), true],
    ["slips.pdf", () => t("Result slips"), true],
    ["standings.pdf", () => t("Standings to post")],
  ],
  save: [
    ["standings.csv", () => t("Standings for a spreadsheet")],
    ["results.csv", () => t("All results for a spreadsheet")],
    ["report.html", () => t("Report with all sheets")],
    ["archive.zip", () => t("Archive with all photos")],
  ],
};

export function publishTab() {
  const round = h("select", { "aria-label": t("Round"), onchange: () => draw() });
  const lists = h("div.publish");
  const link = h("div");
  const events = eventsCard();
  let desk = null;
  const file = ([name, label, ofRound]) =>
    h("li", [
      ofRound && !desk.last_round
        ? h("span.none", label())
        : h(
            "a.button download",
            { href: `api/publish/${name}${ofRound ? `?round=${round.value}` : ""}` },
            label(),
          ),
    ]);
  const section = (title, files, beside) =>
    h("section.card", [h("h2", title), beside, h("ul", files.map(file))]);
  function draw() {
    const rounds = desk.last_round > 0 && h("label", t("Round"), " ", round);
    put(
      lists,
      section(t("Print"), FILES.print, rounds),
      section(t("Save"), FILES.save),
      h("section.card", h("h2", t("Public link")), link),
      events,
    );
  }
  async function showLink() {
    try {
      const { link: address } = await get("api/publish/link");
      const copy = () =>
        navigator.clipboard
          .writeText(address)
          .then(() => toast(t("The link was copied.")))
          .catch(() => prompt(t("The link"), address));
      put(link, [
        h("p", t("Whoever opens it sees the standings and the games, and nothing else.")),
        h("p.controls-row", [
          h("a", { href: address }, address),
          button([glyph("share"), t("Copy")], copy),
        ]),
      ]);
    } catch (error) {
      put(link, h("p", explain(error)));
    }
  }
  function show(fresh) {
    const last = desk?.last_round;
    desk = fresh;
    if (last === desk.last_round) return;
    put(
      round,
      Array.from({ length: desk.last_round }, (_, n) =>
        h("option", { value: n + 1 }, String(n + 1)),
      ),
    );
    round.value = String(desk.last_round);
    draw();
    if (last === undefined) showLink();
  }
  return { element: lists, show };
}
