"""The signs that machines look for are those printed on our sheets."""

from __future__ import annotations

from kdscan.paper.layout import layouts, load_layout
from kdscan.paper.signs import signs, signs_of


def test_the_signs_that_are_kept_are_those_of_the_layouts() -> None:
    assert signs() == tuple(signs_of(load_layout(name)) for name in layouts())
    assert all(one.codes for one in signs())
