"""Stage: reads the QR code of a printed sheet, which says whose it is.

The layout says where the code is printed, so it is rectified there at a known size, sharpened, and
decoded by ZXing. On cards, which lie anywhere, ZXing finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import cv2
import numpy as np
import zxingcpp

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.imaging.picture import (
    Floats,
    Photo,
    RectifiedSheet,
    finest_decoded,
    grey_at_most,
    lattice_to_photo,
    sample,
)
from kdscan.paper.ids import SheetId
from kdscan.paper.layout import Code, Layout, own_layouts

_FORMATS = zxingcpp.barcode_formats_from_str("QRCode")

_SIDE, _SEARCH = 23, 10
"""Modules along a code, between those of QR versions 1 and 2, which hold a `SheetId`; and modules
by which a code may be displaced from its place in the layout."""

_MODULE_PX, _GRID_PX = 8, 8
"""Pixels per module of a rectified code, and between its computed sampling points."""

_COARSEST = 2.8
"""A photo with this many times fewer pixels per module than `_MODULE_PX` still shows the
modules."""

_SIGMA, _AMOUNT = 0.4, 3.0
"""Unsharp mask, sigma in modules. Of 55 codes in photos of 2 MP 48 are read; of another 42, 39 are
read with it, 35 without."""

_MAX_PX, _CODE_PX = 2000, 180
"""Pixels. Codes on cards are looked for in a picture whose longer side is at most the first, scaled
so that a code's side is about the second."""


def read_code(photo: Photo, sheet: RectifiedSheet, layout_name: str) -> str | None:
    """The text of the code printed on a sheet, or None if none can be read.

    layout_name: as returned by `detect_layout`. If it is unknown, because the markers are covered
    or cut off, each built-in layout's place is tried, but without decoding a large photo in full.
    Only texts that a printed sheet can carry (`kdscan.paper.ids`) count, so a code that somebody
    stuck on the paper is not mistaken for it.
    """

    def page_to_photo(layout: Layout, page_mm: Floats) -> Floats:
        lattice = (page_mm - np.array(layout.grid_mm)) / np.array(layout.cell_mm) - 0.5
        return lattice_to_photo(sheet.centers_xy, lattice)

    finest = finest_decoded(photo) if layout_name == UNKNOWN_LAYOUT else 0
    for layout, _ in own_layouts():
        for code in layout.codes if layout_name in (layout.name, UNKNOWN_LAYOUT) else ():
            text = read_printed(photo, code, partial(page_to_photo, layout), finest)
            if text is not None:
                return text
    return None


def read_printed(
    photo: Photo, code: Code, to_photo: Callable[[Floats], Floats], finest: int = 0
) -> str | None:
    """The text of a code printed at a known place, or None.

    to_photo: mm on the page → photo frame. finest: finest pyramid level that may be used.
    """
    size = (_SIDE + 2 * _SEARCH) * _MODULE_PX
    # The map is smooth: known on a net, then enlarged.
    along = (np.arange(0, size + _GRID_PX, _GRID_PX) + 0.5 - size / 2) * (
        code.size_mm / _SIDE / _MODULE_PX
    )
    x, y = code.center_mm
    where = to_photo(np.stack(np.meshgrid(x + along, y + along), -1))
    shrink = float(np.linalg.norm(where[0, 1] - where[0, 0])) / _GRID_PX
    # A large photo is decoded in full only where its half shows a code that it cannot resolve.
    for k in sorted({max(finest_decoded(photo), finest), finest}, reverse=True):
        flat = sample(photo, where, _GRID_PX, (size, size), shrink * _COARSEST, k)
        grey = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY)
        blurred = cv2.GaussianBlur(grey, (0, 0), _SIGMA * _MODULE_PX)
        sharp = cv2.addWeighted(grey, 1 + _AMOUNT, blurred, -_AMOUNT, 0)
        symbols = zxingcpp.read_barcodes(sharp, _FORMATS, try_invert=False, return_errors=True)
        for symbol in symbols:
            if symbol.valid and SheetId.parse(symbol.text) is not None:
                return symbol.text
        if not symbols:
            break
    return None


def read_card_codes(photo: Photo, code_px: float) -> list[tuple[str, Floats]]:
    """Codes on cards anywhere in a photo: their texts and corners (4, 2), photo frame.

    code_px: approximate side of such a code in the photo, which is that of a tile.
    """
    longer = max(photo.width, photo.height)
    grey, scale = grey_at_most(photo, min(_MAX_PX, round(longer * _CODE_PX / code_px)))
    cards = []
    for code in zxingcpp.read_barcodes(grey, _FORMATS, try_invert=False):
        if SheetId.parse(code.text) is not None:
            at = code.position
            corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
            quad = np.array([(corner.x, corner.y) for corner in corners], np.float64)
            cards.append((code.text, (quad + 0.5) / scale - 0.5))
    return cards
