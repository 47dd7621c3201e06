"""An event's results for other programs: CSV for spreadsheets, JSON Lines for scripts, its table
and games as JSON, and photos with what people say that they show, for training and testing.

Rows are in the order of the files' names and contain no times: two runs over the same photos give
the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO, TypedDict

from sqlalchemy import Connection

from kdscan.document import SCHEMA
from kdscan.errors import PhotoError, StoreError
from kdscan.event.events import current_sheets, find_event
from kdscan.event.games import Game
from kdscan.event.model import CONFLICT, Event, Result, SheetResult
from kdscan.event.sheets import ReadSheet, firm_values
from kdscan.event.standings import Standing
from kdscan.event.store import Store
from kdscan.event.store.schema import PhotoRow
from kdscan.files import Json, write_file, writing_text
from kdscan.files.tables import write_table, writing_table
from kdscan.i18n import ENGLISH, Words
from kdscan.i18n.errors import error_text
from kdscan.imaging.formats import jpeg, png
from kdscan.imaging.photo import decode
from kdscan.rules import Decision, cell_name
from kdscan.rules.duel.board import CASTLE, CELLS
from kdscan.sheets.base import DUEL_MAP, KINGDOM, evidence_from
from kdscan.sheets.common import cell_values
from kdscan.sheets.duel_map.model import MapEvidence

# Rows of the results

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


# The table and the games


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
    """played_round: the last round with a finished game, at least the first; 0 before it. closed:
    whether the list is final."""

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


# Photos with ground truth, from people's confirmations and corrections: one picture and one truth
# per sheet, `NAME.jpg` and `NAME.json`, in the format of samples, so that they can be used wherever
# samples can. The truth also lists the shields that a person has checked (`seen`): all of a
# confirmed sheet, else the corrected ones. `lab.training` uses only those. A kingdom's truth is the
# JSON of `kdscan score`, as `lab.training make --photos` takes it; only confirmed kingdoms are
# written, because all of their squares are used.

JPEGS = (".jpg", ".jpeg")
COPIED_SUFFIXES = (*JPEGS, ".png", ".webp")
"""Photos with these suffixes are copied; a page of any other file becomes a PNG."""

QUALITY = 95
"""Quality of the JPEGs of kingdoms, 0 to 100."""


def save_labels(store: Store, name: str, folder: Path) -> tuple[int, int]:
    """Write the sheets of an event that people looked at; returns the numbers of sheets and
    shields.

    Raises `UsageError` for an unknown event, `StoreError` if the folder cannot be written or a
    photo is missing.
    """
    written = shields = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with store.read() as db:
            event = find_event(db, name)
            corrected = [n for n, sheet in event.sheets.items() if sheet.brief.corrected]
            for sheet_id, sheet in current_sheets(db, event, corrected).items():
                label = None if sheet_id in event.said.ignored else truth(sheet)
                if label:
                    _write(store, event.photos[sheet.photo_id], sheet, label, folder)
                    written, shields = written + 1, shields + len(label["seen"])
    except OSError as error:
        why = error.strerror or error
        raise StoreError("{path} cannot be written ({why})", path=folder, why=why) from error
    return written, shields


def truth(sheet: ReadSheet) -> Json | None:
    """The truth for a photo; None if no person has checked any shield of it."""
    now, values = sheet.current, firm_values(sheet.current)
    confirmed = values.get("confirmed") is True
    if sheet.kind == KINGDOM.name and confirmed:
        squares = [cell for cell in now["cells"] if cell["terrain"] != "empty"]
        return {
            "schema": SCHEMA,
            "photos": [{"sheets": [now]}],
            "seen": [f"{cell['row']},{cell['col']}" for cell in squares],
        }
    checked = CELLS if confirmed else sorted(cell_values(values))
    if sheet.kind != DUEL_MAP.name or sheet.kept is None or not checked:
        return None
    _, evidence = evidence_from(sheet.kept)
    assert isinstance(evidence, MapEvidence)
    centers = evidence.rectified.centers_xy.tolist()
    return {
        "board": {
            f"{cell['row']},{cell['col']}": [cell["coat"], cell["crosses"]]
            for cell in now["cells"]
            if cell["coat"] is not None
        },
        "pixels": {f"{row},{col}": centers[row][col] for row, col in CELLS},
        "castle_pixel": centers[CASTLE[0]][CASTLE[1]],
        "score": now["score"]["domains"],
        "castle_used": now["castle_bonus_used"],
        "level": "event",
        "design": now["layout"],
        "seen": [f"{row},{col}" for row, col in checked],
    }


def _write(store: Store, photo: PhotoRow, sheet: ReadSheet, label: Json, folder: Path) -> None:
    """Write a sheet's picture, for kingdoms always as JPEG, and its truth."""
    name = f"{photo.sha256[:16]}-{sheet.page + 1}-{sheet.number + 1}"
    data, suffix = store.photos.get(photo.sha256, photo.suffix), photo.suffix
    as_jpeg = sheet.kind == KINGDOM.name
    if as_jpeg and suffix == ".jpeg":
        suffix = ".jpg"
    elif suffix not in (JPEGS if as_jpeg else COPIED_SUFFIXES):
        try:
            picture = decode(data)[sheet.page].bgr
        except PhotoError as error:
            raise StoreError(
                "the photo {name} cannot be decoded any more", name=photo.sha256[:12]
            ) from error
        suffix, data = (".jpg", jpeg(picture, QUALITY)) if as_jpeg else (".png", png(picture))
    write_file(folder / f"{name}{suffix}", data)
    write_file(folder / f"{name}.json", (json.dumps(label, indent=1) + "\n").encode())
