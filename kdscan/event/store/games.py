"""Who plays whom: rounds, tables, seats. Which sheets belong there is computed, not stored."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from kdscan.errors import UsageError
from kdscan.event.store import schema
from kdscan.event.store.corrections import corrections, effective
from kdscan.event.store.records import PlannedGame
from kdscan.event.store.rows import as_record, insert


def set_game(
    db: Connection, event_id: int, round: int, table: int, player_ids: Sequence[int]
) -> int:
    """Seat players at a table in a round that has no game yet, in the order given; a single one has
    a bye. Returns the game's id.
    """
    place = {"event_id": event_id, "round": round, "table": table}
    game_id = insert(db, schema.game, place | {"details": {}})
    for number, player_id in enumerate(player_ids):
        insert(db, schema.seat, {"game_id": game_id, "number": number, "player_id": player_id})
    return game_id


def remove_games(db: Connection, event_id: int, round: int) -> None:
    """Delete a round's games, because its pairing was not played.

    Corrections of them that were undone stay, as rows of the event. Raises `UsageError` if one is
    still in force.
    """
    at, said = schema.game.c, schema.correction.c
    numbers = [game.id for game in games(db, event_id, round)]
    if effective(row for row in corrections(db, event_id) if row.game_id in numbers):
        raise UsageError("round {round} has results; withdraw them first", round=round)
    of_them = schema.correction.update().where(said.event_id == event_id, said.game_id.in_(numbers))
    db.execute(of_them.values(game_id=None))
    db.execute(schema.game.delete().where(at.event_id == event_id, at.round == round))


def games(db: Connection, event_id: int, round: int | None = None) -> list[PlannedGame]:
    """The games of an event (or of one round), by round and table.

    Raises KeyError for one without seats, which means that the store is damaged.
    """
    at, s = schema.game.c, schema.seat.c
    query = select(schema.game).where(at.event_id == event_id).order_by(at.round, at.table)
    if round is not None:
        query = query.where(at.round == round)
    rows = list(db.execute(query).mappings())
    seats: dict[int, list[int]] = {}
    joined = select(s.game_id, s.player_id).join(schema.game, s.game_id == at.id)
    for game_id, player_id in db.execute(
        joined.where(at.event_id == event_id).order_by(s.game_id, s.number)
    ):
        seats.setdefault(game_id, []).append(player_id)
    return [as_record(PlannedGame, row, seats=tuple(seats[row["id"]])) for row in rows]
