"""Rectified sheets of unknown prints, from which a print is learned once enough of them agree.

As a file (see `to_bytes`) a sheet is a zip of `sheet.json` and `sheet.jpg`, about 200 kB.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import CUT_OFF
from kdscan.imaging.formats import jpeg
from kdscan.imaging.picture import Floats, FrozenArrays, Photo
from kdscan.imaging.rectify import CENTERS, flatten, lattice_to_flat
from kdscan.rules.duel.board import CELLS, COLS, ROWS
from kdscan.rules.duel.coats import COATS
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX
from kdscan.templates.zipped import BROKEN, packed, unpacked

MARGIN = PRINT_MARGIN + 0.375
"""Cells of margin around the grid of a flat sheet: that of a print, and as much as a grid may be
off."""
MIN_PX = 60
"""Photo pixels per cell below which thin lines are lost."""
MIN_SHARED_COATS = 0.5
"""Share of equal coats, among the shields that are marked on both sheets, from which two sheets
with the same print are one sheet photographed twice. Two games agree on a sixth; two readings of
one sheet, one of them bad, on two thirds and more."""

_UNSUITABLE = frozenset((CUT_OFF, "unsure_place", "mirrored", "bilevel"))
_QUALITY = 88
_SIZE_WH = tuple(round((n + 2 * MARGIN) * PRINT_PX) for n in (COLS, ROWS))
_FORMAT = "kdscan-flat/1"


@dataclass(frozen=True)
class FlatSheetHead:
    """A rectified sheet without its picture.

    key: identifies and orders sheets independently of their arrival. coats: as read, a letter for
    each of `CELLS`, see `coats_of`. layout: name of its known print, or "unknown".
    """

    key: str
    coats: str
    layout: str

    @property
    def marked(self) -> int:
        """Number of shields that hold a coat."""
        return len(CELLS) - self.coats.count(".")


@dataclass(frozen=True, eq=False)
class FlatSheet(FlatSheetHead, FrozenArrays):
    """A sheet rectified by its detected grid.

    bgr: (832, 1088, 3) uint8, `PRINT_PX` pixels per cell and a margin of `MARGIN`.
    """

    bgr: NDArray[np.uint8]

    @property
    def photo(self) -> Photo:
        return Photo(self.bgr, self.key)


FLAT_CENTERS = lattice_to_flat(CENTERS, PRINT_PX, MARGIN)
"""(5, 7, 2): where a flat sheet's cells lie in its picture."""


def is_suitable(problems: Iterable[str], px_per_cell: float) -> bool:
    """Whether a sheet of this resolution, with problems of these codes, is suitable for
    learning."""
    return px_per_cell >= MIN_PX and _UNSUITABLE.isdisjoint(problems)


def flat_sheet_at(
    photo: Photo, centers_xy: Floats, coats: str, layout: str, key: str = ""
) -> FlatSheet:
    """A sheet whose cells lie at (5, 7, 2) in the photo. key: a hash of the picture if omitted."""
    bgr = flatten(photo, centers_xy, PRINT_PX, MARGIN)
    return FlatSheet(key or hashlib.sha256(bgr.tobytes()).hexdigest()[:32], coats, layout, bgr)


def coats_of(board: dict[tuple[int, int], Any]) -> str:
    """A board's coats, one character per cell: its index in `COATS`, "." for none."""
    letters = {coat: "." if coat is None else str(i) for i, coat in enumerate(COATS)}
    return "".join(letters[board.get(at)] for at in CELLS)


def deduplicate(sheets: Iterable[FlatSheet]) -> list[FlatSheet]:
    """The sheets, sorted by key, with only one photo of each: the one with the most coats.

    Otherwise ink that two pictures share would be mistaken for print.
    """
    kept: list[FlatSheet] = []
    for sheet in sorted(sheets, key=lambda one: (-one.marked, one.key)):
        if not any(same_sheet(sheet, other) for other in kept):
            kept.append(sheet)
    return sorted(kept, key=lambda one: one.key)


def same_sheet(one: FlatSheetHead, other: FlatSheetHead) -> bool:
    """Whether two pictures show one sheet, perhaps at different times or upside down. False for
    sheets with hardly any ink, where a mistake does no harm."""
    return any(_agree(one.coats, theirs) for theirs in (other.coats, other.coats[::-1]))


def _agree(one: str, other: str) -> bool:
    both = [(a, b) for a, b in zip(one, other, strict=True) if "." not in (a, b)]
    return len(both) >= 4 and sum(a == b for a, b in both) > MIN_SHARED_COATS * len(both)


def to_bytes(sheet: FlatSheet) -> bytes:
    """A rectified sheet as a file's content."""
    head = {"format": _FORMAT, "coats": sheet.coats, "layout": sheet.layout}
    text = json.dumps(head).encode()
    return packed({"sheet.json": text, "sheet.jpg": jpeg(sheet.bgr, _QUALITY)})


def from_bytes(data: bytes, key: str) -> FlatSheet | None:
    """A rectified sheet from a file's content; None for anything that `to_bytes` did not write."""
    head = head_of(data, key)
    if head is None:
        return None
    try:
        picture = np.frombuffer(unpacked(data, "sheet.jpg"), np.uint8)
        bgr = cv2.imdecode(picture, cv2.IMREAD_COLOR)
    except (*BROKEN, cv2.error):
        return None
    if bgr is None or bgr.shape[1::-1] != _SIZE_WH:
        return None
    return FlatSheet(key, head.coats, head.layout, np.asarray(bgr, np.uint8))


def head_of(data: bytes, key: str) -> FlatSheetHead | None:
    """The head of a flat sheet's file; None for anything that `to_bytes` did not write."""
    try:
        meta = json.loads(unpacked(data, "sheet.json"))
        head = FlatSheetHead(key, str(meta["coats"]), str(meta["layout"]))
    except (*BROKEN, TypeError):
        return None
    return head if meta["format"] == _FORMAT and len(head.coats) == len(CELLS) else None
