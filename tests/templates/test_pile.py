"""Which sheets of a pile are compared, so that a print is learned as soon as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.imaging.picture import Network
from kdscan.templates import pile
from kdscan.templates.describe import unknown_print
from kdscan.templates.flat import FlatSheet
from kdscan.templates.known import KnownPrint
from kdscan.templates.pile import Signatures, learn_from_pile

ALIKE = {"a": "bcd", "b": "a", "c": "a", "d": "a", "e": "", "f": ""}
"""The mates that are found of each sheet: the first of a pad is clear, its others are not."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sheets whose mates were looked for."""
    asked: list[str] = []

    def same_print(seed: FlatSheet, others: Sequence[FlatSheet], _: Signatures) -> list[FlatSheet]:
        asked.append(seed.key)
        return [one for one in others if one.key in ALIKE[seed.key]]

    def learn(sheets: Sequence[FlatSheet], name: str, _: Network) -> KnownPrint:
        return replace(unknown_print(name), sheets=len(sheets))

    monkeypatch.setattr(pile, "_same_print", same_print)
    monkeypatch.setattr(pile, "learn_flat_sheets", learn)
    return asked


def sheets() -> list[FlatSheet]:
    lots = [np.random.default_rng(n).integers(1, 7, 34) for n in range(len(ALIKE))]
    blank = np.zeros((832, 1088, 3), np.uint8)
    return [
        FlatSheet(key, "".join(map(str, lot)), UNKNOWN_LAYOUT, blank)
        for key, lot in zip(ALIKE, lots, strict=True)
    ]


def no_network(batch: np.ndarray) -> np.ndarray:
    raise AssertionError("nothing is to be inked here")


@pytest.mark.parametrize(
    ("fresh", "compared", "taught"),
    [
        (None, "a", "abcd"),
        ({"a"}, "a", "abcd"),
        ({"d"}, "da", "abcd"),  # its one mate knows the others
        ({"e", "f"}, "ef", ""),
        (set(), "", ""),
    ],
)
def test_only_what_is_new_is_compared_and_what_it_resembles(
    asked: list[str], fresh: set[str] | None, compared: str, taught: str
) -> None:
    found = learn_from_pile(sheets(), (), no_network, fresh)  # type: ignore[arg-type]
    assert "".join("".join(sorted(one.keys)) for one in found) == taught
    assert "".join(asked)[: len(compared)] == compared
    assert len(asked) == len(compared) or fresh is None
