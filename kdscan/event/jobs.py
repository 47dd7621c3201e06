"""Reading and learning: one queue for the batch command and the page.

Tasks (`kdscan.event.tasks`) are performed by a pool of processes or a Dask cluster, both by
`submit`. One thread runs an event's `Jobs`: it submits tasks, stores their results, and alone
changes what is to be done.

Every step is stored when it is done, keyed by the photo's content, its page, the version of the
models, the prints that the event knows and, in Kingdomino, the size limit of kingdoms. After any
interruption the same work can be started again: what is stored is skipped. When everything is read,
sheets of unknown prints may teach them (`kdscan.event.tasks`); then pages that may bear them are
read again. What is read depends only on the photos, not on their order, nor on where a run was
interrupted, and memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count
from queue import SimpleQueue
from typing import Any, Protocol

from kdscan.errors import BlankPage, ReaderDied
from kdscan.event.actions import Rules
from kdscan.event.events import find_row
from kdscan.event.model import Event
from kdscan.event.prints import (
    EventPrints,
    add_print,
    is_of_pad,
    pages_read,
    pages_to_read_again,
    piles,
    reading_version,
)
from kdscan.event.store import Store
from kdscan.event.store.files import suffix_of
from kdscan.event.store.photos import add_file, add_photo, add_reading, get_photo, set_pages
from kdscan.event.store.schema import PhotoRow
from kdscan.event.tasks import Ingest, Ingested, Learn, PageResult, Pile, Read, Source
from kdscan.files import Json
from kdscan.rules import GameName
from kdscan.templates.library import parse_template
from kdscan.workers.pool import Result
from kdscan.workers.pool import Task as PoolTask

IN_RESERVE = 2
"""Tasks of a batch that wait for each worker, so that none idles after finishing one."""

Task = Ingest | Read | Learn


class Workers(Protocol):
    """What performs tasks: `kdscan.workers.pool.Pool`, or a cluster."""

    @property
    def max_workers(self) -> int: ...

    def submit(self, task: PoolTask[Result]) -> Future[Result]: ...


class Jobs:
    """What has to be read and learned for an event. `run` does it; subclasses say what comes in and
    what becomes of results.

    models: version of the models. rules: the event's, as they are now.
    """

    reserve = 0
    draws = False

    def __init__(
        self,
        store: Store,
        event_id: int,
        workers: Workers,
        models: str,
        rules: Callable[[], Rules],
    ) -> None:
        self.store, self.event_id, self._workers = store, event_id, workers
        self._models, self._rules = models, rules
        self._waiting: list[tuple[int, int, Callable[[], Task | None]]] = []
        self._numbers = count()
        self._busy = 0
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._tried: set[tuple[Pile, tuple[str, ...]]] = set()
        self.learned: dict[str, int] = {}
        """Prints that were learned automatically, and from how many sheets."""
        self._prints_changed = self._new_sheets = True
        """Whether pages may have to be read again; whether sheets came that may teach a print."""

    def ingested(self, task: Ingest, result: Ingested) -> None:
        """Store what is known of a file, and queue its pages."""
        raise NotImplementedError

    def page_read(self, task: Read, result: PageResult) -> None:
        """Store what was read on a page."""
        raise NotImplementedError

    def learns(self) -> bool:
        """Whether unknown prints are learned automatically."""
        return False

    def queue(self, make: Callable[[], Task | None], turn: int = 0) -> None:
        """Add a task, which is made when a worker has room for it; the lowest turns come first."""
        heappush(self._waiting, (turn, next(self._numbers), make))

    def to_read(self, photo: PhotoRow, page: int, name: str = "") -> Read:
        """The task of reading a page by the present rules, with the prints that are known now."""
        rules, prints = self._rules(), self._prints()
        version = reading_version(rules.name(self._models), prints)
        where = (self.store.photos.root, photo.sha256, photo.suffix, page, self._models, photo.id)
        how = (self._game(rules), rules.variants, prints, self._threads(), self.draws)
        return Read(*where, name, version, *how)

    def fill(self) -> bool:
        """Give the workers what they have room for; whether anything is being done."""
        most = self._workers.max_workers * (1 + self.reserve)
        while self._busy < most and (make := self.next_task()) is not None:
            task = make()
            if task is not None:
                self._submit(task)
        return bool(self._busy)

    def next_task(self) -> Callable[[], Task | None] | None:
        """What makes the next task; None if nothing waits."""
        return heappop(self._waiting)[2] if self._waiting else None

    def look_for_more(self) -> bool:
        """Once everything is read: queue pages that may now be read differently, or the next pile
        that may teach a print; whether there was any."""
        if self._prints_changed:
            self._prints_changed = False
            with self.store.read() as db:
                name = self._rules().name(self._models)
                again = list(pages_to_read_again(db, self.event_id, name, self._prints()))
            if self.read_again(again):
                return True
        if not (self._new_sheets and self.learns()):
            return False
        prints = self._prints()
        for pile in piles(self.store, self.event_id):
            if (pile, prints) not in self._tried:
                self._tried.add((pile, prints))
                self.queue(partial(Learn, self.store.photos.root, pile, prints))
                return True
        self._new_sheets = False
        return False

    def read_again(self, pages: Sequence[tuple[PhotoRow, int]]) -> bool:
        """Queue pages that may now be read differently; whether there were any."""
        for photo, page in pages:
            self.queue(partial(self.to_read, photo, page))
        return bool(pages)

    def _submit(self, task: Task) -> None:
        future: Future[Any] = self._workers.submit(task)
        self._busy += 1
        future.add_done_callback(lambda done: self._events.put(partial(self._done, task, done)))

    def _done(self, task: Task, future: Future[Any]) -> None:
        self._busy -= 1
        error = future.exception()
        result = self.fault(task, error) if isinstance(error, Exception) else future.result()
        if result is not None:
            self.note(task, result)

    def fault(self, task: Task, error: Exception) -> Any:
        """The result of a task that raised an error, None if it is tried again; raises errors that
        no single photo causes."""
        if isinstance(error, ReaderDied):
            return task.failed(error)
        raise error

    def note(self, task: Task, result: Any) -> None:
        """Store the result of a task."""
        if isinstance(task, Learn):
            if result:
                prints = [parse_template(data, "print") for data in result]
                with self.store.write() as db:
                    for template in prints:
                        add_print(self.store, db, self.event_id, template)
                        self.learned[template.name] = template.sheets
                self._prints_changed = True
        elif isinstance(task, Read):
            self._new_sheets |= any(map(is_of_pad, result.entry["sheets"]))
            self.page_read(task, result)
        else:
            self.ingested(task, result)

    def _prints(self) -> tuple[str, ...]:
        return tuple(row.sha256 for row in EventPrints(self.store, self.event_id).rows())

    def _game(self, rules: Rules) -> GameName | None:
        return rules.game

    def _threads(self) -> int:
        return 1


@dataclass
class Progress:
    """Progress of a batch, in pages; a file that is not open yet counts as one.

    total: all pages. read: pages read in this run. known: read before. twice: pages of photos that
    were given before in this run, as a copy or under another name. again: second readings of pages,
    with prints that the event has learned since; `total` and `read` include them. failed: pages and
    files of this run that have an error, whenever it arose. learned: prints that were learned
    automatically, and from how many sheets.
    """

    total: int = 0
    read: int = 0
    known: int = 0
    twice: int = 0
    again: int = 0
    failed: int = 0
    learned: dict[str, int] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Pages that need nothing more."""
        return self.read + self.known + self.twice


