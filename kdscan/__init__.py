"""kdscan: photograph a finished sheet of Kingdomino Duel, get its score.

>>> from kdscan import load_photos, read_photo, to_dict
>>> for photo in load_photos("photo.jpg"):            # doctest: +SKIP
...     for sheet in read_photo(photo):
...         print(sheet, to_dict(sheet))

The names below are the public ones; each is imported on first use, so that `import kdscan` costs
nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.errors import KdscanError as KdscanError
    from kdscan.imaging.photo import load_photos as load_photos
    from kdscan.pipeline.document import sheet_json as to_dict
    from kdscan.pipeline.read import read_photo as read_photo
    from kdscan.pipeline.read import read_with as read_with
    from kdscan.pipeline.serialize import deserialize as deserialize
    from kdscan.pipeline.serialize import serialize as serialize
    from kdscan.records import KingdomCorrections as KingdomCorrections
    from kdscan.records import KingdomReading as KingdomReading
    from kdscan.records import MapCorrections as MapCorrections
    from kdscan.records import MapReading as MapReading
    from kdscan.records import Photo as Photo
    from kdscan.records import SpellbookCorrections as SpellbookCorrections
    from kdscan.records import SpellbookReading as SpellbookReading
    from kdscan.sheets import correct as correct
    from kdscan.sheets.common.options import ReadOptions as ReadOptions
    from kdscan.sheets.overlay import draw_overlay as draw_overlay
    from kdscan.templates.file import load_print as load_print
    from kdscan.templates.file import save_print as save_print
    from kdscan.templates.known import KnownPrint as KnownPrint
    from kdscan.templates.learn import learn_print as learn_print
    from kdscan.templates.library import known_prints as known_prints

    __version__: str

_HOMES = {
    "KdscanError": ("kdscan.errors", "KdscanError"),
    "KingdomCorrections": ("kdscan.records", "KingdomCorrections"),
    "KingdomReading": ("kdscan.records", "KingdomReading"),
    "KnownPrint": ("kdscan.templates.known", "KnownPrint"),
    "MapCorrections": ("kdscan.records", "MapCorrections"),
    "MapReading": ("kdscan.records", "MapReading"),
    "Photo": ("kdscan.records", "Photo"),
    "ReadOptions": ("kdscan.sheets.common.options", "ReadOptions"),
    "SpellbookCorrections": ("kdscan.records", "SpellbookCorrections"),
    "SpellbookReading": ("kdscan.records", "SpellbookReading"),
    "correct": ("kdscan.sheets", "correct"),
    "deserialize": ("kdscan.pipeline.serialize", "deserialize"),
    "draw_overlay": ("kdscan.sheets.overlay", "draw_overlay"),
    "known_prints": ("kdscan.templates.library", "known_prints"),
    "learn_print": ("kdscan.templates.learn", "learn_print"),
    "load_photos": ("kdscan.imaging.photo", "load_photos"),
    "load_print": ("kdscan.templates.file", "load_print"),
    "read_photo": ("kdscan.pipeline.read", "read_photo"),
    "read_with": ("kdscan.pipeline.read", "read_with"),
    "save_print": ("kdscan.templates.file", "save_print"),
    "serialize": ("kdscan.pipeline.serialize", "serialize"),
    "to_dict": ("kdscan.pipeline.document", "sheet_json"),
}

__all__ = ["KdscanError", "KingdomReading", "MapReading", "Photo", "SpellbookReading"]
__all__ += ["KingdomCorrections", "MapCorrections", "ReadOptions", "SpellbookCorrections"]
__all__ += ["__version__", "correct", "draw_overlay", "load_photos", "read_photo", "read_with"]
__all__ += ["deserialize", "serialize", "to_dict"]
__all__ += ["KnownPrint", "known_prints", "learn_print", "load_print", "save_print"]


def __dir__() -> list[str]:
    """What a notebook offers to complete."""
    return __all__


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return import_module("importlib.metadata").version("kdscan")
        if name not in _HOMES:
            raise AttributeError(f"module 'kdscan' has no attribute {name!r}")
        home, own = _HOMES[name]
        return getattr(import_module(home), own)
