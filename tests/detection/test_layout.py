"""Our own sheet is recognised by its markers; other sheets are not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.detection.markers import UNKNOWN_LAYOUT, detect_layout, is_mirrored
from kdscan.imaging.picture import Photo
from lab.synth.scene import SynthPhoto, make_photo, own_page

SAMPLES = Path(__file__).parent.parent.parent / "samples"

CORNERS = np.s_[[0, 0, -1, -1], [0, -1, -1, 0]]
SIZE = (1600, 1200)


def own_photo(seed: int) -> SynthPhoto:
    return make_photo(seed, "easy", page=own_page(), size_wh=SIZE)


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_our_own_sheet_is_recognised(seed: int) -> None:
    synth = own_photo(seed)
    assert detect_layout(Photo(synth.bgr), synth.centers_xy) == "kdscan-a5"


def test_our_own_sheet_in_a_mirror_is_known_for_one() -> None:
    synth = own_photo(5)
    mirrored = Photo(np.ascontiguousarray(synth.bgr[:, ::-1]))
    flip, last = np.array([-1, 1]), np.array([synth.bgr.shape[1] - 1, 0])
    seen = synth.centers_xy[:, ::-1] * flip + last
    assert detect_layout(mirrored, seen) == UNKNOWN_LAYOUT
    assert is_mirrored(mirrored, seen)
    assert not is_mirrored(Photo(synth.bgr), synth.centers_xy)


def test_another_design_is_unknown() -> None:
    synth = make_photo(4, "easy", size_wh=SIZE)
    assert detect_layout(Photo(synth.bgr), synth.centers_xy) == UNKNOWN_LAYOUT


def _covered(synth: SynthPhoto, markers: Sequence[int]) -> NDArray[np.uint8]:
    """The photo with thumbs on the corners nearest to some of the markers."""
    bgr, corners = synth.bgr.copy(), synth.nodes_xy[CORNERS]
    for marker in markers:
        corner, opposite = corners[marker], corners[(marker + 2) % 4]
        x, y = corner + (corner - opposite) * 0.06
        radius = int(np.linalg.norm(corner - opposite) * 0.09)
        cv2.circle(bgr, (int(x), int(y)), radius, (120, 150, 210), -1)
    return bgr


@pytest.mark.parametrize("shown", range(4))
def test_one_marker_is_enough(shown: int) -> None:
    synth = own_photo(5)
    bgr = _covered(synth, [marker for marker in range(4) if marker != shown])
    assert detect_layout(Photo(bgr), synth.centers_xy) == "kdscan-a5"
