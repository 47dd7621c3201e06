"""Corrections of cells on the command line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdscan.cli.corrections import meaning_of, parse_corrections
from kdscan.errors import UsageError
from kdscan.rules import cell_name
from kdscan.rules.duel.board import CELLS, COATS, Coat
from kdscan.sheets.board import token
from kdscan.sheets.common import field_of as path_of


def meant(text: str, kind: str = "duel_map") -> tuple[str, Any]:
    """What a text means of a sheet of that kind; kingdoms are large ones."""
    (read,) = parse_corrections([text])
    return meaning_of(read, kind, 7)


@pytest.mark.parametrize(
    ("text", "cell", "coat", "crosses"),
    [
        ("C2=f++", (1, 2), Coat.FILLED, 2),
        ("1,2=f+2", (1, 2), Coat.FILLED, 2),
        ("G5=dd+", (4, 6), Coat.DOUBLE_DOT, 1),
        ("4,6=double_dot+", (4, 6), Coat.DOUBLE_DOT, 1),
        ("A1=.", (0, 0), None, 0),
        ("A1=empty", (0, 0), None, 0),
    ],
)
def test_forms(text: str, cell: tuple[int, int], coat: Coat | None, crosses: int) -> None:
    assert meant(text) == (path_of("cell", *cell), {"coat": coat, "crosses": crosses})


def test_photos_and_sheets_count_from_one() -> None:
    (one, two) = parse_corrections(["2:A1=l", "3.2:A1=l"])
    assert (one.photo, one.sheet) == (1, 0)
    assert (two.photo, two.sheet) == (2, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("A1", "write cell="),
        pytest.param(f"A{'1' * 5000}=f", "write cell=", id="no number is that long"),
        *((text, "no shield of a map") for text in ("A1=f+5", "A1=.+", "A1=x", "H1=f", "D3=dd")),
        ("A1=w+++", "Kingdomino"),
        ("H8=w", "A1 to G7"),
        ("left.dot=6", "no line"),
        ("0:A1=f", "from 1"),
    ],
)
def test_slips_are_explained(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        parse_corrections([text])
    assert text in str(caught.value)


@given(st.sampled_from(CELLS), st.sampled_from(COATS), st.integers(0, 4))
def test_what_is_printed_can_be_typed(
    cell: tuple[int, int], coat: Coat | None, crosses: int
) -> None:
    held = crosses if coat else 0
    field, value = meant(f"{cell_name(cell)}={token(coat, held)}")
    assert (field, value) == (path_of("cell", *cell), {"coat": coat, "crosses": held})


@pytest.mark.parametrize(
    ("text", "field", "terrain", "crowns"),
    [
        ("C2=l+", "cell:1,2", "lake", 1),
        ("G7=m+++", "cell:6,6", "mine", 3),
        ("A1=wheat", "cell:0,0", "wheat", 0),
        ("C3=##", "cell:2,2", "castle", 0),
        ("C3=.", "cell:2,2", "empty", 0),
    ],
)
def test_squares_of_kingdoms(text: str, field: str, terrain: str, crowns: int) -> None:
    assert meant(text, "kingdom") == (field, {"terrain": terrain, "crowns": crowns})


def line(filled: int, struck: bool = False, used: bool = False) -> dict[str, Any]:
    return {"filled": filled, "struck": struck, "used": used}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("left.dot=3", ("line:0,dot", line(3))),
        ("Right.ll=0x", ("line:1,double_line", line(0, struck=True))),
        ("left.f=2xu", ("line:0,filled", line(2, struck=True, used=True))),
        ("right=line", ("choice:1", "line")),
        ("left=.", ("choice:0", None)),
    ],
)
def test_lines_and_choices_of_a_spellbook(text: str, expected: tuple[str, Any]) -> None:
    (read,) = parse_corrections([f"1.3:{text}"])
    assert (read.photo, read.sheet) == (0, 2)
    assert meaning_of(read, "duel_spellbook") == expected
