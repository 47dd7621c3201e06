"""Stage: reads the QR code of a printed sheet, which says whose it is.

The layout says where the code is printed, so it is rectified at a known size. Its three finder
patterns are matched nearby, and its modules are sampled between them. A clean rendering of the
modules goes to OpenCV's decoder, which corrects errors. So a pen stroke across the code's edge or a
blurred photo costs modules, not the whole code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.pyramid import finest_decoded, grey_at_most
from kdscan.imaging.rectify import RectifiedSheet, lattice_to_photo, project, sample
from kdscan.paper.fiducials import Fiducials, fiducials
from kdscan.paper.ids import SheetId
from kdscan.paper.parts import Code

_MAX_PX, _CODE_PX = 2000, 130
"""Pixels. Codes on cards are detected in a picture whose longer side is at most the first, scaled
so that a code's side is about the second: six pixels per module."""
_THRESHOLD_PX = 9
"""Pixels: side of the detector's adaptive threshold window, one and a half modules."""
_FOUND, _SQUARE = Code((0.5, 0.5), 1.0), np.array(((0, 0), (1, 0), (1, 1), (0, 1)), np.float32)
"""A code as the unit square, and that square's corners: the frame of codes found anywhere."""
_SIDES = (21, 25)
"""Modules along a code of QR versions 1 and 2, which hold a `SheetId`."""
_MODULE_PX = 6
"""Pixels per module of a rectified code."""
_COARSEST = 2.2
"""A photo with this many times fewer pixels per module than `_MODULE_PX` still shows the
modules."""
_GRID_PX = 6
"""Pixels between computed sampling points; the rest is interpolated."""
_SEARCH = 10
"""Modules by which a code may be displaced from its place in the layout."""
_FINDER = 8
"""Modules along a finder pattern with its separator."""
_MIN_CORRELATION = 0.45
"""Least correlation with a finder pattern: of the first one, and of all three on average. The 92
codes that were read in 108 photos had at least 0.64 for both; in 40 photos of designs without a
code the highest were 0.45 and 0.36."""
_COARSE_PX, _COARSE_SIDE, _COARSE_MODULES = 3, 23, 32
"""A coarse search for the top left finder pattern: pixels per module; modules along the code,
between those of `_SIDES`; modules along the window, which contains the pattern wherever the code
may be."""
_MIN_COARSE = 0.4
"""Least correlation with a finder pattern in that search. In 180 photos with codes, each looked for
in the places of both layouts, 613 codes were read, and the lowest had 0.41; 70% of 296 places in
photos of designs without a code have less."""
_MIN_AGREEMENT = 0.75
"""Share of the modules in function patterns that must be right before deblurring is tried: at least
0.91 in those 92 codes, at most 0.62 where there was none."""
_BLURS, _NOISES = (0.0, 0.6, 0.8, 1.0), (0.02, 0.002)
"""Blurs (sigma, in modules) that are undone in turn, each for these noise-to-signal ratios. Of 140
codes in photos of 2 MP 111 are read, with an unsharp mask of the modules 103; further blurs read no
more."""


def read_code(photo: Photo, sheet: RectifiedSheet, layout_name: str) -> str | None:
    """The text of the code printed on a sheet, or None if none can be read.

    layout_name: as returned by `detect_layout`. If it is unknown, because the markers are covered
    or cut off, each built-in layout's place is tried, but without decoding a large photo in full.
    Only texts that a printed sheet can carry (`kdscan.paper.ids`) count, so a code that somebody
    stuck on the paper is not mistaken for it.
    """
    for layout in fiducials():
        if layout_name not in (layout.name, UNKNOWN_LAYOUT):
            continue
        to_photo = partial(_page_to_photo, sheet, layout)
        for code in layout.codes:
            if not _may_show(photo, code, to_photo):
                continue
            finest = finest_decoded(photo) if layout_name == UNKNOWN_LAYOUT else 0
            text = read_printed(photo, code, to_photo, finest)
            if text is not None:
                return text
    return None


def read_card_codes(photo: Photo, code_px: float) -> list[tuple[str, Floats]]:
    """Codes on cards anywhere in a photo: their texts and corners (4, 2), photo frame.

    code_px: approximate side of such a code in the photo, which is that of a tile.
    """
    longer = max(photo.width, photo.height)
    grey, scale = grey_at_most(photo, min(_MAX_PX, round(longer * _CODE_PX / code_px)))
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
    """The text of a code printed at a known place, or None.

    to_photo: mm on the page → photo frame. finest: finest pyramid level that may be used.
    """
    for side in _SIDES:
        flat = _window(photo, code, to_photo, side, finest)
        for picture in _candidates(flat, side):
            text = _decode(picture)
            if SheetId.parse(text) is not None:
                return text
    return None


def _page_to_photo(sheet: RectifiedSheet, layout: Fiducials, page_mm: Floats) -> Floats:
    lattice = (page_mm - np.array(layout.grid_mm)) / np.array(layout.cell_mm) - 0.5
    return lattice_to_photo(sheet.centers_xy, lattice)


def _may_show(photo: Photo, code: Code, to_photo: Callable[[Floats], Floats]) -> bool:
    """Whether a small, coarse picture shows a possible top left finder pattern of the code. Most
    sheets have no code, and this shows it in an eighth of the time."""
    module = code.size_mm / _COARSE_SIDE
    first = np.array(code.center_mm) - (_COARSE_SIDE / 2 - 3.5) * module
    n, finest = _COARSE_MODULES * _COARSE_PX, finest_decoded(photo)
    grey = _flat(photo, to_photo, first, module / _COARSE_PX, n, _COARSEST / 2, finest)
    return _peak(grey, _blurred_pattern(_COARSE_PX), (0, 0), n)[1] >= _MIN_COARSE


