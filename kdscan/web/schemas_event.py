"""Answers of the HTTP interface about an event as a whole: the desk, standings, prints."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from kdscan.tournament.table import EventTable, TableGame
from kdscan.web.schemas import Probability, Shown

CardKind = Literal[
    "conflict", "twice", "owner", "again", "opponent", "missing", "look", "failed", "rules"
]


class KnownPrint(TypedDict):
    """A print that the event knows. sheets: how many it was learned from; by_itself: from sheets
    that were read, nobody having asked for it; learned: the day."""

    id: int
    name: str
    sheets: int
    by_itself: bool
    learned: str
    picture: str
    found: str


class KnownPrints(TypedDict):
    """The prints that the event knows, by name. learns: whether more are learned by themselves."""

    prints: list[KnownPrint]
    learns: bool


class LearnedPrint(KnownPrint):
    """A new print. again: photos that are read again by it."""

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
    """A sheet to look at. `decides`: it may turn its game. A spellbook has no total."""

    range: tuple[int, int] | None
    decides: bool


class Queue(TypedDict):
    """Those that matter most first. state: changes with everything that may show here."""

    state: str
    sheets: list[Doubtful]


class SheetBrief(SheetLine):
    """A sheet in a card or in the desk's list. status: as in the CSV of `kdscan export`."""

    review: bool
    status: str


class Card(TypedDict):
    """Something to settle. text: an English sentence, `values` stand in its braces.

    players: whose points are missing in that round. decides: it may turn its game. file, problem,
    photo: of a photo that could not be read.
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
    problem: dict[str, Any] | None
    photo: int | None


class Undoable(TypedDict):
    """What undoing would take back, in words as in a card."""

    text: str
    values: dict[str, str]
    at: str
    sheet: int | None


class DeskPlayer(TypedDict):
    """number: in the event, as the codes of the player's sheets have it."""

    name: str
    number: int
    active: bool


class Total(TypedDict):
    """A map by what it is worth."""

    name: str
    total: int
    review: bool


class OnProjector(TypedDict):
    """clock: when the round ends, null without one. shown: what the projector shows."""

    clock: str | None
    shown: Shown


class EventView(OnProjector):
    """What the desk sees, but for what it may take back."""

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
    """Everything that the desk sees. state: changes with everything that may show here.

    clock: when the round ends, null without one. shown: what the projector shows.
    """

    undo: Undoable | None


class Standings(EventTable, OnProjector):
    """The event from above. state: changes with everything that may show here.

    played_round: the latest of which a game is finished, 0 before. clock, shown: see `DeskView`.
    """

    state: str
    totals: list[Total]
