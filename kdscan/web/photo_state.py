"""A photo as the page shows it: its pages, its errors in words, and its sheets, one line each."""

from __future__ import annotations

from kdscan.errors import Bug
from kdscan.game.winner import known_total
from kdscan.locale import Words, mark
from kdscan.locale.errors import error_text
from kdscan.records.results import Json
from kdscan.tournament.store.records import PhotoRow
from kdscan.web import schemas

BUG = mark("Something went wrong in the program. The photo is kept.")


def tell_error(error: Json | None, spoken: Words) -> schemas.ErrorText | None:
    """A stored error, in words."""
    if error is None:
        return None
    inside = error["code"] == Bug.code  # its details are only for the log
    return {
        "code": error["code"],
        "message": spoken.t(BUG) if inside else error_text(error, spoken),
    }


def page_json(photo: PhotoRow, entry: Json, spoken: Words) -> schemas.Page:
    """A page of a photo. entry: from `photos` of the JSON."""
    at = f"/api/photos/{photo.id}/pages/{entry['page']}"
    shown = entry["width"] is not None
    return {
        "page": entry["page"],
        "width": entry["width"],
        "height": entry["height"],
        "error": tell_error(entry["error"], spoken),
        "view": f"{at}/view.jpg" if shown else None,
        "thumb": f"{at}/thumb.jpg" if shown else None,
    }


def brief(sheet: schemas.Sheet) -> schemas.Brief:
    """A sheet in a list of photos."""
    return {
        "id": sheet["id"],
        "kind": sheet["kind"],
        "photo": sheet["photo"],
        "page": sheet["page"],
        "review": sheet["review"],
        "confidence": sheet["confidence"],
        "total": known_total(sheet),
        "photograph_again": sheet.get("photograph_again", False),
        "player": sheet["player"],
    }
