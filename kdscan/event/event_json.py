"""An event's table and games as JSON."""

from __future__ import annotations

from typing import TypedDict

from kdscan.event.event import EventState
from kdscan.event.games import Game
from kdscan.event.standings import Standing
from kdscan.rules.winner import Decision


class Seat(TypedDict):
    """`total` is null while the sheet is missing."""

    player: str
    total: int | None


class TableGame(TypedDict):
    """A game of the event; `winner` is an index of `seats`."""

    round: int
    table: int
    seats: list[Seat]
    bye: bool
    finished: bool
    winner: int | None
    decided_by: Decision | None


class EventTable(TypedDict):
    """played_round: the last round with a finished game, 0 if there is none."""

    event: str
    played_round: int
    standings: list[Standing]
    games: list[TableGame]


def event_table(state: EventState) -> EventTable:
    """An event's table and games."""
    return {
        "event": state.event.name,
        "played_round": state.played_round,
        "standings": list(state.standings),
        "games": [table_game(game) for game in state.games],
    }


def table_game(game: Game) -> TableGame:
    """A game of an event's table."""
    outcome = game.outcome
    return {
        "round": game.round,
        "table": game.table,
        "seats": [{"player": seat.player, "total": seat.total} for seat in game.seats],
        "bye": game.bye,
        "finished": game.finished,
        "winner": outcome.winner if outcome else None,
        "decided_by": outcome.decided_by if outcome else None,
    }
