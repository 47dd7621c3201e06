"""Photos that come in by the page: stored, read one after another, and tried again."""

from __future__ import annotations

import hashlib
import logging
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from sqlalchemy import select

from kdscan.errors import KdscanError, ReaderDied, StoreError, StoreFull, bug_of
from kdscan.event.actions import Rules
from kdscan.event.jobs import Jobs, Task, Workers
from kdscan.event.model import Event
from kdscan.event.prints import EventPrints
from kdscan.event.store import Store, schema
from kdscan.event.store.files import is_url, suffix_of
from kdscan.event.store.photos import (
    add_file,
    add_photo,
    add_reading,
    free_name,
    get_photo,
    set_pages,
)
from kdscan.event.store.schema import UPLOADED, PhotoRow
from kdscan.event.tasks import Ingest, Ingested, Learn, PageResult, Read
from kdscan.files import Json, default_folder
from kdscan.i18n import mark
from kdscan.rules import GameName
from kdscan.web.live import Live
from kdscan.web.requests import ApiError
from kdscan.web.schemas import PhotoState
from kdscan.web.sessions import Session, Settings
from kdscan.web.tasks import PictureCache
from kdscan.web.views import photo_name, state_now
from kdscan.workers.pool import cores

log = logging.getLogger("kdscan.web")

AGAIN_SECONDS = 5.0
"""Delay before a result is stored again, or a photo tried again, for which there was no room."""

MOST_PAGES = 20
"""Most pages of an upload."""

MOST_PARTS, PART_SECONDS = 8, 24 * 3600
"""Most uploads of a session that may be resumed, and how long."""

CUT_OFF = ("cut_off", "too_slow")
"""Codes of errors after which an upload may be resumed."""


def add_upload(
    store: Store, event_id: int, data: bytes, name: str, session: Session
) -> tuple[int, PhotoState]:
    """Store an upload; returns the photo's id and its state."""
    suffix = suffix_of(name)
    sha256 = store.photos.put(data, suffix)
    own = schema.file.c
    with store.write() as db:
        photo = add_photo(db, event_id, sha256, suffix, len(data))
        sent = select(own.id).where(own.photo_id == photo.id, own.source == UPLOADED)
        if db.scalar(sent.where(own.details["session"].as_string() == session.id)) is None:
            details = {"session": session.id, "who": session.who}
            fresh = free_name(db, event_id, name)
            add_file(db, event_id, fresh, photo.id, source=UPLOADED, details=details)
        return photo.id, state_now(db, photo)


def check_room(store: Store, event: Event, session: Session, settings: Settings) -> None:
    """Raise `StoreFull` if the disk is full, ApiError for a session that has used its quota."""
    room = store.photos.room()
    if room is not None and room < settings.spare_bytes:
        raise StoreFull("the disk with the photos is almost full: make room")
    sent = sum(event.photos[n].size for n in event.sent if session.id in event.senders(n))
    if sent > settings.quota_bytes and session.role != "desk":
        raise ApiError(413, "quota", mark("You have reached the limit of photos. Ask at the desk."))


def try_again(store: Store, photo: PhotoRow) -> None:
    """Discard the error of a photo that could not be read, so that it waits again."""
    with store.write() as db:
        if photo.error_code is not None:
            set_pages(db, photo, None)


def left_behind(event: Event) -> list[int]:
    """Photos of the page that were stored but not read completely."""
    unread = (n for n, p in event.photos.items() if p.error_code is None and p.pages is None)
    return [n for n in unread if any(file.source == UPLOADED for file in event.sent.get(n, ()))]


