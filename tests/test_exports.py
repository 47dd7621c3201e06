"""The public interface of `kdscan`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import kdscan
from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.spellbook import SpellbookLine
from kdscan.sheets.base import AnyReading
from lab.synth.scene import own_book, own_page
from lab.synth.table import make_table
from tests.imaging.photos import TILE
from tests.readings import make_book, make_kingdom, make_sheet

ROOT = Path(__file__).parent.parent
NO_COAT: Any = "dots"


def test_public_names_are_pinned() -> None:
    names = """
        KdscanError KingdomCorrections KingdomReading MapCorrections MapReading Photo
        ReadOptions SpellbookCorrections SpellbookReading Template correct deserialize
        draw_overlay known_templates learn_template load_photos load_template read_photo
        read_with save_template serialize to_dict
    """
    assert sorted(kdscan.__all__) == names.split()


def test_every_public_name_is_there() -> None:
    assert dir(kdscan) == sorted(kdscan.__all__)
    for name in kdscan.__all__:
        assert getattr(kdscan, name).__name__ == name
    assert kdscan.__version__ == version("kdscan")


@pytest.mark.parametrize(
    ("found", "short"),
    [
        (make_sheet(), "<duel_map: 37 points, 97% sure>"),
        (make_sheet(doubtful=[(0, 5)]), "<duel_map: 37 points, 97% sure, please check>"),
        (make_kingdom(), "<kingdom: 21 points, 99% sure>"),
        (make_book(play_game(1).spellbook), "<duel_spellbook: kdscan-a5-spellbook, 99% sure>"),
    ],
)
def test_readings_are_told_in_a_line_and_as_a_dictionary(found: AnyReading, short: str) -> None:
    assert repr(found) == short
    assert ("<mark>F1</mark>" in found._repr_html_()) == (
        "check" in short
    )  # as a notebook shows it
    told = kdscan.to_dict(found)
    assert told["kind"] == found.kind and json.loads(json.dumps(told)) == told


def test_the_guides_examples_run_on_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (ROOT / "docs/guides/programmer.md").read_text("utf-8")
    table = make_table(
        5, "easy", book_page=own_book(), page=own_page(), messiness=0.1, size_wh=(2304, 1728)
    )
    cv2.imwrite(str(tmp_path / "photo.jpg"), table.bgr)
    names: dict[str, object] = {}
    for example in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(example.replace("photo.jpg", str(tmp_path / "photo.jpg")), names)
    told = capsys.readouterr().out
    assert told.count("<duel_map: ") == 4 and told.count("<duel_spellbook: ") == 1


def test_a_photo_is_a_name_bytes_or_an_array() -> None:
    path = ROOT / "samples/01.jpg"
    (named,) = kdscan.load_photos(path)
    (sent,) = kdscan.load_photos(path.read_bytes())
    (decoded,) = kdscan.load_photos(named.bgr)
    assert (named.bgr == sent.bgr).all() and (named.bgr == decoded.bgr).all()
    with pytest.raises(ValueError, match="a photo is"):
        kdscan.load_photos(np.zeros((9, 9), np.uint8))
    assert len(kdscan.load_photos(path)) == 1
    assert (kdscan.load_photos(path)[0].bgr == named.bgr).all()


def test_corrections_of_every_kind_add_up() -> None:
    sheet = kdscan.correct(make_sheet(), {(0, 0): (Coat.LINE, 2)})
    sheet = kdscan.correct(sheet, kdscan.MapCorrections(confirmed=True))
    assert (0, 0) in sheet.evidence.corrections.cells and not sheet.review
    kingdom = kdscan.correct(make_kingdom(), {(0, 0): ("lake", 1)})
    kingdom = kdscan.correct(kingdom, kdscan.KingdomCorrections({(0, 1): ("mine", 2)}))
    assert [s.content for s in kingdom.cells[:2]] == [("lake", 1), ("mine", 2)]
    book = make_book(play_game(1).spellbook)
    book = kdscan.correct(book, {(0, Coat.DOT): SpellbookLine(2)})
    book = kdscan.correct(book, kdscan.SpellbookCorrections(choices={1: Coat.DOT}))
    assert book.book.lines[0][Coat.DOT].filled == 2 and book.chosen[1] is Coat.DOT


def test_coats_may_be_given_by_their_names_as_in_json() -> None:
    names: tuple[Any, ...] = (Coat.LINE, "line")
    book = make_book(play_game(1).spellbook)
    for name in names:
        assert kdscan.correct(book, kdscan.SpellbookCorrections(choices={1: name})).chosen[1]
        assert kdscan.correct(make_sheet(), kdscan.MapCorrections(wizard=(name,))).score.wizard


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: kdscan.MapCorrections({(9, 9): (None, 0)}), "no shield at"),
        (lambda: kdscan.MapCorrections({(0, 0): (Coat.DOT, -2)}), "-2 crosses"),
        (lambda: kdscan.MapCorrections({(0, 0): (NO_COAT, 1)}), "'dots'"),
        (lambda: kdscan.MapCorrections({(0, 0): (None, 1)}), "None with 1 crosses"),
        (lambda: kdscan.MapCorrections(wizard=(NO_COAT,)), "'dots'"),
        (lambda: kdscan.KingdomCorrections({(-1, 0): ("lake", 1)}), "no square at"),
        (lambda: kdscan.KingdomCorrections({(0, 0): ("lake", 3)}), "'lake', 3"),
        (lambda: kdscan.SpellbookCorrections({(2, Coat.DOT): SpellbookLine()}), "side 2"),
        (lambda: kdscan.SpellbookCorrections(choices={0: NO_COAT}), "'dots'"),
        (lambda: kdscan.ReadOptions(game="Duel"), "duel or kingdomino"),  # type: ignore[arg-type]
        (lambda: kdscan.ReadOptions(risk=float("nan")), "nan"),
        (lambda: kdscan.correct(make_sheet(), {}, risk=-1), "-1"),
    ],
)
def test_values_that_mean_nothing_are_refused(make: Callable[[], object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make()


@pytest.mark.parametrize("given", ["photo.jpg", Path("photo.jpg"), b"", TILE, None, [TILE]])
def test_what_is_no_photo_is_refused(given: Any) -> None:
    for call in (
        lambda: kdscan.read_photo(given),
        lambda: kdscan.draw_overlay(given, ()),
        lambda: kdscan.learn_template([given], "club"),
    ):
        with pytest.raises(TypeError, match="the photos that load_photos yields"):
            call()
    if not isinstance(given, np.ndarray):
        with pytest.raises(TypeError, match="a photo is an array"):
            kdscan.Photo(given)


def test_what_corrects_or_keeps_another_thing_is_refused() -> None:
    with pytest.raises(TypeError, match="a duel_map is corrected by MapCorrections"):
        kdscan.correct(make_sheet(), kdscan.KingdomCorrections())
    with pytest.raises(TypeError, match="stored as a dictionary"):
        kdscan.deserialize([])  # type: ignore[arg-type]


def test_importing_costs_nothing() -> None:
    code = "import sys, kdscan; print(*sorted({'numpy', 'cv2', 'onnxruntime'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
