"""From sheets to games: whose sheet belongs to which table, and what a person should settle.

Pure functions on plain records, which the store and the command line provide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from kdscan.event.games import CUT, Game, Seat, SheetScore, Table
from kdscan.i18n import mark

FindingCode = Literal[
    "missing_sheet",
    "two_sheets",
    "points_differ",
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


@dataclass(frozen=True)
class Planned:
    """A table as it was paired, and what an arbiter entered for it.

    players: in the order of the seats. points: by player; they override whatever was read.
    walkover: who wins because nobody came to play. seen: what each player's sheet was worth when
    either was entered, as far as known; if it is worth something else now, a person is asked.
    """

    players: tuple[str, ...]
    points: Mapping[str, int] = field(default_factory=dict)
    walkover: str | None = None
    seen: Mapping[str, int | None] = field(default_factory=dict)


def gather(
    sheets: Sequence[SheetScore], planned: Mapping[Table, Planned] = {}, most: int = 2
) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
    """Seat every sheet, and report what is missing or undecided.

    planned: by round and table. At a table that was not planned, sheets with the same round and
    table make a game, if they are of two to `most` players. Games are ordered by round and table.
    """
    at_table: dict[Table, list[SheetScore]] = {at: [] for at in planned}
    findings = list(_conflicts(sheets))
    begun = {at[0] for at, plan in planned.items() if plan.points}
    events: dict[int | None, Counter[str]] = defaultdict(Counter)
    for sheet in sheets:
        if sheet.event is not None:
            events[sheet.round][sheet.event] += 1
    for sheet in sheets:
        begun.add(sheet.round or 0)
        at = _table_of(sheet, planned)
        if _of_another_event(sheet, events[sheet.round]):
            findings.append(_foreign(sheet))
        elif at is None:
            findings.append(_unplaced(sheet))
        else:
            at_table.setdefault(at, []).append(sheet)
    games = []
    for at, here in sorted(at_table.items()):
        plan = planned.get(at) or _as_played(here, most)
        if plan is None:
            findings.append(_no_game(at, here, most))
            continue
        game, to_settle = _game(at, plan, here)
        if plan.walkover is not None and plan.walkover in plan.players:
            unseen = any(plan.seen.get(player) is None for player in plan.players)
            to_settle = list(_played_after_all(game, plan.walkover)) if unseen else []
            seats = tuple(Seat(player) for player in plan.players)
            game = replace(game, seats=seats, walkover=plan.walkover)
        findings += to_settle
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
        totals = ", ".join("–" if known[k].cut_off else str(known[k].total) for k in keys)
        text = mark(
            "different sheets have the code of {player}, worth {totals}; say whose is which"
        )
        values = {"player": sheet.player or "?", "totals": totals}
        yield Finding("code_conflict", text, values, sheet.round, sheet.table, keys)


def _of_another_event(sheet: SheetScore, events: Counter[str]) -> bool:
    """Whether half of the codes of a sheet's round or more name another event than its own does.

    events: how many codes of the round name each. Codes are compared only with each other, because
    the store's event may be called otherwise, and only within a round, because another round may
    have been printed under another name.
    """
    own = sheet.event
    if own is None:
        return False
    alike = sum(n for word, n in events.items() if _same_event(own, word))
    return 2 * alike <= events.total()


def _same_event(one: str, other: str) -> bool:
    """Whether two codes may name one event: long names are cut in codes, at different lengths."""
    pairs = (one, other), (other, one)
    return one == other or any(a.endswith(CUT) and b.startswith(a[:-1]) for a, b in pairs)


def _foreign(sheet: SheetScore) -> Finding:
    text = mark("the code of a sheet names another event, {event}: {player}, {total} points")
    values = {"event": sheet.event, "player": sheet.player or "?", "total": sheet.total}
    return Finding("unplaced", text, values, sheet.round, sheet.table, (sheet.key,))


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


def _table_of(sheet: SheetScore, planned: Mapping[Table, Planned]) -> Table | None:
    """Where a sheet belongs: where its player sits in that round, else the table it names."""
    if sheet.round is None:
        return None
    for at, plan in planned.items():
        if at[0] == sheet.round and sheet.player in plan.players:
            return at
    return None if sheet.table is None else (sheet.round, sheet.table)


def _as_played(sheets: Sequence[SheetScore], most: int) -> Planned | None:
    """A table that was not planned, from its sheets; None if they make no game."""
    names = tuple(sorted({sheet.player for sheet in sheets if sheet.player}))
    return Planned(names) if 2 <= len(names) <= most else None


def _game(at: Table, plan: Planned, sheets: Sequence[SheetScore]) -> tuple[Game, list[Finding]]:
    """One table: its seats, each with the one sheet that can only be its player's."""
    own = {name: [sheet for sheet in sheets if sheet.player == name] for name in plan.players}
    strangers = [sheet for sheet in sheets if sheet.player not in own]
    empty = [name for name in plan.players if not own[name] and name not in plan.points]
    if len(strangers) == 1 and len(empty) == 1 and strangers[0].player is None:
        own[empty[0]].append(strangers.pop())
    findings = [_strangers(at, strangers)] if strangers else []
    if len(plan.players) == 1:
        (alone,) = plan.players
        findings += [_in_bye(at, sheet) for sheet in own[alone] if not sheet.rivals]
        return Game(*at, (Seat(alone),)), findings
    seats = tuple(_seat(name, own[name], plan.points.get(name)) for name in plan.players)
    for seat in seats:
        if seat.points is None:
            findings += _to_settle(at, seat, own[seat.player])
        elif seat.sheet is not None and plan.seen.get(seat.player) != seat.sheet.total:
            findings += _points_differ(at, seat)
    return Game(*at, seats), findings


