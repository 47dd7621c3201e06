"""A hidden shield cannot be read: it is doubted, and reported as covered."""

from __future__ import annotations

from dataclasses import replace

from kdscan.i18n import words
from kdscan.rules.duel.board import CELLS, Coat
from kdscan.sheets.base import DUEL_MAP, correct
from kdscan.sheets.board import Style
from kdscan.sheets.duel_map.interpret import MIN_PROBABILITY, beliefs, interpret
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading
from kdscan.sheets.duel_map.show import to_text
from kdscan.sheets.table import fuse_evidence
from tests.readings import make_sheet, with_evidence

PLAIN = Style(unicode=False)
SURE = 0.995


def seen(covered: dict[tuple[int, int], float], sure: float = SURE) -> MapReading:
    """A sheet that is read surely but for what lies on it."""
    return interpret(replace(make_sheet(confidence=sure).evidence, covered=covered))


def test_without_anything_on_it_a_sheet_is_as_sure_as_it_was() -> None:
    bare, hardly = seen({}), seen({(1, 2): MIN_PROBABILITY * 0.99})
    assert not bare.review and not bare.problems
    assert (hardly.cells, hardly.alone, hardly.problems) == (bare.cells, bare.alone, ())


def test_a_covered_shield_asks_and_is_said_to_be_covered() -> None:
    sheet = seen({(1, 2): 0.9999})
    assert sheet.review and sheet.confidence < 0.98
    asked = [c.at for c in sheet.cells if c.review]
    assert asked == [(1, 2)]
    (problem,) = sheet.problems
    assert (problem.code, problem.severity, problem.cells) == ("covered", "warning", ((1, 2),))
    assert "C2  dd+, covered (" in to_text(sheet, PLAIN)
    (place,) = DUEL_MAP.places(sheet, words("en"))
    assert place.name == "C2" and place.choices[0][0] == "double dot ×, covered"
    assert sheet.score == seen({}).score, "what was read stands until a person says otherwise"


def read_as_sure_as(p: float) -> MapEvidence:
    """A sheet of which one shield's crosses are as sure as that, and all else is certain."""
    evidence = make_sheet(confidence=SURE).evidence
    index = CELLS.index((1, 2))
    crosses = evidence.probs.crosses.copy()
    crosses[index] = crosses[index] * p + (1 - p) / crosses.shape[1]
    return replace(evidence, probs=replace(evidence.probs, crosses=crosses, placed=1.0))


def test_the_less_sure_a_shield_is_the_less_it_takes() -> None:
    def takes(evidence: MapEvidence) -> int:
        """Percent from which the shield counts as covered."""
        return next(
            p
            for p in range(100)
            if interpret(replace(evidence, covered={(1, 2): p / 100})).problems
        )

    assert takes(read_as_sure_as(0.8)) == 50, "it is asked about anyway: what is likelier is said"
    assert 100 * MIN_PROBABILITY < takes(read_as_sure_as(0.99)) < takes(read_as_sure_as(0.998)) - 10


def test_once_a_person_has_said_what_lies_below_nothing_is_asked() -> None:
    sheet = seen({(1, 2): 0.9999})
    done = correct(sheet, MapCorrections({(1, 2): (Coat.DOUBLE_DOT, 0)}))
    assert not done.review and not done.problems
    confirmed = correct(sheet, MapCorrections(confirmed=True))
    assert not confirmed.review and not any(c.review for c in confirmed.cells)


def test_another_photo_that_shows_it_settles_it() -> None:
    hidden = seen({(1, 2): 0.9999}).evidence
    wrong = hidden.probs.coat.copy()
    wrong[CELLS.index((1, 2))] = (1, 0, 0, 0, 0, 0, 0)  # what was read there was the thing on it
    hidden = replace(hidden, probs=replace(hidden.probs, coat=wrong))
    open_ = seen({}).evidence
    assert beliefs(hidden).coat[CELLS.index((1, 2))].max() < 0.2
    fused = interpret(fuse_evidence([hidden, open_], 0))
    cell = fused.cells[CELLS.index((1, 2))]
    assert (cell.content[0], cell.covered, fused.review) == (Coat.DOUBLE_DOT, False, False)
    both = interpret(fuse_evidence([hidden, hidden], 0))
    assert both.review and both.cells[CELLS.index((1, 2))].covered


def test_what_the_picture_cuts_off_is_that_and_not_covered() -> None:
    sheet = with_evidence(seen({(1, 2): 0.9999}), clipped=((0, 0),))
    assert interpret(sheet.evidence).confidence == 0
