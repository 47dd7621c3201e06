// Whose sheet is it? The players who may be meant, one tap each, and a field for everybody else.

import { answer, answers } from "./answers.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

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

function somebodyElse(give) {
  const field = h("input", {
    type: "text",
    list: "players",
    "aria-label": t("Somebody else"),
    placeholder: t("Somebody else"),
    maxlength: "60",
  });
  const assign = (event) => {
    event.preventDefault();
    const name = field.value.trim();
    if (name) give(name);
  };
  return h("form.row.somebody", { onsubmit: assign }, [field, h("button.quiet", t("Assign"))]);
}

// own: the sheet is no longer its player's. meant(player): of those in the current round, who may be meant.
export function owners(card, desk, act, sheet, { own = false, meant = () => true } = {}) {
  const now = desk.last_round;
  const itsRound = card.round ?? sheet.round ?? (now || null);
  const give = (player, round = itsRound) =>
    act({ type: "assign_sheet", sheet: sheet.id, player, round, own });
  const inRoundNow = (name) => [name, h("small", " ", t("round {round}", { round: now }))];
  const others = card.players.filter((name) => !own || name !== card.player);
  const waiting = waitingNow(card, desk).filter((name) => meant(name));
  return answers(
    others.map((name) => answer(name, () => give(name))),
    waiting.map((name) => answer(inRoundNow(name), () => give(name, now))),
    somebodyElse(give),
  );
}

// The names that the field for everybody else suggests.
export const everybody = (desk) =>
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
