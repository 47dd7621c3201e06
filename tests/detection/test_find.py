"""Which candidates are maps, which are reported as doubtful, and which are rejected."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kdscan.detection import find as finding
from kdscan.detection.locate import Located, SheetOutline
from kdscan.imaging.picture import CENTERS, Floats, Photo, outline_of

PHOTO = Photo(np.zeros((1000, 1500, 3), np.uint8))
HERE, THERE = (100.0, 100.0), (800.0, 500.0)


def cells(at: tuple[float, float], confidence: float, size: float = 60.0) -> tuple[Floats, float]:
    """Where a map's cells lie and how sure that is, as `register` says it."""
    return CENTERS * size + at, confidence


def found(
    monkeypatch: pytest.MonkeyPatch,
    looks: list[list[tuple[Floats, float]]],
    follow_paper: float = 0.0,
    expected: int = 1,
    likely: Sequence[tuple[float, float]] = (),
    others: Sequence[Floats] = (),
) -> list[float]:
    """Confidences of what is kept when each turn of the photo shows the given maps.

    follow_paper: how sure a grid becomes when the paper is followed from there. expected: how many
    maps there should be. likely: where else there seems to be a map. others: outlines of other
    sheets.
    """
    told: dict[int, tuple[Floats, float]] = {}

    def locate_turned(photo: Photo, network: object, turn: float) -> tuple[SheetOutline, ...]:
        number = finding.TURNS.index(turn)
        maps = looks[number] if number < len(looks) else []
        outlines = tuple(SheetOutline(outline_of(centers), 1.0) for centers, _ in maps)
        told.update({id(o): one for o, one in zip(outlines, maps, strict=True)})
        return outlines

    def locate(photo: Photo, network: object) -> Located:
        outlines = locate_turned(photo, network, 0)
        middles = [one.corners_xy.mean(0) for one in outlines] + [np.array(at) for at in likely]
        return Located(outlines, tuple(middles))

    monkeypatch.setattr(finding, "locate", locate)
    monkeypatch.setattr(finding, "locate_beside", lambda photo, network, known: known)
    monkeypatch.setattr(finding, "locate_turned", locate_turned)
    monkeypatch.setattr(finding, "register", lambda photo, outline, network: told[id(outline)])
    follow = lambda photo, centers, network: (centers, follow_paper)  # noqa: E731
    monkeypatch.setattr(finding, "follow_paper", follow)
    network = lambda batch: ()  # noqa: E731
    kept, _ = finding.find_maps(PHOTO, network, network, expected=expected, others=others)
    return [s.confidence for s in kept]


def test_a_doubtful_find_is_tried_again_turned_and_the_surest_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found(monkeypatch, [[cells(HERE, 0.4)], [cells(HERE, 0.97)]]) == [0.97]
    assert found(monkeypatch, [[cells(HERE, 0.6)], [cells(HERE, 0.5)], []]) == [0.6]


def test_two_maps_are_two_finds_the_larger_first(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = cells(HERE, 0.98, 40), cells(THERE, 0.96, 80)
    assert found(monkeypatch, [[small, large]]) == [0.96, 0.98]


def test_alone_a_doubtful_find_is_shown_and_an_unlikely_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found(monkeypatch, [[cells(HERE, 0.7), cells(THERE, 0.65)]]) == [0.7]
    assert found(monkeypatch, [[cells(HERE, 0.5)]]) == []
    assert found(monkeypatch, [[]]) == []


def test_fewer_maps_than_expected_are_looked_for_in_every_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = [[cells(HERE, 0.97)], [], [cells(HERE, 0.99), cells(THERE, 0.95)], [cells(HERE, 0.9)]]
    assert found(monkeypatch, looks) == [0.97]
    assert sorted(found(monkeypatch, looks, expected=2)) == [0.95, 0.97]
    assert found(monkeypatch, looks[:2], expected=2) == [0.97]


def test_what_seems_to_be_a_map_and_has_no_grid_is_looked_for_in_every_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, there = cells(HERE, 0.97), cells(THERE, 0.95)
    looks, middle = [[here], [], [there]], tuple(there[0].mean((0, 1)))
    assert sorted(found(monkeypatch, looks, likely=[middle])) == [0.95, 0.97]
    assert found(monkeypatch, looks, likely=[middle], others=[outline_of(there[0])]) == [0.97]
    assert found(monkeypatch, looks, likely=[tuple(here[0].mean((0, 1)))]) == [0.97]
