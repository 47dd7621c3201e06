"""Bodies of requests to the HTTP interface as types: validated, and described in /openapi.json."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from kdscan.event.store.checks import MOST_NUMBER
from kdscan.web.schemas import CoatName, Shown, Side, SquareIndex, TerrainName

Row = Annotated[int, Meta(ge=0, le=4)]
Col = Annotated[int, Meta(ge=0, le=6)]
Crosses = Annotated[int, Meta(ge=0, le=4)]
Filled = Annotated[int, Meta(ge=0, le=5)]
Crowns = Annotated[int, Meta(ge=0, le=3)]
Cell = tuple[Row, Col]
Id = Annotated[int, Meta(ge=0, le=MOST_NUMBER)]


class Correction(msgspec.Struct, forbid_unknown_fields=True):
    """The true content of a shield. An empty one (coat null) has no crosses."""

    cell: Cell
    coat: CoatName | None
    crosses: Crosses = 0


class Undo(msgspec.Struct, forbid_unknown_fields=True):
    """correction: the last one that whoever asks has seen; if that is undone already, as when an
    answer was lost, nothing more is."""

    correction: Id | None = None


class Square(msgspec.Struct, forbid_unknown_fields=True):
    """The true content of a kingdom's square: a terrain with crowns, the castle, or nothing."""

    cell: tuple[SquareIndex, SquareIndex]
    terrain: TerrainName
    crowns: Crowns = 0


class Extras(msgspec.Struct, forbid_unknown_fields=True):
    """The extra rules by which a kingdom is scored."""

    middle_kingdom: bool
    harmony: bool


class Line(msgspec.Struct, forbid_unknown_fields=True):
    """The true state of one side's line of a spellbook."""

    player: Side
    coat: CoatName
    filled: Filled
    struck: bool = False
    used: bool = False


class Choice(msgspec.Struct, forbid_unknown_fields=True):
    """The coat that one side of a spellbook chose for the wizard of the filled coat, or null."""

    player: Side
    coat: CoatName | None


class Wizard(msgspec.Struct, forbid_unknown_fields=True):
    """The coat for which the filled coat's wizard pays on this map; null if for none."""

    coat: CoatName | None


Text = Annotated[str, Meta(min_length=1, max_length=120)]
Number = Annotated[int, Meta(ge=1, le=9999)]


class Place(msgspec.Struct, forbid_unknown_fields=True):
    """Whose a sheet is, and where it was played; null for what is unknown.

    own: it is a separate sheet, although another one bears its code.
    """

    player: Text | None = None
    round: Number | None = None
    table: Number | None = None
    own: bool = False


class Brought(msgspec.Struct, forbid_unknown_fields=True):
    """The photo whose sheets a phone adds to a game; null: none yet."""

    photo: Id | None = None


class NamedPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """Whose a sheet is; null if unknown."""

    name: Annotated[str, Meta(min_length=1, max_length=60)] | None


class SameAs(msgspec.Struct, forbid_unknown_fields=True):
    """The sheet of which this is another photo; null if it is a separate sheet."""

    of: Id | None


class Ignored(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a sheet is excluded from all results."""

    ignored: bool


class File(msgspec.Struct, forbid_unknown_fields=True):
    """A photo by its file's name; `NAME#7` is only its page 7."""

    file: Annotated[str, Meta(min_length=1, max_length=1000)]


class TableResult(msgspec.Struct, forbid_unknown_fields=True):
    """Points by player, or who wins by walkover; without both, the result is withdrawn."""

    round: Number
    table: Number
    points: dict[Text, Annotated[int, Meta(ge=0, le=99_999)]] | None = None
    walkover: Text | None = None


class Pair(msgspec.Struct, forbid_unknown_fields=True):
    """again: pair the last round again, before it is played."""

    again: bool = False


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A player; active: takes part from now on."""

    name: Text
    active: bool = True


class Clock(msgspec.Struct, forbid_unknown_fields=True):
    """Remaining time of the round; null: no clock."""

    minutes: Annotated[int, Meta(ge=1, le=600)] | None


class Show(msgspec.Struct, forbid_unknown_fields=True):
    """What the projector shows."""

    what: Shown


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """An empty object."""


Coordinate = Annotated[float, Meta(ge=-2000, le=4000)]


class Switch(msgspec.Struct, forbid_unknown_fields=True):
    """On or off."""

    on: bool


class Corners(msgspec.Struct, forbid_unknown_fields=True):
    """The corners of a print's grid in its picture, x and y in pixels, clockwise from the upper
    left."""

    corners: Annotated[
        list[Annotated[list[Coordinate], Meta(min_length=2, max_length=2)]],
        Meta(min_length=4, max_length=4),
    ]


class PadPhotos(msgspec.Struct, forbid_unknown_fields=True):
    """Photos of filled sheets of one pad, four at least, and the pad's name."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    photos: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1, max_length=16)]
