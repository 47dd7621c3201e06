"""Evidence of kingdoms becomes readings; the box's dominoes decide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kdscan.errors import NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.rules.kingdomino.kingdom import Variants
from kdscan.rules.kingdomino.legality import audit_kingdom
from kdscan.rules.kingdomino.play import play_game, random_player
from kdscan.sheets.base import correct, deserialize, serialize
from kdscan.sheets.kingdom import read as pipeline_kingdom
from kdscan.sheets.kingdom.interpret import SURELY_COVERED, doubts, interpret
from kdscan.sheets.kingdom.model import KingdomCorrections, KingdomReading
from kdscan.sheets.kingdom.read import DetectedKingdom
from tests.readings import KINGDOM, make_kingdom


def played(seed: int) -> str:
    """A lawful kingdom of 5 × 5 as text, rims included."""
    for kingdom in play_game(seed, [random_player] * 2).kingdoms:
        rows, cols = kingdom.shape
        text = [line + " ." * (5 - cols) for line in str(kingdom).splitlines()]
        return "\n".join(text + ["." + " ." * 4] * (5 - rows))
    raise AssertionError


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
    square = next(s for s in reading.cells if s.at == (1, 1))
    assert square.content == ("mine", 2)
    assert square.confidence > 0.95, "no domino is a swamp and a mine of one crown"
    turned = make_kingdom(lawful.replace("m++", "m+"), {(1, 1): ("mine", 2)})
    square = next(s for s in turned.cells if s.at == (1, 1))
    assert square.content == ("mine", 2)
    assert square.seen == ("mine", 1), "what the pixels said stays visible"
    assert audit_kingdom(turned.kingdom).lawful
    assert make_kingdom(text).problems


def test_an_unlawful_kingdom_is_reported_as_it_lies() -> None:
    reading = make_kingdom("## m+ m++ . .\n. . . . .\n. . . . .\n. . . . .\n. . . . .")
    assert str(reading.kingdom).split()[:3] == ["##", "m+", "m++"]
    assert [p.code for p in reading.problems] == ["not_laid_lawfully"]


def test_a_doubt_that_changes_the_total_asks_for_a_look() -> None:
    reading = make_kingdom(doubtful={(0, 1): ("wheat", 1)})
    square = next(s for s in reading.cells if s.at == (0, 1))
    assert reading.review
    assert square.review
    assert reading.confidence < 0.98


def test_a_doubt_that_cannot_change_the_total_lowers_no_confidence() -> None:
    text = "##  f   .  . .\n.   f   .  . .\n. . . . .\n. . . . .\n. . . . ."
    reading = make_kingdom(text, {(0, 1): ("lake", 0)})
    assert reading.confidence > 0.98
    assert not reading.review


@pytest.mark.parametrize("changes", [{"beyond": 2}, {"cut": ("top",)}, {"touching": True}])
def test_a_kingdom_of_which_some_may_be_missing_asks(changes: dict[str, Any]) -> None:
    sure = make_kingdom(played(1))
    assert not sure.review
    reading = interpret(replace(sure.evidence, **changes))
    assert reading.review and reading.confidence <= 0.5
    assert len(reading.problems) == 1


def test_a_person_has_the_last_word() -> None:
    before = make_kingdom(played(2))
    square = next(s for s in before.cells if s.content[0] not in ("castle", "empty"))
    at = square.at
    kind = ("mine", 3) if square.content[0] != "mine" else ("lake", 1)
    after = correct(before, {at: kind})
    now = next(s for s in after.cells if s.at == at)
    assert now.content == kind
    assert now.seen == square.content
    assert now.confidence > 0.99


def test_a_kingdom_without_its_castle_asks_for_it() -> None:
    """Even if it was confirmed before; its other squares are as sure as they were."""
    before = make_kingdom(KINGDOM)
    castle = before.kingdom.castle
    confirmed = KingdomCorrections({castle: ("wheat", 0)}, confirmed=True)
    lost = interpret(replace(before.evidence, corrections=confirmed))
    assert lost.review and [one.code for one in lost.problems] == ["no_castle"]
    assert [s.content for s in lost.cells if s.at != castle] == [
        s.content for s in before.cells if s.at != castle
    ]
    assert all(s.confidence > 0.9 and not s.review for s in lost.cells)
    assert len(lost.kingdom.squares) == len(before.kingdom.squares) + 1, "all tiles count"
    found = correct(lost, {(0, 0): ("castle", 0)})
    assert not found.review and "no_castle" not in [one.code for one in found.problems]


def test_exactly_one_square_is_the_castle() -> None:
    """What looks a little like a castle is it, where nothing else does; two may be either."""
    castle = next(s for s in make_kingdom(KINGDOM).cells if s.content[0] == "castle")
    alone = make_kingdom(KINGDOM, {castle.at: ("mine", 2)})
    assert alone.confidence > 0.98
    either = make_kingdom(KINGDOM, {castle.at: ("wheat", 0), (0, 0): ("castle", 0)})
    assert either.review
    assert either.confidence < 0.8


def test_seven_squares_a_side_that_cannot_be_laid_ask_for_a_look() -> None:
    """Some of them are probably loose dominoes beside a kingdom of five."""
    rows = ["w f l g s m ##"] + [". . . . . . ."] * 6
    reading = make_kingdom("\n".join(rows), variants=Variants(great_duel=True))
    assert [p.code for p in reading.problems] == ["not_laid_lawfully"]
    assert reading.review and reading.confidence <= 0.5


BARE = (3, 2)
"""A place without a tile in the kingdoms of the tests."""


RED = (40, 40, 200)


LAID = """
f   w   f+  f   g++
l+  ##  w   l+  l
.   f   g+  l   l+
f   l   .   l   w
l+  l   w   w+  m
"""
"""A kingdom of eleven dominoes, with two places without a tile."""


def covered(unlike: float) -> KingdomReading:
    """A kingdom with a place that looks so unlike the table."""
    return interpret(replace(make_kingdom(LAID).evidence, covered={BARE: unlike}))


def test_a_thing_where_a_tile_may_lie_asks_for_a_look_and_is_said() -> None:
    one = covered(SURELY_COVERED)
    assert one.review and one.confidence <= 0.5
    assert [problem.code for problem in one.problems] == ["tiles_covered"]
    assert one.problems[0].cells == (BARE,)
    (doubt,) = doubts(one)
    assert doubt.cell.at == BARE and doubt.cell.confidence <= 0.5
    assert not doubt.options[1:], "pixels know nothing of a covered tile"
    assert one.score == make_kingdom(LAID).score
    assert deserialize(serialize(one)).problems == one.problems


@pytest.mark.parametrize("kind", [("empty", 0), ("wheat", 0)])
def test_what_a_person_said_of_a_covered_place_holds(kind: tuple[str, int]) -> None:
    said = KingdomCorrections({BARE: kind})
    one = interpret(replace(covered(SURELY_COVERED).evidence, corrections=said))
    assert not any(BARE in p.cells for p in one.problems if p.code == "tiles_covered")
    assert one.review == (kind != ("empty", 0)), "a tile too many cannot be laid"


def test_another_kingdom_beyond_the_edge_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    one = make_kingdom()
    whole = DetectedKingdom(one.evidence, 0.99)
    lost = DetectedKingdom(replace(one.evidence, cut=("right",)), 0.0, lost=True)
    photo = Photo(np.full((600, 800, 3), 200, np.uint8))
    monkeypatch.setattr(pipeline_kingdom, "find_kingdoms", lambda *_: (lost, whole))
    (read,) = read_photo(photo, game="kingdomino")
    assert isinstance(read, KingdomReading) and read.score == one.score and not read.review
    assert read.problems[-1].code == "other_kingdom_cut_off"
    assert deserialize(serialize(read)).problems == read.problems
    monkeypatch.setattr(pipeline_kingdom, "find_kingdoms", lambda *_: (lost,))
    for game in ("kingdomino", None):
        with pytest.raises(NoSheetFound, match="beyond the right edge of this picture"):
            read_photo(photo, game=game)