class Parts:
    """Uploads that were cut off, each in a file beside the photos until the rest comes."""

    def __init__(self, store: Store) -> None:
        root = store.photos.root
        self._folder = Path(default_folder() if is_url(root) else root) / ".parts"
        self.make_room()

    def received(self, session: Session, token: str) -> int:
        """How many bytes of an upload came; token: its sender's name for it."""
        try:
            return self._path(session, token).stat().st_size
        except OSError:
            return 0

    @contextmanager
    def file(self, session: Session, token: str, offset: int) -> Iterator[IO[bytes]]:
        """A file for the rest of an upload, at its end; it stays if the rest is cut off, unless the
        token is empty. Raises ApiError unless so many bytes are there."""
        if offset != (self.received(session, token) if token else 0):
            raise ApiError(409, "wrong_offset", "another number of bytes has come")
        if not token:
            with tempfile.TemporaryFile() as file:  # unnamed: nothing is left after a kill
                yield file
            return
        path = self._path(session, token)
        if not offset:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.make_room(path.name)
        try:
            with path.open("r+b" if offset else "w+b", buffering=0) as part:
                part.seek(offset)
                yield part
        except ApiError as error:
            if error.code not in CUT_OFF:
                path.unlink(missing_ok=True)
            raise
        path.unlink(missing_ok=True)

    def _path(self, session: Session, token: str) -> Path:
        names = (hashlib.sha256(text.encode()).hexdigest()[:24] for text in (session.id, token))
        return self._folder / f"{'-'.join(names)}.part"

    def make_room(self, own: str | None = None) -> None:
        """Forget what has not been resumed for long. own: a session's part; its oldest others are
        forgotten too if there are many."""
        parts = sorted(self._folder.glob("*.part"), key=_changed)
        over = [path for path in parts if _changed(path) < time.time() - PART_SECONDS]
        if own is not None:
            own_parts = [path for path in parts if path.name[:24] == own[:24]]
            over += own_parts[: max(0, len(own_parts) - MOST_PARTS + 1)]
        for path in over:
            with suppress(OSError):  # Windows: somebody else is sending it
                path.unlink()


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # it is gone
        return 0.0


@dataclass
class _Photo:
    """A photo to read. turn: its place among those of all senders, the lowest first. begun: it is
    being read; again: it has to be read once more after that.

    pages: all, and `left` of them to read; failed: it could not be read as a whole.
    """

    sender: str
    turn: int
    pages: int = 0
    left: int = 0
    begun: bool = False
    again: bool = False
    failed: bool = False


