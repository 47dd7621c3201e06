"""A kingdom as JSON, as text and drawn over its photo."""

from __future__ import annotations

import json

import pytest

from kdscan.document import PhotoReport, dynasty_of, to_dict
from kdscan.rules.kingdomino.kingdom import SquareKind, Variants
from kdscan.sheets.base import correct
from kdscan.sheets.kingdom.interpret import doubts, total_with
from kdscan.sheets.kingdom.model import KingdomReading
from tests.readings import KINGDOM, make_kingdom

RICH = Variants(middle_kingdom=True, harmony=True)
DOUBT: dict[tuple[int, int], SquareKind] = {(0, 1): ("wheat", 1)}


def test_json_has_what_the_contract_names() -> None:
    kingdom = make_kingdom(variants=RICH)
    certainty = to_dict(kingdom)
    assert certainty["kind"] == "kingdom"
    assert certainty["size"] == 5
    assert len(certainty["cells"]) == 25
    assert certainty["cells"][0] | {"confidence": 1} == {
        "row": 0,
        "col": 0,
        "terrain": "wheat",
        "crowns": 1,
        "center": [140.0, 160.0],
        "confidence": 1,
        "review": False,
        "seen": None,
        "alternatives": [],
    }
    kinds = {(c["row"], c["col"]): c["terrain"] for c in certainty["cells"]}
    assert kinds[2, 2] == "castle"
    assert kinds[2, 4] == "empty"
    assert certainty["score"]["middle_kingdom"] == 10
    assert certainty["score"]["total"] == kingdom.score.total
    assert len(certainty["outline"]) == 4
    assert json.loads(json.dumps(certainty)) == certainty


def test_doubts_come_with_what_else_it_may_be() -> None:
    kingdom = make_kingdom(doubtful=DOUBT)
    (doubt,) = doubts(kingdom)
    assert doubt.cell.at == (0, 1)
    assert [content for content, *_ in doubt.options[1:]] == [("wheat", 1)]
    (other,) = to_dict(kingdom)["cells"][1]["alternatives"]
    assert (other["terrain"], other["crowns"]) == ("wheat", 1)
    assert other["total"] != kingdom.score.total


@pytest.mark.parametrize(("at", "kind"), [((0, 1), "lake"), ((2, 2), "mine"), ((2, 4), "castle")])
def test_a_total_is_that_of_the_corrected_kingdom(at: tuple[int, int], kind: str) -> None:
    kingdom = make_kingdom(variants=RICH)
    assert total_with(kingdom, at, (kind, 0)) == correct(kingdom, {at: (kind, 0)}).score.total


def games(*kingdoms: KingdomReading) -> list[PhotoReport]:
    """A photo of each kingdom."""
    return [PhotoReport("x.jpg", sheets=(kingdom,)) for kingdom in kingdoms]


ONE, TWO, THREE, FOUR = (
    make_kingdom(KINGDOM.replace(*change))
    for change in (
        ("", ""),
        ("g   w   w   w   w", "g   w   w   .   ."),
        ("w+  w  ", ".   .  "),
        ("f   f   l\n", "f   f   f\n"),
    )
)


def test_a_dynasty_adds_up() -> None:
    added = dynasty_of(games(ONE, TWO, THREE))
    assert added.total == sum(one.score.total for one in (ONE, TWO, THREE))
    assert added.kingdoms == [(0, 0), (1, 0), (2, 0)]
    assert not added.review and not added.repeated
    doubtful = make_kingdom(doubtful=DOUBT)
    added = dynasty_of(games(doubtful, TWO))
    assert added.review
    assert added.confidence == pytest.approx(doubtful.confidence * TWO.confidence, abs=1e-3)


def test_a_dynasty_asks_for_a_look_unless_each_photo_shows_one_kingdom() -> None:
    two, none = (PhotoReport("x.jpg", sheets=sheets) for sheets in ((TWO, THREE), ()))
    assert dynasty_of([*games(ONE), two]).review
    assert dynasty_of([*games(ONE), none, *games(TWO)]).review
