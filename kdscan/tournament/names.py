"""Who is meant by a name: as people type it, or as a sheet's code has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.tournament.store.events import players
from kdscan.tournament.store.games import games
from kdscan.tournament.store.records import Event, Player

T = TypeVar("T")

SHOWN = 5
"""So many are named when a name fits several."""


class UnknownPlayer(UsageError):
    """Nobody of that name plays. known: those who may be meant, the likeliest first."""

    known: tuple[str, ...] = ()


def names_by_code(entered: Iterable[Player]) -> dict[str, str]:
    """Players' names by the code that their sheets bear, by the name itself, upper case, and by
    their number: the how manieth they are in the event.
    """
    entered = tuple(entered)
    found = {str(number): player.name for number, player in enumerate(entered, 1)}
    for player in entered:
        found[player.name.upper()] = player.name
        if player.details.get("code"):
            found[str(player.details["code"]).upper()] = player.name
    return found


def name_of(player: str | None, known: Mapping[str, str]) -> str | None:
    """A player's name by what a sheet says of whose it is; known: `names_by_code`."""
    return known.get(player.upper(), player) if player else None


def of_file(found: Sequence[T], name: str, file_of: Callable[[T], str]) -> list[T]:
    """Those of the file that a name means: by its whole name, else by the end of it."""
    fitting = [one for one in found if file_of(one) == name]
    return fitting or [one for one in found if file_of(one).endswith(f"/{name}")]


def several(name: str, meant: Sequence[str]) -> UsageError:
    """What to say of a name that may mean any of these, of which the first few are told."""
    known = ", ".join(meant[:SHOWN])
    return UsageError(
        "{name}: that may be any of {known}; name one of them", name=name, known=known
    )


def player_named(db: Connection, event: Event, name: str, round_: int | None = None) -> str:
    """The event's name of a player whom somebody calls so; any name where nobody is entered.

    round_: whose players are offered first. Raises `UnknownPlayer` for a name that nobody has.
    """
    entered = players(db, event.id)
    known = names_by_code(entered)
    if not entered or name.strip().upper() in known:
        return known.get(name.strip().upper(), name.strip())
    here = {seat for game in games(db, event.id, round_) for seat in game.seats} if round_ else ()
    there = [player.name for player in entered if player.id in here]
    others = [player.name for player in entered if player.id not in here]
    close = _close(name, there) or _close(name, others)
    raise _unknown(event, name, close, playing=bool(close) and close[0] in there)


def _close(name: str, known: Sequence[str]) -> list[str]:
    """The three names at most that are most like one, in their own spelling."""
    spelled = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), list(spelled))
    return [spelled[one] for one in found]


def _unknown(event: Event, name: str, close: Sequence[str], *, playing: bool) -> UnknownPlayer:
    values = {"name": name, "event": event.name}
    if not close:
        error = UnknownPlayer(
            "{name}: nobody of that name plays in {event}; enter the player, or name another.",
            **values,
        )
    elif playing:
        error = UnknownPlayer("{name}? {known} plays this round.", known=close[0], **values)
    else:
        error = UnknownPlayer("{name}? {known} plays in {event}.", known=close[0], **values)
    error.known = tuple(close)
    return error
