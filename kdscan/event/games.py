"""The games of an event: who sat at which table, with which sheet, who won, and what a person
should settle. Pure functions on plain records.

Kingdomino Duel and Kingdomino's great duel on 7 x 7 are played by two, Kingdomino on 5 x 5 by two
to four; a single player at a table has a bye.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from kdscan.event.names import CUT, Assignment
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.rules import Outcome, Worth, decide

if TYPE_CHECKING:
    from kdscan.event.sheets import Brief

Table = tuple[int, int]
"""Round and table, both from 1."""

WIN, DRAW, BYE = 1.0, 0.5, 1.0
"""Points in the standings."""

PARTS = 12
"""Parts of a game in which scores are added, so that they are whole numbers: halves of thirds."""


class SheetScore(NamedTuple):
    """One sheet that was read: a player's map of Duel, or kingdom of tiles.

    key: any unique number. at: whose it is, and where it was played. rivals: keys of sheets that
    bear the same code but hold different marks; a person must say whose is which. differs: keys of
    other photos of this sheet that certainly show another total, with these. late: see
    `Event.late`. came: when, unless the desk has said whose it is. file: of its photo. again: the
    desk excluded the sheet before, and has not said that it counts now.
    """

    key: int
    at: Assignment
    brief: Brief
    rivals: tuple[int, ...] = ()
    differs: tuple[tuple[int, int], ...] = ()
    late: bool = False
    came: datetime | None = None
    file: str = "?"
    again: bool = False

    @property
    def total(self) -> int:
        return self.brief.total or 0

    @property
    def worth(self) -> Worth:
        """What decides a game."""
        return Worth(self.total, self.brief.largest, self.brief.crowns)

    @property
    def whose(self) -> str:
        """Whose it is, or else which one."""
        return self.at.player or self.file


@dataclass(frozen=True)
class Seat:
    """A player at a table, with the sheet that counts; None while it is missing.

    points: according to the arbiter, instead of the sheet's total. seen: what the sheet was worth
    when that was entered, as far as known; if it is worth something else now, a person is asked.
    """

    player: str
    sheet: SheetScore | None = None
    points: int | None = None
    seen: int | None = None

    @property
    def total(self) -> int | None:
        """Points in this game, None if unknown: a sheet that seems to be blank is worth nothing
        before somebody has looked at it."""
        if self.points is None and self.sheet and (self.sheet.total or not self.sheet.brief.review):
            return self.sheet.total
        return self.points


@dataclass(frozen=True)
class Round:
    """A player's result against one opponent in a game. opponent: None for a bye.

    spread: points more (or less). share: of the game, in `PARTS`: all, or a third at a table of
    four. first: of the whole game: `WIN` if alone in front, `DRAW` if among several, else 0.
    """

    round: int
    opponent: str | None
    score: float
    spread: int
    share: int = PARTS
    first: float = 0.0

    @property
    def points(self) -> int:
        """The score in this round, in `PARTS`."""
        return round(self.share * self.score)


@dataclass(frozen=True)
class Game:
    """A table in a round, as it was paired or with its sheets. A single seat is a bye.

    walkover: who wins because the opponent did not come; then nobody has points. forfeit: nobody
    came, and both lose. bye_points: what a bye scores.
    """

    round: int
    table: int
    seats: tuple[Seat, ...]
    walkover: str | None = None
    forfeit: bool = False
    bye_points: float = BYE

    @property
    def bye(self) -> bool:
        return len(self.seats) == 1

    @property
    def unplayed(self) -> bool:
        """Whether somebody did not come."""
        return self.forfeit or self.walkover is not None

    @cached_property
    def finished(self) -> bool:
        """Whether every seat's points are known; a bye or a walkover needs none."""
        known = all(seat.total is not None for seat in self.seats)
        return self.bye or self.unplayed or known

    @cached_property
    def played(self) -> bool:
        """Whether it was finished at the table, not by a bye."""
        return self.finished and not self.bye

    @cached_property
    def outcome(self) -> Outcome | None:
        """Who won; None while a sheet is missing."""
        if self.unplayed:
            winner = (n for n, seat in enumerate(self.seats) if seat.player == self.walkover)
            return Outcome(tuple(winner), "walkover")
        return outcome_of(self.seats) if self.finished else None

    @cached_property
    def results(self) -> Mapping[str, Sequence[Round]]:
        """Everybody's results against each opponent; none before it is finished."""
        results: dict[str, Sequence[Round]] = {}
        for own in self.seats if self.outcome else ():
            others = [seat for seat in self.seats if seat is not own]
            if self.bye:
                results[own.player] = [Round(self.round, None, self.bye_points, 0)]
                continue
            if self.unplayed:  # like any other result, but without points
                won = WIN * (self.walkover == own.player)
                results[own.player] = [Round(self.round, others[0].player, won, 0, first=won)]
                continue
            against = [outcome_of((own, other)).winner for other in others]
            scores = [DRAW if winner is None else WIN * (winner == 0) for winner in against]
            first = DRAW * (min(scores) >= DRAW)
            if self.outcome and self.outcome.winner is not None:
                first = WIN * (self.seats[self.outcome.winner] is own)
            share, total = PARTS // len(others), own.total or 0
            results[own.player] = [
                Round(self.round, other.player, score, total - (other.total or 0), share, first)
                for other, score in zip(others, scores, strict=True)
            ]
        return results


