"""A stored sheet equals the sheet that was read, whichever version stored it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from kdscan.document import PhotoReport, photo_json
from kdscan.imaging.photo import load_photos
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.marks.network import MarkProbs
from kdscan.reader import read_photo
from kdscan.rules import Problem
from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.spellbook import SpellbookLine
from kdscan.rules.kingdomino.kingdom import Variants
from kdscan.sheets.base import AnyReading, correct, deserialize, kind_named, maps_of, serialize
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading, WizardEvidence
from kdscan.sheets.kingdom.interpret import decode_kingdoms
from kdscan.sheets.kingdom.model import KingdomCorrections, KingdomEvidence, KingdomReading
from kdscan.sheets.spellbook.model import SpellbookCorrections, SpellbookEvidence
from tests.readings import make_book, make_kingdom, make_sheet

SEVEN = """
w+  w   f   f   l  l  .
w   w   f+  l+  l  .  .
g   s+  ##  l   .  .  .
g++ s   m+  m   .  .  .
g   w   w   w   w  .  .
.   .   .   .   .  .  .
.   .   .   .   .  .  .
"""

SAMPLES = Path(__file__).parent.parent.parent / "samples"


@pytest.fixture(scope="module")
def sheet() -> MapReading:
    (photo,) = load_photos(SAMPLES / "01.jpg")
    return maps_of(read_photo(photo))[0]


def as_json(sheet: AnyReading) -> object:
    return photo_json(PhotoReport("a", sheets=(sheet,)))


def test_recalled_it_says_the_same_and_corrects_like_the_original(sheet: MapReading) -> None:
    said = {(0, 0): (None, 0), (1, 1): (sheet.cells[3].content[0], 2)}
    kept = deserialize(json.loads(json.dumps(serialize(sheet))))
    assert isinstance(kept, MapReading) and as_json(kept) == as_json(sheet)
    assert as_json(correct(kept, said)) == as_json(correct(sheet, said))


def test_what_was_not_kept_is_refused() -> None:
    with pytest.raises(ValueError, match="not the evidence of a sheet"):
        deserialize({"layout": "kdscan-a5"})


@pytest.mark.parametrize(
    ("field", "value"), [("wizard", 1), ("probs", {"coat": None}), ("probs", {"calibration": 1})]
)
def test_values_of_the_wrong_type_are_refused(sheet: MapReading, field: str, value: object) -> None:
    kept = json.loads(json.dumps(serialize(sheet)))
    kept[field] = kept[field] | value if isinstance(value, dict) else value
    with pytest.raises(ValueError, match="not the evidence of a sheet"):
        deserialize(kept)


def test_numbers_from_which_no_confidence_follows_are_refused(sheet: MapReading) -> None:
    kept = json.loads(json.dumps(serialize(sheet)))
    kept["probs"]["coat"][0] = [float("nan")] * 7
    with pytest.raises(ValueError, match="nan sure"):
        deserialize(kept)


DOUBTED = {"players[0].lines.dot.squares[2]": 0.7, "players[1].choices.line": 0.8}

OTHERS: dict[str, AnyReading] = {
    "kingdom": make_kingdom(doubtful={(0, 0): ("wheat", 0)}, placed=0.99),
    "seven": make_kingdom(SEVEN, variants=Variants(great_duel=True, harmony=True)),
    "book": make_book(play_game(3).spellbook, 0.9998, DOUBTED),
}


EVIDENCE: dict[str, MapEvidence | KingdomEvidence | SpellbookEvidence] = {
    "duel_map": replace(
        make_sheet().evidence,
        sheet_id="CUP/1/2/A",
        clipped=((0, 0),),
        mirrored=True,
        bilevel=True,
        blurred=True,
        beside=("left",),
        covered={(1, 1): 0.5},
        wizard=WizardEvidence(
            Coat.DOT,
            0.9,
            ((Coat.DOT, 0.9), (None, 0.1)),
            True,
            (Problem("x", "warning", "y", ((0, 1),)),),
        ),
        corrections=MapCorrections({(2, 2): (Coat.LINE, 1), (2, 4): (None, 0)}, False, (None,)),
    ),
    "kingdom": replace(
        make_kingdom(variants=Variants(harmony=True)).evidence,
        sheet_id="CUP/1/2/A",
        beyond=2,
        cut=("top",),
        beside=("left",),
        touching=True,
        covered={(1, 1): 3.0},
        corrections=KingdomCorrections({(0, 0): ("wheat", 1)}, True),
    ),
    "duel_spellbook": replace(
        make_book(play_game(3).spellbook).evidence,
        sheet_id="CUP/1/2/",
        table=(1, 2),
        beside=("left",),
        corrections=SpellbookCorrections({(1, Coat.DOT): SpellbookLine(3)}, {0: None}, True),
    ),
}


def assert_same(evidence: object, other: object) -> None:
    """Whether all values of two records are equal, those of arrays to seven digits."""
    assert type(evidence) is type(other)
    for name in (field.name for field in fields(evidence)):  # type: ignore[arg-type]
        value, expected = getattr(evidence, name), getattr(other, name)
        if name == "rectified" or isinstance(value, MarkProbs):
            assert_same(value, expected)
        elif name != "bgr":
            array = isinstance(value, np.ndarray)
            assert np.allclose(value, expected, rtol=1e-6) if array else value == expected, name


@pytest.mark.parametrize("name", EVIDENCE)
def test_every_piece_of_evidence_is_kept(name: str) -> None:
    kind, evidence = kind_named(name), EVIDENCE[name]
    assert kind is not None
    kept = json.loads(json.dumps(serialize(kind.interpret(evidence, DEFAULT_RISK))))
    assert_same(deserialize(kept).evidence, evidence)


@pytest.mark.parametrize("name", EVIDENCE)
def test_evidence_that_version_0_1_stored_is_read(name: str) -> None:
    stored = json.loads(Path(__file__).with_name("stored_by_0_1.json").read_text("utf-8"))
    assert_same(deserialize(stored[name]).evidence, EVIDENCE[name])


@pytest.mark.parametrize("kind", OTHERS)
def test_every_kind_is_kept(kind: str) -> None:
    found = OTHERS[kind]
    kept = json.loads(json.dumps(serialize(found)))
    assert as_json(deserialize(kept)) == as_json(found)
    assert serialize(deserialize(kept)) == serialize(found)
    assert len(json.dumps(kept)) < 15_000


def test_what_lies_beyond_the_limit_is_not_forgotten_by_a_correction() -> None:
    kingdom = OTHERS["kingdom"]
    assert isinstance(kingdom, KingdomReading)
    flat, probs, rules = kingdom.rectified, kingdom.evidence.probs, kingdom.variants
    beyond = deserialize(serialize(decode_kingdoms([KingdomEvidence(flat, probs, rules, 2)])[0]))
    assert isinstance(beyond, KingdomReading)
    after = correct(beyond, {(0, 0): ("wheat", 1)})
    assert "beyond_limit" in {problem.code for problem in after.problems}
