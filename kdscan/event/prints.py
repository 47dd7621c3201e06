"""The prints that an event knows, and those that are learned from its sheets.

Their rows are in the store, and their files beside the photos, by content, where every worker finds
them. When enough sheets of unknown prints have come together, a worker rectifies their stored
photos again (`kdscan.templates.pile`). What is learned depends only on the event's sheets, not on
the order in which they arrived.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kdscan.errors import ReaderDied
from kdscan.event.store import Store, schema
from kdscan.event.store.files import load_prints
from kdscan.event.store.photos import read_sheets, readings
from kdscan.event.store.schema import (
    EventRow,
    PhotoRow,
    PrintRow,
    all_with,
    first,
    insert,
    now,
    touch,
)
from kdscan.event.tasks import Pile, PlacedSheet
from kdscan.files import Json
from kdscan.paper.layout import layouts
from kdscan.sheets.base import DUEL_MAP, evidence_from
from kdscan.sheets.duel_map.model import MapEvidence, cells_of
from kdscan.templates.learn import MAX_SHEETS, coats_of
from kdscan.templates.library import Damaged, StoredTemplate, to_stored
from kdscan.templates.pile import is_suitable, may_learn, next_step
from kdscan.templates.template import SUFFIX, Template, folded, named, same_name

_PRINTS, _OFF = "prints-", "pads_by_hand"


def event_prints(db: Connection, event_id: int) -> list[PrintRow]:
    """The prints that an event knows, by name."""
    rows = all_with(db, PrintRow, schema.known_print, event_id=event_id)
    return sorted(rows, key=lambda row: folded(row.name))


def add_print(store: Store, db: Connection, event_id: int, new: StoredTemplate) -> PrintRow:
    """Add a print to an event, replacing one of the same name."""
    sha256 = store.photos.put(new.data, SUFFIX)
    for row in event_prints(db, event_id):
        if same_name(row.name, new.name):
            if row.sha256 == sha256:
                return row
            db.execute(schema.known_print.delete().where(schema.known_print.c.id == row.id))
    values: Json = {"event_id": event_id, "name": new.name, "sha256": sha256, "added_at": now()}
    return PrintRow(id=insert(db, schema.known_print, values), **values)


def add_new_prints(
    store: Store, db: Connection, event_id: int, prints: Iterable[StoredTemplate]
) -> None:
    """Add these prints to an event, except those whose names it already has."""
    names = {folded(row.name) for row in event_prints(db, event_id)}
    for new in prints:
        if folded(new.name) not in names:
            add_print(store, db, event_id, new)


@dataclass(frozen=True)
class EventPrints:
    """An event's prints, with the interface of `Library`, and whether it learns more by itself."""

    store: Store
    event_id: int

    def rows(self) -> list[PrintRow]:
        """The rows of all prints, by name."""
        with self.store.read() as db:
            return event_prints(db, self.event_id)

    def load(self, damaged: Damaged = lambda _: None) -> tuple[StoredTemplate, ...]:
        """All prints, by name; missing or damaged ones are reported and skipped."""
        hashes = [row.sha256 for row in self.rows()]
        return load_prints(self.store.photos.root, hashes, damaged)

    def get(self, name: str) -> StoredTemplate:
        """The print of a name; raises LayoutError if there is none."""
        return named(self.load(), name)

    def save(self, template: Template) -> StoredTemplate:
        """Save a print, replacing one of the same name."""
        new = to_stored(template)
        with self.store.write() as db:
            add_print(self.store, db, self.event_id, new)
        return new

    def forget(self, *names: str) -> None:
        """Forget prints; raises LayoutError, and forgets none, if there is none of one name. Their
        files stay, like the photos of removed sheets."""
        with self.store.write() as db:
            rows = event_prints(db, self.event_id)
            gone = [named(rows, name).id for name in names]
            db.execute(schema.known_print.delete().where(schema.known_print.c.id.in_(gone)))

    def learns(self) -> bool:
        """Whether prints are learned automatically from the sheets of this event."""
        with self.store.read() as db:
            row = first(db, EventRow, schema.event, id=self.event_id)
        return row is not None and row.game == DUEL_MAP.game and not row.details.get(_OFF, False)

    def switch(self, on: bool) -> None:
        """Switch the automatic learning of prints on or off."""
        with self.store.write() as db:
            row = first(db, EventRow, schema.event, id=self.event_id)
            details = {**(row.details if row else {}), _OFF: not on}
            this = schema.event.update().where(schema.event.c.id == self.event_id)
            db.execute(this.values(details=details))
            touch(db, self.event_id)


