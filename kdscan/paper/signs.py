"""The machine-readable parts of the sheets that kdscan prints: markers and codes, and their places.

They are part of each layout. `signs.json`, beside the layouts, has those of all layouts, so that
reading a photo neither parses a layout nor loads code that draws one. After changing a layout,
regenerate it:

    python -m kdscan.paper.signs
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.paper.parts import Layout

Point = tuple[float, float]

_FILE = Path(__file__).parent / "layouts" / "signs.json"


@dataclass(frozen=True)
class Marker:
    """One ArUco marker: its number in the dictionary and its centre on the page."""

    id: int
    center_mm: Point


@dataclass(frozen=True)
class Markers:
    """Four markers around the grid, upright on an upright sheet.

    dictionary: OpenCV's name for the family, such as ``DICT_4X4_50``.
    size_mm: side of the black square.
    places: top left, top right, bottom right, bottom left.
    """

    dictionary: str
    size_mm: float
    places: tuple[Marker, Marker, Marker, Marker]


@dataclass(frozen=True)
class Code:
    """The place of a sheet's own code, if it has one; anything else there is not printed.

    size_mm: side of the code without its white border.
    caption_mm: end of the baseline of its text in small print; None for no text.
    """

    center_mm: Point
    size_mm: float
    caption_mm: Point | None = None


@dataclass(frozen=True)
class Signs:
    """A layout's signs; its fields are those of `kdscan.paper.parts.Layout`.

    codes: the layout's code, and the second one if it has two, without their captions.
    """

    name: str
    page_mm: tuple[float, float]
    grid_mm: Point
    cell_mm: tuple[float, float]
    markers: Markers
    codes: tuple[Code, ...]


def signs_of(layout: Layout) -> Signs:
    """The signs of a layout; all built-in ones have markers."""
    assert layout.markers is not None
    codes = (layout.code, layout.second_code)
    bare = tuple(replace(code, caption_mm=None) for code in codes if code is not None)
    return Signs(layout.name, layout.page_mm, layout.grid_mm, layout.cell_mm, layout.markers, bare)


def is_read(layout: Layout) -> bool:
    """Whether codes on sheets of a layout are read: its signs lie as those of a built-in one do."""
    if layout.markers is None:
        return False
    own = signs_of(layout)
    return any(
        replace(own, name=one.name, codes=one.codes) == one and set(own.codes) & set(one.codes)
        for one in signs()
    )


@cache
def signs() -> tuple[Signs, ...]:
    """The signs of each built-in layout, in the order of their names."""
    return tuple(_signs(kept) for kept in json.loads(_FILE.read_text("utf-8")))


def _signs(kept: dict[str, Any]) -> Signs:
    found = kept["markers"]
    a, b, c, d = (Marker(one["id"], _point(one["center_mm"])) for one in found["places"])
    markers = Markers(found["dictionary"], found["size_mm"], (a, b, c, d))
    codes = tuple(Code(_point(one["center_mm"]), one["size_mm"]) for one in kept["codes"])
    page, grid, cell = (_point(kept[name]) for name in ("page_mm", "grid_mm", "cell_mm"))
    return Signs(kept["name"], page, grid, cell, markers, codes)


def _point(kept: list[float]) -> Point:
    x, y = kept
    return x, y


def main() -> None:
    """Regenerate the file."""
    from kdscan.paper.layout import layouts, load_layout

    kept = [asdict(signs_of(load_layout(name))) for name in layouts()]
    _FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
