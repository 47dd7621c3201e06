"""The board in a terminal."""

from __future__ import annotations

from dataclasses import replace

from kdscan.document import to_dict
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.board import Style
from kdscan.sheets.duel_map.interpret import interpret
from kdscan.sheets.duel_map.show import to_text
from tests.readings import make_sheet

PLAIN = Style(unicode=False, color=False)
SMALL = """
d+ d  .  .  .  .  .
l  d  .  .  .  .  .
.  .  .  ## .  .  .
.  .  .  .  .  c  f++++
.  .  .  .  .  c+ c
"""


def test_board_in_ascii_can_be_typed() -> None:
    text = to_text(make_sheet(SMALL), PLAIN)
    assert text.isascii()
    assert "| d+        d       |" in text
    assert "| f++++   |" in text


def test_doubts_come_with_what_else_it_may_be() -> None:
    text = to_text(make_sheet(doubtful=[(0, 5)]), PLAIN)
    second = replace(PLAIN, address="2:")
    assert "--set 2:F1=" in to_text(make_sheet(doubtful=[(0, 5)]), second)
    assert "F1  f++ (70%) - or f+++ (30%)" in text
    assert "--set F1=f+++" in text


def test_an_empty_sheet_of_an_unknown_pad_can_teach_it() -> None:
    row = ". " * 7 + "\n"
    own = make_sheet(2 * row + ". . . ## . . .\n" + 2 * row, doubtful=CELLS)
    text = to_text(own, PLAIN)
    assert text.startswith(" This sheet looks empty") and "total" not in text
    assert to_dict(own)["retake"] == ["empty"]
    unknown = to_text(interpret(replace(own.evidence, layout="unknown")), PLAIN)
    assert "kdscan template learn" in unknown and "kdscan template learn" not in text
