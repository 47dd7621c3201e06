"""Spellbooks in text form, as comments between the maps of their games.

    # player 1: castle used; spellbook dot 5 used double_dot 2 line 5 filled 1 checked 2
    # player 2: castle unused; spellbook dot 3 struck double_dot 3 line 3 struck
    # player 1 chose line

Each coat is given by its name or its letters, with the number of squares filled; coats left out
have none. A program that only reads boards skips these lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kdscan.errors import UsageError
from kdscan.rules.duel.board import LETTERS
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine

COATS = {letters: coat for coat, letters in LETTERS.items()} | {coat.value: coat for coat in Coat}
"""Each coat by its letters and by its name."""

_PLAYER = re.compile(r"#?\s*player ([12]):(?: castle (used|unused);)? spellbook\b(.*)")
_COUNT = re.compile("[0-9]{1,8}")  # Python refuses to parse numbers of more than 4300 digits
_CHOICE = re.compile(r"#?\s*player ([12]) chose (\S+)\s*")


class BookTextError(UsageError, ValueError):
    """A text does not contain a valid spellbook; the message says where and why."""


@dataclass(frozen=True)
class GameNotes:
    """What is known about a game in addition to its maps.

    book: None if there is none. castle_used: for each player whether the roof is coloured, None
    if it is not recorded.
    """

    book: Spellbook | None
    castle_used: tuple[bool | None, bool | None] = (None, None)

    def chosen_by(self, player: int) -> Coat | None:
        """As `Spellbook.chosen_by`; None without a spellbook."""
        return None if self.book is None else self.book.chosen_by(player)


def write_book(book: Spellbook, castle_used: tuple[bool | None, bool | None]) -> str:
    """The comment lines of one game."""
    text = []
    for player, (lines, castle) in enumerate(zip(book.lines, castle_used, strict=True), 1):
        roof = {None: "", True: " castle used;", False: " castle unused;"}[castle]
        squares = "".join(f" {coat} {_line_text(line)}" for coat, line in lines.items())
        text.append(f"# player {player}:{roof} spellbook{squares}")
    for player in (0, 1):
        if coat := book.chosen_by(player):
            text.append(f"# player {player + 1} chose {coat}")
    return "\n".join(text)


def _line_text(line: SpellbookLine) -> str:
    return f"{line.filled}{' struck' * line.struck}{' used' * line.used}"


def read_books(text: str) -> list[GameNotes]:
    """Every game's spellbook, in order; raises BookTextError for an invalid one."""
    books: list[GameNotes] = []
    first: tuple[dict[Coat, SpellbookLine], bool | None] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if match := _PLAYER.fullmatch(line):
                player, roof, squares = match.groups()
                if (player == "1") != (first is None):
                    raise BookTextError("the lines of players 1 and 2 must alternate")
                castle = None if roof is None else roof == "used"
                lines = _lines(squares.split())
                if first is None:
                    first = lines, castle
                else:
                    books.append(GameNotes(Spellbook((first[0], lines)), (first[1], castle)))
                    first = None
            elif match := _CHOICE.fullmatch(line):
                if first is not None or not books:
                    raise BookTextError("a choice must come after both players' lines")
                books[-1] = _choose(books[-1], int(match[1]) - 1, _coat(match[2]))
        except BookTextError as error:
            raise BookTextError("line {number}: {error}", number=number, error=error) from None
    if first is not None:
        raise BookTextError("player 2's lines are missing at the end")
    return books


def _choose(notes: GameNotes, player: int, coat: Coat) -> GameNotes:
    assert notes.book is not None
    book = Spellbook(notes.book.lines, coat)
    if book.chosen_by(player) is not coat:
        raise BookTextError(
            "player {player} did not win the filled coat's wizard", player=player + 1
        )
    return GameNotes(book, notes.castle_used)


def _lines(words: Sequence[str]) -> dict[Coat, SpellbookLine]:
    lines = dict.fromkeys(Coat, SpellbookLine())
    waiting = list(words)
    while waiting:
        coat = _coat(waiting.pop(0))
        count = waiting.pop(0) if waiting else "nothing"
        if not (_COUNT.fullmatch(count) and int(count) <= SQUARES[coat]):
            raise BookTextError(
                "{coat} has 0 to {most} squares filled, not {count}",
                coat=coat,
                most=SQUARES[coat],
                count=count,
            )
        marks = {"struck": False, "used": False}
        while waiting and waiting[0] in marks:
            marks[waiting.pop(0)] = True
        lines[coat] = SpellbookLine(int(count), **marks)
    return lines


def _coat(word: str) -> Coat:
    if word not in COATS:
        raise BookTextError(
            "{word} is not a coat; choose one of {known}", word=word, known=", ".join(Coat)
        )
    return COATS[word]
