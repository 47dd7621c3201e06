"""Rounds: who takes part, who plays whom next, and an arbiter's results."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.event import WALKOVER, EventState, event_state
from kdscan.event.games import Game
from kdscan.event.names import player_named, player_of
from kdscan.event.rules import rules_of
from kdscan.event.store.corrections import add_correction, corrections, effective, undo
from kdscan.event.store.events import ensure_player, players, set_active
from kdscan.event.store.games import games, remove_games, set_game
from kdscan.event.store.records import Event, PlannedGame, Player
from kdscan.event.swiss import Pairing, pair, seat
from kdscan.files.names import normalize_name
from kdscan.files.tables import read_table
from kdscan.paper.ids import MOST_OF_PLAYER, code_word


def enter_players(db: Connection, event: Event, path: Path) -> None:
    """Enter the players of a CSV file (columns name and, for codes, player).

    Without a short name, codes bear their number in the event: any name can be printed, but few
    letters are allowed in a code. Known players stay as they are. Raises UsageError, also for a
    name that occurs twice in a round: two people share it.
    """
    seen = set()
    for number, row in read_table(path, ("name", "player")):
        name = row.get("name") or row.get("player", "")
        if not name:
            raise UsageError(
                "{path}, row {number}: this player has no name.", path=path, number=number
            )
        spelled = normalize_name(name)
        if (spelled, row.get("round")) in seen:
            raise UsageError(
                "{path}, row {number}: {name} is in the list twice; tell the two apart by a "
                "letter or a town.",
                path=path,
                number=number,
                name=name,
            )
        seen.add((spelled, row.get("round")))
        enter_player(db, event, name, row.get("player", ""))


def enter_player(db: Connection, event: Event, name: str, short: str = "") -> Player:
    """Enter a player; short: word for the codes of the player's sheets, if it is possible.

    It is stored in one spelling; older stores have others.
    """
    entered, name = players(db, event.id), normalize_name(name)
    number, known = next(
        (found for found in enumerate(entered, 1) if normalize_name(found[1].name) == name),
        (len(entered) + 1, None),
    )
    taken = {str(one.details.get("code")) for one in entered if one is not known}
    had = known and known.details.get("code")
    word = code_word(short)
    word = word if len(word) <= MOST_OF_PLAYER else ""
    wishes = (had, word, str(number), *(f"P{n}" for n in range(number, 2 * number)))
    code = next(one for one in wishes if one and one not in taken)
    return ensure_player(db, event.id, known.name if known else name, code=code)


def drop(db: Connection, event: Event, names: Sequence[str], active: bool = False) -> None:
    """Players leave the event, or come back; raise UsageError for an unknown name."""
    entered = players(db, event.id)
    for name in names:
        player = player_of(entered, player_named(db, event, name, None))
        if player is None:  # there are no players at all
            raise UsageError(
                "{name}: there is no such player in {event}.", name=name, event=event.name
            )
        set_active(db, [player.id], active)


def next_round(
    db: Connection, event: Event, seed: int | None = None, *, again: bool = False
) -> tuple[int, Pairing]:
    """Pair the next round and store it; again: pair the last one again, before it is played.

    Raises UsageError while games are unfinished, if nobody plays, or if sheets of the round that is
    to be paired again have come in.
    """
    state = event_state(db, event)
    round_ = state.last_round + 1
    before = state.games
    if again and state.last_round:
        round_ = state.last_round
        _not_played(state, round_)
        remove_games(db, event.id, round_)
        before = tuple(game for game in state.games if game.round < round_)
    _all_finished(before)
    ids = {player.name: player.id for player in state.players if player.active}
    rules = rules_of(event)
    if len(ids) < 2:
        raise UsageError(
            "{name}: too few players ({n}); add them with --players FILE.csv.",
            name=event.name,
            n=len(ids),
        )
    if rules.rounds is not None and round_ > rules.rounds:
        raise UsageError(
            "{name}: all rounds are paired ({rounds}); to add one, use --rounds {round}.",
            name=event.name,
            rounds=rules.rounds,
            round=round_,
        )
    if seed is None and round_ == 1:
        seed = secrets.randbelow(2**32)
    if rules.seats == 2:
        found = pair(tuple(ids), before, seed)
    else:
        found = seat(tuple(ids), before, seed, most=rules.seats)
    for table, seats in enumerate(found.tables, 1):
        set_game(db, event.id, round_, table, [ids[name] for name in seats])
    if found.bye is not None:
        set_game(db, event.id, round_, len(found.tables) + 1, [ids[found.bye]])
    return round_, found


def unpair(db: Connection, event: Event, round_: int) -> None:
    """Undo the pairing of the last round; raise UsageError if it has begun."""
    state = event_state(db, event)
    if round_ != state.last_round:
        raise UsageError("round {round} is no longer the last one", round=round_)
    _not_played(state, round_)
    remove_games(db, event.id, round_)


def set_result(
    db: Connection,
    event: Event,
    round_: int,
    table: int,
    who: str,
    *,
    points: Iterable[tuple[str, int]] | None = None,
    walkover: str | None = None,
) -> None:
    """Set the result of a game, whatever was read; stored as a correction.

    points: names with their points; earlier entries for others at the table stay. walkover: who
    wins, without points, because the opponent did not come. Neither: the last entry is withdrawn.
    Raises UsageError for a table that is not planned, a player who does not sit there or is named
    twice, a walkover at a table that is not of two, or if there is nothing to withdraw.
    """
    planned, sitting = _planned(db, event, round_, table)
    held = effective(corrections(db, event.id, game_id=planned.id)).get("result")
    where = {"round": round_, "table": table}
    if walkover is not None:
        if len(planned.seats) != 2:
            raise UsageError("round {round}, table {table}: a walkover needs two players", **where)
        values = {WALKOVER: _seated(sitting, walkover, round_, table)}
    elif points is not None:
        values = {}
        for name, value in points:
            seated = str(_seated(sitting, name, round_, table))
            if seated in values:
                raise UsageError("{name} is named twice; give each player's points once", name=name)
            values[seated] = value
    elif held is None:
        raise UsageError("round {round}, table {table}: no result has been entered", **where)
    else:
        undo(db, held.id, who)
        return
    known = _known_totals(event_state(db, event), round_, table)
    old = {str(_seated(sitting, one, round_, table)): total for one, total in known.items()}
    add_correction(db, event.id, "result", values, who, game_id=planned.id, old=old)


def _known_totals(state: EventState, round_: int, table: int) -> dict[str, int | None]:
    """What the sheets of a game are worth by player, also those that came in after a walkover."""
    game, totals = state.game(round_, table), {sheet.key: sheet.total for sheet in state.sheets}
    asked = (one for one in state.findings if one.code == "points_differ")
    here = [one.sheets for one in asked if (one.round, one.table) == (round_, table)]
    if game.walkover is not None and here:
        return {seat.player: totals[key] for seat, key in zip(game.seats, here[0], strict=True)}
    return {seat.player: seat.sheet.total if seat.sheet else None for seat in game.seats}


def _planned(
    db: Connection, event: Event, round_: int, table: int
) -> tuple[PlannedGame, list[Player]]:
    """A game as it was paired, and its players."""
    planned = next((g for g in games(db, event.id, round_) if g.table == table), None)
    if planned is None:
        known = sorted(g.table for g in games(db, event.id, round_))
        if not known:
            raise UsageError("round {round} has no tables; pair it first", round=round_)
        raise UsageError(
            "round {round} has no table {table}; there are: {known}",
            round=round_,
            table=table,
            known=", ".join(map(str, known)),
        )
    return planned, [p for p in players(db, event.id) if p.id in planned.seats]


def _seated(sitting: Sequence[Player], name: str, round_: int, table: int) -> int:
    player = player_of(sitting, name)
    if player is None:
        raise UsageError(
            "{name} does not sit at table {table} in round {round}; these do: {known}",
            name=name,
            table=table,
            round=round_,
            known=", ".join(one.name for one in sitting),
        )
    return player.id


def pairing_rows(db: Connection, event: Event, round_: int) -> list[dict[str, object]]:
    """A round as rows for `kdscan sheet --players`: round, table, name, player.

    A player with a bye needs no sheet and has no row.
    """
    entered = players(db, event.id)
    known = {player.id: player for player in entered}
    numbers = {player.id: str(number) for number, player in enumerate(entered, 1)}
    return [
        {
            "round": round_,
            "table": game.table,
            "name": known[seat].name,
            "player": known[seat].details.get("code") or numbers[seat],
        }
        for game in games(db, event.id, round_)
        if len(game.seats) > 1
        for seat in game.seats
    ]


def _not_played(state: EventState, round_: int) -> None:
    if any(sheet.round == round_ for sheet in state.sheets):  # perhaps in doubt
        raise UsageError(
            "sheets of round {round} have already come in; it can't be paired again.",
            round=round_,
        )


def _all_finished(played: Sequence[Game]) -> None:
    waiting = [game for game in played if not game.finished]
    if not waiting:
        return
    first = waiting[0]
    missing = ", ".join(seat.player for seat in first.seats if seat.total is None)
    raise UsageError(
        "tables whose points are still missing: {n}, the first in round {round}, table {table} "
        "({missing}); read the sheets, or enter the points with `kdscan result`.",
        n=len(waiting),
        round=first.round,
        table=first.table,
        missing=missing,
    )
