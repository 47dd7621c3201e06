"""What a reader would say of a photo, made by hand."""

from __future__ import annotations

from typing import Any

from kdscan.errors import KdscanError
from kdscan.keeping import keep
from kdscan.records import AnyReading
from kdscan.report import PhotoReport, photo_json

MODELS = "models-1"


def entry(*sheets: AnyReading, error: KdscanError | None = None, page: int = 0) -> dict[str, Any]:
    """An entry of `photos` of the JSON."""
    return photo_json(PhotoReport("a.jpg", page, 1, (800, 600), sheets, error))


def kept(*sheets: AnyReading) -> list[dict[str, Any] | None]:
    """What is kept of its sheets."""
    return [keep(sheet) for sheet in sheets]
