"""The JSON `kdscan/1` of readings, by pure functions.

Fields may be added at any time, but renamed or removed only with a new schema number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kdscan.errors import KdscanError
from kdscan.files.names import escape_control
from kdscan.i18n.errors import error_json
from kdscan.sheets.base import kind_of
from kdscan.sheets.common import probability_json

if TYPE_CHECKING:
    from kdscan.rules.winner import Worth
    from kdscan.sheets.base import AnyReading
    from kdscan.sheets.entries import (
        FusedJson,
        GameJson,
        MapJson,
        Pair,
        PhotoJson,
        PlayerJson,
        ReportJson,
        SheetJson,
    )
    from kdscan.sheets.fusion import FusedSheet


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


def report_json(photos: Sequence[PhotoJson], fused: Sequence[FusedSheet] = ()) -> ReportJson:
    """The object that `kdscan score --json` prints. photos: results of `photo_json`."""
    together = [_fused_json(one) for one in fused]
    return {
        "schema": SCHEMA,
        "photos": list(photos),
        "fused": together,
        "game": game_json(photos, together),
    }


def _fused_json(fused: FusedSheet) -> FusedJson:
    from kdscan.sheets.duel_map.show import to_json as map_json

    return {
        "sheets": [list(where) for where in fused.views],
        "best": list(fused.best),
        "photograph_again": [list(cell) for cell in fused.photograph_again],
        "sheet": map_json(fused.sheet),
    }


def photo_json(report: PhotoReport) -> PhotoJson:
    """One entry of `photos`."""
    width, height = report.size_wh or (None, None)
    error = report.error
    return {
        "photo": escape_control(report.name),
        "page": report.page,
        "width": width,
        "height": height,
        "error": error_json(error) if error else None,
        "sheets": [to_dict(sheet) for sheet in report.sheets],
    }


def to_dict(found: AnyReading) -> SheetJson:
    """One entry of `sheets`, by its kind."""
    return kind_of(found).to_json(found)


def _book_of(photos: Sequence[PhotoJson], beside: Set[int]) -> list[int] | None:
    """[photo, sheet] of the game's spellbook: one beside its maps, else the only one.

    beside: the photos that show the maps. Of several photos of it the most confident counts; None
    if a photo shows two spellbooks, which cannot be assigned.
    """
    books: dict[int, list[int]] = {}
    for n, photo in enumerate(photos):
        here = [k for k, one in enumerate(photo["sheets"]) if one["kind"] == "duel_spellbook"]
        if here:
            books[n] = here
    near = {n: here for n, here in books.items() if n in beside} or books
    if not near or any(len(here) > 1 for here in near.values()):
        return None
    n = max(near, key=lambda n: photos[n]["sheets"][near[n][0]]["confidence"])
    return [n, near[n][0]]


def game_json(photos: Sequence[PhotoJson], fused: Sequence[FusedJson] = ()) -> GameJson | None:
    """The game's result if there are exactly two maps and one photo shows both, else None.

    A sheet on several photos is one map, with its fused reading.
    """
    found: list[tuple[Pair, MapJson]] = []
    pictured: list[set[int]] = []
    together = {(n, k): one for one in fused for n, k in one["sheets"]}
    for n, photo in enumerate(photos):
        for k, sheet in enumerate(photo["sheets"]):
            if sheet["kind"] != "duel_map":
                continue
            one = together.get((n, k))
            if one is None:
                found.append(([n, k], sheet))
                pictured.append({n})
            elif one["sheets"][0] == [n, k]:
                found.append((one["best"], one["sheet"]))
                pictured.append({at for at, _ in one["sheets"]})
    if len(found) != 2 or not pictured[0] & pictured[1]:
        return None
    return outcome_json(found, _book_of(photos, pictured[0] | pictured[1]))


def outcome_json(
    sheets: Sequence[tuple[Any, Mapping[str, Any]]], spellbook: Pair | None = None
) -> GameJson:
    """The result of two maps or several kingdoms, each with its reference for the JSON."""
    from kdscan.rules.winner import decide, worth  # a single sheet needs neither

    worths = [worth(sheet) for _, sheet in sheets]
    result = decide(worths)
    return {
        "players": [
            _player_json(where, sheet["kind"], own)
            for (where, sheet), own in zip(sheets, worths, strict=True)
        ],
        "winner": result.winner,
        "decided_by": result.decided_by,
        "spellbook": spellbook,
        "confidence": probability_json(math.prod(sheet["confidence"] for _, sheet in sheets)),
        "review": any(sheet["review"] for _, sheet in sheets),
        "photograph_again": any(sheet.get("photograph_again", False) for _, sheet in sheets),
    }


def _player_json(where: Any, kind: str, own: Worth) -> PlayerJson:
    player: PlayerJson = {
        "sheet": where,
        "total": own.total,
        "largest_domain": own.largest_domain,
    }
    if kind == "kingdom":
        player["crowns"] = own.crowns
    return player
