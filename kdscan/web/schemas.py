"""Bodies and answers of the HTTP interface as types: validated, and described in /openapi.json.

What people do is in `kdscan.event.actions`.

Answers may contain more than is described here: a sheet carries all fields that its kind has in the
JSON `kdscan/1`, so readers should ignore unknown fields.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta, Struct

from kdscan.document import GameEntry
from kdscan.event.actions import Action, Shown
from kdscan.event.corrections import CoatName, Id, Side, SquareIndex, TerrainName
from kdscan.event.export import EventTable, TableGame
from kdscan.event.log import Role
from kdscan.event.names import Player
from kdscan.event.sheets import Source
from kdscan.event.store.schema import MOST_NUMBER

Probability = Annotated[float, Meta(ge=0, le=1)]
PhotoState = Literal["waiting", "read", "failed"]
CardKind = Literal[
    "changed",
    "conflict",
    "twice",
    "owner",
    "differs",
    "again",
    "opponent",
    "look",
    "failed",
    "missing",
    "rules",
]
"""Kinds of what is to be settled, the most urgent first: a failed photo may be the missing one."""


class Body(Struct, forbid_unknown_fields=True):
    """What a request holds."""


class Actions(Body):
    """What somebody does, all of it or nothing; it is undone together. want: what to answer: the
    sheet of the first action, or the desk's new state. last: the newest action that the
    desk knew; if another browser has decided the same since, nothing is done."""

    actions: Annotated[list[Action], Meta(min_length=1, max_length=500)]
    want: Literal["sheet", "desk", "nothing"] = "nothing"
    last: Id = MOST_NUMBER


class Switch(Body):
    """On or off."""

    on: bool


class Brought(Body):
    """The photo whose sheets a phone adds to a game; null: none yet."""

    photo: Id | None = None


Coordinate = Annotated[float, Meta(ge=-2000, le=4000)]
Corner = Annotated[list[Coordinate], Meta(min_length=2, max_length=2)]


class Corners(Body):
    """The corners of a print's grid in its picture, x and y in pixels, clockwise from the upper
    left."""

    corners: Annotated[list[Corner], Meta(min_length=4, max_length=4)]


class PadPhotos(Body):
    """Photos of filled sheets of one pad, four at least, and the pad's name."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    photos: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1, max_length=16)]


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


class Received(TypedDict):
    """How many bytes of an upload came."""

    bytes: int


class PlayerList(TypedDict):
    """The players in a list: those whom the event has not, and those whom it has, with the event's
    spelling if it is another."""

    new: list[str]
    known: list[str]


class Look(TypedDict):
    """What a live picture shows. outline: corners of the grid as fractions of width and height."""

    hint: Literal["none", "dark", "cut_off", "far", "blurred", "good", "busy"]
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
    """What somebody said of a sheet: of a cell, a spellbook's line or choice, the rules; or a
    confirmation.

    player, coat: of a spellbook's side and line. source: "desk", "answered" for a player's answer
    to a doubt, "waits" for a player's change that the desk has to accept; null if it does not
    count, or is no value.
    """

    id: int
    what: str
    cell: tuple[SquareIndex, SquareIndex] | None
    player: Side | None
    coat: CoatName | None
    old: Any
    new: Any
    who: str
    role: Role
    source: Source | None
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
    correct these; if not, somebody else sent the file first. can_remove: whether it may delete the
    file."""

    can_correct: bool
    can_remove: bool
    sheets: list[Sheet]


class PhotoLine(PhotoFacts):
    """A photo in a list: of its sheets only the totals."""

    sheets: list[SheetBrief]


class Photos(TypedDict):
    """A session's photos, the newest first."""

    photos: list[PhotoLine]


class Outcome(GameEntry):
    """Who won; winners are the indices of all who share the win."""

    winners: list[int]


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


