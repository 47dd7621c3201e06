"""The run of a batch: one process writes to the store, many read.

Every step is stored when it is done, keyed by the photo's content, its page, the version of the
models, the prints that the event knows and, in Kingdomino, the size limit of kingdoms. After any
interruption the same run can be started again: what is stored is skipped. Memory does not grow with
the number of photos.

When everything is read, sheets of unknown prints may teach them (`kdscan.event.prints`); then
pages that may bear them are read again, until there is nothing more to learn. The result depends
only on the photos, not on their order, nor on where a run was interrupted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from kdscan.errors import BlankPage, ReaderDied
from kdscan.event.batch.paths import Source
from kdscan.event.batch.pool import Workers
from kdscan.event.batch.tasks import (
    Done,
    Ingest,
    Ingested,
    Learn,
    Learned,
    Read,
    Task,
    TaskResult,
)
from kdscan.event.events import check_exists
from kdscan.event.model import Event
from kdscan.event.prints import (
    Tried,
    add_learned_prints,
    event_prints,
    not_tried,
    pages_read,
    pages_to_read_again,
    piles,
    reading_version,
)
from kdscan.event.store import Store
from kdscan.event.store.photos import add_file, add_photo, add_reading, get_photo, set_pages
from kdscan.event.store.schema import PhotoRow
from kdscan.files import Json

OnProgress = Callable[["Progress"], None]


@dataclass
class Progress:
    """Progress of a run, in pages; a file that is not open yet counts as one.

    total: all pages of the run. read: pages read in this run. known: read before. twice: pages of
    photos that were given before in this run, as a copy or under another name. again: second
    readings of pages, with prints that the event has learned since; `total` and `read` include
    them. failed: pages and files of this run that have an error, whenever it arose.
    learned: prints that were learned automatically, and from how many sheets.
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


class Run:
    """One run over some files, into one event.

    models: version of the models. round: the round of all these photos, or None. learns: whether
    unknown prints are learned automatically.
    """

    def __init__(
        self,
        store: Store,
        event: Event,
        models: str,
        round: int | None = None,
        learns: bool = False,
    ) -> None:
        self._store, self._event, self._models = store, event, models
        self._rules, self._learns = event.rules, learns
        self._know_prints()
        self._details: Json = {} if round is None else {"round": round}
        self._pages: deque[Task] = deque()
        self._tried: Tried = set()
        self._asked: set[tuple[int, int]] = set()
        self._taken: set[int] = set()
        self.progress = Progress()

    def read(
        self, files: Sequence[Source], workers: Workers, on_progress: OnProgress = lambda _: None
    ) -> None:
        """Ingest all files and read every page that is not read yet.

        on_progress: called after each result. Raises errors that prevent all photos from being
        read.
        """
        self.progress.total = len(files)
        coming = iter(files)
        while True:
            while workers.room > 0 and (task := self._next(coming)):
                workers.submit(task)
            if not workers.busy:
                if self._learns and (self._ask_again() or self._ask_to_learn()):
                    continue
                return
            for task, result in workers.results():
                self._note(task, result)
                on_progress(self.progress)

    def _next(self, coming: Iterator[Source]) -> Task | None:
        """The next task: pages first, so that no more files are open than there are workers."""
        if self._pages:
            return self._pages.popleft()
        source = next(coming, None)
        if source is None:
            return None
        return Ingest(source.name, source.place, self._store.photos.root)

    def _note(self, task: Task, result: TaskResult) -> None:
        match task, result:
            case Ingest(), Ingested():
                self._ingested(task, result)
            case Read(), Done():
                self._done(task, result)
            case Learn(), Learned():
                self._learned(result)

    def _know_prints(self) -> None:
        with self._store.read() as db:
            self._prints = tuple(row.sha256 for row in event_prints(db, self._event.id))
        self._version = reading_version(self._rules.name(self._models), self._prints)

    def _ask_again(self) -> bool:
        """Enqueue all pages that may be read differently with the prints that the event now
        knows."""
        with self._store.read() as db:
            found = list(pages_to_read_again(db, self._event.id, self._rules.name(self._models)))
        todo = [(photo, page) for photo, page in found if (photo.id, page) not in self._asked]
        self.progress.total += len(todo)
        self.progress.again += len(todo)
        for photo, page in todo:
            self._ask(photo, page)
        return bool(todo)

    def _ask_to_learn(self) -> bool:
        """Enqueue the examination of the next pile that may teach a print; False if there is
        none."""
        some = piles(self._store, self._event.id)
        pile = next(not_tried(some, self._prints, self._tried), None)
        if pile is None:
            return False
        self._pages.append(Learn(self._store.photos.root, pile, self._prints))
        return True

    def _learned(self, result: Learned) -> None:
        """Use what a pile taught from now on."""
        for one in add_learned_prints(self._store, self._event.id, result.prints):
            self.progress.learned[one.name] = one.sheets
        self._know_prints()

    def _ingested(self, task: Ingest, result: Ingested) -> None:
        """After a file's bytes are stored: store its photo, and enqueue the pages not read yet."""
        with self._store.write() as db:
            check_exists(db, self._event.id, self._event.name)
            if result.sha256 is None:
                add_file(
                    db,
                    self._event.id,
                    task.name,
                    None,
                    details=self._details,
                    error=result.problem,
                )
                self._count_read(failed=True)
                return
            photo = add_photo(db, self._event.id, result.sha256, result.suffix, result.size)
            set_pages(db, photo, result.pages, result.problem)
            add_file(db, self._event.id, task.name, photo.id, details=self._details)
            before = pages_read(db, photo.id, self._rules.name(self._models), self._prints)
        if result.pages is None:
            self._count_read(failed=True)
            return
        self.progress.total += result.pages - 1
        if photo.id in self._taken:
            self.progress.twice += result.pages
            return
        self._taken.add(photo.id)
        todo = [page for page in range(result.pages) if page not in before]
        self.progress.known += result.pages - len(todo)
        self.progress.failed += sum(code not in (None, BlankPage.code) for code in before.values())
        for page in todo:
            self._ask(photo, page)

    def _ask(self, photo: PhotoRow, page: int) -> None:
        self._asked.add((photo.id, page))
        place = self._store.photos.root
        what = (place, photo.sha256, photo.suffix, page, self._models, photo.id)
        self._pages.append(Read(*what, self._rules.game, self._rules.variants, self._prints))

    def _done(self, task: Read, result: Done) -> None:
        with self._store.write() as db:
            photo = get_photo(db, task.key)
            if photo is not None:  # else the event was deleted meanwhile
                add_reading(
                    db, photo, task.page, self._version, result.entry, result.kept, result.seconds
                )
        code = (result.entry["error"] or {}).get("code")
        if code != ReaderDied.code:  # those are tried once per run
            self._asked.discard((task.key, task.page))
        self._count_read(failed=code not in (None, BlankPage.code))

    def _count_read(self, *, failed: bool) -> None:
        self.progress.read += 1
        self.progress.failed += failed
