"""The report: one file, everything in it, nothing from elsewhere."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.cli.main import main
from kdscan.errors import UnreadableImage
from kdscan.event import actions as act
from kdscan.event.events import open_event, open_row
from kdscan.event.games import Game, Seat
from kdscan.event.report.pictures import CROP_PX, LONGEST_PX
from kdscan.event.report.plots import places_svg, totals_svg
from kdscan.event.store import open_store
from kdscan.event.store.photos import add_file
from kdscan.i18n import words
from kdscan.i18n.errors import error_json
from kdscan.i18n.problems import PROBLEMS
from kdscan.rules import GameName
from kdscan.rules.duel.players import play_game
from kdscan.rules.problem import Problem
from kdscan.sheets.base import AnyReading
from tests.command import Command
from tests.event.entries import came_in, do
from tests.readings import make_book, make_kingdom, make_sheet

EN = words("en")
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


def test_links_lead_somewhere(page: str) -> None:
    seen = Tags(page).seen
    ids = {attributes["id"] for _, attributes in seen if "id" in attributes}
    links = {a["href"] for tag, a in seen if tag == "a" and a.get("href")}
    assert links and {str(link)[1:] for link in links} <= {str(i) for i in ids}


def test_names_are_text(page: str) -> None:
    assert "<script>" not in page
    assert "&lt;script&gt;alert(&#34;Bob &amp; Co&#34;)&lt;/script&gt;" in page
    assert "no &lt;picture&gt;" in page


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


def test_what_is_to_be_settled_is_said(page: str) -> None:
    assert "the sheet of C is missing" in page
    assert "the sheet of D is missing" in page
    assert "<code>broken.jpg</code>" in page
    assert "needs a look" in page


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


def test_an_event_without_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = str(tmp_path / "new.sqlite")
    with open_store(url) as kept_store, kept_store.write() as db:
        open_event(db, "New")
    path = tmp_path / "report.html"
    assert main(["report", "--event", "New", "--store", url, "-o", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    Tags(text)
    assert "No sheet has been read yet." in text
    monkeypatch.setenv("LANGUAGE", "de")
    assert main(["report", "--event", "New", "--store", url, "-o", str(path)]) == 0
    assert '<html lang="de"' in path.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written(store: str, tmp_path: Path, run: Command) -> None:
    path = tmp_path / "missing" / "report.html"
    said = run("report", "--event", "Cup", "--store", store, "-o", path, code=2).err
    assert f"there is no folder {path.parent}; make it first" in said


def test_the_histogram_counts_every_sheet() -> None:
    svg = totals_svg([12, 13, 14, 31, 52], EN)
    titles = dict(re.findall(r"<title>(\d+)–\d+: (\d+)</title>", svg))
    assert titles == {"10": "3", "15": "0", "20": "0", "25": "0", "30": "1", "35": "0",
                      "40": "0", "45": "0", "50": "1"}  # fmt: skip
    assert "median 14" in svg
    assert totals_svg([40, 41], EN) == ""


def test_places_are_followed_round_by_round() -> None:
    def game(round_: int, table: int, a: str, x: int, b: str, y: int) -> Game:
        return Game(round_, table, (Seat(a, points=x), Seat(b, points=y)))

    first = [game(1, 1, "A", 50, "B", 10), game(1, 2, "C", 40, "D", 30)]
    second = [game(2, 1, "C", 50, "A", 10), game(2, 2, "B", 40, "D", 30)]
    assert places_svg("ABCD", first, EN) == ""
    svg = places_svg("ABCD", first + second, EN)
    lines = re.findall(r'points="([^"]+)"[^>]*><title>(\w)</title>', svg)
    heights = {name: [float(at.split(",")[1]) for at in way.split()] for way, name in lines}
    assert set(heights) == set("ABCD")
    paired = [Game(3, 1, (Seat("A"), Seat("B"))), Game(3, 2, (Seat("C"),))]
    assert places_svg("ABCD", [*first, *second, *paired], EN) == svg  # nobody has played round 3
    assert places_svg("", first + second, EN) == svg  # photos alone, without a list of players
    late = game(2, 3, "E", 50, "F", 10)
    assert "<title>E</title>" in places_svg("", [*first, *second, late], EN)
    assert heights["C"][1] == min(h[1] for h in heights.values())  # C leads after two rounds
    assert heights["D"][1] == max(h[1] for h in heights.values())


def _read(url: str, found: AnyReading, name: str, game: GameName) -> None:
    """A photo with one sheet comes into the event Cup."""
    data = cv2.imencode(".png", np.full((700, 900, 3), len(name) * 9, np.uint8))[1].tobytes()
    with open_store(url) as kept_store:
        came_in(kept_store, name, found, game=game, picture=data)


def _report(url: str, tmp_path: Path, *more: str) -> str:
    path = tmp_path / "report.html"
    assert main(["report", "--event", "Cup", "--store", url, "-o", str(path), *more]) == 0
    page = path.read_text(encoding="utf-8")
    Tags(page)
    return page


def test_a_kingdom_is_shown_with_its_doubts_and_scored_by_the_events_rules(tmp_path: Path) -> None:
    url = str(tmp_path / "cup.sqlite")
    kingdom = make_kingdom(doubtful={(0, 4): ("lake", 1)})
    plain = kingdom.score.total
    _read(url, kingdom, "a.png", "kingdomino")
    page = _report(url, tmp_path)
    assert f'<span class="total">{plain}</span>' in page
    assert "<b>E1</b> lake 59%<br>or lake ♛ 40%" in page
    assert len(list(_pictures(page))) == 1 + page.count("<figcaption><b>")
    with open_store(url) as kept_store:
        do(kept_store, act.SetRules(middle_kingdom=True))
    page = _report(url, tmp_path, "--language", "pl")
    assert f'<span class="total">{plain + 10}</span>' in page
    assert re.search(r"<b>E1</b> jezioro 59%<br>\w+ jezioro ♛ 40%", page)
    assert '<html lang="pl">' in page and "Królestwo Środka" in page
    with open_store(url) as kept_store:
        do(kept_store, act.ConfirmSheet(1))
    page = _report(url, tmp_path)
    assert "<figcaption><b>" not in page and 'class="flag"' not in page


def test_of_a_sheet_full_of_doubts_the_worst_are_shown(tmp_path: Path) -> None:
    url = str(tmp_path / "cup.sqlite")
    many = {(row, col): ("mine", 0) for row in (0, 1, 4) for col in range(5)}
    kingdom = make_kingdom(doubtful=many, placed=0.9)
    _read(url, kingdom, "a.png", "kingdomino")
    page = _report(url, tmp_path)
    left = sum(square.review for square in kingdom.squares) - 12
    assert left > 0 and page.count("<figcaption><b>") == 12
    assert f"… and {left} more" in page


def test_a_spellbook_is_shown_with_its_doubts(tmp_path: Path) -> None:
    url = str(tmp_path / "cup.sqlite")
    book = make_book(play_game(3).spellbook, doubtful={"players[1].lines.line.squares[2]": 0.8})
    _read(url, book, "book.png", "duel")
    page = _report(url, tmp_path)
    assert page.count("<figcaption><b>") == 1
    assert re.search(
        r"<b>right, line of line: square 3</b> (marked|blank) 80%<br>or (marked|blank) 20%", page
    )
    assert len(list(_pictures(page))) == 2


def test_problems_speak_the_reports_language(tmp_path: Path) -> None:
    url = str(tmp_path / "cup.sqlite")
    odd = Problem("not_laid_lawfully", "error", "no such dominoes")
    _read(url, replace(make_kingdom(), problems=(odd,)), "a.png", "kingdomino")
    assert "no such dominoes" in _report(url, tmp_path)
    page = _report(url, tmp_path, "--language", "uk")
    assert "no such dominoes" not in page
    assert words("uk").t(PROBLEMS[odd.code]) in page


def test_a_bye_misses_no_points_and_errors_speak_the_reports_language(tmp_path: Path) -> None:
    url, empty = str(tmp_path / "cup.sqlite"), "the file is empty; copy or send it again"
    with open_store(url) as kept_store, kept_store.write() as db:
        event = open_row(db, "Cup")
        add_file(db, event.id, "a.jpg", None, error=error_json(UnreadableImage(empty)))
        open_event(db, "Cup")
    with open_store(url) as kept_store:
        do(kept_store, *(act.AddPlayer(n) for n in ("Ada", "Bob", "Cleo")))
        do(kept_store, act.PairRound(tables=(("Ada",),)))
    page = _report(url, tmp_path, "--language", "pl")
    assert words("pl").t(empty) in page and empty not in page
    assert "<td>?</td>" not in page
    with open_store(url) as kept_store:
        do(kept_store, act.PairRound(again=True, tables=(("Bob", "Cleo"), ("Ada",))))
    assert _report(url, tmp_path).count("<td>?</td>") == 2