class Reader(Jobs):
    """Reads uploads in a thread of its own; a restart resumes where it stopped. on_read: called
    when a photo was read.

    Senders take turns: whoever sends one photo does not wait for a hundred photos of another.
    """

    draws = True

    def __init__(
        self,
        store: Store,
        live: Live,
        workers: Workers,
        models: str,
        pictures: PictureCache,
        on_read: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(store, live.id, workers, models, lambda: live.event().rules)
        self._live, self._pictures, self._on_read = live, pictures, on_read
        self._prints_changed = self._new_sheets = False
        self._photos: dict[int, _Photo] = {}
        self._turn, self._cores = 0, cores()
        self.waiting: set[int] = set()
        """Photos that wait or are being read."""
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Enqueue photos left unread by the last run, and start."""
        self.enqueue(*left_behind(self._live.event()))
        self._thread.start()

    def close(self) -> None:
        """End; what is being read is read at the next start."""
        self._ending = True
        self._events.put(lambda: None)
        if self._thread.is_alive():
            self._thread.join()

    def enqueue(self, *photo_ids: int, sender: str = "") -> None:
        """Enqueue photos, after this sender's others and at most one of each other sender; each
        only once, however often it is requested."""
        self.waiting.update(photo_ids)
        self._events.put(partial(self._enqueue, photo_ids, sender))

    def look_for_pads(self) -> None:
        """Check whether prints can be learned, also from sheets that taught nothing before."""

        def look() -> None:
            self._tried.clear()
            self._new_sheets = True

        self._events.put(look)

    def learns(self) -> bool:
        return EventPrints(self.store, self.event_id).learns()

    def ingested(self, task: Ingest, result: Ingested) -> None:
        photo = self._photos[task.key]
        if result.pages is None:
            self._fail(task.key, result.problem)
            self._finish(task.key)
            return
        photo.pages = photo.left = result.pages
        for page in range(result.pages):
            self.queue(partial(self._make, task.key, page), photo.turn)

    def page_read(self, task: Read, result: PageResult) -> None:
        """A photo counts as read with its last page."""
        photo, entry = self._photos[task.key], result.entry
        error = entry["error"]
        self._pictures.put(task.sha256, task.page, result.pictures)
        undecoded = photo.pages == 1 and entry["width"] is None
        if error and (error["code"] == ReaderDied.code or undecoded):
            self._fail(task.key, error)
            photo.failed = True
        else:
            with self.store.write() as db:
                row = get_photo(db, task.key)
                if row is not None:
                    seconds = result.seconds
                    add_reading(db, row, task.page, task.version, entry, result.kept, seconds)
                    if photo.left == 1 and not photo.failed:
                        set_pages(db, row, photo.pages)
        photo.left -= 1
        if not photo.left:
            self._finish(task.key)

    def read_again(self, pages: Sequence[tuple[PhotoRow, int]]) -> bool:
        self._enqueue(list(dict.fromkeys(photo.id for photo, _ in pages)), "")
        return bool(pages)

    def note(self, task: Task, result: Any) -> None:
        try:
            super().note(task, result)
        except StoreError as error:
            self._later(error, partial(self.note, task, result))
        except Exception:
            # Whatever went wrong, the next photo is read; this one waits for the next start.
            log.exception("a result could not be stored")
            if not isinstance(task, Learn):
                self._finish(task.key)

    def fault(self, task: Task, error: Exception) -> Any:
        if isinstance(error, StoreError) and not isinstance(task, Learn):
            self._later(error, partial(self._submit, task))
            return None
        if isinstance(task, Learn):
            log.warning("no pad was learned: %s", error)
        elif not isinstance(error, KdscanError):
            log.error("a photo could not be read", exc_info=error)
        if isinstance(error, ReaderDied) and "seconds" not in error.values:
            error = ReaderDied("reading this photo crashed; the photo is kept, try again")
        return task.failed(error if isinstance(error, KdscanError) else bug_of(error))

    def _run(self) -> None:
        def guarded(act: Callable[[], object]) -> object:
            try:
                return act()
            except Exception:
                log.exception("the queue of photos met an error")
                return None

        wait = True
        while not self._ending:
            # Who came meanwhile may be first, so everything is heard before more is given away.
            while wait or not self._events.empty():
                wait = False
                guarded(self._events.get())
            wait = guarded(lambda: self.fill() or not self.look_for_more()) is not False

    def _later(self, error: StoreError, event: Callable[[], None]) -> None:
        """Do something when there may be room on the disk, or a server, again."""
        log.error("a photo waits: %s", error)
        timer = threading.Timer(AGAIN_SECONDS, self._events.put, (event,))
        timer.daemon = True
        timer.start()

    def _enqueue(self, photo_ids: Sequence[int], sender: str) -> None:
        own = (photo.turn for photo in self._photos.values() if photo.sender == sender)
        turn = max(own, default=self._turn)
        for photo_id in photo_ids:
            if (waiting := self._photos.get(photo_id)) is not None:
                waiting.again = waiting.begun
                continue
            turn += 1
            self._photos[photo_id] = _Photo(sender, turn)
            self.waiting.add(photo_id)
            self.queue(partial(self._make, photo_id), turn)

    def _make(self, photo_id: int, page: int | None = None) -> Task | None:
        """The task of reading a page, or of counting them; None if the photo is gone or cannot be
        read now."""
        photo = self._photos[photo_id]
        try:
            self._turn, photo.begun = max(self._turn, photo.turn), True
            event = self._live.event()
            row = event.photos.get(photo_id)
            if row is not None:
                name = photo_name(event, photo_id)
                if page is not None:
                    return self.to_read(row, page, name)
                place = self.store.photos.place(row.sha256, row.suffix)
                where = (place, self.store.photos.root, row.suffix)
                return Ingest(name, *where, MOST_PAGES, photo_id)
        except StoreError as error:
            make = partial(self._make, photo_id, page)
            self._later(error, partial(self.queue, make, photo.turn))
            return None
        except Exception:
            log.exception("photo %s could not be read", photo_id)
        self._finish(photo_id)
        return None

    def _fail(self, photo_id: int, error: Json | None) -> None:
        with self.store.write() as db:
            row = get_photo(db, photo_id)
            if row is not None:
                set_pages(db, row, None, error)

    def _finish(self, photo_id: int) -> None:
        """Notify those who wait for a photo, or read it once more."""
        photo = self._photos.pop(photo_id, None)
        if photo is not None and photo.again:
            self._enqueue([photo_id], photo.sender)
            return
        self.waiting.discard(photo_id)
        self._on_read()

    def _game(self, rules: Rules) -> GameName | None:
        # An event of Duel may have a kingdom photographed too; the kind is detected.
        return None if rules.game == "duel" else rules.game

    def _threads(self) -> int:
        return max(1, self._cores // (self._busy + 1))  # a single one may use all cores