def reading_version(models: str, prints: Iterable[str]) -> str:
    """The name under which readings with these models and prints (SHA-256) are stored: after a
    print was learned, a photo is read again."""
    together = "".join(sorted(prints))
    if not together:
        return models
    return f"{models} {_PRINTS}{hashlib.sha256(together.encode()).hexdigest()[:12]}"


def is_of_models(name: str, models: str) -> bool:
    """Whether a reading with a name from `reading_version` was made with these models."""
    return name == models or name.startswith(f"{models} {_PRINTS}")


def pages_read(
    db: Connection, photo_id: int, models: str, prints: Iterable[str]
) -> dict[int, str | None]:
    """The pages of a photo that need not be read again with these models and prints (see
    `reading_version`), each with its error's code if any: these were the last to read it, or other
    prints would not change it, because it shows no map of a design other than kdscan's.

    A page that killed the reading process is not included: it may be tried again.
    """
    name = reading_version(models, prints)
    newest = {row.page: row for row in readings(db, [photo_id])}
    return {
        page: row.error_code
        for page, row in newest.items()
        if row.error_code != ReaderDied.code
        and is_of_models(row.models, models)
        and (row.models == name or not any(map(is_of_pad, row.entry["sheets"])))
    }


def is_of_pad(sheet: Json) -> bool:
    """Whether a sheet, as an element of `sheets` of the JSON, is a map of a print other than
    kdscan's own, known or not."""
    return sheet["kind"] == DUEL_MAP.name and sheet["layout"] not in layouts()


MOST_AT_ONCE = 48
"""About the most sheets that are examined together; they take 130 MB when rectified."""


def piles(store: Store, event_id: int) -> Iterator[Pile]:
    """Sheets of an event that may teach a print: those of each print that can now be improved, then
    those of unknown prints."""
    with store.read() as db:
        rows = [row.sha256 for row in event_prints(db, event_id)]
        sheets = sorted(_placed(db, event_id), key=lambda sheet: sheet.key)
    prints = load_prints(store.photos.root, rows)
    if not may_learn([sheet.layout for sheet in sheets], prints):
        return
    for template in prints:
        printed = tuple(sheet for sheet in sheets if sheet.layout == template.name)
        if len(printed) >= next_step(template):
            yield printed[:MAX_SHEETS]
    names = {template.name for template in prints}
    unknown = [sheet for sheet in sheets if sheet.layout not in names]
    count = 1 << (len(unknown) // MOST_AT_ONCE).bit_length()
    divided: list[list[PlacedSheet]] = [[] for _ in range(count)]
    for sheet in unknown:  # by their photos' hashes: a new sheet changes one pile alone
        divided[int(sheet.sha256[:8], 16) % count].append(sheet)
    for pile in divided:
        if may_learn([sheet.layout for sheet in pile], ()):
            yield tuple(pile)


def _placed(db: Connection, event_id: int) -> Iterator[PlacedSheet]:
    """The maps of an event that are suitable for learning, except those of our own layouts."""
    of = {photo.id: photo for photo in all_with(db, PhotoRow, schema.photo, event_id=event_id)}
    for sheet in read_sheets(db, event_id=event_id):
        if sheet.kept is None or not is_of_pad(sheet.data):
            continue
        _, evidence = evidence_from(sheet.kept)
        assert isinstance(evidence, MapEvidence)
        place, problems = evidence.rectified, (p["code"] for p in sheet.data["problems"])
        if is_suitable(problems, place.px_per_cell):
            photo = of[sheet.photo_id]
            centers = tuple(place.centers_xy.ravel().tolist())
            coats = coats_of({at: coat for at, (coat, _) in cells_of(sheet.data).items()})
            where = (photo.sha256, photo.suffix, sheet.page, sheet.number)
            yield PlacedSheet(*where, centers, coats, sheet.data["layout"])


def pages_to_read_again(
    db: Connection, event_id: int, models: str, prints: Sequence[str]
) -> Iterator[tuple[PhotoRow, int]]:
    """The pages read with these models (see `reading_version`) that may be read differently now
    that the event knows these prints (SHA-256): those with maps that are not of our own layouts."""
    for photo in all_with(db, PhotoRow, schema.photo, event_id=event_id):
        read = {r.page for r in readings(db, [photo.id]) if is_of_models(r.models, models)}
        done = pages_read(db, photo.id, models, prints)
        yield from ((photo, page) for page in sorted(read) if page not in done)
