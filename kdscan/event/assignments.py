"""Whose each sheet is, and where it was played: what its code says, and what people said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kdscan.paper.ids import MOST_LETTERS, SheetId

if TYPE_CHECKING:
    from kdscan.event.log import Author
    from kdscan.event.model import Event
    from kdscan.event.results import Sheet

CUT = "…"
"""Ends an event's name in a code that had no room for more of it."""


@dataclass(frozen=True)
class Assignment:
    """Whose a sheet is, as far as known, and where it was played.

    player: the name, or whatever its code says instead. event: as its code names it, with `CUT` at
    the end if its name may be longer. mistaken: the code's player, if the event has nobody of that
    number and name. by: "person", "code" or "". given: who gave it to whom so that the desk has to
    accept that.
    """

    round: int | None = None
    table: int | None = None
    player: str | None = None
    event: str | None = None
    mistaken: str = ""
    by: str = ""
    given: tuple[str, str] | None = None


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
        return Assignment(round_, code.table, None, name, code.player, "code")
    whose = player.name if player else code.player or None
    return _at_table(event, Assignment(round_, code.table, whose, name, by="code"))


def _at_table(event: Event, at: Assignment) -> Assignment:
    if at.table is None and at.round is not None and at.player:
        return replace(at, table=event.seats.get((at.round, at.player)))
    return at


def by_people(event: Event, codes: Mapping[int, Assignment]) -> Mapping[int, Assignment]:
    """The same of the sheets that people assigned. The desk's word is final; a player's counts
    where no code says it."""
    said, assigned = event.said, {}
    for number in (said.assigned.keys() | said.given.keys()) & codes.keys():
        at, pending = codes[number], said.given.get(number)
        given = (pending.who, pending.action.player or "?") if pending else None
        words = said.assigned.get(number, ())
        of_desk = [word for word in words if word[0].role == "desk"]
        if event.has_players and (of_desk or at.player or at.mistaken):
            words = tuple(of_desk)
        if words:
            entry, player_number = words[-1]
            action, player = entry.action, said.players.get(player_number or 0)
            player = player or (event.names.called(action.player) if action.player else None)
            name = player.name if player else action.player
            word = Assignment(action.round, action.table, name, by="person", given=given)
            assigned[number] = _at_table(event, word)
        elif at.by != "code":
            assigned[number] = replace(at, given=given)
    return assigned


def may_give(event: Event, author: Author, before: Assignment, name: str) -> bool:
    """Whether a player may say whose a sheet is without the desk: it is his own, or nobody's and
    his opponent's, and its round is not over."""
    own = event.names.player(author.who)
    if own is None or event.said.over(before.round) is not None:
        return False
    tables = event.tables.get(before.round or max(event.tables, default=0), {})
    opposed = any({own.name, name} <= {*seats} for seats in tables.values())
    return own.name == name or (before.player is None and opposed)