def _seat(name: str, sheets: Sequence[SheetScore], points: int | None) -> Seat:
    """A player's seat. Several readings with one total are one sheet photographed twice; the most
    certain one counts."""
    whole = _whole(sheets)
    worths = {sheet.worth for sheet in whole}
    if len(worths) != 1 or any(sheet.rivals or sheet.cut_off for sheet in whole):
        return Seat(name, None, points)
    return Seat(name, min(whole, key=lambda sheet: (sheet.review, sheet.key)), points)


def _whole(sheets: Sequence[SheetScore]) -> Sequence[SheetScore]:
    """The sheets that a photo shows in full; all if there is none."""
    return [sheet for sheet in sheets if not sheet.cut_off] or sheets


def _to_settle(at: Table, seat: Seat, sheets: Sequence[SheetScore]) -> Iterator[Finding]:
    """What is to be settled about a seat; sheets: all of its player."""
    player, keys = {"player": seat.player}, tuple(sheet.key for sheet in sheets)
    whole = _whole(sheets)
    if any(sheet.rivals for sheet in whole):
        return  # see `_conflicts`
    if not whole:
        yield Finding("missing_sheet", mark("the sheet of {player} is missing"), player, *at)
    elif whole[0].cut_off:
        text = mark("the photo cuts off shields of {player}'s sheet; photograph it again")
        yield Finding("cut_off", text, player, *at, keys)
    elif seat.sheet is None:
        totals = ", ".join(str(sheet.total) for sheet in whole)
        text = mark("{player} has several sheets, worth {totals}; choose which one counts")
        yield Finding("two_sheets", text, player | {"totals": totals}, *at, keys)
    elif seat.sheet.review:
        text = mark("the sheet of {player} needs a look")
        yield Finding("needs_look", text, player, *at, (seat.sheet.key,))


def _points_differ(at: Table, seat: Seat) -> Iterator[Finding]:
    """A sheet whose total differs from the points that were entered before it was known."""
    sheet = seat.sheet
    if sheet is not None and not sheet.review and sheet.total != seat.points:
        text = mark("the sheet of {player} is worth {total}, but {points} points were entered")
        values = {"player": seat.player, "total": sheet.total, "points": seat.points}
        yield Finding("points_differ", text, values, *at, (sheet.key,))


def _played_after_all(game: Game, winner: str) -> Iterator[Finding]:
    """All sheets of a game that was entered as a walkover before they came in."""
    sheets = [seat.sheet for seat in game.seats if seat.sheet is not None and not seat.sheet.review]
    if len(sheets) == len(game.seats):
        text = mark("a walkover of {player} was entered, but both sheets have come in: {totals}")
        values = {"player": winner, "totals": " : ".join(str(sheet.total) for sheet in sheets)}
        keys = tuple(sheet.key for sheet in sheets)
        yield Finding("points_differ", text, values, game.round, game.table, keys)


def _in_bye(at: Table, sheet: SheetScore) -> Finding:
    """Usually a sheet that was printed for this round and played in another."""
    text = mark("{player} has a bye in this round, but a sheet of {total} points has come in")
    values = {"player": sheet.player, "total": sheet.total}
    return Finding("unplaced", text, values, *at, (sheet.key,))


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
