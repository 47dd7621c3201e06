"""An event's results for other programs: CSV for spreadsheets, JSON Lines for scripts, and its
table and games as JSON.

Rows are in the order of the files' names and contain no times: two runs over the same photos give
the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO, TypedDict

from sqlalchemy import Connection

from kdscan.event.events import current_sheets
from kdscan.event.games import Game
from kdscan.event.model import CONFLICT, Event, Result, SheetResult
from kdscan.event.sheets import ReadSheet
from kdscan.event.standings import Standing
from kdscan.files import Json
from kdscan.files.tables import write_table, writing_table
from kdscan.files.write import writing_text
from kdscan.i18n import ENGLISH, Words
from kdscan.i18n.errors import error_text
from kdscan.rules.grid import cell_name
from kdscan.rules.winner import Decision

Row = tuple[Result, ReadSheet | None]
"""A row of the results, and its sheet as it was read and is now, if it has one."""

AT_ONCE = 100
"""Rows whose sheets are loaded at once: few queries, and the memory of a few megabytes."""


def rows_with_sheets(db: Connection, event: Event) -> Iterator[Row]:
    """All rows of an event, with the current state of their sheets."""
    rows = list(event.rows())
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        ids = [row.sheet.id for row in part if isinstance(row, SheetResult)]
        states = current_sheets(db, event, ids)
        for row in part:
            yield row, states[row.sheet.id] if isinstance(row, SheetResult) else None


def value(state: Json | None, *names: str) -> Any:
    """A value of a sheet's JSON, by the names of its path; None if absent."""
    found: Any = state
    for name in names:
        found = (found or {}).get(name)
    return found


def _of_sheet(
    get: Callable[[SheetResult, Json], Any], otherwise: Any = None
) -> Callable[[Row, Words], Any]:
    """A column with a value only for rows with a sheet."""

    def column(row: Row, _: Words) -> Any:
        result, read = row
        if read is None or not isinstance(result, SheetResult):
            return otherwise
        return get(result, read.current)

    return column


def _value(*names: str) -> Callable[[Row, Words], Any]:
    """A column with a value of the sheet's JSON."""
    return _of_sheet(lambda _, state: value(state, *names))


COLUMNS: Mapping[str, Callable[[Row, Words], Any]] = {
    "file": lambda row, _: row[0].file.name,
    "page": lambda row, _: row[0].page + 1,
    "sheet": _of_sheet(lambda row, _: row.sheet.number + 1),
    "status": lambda row, _: row[0].status,
    "kind": _value("kind"),
    "code": _of_sheet(lambda row, _: row.sheet.code),
    "round": _of_sheet(lambda row, _: row.assignment.round),
    "table": _of_sheet(lambda row, _: row.assignment.table),
    "player": _of_sheet(lambda row, _: row.assignment.player),
    "total": _value("score", "total"),
    "domains": _value("score", "domains"),
    "wizard": _value("score", "wizard"),
    "middle_kingdom": _value("score", "middle_kingdom"),
    "harmony": _value("score", "harmony"),
    "castle_bonus_used": _value("castle_bonus_used"),
    "confidence": _value("confidence"),
    "look_at": _of_sheet(
        lambda _, state: " ".join(
            cell_name((c["row"], c["col"])) for c in state.get("cells") or () if c["review"]
        ),
        "",
    ),
    "corrected": _of_sheet(lambda row, _: row.corrected, False),
    "same_as": lambda row, _: None if row[0].status == CONFLICT else row[0].other,
    "error": lambda row, _: row[0].problem["code"] if row[0].problem else None,
    "message": lambda row, words: error_text(row[0].problem, words) if row[0].problem else None,
    "sha256": lambda row, _: row[0].photo.sha256 if row[0].photo else None,
    "conflicts_with": lambda row, _: row[0].other if row[0].status == CONFLICT else None,
    "said_by": _of_sheet(lambda _, state: "; ".join(_sources(state)), ""),
}
"""The columns of a table of results, in their order, each with the value for a row."""


def _sources(state: Json) -> Iterator[str]:
    """Where values come from that were not only read: `desk: Ada`, `waits: Bob`."""
    said = ((one["source"], one["who"]) for one in state.get("said", ()))
    yield from (f"{source}: {who}" for source, who in dict.fromkeys(said))


def columns(row: Row, words: Words = ENGLISH) -> Json:
    """A row as plain values, for a table; reasons are in that language."""
    return {name: get(row, words) for name, get in COLUMNS.items()}


def write_csv(rows: Iterable[Row], out: TextIO, words: Words = ENGLISH) -> None:
    """One line per row, columns as in `docs/batch.md`, RFC 4180 with a header.

    words: the language of texts for people.
    """
    write_table((columns(row, words) for row in rows), list(COLUMNS), out)


def write_json_lines(rows: Iterable[Row], out: TextIO) -> None:
    """One JSON object per line: the columns of the CSV, and `data`, the sheet as in `kdscan/1`."""
    for row in rows:
        out.write(json.dumps(columns(row) | {"data": row[1].current if row[1] else None}) + "\n")


def save_results(
    db: Connection, event: Event, csv: Path | None, json_lines: Path | None, words: Words
) -> None:
    """Write an event's results to the given files; raise `UsageError`."""
    if csv is not None:
        with writing_table(csv) as out:
            write_csv(rows_with_sheets(db, event), out, words)
    if json_lines is not None:
        with writing_text(json_lines) as out:
            write_json_lines(rows_with_sheets(db, event), out)


class SeatJson(TypedDict):
    """`total` is null while the sheet is missing."""

    player: str
    total: int | None


class TableGame(TypedDict):
    """A game of the event; `winner` is an index of `seats`; `bye_points`: what a bye scores."""

    round: int
    table: int
    seats: list[SeatJson]
    bye: bool
    bye_points: float
    finished: bool
    winner: int | None
    decided_by: Decision | None


class EventTable(TypedDict):
    """played_round: the last round with a finished game, 0 if there is none. closed: whether the
    list is final."""

    event: str
    closed: bool
    played_round: int
    standings: list[Standing]
    games: list[TableGame]


def event_table(event: Event) -> EventTable:
    """An event's table and games."""
    return {
        "event": event.name,
        "closed": event.said.closed is not None,
        "played_round": event.played_round,
        "standings": list(event.standings),
        "games": [table_game(game) for game in event.games],
    }


def table_game(game: Game) -> TableGame:
    """A game of an event's table."""
    outcome = game.outcome
    return {
        "round": game.round,
        "table": game.table,
        "seats": [
            {"player": seat.player, "total": None if game.unplayed else seat.total}
            for seat in game.seats
        ],
        "bye": game.bye,
        "bye_points": game.bye_points,
        "finished": game.finished,
        "winner": outcome.winner if outcome else None,
        "decided_by": outcome.decided_by if outcome else None,
    }
