"""The JSON `kdscan/1`: what is written, stored, served and read back.

Fields may be added at any time, but renamed or removed only with a new schema number. Points in a
photo are [x, y] in pixels, cells are [row, column], sheets are [photo, sheet]; all count from 0.
Entries of sheets are made by their kinds (`kdscan.sheets.*.show`), the others here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from kdscan.errors import KdscanError
from kdscan.files import Json, escape_control
from kdscan.i18n.errors import error_json
from kdscan.rules import Worth, decide, worth
from kdscan.rules.kingdomino.kingdom import DYNASTY_GAMES
from kdscan.sheets.base import KINGDOM, AnyReading, kind_of
from kdscan.sheets.common import plain, probability
from kdscan.sheets.duel_map.interpret import retake_reasons
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.kingdom.model import KingdomReading
from kdscan.sheets.spellbook.model import SpellbookReading
from kdscan.sheets.table import FusedSheet, Where

SCHEMA: Literal["kdscan/1"] = "kdscan/1"


@dataclass(frozen=True, eq=False)
class PhotoReport:
    """The result of one page of a file: its sheets, or an error.

    page: from 0; pages: number of pages in the file. size_wh: width and height in pixels, None if
    the picture could not be decoded.
    """

    name: str
    page: int = 0
    pages: int = 1
    size_wh: tuple[int, int] | None = None
    sheets: tuple[AnyReading, ...] = ()
    error: KdscanError | None = None


class PlayerEntry(Struct):
    """A map or kingdom of a game; crowns: of a kingdom."""

    sheet: Any
    total: int
    largest_domain: int
    crowns: int | UnsetType = UNSET


class GameEntry(Struct):
    """Who won; winner is an index of players, null for a draw."""

    players: list[PlayerEntry]
    winner: int | None
    decided_by: str
    spellbook: Where | None
    confidence: float
    review: bool
    photograph_again: bool


class DynastyEntry(Struct):
    """A player's kingdoms of several games, added up; repeated: whether one is there twice."""

    kingdoms: list[Where]
    total: int
    confidence: float
    repeated: bool
    review: bool


def to_dict(reading: AnyReading) -> Json:
    """One entry of `sheets`, by its kind."""
    return kind_of(reading).to_json(reading)


def photo_json(report: PhotoReport) -> Json:
    """One entry of `photos`; its error: see `kdscan.i18n.errors.error_json`."""
    width, height = report.size_wh or (None, None)
    return {
        "photo": escape_control(report.name),
        "page": report.page,
        "width": width,
        "height": height,
        "error": error_json(report.error) if report.error else None,
        "sheets": [*map(to_dict, report.sheets)],
    }


def report_json(
    photos: Sequence[PhotoReport], fused: Sequence[FusedSheet] = (), *, dynasty: bool = False
) -> Json:
    """The object that `kdscan score --json` prints, as plain values. fused: maps that several
    photos show. dynasty: whether kingdoms are added up."""
    report = {
        "schema": SCHEMA,
        "photos": [*map(photo_json, photos)],
        "fused": [
            {
                "sheets": sheet.views,
                "best": sheet.best,
                "photograph_again": sheet.photograph_again,
                "sheet": to_dict(sheet.sheet),
            }
            for sheet in fused
        ],
        "game": game_of(photos, fused),
    }
    return plain(report | ({"dynasty": dynasty_of(photos)} if dynasty else {}))


# Who won


class Contender(NamedTuple):
    """A map or kingdom of a game: its reference for the JSON, and what decides. crowns: whether its
    game counts them."""

    sheet: Any
    worth: Worth
    confidence: float
    review: bool
    retake: bool = False
    crowns: bool = False


def contender(where: Where, sheet: MapReading | KingdomReading) -> Contender:
    """A map or kingdom as one of a game."""
    is_map = isinstance(sheet, MapReading)
    retake = isinstance(sheet, MapReading) and bool(retake_reasons(sheet))
    worth = sheet.score.worth
    return Contender(where, worth, sheet.confidence, sheet.review, retake, not is_map)