def _window(
    photo: Photo, code: Code, to_photo: Callable[[Floats], Floats], side: int, finest: int
) -> NDArray[np.uint8]:
    """Grey and upright: the code and `_SEARCH` modules around it, `_MODULE_PX` a module."""
    n = (side + 2 * _SEARCH) * _MODULE_PX
    px_mm = code.size_mm / side / _MODULE_PX
    return _flat(photo, to_photo, np.array(code.center_mm), px_mm, n, _COARSEST, finest)


def _flat(
    photo: Photo,
    to_photo: Callable[[Floats], Floats],
    middle_mm: Floats,
    px_mm: float,
    n: int,
    coarsest: float,
    finest: int,
) -> NDArray[np.uint8]:
    """(n, n) grey and upright, around a place of the page. px_mm: millimetres per pixel. coarsest:
    number of pixels into which one pixel of the photo may be enlarged."""
    net = np.arange(0, n + _GRID_PX, _GRID_PX)  # the map is smooth: known on a net, then enlarged
    step = ((net + 0.5) - n / 2) * px_mm
    x, y = middle_mm
    where = to_photo(np.stack(np.meshgrid(x + step, y + step), -1))
    shrink = float(np.linalg.norm(where[0, 1] - where[0, 0])) / _GRID_PX
    flat = sample(photo, where, _GRID_PX, (n, n), shrink * coarsest, finest)
    return np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)


def _candidates(flat: NDArray[np.uint8], side: int) -> Iterator[NDArray[np.uint8]]:
    """Clean renderings of the code's modules, one for each deblurring that is tried."""
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
            if not sigma and _agreement(dark) < _MIN_AGREEMENT:
                return
            yield _render(dark)


def _sharpened(blurred: NDArray[np.uint8], sigma: float, noise: float) -> NDArray[np.float64]:
    """Wiener deconvolution of a square picture blurred by a Gaussian of `sigma` pixels.

    noise: its power relative to the picture's.
    """
    pad = _FINDER * 4
    grey = np.pad(blurred.astype(np.float64), pad, mode="edge")
    frequency = np.fft.fftfreq(len(grey))
    along = np.exp(-2 * (np.pi * sigma * frequency) ** 2)
    passed = np.outer(along, along)
    restored = np.fft.ifft2(np.fft.fft2(grey) * passed * (1 + noise) / (passed**2 + noise)).real
    return np.asarray(restored[pad:-pad, pad:-pad])


def _agreement(dark: NDArray[np.bool_]) -> float:
    """Share of the modules in function patterns that are as the standard requires."""
    right, common = _restore_patterns(dark)
    return float((right == dark)[common].mean())


def _restore_patterns(dark: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A code's modules with its function patterns (ISO/IEC 18004: finders, timing, alignment)
    restored, and a mask of these."""
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


def _render(dark: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The code as printed, eight pixels per module, with restored function patterns and quiet
    zone."""
    picture = np.where(np.pad(_restore_patterns(dark)[0], 4), 0, 255).astype(np.uint8)
    return np.kron(picture, np.ones((8, 8), np.uint8))


def _finders(flat: NDArray[np.uint8], side: int) -> NDArray[np.float32] | None:
    """(3, 2) pixels: centres of the finder patterns top left, top right, bottom left.

    The first is searched wherever the code may lie, the others close to where they must then be.
    """
    pattern = _blurred_pattern(_MODULE_PX)
    first = (_SEARCH - 1) * _MODULE_PX  # of the top left finder pattern, with its white
    far = (side - 7) * _MODULE_PX
    near = (first, first)
    places: list[tuple[int, int]] = []
    total = 0.0
    for (dx, dy), reach in (((0, 0), _SEARCH - 1), ((far, 0), 2.5), ((0, far), 2.5)):
        at, value = _peak(flat, pattern, (near[0] + dx, near[1] + dy), round(reach * _MODULE_PX))
        if not places:
            if value < _MIN_CORRELATION:
                return None
            near = at
        places.append(at)
        total += value
    if total < 3 * _MIN_CORRELATION:
        return None
    return np.array(places, np.float32) + len(pattern) / 2


def _peak(
    flat: NDArray[np.uint8], pattern: NDArray[np.uint8], near: tuple[int, int], reach: int
) -> tuple[tuple[int, int], float]:
    """Template matching within `reach` pixels of a place: the best position and its correlation."""
    x0, y0 = max(0, near[0] - reach), max(0, near[1] - reach)
    h, w = pattern.shape
    part = flat[y0 : near[1] + reach + h, x0 : near[0] + reach + w]
    _, best, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(part, pattern, cv2.TM_CCOEFF_NORMED))
    return (x0 + x, y0 + y), best


@cache
def _blurred_pattern(px: int) -> NDArray[np.uint8]:
    """A finder pattern, dark on light, with a module of white around it; `px` pixels per module."""
    modules = np.full((9, 9), 255, np.uint8)
    modules[1:8, 1:8], modules[2:7, 2:7], modules[3:6, 3:6] = 0, 255, 0
    sharp = np.kron(modules, np.ones((px, px), np.uint8))
    return np.asarray(cv2.GaussianBlur(sharp, (0, 0), 0.35 * px), np.uint8)


def _decode(picture: NDArray[np.uint8]) -> str:
    first, last = 4 * 8, len(picture) - 4 * 8  # the code's place is known: no need to detect it
    corners = np.array([[(first, first), (last, first), (last, last), (first, last)]], np.float32)
    try:
        text, _ = cv2.QRCodeDetector().decode(picture, corners)
    except (cv2.error, UnicodeDecodeError):  # OpenCV gives up on some pictures by raising
        return ""
    return str(text)
