"""The report: one file, everything in it, nothing from elsewhere."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.cli.main import main
from kdscan.errors import UnreadableImage
from kdscan.event import actions as act
from kdscan.event.events import open_row
from kdscan.event.report.page import CROP_PX, LONGEST_PX
from kdscan.event.store import open_store
from kdscan.event.store.photos import add_file
from kdscan.i18n.errors import error_json
from tests.command import Command
from tests.event.entries import came_in, do
from tests.readings import make_sheet

EVIL = '<script>alert("Bob & Co")</script>'
VOID = {"meta", "img", "br"}


class Tags(HTMLParser):
    """Checks that tags close in order, and collects what is shown and referred to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A round of two tables; one sheet has doubts, one photo cannot be read."""
    url = str(tmp_path_factory.mktemp("report") / "cup.sqlite")
    photo = np.full((700, 900, 3), 200, np.uint8)
    with open_store(url) as kept_store:
        for n, doubtful in enumerate([[(0, 1), (2, 2)], []]):
            photo[:] = 200 - n
            data = cv2.imencode(".png", photo)[1].tobytes()
            came_in(kept_store, f"p{n}.png", make_sheet(doubtful=doubtful), picture=data)
        with kept_store.write() as db:
            event = open_row(db, "Cup")
            add_file(
                db, event.id, "broken.jpg", None, error=error_json(UnreadableImage("no <picture>"))
            )
        players = [act.AddPlayer(name) for name in ("Ada", EVIL, "C", "D")]
        tables = (("Ada", EVIL), ("C", "D"))
        do(kept_store, *players, act.PairRound(tables=tables))
        for n, name in zip((1, 2), ("Ada", EVIL), strict=True):
            do(kept_store, act.AssignSheet(n, name, 1, 1, own=True))
        do(kept_store, act.CorrectCastle(1, True), act.CorrectWizard(2, "line"))
    return url


@pytest.fixture(scope="module")
def page(store: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("out") / "report.html"
    assert main(["report", "--event", "Cup", "--store", store, "-o", str(path)]) == 0
    return path.read_text(encoding="utf-8")


def test_the_page_is_whole_and_stands_alone(page: str) -> None:
    seen = Tags(page).seen
    assert not [tag for tag, _ in seen if tag in ("script", "link", "iframe")]
    for tag, attributes in seen:
        for name in ("src", "href"):
            value = attributes.get(name) or "#"
            assert value.startswith(("#", "data:image/")), (tag, value)
    assert "url(" not in page and "@import" not in page


def test_names_are_text(page: str) -> None:
    assert "<script>" not in page
    assert "&lt;script&gt;alert(&#34;Bob &amp; Co&#34;)&lt;/script&gt;" in page
    assert "no &lt;picture&gt;" in page


def test_what_people_said_is_told_in_words(page: str) -> None:
    assert "castle: marked → marked (Zoe)" in page and "chosen coat: – → line (Zoe)" in page


def _pictures(page: str) -> Iterator[tuple[int, int]]:
    for data in re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page):
        picture = cv2.imdecode(np.frombuffer(b64decode(data), np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        yield picture.shape[1], picture.shape[0]


def test_every_sheet_and_every_doubt_has_its_picture(page: str) -> None:
    sizes = list(_pictures(page))
    crops = [size for size in sizes if size == (CROP_PX, CROP_PX)]
    large = [size for size in sizes if size != (CROP_PX, CROP_PX)]
    assert len(large) == 2 and all(max(size) <= LONGEST_PX for size in large)
    assert len(crops) == page.count("<figcaption><b>") > 0


def test_a_lost_photo_costs_its_picture_alone(
    store: str, tmp_path: Path, page: str, run: Command
) -> None:
    folder = Path(store).with_suffix(".photos")
    files = [path for path in folder.rglob("*") if path.is_file()]
    data = {path: path.read_bytes() for path in files}
    for path in files:
        path.unlink()
    try:
        again = tmp_path / "again.html"
        said = run("report", "--event", "Cup", "--store", store, "-o", again).err
        assert "cannot be read" in said and "and 1 more" in said
        text = again.read_text(encoding="utf-8")
    finally:
        for path, content in data.items():
            path.write_bytes(content)
    assert list(_pictures(text)) == []
    assert text.count("<article") == page.count("<article") == 2
