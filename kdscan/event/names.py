"""Whom a name means, typed by a person or in a sheet's code; and which photo or sheet."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kdscan.errors import UsageError
from kdscan.files import check_name, normalize_name, plain_name
from kdscan.files.tables import HEADINGS, parse_table, player_cells, text_of
from kdscan.i18n import mark
from kdscan.paper.ids import MOST_OF_PLAYER, check_of, code_word, without_check
from kdscan.paper.tickets import places_in

if TYPE_CHECKING:
    from kdscan.event.corrections import AssignSheet
    from kdscan.event.log import Entry
    from kdscan.event.model import Event, SheetResult

T = TypeVar("T")

MOST_LISTED = 5_000
"""Most players of a list: more than any event has."""

SHOWN, MOST_CLOSE = 5, 3
"""Most names that are listed if several fit, and that are suggested for an unknown one."""


class UnknownPlayer(UsageError):
    """Nobody with that name plays. known: who may be meant, the likeliest first."""

    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Player:
    """A participant. number: in the event; code: the word in the codes of the player's sheets.
    former: names that the player had before. active: False after dropping out."""

    number: int
    name: str
    code: str
    active: bool = True
    former: tuple[str, ...] = ()

    @property
    def printed(self) -> str:
        """The word with a check of the name, as codes are printed."""
        return f"{self.code}.{check_of(self.name)}"


@dataclass(frozen=True)
class Names:
    """The players of an event by what people and sheets call them.

    Names are compared without case, accents and spaces. One player's code may be another's name.
    players: in the order in which they were entered.
    """

    players: tuple[Player, ...]
    _plain: dict[str, Player] = field(default_factory=dict)
    _coded: dict[str, Player] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for player in self.players:
            self._plain.setdefault(plain_name(player.name), player)
            self._coded.setdefault(str(player.number), player)
        self._coded.update({player.code: player for player in self.players})

    def player(self, name: str) -> Player | None:
        """The player of that name."""
        return self._plain.get(plain_name(name))

    def spelling(self, name: str) -> str:
        """A name and that of the player for whom it is taken, if that is spelled otherwise."""
        player = self.player(name)
        return "" if player is None or player.name == name else f"{name} = {player.name}"

    def called(self, name: str) -> Player | None:
        """The player whom a person means, perhaps by the code."""
        return self.player(name) or self._coded.get(name.strip().upper())

    def coded(self, word: str) -> Player | None:
        """The player whom a printed code means, unless its check denies the name. Codes of older
        sheets have no check."""
        if player := self._coded.get(word):
            return player
        number, check = without_check(word)
        player = self._coded.get(number) if check else None
        if player is None:
            return self.player(word)
        names = (player.name, *(n for n in player.former if self.player(n) in (None, player)))
        return player if check in map(check_of, names) else None

    def named(self, name: str, event: Event, round_: int | None = None) -> str:
        """The event's spelling of a player's name; any name if no players are entered.

        round_: players of this round are suggested first. Raises `UnknownPlayer` for an unknown
        name, `UsageError` for one that should not be stored.
        """
        name = name.strip()
        if not self.players:
            check_name(name)
            return name
        if player := self.called(name):
            return player.name
        tables = event.tables.get(round_ or 0, {})
        playing = [seat for seats in tables.values() for seat in seats]
        others = [player.name for player in self.players if player.name not in playing]
        close = _close(name, playing) or _close(name, others)
        alike = [other for other in close if _is_part(plain_name(name), plain_name(other))]
        values = {"name": name, "event": event.name, "known": close[0] if close else ""}
        if not close:
            text = mark(
                "{name}: there is no such player in {event}; add the player, or name another."
            )
        elif len(alike) > 1:
            text, values["known"] = ambiguous(name, alike).text, ", ".join(alike[:SHOWN])
        elif close[0] in playing:
            text = mark("{name}? {known} plays this round.")
        else:
            text = mark("{name}? {known} plays in {event}.")
        error = UnknownPlayer(text, **values)
        error.known = tuple(close[: max(MOST_CLOSE, len(alike))])
        raise error


def new_code(short: str, number: int, players: Iterable[Player]) -> str:
    """A word for a new player's codes: the short name if it is possible, else the number."""
    used = {word for player in players for word in (player.code, str(player.number))}
    word = code_word(short)
    others = (f"P{n}" for n in range(number, number + len(used) + 1))
    wishes = (word if len(word) <= MOST_OF_PLAYER else "", str(number), *others)
    return next(wish for wish in wishes if wish and wish not in used)


def players_in(path: Path) -> list[tuple[str, str]]:
    """The players of a CSV file, each with the word for codes (column player); raises `UsageError`,
    with the row."""
    places = places_in(path)
    if len(places) > MOST_LISTED:
        raise UsageError(
            "{path}: there are more than {most} players in the list", path=path, most=MOST_LISTED
        )
    return [(place.name, place.player) for place in places]


