"""What is read by which rules, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import NoSheetFound, StoreError
from kdscan.event.actions import SetRules
from kdscan.event.events import open_event
from kdscan.event.store import Store
from kdscan.event.store.photos import get_photo, readings
from kdscan.event.store.schema import PhotoRow
from kdscan.web.live import Live
from kdscan.web.pictures import PictureCache
from kdscan.web.pool import Limits, Pool
from kdscan.web.prints import Prints
from kdscan.web.reader import Reader
from kdscan.web.sessions import new_session
from kdscan.web.tasks import Read, Task
from kdscan.web.uploads import add_upload, left_behind, try_again
from kdscan.workers.frames import Frame


class Heard(Pool):
    """Workers that note what they are asked and find nothing."""

    def __init__(self) -> None:
        super().__init__(1, Limits())
        self.asked: list[Read] = []

    async def ask(self, task: Task) -> AsyncIterator[Frame]:
        assert isinstance(task, Read)
        self.asked.append(task)
        report = PhotoReport(task.name, size_wh=(8, 8), error=NoSheetFound("nothing"))
        yield Frame({"pages": 1, "report": photo_json(report), "kept": []})


class Learning(Heard):
    """Workers that teach something between the first reading and its pictures."""

    def __init__(self, learned: Callable[[], None], waiting: Callable[[], int]) -> None:
        super().__init__()
        self._learned, self._waiting = learned, waiting
        self.waited: list[int] = []

    async def ask(self, task: Task) -> AsyncIterator[Frame]:
        self.waited.append(self._waiting())
        async for frame in super().ask(task):
            yield frame
        if len(self.asked) == 1:
            self._learned()


class Undrawing(Pool):
    """Workers that cannot draw the second page."""

    tries = 0

    async def ask(self, task: Task) -> AsyncIterator[Frame]:
        self.tries += 1
        yield Frame({"page": 0}, (b"view", b"thumb"))


class Broken(Pool):
    """Workers that fail as no worker should."""

    def ask(self, task: Task) -> AsyncIterator[Frame]:
        raise RuntimeError("unforeseen")


def reader_of(store: Store, live: Live, pool: Pool) -> Reader:
    prints = Prints(store, live.id)
    return Reader(store, live, pool, PictureCache(store, pool), "models", prints)


def test_a_photo_that_meets_a_bug_waits_no_longer_and_can_be_tried_again(store: Store) -> None:
    live, session = Live(store, "Cup"), new_session("desk", "test")

    async def read() -> None:
        reader = reader_of(store, live, Broken(1, Limits()))
        await reader.start()
        try:
            reader.enqueue(photo)
            await reader.wait(photo, 60)
        finally:
            await reader.close()

    photo, _ = add_upload(store, live.id, b"photo", "a.jpg", session)
    asyncio.run(read())
    row = live.event().photos[photo]
    assert row.error_code == "bug"
    try_again(store, row)
    assert live.event().photos[photo].error_code is None
    assert left_behind(store, live.id) == [photo]


@pytest.mark.parametrize("size", [5, 7])
def test_a_limit_that_is_said_while_the_page_is_open_counts_from_then_on(
    store: Store, size: int
) -> None:
    def say(great_duel: bool) -> None:
        with store.write() as db:
            rules = SetRules(great_duel=great_duel)
            open_event(db, f"Cup {size}", "kingdomino", rules)

    async def read(reader: Reader, live: Live, data: bytes) -> str:
        photo, _ = add_upload(store, live.id, data, "a.jpg", new_session("desk", "test"))
        reader.enqueue(photo)
        await reader.wait(photo, 60)
        with store.read() as db:
            *_, newest = readings(db, [photo])
        return newest.models

    async def both() -> list[str]:
        reader = reader_of(store, live, heard)
        await reader.start()
        try:
            before = await read(reader, live, b"before" + bytes([size]))
            say(size == 7)
            return [before, await read(reader, live, b"after" + bytes([size]))]
        finally:
            await reader.close()

    say(size != 7)
    live, heard = Live(store, f"Cup {size}"), Heard()
    assert asyncio.run(both()) == [f"models {n}x{n}" for n in (12 - size, size)]
    assert [task.variants.size for task in heard.asked] == [12 - size, size]


def sent_photo(store: Store, name: str) -> PhotoRow:
    event = Live(store, "Cup").id
    number, _ = add_upload(store, event, b"photo", name, new_session("desk", "test"))
    with store.read() as db:
        sent = get_photo(db, number)
    assert sent is not None
    return sent


def test_senders_take_turns(store: Store) -> None:
    """Who sends one photo waited for all of another's pile."""
    live, heard = Live(store, "Turns"), Heard()

    def sent(name: str) -> int:
        return add_upload(store, live.id, name.encode(), name, new_session("player", ""))[0]

    async def read() -> None:
        reader = reader_of(store, live, heard)
        for name in ("pile 1", "pile 2", "pile 3", "one", "pile 4", "other 1", "other 2"):
            reader.enqueue(last := sent(name), sender=name.split()[0])
        await reader.start()
        try:
            while reader.length:
                await reader.wait(last, 60)
                await asyncio.sleep(0.01)
        finally:
            await reader.close()

    asyncio.run(asyncio.wait_for(read(), 60))
    order = ["pile 1", "one", "other 1", "pile 2", "other 2", "pile 3", "pile 4"]
    assert [task.name for task in heard.asked] == order


