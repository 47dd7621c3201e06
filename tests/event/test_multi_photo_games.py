"""The two maps and the spellbook of a game, each in a separate photo."""

from __future__ import annotations

from kdscan.event.event import event_state
from kdscan.event.places import place_now
from kdscan.event.removing import set_removed
from kdscan.event.results import OK, REVIEW, SheetResult, results
from kdscan.event.store import Store
from kdscan.event.store.corrections import add_correction
from kdscan.event.store.events import ensure_event, ensure_player, find_event
from kdscan.event.store.games import set_game
from kdscan.event.store.readings import sheets
from kdscan.web.photo_service import PhotoService
from kdscan.web.sessions import Session, new_session
from kdscan.web.sheet_service import SheetService
from tests.event.entries import came_in
from tests.readings import make_book, make_sheet, paid_game, with_evidence


def wizards(store: Store) -> dict[str, int]:
    with store.read() as db:
        rows = list(results(db, find_event(db, "Cup").id))
    return {
        row.file.name: row.data["score"]["wizard"]
        for row in rows
        if isinstance(row, SheetResult) and "score" in row.data
    }


def pages(store: Store, who: Session) -> dict[str, int]:
    """What each map's own page says of the wizard's points."""
    with store.read() as db:
        event = find_event(db, "Cup")
        maps = [one for one in sheets(db, event.id) if one.kind == "duel_map"]
    shown = [PhotoService(store, event).photo(one.photo_id, who) for one in maps]
    for photo, one in zip(shown, maps, strict=True):
        assert photo["sheets"] == [SheetService(store, event).sheet(one.id, who)]
    return {photo["name"]: photo["sheets"][0]["score"]["wizard"] for photo in shown}


def test_a_spellbook_pays_the_maps_of_its_table(store: Store) -> None:
    game = paid_game()
    for board, player in zip(game.maps, "AB", strict=True):
        sheet = make_sheet(str(board), confidence=0.999)
        came_in(store, player, with_evidence(sheet, sheet_id=f"CUP/1/4/{player}"))
    assert wizards(store) == {"A": 0, "B": 0}
    came_in(store, "book", with_evidence(make_book(game.spellbook), sheet_id="CUP/1/4/"))
    paid = [score.wizard for score in game.scores()]
    assert wizards(store) == {"A": paid[0], "B": paid[1]}
    desk = new_session("desk", "test")
    assert pages(store, desk) == wizards(store)
    with store.read() as db:
        (played,) = event_state(db, find_event(db, "Cup")).games
    assert [seat.total for seat in played.seats] == [score.total for score in game.scores()]
    # Taken out of the event it pays nobody.
    with store.write() as db:
        event = find_event(db, "Cup")
        set_removed(db, event, "book", "Zoe")
    assert wizards(store) == pages(store, desk) == {"A": 0, "B": 0}
    with store.write() as db:
        set_removed(db, event, "book", "Zoe", removed=False)
    assert pages(store, desk) == {"A": paid[0], "B": paid[1]}
    # Taken to another table by a person, it pays nobody here.
    with store.write() as db:
        event = find_event(db, "Cup")
        book = next(one for one in sheets(db, event.id) if one.kind == "duel_spellbook")
        place = {"round": 1, "table": 5, "player": None}
        add_correction(db, event.id, "place", place, "Zoe", sheet_id=book.id)
    assert wizards(store) == {"A": 0, "B": 0}
    assert pages(store, desk) == {"A": 0, "B": 0}


def test_a_map_photographed_twice_is_one_of_the_two(store: Store) -> None:
    game = paid_game()
    for name, board in zip(("A", "B", "B again"), (*game.maps, game.maps[1]), strict=True):
        sheet = make_sheet(str(board), confidence=0.99 if "again" in name else 0.999)
        came_in(store, name, with_evidence(sheet, sheet_id=f"CUP/1/4/{name[0]}"))
    came_in(store, "book", with_evidence(make_book(game.spellbook), sheet_id="CUP/1/4/"))
    a, b = (score.wizard for score in game.scores())
    assert wizards(store) == {"A": a, "B": b, "B again": 0}


