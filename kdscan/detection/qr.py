"""Stage: whose sheet is this? Reads the code that a printed sheet may bear.

The layout says where the code is printed, so it is cut out flat, upright and at a known
size; its three finder patterns are sought nearby, its modules are sampled between them, and
a clean picture of them goes to OpenCV's decoder, which corrects errors. So a pen stroke
across the code's edge or a blurred photo costs modules, not the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.layout import UNKNOWN
from kdscan.imaging.pyramid import at_hand, grey_at_most
from kdscan.imaging.rectify import lattice_to_photo, project, sampled
from kdscan.records import Photo, RectifiedSheet
from kdscan.records.arrays import Floats
from kdscan.sheet.ids import SheetId
from kdscan.sheet.layout import Code, Layout, layouts, load_layout

_LOOK_PX, _CODE_PX = 2000, 130
"""Cards are looked for in a picture whose codes have about such a side, six pixels a module,
and whose own longer side is no longer than that."""
_THRESHOLD_PX = 9
"""Side of the window in which the detector tells dark from light: one and a half modules."""
_FOUND, _SQUARE = Code((0.5, 0.5), 1.0), np.array(((0, 0), (1, 0), (1, 1), (0, 1)), np.float32)
"""A code that fills the square between the corners where it was found, in that square's frame."""
_SIDES = (21, 25)
"""Modules along a code: the versions of QR that hold a `SheetId`."""
_MODULE_PX = 6
_ENOUGH = 2.2
"""A photo so many times coarser than that still shows the modules."""
_NET_PX = 6
_REACH = 10
"""How many modules a code may lie beside where the layout has it."""
_FINDER = 8
"""Modules of a finder pattern with the white at two of its sides."""
_ALIKE = 0.45
"""Correlation below which a place does not look like a finder pattern: the first one's, and that of
all three on average. Of 92 codes that were read in 108 photos it was 0.64 and 0.64 at least; where
40 photos of other designs have no code, 0.45 and 0.36 at most."""
_AGREED = 0.75
"""Share of the modules that all codes have in common which must look right before anything is
sharpened: 0.91 and more of those 92 codes, 0.62 and less where there was none."""
_BLURS, _NOISES = (0.0, 0.6, 0.8, 1.0), (0.02, 0.002)
"""Blurs, in modules, that are undone in turn, and the noise that each allows for. Of 140 codes in
photos of 2 MP 111 are read, 103 by an unsharp mask of the modules; more blurs read no more."""


def read_code(photo: Photo, sheet: RectifiedSheet, layout_name: str) -> str | None:
    """What the code on a sheet says, or None where there is none to be read.

    layout_name: as `detect_layout` says; of a sheet that it could not tell, because its markers
    are covered or cut off, the code is sought where each built-in layout has it, though no large
    photo is decoded whole for that.
    Only what a sheet of ours could say counts (`kdscan.sheet.ids`): a code that somebody
    stuck on the paper is not taken for it.
    """
    for layout in _with_codes():
        if layout_name not in (layout.name, UNKNOWN):
            continue
        to_photo = partial(_page_to_photo, sheet, layout)
        for code in (layout.code, layout.second_code):
            finest = at_hand(photo) if layout_name == UNKNOWN else 0
            text = None if code is None else read_printed(photo, code, to_photo, finest)
            if text is not None:
                return text
    return None


def read_card_codes(photo: Photo, code_px: float) -> list[tuple[str, Floats]]:
    """Codes on cards that lie anywhere in a photo: what they say, and their corners (4, 2).

    code_px: side of such a code in the photo, about; as large as a tile.
    """
    longer = max(photo.width, photo.height)
    grey, scale = grey_at_most(photo, min(_LOOK_PX, round(longer * _CODE_PX / code_px)))
    # OpenCV's other detector takes twice the time, minutes where a picture is noisy. One window
    # finds as many cards as its usual three, 49 and 48 of 52, in two thirds of the time.
    detector = cv2.QRCodeDetectorAruco()
    options = detector.getArucoParameters()
    options.adaptiveThreshWinSizeMin = options.adaptiveThreshWinSizeMax = _THRESHOLD_PX
    detector.setArucoParameters(options)
    try:
        found, corners = detector.detectMulti(grey)
    except cv2.error:  # OpenCV gives up on some pictures by raising
        return []
    if not found:
        return []
    cards = []
    for quad in np.reshape(np.asarray(corners, np.float64), (-1, 4, 2)):
        corners_xy = (quad + 0.5) / scale - 0.5
        homography = cv2.getPerspectiveTransform(_SQUARE, corners_xy.astype(np.float32))
        text = read_printed(photo, _FOUND, partial(project, np.asarray(homography, np.float64)))
        if text is not None:
            cards.append((text, corners_xy))
    return cards


