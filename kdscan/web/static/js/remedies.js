// The desk's cards: their names, and those that are settled with one tap, photos side by side.

import { explain, get } from "./api.js";
import { upTo } from "./board.js";
import { form, h, input, pointsInput, select, typedPoints } from "./dom.js";
import { strip } from "./grid.js";
import { joined, pointsText, sentence, t } from "./i18n.js";
import { photoView } from "./photo.js";
import { decisionLine, partOf, personName } from "./sheet.js";

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

// A card with its answers, and what the keys 1 to 9 do. act(action): performs an answer.
export async function cardView(card, desk, act) {
  const inside = await (REMEDIES[card.kind] ?? failed)(card, desk, act);
  const element = h("section.remedy.stack", [
    h("h2.card-title tabindex=-1", [
      HEADINGS[card.kind](),
      card.round !== null && h("small", " ", where(card)),
    ]),
    h("p.card-text", sentence(t(card.text), { ...card.values, who: personName(card.values.who) })),
    inside,
    everybody(desk),
  ]);
  return { remedies: numbered(element), element };
}

// The keys 1 to 9 give answers too, numbered in the order shown, whichever photo came first.
function numbered(element) {
  const buttons = [...element.querySelectorAll(".answer:not(.unkeyed)")];
  buttons
    .slice(0, 9)
    .forEach((button, n) => button.prepend(h("kbd aria-hidden=true", String(n + 1))));
  return buttons.map((button) => () => button.click());
}

const answer = (label, doing, kind = null) =>
  h("button.answer.choice type=button", { class: kind, onclick: doing }, h("span", label));

const answers = (...inside) => h("div.answers.tiles", inside);

const UNKEYED = "unkeyed"; // an answer that is too grave for one digit

// One of a card's sheets: its total above its photo and the answers before and after it.
async function side(brief, { before, after, kind = "side card", inside = (parts) => parts } = {}) {
  const title = h("p.evidence-line", [
    h("strong", brief.total === null ? "–" : pointsText(brief.total)),
    " ",
    h("small", joined(brief.player, brief.name)),
  ]);
  const parts = [before, await evidence(brief), after];
  return h("article", { class: kind, label: brief.name }, title, inside(parts));
}

// A sheet's photo, upright, with the strip in which its player wrote a name.
async function evidence(brief) {
  const photo = await get(`api/photos/${brief.photo}`);
  const sheet = photo.sheets.find((one) => one.id === brief.id);
  const page = photo.pages.find((one) => one.page === brief.page);
  if (!sheet || !page?.view) return h("p.none", brief.name);
  return h("div.evidence.stack", [
    sheet.outline.length === 4 && strip(page, sheet),
    photoView(page, [sheet], null, sheet),
  ]);
}

// All sheets of a card; say(sheet): what is said of each, see `side`.
const sides = (card, say = () => ({})) =>
  Promise.all(card.sheets.map((sheet) => side(sheet, say(sheet))));

const ignore = (act, sheet) => act({ type: "ignore", sheet: sheet.id });
const notCounted = (act, sheet) => answer(t("Do not count it"), () => ignore(act, sheet));

// Sheets of one player side by side, each with what may be true of it; more(sheet): an answer.
async function rivals(card, desk, act, more) {
  const say = (sheet) => ({
    before: more(sheet),
    after: [h("h3", t("Or it is the sheet of")), owners(card, desk, act, sheet, { own: true })],
  });
  return h("div.tiles", await sides(card, say));
}

async function conflict(card, desk, act) {
  const [one, ...others] = card.sheets;
  const join = () => act({ type: "same_paper", sheet: others.at(-1).id, of: one.id });
  return [
    answer(t("It is the same sheet"), join, "wide"),
    await rivals(card, desk, act, (sheet) => notCounted(act, sheet)),
  ];
}

const twice = (card, desk, act) =>
  rivals(card, desk, act, (sheet) => {
    const other = card.sheets.find((one) => one.id !== sheet.id);
    return other && answer(t("This one counts"), () => ignore(act, other));
  });

// Whom its player named comes first, even if nothing of theirs is missing.
const owner = (card, desk, act) => {
  const named = card.values.who ? [card.player] : [];
  const players = [...new Set([...named, ...card.players])];
  return sides(card, (sheet) => ({
    kind: "side card owner",
    after: h("div.stack", [
      h("h3", card.players.length ? t("Their sheet is missing") : t("Whose is it?")),
      owners({ ...card, players }, desk, act, sheet),
      notCounted(act, sheet),
    ]),
    inside: (parts) => h("div.stack.owner-body", parts),
  }));
};

