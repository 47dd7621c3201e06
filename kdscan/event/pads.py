"""Prints learned from the sheets of an event.

The photos are stored, so nothing else has to be: when enough sheets of unknown prints have come
together, a worker rectifies them again (`kdscan.templates.pile`). What is learned depends only on
the event's sheets, not on the order in which they arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from kdscan.event.pile import Pile, PlacedSheet
from kdscan.event.store import Store
from kdscan.event.store.photos import photos
from kdscan.event.store.print_files import load_prints
from kdscan.event.store.prints import (
    add_print,
    event_prints,
    is_of_models,
    is_of_pad,
    pages_read,
)
from kdscan.event.store.readings import read_sheets, readings
from kdscan.event.store.records import PhotoRow
from kdscan.sheets.base import evidence_from
from kdscan.sheets.duel_map.model import MapEvidence, cells_of
from kdscan.templates.learn import MAX_SHEETS, coats_of
from kdscan.templates.library import StoredTemplate, parse_template
from kdscan.templates.pile import is_suitable, may_learn, next_step

MOST_AT_ONCE = 48
"""Most sheets that are examined together; they take 130 MB when rectified."""


Tried = set[tuple[Pile, tuple[str, ...]]]
"""Piles that were examined, each with the prints then known."""


def piles(store: Store, event_id: int) -> Iterator[Pile]:
    """Sheets of an event that may teach a print: those of each print that can now be improved, then
    those of unknown prints."""
    with store.read() as db:
        rows = [row.sha256 for row in event_prints(db, event_id)]
        found = sorted(_placed(db, event_id), key=lambda one: one.key)
    known = load_prints(store.photos.root, rows)
    if not may_learn([one.layout for one in found], known):
        return
    for one in known:
        mine = tuple(sheet for sheet in found if sheet.layout == one.name)
        if len(mine) >= next_step(one):
            yield mine[:MAX_SHEETS]
    names = {one.name for one in known}
    strange = tuple(sheet for sheet in found if sheet.layout not in names)
    for start in range(0, len(strange), MOST_AT_ONCE):
        pile = strange[start : start + MOST_AT_ONCE]
        if may_learn([one.layout for one in pile], ()):
            yield pile


def not_tried(piles: Iterable[Pile], prints: tuple[str, ...], tried: Tried) -> Iterator[Pile]:
    """The piles that were not examined yet; each is noted when it is yielded.

    prints: SHA-256 of the known prints' files.
    """
    for pile in piles:
        if (pile, prints) not in tried:
            tried.add((pile, prints))
            yield pile


def _placed(db: Connection, event_id: int) -> Iterator[PlacedSheet]:
    """The maps of an event that are suitable for learning, except those of our own layouts."""
    of = {photo.id: photo for photo in photos(db, event_id)}
    for sheet in read_sheets(db, event_id=event_id):
        if sheet.kept is None or not is_of_pad(sheet.data):
            continue
        _, evidence = evidence_from(sheet.kept)
        assert isinstance(evidence, MapEvidence)
        place, problems = evidence.rectified, (one["code"] for one in sheet.data["problems"])
        if is_suitable(problems, place.px_per_cell):
            photo = of[sheet.photo_id]
            centers = tuple(place.centers_xy.ravel().tolist())
            coats = coats_of({at: coat for at, (coat, _) in cells_of(sheet.data).items()})
            where = (photo.sha256, photo.suffix, sheet.page, sheet.number)
            yield PlacedSheet(*where, centers, coats, sheet.data["layout"])


def add_learned_prints(store: Store, event_id: int, files: Sequence[bytes]) -> list[StoredTemplate]:
    """Add prints learned from its sheets to an event, all or none."""
    found = [parse_template(data, "print") for data in files]
    with store.write() as db:
        for one in found:
            add_print(store, db, event_id, one)
    return found


def pages_to_read_again(
    db: Connection, event_id: int, models: str
) -> Iterator[tuple[PhotoRow, int]]:
    """The pages read with these models (see `reading_version`) that may be read differently now
    that the event knows other prints: those with maps that are not of our own layouts."""
    prints = [row.sha256 for row in event_prints(db, event_id)]
    for photo in photos(db, event_id):
        mine = {r.page for r in readings(db, [photo.id]) if is_of_models(r.models, models)}
        done = pages_read(db, photo.id, models, prints)
        yield from ((photo, page) for page in sorted(mine) if page not in done)
