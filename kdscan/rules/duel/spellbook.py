"""The spellbook that both players share: lines, text form, contradictions."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from kdscan.rules import Problem, Severity, TextError
from kdscan.rules.duel.board import DIE_CROSSES, LETTERS, SQUARES, Board, Coat, spoken


@dataclass(frozen=True)
class SpellbookLine:
    """One player's line of one coat: squares filled, struck through, power used up."""

    filled: int = 0
    struck: bool = False
    used: bool = False


@dataclass
class Spellbook:
    """Both players' lines, and the coat that the filled coat's wizard is paid for.

    lines: for player 0 and player 1, a line for each coat.
    chosen_coat: the winner of the filled line's choice, None before.
    """

    lines: tuple[dict[Coat, SpellbookLine], dict[Coat, SpellbookLine]]
    chosen_coat: Coat | None = None

    @classmethod
    def blank(cls) -> Spellbook:
        """A book in which nothing is written yet."""
        line = SpellbookLine()
        return cls((dict.fromkeys(Coat, line), dict.fromkeys(Coat, line)))

    def owner(self, coat: Coat) -> int | None:
        """Who won that wizard: 0, 1, or None."""
        for player in (0, 1):
            line = self.lines[player][coat]
            if line.filled >= SQUARES[coat] and not line.struck:
                return player
        return None

    def chosen_by(self, player: int) -> Coat | None:
        """The coat whose domains pay that player 3 points more."""
        return self.chosen_coat if self.owner(Coat.FILLED) == player else None

    def ready(self, player: int, coat: Coat) -> bool:
        """Whether that player has that wizard's power and has not used it."""
        return self.owner(coat) == player and not self.lines[player][coat].used

    def fill(self, player: int, coat: Coat) -> bool:
        """Fill a square; True if that wins the line. Does nothing on a closed line."""
        if self.owner(coat) is not None:
            return False
        filled = self.lines[player][coat].filled + 1
        self.lines[player][coat] = SpellbookLine(filled)
        if filled < SQUARES[coat]:
            return False
        other = self.lines[1 - player]
        other[coat] = replace(other[coat], struck=True)
        return True

    def use(self, player: int, coat: Coat) -> None:
        """Cross the circle of a power."""
        self.lines[player][coat] = replace(self.lines[player][coat], used=True)


# Places and text form

Part = Literal["square", "used", "struck", "choice"]
"""A square of a line, the circle of its used power, the stroke through the whole line, and the box
in which a side names a coat."""

_TEXT = (
    r"players\[([01])\]\.(?:choices\.(\w+)|lines\.(\w+)\.(?:squares\[(\d{1,4})\]|(used|struck)))"
)


@dataclass(frozen=True)
class BookPlace:
    """One place. Its text form, used in stores and ground truth, is
    `players[I].lines.COAT.squares[K]`, `.used` or `.struck`, or `players[I].choices.COAT`.

    player: 0 for the left side, 1 for the right one. coat: of the line or box. square: its index
    in the line, from 0; 0 for other parts.
    """

    player: int
    coat: Coat
    part: Part
    square: int = 0

    def __str__(self) -> str:
        side = f"players[{self.player}]"
        if self.part == "choice":
            return f"{side}.choices.{self.coat}"
        last = f"squares[{self.square}]" if self.part == "square" else self.part
        return f"{side}.lines.{self.coat}.{last}"

    @classmethod
    def parse(cls, text: str) -> BookPlace:
        """The inverse of `str`; raises ValueError for any other text."""
        if not (match := re.fullmatch(_TEXT, text)):
            raise ValueError(f"no place of a spellbook: {text!r}")
        side, choice, coat, square, part = match.groups()
        if choice:
            return cls(int(side), Coat(choice), "choice")
        if square:
            return cls(int(side), Coat(coat), "square", int(square))
        return cls(int(side), Coat(coat), "used" if part == "used" else "struck")


COATS = {letters: coat for coat, letters in LETTERS.items()} | {coat.value: coat for coat in Coat}
"""Each coat by its letters and by its name."""

_PLAYER = r"#?\s*player ([12]):(?: castle (used|unused);)? spellbook\b(.*)"
_COUNT = "[0-9]{1,8}"  # Python refuses to parse numbers of more than 4300 digits
_CHOICE = r"#?\s*player ([12]) chose (\S+)\s*"


