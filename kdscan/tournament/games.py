"""From sheets to games: whose sheet belongs to which table, who won, and what is wrong.

Pure functions on plain records, which the store and the command line provide. Kingdomino Duel and
Kingdomino's great duel on 7 x 7 are played by two, Kingdomino on 5 x 5 by two to four; a single
player at a table has a bye.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kdscan.game.winner import Outcome, Worth, decide
from kdscan.locale import mark

Table = tuple[int, int]
"""Round and table, both from 1."""


@dataclass(frozen=True)
class SheetScore:
    """One sheet that was read: a player's map of Duel, or kingdom of tiles.

    key: any unique number. round, table, player: according to its code, its photo or a person; None
    if unknown. worth: what decides a game. review: whether its total still needs a look. rivals:
    keys of sheets that bear the same code but hold different marks; a person must say whose is
    which. cut_off: the photo does not show all of it, so that the total is unknown.
    """

    key: int
    round: int | None
    table: int | None
    player: str | None
    worth: Worth
    review: bool = False
    rivals: tuple[int, ...] = ()
    cut_off: bool = False

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


FindingCode = Literal[
    "missing_sheet",
    "two_sheets",
    "unknown_player",
    "unplaced",
    "needs_look",
    "code_conflict",
    "cut_off",
]


@dataclass(frozen=True)
class Finding:
    """Something that a person should settle, with the sheets concerned.

    text: a sentence of the catalogues; values: for its braces.
    """

    code: FindingCode
    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    round: int | None = None
    table: int | None = None
    sheets: tuple[int, ...] = ()

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.text.format(**self.values)


def outcome_of(seats: Sequence[Seat]) -> Outcome:
    """The outcome of a table. Points that an arbiter entered and that no sheet confirms have no
    tie-breaks: equal ones are a draw."""
    if len(seats) == 1:
        return Outcome((0,), "bye")
    sheets = [seat.sheet for seat in seats if seat.sheet and seat.sheet.total == seat.total]
    if len(sheets) == len(seats):
        return decide([sheet.worth for sheet in sheets])
    return decide([Worth(seat.total or 0) for seat in seats])


def gather(
    sheets: Sequence[SheetScore],
    planned: Mapping[Table, Sequence[str]] = {},
    results: Mapping[Table, Mapping[str, int]] = {},
    most: int = 2,
    walkovers: Mapping[Table, str] = {},
) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
    """Seat every sheet, and report what is missing or undecided.

    planned: who sits where, by round and table. Without it, sheets with the same round and table
    make a game, if they are of two to `most` players. results: points by player according to the
    arbiter; they override whatever was read. walkovers: who wins because nobody came to play. Games
    are ordered by round and table.
    """
    tables = {at: tuple(players) for at, players in planned.items()}
    at_table: dict[Table, list[SheetScore]] = defaultdict(list)
    findings = [*_conflicts(sheets)]
    begun = {at[0] for at in results}
    for sheet in sheets:
        begun.add(sheet.round or 0)
        at = _table_of(sheet, tables)
        if at is None:
            findings.append(_unplaced(sheet))
        else:
            at_table[at].append(sheet)
    games = []
    for at in sorted(set(tables) | set(at_table)):
        game, odd = _game(at, tables.get(at), at_table[at], results.get(at, {}), most)
        winner = walkovers.get(at)
        if game is not None and winner in [seat.player for seat in game.seats]:
            seats = tuple(Seat(seat.player) for seat in game.seats)
            game, odd = replace(game, seats=seats, walkover=winner), []
        findings += odd
        if game is not None:
            games.append(game)
    return tuple(games), tuple(_to_come(findings, begun))


def _conflicts(sheets: Sequence[SheetScore]) -> Iterator[Finding]:
    """Different sheets that bear one code, reported once for all of them."""
    told: set[int] = set()
    known = {sheet.key: sheet for sheet in sheets}
    for sheet in sheets:
        if not sheet.rivals or sheet.key in told:
            continue
        keys = (sheet.key, *(key for key in sheet.rivals if key in known))
        told.update(keys)
        totals = ", ".join(str(known[key].total) for key in keys)
        text = mark(
            "different sheets have the code of {player}, worth {totals}; say whose is which"
        )
        values = {"player": sheet.player or "?", "totals": totals}
        yield Finding("code_conflict", text, values, sheet.round, sheet.table, keys)


def _to_come(findings: Iterable[Finding], begun: Container[int | None]) -> Iterator[Finding]:
    """Reports once that nothing of a round has come in, instead of its missing sheets."""
    told: set[int | None] = set()
    for finding in findings:
        if finding.code != "missing_sheet" or finding.round in begun:
            yield finding
        elif finding.round not in told:
            told.add(finding.round)
            text = mark("no sheet of round {n} has come in yet")
            yield Finding("missing_sheet", text, {"n": finding.round}, finding.round)


def _table_of(sheet: SheetScore, tables: Mapping[Table, Sequence[str]]) -> Table | None:
    """Where a sheet belongs: where its player sits in that round, else the table it names."""
    if sheet.round is None:
        return None
    for at, players in tables.items():
        if at[0] == sheet.round and sheet.player in players:
            return at
    return None if sheet.table is None else (sheet.round, sheet.table)


def _game(
    at: Table,
    players: tuple[str, ...] | None,
    sheets: Sequence[SheetScore],
    stated: Mapping[str, int],
    most: int,
) -> tuple[Game | None, list[Finding]]:
    """One table: its seats, each with the one sheet that can only be its player's."""
    findings = []
    names = players
    if names is None:
        names = tuple(sorted({sheet.player for sheet in sheets if sheet.player}))
        if not 2 <= len(names) <= most:
            return None, [_no_game(at, sheets, most)]
    own: dict[str, list[SheetScore]] = {name: [] for name in names}
    strangers = [sheet for sheet in sheets if sheet.player not in own]
    for sheet in sheets:
        if sheet.player in own:
            own[sheet.player].append(sheet)
    empty = [name for name in names if not own[name] and name not in stated]
    if len(strangers) == 1 and len(empty) == 1 and strangers[0].player is None:
        own[empty[0]].append(strangers.pop())
    if strangers:
        findings.append(_strangers(at, strangers))
    seats = []
    for name in names:
        seat, odd = _seat(at, name, own[name], stated.get(name), alone=len(names) == 1)
        seats.append(seat)
        findings += odd
    return Game(*at, tuple(seats)), findings