class Batch(Jobs):
    """Reads files into an event, every page that is not read yet.

    models: version of the models. round: of all these photos, or None. learns: whether unknown
    prints are learned automatically.
    """

    reserve = IN_RESERVE

    def __init__(
        self,
        store: Store,
        event: Event,
        workers: Workers,
        models: str,
        round: int | None = None,
        learns: bool = False,
    ) -> None:
        super().__init__(store, event.id, workers, models, lambda: event.rules)
        self._event, self._learns = event.name, learns
        self._details: Json = {} if round is None else {"round": round}
        self._coming: Iterator[Source] = iter(())
        self._ingested: set[int] = set()
        self._died: set[tuple[int, int]] = set()
        self.progress = Progress(learned=self.learned)

    def run(
        self, files: Sequence[Source], on_progress: Callable[[Progress], None] = lambda _: None
    ) -> None:
        """Read the files. on_progress: called after each result.

        Raises errors that prevent all photos from being read.
        """
        self.progress.total, self._coming = len(files), iter(files)
        while self.fill() or (self._learns and self.look_for_more()):
            if self._busy:
                self._events.get()()
                on_progress(self.progress)

    def learns(self) -> bool:
        return self._learns

    def next_task(self) -> Callable[[], Task | None] | None:
        """Pages come first, so that no more files are open than there are workers."""
        make = super().next_task()
        if make is None and (source := next(self._coming, None)) is not None:
            where = (source.place, self.store.photos.root, suffix_of(source.name))
            return partial(Ingest, source.name, *where)
        return make

    def ingested(self, task: Ingest, result: Ingested) -> None:
        models, prints = self._rules().name(self._models), self._prints()
        with self.store.write() as db:
            find_row(db, self._event)  # raises for one that was deleted
            photo, before = None, {}
            if result.sha256 is not None:
                photo = add_photo(db, self.event_id, result.sha256, result.suffix, result.size)
                set_pages(db, photo, result.pages, result.problem)
                before = pages_read(db, photo.id, models, prints)
            number, error = (photo.id, None) if photo else (None, result.problem)
            add_file(db, self.event_id, task.name, number, details=self._details, error=error)
        if photo is None or result.pages is None:
            self._count_read(failed=True)
            return
        self.progress.total += result.pages - 1
        if photo.id in self._ingested:
            self.progress.twice += result.pages
            return
        self._ingested.add(photo.id)
        pages = [(photo, page) for page in range(result.pages) if page not in before]
        self.progress.known += result.pages - len(pages)
        self.progress.failed += sum(code not in (None, BlankPage.code) for code in before.values())
        super().read_again(pages)

    def page_read(self, task: Read, result: PageResult) -> None:
        with self.store.write() as db:
            photo = get_photo(db, task.key)
            if photo is not None:  # else the event was deleted meanwhile
                entry, kept = result.entry, result.kept
                add_reading(db, photo, task.page, task.version, entry, kept, result.seconds)
        code = (result.entry["error"] or {}).get("code")
        if code == ReaderDied.code:
            self._died.add((task.key, task.page))
        self._count_read(failed=code not in (None, BlankPage.code))

    def read_again(self, pages: Sequence[tuple[PhotoRow, int]]) -> bool:
        """Those that killed their process are tried once per run."""
        pages = [(photo, page) for photo, page in pages if (photo.id, page) not in self._died]
        self.progress.total += len(pages)
        self.progress.again += len(pages)
        return super().read_again(pages)

    def _count_read(self, *, failed: bool) -> None:
        self.progress.read += 1
        self.progress.failed += failed
