"""What counts after a person has taken photos out or corrected a sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kdscan.errors import BlankPage, NoSheetFound
from kdscan.event.event import event_state
from kdscan.event.plan import enter_player, next_round
from kdscan.event.removing import set_removed
from kdscan.event.results import (
    SheetResult,
    columns,
    counting,
    of_another_size,
    results,
    seated,
)
from kdscan.event.rules import RuleChanges, ensure_rules, rules_of
from kdscan.event.store import Store, open_store
from kdscan.event.store.corrections import add_correction
from kdscan.event.store.events import find_event
from kdscan.event.store.photos import add_file, add_photo, photos, set_pages
from kdscan.event.store.readings import add_reading, sheets
from kdscan.rules.duel.players import play_game
from kdscan.sheets.duel_map.interpret import interpret
from tests.event.entries import MODELS, came_in, entry
from tests.readings import make_book, make_kingdom, make_sheet, paid_game, with_evidence


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """On SQLite alone: nothing here depends on the database."""
    with open_store(f"sqlite:///{tmp_path / 'store.sqlite'}", str(tmp_path / "photos")) as opened:
        yield opened


def statuses(store: Store) -> dict[str, str]:
    with store.read() as db:
        return {row.file.name: row.status for row in results(db, find_event(db, "Cup").id)}


def take_out(store: Store, name: str) -> None:
    with store.write() as db:
        set_removed(db, find_event(db, "Cup"), name, "Zoe")


def test_a_page_that_is_taken_out_hides_no_other_photo_of_its_sheet(store: Store) -> None:
    came_in(store, "sharp.jpg", make_sheet(confidence=0.999))
    came_in(store, "blurred.jpg", make_sheet(confidence=0.99))
    assert statuses(store) == {"blurred.jpg": "same sheet", "sharp.jpg": "ok"}
    with store.read() as db:
        rows = [columns(row) for row in results(db, find_event(db, "Cup").id)]
    assert [(row["same_as"], row["conflicts_with"]) for row in rows] == [
        ("sharp.jpg", None),
        (None, None),
    ]
    take_out(store, "sharp.jpg#1")
    assert statuses(store) == {"blurred.jpg": "ok"}


def test_of_equal_photos_that_of_the_first_name_counts_whichever_came_first(store: Store) -> None:
    for name in ("b.jpg", "a.jpg"):
        came_in(store, name, make_sheet(confidence=0.999))
    assert statuses(store) == {"a.jpg": "ok", "b.jpg": "same sheet"}


def test_sheets_without_a_code_are_no_rivals_because_their_round_is_known(store: Store) -> None:
    for n, board in enumerate(play_game(0).maps):
        sheet = make_sheet(str(board), confidence=0.999)
        came_in(store, f"{n}.jpg", sheet, details={"round": 2})
    assert statuses(store) == {"0.jpg": "ok", "1.jpg": "ok"}


def test_both_maps_of_a_game_may_lie_in_one_photo_and_its_spellbook_in_another(
    store: Store,
) -> None:
    game = paid_game()
    mine, theirs = (
        with_evidence(make_sheet(str(board)), sheet_id=f"CUP/1/4/{player}")
        for board, player in zip(game.maps, "AB", strict=True)
    )
    came_in(store, "maps.jpg", mine, theirs)
    came_in(store, "spellbook.jpg", with_evidence(make_book(game.spellbook), sheet_id="CUP/1/4/"))
    with store.read() as db:
        found = counting(results(db, find_event(db, "Cup").id))
        totals = [row.value("score", "total") for row in found]
    assert totals[:2] == [score.total for score in game.scores()]


def test_a_sheet_that_a_person_ignores_hides_no_other_photo_of_it(store: Store) -> None:
    came_in(store, "sharp.jpg", make_sheet(confidence=0.999))
    came_in(store, "blurred.jpg", make_sheet(confidence=0.99))
    with store.write() as db:
        event = find_event(db, "Cup")
        sharp, _ = sheets(db, event.id)
        add_correction(db, event.id, "ignored", True, "Zoe", sheet_id=sharp.id)
    assert statuses(store) == {"blurred.jpg": "ok", "sharp.jpg": "ignored"}


def test_whose_sheets_they_are_is_the_same_with_players_names_in_the_rows(store: Store) -> None:
    boards = play_game(0).maps + play_game(1).maps
    for board, code in zip(
        boards, ("CUP/1/1/A", "CUP/1/1/B", "CUP/1/2/C", "FAIR/1/2/D"), strict=True
    ):
        came_in(store, code[-1], with_evidence(make_sheet(str(board)), sheet_id=code))
    with store.read() as db:
        event = find_event(db, "Cup")
        found = event_state(db, event).findings
        assert "names another event, FAIR" in found[0].message
        assert event_state(db, event, seated(db, event.id, results(db, event.id))).findings == found


def test_the_pairing_says_where_a_sheet_belongs_that_names_its_round_and_player(
    store: Store,
) -> None:
    boards = play_game(0).maps + play_game(1).maps
    for board, code in zip(boards, ("CUP/1//A", "CUP/1/7/B", "CUP//3/A", None), strict=True):
        came_in(store, f"{code}.jpg", with_evidence(make_sheet(str(board)), sheet_id=code))
    with store.write() as db:
        event = find_event(db, "Cup")
        add_file(db, event.id, "broken.jpg", None)
        for name in ("Ada", "Bob"):
            enter_player(db, event, name, name[0])
        next_round(db, event)
        rows = {row.file.name: row for row in seated(db, event.id, results(db, event.id))}
    assert rows.pop("broken.jpg").status == "failed"
    places = {name: row.place for name, row in rows.items() if isinstance(row, SheetResult)}
    assert {name: (one.round, one.table, one.player) for name, one in places.items()} == {
        "CUP/1//A.jpg": (1, 1, "Ada"),
        "CUP/1/7/B.jpg": (1, 7, "Bob"),
        "CUP//3/A.jpg": (None, 3, "Ada"),
        "None.jpg": (None, None, None),
    }


def test_the_photo_that_a_person_corrected_counts_and_not_one_that_was_only_placed(
    store: Store,
) -> None:
    came_in(store, "sharp.jpg", make_sheet(confidence=0.999))
    came_in(store, "blurred.jpg", make_sheet(confidence=0.99))
    place, shield = {"round": 1, "table": 1, "player": "Ann"}, {"coat": "dot", "crosses": 2}
    for field, new, best in (("place", place, "sharp.jpg"), ("cell:0,0", shield, "blurred.jpg")):
        with store.write() as db:
            event = find_event(db, "Cup")
            blurred = [one.id for one in sheets(db, event.id)][1]
            add_correction(db, event.id, field, new, "Zoe", sheet_id=blurred)
        (other,) = {"sharp.jpg", "blurred.jpg"} - {best}
        assert statuses(store)[other] == "same sheet"


def test_a_photo_that_cannot_be_opened_is_taken_out(store: Store) -> None:
    came_in(store, "a.jpg", make_sheet(confidence=0.999))
    with store.write() as db:
        event = find_event(db, "Cup")
        photo = add_photo(db, event.id, "0" * 64, ".jpg", 1)
        add_file(db, event.id, "broken.jpg", photo.id)
        set_pages(db, photo.id, None, {"code": "unreadable_image", "message": "it is broken"})
    assert statuses(store) == {"a.jpg": "ok", "broken.jpg": "failed"}
    take_out(store, "broken.jpg")
    assert statuses(store) == {"a.jpg": "ok"}


def test_a_page_without_a_sheet_is_a_row_with_its_number(store: Store) -> None:
    came_in(store, "scan.pdf", make_sheet(confidence=0.999))
    with store.write() as db:
        event = find_event(db, "Cup")
        (photo,) = photos(db, event.id)
        set_pages(db, photo.id, 3)
        for page, error in ((1, BlankPage("nothing")), (2, NoSheetFound("none"))):
            add_reading(db, photo, page, MODELS, entry(error=error, page=page), [], 0.1)
        rows = [(row.name, row.status, columns(row)["page"]) for row in results(db, event.id)]
    assert rows == [
        ("scan.pdf", "ok", 1),
        ("scan.pdf#2", "blank", 2),
        ("scan.pdf#3", "failed", 3),
    ]
    take_out(store, "scan.pdf#2")
    with store.read() as db:
        assert [row.name for row in results(db, event.id)] == ["scan.pdf", "scan.pdf#3"]


def test_rows_say_where_to_look_and_which_sheets_bear_one_code(store: Store) -> None:
    doubtful = make_sheet(doubtful=[(0, 5), (4, 6)])
    for name, sheet in (("a.jpg", doubtful), ("b.jpg", make_sheet(str(play_game(0).maps[0])))):
        came_in(store, name, with_evidence(sheet, sheet_id="CUP/1/1/A"))
    with store.read() as db:
        rows = [columns(row) for row in results(db, find_event(db, "Cup").id)]
    assert rows[0]["look_at"].split() == ["F1", "G5"]
    assert [(row["conflicts_with"], row["same_as"]) for row in rows] == [
        ("b.jpg", None),
        ("a.jpg", None),
    ]


def test_kingdoms_are_named_that_were_read_by_rules_of_another_size(store: Store) -> None:
    came_in(store, "k.jpg", make_kingdom(), asked=RuleChanges("kingdomino"))
    came_in(store, "map.jpg", make_sheet())
    named = []
    for changes in (RuleChanges(), RuleChanges(great_duel=True)):
        with store.write() as db:
            event = ensure_rules(db, "Cup", changes)
            named.append(of_another_size(results(db, event.id), rules_of(event)))
    assert named == [[], ["k.jpg"]]


def test_a_corrected_kingdom_is_scored_by_the_rules_of_its_event(store: Store) -> None:
    came_in(store, "k.jpg", make_kingdom(), asked=RuleChanges("kingdomino", middle_kingdom=True))
    scores = []
    for new in (None, {"terrain": "wheat", "crowns": 1}):
        with store.write() as db:
            event = find_event(db, "Cup")
            (sheet,) = sheets(db, event.id)
            if new:
                add_correction(db, event.id, "cell:1,1", new, "Zoe", sheet_id=sheet.id)
            (row,) = counting(results(db, event.id))
            scores.append((row.value("score", "domains"), row.value("score", "middle_kingdom")))
    (before, middle), after = scores
    assert middle == 10
    assert after == (before + 4, 10)  # four squares of wheat


def test_a_sheet_that_is_cut_off_has_no_points_in_its_game(store: Store) -> None:
    for player, clipped in (("A", ()), ("B", ((0, 0),))):
        evidence = make_sheet(confidence=0.999).evidence
        sheet = replace(evidence, sheet_id=f"CUP/1/1/{player}", clipped=clipped)
        came_in(store, f"{player}.jpg", interpret(sheet))
    with store.read() as db:
        state = event_state(db, find_event(db, "Cup"))
    (game,) = state.games
    assert [seat.total is None for seat in game.seats] == [False, True]
    assert [finding.code for finding in state.findings] == ["cut_off"]
