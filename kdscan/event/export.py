"""An event's results for other programs: CSV for spreadsheets, JSON Lines for scripts, and its
table and games as JSON.

Rows are in the order of the files' names and contain no times: two runs over the same photos give
the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO, TypedDict

from sqlalchemy import Connection

from kdscan.event.events import current_sheets
from kdscan.event.games import Game
from kdscan.event.model import Event
from kdscan.event.results import CONFLICT, Result, SheetResult
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
    for start in range(0, len(event.rows), AT_ONCE):
        part = event.rows[start : start + AT_ONCE]
        ids = [row.sheet.id for row in part if isinstance(row, SheetResult)]
        states = current_sheets(db, event, ids)
        for row in part:
            yield row, states[row.sheet.id] if isinstance(row, SheetResult) else None


OF_READING = (
    *("total", "domains", "wizard", "middle_kingdom", "harmony", "castle_bonus_used"),
    "confidence",
)
COLUMNS = (
    *("file", "page", "sheet", "status", "kind", "code", "round", "table", "player", *OF_READING),
    *("look_at", "corrected", "same_as", "error", "message", "sha256", "conflicts_with", "said_by"),
)
"""The columns of a table of results, in their order; `OF_READING`: those that say what a sheet is
worth, and how certainly."""


def columns(row: Row, words: Words = ENGLISH) -> Json:
    """A row as plain values, for a table; reasons are in that language."""
    result, read = row
    photo, problem, conflict = result.photo, result.problem, result.status == CONFLICT
    line: Json = dict.fromkeys(COLUMNS) | {
        "file": result.file.name,
        "page": result.page + 1,
        "status": result.status,
        "look_at": "",
        "corrected": False,
        "same_as": None if conflict else result.other,
        "error": problem and problem["code"],
        "message": problem and error_text(problem, words),
        "sha256": photo and photo.sha256,
        "conflicts_with": result.other if conflict else None,
        "said_by": "",
    }
    if read is not None and isinstance(result, SheetResult):
        state, at = read.current, result.assignment
        cells = [c for c in state.get("cells") or () if c["review"]]
        said = [f"{word['source']}: {word['who']}" for word in state.get("said", ())]
        known = {**state, "domains": None, **(state.get("score") or {})}
        line |= {name: known.get(name) for name in OF_READING}
        line |= {
            "sheet": result.sheet.number + 1,
            "kind": state["kind"],
            "code": result.sheet.code,
            "round": at.round,
            "table": at.table,
            "player": at.player,
            "look_at": " ".join(cell_name((cell["row"], cell["col"])) for cell in cells),
            "corrected": result.corrected,
            "said_by": "; ".join(dict.fromkeys(said)),
        }
    return line


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
