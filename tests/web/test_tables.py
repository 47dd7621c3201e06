"""The event from above: whose sheet is which, what matters most, who leads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from kdscan.tournament.event import names_by_code
from kdscan.tournament.store import Store, open_store
from kdscan.tournament.store.corrections import add_correction
from kdscan.tournament.store.events import ensure_event, ensure_player
from kdscan.tournament.store.games import set_game
from kdscan.tournament.store.photos import add_file, add_photo, set_pages
from kdscan.tournament.store.readings import add_reading, sheets
from kdscan.web.tables import Line, Tables, queue_json, turning_games
from tests.web.conftest import send


def line(number: int, low: int, high: int, at: tuple[int, int] | None, **more: Any) -> Line:
    score = {"total": low, "domains": low, "wizard": 0}
    json = {"id": number, "kind": "duel_map", "photo": 1, "page": 0, "score": score, "domains": []}
    json |= {"range": [low, high], "review": True, "confidence": 0.5} | more
    round_, table = at or (None, None)
    return Line(json, f"{number}.jpg", round_, table, None)


def test_a_game_may_turn_where_ranges_meet() -> None:
    lines = [
        line(1, 10, 20, (1, 1)),
        line(2, 20, 30, (1, 1)),
        line(3, 10, 19, (1, 2)),
        line(4, 20, 30, (1, 2)),
        line(5, 10, 20, (2, 1)),
        line(6, 10, 20, None),
    ]
    assert turning_games(lines) == {1, 2}


def test_what_may_turn_a_game_comes_first_then_what_is_least_sure() -> None:
    lines = [
        line(1, 10, 12, None, confidence=0.1),
        line(2, 10, 12, None, confidence=0.9),
        line(3, 10, 12, (1, 1), confidence=0.95),
        line(4, 12, 12, (1, 1), confidence=0.99, review=False),
        line(5, 10, 12, None, confidence=0.5),
    ]
    assert [one["id"] for one in queue_json(lines)] == [3, 1, 5, 2]


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "cup.sqlite")) as opened:
        yield opened


def entry(total: int, code: str | None) -> dict[str, Any]:
    cells = [
        {"row": 0, "col": col, "coat": "dot", "crosses": total if col == 0 else 0}
        | {"center": [0, 0], "confidence": 1.0, "review": False, "alternatives": []}
        for col in range(1)
    ]
    sheet = {
        "kind": "duel_map",
        "layout": "kdscan-a5",
        "sheet_id": code,
        "outline": [[0, 0], [7, 0], [7, 5], [0, 5]],
        "castle_bonus_used": False,
        "cells": cells,
        "domains": [{"coat": "dot", "cells": [[0, 0]], "crosses": total, "points": total}],
        "score": {"domains": total, "wizard": 0, "total": total},
        "range": [total, total],
        "problems": [],
        "confidence": 0.99,
        "review": False,
    }
    return {"photo": "", "page": 0, "width": 7, "height": 5, "error": None, "sheets": [sheet]}


def put(store: Store, event: int, name: str, total: int, code: str | None) -> None:
    sha256 = store.photos.put(name.encode(), ".jpg")
    with store.write() as db:
        photo, _ = add_photo(db, event, sha256, ".jpg", len(name))
        add_file(db, event, f"/home/club/{name}", photo.id)
        add_reading(db, photo, 0, "test-1", entry(total, code), [None], 0.1)
        set_pages(db, photo.id, 1)


def test_standings_follow_codes_corrections_and_the_arbiter(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, "Cup")
        ada = ensure_player(db, event.id, "Ada", code="A7")
        bo = ensure_player(db, event.id, "Bo")
        game = set_game(db, event.id, 1, 1, [ada.id, bo.id])
    tables = Tables(cup, event)
    assert tables.standings()["standings"][0]["score"] == 0
    put(cup, event.id, "a.jpg", 30, "CUP/1/1/A7")
    put(cup, event.id, "b.jpg", 20, "CUP/1//BO")
    said = tables.standings()
    assert [(s["player"], s["score"]) for s in said["standings"]] == [("Ada", 1), ("Bo", 0)]
    assert said["games"][0]["winner"] == 0
    assert [one["total"] for one in said["totals"]] == [30, 20]
    assert "/home" not in str(said)
    with cup.write() as db:
        add_correction(db, event.id, "result", {str(bo.id): 40}, "Arbiter", game_id=game.id)
    assert tables.standings()["standings"][0]["player"] == "Bo"
    with cup.write() as db:
        (sheet,) = (s for s in sheets(db, event.id) if s.total == 20)
        add_correction(db, event.id, "ignored", True, "Arbiter", sheet_id=sheet.id)
    assert [one["total"] for one in tables.standings()["totals"]] == [30]


def test_players_are_known_by_their_codes_and_names(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, "Cup")
        known = names_by_code([ensure_player(db, event.id, "Ada", code="a7")])
    assert known == {"ADA": "Ada", "A7": "Ada"}


def test_the_desk_is_for_the_desk(player: httpx.Client, desk: httpx.Client) -> None:
    assert player.get("/api/queue").status_code == 403
    photo = send(player, "02.jpg")
    assert photo["sheets"][0]["review"]
    queue = desk.get("/api/queue").json()["sheets"]
    mine = next(one for one in queue if one["id"] == photo["sheets"][0]["id"])
    assert desk.get(mine["thumb"]).headers["content-type"] == "image/jpeg"
    desk.post(f"/api/sheets/{mine['id']}/confirm", json={})
    assert all(one["id"] != mine["id"] for one in desk.get("/api/queue").json()["sheets"])
    totals = player.get("/api/standings").json()["totals"]
    assert {"name": "02.jpg", "total": mine["total"], "review": False} in totals


def test_news_come_when_there_are_some(player: httpx.Client, desk: httpx.Client) -> None:
    sheet = send(player, "02.jpg")["sheets"][0]
    for path in ("/api/standings", "/api/queue"):
        known = desk.get(path).json()
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
    assert desk.get("/desk").status_code == 200
    assert player.get("/standings").status_code == 200