def outcome_of(seats: Sequence[Seat]) -> Outcome:
    """The outcome of a table. Points that an arbiter entered and that no sheet confirms have no
    tie-breaks: equal ones are a draw."""
    if len(seats) == 1:
        return Outcome((0,), "bye")
    sheets = [seat.sheet for seat in seats if seat.sheet and seat.sheet.total == seat.total]
    if len(sheets) == len(seats):
        return decide([sheet.worth for sheet in sheets])
    return decide([Worth(seat.total or 0) for seat in seats])


FindingCode = Literal[
    "missing_sheet",
    "two_sheets",
    "points_differ",
    "unknown_player",
    "unplaced",
    "needs_look",
    "code_conflict",
    "cut_off",
    "changed",
    "unlawful",
]


class Finding(Struct, frozen=True):
    """Something that a person should settle, with the sheets concerned.

    text: a sentence of the catalogues; values: for its braces.
    """

    code: FindingCode
    text: str
    values: Mapping[str, object] = {}
    round: int | None = None
    table: int | None = None
    sheets: tuple[int, ...] = ()


Memo = dict[Table, tuple[tuple[object, ...], Game, list[Finding]]]
"""Games as they were gathered before, each with what it was made of."""


def gather(
    sheets: Sequence[SheetScore],
    planned: Mapping[Table, Game] = {},
    most: int = 2,
    memo: Memo | None = None,
    ends: Mapping[int, datetime] = {},
) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
    """Seat every sheet, and report what is missing or undecided.

    planned: games as they were paired, with what was entered for them. At a table that was not
    planned, sheets with the same round and table make a game, if they are of two to `most` players.
    Games are ordered by round and table. memo: keeps games whose sheets and plan
    stay the same. ends: see `Event.ends`.
    """
    memo = {} if memo is None else memo
    at_table: dict[Table, list[SheetScore]] = {at: [] for at in planned}
    findings = list(_conflicts(sheets))
    paired = [(at, seat) for at, plan in planned.items() for seat in plan.seats]
    begun = {at[0] for at, seat in paired if seat.points is not None}
    seats = {(at[0], seat.player): at for at, seat in paired}
    foreign, roundless = _foreign_events(sheets), []
    for sheet in sheets:
        of = sheet.at
        begun.add(of.round or 0)
        if sheet.differs:
            others, totals = zip(*sheet.differs, strict=True)
            text = mark("photos of one sheet differ ({player}): {totals} points; which one counts?")
            listed = ", ".join(map(str, (sheet.total, *totals)))
            findings.append(_about(sheet, "two_sheets", text, others, totals=listed))
        at = seats.get((of.round or 0, of.player or ""))  # else the table that it names
        if at is None and of.round is not None and of.table is not None:
            at = of.round, of.table
        if of.mistaken or of.given or sheet.again:
            findings.append(_unplaced(sheet))
        if of.mistaken or sheet.again or (of.given and not of.player):
            continue
        if (of.round, of.event) in foreign:
            text = mark(
                "the code of a sheet names another event, {event}: {player}, {total} points"
            )
            findings.append(_about(sheet, "unplaced", text, event=of.event))
        elif at:
            at_table.setdefault(at, []).append(sheet)
        elif of.round is None and of.player:
            roundless.append(sheet)
        else:
            findings.append(_unplaced(sheet))
    open_tables: dict[str, list[Table]] = defaultdict(list)
    for at, plan in planned.items() if roundless else ():
        if not (plan.bye or plan.unplayed):
            present = {sheet.at.player for sheet in at_table[at]}
            for seat in plan.seats:
                if seat.points is None and seat.player not in present:
                    open_tables[seat.player].append(at)
    for sheet in roundless:  # the only game of its player without a sheet or a result, in time
        match open_tables.pop(sheet.at.player or "", []):
            case [at] if sheet.came is None or sheet.came <= ends.get(at[0], sheet.came):
                at_table[at].append(sheet)
            case _:
                findings.append(_unplaced(sheet))
    games = []
    for at, present_sheets in sorted(at_table.items()):
        names = tuple(sorted({s.at.player for s in present_sheets if s.at.player}))
        plan_of = planned.get(at)
        made_of = (plan_of or most, *present_sheets)
        known = memo.get(at)
        if known and known[0] == made_of:
            game, to_settle = known[1:]
        elif plan_of or 2 <= len(names) <= most:
            plan_of = plan_of or Game(*at, tuple(map(Seat, names)))
            game, to_settle = _game(plan_of, present_sheets)
            memo[at] = made_of, game, to_settle
        else:
            if most == 2:
                text = mark("a game needs two players; here are {count}: {players}")
            else:
                text = mark("a game needs two to {most} players; here are {count}: {players}")
            few = {"most": most, "count": len(names), "players": ", ".join(names) or "–"}
            keys = tuple(sheet.key for sheet in present_sheets)
            findings.append(Finding("unknown_player", text, few, *at, keys))
            continue
        findings += to_settle
        games.append(game)
    return tuple(games), tuple(_to_come(findings, begun))


