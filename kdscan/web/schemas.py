"""Answers of the HTTP interface as types, described in /openapi.json; bodies are in `bodies`.

Answers may contain more than is described here: a sheet carries all fields that its kind has in the
JSON `kdscan/1`, so readers should ignore unknown fields.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

CoatName = Literal["dot", "double_dot", "line", "double_line", "filled", "checked"]
SquareIndex = Annotated[int, Meta(ge=0, le=6)]
Side = Annotated[int, Meta(ge=0, le=1)]
TerrainName = Literal["wheat", "forest", "lake", "grassland", "swamp", "mine", "castle", "empty"]
Probability = Annotated[float, Meta(ge=0, le=1)]
PhotoState = Literal["waiting", "read", "failed"]
Role = Literal["player", "desk"]
Shown = Literal["table", "pairings"]
"""What the projector shows."""


class ErrorText(TypedDict):
    """What went wrong. `message` is for people, in English."""

    code: str
    message: str
    known: NotRequired[list[str]]


class Error(TypedDict):
    """Any answer that is an error. `code` is stable."""

    error: ErrorText


class Accepted(TypedDict):
    """An upload was kept; ask for the photo until its state is no longer "waiting"."""

    id: int
    state: PhotoState


class Look(TypedDict):
    """What a live picture shows. outline: corners of the grid as fractions of width and height."""

    hint: Literal["none", "dark", "cut_off", "far", "blurred", "good", "busy"]
    confidence: Probability
    outline: list[tuple[float, float]] | None


class Page(TypedDict):
    """A picture of a file; `view` and `thumb` are addresses of JPEGs, null if it can't be shown."""

    page: int
    width: int | None
    height: int | None
    error: ErrorText | None
    view: str | None
    thumb: str | None


class Decision(TypedDict):
    """A correction: of a cell, a spellbook's line or choice, the rules; or a confirmation.

    player, coat: of a spellbook's side and line.
    """

    id: int
    what: str
    cell: tuple[SquareIndex, SquareIndex] | None
    player: Side | None
    coat: CoatName | None
    old: Any
    new: Any
    who: str
    at: str
    undone: bool


class ReadCell(TypedDict):
    """The current content of a shield of a map (coat, crosses) or a square of a kingdom (terrain,
    crowns).

    center: pixels of the photo.
    """

    row: int
    col: int
    center: list[float]
    confidence: Probability
    review: bool
    coat: NotRequired[CoatName | None]
    crosses: NotRequired[int]
    terrain: NotRequired[TerrainName]
    crowns: NotRequired[int]


class SheetFacts(TypedDict):
    """What the page knows of a sheet besides its reading. ink: address of a picture of its ink
    alone. extras_fixed: whether the event says by which extra rules kingdoms are scored."""

    id: int
    photo: int
    page: int
    confirmed: bool
    can_undo: bool
    extras_fixed: bool
    corrections: list[Decision]
    player: str | None
    ink: str | None


class Sheet(SheetFacts):
    """The current state of a sheet: its reading with people's corrections."""

    kind: str
    confidence: Probability
    review: bool
    cells: NotRequired[list[ReadCell]]
    domains: NotRequired[list[Any]]
    score: NotRequired[dict[str, int]]
    chosen_coat: NotRequired[CoatName | None]
    range: NotRequired[tuple[int, int] | None]
    photograph_again: NotRequired[bool]
    wizard_range: NotRequired[tuple[int, int]]
    size: NotRequired[Literal[5, 7]]
    variants: NotRequired[dict[str, bool]]
    players: NotRequired[list[Any]]


class Brief(TypedDict):
    """A sheet in a list."""

    id: int
    kind: str
    photo: int
    page: int
    review: bool
    confidence: Probability
    total: int | None
    photograph_again: bool
    player: str | None


class PhotoFacts(TypedDict):
    """What is known of an uploaded file besides its sheets."""

    id: int
    name: str
    added_at: str
    state: PhotoState
    error: ErrorText | None
    pages: list[Page]


class Photo(PhotoFacts):
    """An uploaded file: its pages, and the sheets on them. can_correct: whether this session may
    correct these; if not, somebody else sent the file first."""

    can_correct: bool
    sheets: list[Sheet]


class PhotoLine(PhotoFacts):
    """A photo in a list: of its sheets only the totals."""

    sheets: list[Brief]


class Photos(TypedDict):
    """A session's photos, the newest first."""

    photos: list[PhotoLine]


class Player(TypedDict):
    """`sheet` is the number of the player's map or kingdom; crowns: of a kingdom."""

    sheet: int
    total: int
    largest_domain: int
    crowns: NotRequired[int]


class Outcome(TypedDict):
    """`winner` is an index of `players`, null for a draw; `winners` are all who share the win."""

    players: list[Player]
    winner: Annotated[int, Meta(ge=0, le=3)] | None
    winners: list[Annotated[int, Meta(ge=0, le=3)]]
    decided_by: Literal["score", "largest_domain", "crowns", "draw"]


class Game(TypedDict):
    """Two maps (and their spellbook), or two to four kingdoms, and who won."""

    sheets: list[Sheet]
    game: Outcome


class SharedGame(TypedDict):
    """A game that several phones play. state: changes whenever anything shown here changes.

    link: what another phone opens to join. mine: numbers of the sheets that this session added.
    game: who won, once all maps or kingdoms are there, else null.
    """

    code: str
    state: str
    link: str
    sheets: list[Sheet]
    mine: list[int]
    game: Outcome | None


class Limits(TypedDict):
    """The largest upload, in bytes."""

    bytes: int


class SessionInfo(TypedDict):
    """Who is asking. csrf: sent as X-CSRF-Token by a browser that changes something."""

    role: Role
    who: str
    teaches: bool
    csrf: str
    event: str
    limits: Limits
