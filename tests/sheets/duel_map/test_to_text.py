"""The board in a terminal."""

from __future__ import annotations

import re
from dataclasses import replace

from kdscan.i18n import words
from kdscan.rules.duel.board import CELLS
from kdscan.rules.problem import Problem
from kdscan.sheets.duel_map.show import board_text, explain_score, to_text
from kdscan.sheets.terminal import Style
from tests.readings import make_sheet

PLAIN = Style(unicode=False, color=False)
SMALL = """
d+ d  .  .  .  .  .
l  d  .  .  .  .  .
.  .  .  ## .  .  .
.  .  .  .  .  c  f++++
.  .  .  .  .  c+ c
"""


def test_board_in_unicode() -> None:
    rows = board_text(make_sheet(SMALL, [(0, 1)]), Style()).splitlines()
    assert [rows[0].index(name) for name in "ABCDEFG"] == [*range(7, 77, 10)]
    assert rows[1].startswith("  ┌───────────────────┬─────────┬")
    assert rows[2].startswith("1 │ ●  ×      ●      ?│ ·       │")
    assert rows[3].startswith("  ├─────────┐         ├─────────┼")
    assert rows[4].startswith("2 │ ──      │ ●       │")
    assert "│ ██ ×××× │" in rows[8]
    assert rows[9].endswith("┤         └─────────┤")
    assert rows[-1].endswith("┴───────────────────┘")
    assert "♜ used" in rows[6]


def test_board_in_ascii_can_be_typed() -> None:
    text = board_text(make_sheet(SMALL), PLAIN)
    assert text.isascii()
    assert "| d+        d       |" in text
    assert "| f++++   |" in text


def test_the_sum_is_explained() -> None:
    text = explain_score(make_sheet(SMALL), PLAIN)
    rows = [line.split() for line in text.splitlines()]
    assert ["A1", "d", "dot", "3", "x", "1", "=", "3"] in rows
    assert ["F4", "c", "checked", "3", "x", "1", "=", "3"] in rows
    assert rows[1] == ["G4", "f", "filled", "1", "x", "4", "=", "4"]  # the best first
    assert [row[0] for row in rows[1:4]] == ["G4", "A1", "F4"]
    assert not any("line" in row for row in rows), "it scores nothing"
    assert "1 domain without a cross: 0 points" in text
    assert "total 10  (97% sure)" in text


def test_doubts_come_with_what_else_it_may_be() -> None:
    text = to_text(make_sheet(doubtful=[(0, 5)]), PLAIN)
    second = replace(PLAIN, address="2:")
    assert "--set 2:F1=" in to_text(make_sheet(doubtful=[(0, 5)]), second)
    assert "F1  f++ (70%) - or f+++ (30%)" in text
    assert "--set F1=f+++" in text


def test_problems_are_named_with_their_cells() -> None:
    problem = Problem("unconnected", "error", "this domino touches nothing", ((3, 4), (3, 5)))
    text = to_text(make_sheet(problems=(problem,)), PLAIN)
    assert text.endswith("\n error: this domino touches nothing (E4 F4)")
    whole = Problem("unpaired_shields", "error", "an odd number of shields", CELLS)
    text = to_text(make_sheet(problems=(whole,)), PLAIN)
    assert text.endswith("\n error: an odd number of shields")


def test_it_speaks_other_languages_than_english() -> None:
    said = to_text(make_sheet(SMALL, [(0, 1)]), Style(words=words("pl")))
    assert "herb" in said
    assert "1 posiadłość bez krzyżyka: 0 punktów" in said
    assert "Do sprawdzenia:" in said
    assert not re.search(r"shield|domain|total|please|sure|used", said)
