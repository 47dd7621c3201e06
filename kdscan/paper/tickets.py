"""Tickets: what is printed on each player's sheets, from a list of players."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kdscan.errors import UsageError
from kdscan.files import in_list_error, new_name, plain_name
from kdscan.files.tables import HEADINGS, player_cells, read_table
from kdscan.paper.ids import MOST_LETTERS, SheetId, check_of, code_word, without_check
from kdscan.paper.letters import printable
from kdscan.paper.style import NO_TICKET, Language, Ticket, translate

_MOST_SHEETS = 20_000


@dataclass(frozen=True)
class Place:
    """A player at a table of a round, as far as they are known; player: a short name for codes.
    where: the file and row that say so, for errors."""

    name: str = ""
    player: str = ""
    round: int | None = None
    table: int | None = None
    where: str = ""


def places_in(path: Path) -> list[Place]:
    """The rows of a CSV file. The first line names the columns: any of `HEADINGS`, round and table,
    and others, in any order, separated by commas, semicolons or tabs. Raises UsageError, also for
    two of one name in a round."""
    places, known = list[Place](), set[object]()
    for number, row in read_table(path, (*HEADINGS, "round", "table")):
        where, cells = f"{path}, row {number}", player_cells(row)
        at = list[int | None]()
        for column in ("round", "table"):
            text = row.get(column, "")
            if not re.fullmatch("[0-9]{0,4}", text):
                raise UsageError(
                    "{where}: the {column} must be a whole number, not {text!r}.",
                    where=where,
                    column=column,
                    text=text,
                )
            at.append(int(text) if text else None)
        round_, table = at
        name, short = cells["name"], cells.get("player", "")
        try:
            if name or table is None:  # else somebody writes it on the sheet
                name = new_name(name)
            if (key := (plain_name(name) or where, round_)) in known:
                raise in_list_error(name)
            known.add(key)
        except UsageError as error:
            raise UsageError("{where}: {error}", where=where, error=error) from error
        places.append(Place(name, short, round_, table, where))
    return places


def tickets_for(
    places: Sequence[Place], event: str | None, rounds: Sequence[int], language: Language = "en"
) -> tuple[Ticket, ...]:
    """A ticket for each place, or for each place and round.

    Without `player` the code has the player's number, counting names in the order given. A name of
    which no letter can be printed is replaced by the player's word in the code.
    event: None for sheets without codes. rounds: for places without one.
    Raises UsageError, with the row, for what cannot be printed.
    """
    return tuple(_ticket(entry, event, language) for entry in _entries(places, rounds))


def book_tickets_for(
    places: Sequence[Place], event: str | None, rounds: Sequence[int], language: Language = "en"
) -> tuple[Ticket, ...]:
    """For each ticket of `tickets_for` that of its table's spellbook.

    It bears the names of two players who sit there, and a code without a player: the maps show who
    writes on which side. For players without a table it has neither names nor a code.
    """
    entries = _entries(places, rounds)
    seated: dict[tuple[int | None, int], list[Place]] = {}
    for entry in entries:
        if entry.table is not None:
            seated.setdefault((entry.round, entry.table), []).append(entry)
    found = []
    for entry in entries:
        if entry.table is None:
            found.append(NO_TICKET)
            continue
        first, second, *_ = (*(place.name for place in seated[entry.round, entry.table]), "")
        ticket = _ticket(replace(entry, player="", name=first), event, language)
        found.append(replace(ticket, second=second))
    return tuple(found)


def each_once(tickets: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """The tickets that are not empty, in their order, each once: one spellbook per table."""
    return tuple(dict.fromkeys(ticket for ticket in tickets if ticket != NO_TICKET))


def rounds_of(text: str | None) -> tuple[int, ...]:
    """`3` or `1-5` as rounds; none for None. Raises UsageError."""
    if text is None:
        return ()
    match = re.fullmatch("([1-9][0-9]?)(?:-([1-9][0-9]?))?", text)
    rounds = tuple(range(int(match[1]), int(match[2] or match[1]) + 1)) if match else ()
    if not rounds:
        raise UsageError("--round must be a number or a range like 1-5, not {text!r}.", text=text)
    return rounds


def _entries(places: Sequence[Place], rounds: Sequence[int]) -> list[Place]:
    """The places in each round, with names as they are printed and words as in codes."""
    found = []
    numbers, words = dict[str, int](), dict[str, str]()
    given = {place.round for place in places}
    for place in places:
        name, own = place.name, place.round
        nth = numbers.setdefault(name or place.where, len(numbers) + 1)
        checked = f"{nth}.{check_of(name)}" if name else str(nth)
        word = code_word(place.player)  # of two who have one word the second gets a number
        player = word if word and words.setdefault(word, name) == name else checked
        shown = printable(name)
        tells = str.isalpha if "?" in shown else str.isalnum
        if name and not any(map(tells, shown)):  # the font has none of its letters
            shown = without_check(player)[0]
        for round_ in (own,) if own is not None or not rounds else rounds:
            found.append(replace(place, name=shown, player=player, round=round_))
    if rounds and None not in given and not given <= set(rounds):
        raise UsageError(
            "{path}: its rows are of round {rounds}; leave --round out, or name another list",
            path=places[0].where,
            rounds=", ".join(map(str, sorted(filter(None, given)))),
        )
    if len(found) > _MOST_SHEETS:
        raise UsageError(
            "{n} sheets are more than a file should hold; split {path}.",
            n=len(found),
            path=places[0].where,
        )
    return found


def _ticket(entry: Place, event: str | None, language: Language) -> Ticket:
    code = ""
    if event is not None:
        try:
            # The event is cut to the available room, and is X if no letter of its name fits in a
            # code: nobody looks it up.
            alone = SheetId("X", entry.round, entry.table, entry.player)
            room = MOST_LETTERS - len(str(alone)) + 1
            code = str(replace(alone, event=code_word(event)[:room].strip("-") or "X"))
        except UsageError as error:
            raise UsageError("{where}: {error}", where=entry.where, error=error) from error
    at = {"round": entry.round, "table": entry.table}
    parts = [f"{translate(word, language)} {n}" for word, n in at.items() if n is not None]
    caption = printable(" · ".join(filter(None, [event, *parts])))
    return Ticket(entry.name, code=code, caption=caption)
