"""Maps and spellbook of one table: what each implies for the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.document import to_dict
from kdscan.rules.duel.board import Board, Coat
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.sheets.base import AnyReading, correct, deserialize, serialize
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.table import apply_spellbook
from tests.readings import make_book as a_book
from tests.readings import make_sheet, paid_game, with_evidence

RISK = 0.02
PAGE = np.array([(0.0, 0), (200, 0), (200, 140), (0, 140)])


GAME = paid_game(0)


def a_map(board: Board, confidence: float = 0.999) -> MapReading:
    return make_sheet(str(board), confidence=confidence)


def shared(*found: AnyReading) -> list[AnyReading]:
    return list(apply_spellbook(found, RISK))


def codes(found: AnyReading) -> set[str]:
    return {problem.code for problem in found.problems}


@pytest.mark.parametrize("owner", [0, 1])
def test_the_wizard_pays_the_map_of_its_owner_wherever_it_lies(owner: int) -> None:
    game = paid_game(owner)
    first, second = (a_map(board) for board in game.maps)
    scores = game.scores()
    for maps, expected in (((first, second), scores), ((second, first), scores[::-1])):
        out = shared(*maps, a_book(game.spellbook))
        assert [m.score for m in out[:2]] == list(expected)  # type: ignore[union-attr]
        assert not any(found.review or codes(found) for found in out)


def test_saying_it_twice_changes_nothing() -> None:
    once = shared(*(a_map(board) for board in GAME.maps), a_book(GAME.spellbook))
    twice = shared(*once)
    for one, two in zip(once, twice, strict=True):
        assert one.problems == two.problems
        assert (one.confidence, one.review) == (two.confidence, two.review)


def test_a_corrected_map_is_paid_anew() -> None:
    first, second = (a_map(board) for board in GAME.maps)
    out = shared(first, second, a_book(GAME.spellbook))
    assert out[0].score.wizard > 0  # type: ignore[union-attr]
    again = shared(a_map(Board({})), *out[1:])
    assert again[0].score.wizard == 0  # type: ignore[union-attr]


def test_maps_that_fit_both_sides_are_paid_with_a_warning() -> None:
    board = GAME.maps[0]
    out = shared(a_map(board), a_map(board), a_book(GAME.spellbook))
    assert all("whose_map" in codes(found) for found in out[:2])
    assert all(found.review and found.confidence < 0.6 for found in out[:2])


def test_squares_that_the_map_does_not_bear_out_are_a_problem_and_stay() -> None:
    book = GAME.spellbook
    coat = max(Coat, key=lambda c: book.lines[1][c].filled)
    more = replace(book.lines[1][coat], filled=book.lines[1][coat].filled + 12)
    changed = Spellbook((book.lines[0], book.lines[1] | {coat: more}), book.chosen_coat)
    out = shared(*(a_map(board) for board in GAME.maps), a_book(changed))
    assert "squares_beyond_map" in codes(out[1])
    assert out[2].book.lines[1][coat] == more  # type: ignore[union-attr]


def test_an_unsure_spellbook_makes_the_totals_unsure() -> None:
    out = unsure(".filled.", 0.7)
    assert all(found.review for found in out[:2])
    assert all("spellbook_unsure" in codes(found) for found in out[:2])


def unsure(kind: str, p: float) -> list[AnyReading]:
    """The table with marks of one kind hard to read."""
    book = a_book(GAME.spellbook)
    marks = tuple(
        mark._replace(confidence=p) if kind in str(mark.place) else mark for mark in book.marks
    )
    return shared(*(a_map(board) for board in GAME.maps), with_evidence(book, marks=marks))


def test_a_total_may_be_what_it_is_without_the_wizard_or_with_another_coat() -> None:
    sure = unsure("nothing", 0.7)[0]
    assert isinstance(sure, MapReading)
    assert sure.total_range == (sure.score.total, sure.score.total)
    assert "wizard_range" not in to_dict(sure)
    paid = unsure(".filled.", 0.7)[0]
    assert isinstance(paid, MapReading) and paid.score.wizard
    assert paid.total_range == (paid.score.domain_points, paid.score.total)
    other = unsure(".choices.", 0.7)[0]
    assert isinstance(other, MapReading)
    counts = [sum(d.coat is coat for d in other.score.domains) for coat in Coat]
    assert other.wizard_range == (0, 3 * max(counts))
    told = to_dict(other)
    assert told["range"] == list(other.total_range)
    assert told["wizard_range"] == list(other.wizard_range)
    total = sum(p for _, p in other.evidence.wizard.coats)
    assert abs(total - 1) < 1e-9


def test_a_spellbook_with_one_map_or_another_spellbook_is_not_compared() -> None:
    book = a_book(GAME.spellbook)
    for found in (
        shared(a_map(GAME.maps[0]), book),
        shared(*(a_map(board) for board in GAME.maps), book, book),
    ):
        assert "spellbook_alone" in codes(found[-1])
        assert found[0].score.wizard == 0  # type: ignore[union-attr]
    (alone,) = shared(book)
    assert codes(alone) == set()


def test_a_paid_map_stays_paid_when_it_is_kept_or_corrected() -> None:
    paid = shared(*(a_map(board) for board in GAME.maps), a_book(GAME.spellbook))[0]
    assert isinstance(paid, MapReading) and paid.score.wizard
    kept = deserialize(serialize(paid))
    assert isinstance(kept, MapReading)
    assert kept.score == paid.score
    shield = next(iter(dict(GAME.maps[0].items())))
    marks = GAME.maps[0].get(shield)
    assert marks is not None
    again = correct(kept, {shield: (marks.coat, marks.crosses)})
    assert again.score == paid.score
