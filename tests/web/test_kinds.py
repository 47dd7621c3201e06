"""Kingdoms and spellbooks on the page: corrected through the HTTP interface, and the effects."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from kdscan.event.store import Store
from tests.readings import make_book, make_kingdom, make_sheet, make_table, paid_game
from tests.web.conftest import Served, lay, sheet_after, undone

GAME = paid_game()
OWNER = next(n for n, score in enumerate(GAME.scores()) if score.wizard)
DOUBT = f"players[{OWNER}].choices.{GAME.spellbook.chosen_by(OWNER)}"


@pytest.fixture
def table(served: Served, store: Store, desk: httpx.Client) -> dict[str, Any]:
    """Both maps and the spellbook in one photo; which coat was chosen is doubtful."""
    photo = lay(served, store, *make_table(GAME, {DOUBT: 0.9}))
    found: dict[str, Any] = desk.get(f"/api/photos/{photo}").json()
    return found


@pytest.fixture
def kingdom(served: Served, store: Store, desk: httpx.Client) -> dict[str, Any]:
    photo = lay(served, store, make_kingdom(doubtful={(0, 0): ("wheat", 0)}))
    (found,) = desk.get(f"/api/photos/{photo}").json()["sheets"]
    return dict(found)


def test_a_kingdom_is_corrected_and_its_range_shrinks(
    desk: httpx.Client, kingdom: dict[str, Any]
) -> None:
    assert kingdom["range"][0] < kingdom["range"][1]
    assert kingdom["cells"][0]["alternatives"]
    said = {"sheet": kingdom["id"], "cell": [0, 0], "terrain": "wheat", "crowns": 0}
    after = sheet_after(desk, "correct_square", **said)
    assert after["range"] == [after["score"]["total"]] * 2
    assert after["score"]["total"] < kingdom["score"]["total"]
    assert after["corrections"][-1]["old"] == {"terrain": "wheat", "crowns": 1}
    middle = {"sheet": kingdom["id"], "middle_kingdom": True, "harmony": False}
    rich = sheet_after(desk, "set_variants", **middle)
    assert rich["score"]["total"] == after["score"]["total"] + 10
    back = undone(desk, rich)
    assert back["score"] == after["score"]
    assert undone(desk, back)["score"] == kingdom["score"]


def test_a_corrected_spellbook_pays_the_maps_and_decides_the_game(
    desk: httpx.Client, table: dict[str, Any]
) -> None:
    maps, book = table["sheets"][:2], table["sheets"][2]
    ids = [sheet["id"] for sheet in maps]
    scores = [score.wizard for score in GAME.scores()]
    assert [sheet["score"]["wizard"] for sheet in maps] == scores
    assert book["players"][OWNER]["choice"]["review"]
    assert book["players"][OWNER]["choice"]["alternatives"][0]["coat"] is None
    coats = {domain["coat"] for domain in maps[OWNER]["domains"]}
    other = next(c for c in sorted(coats) if c != book["players"][OWNER]["chosen_coat"])
    said = {"sheet": book["id"], "side": OWNER}
    after = sheet_after(desk, "correct_choice", **said, coat=other)
    assert after["players"][OWNER]["chosen_coat"] == other
    assert not after["players"][OWNER]["choice"]["review"]
    paid = desk.get(f"/api/sheets/{ids[OWNER]}").json()
    assert paid["chosen_coat"] == other
    assert paid["score"]["wizard"] == 3 * sum(d["coat"] == other for d in paid["domains"])
    game = desk.get("/api/games", params={"sheets": f"{ids[0]},{ids[1]}"}).json()["game"]
    assert game["players"][OWNER]["total"] == paid["score"]["total"]
    after = sheet_after(desk, "correct_line", **said, coat="filled", filled=0)
    assert desk.get(f"/api/sheets/{ids[OWNER]}").json()["score"]["wizard"] == 0
    for _ in range(2):
        after = undone(desk, after)
    now = desk.get(f"/api/photos/{table['id']}").json()["sheets"]
    assert [sheet["score"] for sheet in now[:2]] == [sheet["score"] for sheet in maps]


def test_a_spellbook_photographed_apart_joins_the_game(
    served: Served, store: Store, desk: httpx.Client
) -> None:
    boards = [make_sheet(str(board), confidence=0.999) for board in GAME.maps]
    book = make_book(GAME.spellbook)
    photos = [*(lay(served, store, one) for one in boards), lay(served, store, book)]
    ids = [desk.get(f"/api/photos/{one}").json()["sheets"][0]["id"] for one in photos]
    names = ",".join(map(str, ids))
    said = desk.get("/api/games", params={"sheets": names}).json()
    totals = [score.total for score in GAME.scores()]
    assert [player["total"] for player in said["game"]["players"]] == totals
    assert len(said["sheets"]) == 3
    assert desk.get("/api/games", params={"sheets": f"{ids[0]},{ids[2]}"}).status_code == 409


def test_kingdoms_are_a_game_of_up_to_four(
    served: Served, store: Store, desk: httpx.Client, kingdom: dict[str, Any]
) -> None:
    other = make_kingdom(doubtful={(0, 0): ("wheat", 0)}, origin_xy=(400.0, 250.0))
    photo = lay(served, store, make_kingdom(), other)
    ids = [kingdom["id"], *(s["id"] for s in desk.get(f"/api/photos/{photo}").json()["sheets"])]
    said = desk.get("/api/games", params={"sheets": ",".join(map(str, ids))}).json()["game"]
    totals = [player["total"] for player in said["players"]]
    assert said["winners"] == [n for n, total in enumerate(totals) if total == max(totals)]
    book = lay(served, store, make_book(GAME.spellbook))  # of the other game
    ids.append(desk.get(f"/api/photos/{book}").json()["sheets"][0]["id"])
    answer = desk.get("/api/games", params={"sheets": ",".join(map(str, ids))})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "wrong_kind")


def test_a_doubtful_spellbook_is_a_card_until_it_is_confirmed(
    desk: httpx.Client, table: dict[str, Any]
) -> None:
    book = table["sheets"][2]

    def briefs() -> list[dict[str, Any]]:
        cards = desk.get("/api/desk").json()["cards"]
        return [one for card in cards for one in card["sheets"] if one["id"] == book["id"]]

    (line,) = briefs()
    assert (line["kind"], line["total"], line["range"]) == ("duel_spellbook", None, None)
    now = sheet_after(desk, "confirm_sheet", sheet=book["id"])
    assert not now["review"] and not briefs()
    assert not any(side["choice"]["review"] for side in now["players"])
