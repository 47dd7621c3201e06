"""Kingdoms cut off by the picture's edge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.errors import NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import lattice_points
from kdscan.reader import read_photo
from kdscan.sheets.base import deserialize, serialize
from kdscan.sheets.kingdom import read as pipeline_kingdom
from kdscan.sheets.kingdom.clipping import fills, sides_reached, visible_share
from kdscan.sheets.kingdom.find import FoundKingdom
from kdscan.sheets.kingdom.interpret import interpret
from kdscan.sheets.kingdom.model import KingdomReading
from tests.readings import make_kingdom

SIDE = 50.0
PLACES = lattice_points(6, 6) * SIDE + 25
"""Places with a ring around, the first of which begins at the picture's corner."""
MINE = {(r, c) for r in range(1, 5) for c in range(1, 5)}


def sides(shift: tuple[float, float], limit: int = 5, tile: bool = False) -> tuple[str, ...]:
    """Those that cut off a kingdom of 4 x 4 that begins one square from the corner, shifted so many
    squares. tile: whether a tile is seen above it, beside the picture."""
    tiles = np.zeros((6, 6), np.bool_)
    tiles[1:-1, 1:-1] = True
    tiles[0, 1] = tile
    return sides_reached(PLACES + np.array(shift) * SIDE, tiles, MINE, (500, 500), limit)


def test_a_place_is_in_the_picture_in_part() -> None:
    share = visible_share(PLACES - (0.3 * SIDE, 0), (250, 500))
    np.testing.assert_allclose(share[0], [0.7, 1, 1, 1, 1, 0.3], atol=0.05)


@pytest.mark.parametrize(
    ("shift", "cut"),
    [
        ((1, 1), ()),
        ((-0.5, -0.5), ()),
        ((-1.4, 1), ("left",)),
        ((1, -1.4), ("top",)),
        ((5.4, 5.4), ("right", "bottom")),
    ],
)
def test_a_tile_beyond_the_edge_is_cut_off(shift: tuple[float, float], cut: tuple[str]) -> None:
    assert sides(shift) == cut


def test_a_column_that_may_lie_unseen_beyond_the_edge_is_asked_about() -> None:
    assert sides((-0.9, 1)) == ("left",)
    assert sides((-0.9, 1), limit=4) == (), "no more than four squares fit"
    assert sides((-0.6, 1)) == (), "table is seen there"


def test_a_tile_that_is_seen_in_part_is_cut_off() -> None:
    assert sides((1, -0.6), tile=True) == ("top",)


def test_a_kingdom_that_was_cut_out_leaves_no_table() -> None:
    outline = np.array([(0.0, 4), (200, 0), (200, 250), (2, 250)])
    assert fills(outline, (205, 252), SIDE)
    assert not fills(outline, (240, 252), SIDE)


def test_what_the_edge_cuts_off_asks_for_a_look_and_is_said() -> None:
    evidence = make_kingdom().evidence
    cut = interpret(replace(evidence, cut=("left", "top")))
    assert cut.review and cut.confidence <= 0.5
    assert cut.problems[-1].code == "kingdom_cut_off"
    assert "left and top edges" in cut.problems[-1].message
    assert deserialize(serialize(cut)).problems == cut.problems


def test_another_kingdom_beyond_the_edge_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    one = make_kingdom()
    whole = FoundKingdom(one.evidence, 0.99)
    lost = FoundKingdom(replace(one.evidence, cut=("right",)), 0.0, lost=True)
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
