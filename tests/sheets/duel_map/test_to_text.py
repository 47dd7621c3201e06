"""The board in a terminal."""

from __future__ import annotations

from dataclasses import replace

from kdscan.sheets.board import Style
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
