"""Which finds are maps, which are shown as doubtful, and which are none."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.records import Photo, RectifiedSheet, SheetOutline
from kdscan.vision import find as finding
from kdscan.vision.rectify import CENTERS

PHOTO = Photo(np.zeros((1000, 1500, 3), np.uint8))
HERE, THERE = (100.0, 100.0), (800.0, 500.0)


def sheet(at: tuple[float, float], confidence: float, size: float = 60.0) -> RectifiedSheet:
    grid = np.array([(-0.5, -0.5), (6.5, -0.5), (6.5, 4.5), (-0.5, 4.5)])
    flat = np.zeros((4, 4, 3), np.uint8)
    return RectifiedSheet(flat, CENTERS * size + at, grid * size + at, size, confidence)


def found(monkeypatch: pytest.MonkeyPatch, looks: list[list[RectifiedSheet]]) -> list[float]:
    """Confidences of what is kept when each quarter turn shows the given sheets."""
    told: dict[int, RectifiedSheet] = {}

    def locate(photo: Photo, network: object, quarter_turns: int) -> tuple[SheetOutline, ...]:
        sheets = looks[quarter_turns] if quarter_turns < len(looks) else []
        outlines = tuple(SheetOutline(s.outline_xy, 1.0) for s in sheets)
        told.update({id(o): s for o, s in zip(outlines, sheets, strict=True)})
        return outlines

    monkeypatch.setattr(finding, "locate", locate)
    monkeypatch.setattr(finding, "rectify", lambda photo, outline, network: told[id(outline)])
    network = lambda batch: ()  # noqa: E731
    return [s.confidence for s in finding.find(PHOTO, network, network)]


def test_a_sure_find_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, [[sheet(HERE, 0.95)], [sheet(HERE, 0.99)]]) == [0.95]


def test_a_doubtful_find_is_tried_again_turned_and_the_surest_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found(monkeypatch, [[sheet(HERE, 0.4)], [sheet(HERE, 0.97)]]) == [0.97]
    assert found(monkeypatch, [[sheet(HERE, 0.6)], [sheet(HERE, 0.5)], []]) == [0.6]


def test_two_maps_are_two_finds_the_larger_first(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = sheet(HERE, 0.98, 40), sheet(THERE, 0.96, 80)
    assert found(monkeypatch, [[small, large]]) == [0.96, 0.98]


def test_clutter_beside_a_map_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, [[sheet(HERE, 0.98), sheet(THERE, 0.1)]]) == [0.98]


def test_alone_a_doubtful_find_is_shown_and_an_unlikely_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found(monkeypatch, [[sheet(HERE, 0.1), sheet(THERE, 0.06)]]) == [0.1]
    assert found(monkeypatch, [[sheet(HERE, 0.01)]]) == []
    assert found(monkeypatch, [[]]) == []
