"""Pads: one print with many sheets."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.errors import UsageError
from kdscan.synth.pads import main, pad_blank, pad_print, pad_sheet
from kdscan.synth.sheets.grounds.draw import HELD_OUT, PAINTED

SMALL = (800, 600)


def write(folder: Path, **options: object) -> list[str]:
    main(folder, **({"pads": 2, "filled": 2, "long_side": 600} | options))  # type: ignore[arg-type]
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*"))


def test_a_pad_is_a_folder_with_a_blank_and_filled_sheets(tmp_path: Path) -> None:
    files = write(tmp_path, ground=["painted", "pale"])
    assert files == [
        f"{pad}/{name}.{kind}"
        for pad, names in (
            ("00-painted", ("000001", "000002", "blank")),
            ("01-pale", ("001001", "001002", "blank")),
        )
        for name in names
        for kind in ("jpg", "json")
    ]
    blank = json.loads((tmp_path / "00-painted/blank.json").read_text())
    assert (blank["board"], blank["score"], blank["castle_used"]) == ({}, 0, False)
    filled = json.loads((tmp_path / "00-painted/000001.json").read_text())
    assert filled["design"] == "00-painted" and len(filled["pixels"]) == 34
    picture = cv2.imread(str(tmp_path / "00-painted/000001.jpg"))
    assert picture is not None and list(picture.shape[1::-1]) == filled["size"]


def test_the_same_seed_writes_the_same_pad_another_seed_another(tmp_path: Path) -> None:
    for name, first in (("a", 1), ("b", 1), ("c", 2)):
        write(tmp_path / name, pads=1, filled=1, first=first)
    a, b, c = ((tmp_path / n / "00-any/000001.jpg").read_bytes() for n in "abc")
    assert a == b != c


def test_sheets_of_a_pad_share_the_print_and_nothing_else() -> None:
    page = pad_print(5, "painted")
    first, second = (pad_sheet(5, k, page, "flat", SMALL, messiness=0) for k in (1, 2))
    assert first.board != second.board
    assert not np.array_equal(first.nodes_xy, second.nodes_xy)
    assert not pad_blank(5, page, "flat", SMALL).board
    again = pad_print(5, "painted")
    assert np.array_equal(page[1], again[1])


def test_grounds_can_be_asked_for_by_group_or_family() -> None:
    assert set(HELD_OUT).isdisjoint(PAINTED)
    for ground in ("held-out", "sepia", "engraved", "watercolour", "woodcut"):
        assert pad_print(6, ground)[1].std() > 1


@pytest.mark.parametrize("wrong", [{"ground": ["lava"]}, {"level": ["harsh"]}])
def test_what_there_is_not_is_an_error_that_says_what_there_is(
    tmp_path: Path, wrong: dict[str, list[str]]
) -> None:
    with pytest.raises(UsageError, match="there are"):
        write(tmp_path, **wrong)
