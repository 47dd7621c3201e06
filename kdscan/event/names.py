"""The player that a name refers to, whether typed by a person or printed in a sheet's code, and
where players sit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeVar

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.places import Place
from kdscan.event.store.events import check_name, players
from kdscan.event.store.games import games
from kdscan.event.store.records import Event, Player
from kdscan.files.names import normalize_name

T = TypeVar("T")

SHOWN, MOST_CLOSE = 5, 3
"""Most names that are listed if several fit, and that are suggested for an unknown one."""


class UnknownPlayer(UsageError):
    """Nobody with that name plays. known: who may be meant, the likeliest first."""

    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Names:
    """Players' names by what people and sheets call them.

    by_name: by `normalize_name`, and the same in lower case. by_code: by the code on their sheets,
    and by their number in the event. One player's code may be another's name.
    """

    by_name: Mapping[str, str]
    by_code: Mapping[str, str]

    def spelled(self, name: str) -> str | None:
        """The player with that name, ignoring case and however accents and spaces are typed."""
        name = normalize_name(name)
        return self.by_name.get(name) or self.by_name.get(name.lower())

    def called(self, name: str) -> str | None:
        """The player whom a person means, perhaps by the code."""
        return self.spelled(name) or self.by_code.get(name.upper())

    def of(self, place: Place) -> str | None:
        """The name of a sheet's player; unchanged if nobody has that name."""
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
    # Older stores have names as they were typed.
    spelled = {normalize_name(one.name): one.name for one in entered}
    lower = {known.lower(): name for known, name in spelled.items()}
    return Names(lower | spelled, numbers | codes)


@dataclass(frozen=True)
class Seats:
    """Where an event's players sit, by round and name."""

    names: Names
    tables: Mapping[tuple[int, str], int]

    def of(self, place: Place) -> Place:
        """A sheet's place with the player's name instead of a code, and with the table at which
        the player sits in that round, if neither the sheet nor a person gives it."""
        name, table = self.names.of(place), place.table
        if table is None and place.round is not None and name:
            table = self.tables.get((place.round, name))
        return replace(place, table=table, player=name, code=None)


def seats_of(db: Connection, event_id: int) -> Seats:
    """See `Seats`."""
    entered = players(db, event_id)
    names = {one.id: one.name for one in entered}
    tables = {(g.round, names[s]): g.table for g in games(db, event_id) for s in g.seats}
    return Seats(names_of(entered), tables)


def player_of(entered: Sequence[Player], name: str) -> Player | None:
    """The player with that name, ignoring case; None if there is none."""
    spelled = names_of(entered).spelled(name)
    return next((one for one in entered if one.name == spelled), None)


def with_file_name(found: Sequence[T], name: str, file_of: Callable[[T], str]) -> list[T]:
    """The items whose file has that name, or else ends with it."""
    fitting = [one for one in found if file_of(one) == name]
    return fitting or [one for one in found if file_of(one).endswith(f"/{name}")]


def ambiguous(name: str, meant: Sequence[str]) -> UsageError:
    """The error for a name that may mean any of these; the first few are listed."""
    known = ", ".join(meant[:SHOWN])
    return UsageError(
        "{name}: this could be any of {known}; name one of them", name=name, known=known
    )


def player_named(db: Connection, event: Event, name: str, round_: int | None) -> str:
    """The event's spelling of a player's name; any name if no players are entered.

    round_: players of this round are suggested first. Raises `UnknownPlayer` for an unknown name,
    `UsageError` for one that should not be stored.
    """
    entered, name = players(db, event.id), name.strip()
    if not entered:
        check_name(name)
        return name
    if found := names_of(entered).called(name):
        return found
    here = {seat for game in games(db, event.id, round_) for seat in game.seats} if round_ else ()
    there = [player.name for player in entered if player.id in here]
    others = [player.name for player in entered if player.id not in here]
    close = _close(name, there) or _close(name, others)
    raise _unknown(event, name, close, playing=bool(close) and close[0] in there)


def _close(name: str, known: Sequence[str]) -> list[str]:
    """The names that may be meant, in their own spelling: those of which this one is a part,
    because people write first names alone, and those most similar; else those with a similar part.
    """
    name = _plain(name)
    spelled = {_plain(one): one for one in known}
    found = [one for one in spelled if _is_part(name, one)][:SHOWN]
    found += [one for one in get_close_matches(name, list(spelled)) if one not in found]
    if not found:
        words = {word for one in spelled for word in one.split()}
        for part in get_close_matches(name, sorted(words), cutoff=0.75):
            found += [one for one in spelled if part in one.split() and one not in found]
    return [spelled[one] for one in found]


def _plain(name: str) -> str:
    return normalize_name(name).casefold()


def _is_part(plain: str, whole: str) -> bool:
    """Whether words of a plain name are these."""
    return f" {plain} " in f" {whole} "


def _unknown(event: Event, name: str, close: Sequence[str], *, playing: bool) -> UnknownPlayer:
    values = {"name": name, "event": event.name}
    alike = [one for one in close if _is_part(_plain(name), _plain(one))]
    if not close:
        error = UnknownPlayer(
            "{name}: there is no such player in {event}; add the player, or name another.",
            **values,
        )
    elif len(alike) > 1:
        said = ambiguous(name, alike)
        error = UnknownPlayer(said.text, **said.values)
    elif playing:
        error = UnknownPlayer("{name}? {known} plays this round.", known=close[0], **values)
    else:
        error = UnknownPlayer("{name}? {known} plays in {event}.", known=close[0], **values)
    error.known = tuple(close[: max(MOST_CLOSE, len(alike))])
    return error
