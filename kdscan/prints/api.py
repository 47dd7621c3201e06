"""Prints of pads for programs: learned from photos, written to files, taken from the library.

>>> from kdscan import learn_print, load_photos, read_photo
>>> club = learn_print(load_photos("blank.jpg"), "club")                  # doctest: +SKIP
>>> for photo in load_photos("photo.jpg"):                                # doctest: +SKIP
...     print(read_photo(photo, prints=[club]))
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kdscan.files.write import write_file
from kdscan.inference.store import Models, default_models
from kdscan.prints.file import FiledPrint, to_filed
from kdscan.prints.known import KnownPrint
from kdscan.prints.learn import learn_print as learn_by
from kdscan.prints.library import own_library
from kdscan.prints.names import checked_name
from kdscan.records import Photo
from kdscan.records.photo import check_photo


def learn_print(
    photos: Iterable[Photo],
    name: str,
    models: Models | None = None,
    *,
    unmarked: bool = False,
    corners_xy: NDArray[np.float64] | None = None,
) -> FiledPrint:
    """Learn a pad's print from photos of its sheets: one unmarked, several, or four filled ones.

    name: of the pad; it becomes the `layout` of sheets that are recognised.
    unmarked: nobody has drawn on these sheets, for certain. corners_xy: (4, 2), where the grid's
    corners lie in the first photo, clockwise from the upper left, if a person says so.
    Raises LayoutError if the photos or the name are unsuitable and NoSheetFound if a photo shows no
    map, both with advice, and ModelError if the models are unusable.
    """
    name, models = checked_name(name), models or default_models()
    taken = tuple(photos)
    for photo in taken:
        check_photo(photo)
    return to_filed(learn_by(taken, name, models, unmarked=unmarked, corners_xy=corners_xy))


def save_print(known: KnownPrint, path: Path | str) -> None:
    """Write a print's file (.kdprint) atomically; raises UsageError if it cannot be written."""
    write_file(Path(path), to_filed(known).data)


def known_prints() -> tuple[FiledPrint, ...]:
    """The prints that this user has learned; damaged files are skipped."""
    return own_library().load()
