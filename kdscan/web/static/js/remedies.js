// What there is to answer on each kind of card: photos side by side, and one tap for each remedy.

import { UNKEYED, answer, answers, evidence, side } from "./answers.js";
import { cellName } from "./board.js";
import { marksName } from "./coats.js";
import { h, pointsInput, typedPoints } from "./dom.js";
import { why } from "./errors.js";
import { pointsText, t } from "./i18n.js";
import { owners } from "./owners.js";
import { squareName } from "./terrains.js";

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
  return h("div.sides", drawn);
}

async function conflict(card, desk, act) {
  const [one, ...others] = card.sheets;
  const join = () => act({ type: "same_paper", sheet: others.at(-1).id, of: one.id });
  return [
    answer(t("It is the same sheet"), join, "answer wide"),
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
    const body = h("div.owner-body", await evidence(sheet), whose);
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
  return [answers(choices), h("div", { class: several && "sides" }, drawn)];
}

const pointsField = (seat) =>
  h("label.points-field", [seat.player, pointsInput(seat.player, { value: seat.total ?? "" })]);

function missing(card, desk, act) {
  const at = { round: card.round, table: card.table };
  const game = desk.games.find((one) => one.round === at.round && one.table === at.table);
  if (!game) return [];
  const save = (event) => {
    event.preventDefault();
    const points = typedPoints([...form.querySelectorAll("input")]);
    if (Object.keys(points).length) act({ type: "enter_result", ...at, points });
  };
  const form = h("form.card.result-form", { onsubmit: save }, [
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
  return [answers(game.seats.length === 2 && absent), form];
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
  if (value?.filled !== undefined) return String(value.filled);
  return value === null ? "–" : String(value);
};

const REMEDIES = { changed, conflict, twice, owner, opponent: owner, differs, missing, failed };

// The elements of a card, or a promise of them. act(path, what): performs an answer.
export const remediesOf = (card, desk, act) => (REMEDIES[card.kind] ?? failed)(card, desk, act);