def _about(
    sheet: SheetScore,
    code: FindingCode,
    text: str,
    others: Iterable[int] = (),
    /,
    **more: object,
) -> Finding:
    values = {"player": sheet.whose, "total": sheet.total, **more}
    return Finding(code, text, values, sheet.at.round, sheet.at.table, (sheet.key, *others))


def _conflicts(sheets: Sequence[SheetScore]) -> Iterator[Finding]:
    """Different sheets that bear one code, reported once for all of them."""
    reported: set[int] = set()
    by_key = {sheet.key: sheet for sheet in sheets}
    for sheet in sheets:
        if sheet.rivals and sheet.key not in reported:
            others = [key for key in sheet.rivals if key in by_key]
            reported |= {sheet.key, *others}
            rivals = (sheet, *map(by_key.__getitem__, others))
            totals = ", ".join("–" if rival.brief.retake else str(rival.total) for rival in rivals)
            text = mark(
                "different sheets have the code of {player}, worth {totals}; say whose is which"
            )
            yield _about(sheet, "code_conflict", text, others, totals=totals)


def _foreign_events(sheets: Iterable[SheetScore]) -> set[tuple[int | None, str | None]]:
    """Rounds and names of events in codes of which half of the round's codes or more name another.

    Codes are compared only with each other, because the store's event may be called otherwise, and
    only within a round, because another round may have been printed under another name.
    """
    rounds: dict[int | None, Counter[str]] = defaultdict(Counter)
    for sheet in sheets:
        if sheet.at.event is not None:
            rounds[sheet.at.round][sheet.at.event] += 1

    def same(name: str, other: str) -> bool:  # long names are cut in codes, at different lengths
        pairs = (name, other), (other, name)
        return name == other or any(a.endswith(CUT) and b.startswith(a[:-1]) for a, b in pairs)

    return {
        (round_, event)
        for round_, events in rounds.items()
        if len(events) > 1
        for event in events
        if 2 * sum(n for word, n in events.items() if same(event, word)) <= events.total()
    }


def _to_come(findings: Iterable[Finding], begun: Container[int | None]) -> Iterator[Finding]:
    """Reports once that nothing of a round has come in, instead of its missing sheets."""
    reported: set[int | None] = set()
    for finding in findings:
        if finding.code != "missing_sheet" or finding.round in begun:
            yield finding
        elif finding.round not in reported:
            reported.add(finding.round)
            text = mark("no sheet of round {n} has come in yet")
            yield Finding("missing_sheet", text, {"n": finding.round}, finding.round)


