// What there is to answer on each kind of card: photos side by side, and one tap for each remedy.

import { get } from "./api.js";
import { cellName } from "./board.js";
import { form, h, input, pointsInput, select, typedPoints } from "./dom.js";
import { why } from "./errors.js";
import { strip } from "./grid.js";
import { pointsText, sentence, t } from "./i18n.js";
import { marksName, squareName } from "./marks.js";
import { photoView } from "./photo.js";

const ignore = (act, sheet) => act({ type: "ignore", sheet: sheet.id });

const notCounted = (act, sheet) => answer(t("Do not count it"), () => ignore(act, sheet));

const eachSheet = (card, draw) => Promise.all(card.sheets.map(draw));

// Sheets of one player side by side, each with what else may be true of it; more(sheet): another answer.
async function sides(card, desk, act, more) {
  const drawn = await eachSheet(card, async (sheet) =>
    side(sheet, [
      more(sheet),
      await evidence(sheet),
      h("h3", t("Or it is the sheet of")),
      owners(card, desk, act, sheet, { own: true }),
    ]),
  );
  return h("div.tiles", drawn);
}

async function conflict(card, desk, act) {
  const [one, ...others] = card.sheets;
  const join = () => act({ type: "same_paper", sheet: others.at(-1).id, of: one.id });
  return [
    answer(t("It is the same sheet"), join, "answer choice wide"),
    await sides(card, desk, act, (sheet) => notCounted(act, sheet)),
  ];
}

const twice = (card, desk, act) =>
  sides(card, desk, act, (sheet) => {
    const other = card.sheets.find((one) => one.id !== sheet.id);
    return other && answer(t("This one counts"), () => ignore(act, other));
  });

const owner = (card, desk, act) =>
  eachSheet(card, async (sheet) => {
    const whose = h("div", [
      h("h3", card.players.length ? t("Their sheet is missing") : t("Whose is it?")),
      owners(card, desk, act, sheet),
      notCounted(act, sheet),
    ]);
    const body = h("div.stack.owner-body", await evidence(sheet), whose);
    return side(sheet, body, "side card owner");
  });

// What was entered, against what the sheets say. With several sheets it is a walkover, withdrawn or
// entered again.
async function differs(card, desk, act) {
  const several = card.sheets.length > 1;
  const says = (said, from, result) =>
    answer([said, h("small", " ", from)], () =>
      act({ round: card.round, table: card.table, ...result }),
    );
  const points = (n, from) =>
    says(pointsText(n), from, { type: "enter_result", points: { [card.player]: n } });
  const absent = () => t("{name} wins, opponent absent", { name: card.player });
  const choices = several
    ? [
        says(card.values.totals, t("as on the sheet"), { type: "withdraw_result" }),
        says(absent(), t("as entered"), { type: "walkover", winner: card.player }),
      ]
    : [
        points(card.sheets[0].total, t("as on the sheet")),
        points(Number(card.values.points), t("as entered")),
      ];
  const drawn = await eachSheet(card, async (sheet) => side(sheet, await evidence(sheet)));
  return [answers(choices), h("div", { class: several && "tiles" }, drawn)];
}

const pointsField = (seat) =>
  h("label", [seat.player, pointsInput(seat.player, { value: seat.total ?? "" })]);

function missing(card, desk, act) {
  const at = { round: card.round, table: card.table };
  const game = desk.games.find((one) => one.round === at.round && one.table === at.table);
  if (!game) return [];
  const save = () => {
    const points = typedPoints([...entry.querySelectorAll("input")]);
    if (Object.keys(points).length) act({ type: "enter_result", ...at, points });
  };
  const entry = form("form.card.result-form", save, [
    h("h3", t("Enter the points")),
    game.seats.map(pointsField),
    h("button.main", t("Save the points")),
  ]);
  const absent = game.seats.map(({ player }) =>
    answer(
      t("{name} wins, opponent absent", { name: player }),
      () => act({ type: "walkover", ...at, winner: player }),
      UNKEYED,
    ),
  );
  return [answers(game.seats.length === 2 && absent), entry];
}

const failed = (card, desk, act) => [
  h("p", card.problem && why(card.problem)),
  card.picture && h("img.failed-photo", { src: card.picture, alt: t("Photo") }),
  answer(t("Remove it"), () => act({ type: "remove_photo", file: card.file }), UNKEYED),
];

// What a player changed: it counts once it is accepted; restored, the read values stay.
async function changed(card, desk, act) {
  const [sheet] = card.sheets;
  const restored = card.changes.map(({ action }) => ({ type: "undo", action }));
  const actions = card.changes.map(({ action }) => action);
  return [
    answers(
      answer(t("Accept the change"), () => act({ type: "approve", actions })),
      answer(t("Keep what was read"), () => act(restored)),
    ),
    h("ul", card.changes.map(changeLine)),
    side(sheet, await evidence(sheet)),
  ];
}

const changeLine = ({ what, old, new: fresh, who }) => {
  const [kind, at] = what.split(":");
  const place = kind === "cell" ? cellName(...at.split(",").map(Number)) : what;
  return h("li", `${place}: ${valueText(old)} → ${valueText(fresh)} (${who})`);
};

const valueText = (value) => {
  if (value?.terrain !== undefined) return squareName(value);
  if (value?.coat !== undefined) return marksName(value);
  return String(value?.filled ?? value ?? "–");
};

const REMEDIES = { changed, conflict, twice, owner, opponent: owner, differs, missing, failed };