def test_sheets_that_name_the_table_alone_belong_to_the_round_of_their_photos(
    store: Store,
) -> None:
    """The same codes in each round are other sheets."""
    desk = new_session("desk", "test")
    games = [paid_game(), paid_game(seed=100)]
    for round_, game in enumerate(games, 1):
        for board, player in zip(game.maps, "AB", strict=True):
            sheet = with_evidence(
                make_sheet(str(board), confidence=0.999), sheet_id=f"CUP//4/{player}"
            )
            came_in(store, f"{player}{round_}", sheet, details={"round": round_})
        book = with_evidence(make_book(game.spellbook), sheet_id="CUP//4/")
        came_in(store, f"book{round_}", book, details={"round": round_})
    paid = {
        f"{player}{round_}": score.wizard
        for round_, game in enumerate(games, 1)
        for player, score in zip("AB", game.scores(), strict=True)
    }
    assert wizards(store) == pages(store, desk) == paid
    with store.read() as db:
        assert {row.status for row in results(db, find_event(db, "Cup").id)} <= {OK, REVIEW}


def test_sheets_of_one_round_are_no_game_while_their_table_is_unknown(store: Store) -> None:
    game = paid_game()
    for board, player in zip(game.maps, "AB", strict=True):
        sheet = make_sheet(str(board), confidence=0.999)
        came_in(store, player, with_evidence(sheet, sheet_id=f"CUP/1//{player}"))
    came_in(store, "book", with_evidence(make_book(game.spellbook), sheet_id="CUP/1//"))
    assert wizards(store) == {"A": 0, "B": 0}


def test_a_spellbook_pays_maps_whose_table_only_the_pairing_says(store: Store) -> None:
    """Sheets that were printed before the first round: their codes name no table."""
    game = paid_game()
    with store.write() as db:
        event = ensure_event(db, "Cup")
        ids = [ensure_player(db, event.id, name, code=name).id for name in "AB"]
        set_game(db, event.id, 1, 4, ids)
    for board, player in zip(game.maps, "AB", strict=True):
        sheet = make_sheet(str(board), confidence=0.999)
        came_in(store, player, with_evidence(sheet, sheet_id=f"CUP/1//{player}"))
    came_in(store, "book", with_evidence(make_book(game.spellbook), sheet_id="CUP/1/4/"))
    paid = dict(zip("AB", (score.wizard for score in game.scores()), strict=True))
    assert wizards(store) == pages(store, new_session("desk", "test")) == paid


def test_a_spellbook_whose_table_is_unknown_is_asked_for(store: Store) -> None:
    game = paid_game()
    for board, player in zip(game.maps, "AB", strict=True):
        sheet = make_sheet(str(board), confidence=0.999)
        came_in(store, player, with_evidence(sheet, sheet_id=f"CUP/1/4/{player}"))
    came_in(store, "book", make_book(game.spellbook))

    def asked() -> list[list[str]]:
        with store.read() as db:
            state = event_state(db, find_event(db, "Cup"))
        found = [one for one in state.findings if "spellbook" in one.text]
        return [[state.names[key] for key in one.sheets] for one in found]

    assert wizards(store) == {"A": 0, "B": 0} and asked() == [["book"]]
    with store.write() as db:
        event = find_event(db, "Cup")
        book = next(one for one in sheets(db, event.id) if one.kind == "duel_spellbook")
        place = {"round": 1, "table": 4, "player": None}
        add_correction(db, event.id, "place", place, "Zoe", sheet_id=book.id)
    assert any(wizards(store).values()) and not asked()


def test_the_round_may_be_said_of_any_name_of_a_photo(store: Store) -> None:
    came_in(store, "all/a.jpg", make_sheet(), picture=b"one")
    came_in(store, "round2/a.jpg", make_sheet(), picture=b"one", details={"round": 2})
    with store.read() as db:
        event = find_event(db, "Cup")
        (first, again) = results(db, event.id)
        assert isinstance(first, SheetResult)
        assert (first.file.name, first.place.round) == ("all/a.jpg", 2)
        assert again.other == "all/a.jpg"
        assert place_now(db, first.sheet).round == 2
