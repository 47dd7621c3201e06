import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import UsageError
from kdscan.inference.store import default_models
from kdscan.templates import pool as pools
from kdscan.templates.flat import FlatSheet, deduplicate, from_bytes, same_sheet, to_bytes
from kdscan.templates.known import KnownPrint
from kdscan.templates.library import Library
from kdscan.templates.pile import LearnedPrint
from kdscan.templates.pool import SheetPool
from kdscan.templates.zipped import packed, unpacked
from tests.templates.pads import PAINTED, learned

GAME = "12.3451.2634.15263.412536.1425361."


def flat(key: str, coats: str) -> FlatSheet:
    coarse = np.random.default_rng(1).integers(0, 255, (26, 34, 3), np.uint8)
    return FlatSheet(key, coats, UNKNOWN_LAYOUT, coarse.repeat(32, 0).repeat(32, 1))


def other(seed: int) -> str:
    return "".join(map(str, np.random.default_rng(seed).integers(1, 7, 34)))


def test_a_sheet_comes_back_from_its_file() -> None:
    sheet = flat("a", GAME)
    back = from_bytes(to_bytes(sheet), "a")
    assert back is not None and (back.coats, back.layout) == (GAME, UNKNOWN_LAYOUT)
    assert np.abs(back.bgr.astype(int) - sheet.bgr).mean() < 3
    assert from_bytes(to_bytes(sheet)[:-200], "a") is None
    assert from_bytes(b"rubbish", "a") is None


def test_a_file_of_another_version_is_no_sheet() -> None:
    data = to_bytes(flat("a", GAME))
    head, picture = json.loads(unpacked(data, "sheet.json")), unpacked(data, "sheet.jpg")
    for change in ({"format": "another"}, {"coats": GAME[1:]}):
        text = json.dumps(head | change).encode()
        assert from_bytes(packed({"sheet.json": text, "sheet.jpg": picture}), "a") is None


def test_a_sheet_photographed_twice_is_one() -> None:
    early = flat("early", GAME[:20] + "." * 14)
    late, games = flat("late", GAME), [flat(str(n), other(n)) for n in range(5)]
    upside_down = flat("turned", GAME[::-1])
    misread = flat("misread", GAME[:24] + other(9)[24:])
    for one in (early, upside_down, misread):
        assert same_sheet(one, late)
    assert not any(same_sheet(late, one) for one in games)
    kept = deduplicate([early, *games, late, upside_down])
    assert [one.key for one in kept] == ["0", "1", "2", "3", "4", "late"]


def test_the_folder_stays_small_and_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MAX_KEPT", 4)
    pool = SheetPool(tmp_path / "sheets", Library(tmp_path / "prints"))
    assert pool.size == (0, 0) and pool.learns()
    for n in range(6):
        pool.add([flat(str(n), other(n))])
    assert [head.key for head in pool.heads()] == ["2", "3", "4", "5"]
    pool.add([flat("again", other(5)[:30] + "....")])  # an earlier photo of the same sheet
    assert [head.key for head in pool.heads()] == ["2", "3", "4", "5"]
    (pool.folder / "bad.kdflat").write_bytes(b"rubbish")
    assert len(pool.load()) == 4 and pool.size[0] == 4
    pool.switch(False)
    assert pool.size == (0, 0)
    states = [pool.learns()]
    for wish in (True, False, True):
        pool.switch(wish)
        states.append(pool.learns())
    assert states == [False, True, False, True]


def test_prints_that_another_program_saves_meanwhile_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two commands that read one pad at once would teach it twice."""
    pool, painted = SheetPool(tmp_path / "sheets", Library(tmp_path / "prints")), learned(PAINTED)
    one, two, three = (replace(painted, name=f"pad {n}") for n in (1, 2, 3))
    sheets = [flat(str(n), other(n)) for n in range(4)]
    pool.library.save(one)  # while the photos were read

    def learn(_: object, known: Iterable[KnownPrint], *__: object) -> list[LearnedPrint]:
        if len(list(known)) == 1:
            pool.library.save(two)  # while this was learned
        return [LearnedPrint(three, frozenset("0"))]

    monkeypatch.setattr(pools, "learn_from_pile", learn)
    found: list[KnownPrint] = []
    for name in ("pad 1", "pad 2", "pad 3"):
        assert not pool.heads(), "they are to be read again"
        pool.add(sheets)
        (new,) = pool.learn(found, default_models().ink)
        assert new.name == name
        found.append(new)
    assert [known.name for known in pool.library.load()] == ["pad 1", "pad 2", "pad 3"]
    assert sorted(head.layout for head in pool.heads()) == ["pad 3", *[UNKNOWN_LAYOUT] * 3]


def test_sheets_stay_new_until_they_were_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends a program meanwhile; but a bug comes up once."""
    pool = SheetPool(tmp_path / "sheets", Library(tmp_path / "prints"))
    asked: list[set[str]] = []
    pool.add(flat(str(n), other(n)) for n in range(3))
    assert pool.learn([], default_models().ink) == []
    pool.add(flat(str(n), other(n)) for n in range(5))

    def learn(*given: object) -> list[LearnedPrint]:
        asked.append(given[-1])  # type: ignore[arg-type]
        raise (KeyboardInterrupt, ZeroDivisionError)[len(asked) - 1]

    monkeypatch.setattr(pools, "learn_from_pile", learn)
    for error in (KeyboardInterrupt, ZeroDivisionError):
        with pytest.raises(error):
            pool.learn([], default_models().ink)
    assert pool.learn([], default_models().ink) == []
    assert asked == [{"3", "4"}] * 2
    assert [head.key for head in pool.heads()] == ["0", "1", "2", "3", "4"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may look anywhere")
def test_a_folder_that_may_not_be_looked_into_is_no_bug(tmp_path: Path) -> None:
    pool = SheetPool(tmp_path / "sheets", Library(tmp_path / "prints"))
    pool.folder.mkdir(mode=0)
    try:
        assert pool.learns() and pool.heads() == []
        with pytest.raises(UsageError, match="cannot be written"):
            pool.add([flat("a", GAME)])
    finally:
        pool.folder.chmod(0o700)


def test_what_cannot_be_read_or_removed_is_no_bug(tmp_path: Path) -> None:
    """As files that belong to another user; nobody may read a folder as a file either."""
    pool = SheetPool(tmp_path / "sheets", Library(tmp_path / "prints"))
    (pool.folder / "other.kdflat").mkdir(parents=True)
    pool.add([flat("a", GAME)])
    assert [head.key for head in pool.heads()] == ["a"]
    with pytest.raises(UsageError, match="cannot be removed"):
        pool.switch(False)