def listed_names(data: bytes) -> list[str]:
    """The names in a list of players, as it was pasted or saved by a spreadsheet, the strongest
    first if it has ratings; without names of columns each row has one. Raises `UsageError`."""
    text = text_of(data, "CSV", legacy="cp1252")
    lines = text.splitlines()
    if HEADINGS.keys() & set(re.split('[",;\t\n]+', "\n".join(lines[:2]).lower())):
        rows = [player_cells(row) for _, row in parse_table(text.encode(), "CSV", HEADINGS)]
        rows.sort(key=lambda row: -int("0" + re.sub(r"\D.*", "", row.get("rating", ""))))
        names = [row["name"] for row in rows]
    else:
        names = [re.sub(r"^[\W\d_]*[;\t]|[;\t].*", "", line) for line in lines]
    unique: dict[str, str] = {}
    for name in names:
        bare = re.sub(r"^\s*\d+[.)]?\s+", "", name)
        turned = normalize_name(re.sub(r"^([^,]+),([^,]+)$", r"\2 \1", bare))
        unique.setdefault(plain_name(turned), turned)
    return [name for plain, name in unique.items() if plain]


def ambiguous(name: str, meant: Sequence[str]) -> UsageError:
    """The error for a name that may mean any of these; the first few are listed."""
    return UsageError(
        "{name}: this could be any of {known}; name one of them",
        name=name,
        known=", ".join(meant[:SHOWN]),
    )


def _close(name: str, names: Sequence[str]) -> list[str]:
    """The names that may be meant, in their own spelling: those of which this one is a part,
    because people write first names alone, and those most similar; else those with a similar part.
    """
    name = plain_name(name)
    spelled = {plain_name(other): other for other in names}
    close = [plain for plain in spelled if _is_part(name, plain)][:SHOWN]
    close += [plain for plain in get_close_matches(name, list(spelled)) if plain not in close]
    if not close:
        words = {word for plain in spelled for word in plain.split()}
        for part in get_close_matches(name, sorted(words), cutoff=0.75):
            close += [plain for plain in spelled if part in plain.split() and plain not in close]
    return [spelled[plain] for plain in close]


def _is_part(plain: str, whole: str) -> bool:
    """Whether words of a plain name are these."""
    return f" {plain} " in f" {whole} "


# Photos and sheets

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


def photo_keys(event: Event) -> Iterator[tuple[str, str]]:
    """The names of photos and of their pages, each with its key, see `RemovePhoto`."""
    for file in event.files:
        photo = event.photos.get(file.photo_id or 0)
        if photo is None:
            yield file.name, f"file:{file.name}"
            continue
        yield file.name, photo.key()
        for page in range(photo.pages or 0):
            yield f"{file.name}#{page + 1}", photo.key(page)


def short_name(file: str) -> str:
    """A file's own name, because the folders of a batch should not be published on the network."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]


def removed_names(event: Event) -> list[str]:
    """The names of removed photos and pages."""
    return [name for name, key in photo_keys(event) if key in event.said.removed]


def photo_named(event: Event, name: str) -> tuple[str, str]:
    """The name and the key of a photo or page, by its name or the end of it; raises `UsageError` if
    there is none, or several."""
    meant = _fitting(photo_keys(event), name.replace(os.sep, "/"))
    if not meant:
        raise UsageError("{name}: {event} has no photo of that name", name=name, event=event.name)
    if len({key for _, key in meant}) > 1:
        raise ambiguous(name, [whole for whole, _ in meant])
    return meant[0]


def sheet_named(event: Event, name: str) -> SheetResult:
    """The sheet that a name refers to: a file's name or its end, or a code; `#2.1` is page 2, sheet
    1. Raises `UsageError` if there is none, or several."""
    rows, name = event.sheet_rows, name.replace(os.sep, "/")
    file, _, place = name.rpartition("#")
    fitting = [row for row in rows if row.sheet.code == name] or _on_photos(event, rows, name)
    # unless that is part of a file's name
    fitting = fitting or [r for r in _on_photos(event, rows, file) if r.sheet.place == place]
    if not fitting:
        raise UsageError(
            "{name}: {event} has no such sheet; kdscan export lists their names",
            name=name,
            event=event.name,
        )
    if len(fitting) > 1:
        raise ambiguous(name, [row.address for row in fitting])
    return fitting[0]


def _on_photos(event: Event, rows: Sequence[SheetResult], name: str) -> list[SheetResult]:
    """The sheets on photos with a file of that name, or one that ends with it."""
    ids = {number for _, number in _fitting([(f.name, f.photo_id) for f in event.files], name)}
    return [row for row in rows if row.photo.id in ids]


def _fitting(named: Iterable[tuple[str, T]], name: str) -> list[tuple[str, T]]:
    """What has that name; else what has one that ends with it."""
    named = list(named)
    return [pair for pair in named if pair[0] == name] or [
        pair for pair in named if name and pair[0].endswith(f"/{name}")
    ]
