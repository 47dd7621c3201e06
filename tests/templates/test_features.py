import cv2
import numpy as np
import pytest

from kdscan.templates.features import normalize_contrast


@pytest.mark.parametrize("px", [32, 64])
def test_what_is_evened_is_the_same_under_any_light(px: int) -> None:
    rng = np.random.default_rng(px)
    coarse = rng.integers(60, 200, (23, 31, 3)).astype(np.uint8)
    paper = cv2.resize(coarse, (31 * px // 4, 23 * px // 4), interpolation=cv2.INTER_NEAREST)
    light = np.linspace(0.4, 1.0, paper.shape[1])[None, :, None]
    one, other = (
        normalize_contrast(v.astype(np.uint8), px).astype(float) for v in (paper, paper * light)
    )
    assert one.std() > 20
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.97


def test_an_even_page_has_nothing() -> None:
    page = np.full((368, 496, 3), 180, np.uint8)
    assert np.abs(normalize_contrast(page, 64).astype(int) - 128).max() <= 1
