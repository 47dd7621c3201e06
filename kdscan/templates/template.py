"""A template: the blank design that all sheets of one pad share, and its name.

The template's frame is that of a flattened sheet: the centre of cell (r, c) lies at pixel
((c + .5 + TEMPLATE_MARGIN) * TEMPLATE_PX - .5, (r + .5 + TEMPLATE_MARGIN) * TEMPLATE_PX - .5).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import LayoutError
from kdscan.files import normalize_name
from kdscan.imaging.arrays import cielab
from kdscan.imaging.picture import CENTERS, FLAT_MARGIN, Bgr, FrozenArrays, Plane, lattice_to_flat
from kdscan.paper.layout import Castle, LineStyle, Point, Polygon, layouts
from kdscan.rules.duel.board import COLS, ROWS
from kdscan.templates.features import normalize_contrast
from kdscan.templates.ink_reader import PrintedCells

TEMPLATE_PX = 128
"""Pixels per cell of a template's picture, equal to those of a rectified sheet."""

TEMPLATE_MARGIN = 0.375
"""Cells of margin around the grid, because a sheet's grid may be detected a quarter of a cell
off."""

TEMPLATE_WH = (
    round((COLS + 2 * TEMPLATE_MARGIN) * TEMPLATE_PX),
    round((ROWS + 2 * TEMPLATE_MARGIN) * TEMPLATE_PX),
)
"""Width and height of a template's picture in pixels."""

COVERAGE_STEP = 8
"""Pixels of the picture per pixel of `Template.coverage`."""

OWN_CENTERS = lattice_to_flat(CENTERS, TEMPLATE_PX, TEMPLATE_MARGIN)
"""(5, 7, 2): where a template's cells lie in its picture."""

_RIM = round((TEMPLATE_MARGIN - FLAT_MARGIN) * TEMPLATE_PX)
SHEET = np.s_[_RIM:-_RIM, _RIM:-_RIM]
"""The part of a template's picture that `RectifiedSheet.bgr` shows."""

ALIGN_PX = 64
"""Pixels per cell of the view in which templates are aligned."""

THUMB_PX = 8
"""Pixels per cell of the thumbnail from which signatures are computed."""

CHANNEL_WEIGHTS = np.array([0.5, 0.25, 0.25], np.float32)
"""Weights of a signature's L, a and b. Among 48 templates, 32 of them mirrored, the right one is
among the first three for 98.7% of 158 photos; with equal weights for 97.5%."""

SIGNATURE = 1
"""Version of `signature_of`; increase it if signatures change, so that those in files are
recomputed."""

