from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kdscan.errors import LayoutError
from kdscan.paper.layout import (
    Compass,
    Layout,
    Markers,
    Note,
    Title,
    check_layout,
    layout_to_toml,
    layouts,
    load_layout,
    page_from_toml,
)
from lab.synth.sheets.designs import random_layout

LAYOUT = load_layout("kdscan-a5")
TEXT = layout_to_toml(LAYOUT)


def test_built_in_layouts_load() -> None:
    assert "kdscan-a5" in layouts()
    for name in layouts():
        layout = load_layout(name)
        check_layout(layout)
        assert layout.name == name
        assert layout.code is not None and layout.markers is not None


def test_layouts_learned_by_older_versions_load(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('cell_png = "iVBORw0KGgo="\n' + TEXT, encoding="utf-8")
    assert load_layout(path) == LAYOUT


def test_round_trip_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert load_layout(path) == LAYOUT
    assert load_layout(str(path)) == LAYOUT


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.text(st.characters(codec="utf-8")), st.booleans())
def test_any_layout_round_trips(seed: int, text: str, coordinates: bool) -> None:
    layout = replace(
        random_layout(np.random.default_rng(seed)),
        title=Title(text, (10.0, 5.0), 3.0),
        notes=(Note(text, (1.0, 2.0), "right"),),
        markers=LAYOUT.markers,
        coordinates=coordinates,
    )
    assert page_from_toml(Layout, layout_to_toml(layout), "here") == layout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "kdscan-a5"', "", r"missing required field `name`"),
        ("coordinates =", "coordinate =", r"unknown field `coordinate`"),
        ('lines = "ruled"', 'lines = "wavy"', r"Invalid enum value 'wavy' - at `\$.lines`"),
        ("page_mm = [210.0, 148.0]", "page_mm = 210", r"`array`, got `int` - at `\$.page_mm`"),
        ("page_mm = [210.0,", f"page_mm = [1{'0' * 5000},", r"not a TOML file"),
        ("[castle]", "[castle", r"not a TOML file"),
        ("cell_mm = [24.0", "cell_mm = [34.0", r"reaches beyond the page"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    path = tmp_path / "broken.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LayoutError, match=message) as caught:
        load_layout(path)
    assert str(caught.value).startswith(f"{path}: ")


def _markers(**changes: Any) -> dict[str, Markers]:
    assert LAYOUT.markers is not None
    return {"markers": replace(LAYOUT.markers, **changes)}


def _places(**changes: Any) -> dict[str, Markers]:
    assert LAYOUT.markers is not None
    first, *others = LAYOUT.markers.places
    return _markers(places=(replace(first, **changes), *others))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": " "}, r"`name` is empty"),
        ({"page_mm": (180.0, 148.0)}, r"`grid` reaches beyond the page"),
        ({"page_mm": (210.0, 0.0)}, r">= 0.01 - at `\$.page_mm\[1\]`"),
        ({"circles": ()}, r"length >= 1 - at `\$.circles`"),
        ({"circles": ((0.0, 0.0), (3.4, 0.0))}, r"`circles\[0\]` and `circles\[1\]` overlap"),
        ({"castle": replace(LAYOUT.castle, keep=(((0.0, 0.0),),))}, r"at `\$.castle.keep\[0\]`"),
        ({"title": Title("王国", (105.0, 11.0), 3.0)}, r"`王国` holds '王'"),
        ({"title": Title("Map", (105.0, 30.0), 3.0)}, r"`grid` and `title` overlap"),
        ({"title": Title("Map", (0.5, 11.0), 3.0)}, r"`title` reaches beyond the page"),
        ({"compass": Compass((105.0, 77.0), 4.0)}, r"`grid` and `compass` overlap"),
        ({"notes": (Note("x", (105.0, 149.0)),)}, r"`notes\[0\]` reaches beyond the page"),
        (_markers(size_mm=0.0), r"at `\$.markers.size_mm`"),
        (_places(id=50), r"marker 50 is not in DICT_4X4_50"),
        (_places(id=3), r"needs a unique id"),
        (_places(center_mm=(30.0, 30.0)), r"`grid` and `markers.places\[0\]` overlap"),
    ],
)
def test_layouts_that_cannot_work_are_refused(changes: dict[str, Any], message: str) -> None:
    check_layout(LAYOUT)
    with pytest.raises(LayoutError, match=message):
        check_layout(replace(LAYOUT, **changes))


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(LayoutError, match=r"nowhere: there is no layout .* built in: .*kdscan-a5"):
        load_layout("nowhere")


def test_files_that_hold_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "photo.toml"
    path.write_bytes(b"\xff\xd8\xff")
    with pytest.raises(LayoutError, match="save it again as UTF-8"):
        load_layout(path)
    with pytest.raises(LayoutError, match="this is a folder"):
        load_layout(tmp_path)
