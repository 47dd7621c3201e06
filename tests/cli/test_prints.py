"""The known prints on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kdscan.cli.known_prints import known_prints
from kdscan.event.forgetting import forget_event
from kdscan.event.store import open_store
from kdscan.event.store.events import ensure_event
from kdscan.event.store.prints import add_print, event_prints
from kdscan.paper.layout import load_layout
from kdscan.paper.toml import layout_to_toml
from kdscan.templates.file import load_print, to_filed
from kdscan.templates.library import own_library
from kdscan.templates.names import SUFFIX
from tests.command import Command
from tests.templates.made import made_print

pytestmark = pytest.mark.usefixtures("own_data")


def layout(run: Command, *words: object, code: int = 0) -> str:
    """What a command says, on stdout when all went well, else on stderr."""
    said = run("layout", *words, code=code)
    return said.err if code else said.out


def test_nothing_is_known_at_first(run: Command) -> None:
    said = run("layout", "list")
    assert said.out == "" and "layout learn" in said.err
    assert json.loads(layout(run, "list", "--json")) == {"prints": []}


def test_the_list_says_how_well_each_is_known(run: Command) -> None:
    one, two = to_filed(made_print("moor", 1), "2026-01-02"), to_filed(made_print("atlas", 2))
    for each in (one, two):
        own_library().save(each)
    heads, first, second = layout(run, "list").splitlines()
    assert first.split()[0] == "atlas" and second.split()[0] == "moor"
    assert "5" in second and "50%" in second and second.endswith("2026-01-02")
    assert len(heads) == len(second)
    atlas, moor = json.loads(layout(run, "list", "--json"))["prints"]
    assert atlas["name"] == "atlas" and moor["learned"] == "2026-01-02"
    assert (moor["sheets"], moor["circles"], moor["shield_corners"]) == (5, 2, 3)
    assert moor["known"] == pytest.approx(0.5, abs=0.02)


def test_a_damaged_one_is_told_and_skipped(run: Command) -> None:
    own_library().save(made_print("good"))
    (own_library().folder / "bad.kdprint").write_bytes(b"rubbish")
    said = run("layout", "list")
    assert "good" in said.out and "bad.kdprint" in said.err and "skipped" in said.err


def test_a_print_is_shared_by_a_file(tmp_path: Path, run: Command) -> None:
    own_library().save(made_print("club"))
    shared, picture = tmp_path / "club.kdprint", tmp_path / "club.png"
    layout(run, "export", "CLUB", "-o", shared)
    assert layout(run, "show", "club", "-o", picture) == layout(run, "list")
    assert picture.read_bytes().startswith(b"\x89PNG")
    layout(run, "forget", "club")
    assert own_library().load() == ()
    assert "club" in layout(run, "import", shared)
    assert own_library().get("club").data == load_print(shared).data
    layout(run, "import", shared)  # once more, the same
    layout(run, "import", shared, "--name", "Club 2")
    assert [one.name for one in own_library().load()] == ["club", "Club 2"]


def test_no_other_print_is_overwritten_unasked(tmp_path: Path, run: Command) -> None:
    mine = own_library().save(made_print("club", 1))
    theirs, new = tmp_path / "theirs.kdprint", tmp_path / "new.kdprint"
    theirs.write_bytes(to_filed(made_print("Club", 2)).data)
    new.write_bytes(to_filed(made_print("new", 3)).data)
    assert "--replace" in layout(run, "import", new, theirs, code=2)
    assert [one.data for one in own_library().load()] == [mine.data]  # all or nothing
    layout(run, "import", new, theirs, "--replace")
    assert [one.name for one in own_library().load()] == ["Club", "new"]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["show", "nobody"], "known: club"),
        (["forget", "nobody"], "known: club"),
        (["export", "nobody", "-o", "x.kdprint"], "known: club"),
        (["import", "nothing.kdprint"], "nothing.kdprint: there is no such file"),
        (["import", "a.kdprint", "b.kdprint", "--name", "x"], "one by one"),
        (
            ["export", "club", "-o", "no/such/x.kdprint"],
            "there is no folder no/such; make it first",
        ),
    ],
)
def test_what_cannot_be_done_is_said(words: list[str], remedy: str, run: Command) -> None:
    own_library().save(made_print("club"))
    assert remedy in layout(run, *words, code=2)


def test_who_mistypes_one_print_forgets_none(run: Command, tmp_path: Path) -> None:
    own_library().save(made_print("club"))
    assert "known: club" in layout(run, "forget", "club", "nobody", code=2)
    assert [one.name for one in own_library().load()] == ["club"]
    url = str(tmp_path / "cup.sqlite")
    with open_store(url) as store, store.write() as db:
        add_print(store, db, ensure_event(db, "cup").id, to_filed(made_print("pad")))
    assert "known: pad" in layout(run, "forget", "pad", "nobody", "--store", url, code=2)
    assert "pad" in layout(run, "list", "--store", url)


def test_learning_is_turned_on_again_where_it_was_turned_off(run: Command, tmp_path: Path) -> None:
    url = str(tmp_path / "cup.sqlite")
    with open_store(url) as store, store.write() as db:
        one = to_filed(replace(made_print("pad"), by_itself=True))
        add_print(store, db, ensure_event(db, "my cup").id, one)
    said = run("layout", "forget", "pad", "--event", "my cup", "--store", url).err
    assert said.endswith(f"kdscan layout auto on --event 'my cup' --store {url}\n")


def test_where_no_print_is_known_none_is_listed(run: Command) -> None:
    assert "no print is known yet; see: kdscan" in layout(run, "forget", "club", code=2)


def test_a_print_is_known_whatever_its_file_is_called(tmp_path: Path) -> None:
    file = tmp_path / "club.zip"
    file.write_bytes(to_filed(made_print("club")).data)
    assert [one.name for one in known_prints([str(file)])] == ["club"]


def test_a_layout_is_no_print(run: Command, tmp_path: Path) -> None:
    """Layouts were accepted, and ignored without a word."""
    club = tmp_path / "club.toml"
    club.write_text(layout_to_toml(load_layout("kdscan-a5")), encoding="utf-8")
    for name, why in ((club, "this is not a kdscan print"), ("kdscan-a5", "there is no such file")):
        said = run("score", "photo.jpg", "--layout", name, code=2)
        assert said.err.startswith(f"kdscan: {name}: {why}")


def test_a_forgotten_event_leaves_no_print_behind(tmp_path: Path) -> None:
    one = to_filed(made_print("club"))
    with open_store(str(tmp_path / "cup.sqlite")) as store:
        with store.write() as db:
            first, second = (ensure_event(db, name) for name in ("first", "second"))
            for event in (first, second):
                add_print(store, db, event.id, one)
            sha256 = event_prints(db, first.id)[0].sha256
        forget_event(store, first)
        assert store.photos.has(sha256, SUFFIX)  # the other event has it too
        forget_event(store, second)
        assert not store.photos.has(sha256, SUFFIX)
