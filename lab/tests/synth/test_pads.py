"""Pads: one print with many sheets."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.errors import UsageError
from lab.synth.pads import main, pad_blank, pad_print, pad_sheet

SMALL = (800, 600)


def write(folder: Path, **options: object) -> list[str]:
    main(folder, **({"pads": 2, "filled": 2, "long_side": 600} | options))  # type: ignore[arg-type]
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*"))


def test_a_pad_is_a_folder_with_a_blank_and_filled_sheets(tmp_path: Path) -> None:
    files = write(tmp_path, ground=["painted", "pale"], first=5)
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
    page = pad_print(5, "painted", "00-painted")
    assert filled == {"seed": 5} | pad_sheet(5, 1, page, "normal", (600, 450)).truth()
    picture = cv2.imread(str(tmp_path / "00-painted/000001.jpg"))
    assert picture is not None and list(picture.shape[1::-1]) == filled["size"]


def test_sheets_of_a_pad_share_the_print_and_nothing_else() -> None:
    page = pad_print(5, "painted")
    first, second = (pad_sheet(5, k, page, "flat", SMALL, messiness=0) for k in (1, 2))
    assert first.board != second.board
    assert not np.array_equal(first.nodes_xy, second.nodes_xy)
    assert not pad_blank(5, page, "flat", SMALL).board


@pytest.mark.parametrize("wrong", [{"ground": ["lava"]}, {"level": ["harsh"]}])
def test_what_there_is_not_is_an_error_that_says_what_there_is(
    tmp_path: Path, wrong: dict[str, list[str]]
) -> None:
    with pytest.raises(UsageError, match="there are"):
        write(tmp_path, **wrong)
