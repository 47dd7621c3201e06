"""Maps of Duel and their spellbooks, from text to the findings of `kdscan board`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kdscan.errors import UsageError
from kdscan.files import read as files
from kdscan.rules.text import split_blocks

if TYPE_CHECKING:
    from kdscan.rules.duel.audit.pair import GameAudit
    from kdscan.rules.duel.board import Board
    from kdscan.rules.duel.book_text import GameNotes
    from kdscan.rules.duel.coats import Coat
    from kdscan.rules.duel.editions import Edition
    from kdscan.rules.duel.report import AuditedMap

T = TypeVar("T")


def read_text(file: str) -> str:
    """A file's text, or standard input for `-`; raises UsageError if it cannot be read."""
    try:
        return files.read_text(sys.stdin if file == "-" else Path(file))
    except (OSError, ValueError) as error:
        raise UsageError("{where}: {error}", where=file, error=files.read_error(error)) from error


def parse_boards(file: str, text: str, parse: Callable[[str], T]) -> list[T]:
    """The boards in a file's text; raises UsageError with the number of an invalid one, or if there
    are none."""
    boards = []
    for number, block in enumerate(split_blocks(text), 1):
        try:
            boards.append(parse(block))
        except UsageError as error:
            raise UsageError("board {number}: {error}", number=number, error=error) from error
    if not boards:
        raise UsageError("{file}: contains no board", file=file)
    return boards


def game_notes(
    spellbook: str | None, file: str, text: str, boards: int, castle_used: bool | None
) -> list[GameNotes]:
    """What is known of the game of each two boards.

    spellbook: the file that contains it, None without one; `text` is the content of `file`, that of
    the boards. castle_used: for all roofs, from the command line. Raises UsageError.
    """
    from kdscan.rules.duel.book_text import BookTextError, GameNotes, read_books

    games = (boards + 1) // 2
    if spellbook is None:
        return [GameNotes(None, (castle_used, castle_used))] * games
    try:
        found = read_books(text if spellbook == file else read_text(spellbook))
    except BookTextError as error:
        raise UsageError(
            "{where}: {error}", where=f"--spellbook {spellbook}", error=error
        ) from error
    if len(found) != games:
        raise UsageError(
            "--spellbook {path}: every two boards, the maps of players 1 and 2, share a "
            "spellbook; boards: {boards}, spellbooks needed: {games}, spellbooks found: {n}",
            path=spellbook,
            n=len(found),
            boards=boards,
            games=games,
        )
    if castle_used is None:
        return found
    return [GameNotes(notes.book, (castle_used, castle_used)) for notes in found]


def audit_maps(
    boards: Sequence[Board],
    coat: Coat | None,
    games: Sequence[GameNotes],
    edition: Edition,
    together: bool,
) -> tuple[list[AuditedMap], list[GameAudit]]:
    """The findings for each map, and for each game if its maps are audited together.

    coat: for the filled coat's wizard, for boards without a spellbook.
    """
    from kdscan.rules.duel.audit import audit_map
    from kdscan.rules.duel.audit.pair import audit_game
    from kdscan.rules.duel.report import AuditedMap
    from kdscan.rules.duel.scoring import score_board

    sides = [(notes, side) for notes in games for side in (0, 1)]
    pairs = []
    if together:
        pairs = [
            audit_game((one, two), notes.castle_used, spellbook=notes.book, edition=edition)
            for one, two, notes in zip(boards[::2], boards[1::2], games, strict=True)
        ]
        audits = [audit for pair in pairs for audit in pair.audits]
    else:
        audits = [
            audit_map(
                one, notes.castle_used[side], spellbook=notes.book, player=side, edition=edition
            )
            for one, (notes, side) in zip(boards, sides, strict=False)
        ]
    found = [
        AuditedMap(one, score_board(one, coat or notes.chosen_by(side)), audit)
        for one, audit, (notes, side) in zip(boards, audits, sides, strict=False)
    ]
    return found, pairs
