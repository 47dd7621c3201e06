"""An event moves from store to store with everything that belongs to it."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path

import pytest

from kdscan.errors import StoreError, UnreadableImage, UsageError
from kdscan.event.acts import note_pairing, note_participation
from kdscan.event.archive.load import load_event
from kdscan.event.archive.save import save_event
from kdscan.event.event import event_state
from kdscan.event.export import write_csv, write_json_lines
from kdscan.event.plan import set_result
from kdscan.event.removing import set_removed
from kdscan.event.results import results
from kdscan.event.store import Store, open_store
from kdscan.event.store.corrections import add_correction, corrections, undo
from kdscan.event.store.events import ensure_event, ensure_player, events, find_event, players
from kdscan.event.store.games import games, set_game
from kdscan.event.store.photos import add_file, add_photo, set_pages
from kdscan.event.store.readings import add_reading, sheets
from kdscan.i18n.errors import error_json
from tests.event.entries import MODELS, entry, kept
from tests.readings import make_sheet


def fill(store: Store) -> None:
    """An event with a bit of everything, after another one that took the first ids."""
    with store.write() as db:
        other = ensure_event(db, "other")
        ensure_player(db, other.id, "Somebody")
        event = ensure_event(db, "cup")
        a, b = (ensure_player(db, event.id, name, club="x").id for name in ("Ada", "Bob"))
        game = set_game(db, event.id, 1, 2, [b, a])
        for n, suffix in enumerate((".jpg", "")):
            sha = store.photos.put(b"photo %d" % n, suffix)
            photo = add_photo(db, event.id, sha, suffix, 7)
            set_pages(db, photo.id, 1)
            add_file(db, event.id, f"{n}{suffix}", photo.id, details={"round": 1})
            sheet = make_sheet(doubtful=[(n, 1)])
            add_reading(db, photo, 0, MODELS, entry(sheet), kept(sheet), 0.5)
        gone = UnreadableImage("the file could not be fetched: {why}", why="gone")
        add_file(db, event.id, "gone", None, error=error_json(gone))
        first, second = sheets(db, event.id)
        what = {"coat": "dot", "crosses": 3}
        said = add_correction(db, event.id, "cell:0,1", what, "Ada", sheet_id=first.id)
        undo(db, said.id, "Bob")
        add_correction(db, event.id, "same_as", first.id, "Ada", sheet_id=second.id)
        # Once what a result replaced was kept by names.
        named = {"Ada": 3, "Bob": None}
        add_correction(db, event.id, "result", {str(a): 11}, "Ada", game_id=game, old=named)
        set_result(db, event, 1, 2, "Ada", points=[("ada", 12)])


def told(store: Store, name: str) -> tuple[object, ...]:
    out = io.StringIO()
    with store.read() as db:
        event = find_event(db, name)
        rows = list(results(db, event.id))
        settled = [c for c in corrections(db, event.id) if c.field == "result"]
        names = {p.id: (p.name, p.details) for p in players(db, event.id)}
        tables = [
            (g.round, g.table, [names[s] for s in g.seats], g.details) for g in games(db, event.id)
        ]
        said = [(c.field, c.who, c.at, c.undoes is None) for c in corrections(db, event.id)]
    write_csv(rows, out)
    write_json_lines(rows, out)
    assert [{names[int(p)][0]: n for p, n in c.new.items()} for c in settled] == [
        {"Ada": 11},
        {"Ada": 12},
    ]
    first, second = (c.old for c in settled)
    assert first == {"Ada": 3, "Bob": None}
    assert {names[int(p)][0]: n for p, n in second.items()} == {"Ada": None, "Bob": None}
    return out.getvalue(), list(names.values()), tables, said, event.created_at


def test_an_event_moves_to_another_database(store: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "cup.kdscan"
    assert save_event(store, "cup", path) == 2
    with open_store(str(tmp_path / "new.sqlite")) as new:
        loaded = load_event(new, path)
        assert (loaded.photos, loaded.sheets, loaded.event.name) == (2, 2, "cup")
        assert told(new, "cup") == told(store, "cup")
        again = tmp_path / "again.kdscan"
        save_event(new, "cup", again)
    loaded = load_event(store, again, "cup, copy")
    assert told(store, "cup, copy") == told(store, "cup")
    with pytest.raises(UsageError, match="--as"):
        load_event(store, path)


def test_an_event_can_be_saved_where_no_clock_is_set(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small computer without a network starts in 1970, before the first date of a zip file."""
    fill(store)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(0))
    assert save_event(store, "cup", tmp_path / "cup.kdscan") > 0


