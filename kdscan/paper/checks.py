"""Validation of layouts: the conditions for printing, filling in and reading a sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import msgspec

from kdscan.errors import LayoutError
from kdscan.paper.parts import Corners, Layout, Markers, Page, around, holds, overlap
from kdscan.paper.text import unprintable

_DICTIONARY = re.compile(r"DICT_([4-7])X\1_(50|100|250|1000)")
"""OpenCV's families of markers with 4 to 7 modules (cv2.aruco), and their sizes."""


def check_layout(layout: Layout) -> None:
    """Raise LayoutError, with a message that names the key, for the first thing wrong."""
    try:
        msgspec.convert(msgspec.to_builtins(layout, enc_hook=float), Layout)
    except msgspec.ValidationError as error:
        raise LayoutError("{where}: {error}", where=layout.name, error=error) from error
    for problem in page_problems(layout):
        raise problem


def page_problems(page: Page) -> Iterator[LayoutError]:
    """Everything that is wrong with a page, the most serious first."""
    if not page.name.strip():
        yield LayoutError("`name` is empty.")
    yield from page.problems()
    marked = dict(page.marked())
    boxes = marked | dict(_surroundings(page))
    for key, box in boxes.items():
        if not holds((0, 0, *page.page_mm), box):
            yield LayoutError("`{key}` reaches beyond the page.", key=key)
    for (key, box), (other, rival) in combinations(boxes.items(), 2):
        if (key in marked or "markers" in key + other) and overlap(box, rival):
            yield LayoutError("`{key}` and `{other}` overlap.", key=key, other=other)
    if page.markers is not None:
        yield from _marker_problems(page.markers)
    for text in (page.name, *page.texts()):
        for letter in unprintable(text):
            yield LayoutError(
                "`{key}` holds {letter!r}, which the sheets' font doesn't have.",
                key=text,
                letter=letter,
            )


def _surroundings(page: Page) -> Iterator[tuple[str, Corners]]:
    """Everything around what players mark, with the paper that it occupies; for texts, that of one
    letter."""
    if page.title is not None:
        yield "title", around(page.title.center_mm, page.title.size_mm)
    if page.compass is not None:
        yield "compass", around(page.compass.center_mm, 2 * page.compass.radius_mm)
    if page.ruler is not None:
        x, y = page.ruler.start_mm
        yield "ruler", (x, y - 1, x + page.ruler.length_mm, y + 1)
    for i, blank in enumerate(page.blanks):
        x, y, w, h = blank.box_mm
        yield f"blanks[{i}]", (x, y, x + w, y + h)
    for i, note in enumerate(page.notes):
        yield f"notes[{i}]", around(note.at_mm, 1)
    if page.legend is not None:
        for i, example in enumerate(page.legend.examples):
            yield f"legend.examples[{i}]", around(example.center_mm, page.legend.size_mm)
    for key, code in (("code", page.code), ("second_code", page.second_code)):
        if code is not None:
            yield key, around(code.center_mm, code.size_mm)
    if page.markers is not None:
        for i, marker in enumerate(page.markers.places):
            yield f"markers.places[{i}]", around(marker.center_mm, page.markers.size_mm)


def _marker_problems(markers: Markers) -> Iterator[LayoutError]:
    family = _DICTIONARY.fullmatch(markers.dictionary)
    if family is None:
        yield LayoutError(
            "`markers.dictionary` is {dictionary!r}; it must be one of OpenCV's, such as "
            "DICT_4X4_50.",
            dictionary=markers.dictionary,
        )
        return
    ids = [marker.id for marker in markers.places]
    for i in ids:
        if not 0 <= i < int(family[2]):
            yield LayoutError(
                "marker {i} is not in {dictionary}.", i=i, dictionary=markers.dictionary
            )
    if len(set(ids)) != len(ids):
        yield LayoutError("each of `markers.places` needs a unique id, to tell which way is up.")
