"""kdscan: photograph a finished sheet of Kingdomino Duel, get its score.

>>> from kdscan import load_photos, read_photo
>>> for photo in load_photos("photo.jpg"):            # doctest: +SKIP
...     for sheet in read_photo(photo):
...         print(sheet.score.total, sheet.confidence)

The names below are the public ones; each is imported when it is first used, so that
`import kdscan` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.errors import KdscanError as KdscanError
    from kdscan.overlay import draw_overlay as draw_overlay
    from kdscan.pipeline import correct as correct
    from kdscan.pipeline import read_photo as read_photo
    from kdscan.records import Photo as Photo
    from kdscan.records import SheetReading as SheetReading
    from kdscan.vision.photo import load_photos as load_photos

_HOMES = {
    "KdscanError": "kdscan.errors",
    "Photo": "kdscan.records",
    "SheetReading": "kdscan.records",
    "correct": "kdscan.pipeline",
    "draw_overlay": "kdscan.overlay",
    "load_photos": "kdscan.vision.photo",
    "read_photo": "kdscan.pipeline",
}

__all__ = ["KdscanError", "Photo", "SheetReading"]
__all__ += ["correct", "draw_overlay", "load_photos", "read_photo"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'kdscan' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
