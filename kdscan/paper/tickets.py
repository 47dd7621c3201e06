"""Tickets: what is printed on each player's sheets, from a list of players."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kdscan.errors import UsageError
from kdscan.files.tables import read_table
from kdscan.paper.ids import MOST_LETTERS, SheetId, check_of, code_word, without_check
from kdscan.paper.style import NO_TICKET, Ticket
from kdscan.paper.text import Language, printable, translate

_COLUMNS = ("name", "player", "round", "table")
_MOST_ROUNDS = 99
_MOST_SHEETS = 20_000


def tickets_from_csv(
    path: Path, event: str | None, rounds: Sequence[int], language: Language = "en"
) -> tuple[Ticket, ...]:
    """A ticket for each row of a CSV file, or for each row and round.

    The first line names the columns: any of name, player (a short name for the code), round and
    table, and others, in any order, separated by commas, semicolons or tabs. Without `player` the
    code has the player's number, counting names in the order of the file. A name of which no letter
    can be printed is replaced by the player's word in the code.
    event: None for sheets without codes. rounds: for rows without one.
    Raises UsageError, with the row, for what cannot be printed.
    """
    found = [_ticket(entry, event, language) for entry in _entries(path, rounds)]
    codes = [ticket.code for ticket in found if ticket.code]
    twice = next((code for code, times in Counter(codes).items() if times > 1), None)
    if twice is not None:
        raise UsageError(
            "{path}: two sheets would have the code {twice}; give each player a unique name in "
            "the column `player`.",
            path=path,
            twice=twice,
        )
    return tuple(found)


def book_tickets_from_csv(
    path: Path, event: str | None, rounds: Sequence[int], language: Language = "en"
) -> tuple[Ticket, ...]:
    """For each ticket of `tickets_from_csv` that of its table's spellbook.

    It bears the names of two players who sit there, and a code without a player: the maps show who
    writes on which side. For players without a table it has neither names nor a code.
    """
    entries = _entries(path, rounds)
    seated: dict[tuple[int | None, int], list[_Entry]] = {}
    for entry in entries:
        if entry.table is not None:
            seated.setdefault((entry.round, entry.table), []).append(entry)
    found = []
    for entry in entries:
        if entry.table is None:
            found.append(NO_TICKET)
            continue
        names = [one.shown for one in seated[entry.round, entry.table]][:2]
        one = _ticket(replace(entry, player=""), event, language)
        found.append(replace(one, name=names[0], second=names[1] if names[1:] else ""))
    return tuple(found)


def each_once(tickets: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """The tickets that are not empty, in their order, each once: one spellbook per table."""
    return tuple(dict.fromkeys(ticket for ticket in tickets if ticket != NO_TICKET))


def rounds_of(text: str | None) -> tuple[int, ...]:
    """`3` or `1-5` as rounds; none for None. Raises UsageError."""
    if text is None:
        return ()
    match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", text)
    if match is None:
        raise UsageError("--round must be a number or a range like 1-5, not {text!r}.", text=text)
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high <= _MOST_ROUNDS:
        raise UsageError(
            "--round must be within 1 to {most}, the smaller number first, not {text}.",
            most=_MOST_ROUNDS,
            text=text,
        )
    return tuple(range(low, high + 1))


@dataclass(frozen=True)
class _Entry:
    """A player in a round. where: file and row. player: as in codes."""

    where: str
    shown: str
    player: str
    round: int | None
    table: int | None


def _entries(path: Path, rounds: Sequence[int]) -> list[_Entry]:
    found = []
    numbers: dict[str, int] = {}
    given: set[int | None] = set()
    for number, row in read_table(path, _COLUMNS):
        where = f"{path}, row {number}"
        own, table = _number(row, "round", where), _number(row, "table", where)
        given.add(own)
        name = row.get("name", "")
        nth = numbers.setdefault(name or f"row {number}", len(numbers) + 1)
        checked = f"{nth}.{check_of(name)}" if name else str(nth)
        player = code_word(row.get("player", "")) or checked
        shown = printable(name or row.get("player", ""))
        tells = str.isalpha if "?" in shown else str.isalnum
        if name and not any(map(tells, shown)):  # the font has none of its letters
            shown = without_check(player)[0]
        for round_ in (own,) if own is not None or not rounds else rounds:
            found.append(_Entry(where, shown, player, round_, table))
    if rounds and None not in given and not given <= set(rounds):
        raise UsageError(
            "{path}: its rows are of round {rounds}; leave --round out, or name another list",
            path=path,
            rounds=", ".join(map(str, sorted(one for one in given if one is not None))),
        )
    if len(found) > _MOST_SHEETS:
        raise UsageError(
            "{n} sheets are more than a file should hold; split {path}.", n=len(found), path=path
        )
    return found


def _ticket(entry: _Entry, event: str | None, language: Language) -> Ticket:
    code = ""
    if event is not None:
        try:
            code = _code(event, entry)
        except UsageError as error:
            raise UsageError("{where}: {error}", where=entry.where, error=error) from error
    parts = [event or ""]
    parts += [f"{translate('round', language)} {entry.round}"] if entry.round is not None else []
    parts += [f"{translate('table', language)} {entry.table}"] if entry.table is not None else []
    caption = printable(" · ".join(part for part in parts if part))
    return Ticket(entry.shown, code=code, caption=caption)


def _code(event: str, entry: _Entry) -> str:
    """The text of a sheet's code. The event is cut to the available room, and is X if no letter of
    its name fits in a code: nobody looks it up."""
    alone = SheetId("X", entry.round, entry.table, entry.player)
    room = MOST_LETTERS - len(str(alone)) + 1
    return str(replace(alone, event=code_word(event)[:room].strip("-") or "X"))


def _number(row: dict[str, str], column: str, where: str) -> int | None:
    text = row.get(column, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise UsageError(
            "{where}: the {column} must be a whole number, not {text!r}.",
            where=where,
            column=column,
            text=text,
        )
    return int(text)
