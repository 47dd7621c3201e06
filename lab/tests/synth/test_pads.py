"""Pads: one print with many sheets."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.errors import UsageError
from lab.synth.__main__ import main
from lab.synth.pads import pad_blank, pad_print, pad_sheet

SMALL = (800, 600)


def test_a_pad_is_a_folder_with_a_blank_and_filled_sheets(tmp_path: Path) -> None:
    main(tmp_path, count=2, first=5, level="normal", ground="painted", pad=True, long_side=600)
    files = sorted(path.name for path in tmp_path.iterdir())
    names = ("00000005", "00000006", "blank")
    assert files == [f"{name}.{kind}" for name in names for kind in ("jpg", "json")]
    blank = json.loads((tmp_path / "blank.json").read_text())
    assert (blank["board"], blank["score"], blank["castle_used"]) == ({}, 0, False)
    filled = json.loads((tmp_path / "00000005.json").read_text())
    page = pad_print(5, "painted")
    assert filled == {"seed": 5} | pad_sheet(5, 1, page, "normal", (600, 450)).truth()
    picture = cv2.imread(str(tmp_path / "00000005.jpg"))
    assert picture is not None and list(picture.shape[1::-1]) == filled["size"]


def test_sheets_of_a_pad_share_the_print_and_nothing_else() -> None:
    page = pad_print(5, "painted")
    first, second = (pad_sheet(5, k, page, "flat", SMALL, messiness=0) for k in (1, 2))
    assert first.board != second.board
    assert not np.array_equal(first.nodes_xy, second.nodes_xy)
    assert not pad_blank(5, page, "flat", SMALL).board


def test_an_unknown_ground_is_an_error_that_names_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are"):
        main(tmp_path, ground="lava", pad=True)