def outcome(players: Sequence[Contender], spellbook: Where | None = None) -> GameEntry:
    """The result of two maps or several kingdoms."""
    result = decide([player.worth for player in players])
    return GameEntry(
        [
            PlayerEntry(
                player.sheet,
                player.worth.total,
                player.worth.largest_domain,
                player.worth.crowns if player.crowns else UNSET,
            )
            for player in players
        ],
        result.winner,
        result.decided_by,
        spellbook,
        probability(math.prod(player.confidence for player in players)),
        any(player.review for player in players),
        any(player.retake for player in players),
    )


def outcome_json(sheets: Sequence[tuple[Any, Mapping[str, Any]]]) -> Json:
    """The result of two maps or several kingdoms from their JSON, each with its reference."""
    players = [
        Contender(
            where,
            worth(sheet),
            sheet["confidence"],
            sheet["review"],
            bool(sheet.get("retake") or sheet.get("photograph_again")),
            sheet["kind"] == KINGDOM.name,
        )
        for where, sheet in sheets
    ]
    return plain(outcome(players))


def game_of(photos: Sequence[PhotoReport], fused: Sequence[FusedSheet] = ()) -> GameEntry | None:
    """The game's result if there are exactly two maps and one photo shows both, else None.

    A sheet on several photos is one map, with its fused reading.
    """
    players: list[Contender] = []
    pictured: list[set[int]] = []
    together = {where: sheet for sheet in fused for where in sheet.views}
    for n, photo in enumerate(photos):
        for k, reading in enumerate(photo.sheets):
            if not isinstance(reading, MapReading):
                continue
            sheet = together.get((n, k))
            if sheet is None:
                players.append(contender((n, k), reading))
                pictured.append({n})
            elif sheet.views[0] == (n, k):
                players.append(contender(sheet.best, sheet.sheet))
                pictured.append({photo for photo, _ in sheet.views})
    if len(players) != 2 or not pictured[0] & pictured[1]:
        return None
    return outcome(players, _book_of(photos, pictured[0] | pictured[1]))


def _book_of(photos: Sequence[PhotoReport], beside: Set[int]) -> Where | None:
    """The game's spellbook: one beside its maps, else the only one.

    beside: the photos that show the maps. Of several photos of it the most confident counts; None
    if a photo shows two spellbooks, which cannot be assigned.
    """
    books = {
        n: [(n, k) for k, sheet in enumerate(photo.sheets) if isinstance(sheet, SpellbookReading)]
        for n, photo in enumerate(photos)
    }
    books = {n: places for n, places in books.items() if places}
    near = {n: places for n, places in books.items() if n in beside} or books
    if not near or any(len(places) > 1 for places in near.values()):
        return None
    return max(
        (place for (place,) in near.values()), key=lambda at: photos[at[0]].sheets[at[1]].confidence
    )


def dynasty_of(photos: Sequence[PhotoReport]) -> DynastyEntry:
    """A player's kingdoms of several games, added up.

    A photo without a kingdom leaves a game out; a photo with several also shows other players'.
    Kingdoms of equal domains are one kingdom, photographed twice.
    """
    kingdoms = {
        (n, k): sheet
        for n, photo in enumerate(photos)
        for k, sheet in enumerate(photo.sheets)
        if isinstance(sheet, KingdomReading)
    }
    different = {
        tuple(sorted((domain.terrain, len(domain.cells), domain.crowns) for domain in domains))
        for domains in (kingdom.score.domains for kingdom in kingdoms.values())
    }
    repeated = len(different) < len(kingdoms)
    return DynastyEntry(
        list(kingdoms),
        sum(kingdom.score.total for kingdom in kingdoms.values()),
        probability(math.prod(kingdom.confidence for kingdom in kingdoms.values())),
        repeated,
        repeated
        or len(kingdoms) > DYNASTY_GAMES
        or any(kingdom.review for kingdom in kingdoms.values())
        or [photo for photo, _ in kingdoms] != list(range(len(photos))),
    )
