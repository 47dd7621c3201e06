"""Cells that a person puts right on the command line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdscan.cli.book_corrections import BookCorrection
from kdscan.cli.corrections import Correction, parse_corrections
from kdscan.errors import UsageError
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.game.grid import cell_name
from kdscan.kinds.common.terminal import token
from kdscan.records import CELLS, COATS


def of_cell(text: str) -> Correction:
    (read,) = parse_corrections([text])
    assert isinstance(read, Correction)
    return read


@pytest.mark.parametrize(
    ("text", "cell", "coat", "crosses"),
    [
        ("C2=f++", (1, 2), Coat.FILLED, 2),
        ("c2=f++", (1, 2), Coat.FILLED, 2),
        ("1,2=f+2", (1, 2), Coat.FILLED, 2),
        ("A1=d", (0, 0), Coat.DOT, 0),
        ("G5=dd+", (4, 6), Coat.DOUBLE_DOT, 1),
        ("4,6=double_dot+", (4, 6), Coat.DOUBLE_DOT, 1),
        ("E3=ll++++", (2, 4), Coat.DOUBLE_LINE, 4),
        ("A1=.", (0, 0), None, 0),
        ("A1=empty", (0, 0), None, 0),
    ],
)
def test_forms(text: str, cell: tuple[int, int], coat: Coat | None, crosses: int) -> None:
    assert parse_corrections([text]) == (Correction(text, None, 0, cell, coat, crosses),)


def test_photos_and_sheets_count_from_one() -> None:
    (one, two) = parse_corrections(["2:A1=l", "3.2:A1=l"])
    assert (one.photo, one.sheet) == (1, 0)
    assert (two.photo, two.sheet) == (2, 1)


def test_several_in_one_text() -> None:
    several = parse_corrections(["A1=l B1=.", "0,2=c"])
    cells = [c.cell for c in several if isinstance(c, Correction)]
    assert cells == [(0, 0), (0, 1), (0, 2)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("A1", "write cell="),
        ("A1=", "write cell="),
        ("A1=f+++++++", "4 crosses"),
        ("A1=f+5", "4 crosses"),
        ("A1=.+", "empty shield"),
        ("A1=x", "no coat"),
        ("H1=f", "A1 to G5"),
        ("A6=dd", "A1 to G5"),
        ("A0=f", "A1 to G5"),
        ("5,0=dd", "A1 to G5"),
        ("D3=dd", "castle"),
        ("2,3=dd", "castle"),
        ("0:A1=f", "from 1"),
        ("1.0:A1=f", "from 1"),
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
    read = of_cell(f"{cell_name(cell)}={token(coat, held)}")
    assert (read.cell, read.coat, read.crosses) == (cell, coat, held)


@pytest.mark.parametrize(
    ("text", "cell", "square"),
    [
        ("C2=l+", (1, 2), ("lake", 1)),
        ("D3=f", (2, 3), ("forest", 0)),
        ("G7=m+++", (6, 6), ("mine", 3)),
        ("A1=wheat", (0, 0), ("wheat", 0)),
        ("C3=##", (2, 2), ("castle", 0)),
        ("C3=.", (2, 2), ("empty", 0)),
    ],
)
def test_squares_of_kingdoms(text: str, cell: tuple[int, int], square: tuple[str, int]) -> None:
    read = of_cell(text)
    assert (read.cell, read.square) == (cell, square)


@pytest.mark.parametrize("text", ["D3=f", "A6=s", "B1=w", "B1=w++", "B1=##"])
def test_what_only_a_kingdom_holds_is_refused_of_a_map(text: str) -> None:
    read = of_cell(text)
    assert read.refused
    assert text in str(read.refused)


@pytest.mark.parametrize("text", ["A1=c", "A1=l++", "A1=f++++"])
def test_what_no_kingdom_holds_is_no_square(text: str) -> None:
    assert of_cell(text).square is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("left.dot=3", BookCorrection("", None, 0, 0, Coat.DOT, SpellbookLine(3))),
        ("Right.ll=0x", BookCorrection("", None, 0, 1, Coat.DOUBLE_LINE, SpellbookLine(0, True))),
        ("1.3:left.f=2xu", BookCorrection("", 0, 2, 0, Coat.FILLED, SpellbookLine(2, True, True))),
        ("2:right=line", BookCorrection("", 1, 0, 1, Coat.LINE, None)),
        ("left=.", BookCorrection("", None, 0, 0, None, None)),
    ],
)
def test_lines_and_choices_of_a_spellbook(text: str, expected: BookCorrection) -> None:
    assert parse_corrections([text]) == (replace(expected, text=text),)


@pytest.mark.parametrize(
    ("text", "why"),
    [("left.dot=9", "squares"), ("left.q=1", "no coat is called q"), ("right=zz", "no coat")],
)
def test_what_no_spellbook_holds_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_corrections([text])
