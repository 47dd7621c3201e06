"""From probabilities to a kingdom, with the dominoes as a checksum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kdscan.rules.kingdomino.audit import KingdomAudit, audit_kingdom
from kdscan.rules.kingdomino.players import play_game, random_player
from kdscan.rules.kingdomino.tiles import SQUARE_CLASSES
from kdscan.rules.kingdomino.variants import Variants
from kdscan.sheets.base import correct, deserialize, serialize
from kdscan.sheets.kingdom.interpret import decode_kingdoms, doubts, interpret
from kdscan.sheets.kingdom.model import KingdomCorrections, KingdomEvidence
from tests.readings import KINGDOM, make_kingdom


def played(seed: int) -> str:
    """A lawful kingdom of 5 × 5 as text, rims included."""
    for kingdom in play_game(seed, [random_player] * 2).kingdoms:
        rows, cols = kingdom.shape
        text = [line + " ." * (5 - cols) for line in str(kingdom).splitlines()]
        return "\n".join(text + ["." + " ." * 4] * (5 - rows))
    raise AssertionError


def test_what_is_sure_is_read_as_it_stands() -> None:
    reading = make_kingdom()
    assert str(reading.kingdom).split() == KINGDOM.split()
    assert len(reading.squares) == 25
    assert not any(s.review for s in reading.squares)


@pytest.mark.parametrize("seed", range(8))
def test_lawful_kingdoms_are_sure_and_without_problems(seed: int) -> None:
    reading = make_kingdom(played(seed))
    assert reading.confidence > 0.98
    assert not reading.review
    assert reading.problems == ()


def test_the_dominoes_settle_what_the_pixels_leave_open() -> None:
    """Two mines of one crown cannot be: the box has one."""
    text = "## m+ .  . .\nw  w  .  . .\nw+ .  .  . .\nf  .  .  . .\n. . . . ."
    lawful = "## s  .  . .\n.  m++ . . .\n.  .  .  . .\n.  .  .  . .\n. . . . ."
    reading = make_kingdom(lawful, {(1, 1): ("mine", 1)})
    square = next(s for s in reading.squares if (s.row, s.col) == (1, 1))
    assert (square.terrain, square.crowns) == ("mine", 2)
    assert square.confidence > 0.95, "no domino is a swamp and a mine of one crown"
    turned = make_kingdom(lawful.replace("m++", "m+"), {(1, 1): ("mine", 2)})
    square = next(s for s in turned.squares if (s.row, s.col) == (1, 1))
    assert (square.terrain, square.crowns) == ("mine", 2)
    assert square.seen == ("mine", 1), "what the pixels said stays visible"
    assert audit_kingdom(turned.kingdom).lawful
    assert make_kingdom(text).problems


def test_an_unlawful_kingdom_is_reported_as_it_lies() -> None:
    reading = make_kingdom("## m+ m++ . .\n. . . . .\n. . . . .\n. . . . .\n. . . . .")
    assert str(reading.kingdom).split()[:3] == ["##", "m+", "m++"]
    assert [p.code for p in reading.problems] == ["not_laid_lawfully"]


def test_a_doubt_that_changes_the_total_asks_for_a_look() -> None:
    reading = make_kingdom(doubtful={(0, 1): ("wheat", 1)})
    square = next(s for s in reading.squares if (s.row, s.col) == (0, 1))
    assert reading.review
    assert square.review
    assert reading.confidence < 0.98


def test_each_doubtful_square_is_shown_until_somebody_has_told_it() -> None:
    reading = make_kingdom(doubtful={(0, 1): ("wheat", 1), (4, 4): ("wheat", 1)})
    assert [(s.row, s.col) for s in reading.squares if s.review] == [(0, 1), (4, 4)]
    told = correct(reading, {(0, 1): ("wheat", 0)})
    assert [(s.row, s.col) for s in told.squares if s.review] == [(4, 4)]


def test_a_doubt_that_cannot_change_the_total_lowers_no_confidence() -> None:
    text = "##  f   .  . .\n.   f   .  . .\n. . . . .\n. . . . .\n. . . . ."
    reading = make_kingdom(text, {(0, 1): ("lake", 0)})
    assert reading.confidence > 0.98
    assert not reading.review


def test_squares_that_may_lie_elsewhere_lower_everything() -> None:
    reading = make_kingdom(played(1), placed=0.9)
    assert reading.review
    assert reading.confidence <= 0.9


@pytest.mark.parametrize("changes", [{"beyond": 2}, {"cut": ("top",)}, {"touching": True}])
def test_a_kingdom_of_which_some_may_be_missing_asks(changes: dict[str, Any]) -> None:
    sure = make_kingdom(played(1))
    assert not sure.review
    reading = interpret(replace(sure.evidence, **changes))
    assert reading.review and reading.confidence <= 0.5
    assert len(reading.problems) == 1


def test_if_no_square_is_doubtful_the_least_sure_one_is_shown() -> None:
    reading = interpret(replace(make_kingdom(played(1)).evidence, beyond=2))
    (shown,) = (square for square in reading.squares if square.review)
    sure = [square.confidence for square in reading.squares]
    assert shown.confidence == min(sure) < max(sure)
    told = correct(reading, {(shown.row, shown.col): (shown.terrain, shown.crowns)})
    assert told.review and not any(square.review for square in told.squares), "nor one by one"


def test_a_search_that_gave_up_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = make_kingdom(played(1)).evidence
    where = "kdscan.sheets.kingdom.interpret.audit_kingdom"
    for lawful, codes in ((None, []), (False, ["not_laid_lawfully"])):
        monkeypatch.setattr(where, lambda *_, lawful=lawful: KingdomAudit(lawful))
        assert [one.code for one in interpret(evidence).problems] == codes


def test_a_person_has_the_last_word() -> None:
    before = make_kingdom(played(2))
    square = next(s for s in before.squares if s.terrain not in ("castle", "empty"))
    at = square.row, square.col
    kind = ("mine", 3) if square.terrain != "mine" else ("lake", 1)
    after = correct(before, {at: kind})
    now = next(s for s in after.squares if (s.row, s.col) == at)
    assert (now.terrain, now.crowns) == kind
    assert now.seen == (square.terrain, square.crowns)
    assert now.confidence > 0.99


def test_a_person_moves_the_castle() -> None:
    before = make_kingdom(KINGDOM)
    after = correct(before, {(0, 0): ("castle", 0)})
    assert after.kingdom.castle == (0, 0)
    (castle,) = (s for s in after.squares if s.terrain == "castle")
    assert castle.confidence > 0.99, "whatever the pixels say of the other place"


def test_no_square_is_offered_as_the_castle_once_somebody_placed_it() -> None:
    before = make_kingdom(KINGDOM, {(0, 1): ("castle", 0)})
    after = correct(before, {(0, 0): ("castle", 0)})
    unsure = replace(after, squares=tuple(replace(s, review=True) for s in after.squares))
    offered = [other.terrain for doubt in doubts(unsure) for other in doubt.others]
    assert "castle" not in offered


def test_extra_points_by_variant() -> None:
    plain = make_kingdom(KINGDOM)
    rich = make_kingdom(KINGDOM, variants=Variants(middle_kingdom=True, harmony=True))
    assert rich.score.middle_kingdom == 10
    assert rich.score.harmony == 0, "two squares are empty"
    assert rich.score.total == plain.score.total + 10


def test_shares_add_up() -> None:
    reading = make_kingdom(doubtful={(0, 1): ("wheat", 1), (4, 4): ("wheat", 1)})
    assert np.isclose(reading.probs.sum(-1), 1).all()
    assert all(0 <= s.confidence <= 1 + 1e-9 for s in reading.squares)
    assert len(SQUARE_CLASSES) == 18


def test_who_moves_the_castle_twice_means_the_second_place() -> None:
    before = make_kingdom(KINGDOM)
    first, second, third = (0, 0), (0, 1), before.kingdom.castle
    after = correct(correct(before, {first: ("castle", 0)}), {second: ("castle", 0)})
    assert after.kingdom.castle == second
    assert after.kingdom.squares[first] == before.kingdom.squares[first]
    again = correct(after, {first: ("castle", 0)})
    assert again.kingdom.castle == first
    assert deserialize(serialize(again)).evidence.corrections == again.evidence.corrections
    assert correct(again, {third: ("castle", 0)}).kingdom.castle == third


def test_where_somebody_saw_no_castle_at_all_nothing_is_certain() -> None:
    before = make_kingdom(KINGDOM)
    bare = correct(before, {square.at: ("wheat", 0) for square in before.squares})
    beside = decode_kingdoms([bare.evidence, before.evidence])
    assert bare.review and [one.confidence < 0.01 for one in beside] == [True, False]


def test_a_kingdom_without_its_castle_asks_for_it() -> None:
    """Even if it was confirmed before; its other squares are as sure as they were."""
    before = make_kingdom(KINGDOM)
    castle = before.kingdom.castle
    confirmed = KingdomCorrections({castle: ("wheat", 0)}, confirmed=True)
    lost = interpret(replace(before.evidence, corrections=confirmed))
    assert lost.review and [one.code for one in lost.problems] == ["no_castle"]
    assert [s.kind for s in lost.squares if s.at != castle] == [
        s.kind for s in before.squares if s.at != castle
    ]
    assert all(s.confidence > 0.9 and not s.review for s in lost.squares)
    assert len(lost.kingdom.squares) == len(before.kingdom.squares) + 1, "all tiles count"
    found = correct(lost, {(0, 0): ("castle", 0)})
    assert not found.review and "no_castle" not in [one.code for one in found.problems]


def test_exactly_one_square_is_the_castle() -> None:
    """What looks a little like a castle is it, where nothing else does; two may be either."""
    castle = next(s for s in make_kingdom(KINGDOM).squares if s.terrain == "castle")
    alone = make_kingdom(KINGDOM, {(castle.row, castle.col): ("mine", 2)})
    assert alone.confidence > 0.98
    either = make_kingdom(KINGDOM, {(castle.row, castle.col): ("wheat", 0), (0, 0): ("castle", 0)})
    assert either.review
    assert either.confidence < 0.8


def test_a_castle_alone_is_no_sure_nothing() -> None:
    reading = make_kingdom("## . . . .\n. . . . .\n. . . . .\n. . . . .\n. . . . .")
    assert reading.score.total == 0
    assert reading.review
    assert reading.confidence <= 0.5
    assert [p.code for p in reading.problems] == ["no_tiles"]


def test_an_unsure_castle_asks() -> None:
    """A total that is the same with and without a castle rests on one all the same."""
    known = make_kingdom("##  f   .  . .\n.   f   .  . .\n" + ". . . . .\n" * 3)
    probs = known.probs.copy()
    probs[0, 0] = 0
    (
        probs[0, 0, SQUARE_CLASSES.index(("castle", 0))],
        probs[0, 0, SQUARE_CLASSES.index(("lake", 1))],
    ) = 1e-4, 1 - 1e-4
    (reading,) = decode_kingdoms([KingdomEvidence(known.rectified, probs, known.variants)])
    assert reading.review
    castle, beside = reading.squares[:2]
    assert castle.terrain == "castle" and castle.confidence < 0.5 < beside.confidence


def test_seven_squares_a_side_that_cannot_be_laid_ask_for_a_look() -> None:
    """Some of them are probably loose dominoes beside a kingdom of five."""
    rows = ["w f l g s m ##"] + [". . . . . . ."] * 6
    reading = make_kingdom("\n".join(rows), variants=Variants(great_duel=True))
    assert [p.code for p in reading.problems] == ["not_laid_lawfully"]
    assert reading.review and reading.confidence <= 0.5
