"""The machine-readable parts of the sheets that kdscan prints: markers and codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from kdscan.paper.layout import layouts, load_layout
from kdscan.paper.parts import Code, Layout, Markers, Point


@dataclass(frozen=True)
class Fiducials:
    """A layout's fiducials; its fields are those of `kdscan.paper.parts.Layout`.

    codes: the layout's code, and the second one if it has two, without their captions.
    """

    name: str
    page_mm: Point
    grid_mm: Point
    cell_mm: Point
    markers: Markers
    codes: tuple[Code, ...]


def fiducials_of(layout: Layout) -> Fiducials:
    """The fiducials of a layout; all built-in ones have markers."""
    assert layout.markers is not None
    codes = (layout.code, layout.second_code)
    bare = tuple(replace(code, caption_mm=None) for code in codes if code is not None)
    return Fiducials(
        layout.name, layout.page_mm, layout.grid_mm, layout.cell_mm, layout.markers, bare
    )


def is_read(layout: Layout) -> bool:
    """Whether codes on sheets of a layout are read: its fiducials lie as a built-in one's do."""
    if layout.markers is None:
        return False
    own = fiducials_of(layout)
    return any(
        replace(own, name=known.name, codes=known.codes) == known
        and set(own.codes) & set(known.codes)
        for known in fiducials()
    )


@cache
def fiducials() -> tuple[Fiducials, ...]:
    """The fiducials of each built-in layout, in the order of their names."""
    return tuple(fiducials_of(load_layout(name)) for name in layouts())
