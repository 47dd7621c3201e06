import numpy as np
import pytest

from kdscan.detection.find import turned
from kdscan.imaging.picture import Photo
from kdscan.templates.align import align
from kdscan.templates.recognize import SURELY, recognize, shows_mirrored
from tests.templates.pads import ENGRAVED, PAINTED, found, learned, off, sheet


@pytest.mark.parametrize("seed", [PAINTED, ENGRAVED])
@pytest.mark.parametrize("upside_down", [False, True])
def test_a_sheet_is_known_by_its_print_and_its_grid_follows(seed: int, upside_down: bool) -> None:
    photo, centers = found(seed, 1)
    prints = [learned(PAINTED), learned(ENGRAVED)]
    seen = recognize(photo, turned(centers) if upside_down else centers, prints)
    assert seen is not None
    assert seen.template.name == f"pad {seed}"
    # the lattice of the print itself may lie off by a little
    apart = off(seen.centers_xy, sheet(seed, 1))
    assert np.ptp(apart) < 0.03


def test_a_sheet_of_no_known_print_is_not_recognised() -> None:
    photo, centers = found(PAINTED, 1)
    assert recognize(photo, centers, [learned(ENGRAVED)]) is None
    assert recognize(photo, centers, []) is None
    assert align(learned(ENGRAVED), photo, centers).likeness < SURELY / 2


@pytest.mark.parametrize("seed", [PAINTED, ENGRAVED])
@pytest.mark.parametrize("upside_down", [False, True])
def test_a_mirrored_sheet_is_known_for_one(seed: int, upside_down: bool) -> None:
    photo, centers = found(seed, 1)
    prints = [learned(PAINTED), learned(ENGRAVED)]
    mirrored = Photo(np.ascontiguousarray(photo.bgr[:, ::-1]))
    last = photo.bgr.shape[1] - 1
    seen = centers[:, ::-1] * (-1, 1) + (last, 0)  # as the reader of that picture takes it to lie
    if upside_down:
        centers, seen = turned(centers), turned(seen)
    assert shows_mirrored(mirrored, seen, prints, recognize(mirrored, seen, prints))
    assert shows_mirrored(mirrored, seen, prints, None)
    assert not shows_mirrored(photo, centers, prints, recognize(photo, centers, prints))
