"""The games of an event: who sat at which table, with which sheet, and who won.

Kingdomino Duel and Kingdomino's great duel on 7 x 7 are played by two, Kingdomino on 5 x 5 by two
to four; a single player at a table has a bye.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kdscan.rules.winner import Outcome, Worth, decide

Table = tuple[int, int]
"""Round and table, both from 1."""

CUT = "…"
"""Ends an event's name in a code that had no room for more of it."""


@dataclass(frozen=True)
class SheetScore:
    """One sheet that was read: a player's map of Duel, or kingdom of tiles.

    key: any unique number. round, table, player: according to its code, its photo or a person; None
    if unknown. worth: what decides a game. review: whether its total still needs review. rivals:
    keys of sheets that bear the same code but hold different marks; a person must say whose is
    which. cut_off: the photo does not show all of it, so that the total is unknown. event: as its
    code names it, perhaps with `CUT`; None without a code, or if a person said whose it is.
    """

    key: int
    round: int | None
    table: int | None
    player: str | None
    worth: Worth
    review: bool = False
    rivals: tuple[int, ...] = ()
    cut_off: bool = False
    event: str | None = None

    @property
    def total(self) -> int:
        return self.worth.total


@dataclass(frozen=True)
class Seat:
    """A player at a table, with the sheet that counts; None while it is missing.

    points: according to the arbiter, instead of the sheet's total.
    """

    player: str
    sheet: SheetScore | None = None
    points: int | None = None

    @property
    def total(self) -> int | None:
        """Points in this game, None if unknown."""
        if self.points is not None:
            return self.points
        return self.sheet.total if self.sheet else None


@dataclass(frozen=True)
class Game:
    """A table in a round. A single seat is a bye.

    walkover: who wins because the opponent did not come; then nobody has points.
    """

    round: int
    table: int
    seats: tuple[Seat, ...]
    walkover: str | None = None

    @property
    def bye(self) -> bool:
        return len(self.seats) == 1

    @property
    def finished(self) -> bool:
        """Whether every seat's points are known; a bye or a walkover needs none."""
        return (
            self.bye
            or self.walkover is not None
            or all(seat.total is not None for seat in self.seats)
        )

    @property
    def played(self) -> bool:
        """Whether it was finished at the table, not by a bye."""
        return self.finished and not self.bye

    @property
    def outcome(self) -> Outcome | None:
        """Who won; None while a sheet is missing."""
        if self.walkover is not None:
            players = [seat.player for seat in self.seats]
            return Outcome((players.index(self.walkover),), "walkover")
        return outcome_of(self.seats) if self.finished else None


def outcome_of(seats: Sequence[Seat]) -> Outcome:
    """The outcome of a table. Points that an arbiter entered and that no sheet confirms have no
    tie-breaks: equal ones are a draw."""
    if len(seats) == 1:
        return Outcome((0,), "bye")
    sheets = [seat.sheet for seat in seats if seat.sheet and seat.sheet.total == seat.total]
    if len(sheets) == len(seats):
        return decide([sheet.worth for sheet in sheets])
    return decide([Worth(seat.total or 0) for seat in seats])
