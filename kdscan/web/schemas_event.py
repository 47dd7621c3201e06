"""Answers of the HTTP interface about an event as a whole: the desk, standings, prints."""

from __future__ import annotations

from typing import Literal, TypedDict

from kdscan.event.event_json import EventTable, TableGame
from kdscan.web.schemas import ErrorText, Probability, Shown

CardKind = Literal[
    "conflict",
    "twice",
    "owner",
    "differs",
    "again",
    "opponent",
    "missing",
    "look",
    "failed",
    "rules",
]


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
    """A new print. again: photos that are read again with it."""

    again: list[int]


class SheetLine(TypedDict):
    """A sheet of the event in a list."""

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


class Doubtful(SheetLine):
    """A sheet to look at. `decides`: it may change who wins. A spellbook has no total."""

    range: tuple[int, int] | None
    decides: bool


class Queue(TypedDict):
    """Sheets to look at, the most important first. state: changes whenever anything shown here
    changes."""

    state: str
    sheets: list[Doubtful]


class SheetBrief(SheetLine):
    """A sheet in a card or in the desk's list.

    confirmed: by a person, as a whole. status: as in the CSV of `kdscan export`.
    """

    review: bool
    confirmed: bool
    status: str


class Card(TypedDict):
    """Something to settle. text: an English sentence with braces, which `values` fill.

    players: whose points are missing in that round. decides: it may change who wins a game. file,
    problem, photo: of a photo that could not be read.
    """

    kind: CardKind
    key: str
    text: str
    values: dict[str, str]
    round: int | None
    table: int | None
    player: str | None
    sheets: list[SheetBrief]
    players: list[str]
    decides: bool
    confidence: Probability | None
    file: str | None
    problem: ErrorText | None
    photo: int | None


class Undoable(TypedDict):
    """What would be undone, in words as in a card. id: of its last correction."""

    id: int
    text: str
    values: dict[str, str]
    at: str
    sheet: int | None


class DeskPlayer(TypedDict):
    """number: in the event, as in the codes of the player's sheets."""

    name: str
    number: int
    active: bool


class Total(TypedDict):
    """A map by its total."""

    name: str
    total: int
    review: bool


class OnProjector(TypedDict):
    """clock: when the round ends, null without one. shown: what the projector shows."""

    clock: str | None
    shown: Shown


class EventView(OnProjector):
    """What the desk sees, except what it may undo."""

    state: str
    event: str
    cards: list[Card]
    sheets: list[SheetBrief]
    players: list[DeskPlayer]
    games: list[TableGame]
    played_round: int
    last_round: int
    rounds: int | None


class DeskView(EventView):
    """Everything that the desk sees. state: changes whenever anything shown here changes.

    clock: when the round ends, null without one. shown: what the projector shows.
    """

    undo: Undoable | None


class Standings(EventTable, OnProjector):
    """An overview of the event. state: changes whenever anything shown here changes.

    played_round: the latest round with a finished game, 0 before. clock, shown: see `DeskView`.
    """

    state: str
    totals: list[Total]