def test_at_the_end_nobody_waits_for_a_photo_any_more(store: Store) -> None:
    async def wait() -> None:
        reader = reader_of(store, Live(store, "Cup"), Heard())
        reader.enqueue(1)  # but it has not started
        waiting = asyncio.create_task(reader.wait(1, 25))
        await asyncio.sleep(0)
        reader.end()
        await asyncio.wait_for(waiting, 5)
        assert reader.length == 1

    asyncio.run(wait())


def test_pictures_wait_for_the_last_of_two_readings(store: Store) -> None:
    async def look(photo: PhotoRow) -> None:
        pictures = PictureCache(store, Heard())
        with ExitStack() as second:
            with pictures.coming(photo.sha256):
                second.enter_context(pictures.coming(photo.sha256))
            asked = asyncio.create_task(pictures.ink(photo, 0, 0, ()))
            await asyncio.sleep(0)
            assert not asked.done()
        assert await asked is None

    asyncio.run(look(sent_photo(store, "a.jpg")))


def test_a_photo_waits_again_while_its_first_pictures_are_made(store: Store) -> None:
    async def read() -> None:
        pool = Learning(lambda: reader.enqueue(photo), lambda: reader.length)
        reader = reader_of(store, live, pool)
        await reader.start()
        try:
            reader.enqueue(photo)
            while len(pool.asked) < 2:
                await asyncio.sleep(0.01)
            await reader.wait(photo, 60)
            assert reader.length == 0
        finally:
            await reader.close()
        assert pool.waited == [1, 1]

    live = Live(store, "Twice")
    photo, _ = add_upload(store, live.id, b"twice", "a.jpg", new_session("desk", "test"))
    asyncio.run(asyncio.wait_for(read(), 60))


def test_a_page_that_cannot_be_drawn_is_not_tried_at_each_request(store: Store) -> None:
    async def look(photo: PhotoRow) -> None:
        pool = Undrawing(1, Limits())
        pictures = PictureCache(store, pool)
        for _ in range(2):
            assert await pictures.get(photo, 1, "view") is None
        assert pool.tries == 1

    asyncio.run(look(sent_photo(store, "a.pdf")))


def test_a_photo_whose_file_is_gone_costs_no_worker(store: Store) -> None:
    async def look(photo: PhotoRow) -> None:
        Path(store.photos.place(photo.sha256, photo.suffix)).unlink()
        pool = Undrawing(1, Limits())
        with pytest.raises(StoreError, match="restore the folder of photos"):
            await PictureCache(store, pool).get(photo, 7, "thumb")
        assert pool.tries == 0

    asyncio.run(look(sent_photo(store, "gone.png")))
