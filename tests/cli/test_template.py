"""The known prints on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kdscan.event.events import find_row, forget_event, open_row
from kdscan.event.prints import EventPrints, add_print, event_prints
from kdscan.event.store import open_store
from kdscan.paper.layout import layout_to_toml, load_layout
from kdscan.templates.library import load_template, own_library, to_stored
from kdscan.templates.template import SUFFIX
from tests.command import Command
from tests.templates.made import made_template

pytestmark = pytest.mark.usefixtures("own_data")


def template(run: Command, *words: object, code: int = 0) -> str:
    """What a command says, on stdout when all went well, else on stderr."""
    said = run("template", *words, code=code)
    return said.err if code else said.out


def test_empty_library(run: Command) -> None:
    said = run("template", "list")
    assert said.out == "" and "template learn" in said.err
    assert json.loads(template(run, "list", "--json")) == {"templates": []}


def test_damaged_file_is_reported_and_skipped(run: Command) -> None:
    own_library().save(made_template("good"))
    (own_library().folder / "bad.kdprint").write_bytes(b"rubbish")
    said = run("template", "list")
    assert "good" in said.out and "bad.kdprint" in said.err and "skipped" in said.err


def test_export_and_import(tmp_path: Path, run: Command) -> None:
    own_library().save(made_template("club"))
    shared, picture = tmp_path / "club.kdprint", tmp_path / "club.png"
    template(run, "export", "CLUB", "-o", shared)
    assert template(run, "show", "club", "-o", picture) == template(run, "list")
    assert picture.read_bytes().startswith(b"\x89PNG")
    template(run, "forget", "club")
    assert own_library().load() == ()
    assert "club" in template(run, "import", shared)
    assert own_library().get("club").data == load_template(shared).data
    template(run, "import", shared)  # once more, the same
    template(run, "import", shared, "--name", "Club 2")
    assert [one.name for one in own_library().load()] == ["club", "Club 2"]


def test_import_overwrites_only_with_replace(tmp_path: Path, run: Command) -> None:
    mine = own_library().save(made_template("club", 1))
    theirs, new = tmp_path / "theirs.kdprint", tmp_path / "new.kdprint"
    theirs.write_bytes(to_stored(made_template("Club", 2)).data)
    new.write_bytes(to_stored(made_template("new", 3)).data)
    assert "--replace" in template(run, "import", new, theirs, code=2)
    assert [one.data for one in own_library().load()] == [mine.data]  # all or nothing
    template(run, "import", new, theirs, "--replace")
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
def test_errors_name_the_remedy(words: list[str], remedy: str, run: Command) -> None:
    own_library().save(made_template("club"))
    assert remedy in template(run, *words, code=2)


def test_mistyped_name_forgets_none(run: Command, tmp_path: Path) -> None:
    own_library().save(made_template("club"))
    assert "known: club" in template(run, "forget", "club", "nobody", code=2)
    assert [one.name for one in own_library().load()] == ["club"]
    url = str(tmp_path / "cup.sqlite")
    with open_store(url) as store, store.write() as db:
        add_print(store, db, open_row(db, "cup").id, to_stored(made_template("pad")))
    assert "known: pad" in template(run, "forget", "pad", "nobody", "--store", url, code=2)
    assert "pad" in template(run, "list", "--store", url)


def test_forgotten_automatic_template_stops_learning(run: Command, tmp_path: Path) -> None:
    url = str(tmp_path / "cup.sqlite")
    with open_store(url) as store, store.write() as db:
        one = to_stored(replace(made_template("pad"), by_itself=True))
        add_print(store, db, open_row(db, "my cup").id, one)
    said = run("template", "forget", "pad", "--event", "my cup", "--store", url).err
    assert "pad had been learned automatically" in said
    with open_store(url) as store, store.read() as db:
        assert not EventPrints(store, find_row(db, "my cup").id).learns()


def test_layout_file_is_no_template(run: Command, tmp_path: Path) -> None:
    """Layouts were accepted, and ignored without a word."""
    club = tmp_path / "club.toml"
    club.write_text(layout_to_toml(load_layout("kdscan-a5")), encoding="utf-8")
    for name, why in ((club, "this is not a kdscan"), ("kdscan-a5", "there is no such file")):
        said = run("score", "photo.jpg", "--template", name, code=2)
        assert said.err.startswith(f"kdscan: {name}: {why}")


def test_forgotten_event_leaves_no_template_behind(tmp_path: Path) -> None:
    one = to_stored(made_template("club"))
    with open_store(str(tmp_path / "cup.sqlite")) as store:
        with store.write() as db:
            first, second = (open_row(db, name) for name in ("first", "second"))
            for event in (first, second):
                add_print(store, db, event.id, one)
            sha256 = event_prints(db, first.id)[0].sha256
        forget_event(store, first.id)
        assert store.photos.has(sha256, SUFFIX)  # the other event has it too
        forget_event(store, second.id)
        assert not store.photos.has(sha256, SUFFIX)
