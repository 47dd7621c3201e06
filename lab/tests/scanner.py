"""A simulated flatbed scanner: turns drawn pages, on its glass or in its feeder, into a scanned
page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from lab.synth.fields import F64, U8, Rng, f32, gaussian, rotation, shrunk, u8
from lab.synth.photo.camera import compress
from lab.synth.scene import DrawnPage

MM_PER_INCH = 25.4

PAPERS = {"a4": (210.0, 297.0), "a5": (148.0, 210.0), "letter": (215.9, 279.4)}
"""Width and height in mm (ISO 216, ANSI/ASME Y14.1)."""

_BLACK_BELOW = 160
"""Threshold of scanners that only know black and white, 0..255."""
_TILE = 256  # a tile of noise of this size is repeated


@dataclass(frozen=True)
class Settings:
    """The scanner's settings, and how the paper lies in it.

    dpi: pixels an inch.
    color: "bilevel" is pure black and white, as for texts.
    quarter_turns: how often the whole page is turned to the left after scanning.
    skew_deg: skew of the paper, clockwise.
    print_scale: scale of printing; 0.92 to 1.04 if a printer fits it to the page.
    quality: of the JPEG that scanners put into their files; None for none.
    lid: brightness of the glass beside the paper, 0..255.
    """

    dpi: float = 300.0
    color: Literal["color", "grey", "bilevel"] = "color"
    quarter_turns: int = 0
    skew_deg: float = 0.0
    print_scale: float = 1.0
    quality: int | None = 85
    lid: int = 255


@dataclass(frozen=True, eq=False)
class Scan:
    """A scanned page. bgr: (H, W, 3) uint8.

    centers_xy: for each sheet on it (5, 7, 2) float64, pixels of the scan: its cells' centres.
    """

    bgr: U8
    centers_xy: tuple[F64, ...]


def scan(
    rng: Rng,
    sheets: Sequence[DrawnPage],
    settings: Settings,
    paper_mm: tuple[float, float] = PAPERS["a4"],
) -> Scan:
    """Scan sheets that are printed one below the other on one paper; no sheet: a blank page.

    The sheets are spread over the height of the paper; if they do not fit at full size, they are
    printed smaller, as printers do.
    """
    k = settings.dpi / MM_PER_INCH
    width, height = (round(side * k) for side in paper_mm)
    page = np.full((height, width, 3), settings.lid, np.uint8)
    # (3, 3) from mm of the paper to pixels: skewed around the paper's middle
    turn = rotation(np.deg2rad(settings.skew_deg))
    middle = np.array(paper_mm) / 2
    out = np.eye(3)
    out[:2, :2] = k * turn
    out[:2, 2] = k * (middle - turn @ middle) - 0.5
    bed = out
    _lay(page, np.full((2, 2, 3), _paper(sheets), np.uint8), bed, paper_mm)
    centers = []
    slot = paper_mm[1] / max(len(sheets), 1)
    for i, sheet in enumerate(sheets):
        w, h = sheet.layout.page_mm
        shrink = settings.print_scale * min(1.0, paper_mm[0] / w, slot / h)
        shift = ((paper_mm[0] - w * shrink) / 2, slot * (i + 0.5) - h * shrink / 2)
        place = bed @ np.array([[shrink, 0, shift[0]], [0, shrink, shift[1]], [0, 0, 1.0]])
        _lay(page, sheet.bgr, place, (w, h))
        centers.append(sheet.centers_mm @ place[:2, :2].T + place[:2, 2])
    picture = _sensed(rng, page, settings)
    turns = settings.quarter_turns % 4
    placed = tuple(_turned(c, (width, height), turns) for c in centers)
    return Scan(np.ascontiguousarray(np.rot90(picture, turns)), placed)


def _paper(sheets: Sequence[DrawnPage]) -> U8:
    """The paper's colour: that of the first sheet's edge, near white for a blank page."""
    if not sheets:
        return np.full(3, 250, np.uint8)
    edge = sheets[0].blank_bgr[[0, -1]].reshape(-1, 3)
    return u8(np.median(edge, 0))


def _lay(page: U8, picture: U8, mm_to_px: F64, size_mm: tuple[float, float]) -> None:
    """Draw a picture of `size_mm` onto the page, without aliasing if it gets smaller."""
    h, w = picture.shape[:2]
    per_mm = np.array([w / size_mm[0], h / size_mm[1]])
    shrink = float(per_mm.min() / np.sqrt(abs(np.linalg.det(mm_to_px[:2, :2]))))
    if shrink > 1.2:
        size = (max(1, round(w / shrink)), max(1, round(h / shrink)))
        picture = shrunk(picture, size)
        per_mm = np.array([size[0] / size_mm[0], size[1] / size_mm[1]])
    to_mm = np.array([[1 / per_mm[0], 0, 0.5 / per_mm[0]], [0, 1 / per_mm[1], 0.5 / per_mm[1]]])
    matrix = mm_to_px[:2, :2] @ to_mm
    matrix[:, 2] += mm_to_px[:2, 2]
    cv2.warpAffine(
        picture,
        matrix,
        page.shape[1::-1],
        dst=page,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_TRANSPARENT,
    )


def _sensed(rng: Rng, page: U8, settings: Settings) -> U8:
    """The effects of the line sensor: slight blur, slight noise, streaks along the feed, JPEG."""
    out = gaussian(page, rng.uniform(0.4, 0.8))
    tile = f32(rng.normal(0, rng.uniform(0.5, 2.0), (_TILE, _TILE, 1)))
    width = page.shape[1]
    streaks = f32(rng.normal(0, rng.uniform(0, 1.5), (1, width, 1)))
    gain = np.float32(rng.uniform(0.97, 1.03))
    grain = np.tile(tile, (1, -(-width // _TILE), 1))[:, :width] + streaks
    for top in range(0, len(page), _TILE):
        rows = out[top : top + _TILE]
        rows[:] = np.clip(rows * gain + grain[: len(rows)], 0, 255)
    if settings.color != "color":
        grey = cv2.cvtColor(out, cv2.COLOR_BGR2GRAY)
        if settings.color == "bilevel":
            grey = np.where(grey > _BLACK_BELOW, np.uint8(255), np.uint8(0))
        out = np.repeat(grey[..., None], 3, axis=2)
    return out if settings.quality is None else compress(out, settings.quality)


def _turned(points_xy: F64, size_wh: tuple[int, int], quarter_turns: int) -> F64:
    """Pixels of a picture → the same points after `quarter_turns` to the left."""
    (x, y), (w, h) = np.moveaxis(points_xy, -1, 0), size_wh
    options = ((x, y), (y, w - 1 - x), (w - 1 - x, h - 1 - y), (h - 1 - y, x))
    return np.stack(options[quarter_turns % 4], -1)
