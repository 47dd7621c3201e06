// The desk's cards other than doubtful marks: photos side by side, and one tap for each remedy.

import { get } from "./api.js";
import { h, typedPoints } from "./dom.js";
import { why } from "./errors.js";
import { strip } from "./geometry.js";
import { pointsText, sentence, t } from "./i18n.js";
import { photoView } from "./photo.js";

export const HEADINGS = {
  conflict: () => t("One code, different sheets"),
  twice: () => t("Submitted twice"),
  owner: () => t("Whose is it?"),
  differs: () => t("Sheet or entered points?"),
  again: () => t("Photograph again"),
  opponent: () => t("An opponent is missing"),
  missing: () => t("A sheet is missing"),
  look: () => t("To check"),
  failed: () => t("Could not be read"),
  rules: () => t("Against the rules?"),
};

// The round and table of a sheet or card, if known.
export const where = (one) =>
  one.round === null
    ? null
    : one.table === null
      ? t("round {round}", { round: one.round })
      : t("round {round}, table {table}", { round: one.round, table: one.table });

const title = (card) =>
  h(
    "h2",
    { tabindex: "-1", class: "card-title" },
    HEADINGS[card.kind](),
    card.round !== null && h("small", {}, " ", where(card)),
  );

const answer = (label, doing, more = {}) =>
  h("button", { type: "button", class: "answer", ...more, onclick: doing }, h("span", {}, label));

// The keys 1 to 9 give answers too, numbered in the order shown, whichever photo came first.
function numbered(element) {
  const buttons = [...element.querySelectorAll(".answer")];
  buttons
    .slice(0, 9)
    .forEach((button, n) => button.prepend(h("kbd", { "aria-hidden": "true" }, String(n + 1))));
  return buttons.map((button) => () => button.click());
}

// A sheet's photo, upright, with the strip in which its player wrote a name.
async function evidence(brief) {
  const photo = await get(`/api/photos/${brief.photo}`);
  const sheet = photo.sheets.find((one) => one.id === brief.id),
    page = photo.pages.find((one) => one.page === brief.page);
  if (!sheet || !page?.view) return h("p", { class: "none" }, brief.name);
  return h(
    "div",
    { class: "evidence" },
    sheet.outline.length === 4 && strip(page, sheet, t("Where the name is")),
    photoView(page, [], null, sheet, { upright: true }),
  );
}

const summary = (brief) =>
  h(
    "p",
    { class: "evidence-line" },
    h("strong", {}, brief.total === null ? "–" : pointsText(brief.total)),
    " ",
    h("small", {}, [brief.player, brief.name].filter(Boolean).join(" · ")),
  );

// Candidates for a sheet's player: first those whose points are missing, also in the current round
// (an old sheet bears the code of its own round), if they may be meant, and a field for everybody else.
function owners(card, desk, act, sheet, own, meant = () => true) {
  const body = (player, round = card.round ?? sheet.round ?? (desk.last_round || null)) => ({
    player,
    round,
    table: null,
    own,
  });
  const now = desk.last_round,
    waiting =
      card.round === null || card.round === now
        ? []
        : desk.games
            .filter((game) => game.round === now && !game.finished)
            .flatMap((game) =>
              game.seats
                .filter((seat) => seat.total === null && meant(seat.player))
                .map((seat) => seat.player),
            );
  const to = `/api/sheets/${sheet.id}/place`;
  const names = card.players.filter((name) => !own || name !== card.player);
  const other = h("input", {
    type: "text",
    list: "players",
    "aria-label": t("Somebody else"),
    placeholder: t("Somebody else"),
    maxlength: "60",
  });
  return h(
    "div",
    { class: "answers" },
    names.map((name) => answer(name, () => act(to, body(name)))),
    waiting.map((name) =>
      answer([name, h("small", {}, " ", t("round {round}", { round: now }))], () =>
        act(to, body(name, now)),
      ),
    ),
    h(
      "form",
      {
        class: "row somebody",
        onsubmit: (event) => {
          event.preventDefault();
          if (other.value.trim()) act(to, body(other.value.trim()));
        },
      },
      other,
      h("button", { class: "quiet" }, t("Assign")),
    ),
  );
}

const everybody = (desk) =>
  h(
    "datalist",
    { id: "players" },
    desk.players.map((player) => h("option", { value: player.name })),
  );

// To say that a sheet is another player's: of those at its table, or anybody's; or of the current round.
export function otherOwner(card, desk, act) {
  const [sheet] = card.sheets,
    seats =
      desk.games.find((game) => game.round === card.round && game.table === sheet.table)?.seats ??
      [];
  const players = seats.map((seat) => seat.player).filter((name) => name !== sheet.player);
  return h(
    "details",
    { class: "other-owner" },
    h("summary", {}, t("Whose is it?")),
    owners({ ...card, players }, desk, act, sheet, false, (name) => name === sheet.player),
    everybody(desk),
  );
}