def _game(plan: Game, sheets: Sequence[SheetScore]) -> tuple[Game, list[Finding]]:
    """One table: its seats, each with the one sheet that can only be its player's."""
    findings: list[Finding] = []
    at = plan.round, plan.table

    def settle(
        code: FindingCode, text: str, sheets: Iterable[SheetScore] = (), **values: object
    ) -> None:
        findings.append(Finding(code, text, values, *at, tuple(sheet.key for sheet in sheets)))

    def choose(name: str, sheets: Sequence[SheetScore]) -> None:
        totals = ", ".join(str(sheet.total) for sheet in _whole(sheets))
        text = mark("{player} has several sheets, worth {totals}; choose which one counts")
        settle("two_sheets", text, sheets, player=name, totals=totals)

    own = {
        seat.player: [sheet for sheet in sheets if sheet.at.player == seat.player]
        for seat in plan.seats
    }
    strangers = [sheet for sheet in sheets if sheet.at.player not in own]
    empty = [s.player for s in plan.seats if not own[s.player] and s.points is None]
    if len(strangers) == 1 and len(empty) == 1 and strangers[0].at.player is None:
        own[empty[0]].append(strangers.pop())
    for name, several in own.items():
        on_time = [sheet for sheet in several if not sheet.late]
        late = [sheet for sheet in several if sheet.late]
        if on_time and late:
            own[name] = on_time
            if any(sheet.worth != on_time[0].worth and not sheet.rivals for sheet in late):
                choose(name, several)
    if strangers:
        whose = ", ".join(f"{sheet.whose} ({sheet.total})" for sheet in strangers)
        text = mark("there is no such player at this table: {players}")
        settle("unknown_player", text, strangers, players=whose)
    if plan.bye:
        (seat,) = plan.seats
        text = mark("{player} has a bye in this round, but a sheet of {total} points has come in")
        for sheet in own[seat.player]:
            if not sheet.rivals:
                settle("unplaced", text, [sheet], player=seat.player, total=sheet.total)
        return Game(*at, (Seat(seat.player),), bye_points=plan.bye_points), findings
    seats = tuple(replace(seat, sheet=_sheet_of(own[seat.player])) for seat in plan.seats)
    game = replace(plan, seats=seats)
    against = contradictions(game, unseen=True)
    if plan.unplayed:
        return game, against
    findings += against
    for seat in seats:
        read, name = seat.sheet, seat.player
        whole = _whole(own[name])
        if seat.points is not None:
            continue
        if any(sheet.rivals for sheet in whole):
            continue  # see `_conflicts`
        elif not whole:
            settle("missing_sheet", mark("the sheet of {player} is missing"), player=name)
        elif whole[0].brief.retake:
            text = mark("the photo cuts off shields of {player}'s sheet; photograph it again")
            settle("cut_off", text, own[name], player=name)
        elif read is None:
            choose(name, own[name])
        elif read.brief.review:
            settle("needs_look", mark("the sheet of {player} needs a look"), [read], player=name)
    absent = all(seat.points == 0 for seat in seats)  # people enter 0 : 0
    return replace(game, forfeit=absent), findings


def contradictions(game: Game, *, unseen: bool = False) -> list[Finding]:
    """What was entered for a game although its sheets, as far as they are certain, say otherwise.
    unseen: only what nobody knew who entered it."""
    at = game.round, game.table
    come = [
        (seat, seat.sheet)
        for seat in game.seats
        if seat.sheet
        and not seat.sheet.brief.review
        and not (unseen and seat.sheet.total == seat.seen)
    ]
    if come and game.unplayed and game.seats[0].points is None:  # else it was entered as 0 : 0
        text = mark(
            "a walkover of {player} was entered, but sheets of this game have come in: {totals}"
        )
        totals = " : ".join(str(sheet.total) for _, sheet in come)
        values: Json = {"player": game.walkover or "–", "totals": totals}
        return [Finding("points_differ", text, values, *at, tuple(s.key for _, s in come))]
    text = mark("the sheet of {player} is worth {total}, but {points} points were entered")
    findings = []
    for seat, sheet in come:
        if seat.points not in (None, sheet.total):
            values = {"player": seat.player, "total": sheet.total, "points": seat.points}
            findings.append(Finding("points_differ", text, values, *at, (sheet.key,)))
    return findings


def _sheet_of(sheets: Sequence[SheetScore]) -> SheetScore | None:
    """The sheet that counts for a player. Several readings with one total are one sheet
    photographed twice; the most certain one counts."""
    whole = _whole(sheets)
    worths = {sheet.worth for sheet in whole}
    if len(worths) != 1 or any(sheet.rivals or sheet.brief.retake for sheet in whole):
        return None
    return min(whole, key=lambda sheet: (sheet.brief.review, sheet.key))


def _whole(sheets: Sequence[SheetScore]) -> Sequence[SheetScore]:
    """The sheets that a photo shows in full; all if there is none."""
    return [sheet for sheet in sheets if not sheet.brief.retake] or sheets


def _unplaced(sheet: SheetScore) -> Finding:
    at, named = sheet.at, dict[str, object]()
    if at.mistaken:
        text = mark(
            "the code of a sheet names {code}, whom this event does not have: {total} points"
        )
        named = {"code": at.mistaken}
    elif at.given:
        text = mark("{who} says that a sheet is {player}'s: {total} points; the desk decides")
        named = {"who": at.given.who, "player": at.given.action.player or "?"}
    elif sheet.again:
        text = mark(
            "a sheet that the desk had excluded was photographed again: {player}, {total} points"
        )
    elif not at.player:
        text = mark("a sheet does not say whose it is: {total} points")
    elif at.round is None:
        text = mark("the round of a sheet is not known: {player}, {total} points")
    else:
        text = mark("the table of a sheet is not known: {player}, {total} points")
    return _about(sheet, "unplaced", text, **named)
