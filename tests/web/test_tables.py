"""Overviews of an event: whose sheet is which, what matters most, who leads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection

from kdscan.event.games import Game, Seat, SheetScore
from kdscan.event.names import names_of
from kdscan.event.places import Place
from kdscan.event.rules import RuleChanges, ensure_rules
from kdscan.event.store import Store, open_store
from kdscan.event.store.corrections import add_correction
from kdscan.event.store.events import ensure_event, ensure_player, find_event
from kdscan.event.store.games import remove_games, set_game
from kdscan.event.store.photos import add_file, add_photo, files, set_pages
from kdscan.event.store.readings import sheets
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.scoring import score_board
from kdscan.rules.winner import Worth
from kdscan.web.answers import ApiError
from kdscan.web.sessions import new_session
from kdscan.web.sheet_service import SheetService
from kdscan.web.tables import Tables, turning_games
from tests.event.entries import came_in
from tests.readings import make_kingdom, make_sheet, with_evidence
from tests.web.conftest import send


def sat(table: int, *keys: int | None, points: int | None = None) -> Game:
    """A game of these sheets. points: what an arbiter says of the first seat."""
    seats = [
        Seat(name, None if key is None else SheetScore(key, 1, table, name, Worth(10, 3)))
        for name, key in zip("ABCD", keys, strict=False)
    ]
    return Game(1, table, (replace(seats[0], points=points), *seats[1:]))


def test_a_game_may_turn_where_ranges_meet() -> None:
    ranges = {1: (10, 20), 2: (20, 30), 3: (10, 19), 4: (20, 30), 5: (40, 50), 6: (50, 60)}
    meet, apart, missing = sat(1, 1, 2), sat(2, 3, 4), sat(3, 1, None)
    assert turning_games([meet, apart, missing], ranges) == {1, 2}
    assert turning_games([sat(1, 2, 1)], ranges) == {1, 2}
    assert turning_games([sat(4, 3, 4, 5, 6)], ranges) == {5, 6}
    assert turning_games([sat(5, 1, 2, points=15)], ranges) == set()


@pytest.fixture
def cup(store_url: str, tmp_path: Path) -> Iterator[Store]:
    """An empty store, on each database in turn."""
    with open_store(store_url, str(tmp_path / "photos")) as opened:
        yield opened


MAPS = [str(board) for seed in range(4) for board in play_game(seed).maps]
TOTALS = [score_board(Board.parse(text)).domain_points for text in MAPS]


def photographed(
    store: Store,
    which: int,
    code: str | None = None,
    *,
    name: str | None = None,
    confidence: float = 0.97,
    doubt: int = 0,
) -> None:
    """One of the finished maps came in. doubt: how much more than read it may be worth."""
    sheet = make_sheet(MAPS[which], confidence=confidence)
    total = sheet.score.total
    totals = ((total, confidence), (total + doubt, 1 - confidence)) if doubt else ((total, 1.0),)
    reading = replace(sheet.reading, totals=totals, review=bool(doubt))
    name = name or f"{which}.jpg"
    found = with_evidence(replace(sheet, reading=reading), sheet_id=code)
    came_in(store, f"/home/club/{name}", found)


def told(tables: Tables) -> list[tuple[str, Any]]:
    return [(one.player, one.score) for one in tables.views().standings["standings"]]


def test_what_may_turn_a_game_comes_first_then_what_is_least_sure(cup: Store) -> None:
    low, high = sorted((0, 1), key=TOTALS.__getitem__)
    reach = TOTALS[high] - TOTALS[low]
    photographed(cup, low, "CUP/1/1/A", confidence=0.9, doubt=reach)
    photographed(cup, high, "CUP/1/1/B")
    photographed(cup, 2, confidence=0.3, doubt=1)
    photographed(cup, 3, confidence=0.1, doubt=1)
    with cup.read() as db:
        queue = Tables(cup, find_event(db, "Cup")).views().queue["sheets"]
    assert [(one["name"], one["decides"]) for one in queue] == [
        (f"{low}.jpg", True),
        ("3.jpg", False),
        ("2.jpg", False),
    ]
    assert queue[0]["range"] == (TOTALS[low], TOTALS[low] + reach)
    assert (queue[0]["round"], queue[0]["table"], queue[0]["player"]) == (1, 1, "A")


def test_standings_follow_codes_corrections_and_the_arbiter(cup: Store) -> None:
    best, other = sorted((0, 1), key=TOTALS.__getitem__, reverse=True)
    with cup.write() as db:
        event = ensure_event(db, "Cup")
        ada = ensure_player(db, event.id, "Ada", code="A7")
        bo = ensure_player(db, event.id, "Bo")
        game = set_game(db, event.id, 1, 1, [ada.id, bo.id])
    tables = Tables(cup, event)
    assert told(tables) == [("Ada", 0), ("Bo", 0)]
    assert tables.views().standings["played_round"] == 0
    photographed(cup, best, "CUP/1/1/A7")
    photographed(cup, other, "CUP/1//BO")
    said = tables.views().standings
    assert told(tables) == [("Ada", 1), ("Bo", 0)]
    with cup.write() as db:  # the next round is paired
        set_game(db, event.id, 2, 1, [ada.id, bo.id])
    assert tables.views().standings["played_round"] == 1
    assert said["games"][0]["winner"] == 0
    assert [one["total"] for one in said["totals"]] == [TOTALS[best], TOTALS[other]]
    assert "/home" not in str(said)
    with cup.write() as db:
        add_correction(db, event.id, "result", {str(bo.id): 999}, "Arbiter", game_id=game)
    assert told(tables) == [("Bo", 1), ("Ada", 0)]
    with cup.write() as db:
        (sheet,) = (s for s in sheets(db, event.id) if s.total == TOTALS[other])
        add_correction(db, event.id, "ignored", True, "Arbiter", sheet_id=sheet.id)
    assert [one["total"] for one in tables.views().standings["totals"]] == [TOTALS[best]]


def test_a_sheet_photographed_twice_is_there_once(cup: Store) -> None:
    photographed(cup, 0, name="a.jpg", confidence=0.6, doubt=2)
    photographed(cup, 0, name="b.jpg", confidence=0.7, doubt=2)
    with cup.read() as db:
        tables = Tables(cup, find_event(db, "Cup"))
    assert [one["name"] for one in tables.views().queue["sheets"]] == ["b.jpg"]
    assert [one["name"] for one in tables.views().standings["totals"]] == ["b.jpg"]
    with cup.write() as db:
        first, _ = sheets(db, find_event(db, "Cup").id)
        add_correction(db, first.event_id, "same_as", 0, "Arbiter", sheet_id=first.id)
    assert len(tables.views().queue["sheets"]) == 2


def test_who_looks_for_news_at_the_same_time_shares_a_look(
    cup: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cup.write() as db:
        tables = Tables(cup, ensure_event(db, "Cup"))
    look, looks = tables._state_of, []

    def slow(db: Connection) -> str:
        looks.append(look(db))
        time.sleep(0.1)
        return looks[-1]

    monkeypatch.setattr(tables, "_state_of", slow)
    with ThreadPoolExecutor(20) as many:
        list(many.map(lambda _: tables.state(), range(20)))
    assert len(looks) < 10
    before = len(looks)
    tables.state()
    assert len(looks) == before + 1, "whoever asks later looks again"


def test_pairing_a_round_anew_is_news(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, "Cup")
        ids = [ensure_player(db, event.id, name).id for name in ("Ada", "Bo", "Cleo", "Dan")]
        set_game(db, event.id, 1, 1, ids[:2])
        set_game(db, event.id, 1, 2, ids[2:])
    tables = Tables(cup, event)
    before = tables.views().standings
    with cup.write() as db:  # the database gives the new rows the old numbers
        remove_games(db, event.id, 1)
        set_game(db, event.id, 1, 1, [ids[0], ids[2]])
        set_game(db, event.id, 1, 2, [ids[1], ids[3]])
    after = tables.views().standings
    assert after["state"] != before["state"]
    assert [seat["player"] for seat in after["games"][0]["seats"]] == ["Ada", "Cleo"]


def test_a_round_that_is_said_later_is_news(cup: Store) -> None:
    came_in(cup, "a.jpg", make_sheet())
    with cup.write() as db:
        event = find_event(db, "Cup")
    tables = Tables(cup, event)
    assert [one["round"] for one in tables.views().desk["sheets"]] == [None]
    with cup.write() as db:
        (row,) = files(db, event.id)
        add_file(db, event.id, row.name, row.photo_id, details={"round": 3})
    assert [one["round"] for one in tables.views().desk["sheets"]] == [3]


def test_a_photo_that_turns_out_to_be_unreadable_is_news(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, "Cup")
        photo = add_photo(db, event.id, "ab" * 32, ".jpg", 10)
        add_file(db, event.id, "a.jpg", photo.id)
    tables = Tables(cup, event)
    assert tables.views().desk["cards"] == []
    with cup.write() as db:
        set_pages(db, photo.id, None, {"code": "unreadable_image", "message": ""})
    assert [one["kind"] for one in tables.views().desk["cards"]] == ["failed"]
    with cup.write() as db:  # somebody has it read again
        set_pages(db, photo.id, None)
    assert tables.views().desk["cards"] == []


def test_a_kingdom_follows_the_events_rules(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_rules(db, "Cup", RuleChanges(game="kingdomino"))
    came_in(cup, "kingdom.jpg", make_kingdom())
    tables, service, zoe = Tables(cup, event), SheetService(cup, event), new_session("desk", "Zoe")
    (before,) = tables.views().standings["totals"]
    with cup.write() as db:
        ensure_rules(db, "Cup", RuleChanges(middle_kingdom=True))
        (sheet,) = sheets(db, event.id)
    (after,) = tables.views().standings["totals"]
    assert after["total"] == before["total"] + 10
    assert service.sheet(sheet.id, zoe)["score"]["total"] == after["total"]
    poor = {"variants": {"middle_kingdom": False, "harmony": False}}
    with pytest.raises(ApiError, match="the event's rules"):
        service.correct(sheet.id, poor, zoe)
    with cup.write() as db:  # an older version took it
        add_correction(db, event.id, "variants", poor["variants"], "Zoe", sheet_id=sheet.id)
    assert tables.views().standings["totals"] == [after]


def test_players_are_known_by_their_codes_and_names(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, "Cup")
        known = names_of(
            ensure_player(db, event.id, name, code=code)
            for name, code in (("Ada", "A7"), ("Strauß", "ANN"), ("Strauss", "2"), ("Ann", "1"))
        )
    called = {name: known.called(name) for name in ("ada", "a7", "Strauß", "ann", "2")}
    assert called == {"ada": "Ada", "a7": "Ada", "Strauß": "Strauß", "ann": "Ann", "2": "Strauss"}
    coded = {code: known.of(Place(code=code)) for code in ("A7", "ANN", "2", "1", "4", "ADA", "X")}
    assert coded == {
        "A7": "Ada",
        "ANN": "Strauß",
        "2": "Strauss",
        "1": "Ann",
        "4": "Ann",
        "ADA": "Ada",
        "X": "X",
    }
    assert known.of(Place(player="Ann", code="A7")) == "Ann"


def test_the_desk_is_for_the_desk(player: httpx.Client, desk: httpx.Client) -> None:
    assert player.get("/api/queue").status_code == 403
    photo = send(player, "02.jpg")
    assert photo["sheets"][0]["review"]
    queue = desk.get("/api/queue").json()["sheets"]
    mine = next(one for one in queue if one["id"] == photo["sheets"][0]["id"])
    assert mine["thumb"] == photo["pages"][0]["thumb"]
    assert desk.get(mine["thumb"]).headers["content-type"] == "image/jpeg"
    desk.post(f"/api/sheets/{mine['id']}/confirm", json={})
    assert all(one["id"] != mine["id"] for one in desk.get("/api/queue").json()["sheets"])
    totals = player.get("/api/standings").json()["totals"]
    assert {"name": "02.jpg", "total": mine["total"], "review": False} in totals


def test_news_come_when_there_are_some(player: httpx.Client, desk: httpx.Client) -> None:
    sheet = send(player, "02.jpg")["sheets"][0]
    for path in ("/api/standings", "/api/queue"):
        known = desk.get(path).json()
        assert desk.get(path, params={"after": known["state"]}).json() == known
        asked = {"after": known["state"], "wait": "1"}
        assert desk.get(path, params=asked).json() == known
        asked["wait"] = "25"
        with ThreadPoolExecutor(1) as beside:
            waiting = beside.submit(desk.get, path, params=asked)
            player.post(f"/api/sheets/{sheet['id']}/wizard", json={"coat": "dot"})
            assert waiting.result().json()["state"] != known["state"]
        player.post(f"/api/sheets/{sheet['id']}/undo", json={})
        assert desk.get(path, params={"after": "x", "wait": "26"}).status_code == 400


def test_its_pages_open(player: httpx.Client, desk: httpx.Client) -> None:
    assert player.get("/desk").headers["location"] == "/join"
    assert "<title>Desk · kdscan</title>" in desk.get("/desk").text
    assert "<title>Standings · kdscan</title>" in player.get("/standings").text
    assert "<title>kdscan</title>" in player.get("/").text