const notCounted = (act, sheet) =>
  answer(t("Do not count it"), () => act(`/api/sheets/${sheet.id}/ignore`, { ignored: true }));

// Sheets of one player side by side, each with what else may be true of it; more(sheet): another answer.
const sides = async (card, desk, act, more) =>
  h(
    "div",
    { class: "sides" },
    await Promise.all(
      card.sheets.map(async (sheet) =>
        h(
          "article",
          { class: "side card", "aria-label": sheet.name },
          summary(sheet),
          more(sheet),
          await evidence(sheet),
          h("h3", {}, t("Or it is the sheet of")),
          owners(card, desk, act, sheet, true),
        ),
      ),
    ),
  );

const VIEWS = {
  async conflict(card, desk, act) {
    const [one, ...others] = card.sheets;
    return [
      answer(
        t("It is the same sheet"),
        () => act(`/api/sheets/${others.at(-1).id}/same`, { of: one.id }),
        { class: "answer wide" },
      ),
      await sides(card, desk, act, (sheet) => notCounted(act, sheet)),
    ];
  },
  twice: (card, desk, act) =>
    sides(card, desk, act, (sheet) => {
      const other = card.sheets.find((one) => one.id !== sheet.id);
      return (
        other &&
        answer(t("This one counts"), () => act(`/api/sheets/${other.id}/ignore`, { ignored: true }))
      );
    }),
  owner: (card, desk, act) =>
    Promise.all(
      card.sheets.map(async (sheet) =>
        h(
          "article",
          { class: "side card owner", "aria-label": sheet.name },
          summary(sheet),
          h(
            "div",
            { class: "owner-body" },
            await evidence(sheet),
            h(
              "div",
              {},
              h("h3", {}, card.players.length ? t("Their sheet is missing") : t("Whose is it?")),
              owners(card, desk, act, sheet, false),
              notCounted(act, sheet),
            ),
          ),
        ),
      ),
    ),
  async differs(card, desk, act) {
    const says = (said, from, result) =>
      answer([said, h("small", {}, " ", from)], () =>
        act("/api/event/result", { round: card.round, table: card.table, ...result }),
      );
    const points = (n, from) => says(pointsText(n), from, { points: { [card.player]: n } });
    const answers =
      card.sheets.length > 1 // a walkover, withdrawn or entered again
        ? [
            says(card.values.totals, t("as on the sheet"), {}),
            says(t("{name} wins, opponent absent", { name: card.player }), t("as entered"), {
              walkover: card.player,
            }),
          ]
        : [
            points(card.sheets[0].total, t("as on the sheet")),
            points(Number(card.values.points), t("as entered")),
          ];
    return [
      h("div", { class: "answers" }, answers),
      h(
        "div",
        { class: card.sheets.length > 1 && "sides" },
        await Promise.all(
          card.sheets.map(async (sheet) =>
            h(
              "article",
              { class: "side card", "aria-label": sheet.name },
              summary(sheet),
              await evidence(sheet),
            ),
          ),
        ),
      ),
    ];
  },
  missing(card, desk, act) {
    const game = desk.games.find((one) => one.round === card.round && one.table === card.table);
    if (!game) return [];
    const at = { round: card.round, table: card.table };
    const fields = game.seats.map((seat) =>
      h(
        "label",
        { class: "points-field" },
        seat.player,
        h("input", {
          type: "number",
          min: "0",
          max: "999",
          inputmode: "numeric",
          value: seat.total ?? "",
          name: seat.player,
        }),
      ),
    );
    const form = h(
      "form",
      {
        class: "card result-form",
        onsubmit: (event) => {
          event.preventDefault();
          const points = typedPoints([...form.querySelectorAll("input")]);
          if (Object.keys(points).length) act("/api/event/result", { ...at, points });
        },
      },
      h("h3", {}, t("Enter the points")),
      fields,
      h("button", { class: "main" }, t("Save the points")),
    );
    const absent =
      game.seats.length === 2 &&
      game.seats.map((seat) =>
        answer(t("{name} wins, opponent absent", { name: seat.player }), () =>
          act("/api/event/result", { ...at, walkover: seat.player }),
        ),
      );
    return [h("div", { class: "answers" }, absent), form];
  },
  failed: (card, desk, act) => [
    h("p", {}, card.problem && why(card.problem)),
    answer(t("Remove it"), () => act("/api/event/remove", { file: card.file })),
  ],
};
VIEWS.opponent = VIEWS.owner;

export async function cardView(card, desk, act) {
  const inside = await (VIEWS[card.kind] ?? VIEWS.failed)(card, desk, act);
  const element = h(
    "section",
    { class: `remedy remedy-${card.kind}` },
    title(card),
    h("p", { class: "card-text" }, sentence(t(card.text), card.values)),
    inside,
    everybody(desk),
  );
  return { remedies: numbered(element), element };
}