class ChosenEvent(Body):
    """An event to open. game: of a new one, or null. The others are rules of Kingdomino."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    game: Literal["duel", "kingdomino"] | None = None
    middle_kingdom: bool = False
    harmony: bool = False


class EventName(TypedDict):
    """An event of the store. open: whether the page shows it."""

    name: str
    game: str
    open: bool


class Events(TypedDict):
    """All events of the store, the oldest first. link: where everybody sees the standings of the
    open one without a code."""

    events: list[EventName]
    link: str


class DeletedEvent(Body):
    """An event to delete; typed: its name once more, by which that is confirmed."""

    name: str
    typed: str = ""


class SessionInfo(TypedDict):
    """Who is asking. csrf: sent as X-CSRF-Token by a browser that changes something. join: the link
    by which others sign in, empty where nobody has to."""

    role: Role
    who: str
    teaches: bool
    csrf: str
    join: str
    event: str
    max_bytes: int


class KnownPrint(TypedDict):
    """A print that the event knows. sheets: number it was learned from; by_itself: whether it was
    learned automatically from sheets that were read; learned: the day."""

    id: int
    name: str
    sheets: int
    by_itself: bool
    learned: str
    picture: str
    found: str


class KnownPrints(TypedDict):
    """The prints that the event knows, by name. learns: whether more are learned automatically."""

    prints: list[KnownPrint]
    learns: bool


class LearnedPrint(KnownPrint):
    """A new print. again: photos that are read again with it. warnings: what to check, such as
    photos that were not used."""

    again: list[int]
    warnings: list[str]


class SheetBrief(TypedDict):
    """A sheet of the event in a card or a list.

    total: null for a spellbook, or if the photo cuts off shields. confirmed: by a person, as a
    whole. status: as in the CSV of `kdscan export`.
    """

    id: int
    kind: str
    photo: int
    page: int
    name: str
    player: str | None
    round: int | None
    table: int | None
    total: int | None
    confidence: Probability
    thumb: str
    review: bool
    photograph_again: bool
    confirmed: bool
    status: str


class Card(Struct):
    """Something to settle. text: an English sentence with braces, which `values` fill.

    players: whose points are missing in that round. decides: it may change who wins a game. file,
    problem, picture: of a photo that could not be read. changes: the actions by which a
    player changed a sheet, to approve or undo; its corrections say more of them.
    """

    kind: CardKind
    key: str
    text: str
    values: dict[str, str]
    sheets: list[SheetBrief] = []
    round: int | None = None
    table: int | None = None
    player: str | None = None
    players: list[str] = []
    decides: bool = False
    confidence: Probability | None = None
    file: str | None = None
    problem: ErrorText | None = None
    picture: str | None = None
    changes: list[int] = []


class Undoable(TypedDict):
    """What would be undone, in words as in a card. id: of its last correction."""

    id: int
    text: str
    values: dict[str, str]
    sheet: int | None


class Total(TypedDict):
    """A map by its total."""

    name: str
    total: int
    review: bool


class OnProjector(TypedDict):
    """clock: when the round ends, null without one. shown: what the projector shows."""

    clock: str | None
    shown: Shown


class DeskView(OnProjector):
    """Everything that the desk sees. state: changes whenever anything shown here changes. last: the
    number of the newest action. to_come: number of sheets that the round lacks. byes: numbers of
    players who asked for one in the next round; half_byes: whether it scores half a point. met: by
    round, who meets again or has another bye."""

    state: str
    last: int
    cards: list[Card]
    to_come: int
    sheets: list[SheetBrief]
    players: list[Player]
    byes: list[int]
    half_byes: bool
    closed: bool
    games: list[TableGame]
    met: list[list[tuple[str, ...]]]
    last_round: int
    rounds: int | None
    seats: int
    undo: Undoable | None


class Done(TypedDict):
    """What was done: the numbers of the actions in the log, and what was wanted. notes: what else
    it changes, such as a result on which later pairings rest; for the desk."""

    actions: list[int]
    state: str
    sheet: Sheet | None
    desk: DeskView | None
    notes: list[str]


class Unchanged(TypedDict):
    """The answer to `after` and `wait` if there was nothing new."""

    state: str


class Standings(EventTable, OnProjector):
    """An overview of the event. state: changes whenever anything shown here changes.

    clock, shown: see `DeskView`.
    """

    state: str
    totals: list[Total]
