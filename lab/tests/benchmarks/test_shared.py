"""Benchmarks refuse, in words, what they cannot measure."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.benchmarks import page
from lab.benchmarks.shared import file_with_map, folder_with, positive

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.mark.parametrize(
    ("kind", "name", "why"),
    [
        (file_with_map, "gone.jpg", "there is no file"),
        (file_with_map, "broken.jpg", "this is not a picture"),
        (folder_with("labels.csv"), "gone", "gone holds no labels.csv"),
        (folder_with("b*.jpg", "labels.csv"), ".", "holds no labels.csv"),
        (page.served, "gone", "no page of kdscan answers there"),
        (page.served, "http://[::", "no page of kdscan answers there"),
        (positive, "0", "no whole number from 1"),
        (positive, "many", "no whole number from 1"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    kind: Callable[[str], object],
    name: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "broken.jpg").write_text("no picture")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentTypeError, match=why):
        kind(name)


def test_what_can_be_measured_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    assert file_with_map("01.jpg") == Path("01.jpg")
    assert folder_with("01.*")(".") == Path()
    assert positive("12") == 12