def test_an_event_may_be_appended(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `kdscan export --archive - >> FILE`."""
    fill(store)
    path = tmp_path / "event.zip"
    with path.open("a") as out, monkeypatch.context() as patched:
        patched.setattr("sys.stdout", out)
        save_event(store, "cup", Path("-"))
    with zipfile.ZipFile(path) as written:
        assert written.testzip() is None


def test_who_won_because_nobody_came_is_known_there_too(store: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "cup.kdscan"
    with store.write() as db:
        set_result(db, find_event(db, "cup"), 1, 2, "Ada", walkover="Bob")
    save_event(store, "cup", path)
    with open_store(str(tmp_path / "new.sqlite")) as new:
        load_event(new, path)
        with new.read() as db:
            (game,) = event_state(db, find_event(db, "cup")).games
    assert game.walkover == "Bob"


def test_what_was_taken_out_and_who_dropped_out_move_too(store: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "cup.kdscan"
    with store.write() as db:
        event = find_event(db, "cup")
        set_removed(db, event, "gone", "Ada")
        set_removed(db, event, "0.jpg", "Ada")
        note_participation(db, event, "Bob", False, "Ada", before=True)
        note_pairing(db, event, 1, "Ada")
    save_event(store, "cup", path)
    with open_store(str(tmp_path / "new.sqlite")) as new:
        load_event(new, path)
        with new.read() as db:
            assert [row.file.name for row in results(db, find_event(db, "cup").id)] == ["1"]
        assert told(new, "cup") == told(store, "cup")


def test_what_is_no_event_is_refused_whole(store: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "cup.kdscan"
    save_event(store, "cup", path)
    whole = path.read_bytes()
    with open_store(str(tmp_path / "new.sqlite")) as new:
        for data in (
            b"",
            b"PK",
            whole[: len(whole) // 2],
            _without(path, "photos/"),
            _without(path, "e"),
        ):
            path.write_bytes(data)
            with pytest.raises(UsageError):
                load_event(new, path)
            path.write_bytes(whole)
        with pytest.raises(UsageError):
            load_event(new, tmp_path / "none")
        with new.read() as db:
            assert events(db) == []


def _without(path: Path, start: str) -> bytes:
    """The archive with one part spoilt."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"{}" if name.startswith(start) else old.read(name))
    return out.getvalue()


def test_a_lost_photo_is_said_so(store: Store, tmp_path: Path) -> None:
    fill(store)
    for kept_photo in Path(store.photos.root).rglob("*.jpg"):
        kept_photo.unlink()
    path = tmp_path / "cup.kdscan"
    with pytest.raises(StoreError, match="cannot be read"):
        save_event(store, "cup", path)
    assert list(tmp_path.glob("cup.kdscan*")) == []


@pytest.mark.parametrize("who", ["x" * 201, "a\tb", "\udcff"], ids=["long", "tab", "bytes"])
def test_nothing_is_noted_under_a_name_that_no_archive_can_hold(store: Store, who: str) -> None:
    fill(store)
    with store.write() as db, pytest.raises(UsageError):
        set_result(db, find_event(db, "cup"), 1, 2, who, points=[("Ada", 13)])


def test_a_blank_name_is_none(store: Store, tmp_path: Path) -> None:
    fill(store)
    save_event(store, "cup", tmp_path / "cup.kdscan")
    with open_store(str(tmp_path / "other.sqlite")) as other:
        assert load_event(other, tmp_path / "cup.kdscan", "  ").event.name == "cup"


def test_a_photo_may_be_called_like_a_print(store: Store, tmp_path: Path) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        sha = store.photos.put(b"no print", ".kdprint")
        add_file(db, event.id, "club.kdprint", add_photo(db, event.id, sha, ".kdprint", 8).id)
    save_event(store, "cup", tmp_path / "cup.kdscan")
    with open_store(str(tmp_path / "other.sqlite")) as other:
        assert load_event(other, tmp_path / "cup.kdscan").photos == 1
        assert other.photos.has(sha, ".kdprint")
