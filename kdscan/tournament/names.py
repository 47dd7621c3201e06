"""Who is meant by a name: as people type it, or as a sheet's code has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar
from unicodedata import normalize

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.tournament.store.events import players
from kdscan.tournament.store.games import games
from kdscan.tournament.store.records import Event, Player

if TYPE_CHECKING:
    from kdscan.tournament.multi_photo_games import Place

T = TypeVar("T")

SHOWN = 5
"""So many are named when a name fits several."""


class UnknownPlayer(UsageError):
    """Nobody of that name plays. known: those who may be meant, the likeliest first."""

    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Names:
    """Players' names by what people and sheets call them.

    by_name: as they are spelled, and in lower case, both in NFC. by_code: by the code that their
    sheets bear, and by their number: the how manieth they are in the event. One's code may be
    another's name.
    """

    by_name: Mapping[str, str]
    by_code: Mapping[str, str]

    def spelled(self, name: str) -> str | None:
        """Who has that name, in large or small letters, however accents are typed."""
        name = normalize("NFC", name)
        return self.by_name.get(name) or self.by_name.get(name.lower())

    def called(self, name: str) -> str | None:
        """Whom a person means, who may say the code too."""
        return self.spelled(name) or self.by_code.get(name.upper())

    def of(self, place: Place) -> str | None:
        """The name of whose sheet it is; as it stands there where nobody is called so."""
        if place.player:
            return self.called(place.player) or place.player
        if place.code:
            return self.by_code.get(place.code) or self.called(place.code) or place.code
        return None


def names_of(entered: Iterable[Player]) -> Names:
    """The names of an event's players, all of them in the order in which they were entered."""
    entered = tuple(entered)
    numbers = {str(number): player.name for number, player in enumerate(entered, 1)}
    codes = {str(one.details["code"]): one.name for one in entered if one.details.get("code")}
    # Older stores hold accents as they were typed.
    spelled = {normalize("NFC", one.name): one.name for one in entered}
    lower = {known.lower(): name for known, name in spelled.items()}
    return Names(lower | spelled, numbers | codes)


def player_of(entered: Sequence[Player], name: str) -> Player | None:
    """Who of them has that name, in large or small letters; None if nobody."""
    spelled = names_of(entered).spelled(name)
    return next((one for one in entered if one.name == spelled), None)


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
    found = names_of(entered).called(name.strip())
    if found or not entered:
        return found or name.strip()
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