def _seat(
    at: Table, name: str, sheets: Sequence[SheetScore], stated: int | None, *, alone: bool
) -> tuple[Seat, list[Finding]]:
    keys = tuple(sheet.key for sheet in sheets)
    sheets = [sheet for sheet in sheets if not sheet.cut_off] or sheets
    # Several readings with one total are one sheet photographed twice; the most certain one is
    # used.
    worths = {sheet.worth for sheet in sheets}
    best = min(sheets, key=lambda sheet: (sheet.review, sheet.key), default=None)
    disputed = any(sheet.rivals for sheet in sheets)
    cut = best is not None and best.cut_off
    seat = Seat(name, best if len(worths) <= 1 and not disputed and not cut else None, stated)
    if stated is not None or alone or disputed:
        return seat, []
    if cut:
        text = mark("the photo cuts off shields of {player}'s sheet; photograph it again")
        return seat, [Finding("cut_off", text, {"player": name}, *at, keys)]
    if len(worths) > 1:
        totals = ", ".join(str(sheet.total) for sheet in sheets)
        text = mark("{player} has several sheets, worth {totals}; choose which one counts")
        values = {"player": name, "totals": totals}
        return seat, [Finding("two_sheets", text, values, *at, keys)]
    if best is None:
        text = mark("the sheet of {player} is missing")
        return seat, [Finding("missing_sheet", text, {"player": name}, *at)]
    if best.review:
        text = mark("the sheet of {player} needs a look")
        return seat, [Finding("needs_look", text, {"player": name}, *at, (best.key,))]
    return seat, []


def _unplaced(sheet: SheetScore) -> Finding:
    if not sheet.player:
        text = mark("a sheet does not say whose it is: {total} points")
    elif sheet.round is None:
        text = mark("the round of a sheet is not known: {player}, {total} points")
    else:
        text = mark("the table of a sheet is not known: {player}, {total} points")
    values = {"player": sheet.player or "", "total": sheet.total}
    return Finding("unplaced", text, values, sheet.round, sheet.table, (sheet.key,))


def _strangers(at: Table, sheets: Sequence[SheetScore]) -> Finding:
    whose = ", ".join(f"{sheet.player or '?'} ({sheet.total})" for sheet in sheets)
    text = mark("there is no such player at this table: {players}")
    keys = tuple(sheet.key for sheet in sheets)
    return Finding("unknown_player", text, {"players": whose}, *at, keys)


def _no_game(at: Table, sheets: Sequence[SheetScore], most: int) -> Finding:
    names = sorted({sheet.player for sheet in sheets if sheet.player})
    if most == 2:
        text = mark("a game needs two players; here are {count}: {players}")
    else:
        text = mark("a game needs two to {most} players; here are {count}: {players}")
    values = {"most": most, "count": len(names), "players": ", ".join(names) or "–"}
    keys = tuple(sheet.key for sheet in sheets)
    return Finding("unknown_player", text, values, *at, keys)
