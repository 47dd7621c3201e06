"""The evidence of a sheet survives all operations, in any order."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from kdscan.rules import Problem
from kdscan.rules.duel.board import Coat
from kdscan.sheets.base import correct, deserialize, serialize
from kdscan.sheets.duel_map.interpret import interpret
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading, WizardEvidence
from kdscan.sheets.kingdom.model import KingdomReading
from kdscan.sheets.table import fuse_sheets
from tests.readings import make_kingdom, make_sheet

WIZARD = WizardEvidence(
    Coat.DOT, 0.9, ((Coat.DOT, 0.9), (None, 0.1)), True, (Problem("whose_map", "warning", "why"),)
)

SEEN: dict[str, Callable[[MapEvidence], MapEvidence]] = {
    "clipped": lambda one: replace(one, clipped=((0, 0), (0, 1))),
    "mirrored": lambda one: replace(one, mirrored=True),
    "bilevel": lambda one: replace(one, bilevel=True),
    "beside": lambda one: replace(one, beside=("left",)),
    "covered": lambda one: replace(one, covered={(0, 0): 0.9999}),
    "wizard": lambda one: replace(one, wizard=WIZARD),
    "corrected": lambda one: replace(one, corrections=MapCorrections({(4, 4): (Coat.LINE, 1)})),
    "castle": lambda one: replace(one, corrections=MapCorrections(castle=False)),
}


def keep(sheet: MapReading) -> MapReading:
    again = deserialize(json.loads(json.dumps(serialize(sheet))))
    assert isinstance(again, MapReading)
    return again


def fuse(sheet: MapReading) -> MapReading:
    (fused,) = fuse_sheets({(0, 0): sheet, (1, 0): sheet})
    return fused.sheet


def fix(sheet: MapReading) -> MapReading:
    return correct(sheet, {(2, 2): (Coat.FILLED, 0)})


OPERATIONS = {"keep": keep, "fuse": fuse, "fix": fix}


def said(sheet: MapReading) -> tuple[object, ...]:
    """What people see of it, but for how sure it is, which fusing changes."""
    unsaid = {(2, 2), (0, 0), (0, 1)}  # put right, or clipped, so that nothing is known of it
    cells = [c.content for c in sheet.cells if c.at not in unsaid]
    told = sorted(one.code for one in sheet.problems if "shields" not in one.code)
    return cells, told, sheet.clipped, sheet.evidence.wizard_coat, sheet.castle_used


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("order", list(permutations(OPERATIONS)), ids="-".join)
def test_nothing_seen_is_lost(seen: str, order: tuple[str, ...]) -> None:
    sheet = interpret(SEEN[seen](make_sheet().evidence))
    done = sheet
    for name in order:
        done = OPERATIONS[name](done)
    assert said(done) == said(sheet)
    assert done.review or seen not in ("clipped", "mirrored", "bilevel", "wizard", "covered")


def test_two_clipped_photos_of_one_sheet_are_not_sure_when_fused() -> None:
    sheet = interpret(replace(make_sheet().evidence, clipped=((0, 0),)))
    fused = fuse(sheet)
    assert fused.review and fused.confidence == 0
    assert [one.code for one in fused.problems].count("cut_off") == 1


def test_a_second_correction_adds_to_the_first() -> None:
    first = correct(make_sheet(), {(0, 0): (Coat.LINE, 2)})
    both = correct(first, {(0, 1): (None, 0)})
    held = {c.at: c.content for c in both.cells}
    assert held[0, 0] == (Coat.LINE, 2) and held[0, 1] == (None, 0)
    kingdom = correct(make_kingdom(), {(0, 0): ("lake", 1)})
    kept = deserialize(serialize(kingdom))
    assert isinstance(kept, KingdomReading)
    again = correct(kept, {(0, 1): ("mine", 2)})
    shown = {s.at: s.content for s in again.cells}
    assert shown[0, 0] == ("lake", 1) and shown[0, 1] == ("mine", 2)


def test_a_correction_brings_a_shield_back_that_the_picture_cut_off() -> None:
    sheet = interpret(replace(make_sheet().evidence, clipped=((0, 0),)))
    assert correct(sheet, {(0, 0): (None, 0)}).clipped == ()


def test_what_a_person_confirmed_asks_for_nothing() -> None:
    sheet = make_sheet(doubtful=[(0, 0)], confidence=0.6)
    done = correct(sheet, MapCorrections(confirmed=True))
    assert not done.review and not any(cell.review for cell in done.cells)
    assert done.total_range == (done.score.total, done.score.total)
    assert np.isclose(done.confidence, interpret(sheet.evidence).confidence)
