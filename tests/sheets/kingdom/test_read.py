"""From lattices to kingdoms; a lattice on which both networks disagree is misplaced."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo, lattice_points
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, Variants
from kdscan.sheets.kingdom import read as finding
from kdscan.sheets.kingdom.extent import Window
from kdscan.sheets.kingdom.lattice import SIDE_PX, Lattice
from kdscan.sheets.kingdom.model import ONE_HOT
from kdscan.sheets.kingdom.read import KingdomSearch, _suppress_overlaps, find_kingdoms


class OneLook(KingdomSearch):
    """Sees nothing but what a test says."""

    def __init__(self, photo: Photo, network: object) -> None:
        pass

    def looks_bare(self, lattice: Lattice) -> bool:
        return False


def test_a_square_is_part_of_one_kingdom_only() -> None:
    """Here the windows overlap by two rows of five, so that neither holds the other's middle."""
    kinds = np.full((5, 5), CASTLE + 1)
    kinds[0, 0] = CASTLE
    probs = ONE_HOT[kinds]
    one, shifted, beside = (
        Window(lattice_points(5, 5) * SIDE_PX + (0, rows * SIDE_PX), probs, kinds > 0, 0)
        for rows in (0, 3, 5)
    )
    assert _suppress_overlaps([one, shifted]) == [one]
    assert _suppress_overlaps([one, beside]) == [one, beside]


@pytest.mark.parametrize(
    ("great_duel", "size", "beyond"), [(None, 7, 0), (True, 7, 0), (False, 5, 24)]
)
def test_what_spans_seven_counts_only_where_the_rules_do_not_say_five(
    great_duel: bool | None, size: int, beyond: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = np.zeros((9, 9), bool)
    seen[1:-1, 1:-1] = True

    class Search(OneLook):
        def lattices(self) -> tuple[Lattice, ...]:
            return (Lattice(lattice_points(9, 9) * SIDE_PX + 100.0, seen),)

    def classify(*_: object) -> NDArray[np.float64]:
        kinds = np.where(seen, CASTLE + 1, EMPTY)
        kinds[4, 4] = CASTLE
        return np.asarray(ONE_HOT[kinds] * 0.98 + 0.001)

    monkeypatch.setattr(finding, "KingdomSearch", Search)
    monkeypatch.setattr(finding, "classify_squares", classify)
    rules = Variants(great_duel=great_duel)
    photo = Photo(np.full((900, 1200, 3), 20, np.uint8))
    (found,) = find_kingdoms(photo, lambda batch: (), lambda batch: (), rules)
    assert found.evidence.rectified.bgr.max() == 220  # a dark photo is brightened
    assert (found.evidence.variants.size, found.evidence.beyond) == (size, beyond)
