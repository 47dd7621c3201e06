"""A map has a castle among its shields; other printed grids have equal cells throughout."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.detection.find import correlation_with_median, has_castle
from kdscan.imaging.picture import CENTERS, FLAT_MARGIN, FLAT_PX, Photo, RectifiedSheet, flatten
from kdscan.rules.duel.board import CASTLE
from lab.synth.scene import DrawnPage, draw_page, own_page, random_page


def flat(page: DrawnPage) -> RectifiedSheet:
    (x, y), (w, h) = page.layout.grid_mm, page.layout.cell_mm
    centers = ((CENTERS + 0.5) * (w, h) + (x, y)) * page.px_per_mm - 0.5
    bgr = flatten(Photo(page.bgr), centers, FLAT_PX, FLAT_MARGIN)
    return RectifiedSheet(bgr, centers, np.zeros((4, 2)), 64.0, 1.0)


def drawn(seed: int, ground: str | None) -> DrawnPage:
    rng = np.random.default_rng([seed, 8])
    page = own_page(100) if ground is None else random_page(rng, ground)
    return draw_page(rng, page=page, wild=True, messiness=0.8)


@pytest.mark.parametrize("ground", [None, "pale", "painted", "provinces", "engraved", "mosaic"])
def test_a_map_has_a_castle_whatever_its_ground_and_however_it_is_filled(
    ground: str | None,
) -> None:
    for seed in range(3):
        assert has_castle(flat(drawn(seed, ground)))


def test_where_the_castle_would_be_another_shield_there_is_none() -> None:
    page = drawn(1, "painted")
    sheet = flat(replace(page, bgr=page.blank_bgr))
    edge = round(FLAT_MARGIN * FLAT_PX)
    bgr = sheet.bgr.copy()
    inner = bgr[edge : edge + 5 * FLAT_PX, edge : edge + 7 * FLAT_PX]
    cells = inner.reshape(5, FLAT_PX, 7, FLAT_PX, 3).swapaxes(1, 2)
    row, col = np.unravel_index(np.argmax(correlation_with_median(inner)), (5, 7))
    y, x = (v * FLAT_PX for v in CASTLE)
    inner[y : y + FLAT_PX, x : x + FLAT_PX] = cells[row, col]
    other = RectifiedSheet(bgr, sheet.centers_xy, sheet.outline_xy, 64.0, 1.0)
    assert has_castle(sheet) and not has_castle(other)
