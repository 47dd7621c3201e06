"""Where both networks disagree, a lattice lies wrong."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.records import KINDS
from kdscan.vision.kingdom.extent import CASTLE, EMPTY
from kdscan.vision.kingdom.find import AGREE, _placed


@pytest.mark.parametrize(
    ("tiles", "table", "placed"), [(20, 4, 1.0), (10, 10, 1.0), (4, 21, 4 / 25 / AGREE), (0, 0, 0)]
)
def test_a_lattice_is_in_place_where_pictures_agree(tiles: int, table: int, placed: float) -> None:
    each = np.eye(len(KINDS))
    said = np.concatenate([np.tile(each[CASTLE + 1], (tiles, 1)), np.tile(each[EMPTY], (table, 1))])
    assert _placed(said) == pytest.approx(placed)
