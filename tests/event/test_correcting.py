"""Corrections of sheets: stored with the old values, and undone as they were made."""

from __future__ import annotations

from sqlalchemy import Connection

from kdscan.event.correcting import correct_sheet, undo_last
from kdscan.event.places import place_now
from kdscan.event.results import SheetResult, results
from kdscan.event.rules import RuleChanges
from kdscan.event.store import Store
from kdscan.event.store.corrections import corrections, effective_values
from kdscan.event.store.events import find_event
from kdscan.event.store.readings import sheets
from kdscan.event.store.records import Sheet
from kdscan.web.sessions import new_session
from kdscan.web.sheet_service import SheetService
from tests.event.entries import came_in
from tests.readings import make_kingdom, make_sheet, with_evidence


def only_sheet(db: Connection) -> Sheet:
    (one,) = sheets(db, find_event(db, "Cup").id)
    return one


def said(db: Connection, one: Sheet) -> dict[str, object]:
    return effective_values(corrections(db, one.event_id, sheet_id=one.id))


def test_what_was_said_together_is_taken_back_together(store: Store) -> None:
    came_in(store, "a", make_sheet())
    with store.write() as db:
        one = only_sheet(db)
        correct_sheet(db, one, {"ignored": True}, "Zoe")
        correct_sheet(db, one, {"ignored": False, "same_as": 0}, "Zoe")
        assert [row.old for row in corrections(db, one.event_id)] == [None, True, None]
        assert undo_last(db, one, "Zoe")
        assert said(db, one) == {"ignored": True}
        assert undo_last(db, one, "Zoe") and not undo_last(db, one, "Zoe")
        assert said(db, one) == {}


def test_only_what_is_new_is_kept_where_that_is_asked_for(store: Store) -> None:
    came_in(store, "a", make_sheet(doubtful=[(0, 1)]))
    with store.write() as db:
        one = only_sheet(db)
        sure, doubtful = {"coat": "dot", "crosses": 1}, {"coat": "dot", "crosses": 0}
        as_it_is = {"cell:0,0": sure, "cell:0,1": doubtful}
        correct_sheet(db, one, as_it_is, "Zoe", one.data, again=False)
        assert said(db, one) == {"cell:0,1": doubtful}
        correct_sheet(db, one, as_it_is, "Zoe", one.data)
        assert said(db, one) == as_it_is


def test_the_castle_is_where_it_was_said_to_be_last(store: Store) -> None:
    """Two castles left no kingdom, and no page or command could show the event."""
    came_in(store, "a", make_kingdom(), asked=RuleChanges("kingdomino"))
    castle = {"terrain": "castle", "crowns": 0}
    found = []
    with store.write() as db:
        one = only_sheet(db)
        for at in ("0,0", "0,1", "0,0"):
            correct_sheet(db, one, {f"cell:{at}": castle}, "Zoe", one.data)
            (row,) = results(db, one.event_id)
            assert isinstance(row, SheetResult)
            found += [cell["col"] for cell in row.data["cells"] if cell["terrain"] == "castle"]
    assert found == [0, 1, 0]


def test_a_sheet_that_is_named_keeps_the_round_that_its_file_says(store: Store) -> None:
    came_in(store, "a", with_evidence(make_sheet(), sheet_id="CUP//4/A"), details={"round": 3})
    with store.read() as db:
        page, one = SheetService(store, find_event(db, "Cup")), only_sheet(db)
    page.name(one.id, "Bob", new_session("desk", "test"))
    with store.read() as db:
        place = place_now(db, one)
    assert (place.round, place.table, place.player) == (3, 4, "Bob")
