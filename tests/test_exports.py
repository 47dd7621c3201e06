"""What `kdscan` promises to those who import it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import kdscan
from kdscan.game.duel.players import random_game
from kdscan.records import AnyReading
from tests.readings import make_book, make_kingdom, make_sheet

ROOT = Path(__file__).parent.parent


def test_public_names_are_pinned() -> None:
    assert sorted(kdscan.__all__) == [
        "KdscanError",
        "KingdomReading",
        "KnownPrint",
        "Photo",
        "SheetReading",
        "SpellbookReading",
        "__version__",
        "correct",
        "draw_overlay",
        "known_prints",
        "learn_print",
        "load_photos",
        "load_print",
        "read_photo",
        "save_print",
        "to_dict",
    ]


def test_every_public_name_is_there() -> None:
    for name in set(kdscan.__all__) - {"__version__", "to_dict"}:
        assert getattr(kdscan, name).__name__ == name
    assert kdscan.to_dict.__name__ == "sheet_json"
    assert kdscan.__version__ == version("kdscan")


@pytest.mark.parametrize(
    ("found", "short"),
    [
        (make_sheet(), "<duel_map: 37 points, 97.0% sure>"),
        (make_sheet(doubtful=[(0, 5)]), "<duel_map: 37 points, 97.0% sure, please check>"),
        (make_kingdom(), "<kingdom: 21 points, 99.6% sure>"),
        (make_book(random_game(1).spellbook), "<duel_spellbook: kdscan-a5-spellbook, 99.2% sure>"),
    ],
)
def test_readings_are_told_in_a_line_and_as_a_dictionary(found: AnyReading, short: str) -> None:
    assert repr(found) == short
    told = kdscan.to_dict(found)
    assert told["kind"] == found.kind and json.loads(json.dumps(told)) == told


def test_the_guides_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    guide = (ROOT / "docs/guides/programmer.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(example.replace("photo.jpg", str(ROOT / "samples/10.jpg")), {})
    assert capsys.readouterr().out.startswith("duel_map 0.")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="nothing_such"):
        kdscan.nothing_such  # noqa: B018


def test_importing_costs_nothing() -> None:
    code = "import sys, kdscan; print(*sorted({'numpy', 'cv2', 'onnxruntime'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_a_sheet_is_corrected_and_counted_without_opencv() -> None:
    code = """
import sys
from kdscan.cli import standings
from kdscan.kinds import KINDS, kind_of
from kdscan.tournament import event, results
from tests.readings import make_book, make_kingdom, make_sheet
from kdscan.game.duel.players import play_game
for found in (make_sheet(), make_kingdom(), make_book(play_game(1).spellbook)):
    kind = kind_of(found)
    again = kind.deserialize(kind.serialize(found), 0.02)
    kind.to_json(kind.correct_fields(again, {"confirmed": True}, 0.02))
print(*sorted({"cv2", "onnxruntime", "PIL", "skimage"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
