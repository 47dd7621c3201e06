"""Kingdoms and spellbooks on the page: corrected through the HTTP interface, and the effects."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from kdscan.event.store import Store
from tests.readings import make_kingdom, make_table, paid_game
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


def test_a_doubtful_spellbook_is_a_card_until_it_is_confirmed(
    desk: httpx.Client, table: dict[str, Any]
) -> None:
    book = table["sheets"][2]

    def briefs() -> list[dict[str, Any]]:
        cards = desk.get("/api/desk").json()["cards"]
        return [one for card in cards for one in card["sheets"] if one["id"] == book["id"]]

    (line,) = briefs()
    assert (line["kind"], line["total"]) == ("duel_spellbook", None)
    now = sheet_after(desk, "confirm_sheet", sheet=book["id"])
    assert not now["review"] and not briefs()
    assert not any(side["choice"]["review"] for side in now["players"])
