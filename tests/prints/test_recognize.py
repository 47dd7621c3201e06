import numpy as np
import pytest

from kdscan.detection.register import turned
from kdscan.prints.align import align
from kdscan.prints.recognize import SURELY, recognize
from tests.prints.pads import ENGRAVED, PAINTED, found, learned, off, sheet


@pytest.mark.parametrize("seed", [PAINTED, ENGRAVED])
@pytest.mark.parametrize("upside_down", [False, True])
def test_a_sheet_is_known_by_its_print_and_its_grid_follows(seed: int, upside_down: bool) -> None:
    photo, centers = found(seed, 1)
    prints = [learned(PAINTED), learned(ENGRAVED)]
    seen = recognize(photo, turned(centers) if upside_down else centers, prints)
    assert seen is not None
    assert seen.known.name == f"pad {seed}"
    # the lattice of the print itself may lie off by a little
    apart = off(seen.centers_xy, sheet(seed, 1))
    assert np.ptp(apart) < 0.03


def test_a_sheet_of_no_known_print_is_not_recognised() -> None:
    photo, centers = found(PAINTED, 1)
    assert recognize(photo, centers, [learned(ENGRAVED)]) is None
    assert recognize(photo, centers, []) is None
    assert align(learned(ENGRAVED), photo, centers).likeness < SURELY / 2
