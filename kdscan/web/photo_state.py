"""A photo as the page shows it: its pages, its errors in words, and its sheets, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kdscan.errors import Bug
from kdscan.event.store.records import PhotoRow
from kdscan.files import Json
from kdscan.i18n import Words, mark
from kdscan.i18n.errors import error_text
from kdscan.rules.winner import known_total
from kdscan.web import schemas
from kdscan.web.pictures import Size

BUG = mark("Something went wrong in the program. The photo is kept.")


def localized_error(error: Mapping[str, Any] | None, spoken: Words) -> schemas.ErrorText | None:
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
    shown = entry["width"] is not None
    return {
        "page": entry["page"],
        "width": entry["width"],
        "height": entry["height"],
        "error": localized_error(entry["error"], spoken),
        "view": picture(photo, entry["page"], "view") if shown else None,
        "thumb": picture(photo, entry["page"], "thumb") if shown else None,
    }


def picture(photo: PhotoRow, page: int, size: Size) -> str:
    """Address of a page's picture. It contains the hash of the photo's content, because browsers
    keep pictures forever, and another photo may get the same number after an event was forgotten or
    when another store is served here."""
    return f"/api/photos/{photo.id}/pages/{page}/{size}.jpg?{photo.sha256[:12]}"


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
