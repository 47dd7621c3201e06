"""Photos and sheets as the page shows them, and who may see and correct them.

Everything here blocks; handlers call it in threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from sqlalchemy import Connection, func, select

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.document import outcome_json
from kdscan.errors import Bug
from kdscan.event.corrections import OnSheet
from kdscan.event.events import current_sheets
from kdscan.event.model import Event, SheetResult
from kdscan.event.names import short_name
from kdscan.event.sheets import ReadSheet, fold_table, range_of, value_of
from kdscan.event.store import schema
from kdscan.event.store.photos import reason_of
from kdscan.event.store.schema import PhotoRow
from kdscan.files import Json
from kdscan.i18n import Words
from kdscan.i18n.errors import error_text
from kdscan.paper.layout import layouts
from kdscan.rules import decide, worth
from kdscan.sheets.base import is_player_sheet
from kdscan.sheets.board import DOMAIN_COLORS
from kdscan.sheets.common import domain_colors, place_of
from kdscan.web import schemas
from kdscan.web.requests import BUG, address, not_found
from kdscan.web.sessions import Session
from kdscan.web.tasks import Size

MOST_LISTED = 200
"""Most photos in a session's list: more than are chosen at once."""


def visible_photo(event: Event, photo_id: int, session: Session) -> PhotoRow:
    """A photo, if this session may see it: the desk may, and whoever sent it; raises ApiError."""
    photo = event.photos.get(photo_id)
    allowed = session.role == "desk" or session.id in event.senders(photo_id)
    if photo is None or not allowed:
        raise not_found()
    return photo


def check_visible(event: Event, session: Session, *sheet_ids: int) -> None:
    """Raise ApiError unless this session may see all of these sheets."""
    for sheet_id in sheet_ids:
        if sheet_id not in event.sheets:
            raise not_found()
        visible_photo(event, event.sheets[sheet_id].photo_id, session)


def photo_name(event: Event, photo_id: int) -> str:
    """The first name under which a photo came."""
    rows = event.sent.get(photo_id)
    return short_name(rows[0].name) if rows else "photo"


def photo_json(
    db: Connection, event: Event, photo: PhotoRow, session: Session, w: Words
) -> schemas.Photo:
    """All that is known of a photo. w: the language of its errors."""
    (facts,) = _facts(db, event, [photo], w)
    ids = [one.id for one in event.sheets.values() if one.photo_id == photo.id]
    desk = session.role == "desk"
    own = desk or event.senders(photo.id)[:1] == [session.id]
    return {
        **facts,
        "can_correct": own,
        "can_remove": own and (desk or not event.has_players),
        "sheets": sheets_json(db, event, ids),
    }


def photos_json(
    db: Connection, event: Event, session: Session, w: Words
) -> list[schemas.PhotoLine]:
    """This session's newest photos, the last one first; of their sheets only the totals."""
    sent = [
        n
        for n in event.sent
        if session.id in event.senders(n) and not event.is_removed(event.photos[n])
    ]
    photos = [event.photos[n] for n in sorted(sent, reverse=True)[:MOST_LISTED]]
    sheets: dict[int, list[schemas.SheetBrief]] = {photo.id: [] for photo in photos}
    for sheet in event.sheets.values():
        if sheet.photo_id in sheets:
            sheets[sheet.photo_id].append(sheet_brief(event.row(sheet.id)))
    return [{**facts, "sheets": sheets[facts["id"]]} for facts in _facts(db, event, photos, w)]


def _facts(
    db: Connection, event: Event, photos: Sequence[PhotoRow], w: Words
) -> Iterator[schemas.PhotoFacts]:
    at = schema.reading.c
    query = select(at.photo_id, at.page, at.entry).where(at.photo_id.in_([p.id for p in photos]))
    newest: dict[int, dict[int, Json]] = defaultdict(dict)
    for row in db.execute(query.order_by(at.page, at.id)):
        newest[row.photo_id][row.page] = row.entry
    for photo in photos:
        pages = newest[photo.id]
        yield {
            "id": photo.id,
            "name": photo_name(event, photo.id),
            "added_at": photo.added_at.isoformat(),
            "state": photo_state(photo, len(pages)),
            "error": localized_error(reason_of(photo), w),
            "pages": [
                {
                    "page": page,
                    "width": entry["width"],
                    "height": entry["height"],
                    "error": localized_error(entry["error"], w),
                    "view": picture(photo, page, "view") if entry["width"] else None,
                    "thumb": picture(photo, page, "thumb") if entry["width"] else None,
                }
                for page, entry in pages.items()
            ],
        }


def photo_state(photo: PhotoRow, done: int) -> schemas.PhotoState:
    """Whether a photo was read; done: how many of its pages were."""
    if photo.error_code:
        return "failed"
    return "read" if photo.pages is not None and done >= photo.pages else "waiting"


def state_now(db: Connection, photo: PhotoRow) -> schemas.PhotoState:
    """Whether a photo was read."""
    at = schema.reading.c
    count = select(func.count(at.page.distinct())).where(at.photo_id == photo.id)
    return photo_state(photo, db.scalar(count) or 0)


