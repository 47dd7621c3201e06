"""However many photos a session has sent, the database is asked a few times for their list."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import event

from kdscan.event.store import open_store, schema
from kdscan.event.store.events import ensure_event
from kdscan.rules.duel.players import play_game
from kdscan.web.photo_service import PhotoService
from kdscan.web.senders import SOURCE
from kdscan.web.sessions import new_session
from tests.event.entries import came_in
from tests.readings import make_sheet, with_evidence


def test_a_list_of_photos_takes_few_queries(tmp_path: Path) -> None:
    ann = new_session("player", "Ann")
    board = str(next(iter(play_game(0).maps)))
    with open_store(str(tmp_path / "cup.sqlite")) as store:
        with store.write() as db:
            service = PhotoService(store, ensure_event(db, "Cup"))
        for n in range(12):
            sheet = with_evidence(make_sheet(board), sheet_id=f"CUP/1/{n // 2 + 1}/{n}")
            came_in(store, f"{n}.jpg", sheet, details={"session": ann.id})
        with store.write() as db:
            db.execute(schema.file.update().values(source=SOURCE))
        asked: list[str] = []
        event.listen(store.engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
        listed = service.photos(ann)
        assert [len(one["sheets"]) for one in listed] == [1] * 12
        assert len(asked) < 15
        one_by_one = [service.photo(n, ann)["id"] for n in range(12, 0, -1)]
        assert [one["id"] for one in listed] == one_by_one