// The elements of a card, or a promise of them. act(path, what): performs an answer.
const remediesOf = (card, desk, act) => (REMEDIES[card.kind] ?? failed)(card, desk, act);

// The desk's cards: what they are called, where they belong, and those that are settled with an answer.

export const HEADINGS = {
  changed: () => t("Changed by a player"),
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
export function where({ round, table }) {
  if (round === null) return null;
  if (table === null) return t("round {round}", { round });
  return t("round {round}, table {table}", { round, table });
}

const title = (card) =>
  h("h2.card-title", { tabindex: "-1" }, [
    HEADINGS[card.kind](),
    card.round !== null && h("small", " ", where(card)),
  ]);

// A card with its answers, and what the keys 1 to 9 do.
export async function cardView(card, desk, act) {
  const inside = await remediesOf(card, desk, act);
  const element = h("section", { class: `remedy remedy-${card.kind} stack` }, [
    title(card),
    h("p.card-text", sentence(t(card.text), card.values)),
    inside,
    everybody(desk),
  ]);
  return { remedies: numbered(element), element };
}

// What the desk's cards are made of: answers to tap, and the photos that help to choose one.

const answer = (label, doing, kind = "answer choice") =>
  h("button", { type: "button", class: kind, onclick: doing }, h("span", label));

const answers = (...inside) => h("div.answers.tiles", inside);

// The keys 1 to 9 give answers too, numbered in the order shown, whichever photo came first.
function numbered(element) {
  const buttons = [...element.querySelectorAll(".answer:not(.unkeyed)")];
  buttons
    .slice(0, 9)
    .forEach((button, n) => button.prepend(h("kbd", { "aria-hidden": "true" }, String(n + 1))));
  return buttons.map((button) => () => button.click());
}

// Of an answer that is too grave for one digit.
const UNKEYED = "answer unkeyed choice";

// A sheet's photo, upright, with the strip in which its player wrote a name.
async function evidence(brief) {
  const photo = await get(`api/photos/${brief.photo}`);
  const sheet = photo.sheets.find((one) => one.id === brief.id);
  const page = photo.pages.find((one) => one.page === brief.page);
  if (!sheet || !page?.view) return h("p.none", brief.name);
  return h("div.evidence.stack", [
    sheet.outline.length === 4 && strip(page, sheet, t("Where the name is")),
    photoView(page, [], null, sheet, { upright: true }),
  ]);
}

const summary = (brief) =>
  h("p.evidence-line", [
    h("strong", brief.total === null ? "–" : pointsText(brief.total)),
    " ",
    h("small", [brief.player, brief.name].filter(Boolean).join(" · ")),
  ]);

// One of a card's sheets, with its total above what is said of it.
const side = (brief, inside, kind = "side card") =>
  h("article", { class: kind, "aria-label": brief.name }, summary(brief), inside);

// Whose sheet is it? The players who may be meant, one tap each, and a field for everybody else.

// Players of the current round whose points are missing, if the card is of another round: an old sheet
// bears the code of its own round.
function waitingNow(card, { last_round: now, games }) {
  if (card.round === null || card.round === now) return [];
  return games
    .filter((game) => game.round === now && !game.finished)
    .flatMap((game) => game.seats)
    .filter((seat) => seat.total === null)
    .map((seat) => seat.player);
}

function somebodyElse(give, rounds) {
  const field = input(t("Somebody else"), { list: "players" });
  const assign = () => field.value.trim() && give(field.value.trim());
  return form("form.row.somebody", assign, field, rounds, h("button", t("Assign")));
}

// Each answer names the round to which the sheet goes; for everybody else it can be chosen. own: the
// sheet is no longer its player's. meant(player): of those in the current round, who may be meant.
function owners(card, desk, act, sheet, { own = false, meant = () => true } = {}) {
  const now = desk.last_round;
  const its = card.round ?? sheet.round ?? (now || null);
  const numbers = Array.from({ length: now }, (_, n) => n + 1);
  const named = (round) => t("round {round}", { round });
  const rounds = select(
    t("Round"),
    numbers.map((round) => [round, named(round)]),
  );
  rounds.value = String(its ?? "");
  const give = (player, round = Number(rounds.value) || its) =>
    act({ type: "assign_sheet", sheet: sheet.id, player, round, own });
  const label = (name, round) => [name, round && h("small", " ", named(round))];
  const others = card.players.filter((name) => !own || name !== card.player);
  const waiting = waitingNow(card, desk).filter((name) => meant(name));
  return answers(
    others.map((name) => answer(label(name, its), () => give(name, its))),
    waiting.map((name) => answer(label(name, now), () => give(name, now))),
    somebodyElse(give, now > 1 && rounds),
  );
}

// The names that the field for everybody else suggests.
const everybody = (desk) =>
  h("datalist", { id: "players" }, [
    desk.players.map((player) => h("option", { value: player.name })),
  ]);

// To say that a sheet is another player's: of those at its table, or anybody's; or of the current round.
export function otherOwner(card, desk, act) {
  const [sheet] = card.sheets;
  const game = desk.games.find((one) => one.round === card.round && one.table === sheet.table);
  const seated = (game?.seats ?? []).map((seat) => seat.player);
  const players = seated.filter((name) => name !== sheet.player);
  const meant = (name) => name === sheet.player;
  return h("details.other-owner", [
    h("summary", t("Whose is it?")),
    owners({ ...card, players }, desk, act, sheet, { meant }),
    everybody(desk),
  ]);
}