def read_printed(
    photo: Photo, code: Code, to_photo: Callable[[Floats], Floats], finest: int = 0
) -> str | None:
    """What a code says that is printed at that place.

    to_photo: mm on the page → photo pixels. finest: level of the photo's pyramid that will do.
    """
    for side in _SIDES:
        flat = _window(photo, code, to_photo, side, finest)
        for picture in _pictures(flat, side):
            text = _decoded(picture)
            if SheetId.parse(text) is not None:
                return text
    return None


@lru_cache(maxsize=1)
def _with_codes() -> tuple[Layout, ...]:
    return tuple(layout for layout in map(load_layout, layouts()) if layout.code is not None)


def _page_to_photo(sheet: RectifiedSheet, layout: Layout, page_mm: Floats) -> Floats:
    lattice = (page_mm - np.array(layout.grid_mm)) / np.array(layout.cell_mm) - 0.5
    return lattice_to_photo(sheet.centers_xy, lattice)


def _window(
    photo: Photo, code: Code, to_photo: Callable[[Floats], Floats], side: int, finest: int
) -> NDArray[np.uint8]:
    """Grey and upright: the code and `_REACH` modules around it, `_MODULE_PX` a module."""
    n = (side + 2 * _REACH) * _MODULE_PX
    net = np.arange(0, n + _NET_PX, _NET_PX)  # the map is smooth: known on a net, then enlarged
    step = ((net + 0.5) - n / 2) / _MODULE_PX * code.size_mm / side
    x, y = code.center_mm
    where = to_photo(np.stack(np.meshgrid(x + step, y + step), -1))
    shrink = float(np.linalg.norm(where[0, 1] - where[0, 0])) / _NET_PX
    flat = sampled(photo, where, _NET_PX, (n, n), shrink * _ENOUGH, finest)
    return np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)