class GameNotes(NamedTuple):
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
        squares = "".join(
            f" {coat} {line.filled}{' struck' * line.struck}{' used' * line.used}"
            for coat, line in lines.items()
        )
        text.append(f"# player {player}:{roof} spellbook{squares}")
    for player in (0, 1):
        if coat := book.chosen_by(player):
            text.append(f"# player {player + 1} chose {coat}")
    return "\n".join(text)


def spellbook_json(book: Spellbook) -> dict[str, Any]:
    """Both players' lines and the coat that the filled wizard was paid for, as plain values."""
    return {
        "players": [{coat.value: vars(line) for coat, line in side.items()} for side in book.lines],
        "chosen_coat": book.chosen_coat,
        "chosen_by": book.owner(Coat.FILLED),
    }


def read_books(text: str) -> list[GameNotes]:
    """Every game's spellbook, in order; raises TextError for an invalid one."""
    sides: list[tuple[dict[Coat, SpellbookLine], bool | None]] = []
    chosen: dict[int, Coat] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if match := re.fullmatch(_PLAYER, line):
                player, roof, squares = match.groups()
                if (player == "1") != (len(sides) % 2 == 0):
                    raise TextError("the lines of players 1 and 2 must alternate")
                sides.append((_lines(squares.split()), None if roof is None else roof == "used"))
            elif match := re.fullmatch(_CHOICE, line):
                if len(sides) % 2 or not sides:
                    raise TextError("a choice must come after both players' lines")
                player, coat = match[1], _coat(match[2])
                book = Spellbook((sides[-2][0], sides[-1][0]), coat)
                if book.chosen_by(int(player) - 1) is not coat:
                    raise TextError(
                        "player {player} did not win the filled coat's wizard", player=player
                    )
                chosen[len(sides) // 2] = coat
        except TextError as error:
            raise TextError("line {number}: {error}", number=number, error=error) from None
    if len(sides) % 2:
        raise TextError("player 2's lines are missing at the end")
    games = enumerate(zip(sides[::2], sides[1::2], strict=True), 1)
    return [
        GameNotes(Spellbook((first[0], second[0]), chosen.get(n)), (first[1], second[1]))
        for n, (first, second) in games
    ]


def _lines(words: list[str]) -> dict[Coat, SpellbookLine]:
    lines = dict.fromkeys(Coat, SpellbookLine())
    while words:
        coat = _coat(words.pop(0))
        count = words.pop(0) if words else "nothing"
        if not (re.fullmatch(_COUNT, count) and int(count) <= SQUARES[coat]):
            raise TextError(
                "{coat} has 0 to {most} squares filled, not {count}",
                coat=coat,
                most=SQUARES[coat],
                count=count,
            )
        marks = {"struck": False, "used": False}
        while words and words[0] in marks:
            marks[words.pop(0)] = True
        lines[coat] = SpellbookLine(int(count), **marks)
    return lines


def _coat(word: str) -> Coat:
    if word not in COATS:
        raise TextError(
            "{word} is not a coat; choose one of {known}", word=word, known=", ".join(Coat)
        )
    return COATS[word]


# Contradictions

SIDES = ("left", "right")

_EXCESS, _SHORT, _SHORT_CLOSED = 1.5, 1.1, 0.65
"""Weights of the evidence for whose map is whose, see `whose_maps`; fitted by logistic
regression to 260 simulated games, all of which they classify correctly."""


def book_problems(
    book: Spellbook, chosen: tuple[Coat | None, Coat | None] | None = None
) -> tuple[Problem, ...]:
    """Entries that no lawful game leaves in a spellbook; chosen: the coat that each side names."""
    problems: list[Problem] = []

    def report(code: str, why: str, severity: Severity = "error") -> None:
        problems.append(Problem(code, severity, why))

    for coat in Coat:
        lines = book.lines[0][coat], book.lines[1][coat]
        full = [line.filled >= SQUARES[coat] for line in lines]
        name = f"line of {spoken(coat)}"
        # Who fills a line in the same round as player A fills it strikes it through.
        settled = all(full) and lines[0].struck != lines[1].struck
        if all(full) and not settled:
            report("both_filled", f"both sides filled the {name}; only one can win it")
        for player, (side, line) in enumerate(zip(SIDES, lines, strict=True)):
            other = SIDES[1 - player]
            if line.struck and not full[1 - player]:
                why = f"the {name} is struck on the {side}, but not filled on the {other}"
                report("struck_too_soon", why)
            if line.struck and full[player] and not settled:
                report("filled_and_struck", f"the {name} is filled on the {side}, and struck")
            if full[player] and not full[1 - player] and not lines[1 - player].struck:
                why = f"the {name} is filled on the {side}, but not struck on the {other}"
                report("not_struck", why, "warning")
            if line.used and book.owner(coat) != player:
                why = f"the power of the {name} is used on the {side}, but was not won there"
                report("power_not_won", why)
    for player, side in enumerate(SIDES):
        coat_chosen = (chosen or (book.chosen_by(0), book.chosen_by(1)))[player]
        owns = book.owner(Coat.FILLED) == player
        if coat_chosen is not None and not owns:
            name = spoken(coat_chosen)
            why = f"the {side} side names {name} as its coat, but did not win that wizard"
            report("choice_not_won", why)
        if owns and coat_chosen is None:
            why = (
                f"the {side} side won the wizard of the filled coat, but names no coat, or"
                " several; its 3 points a domain cannot be counted"
            )
            report("no_choice", why, "warning")
    return tuple(problems)


def map_problems(
    book: Spellbook, player: int, board: Board, castle_used: bool | None
) -> tuple[Problem, ...]:
    """Where a map and its player's side of the spellbook contradict each other.

    castle_used: whether the roof is coloured, None if that is not known.
    """
    problems = []
    side, plain = SIDES[player], crossless(board)
    wizard = book.owner(Coat.CHECKED) == player
    for coat in Coat:
        filled = book.lines[player][coat].filled
        # The wizard's cross may lie on a coat that had filled a square.
        if filled > plain[coat] + wizard:
            where = tuple(cell for cell, shield in board.items() if shield.coat is coat)
            why = (
                f"the {side} side has {filled} squares for {spoken(coat)}, but its map holds"
                f" {plain[coat]} without a cross"
            )
            problems.append(Problem("squares_beyond_map", "warning", why, where))
    for cell, shield in board.items():
        if shield.crosses > DIE_CROSSES + (castle_used is not False) + wizard:
            why = (
                f"{shield.crosses} crosses beside one shield need help that the {side} side"
                " did not have: castle or checked wizard"
            )
            problems.append(Problem("crosses_beyond_powers", "error", why, (cell,)))
    if wizard and not any(shield.crosses for shield in board.values()):
        why = f"the checked wizard gave the {side} side a cross, but its map holds none"
        problems.append(Problem("power_without_cross", "warning", why))
    return tuple(problems)


def crossless(board: Board) -> Counter[Coat]:
    """Number of shields of each coat without a cross; each may have filled a square."""
    return Counter(shield.coat for shield in board.values() if not shield.crosses)


def whose_maps(book: Spellbook, maps: tuple[Board, Board]) -> tuple[tuple[int, int], float]:
    """Which side of the book each map's player wrote on, and how probable that is.

    Filled squares must come from shields without a cross. More squares than such shields are
    evidence against a pairing. Fewer squares are weaker evidence (jokers fill none), and even
    weaker on lines that the other side closed.
    """
    straight = _strain(book, 0, maps[0]) + _strain(book, 1, maps[1])
    crossed = _strain(book, 1, maps[0]) + _strain(book, 0, maps[1])
    p = 1 / (1 + math.exp(max(-50.0, min(50.0, straight - crossed))))
    return ((0, 1), p) if p >= 0.5 else ((1, 0), 1 - p)


def _strain(book: Spellbook, player: int, board: Board) -> float:
    plain = crossless(board)
    excess, strain = -int(book.owner(Coat.CHECKED) == player), 0.0
    for coat in Coat:
        gap = plain[coat] - book.lines[player][coat].filled
        owner = book.owner(coat)
        if gap < 0:
            excess -= gap
        elif owner is None:
            strain += _SHORT * gap
        elif owner != player:
            strain += _SHORT_CLOSED * gap
    return strain + _EXCESS * max(excess, 0)
