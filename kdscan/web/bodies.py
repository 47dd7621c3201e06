"""Bodies of requests to the HTTP interface as types: checked, and described in /openapi.json."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from kdscan.web.schemas import CoatName, Shown, Side, SquareIndex, TerrainName

Row = Annotated[int, Meta(ge=0, le=4)]
Col = Annotated[int, Meta(ge=0, le=6)]
Crosses = Annotated[int, Meta(ge=0, le=4)]
Filled = Annotated[int, Meta(ge=0, le=5)]
Crowns = Annotated[int, Meta(ge=0, le=3)]
Cell = tuple[Row, Col]


class Correction(msgspec.Struct, forbid_unknown_fields=True):
    """What one shield really holds. An empty one (coat null) has no crosses."""

    cell: Cell
    coat: CoatName | None
    crosses: Crosses = 0


class Square(msgspec.Struct, forbid_unknown_fields=True):
    """What one square of a kingdom really holds: a terrain with crowns, the castle, or nothing."""

    cell: tuple[SquareIndex, SquareIndex]
    terrain: TerrainName
    crowns: Crowns = 0


class Extras(msgspec.Struct, forbid_unknown_fields=True):
    """Which extra rules a kingdom is scored by."""

    middle_kingdom: bool
    harmony: bool


class Line(msgspec.Struct, forbid_unknown_fields=True):
    """What one side's line of a spellbook really shows."""

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
    """For which coat the filled coat's wizard pays on this map; null: not here."""

    coat: CoatName | None


Text = Annotated[str, Meta(min_length=1, max_length=120)]
Number = Annotated[int, Meta(ge=1, le=9999)]


class Place(msgspec.Struct, forbid_unknown_fields=True):
    """Whose a sheet is, and where it was played; null for what nobody knows.

    own: it is a sheet of its own, though another one bears its code.
    """

    player: Text | None = None
    round: Number | None = None
    table: Number | None = None
    own: bool = False


class Brought(msgspec.Struct, forbid_unknown_fields=True):
    """The photo whose sheets a phone brings to a game; null: none yet."""

    photo: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


class NamedPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """Whose a sheet is; null: nobody's that is known."""

    name: Annotated[str, Meta(min_length=1, max_length=60)] | None


class SameAs(msgspec.Struct, forbid_unknown_fields=True):
    """The sheet of which this is another photo; null: it is a sheet of its own."""

    of: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None


class Ignored(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a sheet counts nowhere."""

    ignored: bool


class File(msgspec.Struct, forbid_unknown_fields=True):
    """A photo by its file's name; `NAME#7` is its page 7 alone."""

    file: Annotated[str, Meta(min_length=1, max_length=1000)]


class TableResult(msgspec.Struct, forbid_unknown_fields=True):
    """Points by player, or who wins because nobody came; without both it is withdrawn."""

    round: Number
    table: Number
    points: dict[Text, Annotated[int, Meta(ge=0, le=99_999)]] | None = None
    walkover: Text | None = None


class Pair(msgspec.Struct, forbid_unknown_fields=True):
    """again: the last round anew, before it is played."""

    again: bool = False


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A player; active: takes part from now on."""

    name: Text
    active: bool = True


class Clock(msgspec.Struct, forbid_unknown_fields=True):
    """How long the round still takes; null: there is no clock."""

    minutes: Annotated[int, Meta(ge=1, le=600)] | None


class Show(msgspec.Struct, forbid_unknown_fields=True):
    """What the projector shows."""

    what: Shown


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """An empty object."""


Coordinate = Annotated[float, Meta(ge=-2000, le=4000)]


class Switch(msgspec.Struct, forbid_unknown_fields=True):
    """Something is on, or off."""

    on: bool


class Corners(msgspec.Struct, forbid_unknown_fields=True):
    """Where a print's grid has its corners in its picture, x and y in pixels, clockwise from the
    upper left."""

    corners: Annotated[
        list[Annotated[list[Coordinate], Meta(min_length=2, max_length=2)]],
        Meta(min_length=4, max_length=4),
    ]


class PadPhotos(msgspec.Struct, forbid_unknown_fields=True):
    """Photos of filled sheets of one pad, five at least, and what it is called."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    photos: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1, max_length=16)]