SIGNATURE_SHAPE = (3, TEMPLATE_WH[0] * TEMPLATE_WH[1] * THUMB_PX**2 // TEMPLATE_PX**2)
"""Channels and pixels of a signature."""

SUFFIX = ".kdprint"
"""Suffix of a template's file."""

LONGEST_NAME = 60
"""Most characters of a name, which is also a file's name and limited to 255 bytes there."""

_WINDOWS = frozenset(
    ("CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in "123456789¹²³"))
)
"""Names of devices, with any suffix. A template that bears one could not be shared."""

MIN_CERTAINTY = 0.5
"""Least certainty of a shield or circle that is relied upon."""

_PUNCTUATION = " -_.,'()&+!"


@dataclass(frozen=True)
class CellGeometry:
    """What is printed in each cell; in cells from its centre, x right, y down.

    shield: closed polygon; () if none was found. circles: centres. radius: of the circles.
    certainty: of each circle, 0..1; () in files of before it was measured. shield_certainty: 0..1.
    """

    shield: Polygon
    circles: tuple[Point, ...]
    radius: float
    certainty: tuple[float, ...] = ()
    shield_certainty: float = 1.0

    @property
    def is_certain(self) -> bool:
        """Whether shield and circles were found, and surely are ones."""
        certain = min(self.shield_certainty, *self.certainty, 1.0) >= MIN_CERTAINTY
        return bool(self.shield and self.circles) and certain


@dataclass(frozen=True, eq=False)
class Template(FrozenArrays):
    """The rectified print of a pad; its cells lie exactly on the lattice.

    name: what people call the pad; `layout` in the JSON.
    bgr: (736, 992, 3) uint8.
    coverage: (92, 124) float32, 0..1: how well each part of the print is known.
    cell, castle: geometry of shields, circles and castle, in cells from the cell's centre.
    lines: how the lines between cells are printed. aspect: height of a cell over its width.
    residual: median distance of cells from the fitted lattice, in cells.
    sheets: number of sheets it was learned from. by_itself: learned automatically.
    """

    name: str
    bgr: Bgr
    coverage: Plane
    cell: CellGeometry
    castle: Castle
    lines: LineStyle
    aspect: float
    residual: float
    sheets: int
    by_itself: bool = False

    def __repr__(self) -> str:
        return f"<template {self.name}: {self.sheets} sheets>"

    @cached_property
    def normalized(self) -> dict[int, Bgr]:
        """The picture with local contrast normalized out, by pixels per cell; see
        `normalize_contrast`."""
        return {px: normalize_contrast(self._resized(px), px) for px in (ALIGN_PX // 2, ALIGN_PX)}

    @cached_property
    def printed_cells(self) -> PrintedCells:
        """What the ink reader knows of the print."""
        grey = np.asarray(cv2.cvtColor(self.bgr[SHEET], cv2.COLOR_BGR2GRAY), np.uint8)
        return PrintedCells.of(grey, self.cell.shield, self.cell.circles, self.cell.radius)

    @cached_property
    def signature(self) -> Plane:
        """(3, 2852) float32: the thumbnail's three normalised channels, each with zero mean and its
        weight as length."""
        return signature_of(self.thumbnail)

    @property
    def thumbnail(self) -> Bgr:
        """(46, 62, 3) uint8 BGR: the picture with `THUMB_PX` pixels per cell."""
        return self._resized(THUMB_PX)

    def _resized(self, px: int) -> Bgr:
        scale = px / TEMPLATE_PX
        small = cv2.resize(self.bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)


def empty_template(name: str, bgr: Bgr | None = None) -> Template:
    """A template of which nothing is known but perhaps its picture, see `Template.bgr`."""
    w, h = TEMPLATE_WH
    return Template(
        name=name,
        bgr=np.zeros((h, w, 3), np.uint8) if bgr is None else bgr,
        coverage=np.ones((h // COVERAGE_STEP, w // COVERAGE_STEP), np.float32),
        cell=CellGeometry((), (), 0.0),
        castle=Castle((), ()),
        lines="none",
        aspect=1.0,
        residual=0.0,
        sheets=1,
    )


def signature_of(thumbnail: NDArray[np.uint8]) -> NDArray[np.float32]:
    """`Template.signature` of a template's thumbnail, (46, 62, 3) uint8 BGR."""
    channels = normalize_colors(thumbnail).reshape(3, -1)
    channels = channels - channels.mean(1, keepdims=True)
    length = np.linalg.norm(channels, axis=1, keepdims=True) + 1e-3
    return np.asarray(channels / length * CHANNEL_WEIGHTS[:, None], np.float32)


def normalize_colors(thumbnail: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(3, H, W) float32: CIELAB of a thumbnail, (H, W, 3) BGR, normalised for illumination: local
    contrast of L within half a cell; a and b minus what changes over more than two cells."""
    light, *colours = cv2.split(cielab(thumbnail))
    away = light - cv2.GaussianBlur(light, (0, 0), 0.5 * THUMB_PX)
    contrast = away / (np.sqrt(cv2.GaussianBlur(away * away, (0, 0), THUMB_PX)) + 1.5)
    tints = [c - cv2.GaussianBlur(c, (0, 0), 2.0 * THUMB_PX) for c in colours]
    return np.asarray(np.stack([contrast, *tints]), np.float32)


def checked_name(name: str) -> str:
    """A template's name in its canonical spelling; raises LayoutError for an invalid one."""
    name = normalize_name(name)
    if not 1 <= len(name) <= LONGEST_NAME or not name[0].isalnum() or name[-1] == ".":
        raise LayoutError(
            "a template's name has 1 to {most} characters, starts with a letter or a digit and "
            "ends without a full stop; {name!r} does not",
            most=LONGEST_NAME,
            name=name,
        )
    for letter in name:
        is_accent = unicodedata.category(letter).startswith("M")
        if not (letter.isalnum() or letter in _PUNCTUATION or is_accent):
            raise LayoutError(
                "a template's name cannot contain {letter!r}; use letters, digits, spaces, - and _",
                letter=letter,
            )
    if name.casefold() in {UNKNOWN_LAYOUT, *(built_in.casefold() for built_in in layouts())}:
        raise LayoutError("{name!r} is reserved by kdscan; choose another name", name=name)
    if name.split(".")[0].strip().upper() in _WINDOWS:
        raise LayoutError(
            "{name!r} cannot be a file's name on Windows; choose another name", name=name
        )
    return name


def same_name(name: str, other: str) -> bool:
    """Whether two names mean one template; case is ignored, as on many file systems."""
    return folded(name) == folded(other)


def folded(name: str) -> str:
    """A name in the form in which templates are looked up."""
    return normalize_name(name).casefold()


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


def named(templates: Sequence[N], name: str) -> N:
    """The template of a name, ignoring case; raises LayoutError if there is none."""
    for template in templates:
        if same_name(template.name, name):
            return template
    if not templates:
        raise LayoutError("no template is known yet; see: kdscan template learn --help")
    raise LayoutError(
        "no template is called {name!r}; known: {known}",
        name=name,
        known=", ".join(template.name for template in templates),
    )
