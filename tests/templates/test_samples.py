"""The pad among the samples: its blank teaches the print, and its sheets are read from their
ink."""

from __future__ import annotations

import json
from pathlib import Path

from kdscan import learn_print, load_photos, read_photo
from kdscan.sheets.base import maps_of

PAD = Path(__file__).parent.parent.parent / "samples/pad"


def test_the_sample_pad_is_learned_from_its_blank() -> None:
    pad = learn_print(load_photos(PAD / "blank.jpg"), "pad")
    assert len(pad.cell.circles) == 2 and pad.lines == "ruled"
    for path in sorted(PAD.glob("0*.jpg")):
        truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
        (sheet,) = maps_of(read_photo(next(iter(load_photos(path))), prints=[pad]))
        assert sheet.layout == "pad" and sheet.ink is not None
        coats = [
            (c.coat and c.coat.value) == truth["board"].get(f"{c.row},{c.col}", [None])[0]
            for c in sheet.reading.cells
        ]
        assert sum(coats) >= 30
        assert sheet.review or sheet.score.domain_points == truth["score"]