def localized_error(error: Mapping[str, Any] | None, w: Words) -> schemas.ErrorText | None:
    """A stored error, in words."""
    if error is None:
        return None
    inside = error["code"] == Bug.code  # its details are only for the log
    return {"code": error["code"], "message": w.t(BUG) if inside else error_text(error, w)}


def picture(photo: PhotoRow, page: int, size: Size) -> str:
    """Address of a page's picture. It contains the hash of the photo's content, because browsers
    keep pictures forever, and another photo may get the same number after an event was forgotten or
    when another store is served here."""
    return address(f"/api/photos/{photo.id}/pages/{page}/{size}.jpg?{photo.sha256[:12]}")


def sheet_brief(row: SheetResult) -> schemas.SheetBrief:
    """A sheet in a card or a list."""
    sheet, brief, at = row.sheet, row.sheet.brief, row.assignment
    return {
        "id": sheet.id,
        "kind": sheet.kind,
        "photo": sheet.photo_id,
        "page": sheet.page,
        "name": short_name(row.file.name),
        "player": at.player,
        "round": at.round,
        "table": at.table,
        "total": None if brief.retake else brief.total,
        "confidence": brief.confidence,
        "thumb": picture(row.photo, sheet.page, "thumb"),
        "review": brief.review,
        "photograph_again": brief.retake,
        "confirmed": brief.confirmed,
        "status": row.status,
    }


def sheets_json(
    db: Connection, event: Event, ids: Iterable[int], *, one_table: bool = False
) -> list[schemas.Sheet]:
    """The current state of sheets, with what the page needs besides; those that are gone are left
    out. one_table: they are of one game, also if nothing but this request says so."""
    wanted = [n for n in ids if n in event.sheets]
    current = current_sheets(db, event, wanted)
    sheets = [current[n] for n in wanted if n in current]
    book = any(sheet.kind == "duel_spellbook" for sheet in sheets)
    if one_table and book and all(sheet.kept is not None for sheet in sheets):
        given = [event.said_of(event.sheets[sheet.id]) for sheet in sheets]
        states = fold_table(sheets, given, one_table=True)
        sheets = [replace(sheet, current=now) for sheet, now in zip(sheets, states, strict=True)]
    return [sheet_json(event, sheet) for sheet in sheets]


def sheet_json(event: Event, sheet: ReadSheet) -> schemas.Sheet:
    """The current state of a sheet, with colours, range and history."""
    now, row = sheet.current, event.sheets[sheet.id]
    unnamed = sheet.kind == "duel_map" and sheet.data["layout"] not in (UNKNOWN_LAYOUT, *layouts())
    ink = f"/api/sheets/{sheet.id}/ink.png?reading={row.reading_id}"
    more: Json = {}
    if is_player_sheet(sheet.kind):
        scoring = [[(row, col) for row, col in d["cells"]] for d in now["domains"] if d["points"]]
        colors = domain_colors(scoring, len(DOMAIN_COLORS))
        domains = [one | {"color": colors.get(tuple(one["cells"][0]))} for one in now["domains"]]
        again = bool(now.get("photograph_again"))
        more = {"domains": domains, "range": None if again else range_of(now)}
    facts: schemas.SheetFacts = {
        "id": sheet.id,
        "photo": sheet.photo_id,
        "page": sheet.page,
        "ink": address(ink) if unnamed else None,
        "confirmed": row.brief.confirmed,
        "corrections": list(_history(event, sheet)),
        "extras_fixed": event.rules.game == "kingdomino",
        "player": event.assignments[sheet.id].player,
    }
    return cast(schemas.Sheet, {**now, **more, **facts})


def _history(event: Event, sheet: ReadSheet) -> Iterator[schemas.Decision]:
    """Who decided what, the oldest first."""
    sources = {one["action"]: one["source"] for one in sheet.current.get("said", ())}
    before: dict[str, Any] = {}
    for entry in event.of_sheet.get(sheet.id, ()):
        action, undone = entry.action, entry.id in event.said.undone
        assert isinstance(action, OnSheet)
        source = sources.get(entry.id)
        if entry is event.said.given.get(sheet.id):
            source = "waits"
        field, new = action.field, action.value
        what, place = place_of(field)
        old = before[field] if field in before else value_of(sheet.data, field)[0]
        if not undone and source != "waits":
            before[field] = new
        yield {
            "id": entry.id,
            "what": what,
            "cell": place if what == "cell" else None,
            "player": place[0] if place and what != "cell" else None,
            "coat": place[1] if what == "line" else None,
            "old": old,
            "new": new,
            "who": entry.who,
            "role": entry.role,
            "source": source,
            "at": entry.at.isoformat(),
            "undone": undone,
        }


def game_json(sheets: Sequence[schemas.Sheet]) -> schemas.Outcome:
    """Who won, by the current state of two maps or of two to four kingdoms, and all who share the
    win."""
    scored = [(one["id"], one) for one in sheets if one["kind"] != "duel_spellbook"]
    winners = decide([worth(one) for _, one in scored]).winners
    return cast(schemas.Outcome, {**outcome_json(scored), "winners": list(winners)})
