"""`kdscan remove` and `kdscan forget` on photos and events of a store."""

from __future__ import annotations

from pathlib import Path

from kdscan.errors import NoSheetFound
from kdscan.event.events import find_event, open_row
from kdscan.event.store import open_store
from kdscan.event.store.photos import add_file, add_photo, add_reading, set_pages
from kdscan.rules.duel.players import play_game
from tests.cli.conftest import Rows, came
from tests.command import Command, Said
from tests.event.entries import MODELS, came_in, entry
from tests.readings import make_sheet

SECOND = str(play_game(5).maps[0])


def test_a_photo_is_taken_out_of_an_event_and_put_back(url: str, rows: Rows, run: Command) -> None:
    came(url, "round 1/a.jpg", make_sheet())
    came(url, "b.jpg", make_sheet(SECOND))
    with open_store(url) as kept, kept.write() as db:
        event = find_event(db, "Cup")
        problem = {"code": "unreadable_image", "message": "there is no such file"}
        add_file(db, event.id, "gone.jpg", None, error=problem)

    def remove(*words: str, code: int = 0) -> Said:
        return run("remove", *words, "--event", "Cup", "--store", url, code=code)

    everything = ["b.jpg", "gone.jpg", "round 1/a.jpg"]
    assert [row["file"] for row in rows()] == everything
    remove("a.jpg", "gone.jpg", "--who", "Zoe")
    assert [row["file"] for row in rows()] == ["b.jpg"]
    with open_store(url) as kept, kept.read() as db:
        assert {one.who for one in find_event(db, "Cup").log} == {"Zoe"}
    remove("a.jpg", "gone.jpg", "--undo")
    assert [row["file"] for row in rows()] == everything
    said = remove("a.jpg", "none.jpg", code=2)
    assert said.out == "" and "Cup has no photo of that name" in said.err


def test_a_page_of_a_scan_is_taken_out_alone(url: str, rows: Rows, run: Command) -> None:
    came(url, "a/scan.pdf", make_sheet())
    with open_store(url) as kept, kept.write() as db:
        (photo, *_) = find_event(db, "Cup").photos.values()
        set_pages(db, photo, 3)
        problem = NoSheetFound("there is none")
        add_reading(db, photo, 1, MODELS, entry(error=problem, page=1), [], 0.1)
        add_reading(db, photo, 2, MODELS, entry(make_sheet(SECOND), page=2), [None], 0.1)
    remove = ["remove", "--event", "Cup", "--store", url]
    assert [(row["page"], row["status"]) for row in rows()] == [
        ("1", "ok"),
        ("2", "failed"),
        ("3", "ok"),
    ]
    assert run(*remove, "scan.pdf#2").out == "a/scan.pdf#2: removed\n"
    assert [row["page"] for row in rows()] == ["1", "3"]
    run(*remove, "scan.pdf#3")
    assert [row["page"] for row in rows()] == ["1"]
    run(*remove, "scan.pdf#2", "scan.pdf#3", "--undo")
    assert len(rows()) == 3
    for none in ("scan.pdf#4", "scan.pdf#0", "scan.pdf#", "scan.pdf#1.1"):
        assert "no photo of that name" in run(*remove, none, code=2).err


def test_photos_of_one_name_are_told_apart(
    url: str, say: Command, run: Command, rows: Rows
) -> None:
    with open_store(url) as store:
        for board in (SECOND, str(play_game(5).maps[1]), str(play_game(6).maps[0])):
            came_in(store, "image.jpg", make_sheet(board), picture=board.encode())
    say("image.jpg", "--player", "Ada")
    say("image.jpg (2)", "--player", "Bob")
    remove = ["remove", "--event", "Cup", "--store", url]
    run(*remove, "image.jpg")
    assert [(row["file"], row["player"]) for row in rows()] == [
        ("image.jpg (2)", "Bob"),
        ("image.jpg (3)", ""),
    ]
    came(url, "1/a.jpg", make_sheet())
    came(url, "2/a.jpg", make_sheet())
    assert "any of 1/a.jpg, 2/a.jpg; name one" in run(*remove, "a.jpg", code=2).err
    assert len(rows()) == 4


def test_an_event_is_forgotten_with_its_photos_but_not_those_of_others(
    url: str, run: Command
) -> None:
    with open_store(url) as kept:
        names = {}
        for event, data in (("Cup", b"one"), ("Cup", b"both"), ("Other", b"both")):
            sha = kept.photos.put(data, ".jpg")
            names[data] = sha
            with kept.write() as db:
                photo = add_photo(db, open_row(db, event).id, sha, ".jpg", 3)
                add_file(db, photo.event_id, f"{data.decode()}.jpg", photo.id)
        views = Path(kept.photos.root, "views", names[b"one"][:2])
        views.mkdir(parents=True)
        for picture in ("view.jpg", "ink0.png"):
            (views / f"{names[b'one']}-0-{picture}").touch()
        forget = ["forget", "--event", "Cup", "--store", url]
        assert "2 photos, 0 sheets, 0 players would be deleted" in run(*forget, code=2).err
        run(*forget, "--yes")
        assert "there is no such event" in run(*forget, "--yes", code=2).err
        assert not kept.photos.has(names[b"one"], ".jpg") and not list(views.iterdir())
        assert kept.photos.has(names[b"both"], ".jpg")