def _pictures(flat: NDArray[np.uint8], side: int) -> Iterator[NDArray[np.uint8]]:
    """Clean pictures of what the code may look like."""
    corners = _finders(flat, side)
    if corners is None:
        return
    source = np.array([(3.5, 3.5), (side - 3.5, 3.5), (3.5, side - 3.5)], np.float32)
    affine = cv2.getAffineTransform(source * 4, corners)  # 4 samples along a module
    size = (4 * side, 4 * side)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    code = np.asarray(
        cv2.warpAffine(flat, affine, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    for sigma in _BLURS:
        for noise in _NOISES[: 2 if sigma else 1]:
            sharp = _sharpened(code, 4 * sigma, noise)
            grey = sharp.reshape(side, 4, side, 4)[:, 1:3, :, 1:3].mean((1, 3))
            middle = cv2.blur(grey, (9, 9), borderType=cv2.BORDER_REFLECT)
            dark = np.asarray(grey < middle)
            if not sigma and _agreement(dark) < _AGREED:
                return
            yield _clean(dark)


def _sharpened(blurred: NDArray[np.uint8], sigma: float, noise: float) -> NDArray[np.float64]:
    """A square picture as it was before a Gaussian blur of `sigma` pixels, by Wiener's filter.

    noise: its power beside the picture's.
    """
    pad = _FINDER * 4
    grey = np.pad(blurred.astype(np.float64), pad, mode="edge")
    frequency = np.fft.fftfreq(len(grey))
    along = np.exp(-2 * (np.pi * sigma * frequency) ** 2)
    passed = np.outer(along, along)
    restored = np.fft.ifft2(np.fft.fft2(grey) * passed * (1 + noise) / (passed**2 + noise)).real
    return np.asarray(restored[pad:-pad, pad:-pad])


def _agreement(dark: NDArray[np.bool_]) -> float:
    """Share of the modules in common to all codes that are as they have to be."""
    right, common = _set_right(dark)
    return float((right == dark)[common].mean())


def _set_right(dark: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A code's modules with those set right that all codes have in common, and which those are."""
    side = len(dark)
    ring = np.pad(np.ones((3, 3), bool), 1)
    finder = np.pad(np.pad(ring, 1, constant_values=True), (0, 1))
    right, common = dark.copy(), np.zeros_like(dark)
    for flip in (np.s_[:, :], np.s_[:, ::-1], np.s_[::-1, :]):
        right[flip][:_FINDER, :_FINDER], common[flip][:_FINDER, :_FINDER] = finder, True
    timing = np.arange(_FINDER, side - _FINDER)
    right[6, timing] = right[timing, 6] = timing % 2 == 0
    common[6, timing] = common[timing, 6] = True
    if side > 21:  # from the second version on, an alignment pattern around (side - 7, side - 7)
        right[-9:-4, -9:-4] = np.pad(np.pad([[True]], 1), 1, constant_values=True)
        common[-9:-4, -9:-4] = True
    return right, common


def _clean(dark: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """A picture as a printer would make it; what every code has in common is set right."""
    picture = np.where(np.pad(_set_right(dark)[0], 4), 0, 255).astype(np.uint8)
    return np.kron(picture, np.ones((8, 8), np.uint8))


def _finders(flat: NDArray[np.uint8], side: int) -> NDArray[np.float32] | None:
    """(3, 2) pixels: centres of the finder patterns top left, top right, bottom left.

    The first is sought wherever the code may lie, the others close to where they must then be.
    """
    pattern = cv2.GaussianBlur(_pattern(), (0, 0), 0.35 * _MODULE_PX)
    first = (_REACH - 1) * _MODULE_PX  # of the top left finder pattern, with its white
    far = (side - 7) * _MODULE_PX
    near = (first, first)
    places: list[tuple[int, int]] = []
    total = 0.0
    for (dx, dy), reach in (((0, 0), _REACH - 1), ((far, 0), 2.5), ((0, far), 2.5)):
        at, value = _peak(flat, pattern, (near[0] + dx, near[1] + dy), round(reach * _MODULE_PX))
        if not places:
            if value < _ALIKE:
                return None
            near = at
        places.append(at)
        total += value
    if total < 3 * _ALIKE:
        return None
    return np.array(places, np.float32) + len(pattern) / 2


def _peak(
    flat: NDArray[np.uint8], pattern: cv2.typing.MatLike, near: tuple[int, int], reach: int
) -> tuple[tuple[int, int], float]:
    """Where, within `reach` of a place, the pattern fits best; and how well."""
    x0, y0 = max(0, near[0] - reach), max(0, near[1] - reach)
    h, w = pattern.shape
    part = flat[y0 : near[1] + reach + h, x0 : near[0] + reach + w]
    _, best, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(part, pattern, cv2.TM_CCOEFF_NORMED))
    return (x0 + x, y0 + y), best


def _pattern() -> NDArray[np.uint8]:
    """A finder pattern, dark on light, with a module of white around it."""
    modules = np.full((9, 9), 255, np.uint8)
    modules[1:8, 1:8], modules[2:7, 2:7], modules[3:6, 3:6] = 0, 255, 0
    return np.kron(modules, np.ones((_MODULE_PX, _MODULE_PX), np.uint8))


def _decoded(picture: NDArray[np.uint8]) -> str:
    first, last = 4 * 8, len(picture) - 4 * 8  # it is known where the code lies: no need to detect
    corners = np.array([[(first, first), (last, first), (last, last), (first, last)]], np.float32)
    try:
        text, _ = cv2.QRCodeDetector().decode(picture, corners)
    except (cv2.error, UnicodeDecodeError):  # OpenCV gives up on some pictures by raising
        return ""
    return str(text)
