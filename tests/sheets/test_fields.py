"""Fields of corrections and the places that they name."""

from __future__ import annotations

import pytest

from kdscan.rules.duel.coats import Coat
from kdscan.sheets.common import (
    CellField,
    ChoiceField,
    LineField,
    PlaceField,
    cell_values,
    parse_field,
)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (CellField((0, 6)), "cell:0,6"),
        (LineField(1, Coat.DOUBLE_DOT), "line:1,double_dot"),
        (ChoiceField(0), "choice:0"),
    ],
)
def test_a_place_is_its_field_and_back(place: PlaceField, text: str) -> None:
    assert str(place) == text and parse_field(text) == place


@pytest.mark.parametrize("text", ["castle", "confirmed", "value:a/b/0", "variants", ""])
def test_other_fields_speak_of_no_place(text: str) -> None:
    assert parse_field(text) is None


@pytest.mark.parametrize(
    "text", ["cell:1", "cell:a,b", "cell:1,2,3", "line:0", "line:0,moon", "choice:"]
)
def test_a_wrong_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_field(text)


def test_of_all_fields_those_of_cells_are_taken() -> None:
    said = {"cell:0,6": "a", "castle": True, "line:1,dot": 2, "variants": {}, "cell:4,0": None}
    assert cell_values(said) == {(0, 6): "a", (4, 0): None}
