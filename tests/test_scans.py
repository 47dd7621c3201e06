"""Output of a scanner's feeder, from the file to the exit code."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from kdscan.errors import BlankPage
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from lab.synth.scene import DrawnPage, draw_page, own_page
from lab.tests.scanner import Settings, scan
from tests.command import Command
from tests.hands import careful


@cache
def drawn(seed: int) -> DrawnPage:
    rng = np.random.default_rng(seed)
    return draw_page(rng, page=own_page(200), messiness=0, hand=careful(rng))


def right(sheet: Any, page: DrawnPage) -> int:
    """How many shields were read right, from a sheet of the JSON."""
    truth = {at: (str(shield.coat), shield.crosses) for at, shield in page.board.items()}
    return sum(
        (c["coat"], c["crosses"]) == truth.get((c["row"], c["col"]), (None, 0))
        for c in sheet["cells"]
    )


@cache
def stack() -> tuple[Image.Image, ...]:
    """Two maps, a back, an upside-down map, a grey one on its side."""
    rng = np.random.default_rng(7)
    pages = [
        scan(rng, [drawn(41), drawn(42)], Settings(dpi=150)),
        scan(rng, [], Settings(dpi=150)),
        scan(rng, [drawn(43)], Settings(dpi=150, quarter_turns=2, skew_deg=1.5)),
        scan(rng, [drawn(44)], Settings(dpi=200, quarter_turns=1, color="grey", print_scale=0.92)),
    ]
    images = [Image.fromarray(page.bgr[..., ::-1]) for page in pages]
    return (*images[:3], images[3].convert("L"))


def test_a_stack_from_the_feeder(tmp_path: Path, run: Command) -> None:
    file = tmp_path / "stack.pdf"
    first, *rest = (page.copy() for page in stack())  # saving leaves its encoder behind
    first.save(file, save_all=True, append_images=rest, resolution=150.0)
    said = run("score", "--json", file)
    photos = json.loads(said.out)["photos"]
    assert [photo["page"] for photo in photos] == [0, 1, 2, 3]
    assert [len(photo["sheets"]) for photo in photos] == [2, 0, 1, 1]
    assert photos[1]["error"]["code"] == "blank_page"
    assert "page 2: the page is blank" in said.err
    one, two = sorted(photos[0]["sheets"], key=lambda sheet: sheet["outline"][0][1])
    sheets = [one, two, photos[2]["sheets"][0], photos[3]["sheets"][0]]
    assert all(sheet["layout"] == "kdscan-a5" for sheet in sheets)
    hits = [right(s, drawn(n)) for s, n in zip(sheets, (41, 42, 43, 44), strict=True)]
    assert sum(hits) >= 4 * 34 - 3, hits


def test_a_blank_page_alone_is_an_error_of_its_own(tmp_path: Path, run: Command) -> None:
    stack()[1].save(tmp_path / "back.png")
    assert BlankPage.exit_code == 4
    assert "blank" in run("score", tmp_path / "back.png", code=4).err


def test_a_front_that_shows_through_is_not_read() -> None:
    """Mirrored and pale, but the finder knows a map when it sees one."""
    rng = np.random.default_rng(8)
    front = scan(rng, [drawn(41)], Settings(dpi=150)).bgr[:, ::-1].astype(float)
    paper = scan(rng, [], Settings(dpi=150)).bgr.astype(float)
    with pytest.raises(BlankPage):
        read_photo(Photo(np.clip(paper - 0.1 * (255 - front), 0, 255).astype(np.uint8)))
