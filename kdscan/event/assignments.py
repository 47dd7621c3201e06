"""Whose each sheet is, and where it was played: what its code says, and what people said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kdscan.paper.ids import MOST_LETTERS, SheetId

if TYPE_CHECKING:
    from kdscan.event.actions import AssignSheet
    from kdscan.event.log import Author, Entry
    from kdscan.event.model import Event
    from kdscan.event.results import Sheet

CUT = "…"
"""Ends an event's name in a code that had no room for more of it."""


@dataclass(frozen=True)
class Assignment:
    """Whose a sheet is, as far as known, and where it was played.

    player: the name, or whatever its code says instead. event: as its code names it, with `CUT` at
    the end if its name may be longer. mistaken: the code's player, if the event has nobody of that
    number and name. word: the action that says so, if not the code. given: what a player says so
    that the desk has to accept it.
    """

    round: int | None = None
    table: int | None = None
    player: str | None = None
    event: str | None = None
    mistaken: str = ""
    word: Entry[AssignSheet] | None = None
    given: Entry[AssignSheet] | None = None


@lru_cache(maxsize=20_000)
def parsed(code: str | None) -> SheetId | None:
    """What a printed code says."""
    return SheetId.parse(code) if code else None


def by_code(event: Event, sheet: Sheet) -> Assignment:
    """Whose a sheet is by its code; the round may be that of its file."""
    file, code = event.first_names.get(sheet.photo_id), parsed(sheet.code)
    given = file[1].details.get("round") if file else None
    if code is None:
        return Assignment(given)
    round_ = given if code.round is None else code.round
    full = len(sheet.code or "") >= MOST_LETTERS - 1  # no word ends with a hyphen
    name = code.event + CUT if full else code.event
    player = event.names.coded(code.player)
    if player is None and code.player and event.has_players:
        return Assignment(round_, code.table, None, name, code.player)
    whose = player.name if player else code.player or None
    return _at_table(event, Assignment(round_, code.table, whose, name))


def _at_table(event: Event, at: Assignment) -> Assignment:
    if at.table is None and at.round is not None and at.player:
        return replace(at, table=event.seats.get((at.round, at.player)))
    return at


def by_people(event: Event, codes: Mapping[int, Assignment]) -> Mapping[int, Assignment]:
    """The same of the sheets that people assigned. The desk's word is final; a player's counts
    where no code says it."""
    said, assigned = event.said, {}
    for number in (said.assigned.keys() | said.given.keys()) & codes.keys():
        at, given = codes[number], said.given.get(number)
        words = said.assigned.get(number, ())
        of_desk = [word for word in words if word[0].role == "desk"]
        if event.has_players and (of_desk or at.player or at.mistaken):
            words = tuple(of_desk)
        if words:
            entry, player_number = words[-1]
            action, player = entry.action, said.players.get(player_number or 0)
            player = player or (event.names.called(action.player) if action.player else None)
            name = player.name if player else action.player
            word = Assignment(action.round, action.table, name, word=entry, given=given)
            assigned[number] = _at_table(event, word)
        elif at.event is None:
            assigned[number] = replace(at, given=given)
    return assigned


def of_papers(event: Event, photos: Mapping[int, Assignment]) -> Mapping[int, Assignment]:
    """The same, where several photos show one sheet: the desk's newest word on any of them counts,
    else a code, else who spoke first. A player who says otherwise since waits for the desk."""
    papers: dict[int, list[int]] = defaultdict(list)
    for number, best in event.compared.same.items():
        papers[best].append(number)

    def weight(at: Assignment) -> tuple[int, int]:
        if (word := at.word) is None:
            return 2 * bool(at.player or at.mistaken), 0
        return (1, -word.id) if event.has_players and word.role == "player" else (3, word.id)

    agreed: dict[int, Assignment] = {}
    for best, others in papers.items():
        claims = [photos[number] for number in (best, *others)]
        first = max(claims, key=weight)
        for at in claims:
            word = at.given or (at.word if at.player != first.player else None)
            if word and word.id > weight(first)[1]:
                first = replace(first, given=word)
        agreed |= dict.fromkeys((best, *others), first)
    return {**photos, **agreed}


def may_give(event: Event, author: Author, before: Assignment, name: str) -> bool:
    """Whether a player may say whose a sheet is without the desk: it is his own, or nobody's and
    his opponent's, and its round is not over."""
    own = event.names.player(author.who)
    if own is None or event.said.over(before.round) is not None:
        return False
    tables = event.tables.get(before.round or max(event.tables, default=0), {})
    opposed = any({own.name, name} <= {*seats} for seats in tables.values())
    return own.name == name or (before.player is None and opposed)
