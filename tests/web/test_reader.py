"""What is read by which rules, and when."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import NoSheetFound, ReaderDied, StoreError, StoreFull
from kdscan.event.actions import SetRules
from kdscan.event.events import open_event
from kdscan.event.store import Store
from kdscan.event.store.photos import add_reading, get_photo, readings
from kdscan.event.store.schema import PhotoRow
from kdscan.event.tasks import Ingest, Ingested, PageResult, Read
from kdscan.web import uploads
from kdscan.web.live import Live
from kdscan.web.sessions import new_session
from kdscan.web.tasks import PictureCache
from kdscan.web.uploads import Reader, add_upload, left_behind, try_again


class Workers:
    """A worker in a thread, which notes what it is to read and sees no sheet."""

    max_workers = 1

    def __init__(self, work: Callable[[Any], Any] | None = None, pages: int = 1) -> None:
        self.reads: list[Read] = []
        self._work, self._pages = work, pages

    def submit(self, task: Any) -> Future[Any]:
        future: Future[Any] = Future()
        threading.Thread(target=self._perform, args=(task, future)).start()
        return future

    def _perform(self, task: Any, future: Future[Any]) -> None:
        try:
            if self._work is not None and (result := self._work(task)) is not None:
                future.set_result(result)
            elif isinstance(task, Ingest):
                future.set_result(Ingested("0" * 64, task.suffix, 5, self._pages))
            else:
                self.reads.append(task)
                nothing = NoSheetFound("nothing")
                report = PhotoReport(task.name, task.page, size_wh=(8, 8), error=nothing)
                future.set_result(PageResult(dict(photo_json(report)), [], 0.1))
        except Exception as error:
            future.set_exception(error)


def reader_of(store: Store, live: Live, workers: Any) -> Reader:
    return Reader(store, live, workers, "models", PictureCache(store, workers, "models"))


@contextmanager
def reading(store: Store, live: Live, workers: Workers) -> Iterator[Reader]:
    """A reader that has read everything at the end."""
    reader = reader_of(store, live, workers)
    reader.start()
    with closing(reader):
        yield reader
        wait(reader)


def sent(store: Store, live: Live, name: str, data: bytes = b"") -> int:
    session = new_session("desk", "test")
    return add_upload(store, live.id, data or name.encode(), name, session)[0]


def wait(reader: Reader) -> None:
    """Return when everything has been read."""
    deadline = time.monotonic() + 60
    while reader.waiting:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_bug_or_a_crash_fails_a_photo_that_can_be_tried_again(store: Store) -> None:
    errors = {"bug": RuntimeError("unforeseen"), "reader_died": ReaderDied("ended")}
    for code, error in errors.items():

        def fail(_: object, error: Exception = error) -> None:
            raise error

        live = Live(store, f"Cup {code}")
        photo = sent(store, live, f"{code}.jpg")
        with reading(store, live, Workers(fail)):
            pass
        row = live.event().photos[photo]
        assert row.error_code == code
        try_again(store, row)
        assert live.event().photos[photo].error_code is None
        assert left_behind(live.event()) == [photo]


@pytest.mark.parametrize("size", [5, 7])
def test_a_limit_that_is_said_while_the_page_is_open_counts_from_then_on(
    store: Store, size: int
) -> None:
    def say(great_duel: bool) -> None:
        with store.write() as db:
            open_event(db, f"Cup {size}", "kingdomino", SetRules(great_duel=great_duel))

    say(size != 7)
    live, workers = Live(store, f"Cup {size}"), Workers()
    versions = []
    with reading(store, live, workers) as reader:
        for great_duel in (size != 7, size == 7):
            say(great_duel)
            photo = sent(store, live, f"{size} {great_duel}.jpg")
            reader.enqueue(photo)
            wait(reader)
            with store.read() as db:
                versions += [row.models for row in readings(db, [photo])]
    assert versions == [f"models {n}x{n}" for n in (12 - size, size)]
    assert [task.variants.size for task in workers.reads] == [12 - size, size]


def test_senders_take_turns(store: Store) -> None:
    """Who sends one photo waited for all of another's pile."""
    live, workers = Live(store, "Turns"), Workers()
    reader = reader_of(store, live, workers)
    names = ("pile 1", "pile 2", "pile 3", "one", "pile 4", "other 1", "other 2")
    photos = [sent(store, live, name) for name in names]
    for name, photo in zip(names, photos, strict=True):
        reader.enqueue(photo, sender=name.split()[0])
    reader._thread.start()
    with closing(reader):
        wait(reader)
    order = ["pile 1", "one", "other 1", "pile 2", "other 2", "pile 3", "pile 4"]
    assert [task.name for task in workers.reads] == order


def test_a_photo_that_is_sent_for_while_it_is_read_is_read_again(store: Store) -> None:
    def learn(task: Any) -> None:
        if isinstance(task, Read) and not workers.reads:
            reader.enqueue(photo)
            time.sleep(0.2)

    live, workers = Live(store, "Twice"), Workers(learn)
    reader = reader_of(store, live, workers)
    photo = sent(store, live, "a.jpg")
    reader.start()
    with closing(reader):
        wait(reader)
    assert len(workers.reads) == 2


def test_all_pages_of_a_photo_are_read_before_it_counts_as_read(store: Store) -> None:
    live, workers = Live(store, "Pages"), Workers(pages=3)
    photo = sent(store, live, "a.pdf")
    states: list[int | None] = []

    def look(task: Any) -> None:
        states.append(live.event().photos[photo].pages)

    workers._work = look
    with reading(store, live, workers):
        pass
    assert states == [None] * 4
    assert live.event().photos[photo].pages == 3
    assert [task.page for task in workers.reads] == [0, 1, 2]


def test_a_photo_waits_until_the_store_has_room_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals: list[Exception] = [StoreFull("disk full"), StoreError("no server")] * 2

    def no_room(*what: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return add_reading(*what)

    monkeypatch.setattr(uploads, "AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(uploads, "add_reading", no_room)
    live = Live(store, "Full")
    photo = sent(store, live, "full.jpg")
    with reading(store, live, Workers()):
        pass
    assert not refusals
    with store.read() as db:
        assert len(readings(db, [photo])) == 1


def picture_of(store: Store, name: str) -> PhotoRow:
    with store.read() as db:
        row = get_photo(db, sent(store, Live(store, "Cup"), name))
    assert row is not None
    return row


def test_a_photo_whose_file_is_gone_costs_no_worker(store: Store) -> None:
    photo = picture_of(store, "gone.png")
    Path(store.photos.place(photo.sha256, photo.suffix)).unlink()

    async def look() -> None:
        workers = Workers(lambda task: task.perform())
        with pytest.raises(StoreError, match="restore the folder of photos"):
            await PictureCache(store, workers, "models").get(photo, 7, "thumb")

    asyncio.run(look())
