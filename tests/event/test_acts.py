"""What somebody did last is told in words, and undone."""

from __future__ import annotations

import pytest

from kdscan.errors import UsageError
from kdscan.event.acts import newest_act, note_participation, undo_act
from kdscan.event.event import event_state
from kdscan.event.plan import enter_player, next_round, set_result
from kdscan.event.removing import removed_files, removed_from, set_removed
from kdscan.event.store import Store
from kdscan.event.store.corrections import corrections
from kdscan.event.store.events import ensure_event
from kdscan.event.store.photos import add_file, add_photo, set_pages


def test_restoring_a_photo_is_not_told_as_its_removal(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        add_file(db, event.id, "01.jpg", None)
        for removed, text in ((True, "removing a photo"), (False, "restoring a photo")):
            set_removed(db, event, "01.jpg", "Zoe", removed=removed)
            act = newest_act(db, event, "Zoe")
            assert act is not None and act.text == text
        undo_act(db, event, "Zoe")
        assert removed_from(corrections(db, event.id)).files == {"01.jpg"}


def test_of_a_photo_with_two_names_both_are_told(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        photo = add_photo(db, event.id, "0" * 64, ".jpg", 1)
        for name in ("01.jpg", "copy.jpg"):
            add_file(db, event.id, name, photo.id)
        assert removed_files(db, event) == []
        assert set_removed(db, event, "copy.jpg", "Zoe") == ["01.jpg", "copy.jpg"]
        assert removed_files(db, event) == ["01.jpg", "copy.jpg"]


def test_only_what_was_removed_is_restored(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        photo = add_photo(db, event.id, "0" * 64, ".pdf", 1)
        set_pages(db, photo.id, 3)
        add_file(db, event.id, "scan.pdf", photo.id)
        with pytest.raises(UsageError, match=r"removed from cup: –"):
            set_removed(db, event, "scan.pdf", "Zoe", removed=False)
        for gone, other in (("scan.pdf#2", "scan.pdf"), ("scan.pdf", "scan.pdf#2")):
            set_removed(db, event, gone, "Zoe")
            with pytest.raises(UsageError, match=f"{other} was not .* cup: {gone}"):
                set_removed(db, event, other, "Zoe", removed=False)
            set_removed(db, event, gone, "Zoe", removed=False)


def test_undoing_a_result_takes_back_only_what_that_person_entered(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        for name in ("A", "B"):
            enter_player(db, event, name)
        next_round(db, event)
        set_result(db, event, 1, 1, "Ann", points=[("A", 40)])
        set_result(db, event, 1, 1, "Bob", points=[("B", 30)])
        undo_act(db, event, "Ann")
        totals = {seat.player: seat.points for seat in event_state(db, event).games[0].seats}
        assert totals == {"A": None, "B": 30}


def test_what_others_have_changed_since_is_not_undone(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        for name in ("A", "B"):
            enter_player(db, event, name)
        next_round(db, event)

        def points() -> dict[str, int | None]:
            return {seat.player: seat.points for seat in event_state(db, event).games[0].seats}

        note_participation(db, event, "C", True, "Ann", before=False)
        set_result(db, event, 1, 1, "Ann", points=[("A", 40)])
        set_result(db, event, 1, 1, "Bob", points=[("A", 45)])
        act = newest_act(db, event, "Ann")
        assert act is not None and act.text == "{name} taking part"
        undo_act(db, event, "Bob")
        assert points() == {"A": 40, "B": None}
        undo_act(db, event, "Ann")
        assert points() == {"A": None, "B": None}
        # A walkover and points replace each other.
        set_result(db, event, 1, 1, "Ann", points=[("A", 40)])
        set_result(db, event, 1, 1, "Bob", walkover="B")
        set_result(db, event, 1, 1, "Zoe", points=[("B", 30)])
        texts = [act.text for who in ("Ann", "Bob", "Zoe") if (act := newest_act(db, event, who))]
        assert texts == ["{name} taking part", "the result of round {round}, table {table}"]
        # Whom another desk has taken back meanwhile does not drop out again.
        note_participation(db, event, "C", False, "Bob", before=True)
        note_participation(db, event, "C", True, "Bob", before=False)
        assert newest_act(db, event, "Ann") is None