// What was entered, against the sheets. Without points it is a walkover, withdrawn or entered again.
async function differs(card, desk, act) {
  const { round, table, player, values } = card;
  const several = values.points === undefined;
  const says = (said, from, result) =>
    answer([said, h("small", " ", from)], () => act({ round, table, ...result }));
  const points = (n, from) =>
    says(pointsText(n), from, { type: "enter_result", points: { [player]: n } });
  const sheet = t("as on the sheet");
  const entered = t("as entered");
  const wins = player && t("{name} wins, opponent absent", { name: player });
  const absent = wins || t("Both absent: both lose");
  const choices = several
    ? [
        says(values.totals, sheet, { type: "withdraw_result" }),
        says(absent, entered, { type: "walkover", winner: player }),
      ]
    : [points(card.sheets[0].total, sheet), points(Number(values.points), entered)];
  return [answers(choices), h("div", { class: several && "tiles" }, await sides(card))];
}

function missing(card, desk, act) {
  const at = { round: card.round, table: card.table };
  const game = desk.games.find((one) => one.round === at.round && one.table === at.table);
  if (!game) return [];
  const save = () => {
    const points = typedPoints([...entry.querySelectorAll("input")]);
    if (Object.keys(points).length) act({ type: "enter_result", ...at, points });
  };
  const field = ({ player, total }) =>
    h("label", player, pointsInput(player, { value: total ?? "" }));
  const entry = form("form.card.result-form", save, [
    h("h3", t("Enter the points")),
    game.seats.map(field),
    h("button.main", t("Save the points")),
  ]);
  const absent = ({ player }) => {
    const win = () => act({ type: "walkover", ...at, winner: player });
    return answer(t("{name} wins, opponent absent", { name: player }), win, UNKEYED);
  };
  return [answers(game.seats.length === 2 && game.seats.map(absent)), entry];
}

const failed = (card, desk, act) => [
  h("p", card.problem && explain(card.problem)),
  card.picture && h("img.failed-photo", { src: card.picture, alt: t("Photo") }),
  answer(t("Remove it"), () => act({ type: "remove_photo", file: card.file }), UNKEYED),
];

// What a player changed: it counts once it is accepted; restored, the read values stay.
async function changed(card, desk, act) {
  const { changes: actions } = card;
  const restored = actions.map((action) => ({ type: "undo", action }));
  const sheet = await get(`api/sheets/${card.sheets[0].id}`);
  const { pages } = await get(`api/photos/${sheet.photo}`);
  const page = pages.find((one) => one.page === sheet.page);
  const changes = sheet.corrections.filter(({ id }) => actions.includes(id));
  const shown = changes.map((one) => {
    const crop = page?.view && partOf(sheet, one)?.crop(page);
    const kind = (!crop || crop.classList.contains("strip")) && "tall";
    return h("article.doubt.card", { class: kind }, crop, h("ul.ask", decisionLine(sheet, one)));
  });
  return [
    answers(
      answer(t("Accept the change"), () => act({ type: "approve", actions })),
      answer(t("Keep what was read"), () => act(restored)),
    ),
    h("section.doubts.stack", shown),
    await sides(card),
  ];
}

const REMEDIES = { changed, conflict, twice, owner, opponent: owner, differs, missing, failed };

// Whose sheet is it? The players who may be meant, one tap each, and a field for everybody else.

// Each answer names its round. own: it is no longer its player's.
function owners(card, desk, act, sheet, { own = false } = {}) {
  const now = desk.last_round;
  const its = card.round ?? sheet.round ?? (now || null);
  const named = (round) => t("round {round}", { round });
  const numbers = upTo(now).map((n) => [n + 1, named(n + 1)]);
  const rounds = select(t("Round"), numbers);
  rounds.value = String(its ?? "");
  const give = (player, round) =>
    act({ type: "assign_sheet", sheet: sheet.id, player, round, own });
  const of = (name) => answer([name, its && h("small", " ", named(its))], () => give(name, its));
  const others = card.players.filter((name) => !own || name !== card.player);
  const field = input(t("Somebody else"), { list: "players" });
  const assign = () => field.value.trim() && give(field.value.trim(), Number(rounds.value) || its);
  const parts = [
    others.map(of),
    form("form.row.somebody", assign, field, now > 1 && rounds, h("button", t("Assign"))),
  ];
  return answers(others.length > 9 ? parts.reverse() : parts); // who types finds one of many
}

// The names that the field for everybody else suggests.
const everybody = (desk) =>
  h("datalist id=players", [desk.players.map(({ name }) => h("option", { value: name }))]);

// To say that a sheet is another player's: of its table, or anybody's.
export function otherOwner(card, desk, act) {
  const [sheet] = card.sheets;
  const game = desk.games.find((one) => one.round === card.round && one.table === sheet.table);
  const seated = (game?.seats ?? []).map((seat) => seat.player);
  const players = seated.filter((name) => name !== sheet.player);
  return h("details.other-owner", [
    h("summary", t("Whose is it?")),
    owners({ ...card, players }, desk, act, sheet),
    everybody(desk),
  ]);
}
