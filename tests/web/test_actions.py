"""The desk over HTTP: what people do, what is to be settled, and what everybody sees."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from kdscan.event import actions as event_actions
from kdscan.event import log
from kdscan.event.log import Author
from kdscan.event.store import Store
from kdscan.event.store.schema import now, touch
from kdscan.rules.duel.players import play_game
from tests.event.entries import came_in
from tests.readings import make_sheet, with_evidence
from tests.web.conftest import DESK, JOIN, Login, Served, act, lay, send, serving, settings

NAMES = ("Ada", "Bob")


@pytest.fixture(scope="module")
def cup(desk: httpx.Client) -> dict[int, list[str]]:
    """Two players and the first round; who sits where."""
    for name in NAMES:
        act(desk, "add_player", name=name).raise_for_status()
    view = act(desk, "pair_round", "desk").json()["desk"]
    assert view["last_round"] == 1
    return {game["table"]: [seat["player"] for seat in game["seats"]] for game in view["games"]}


def cards(client: httpx.Client) -> dict[str, dict[str, Any]]:
    return {card["kind"]: card for card in client.get("/api/desk").json()["cards"]}


@pytest.mark.usefixtures("cup")
def test_sheets_of_the_round_that_is_played_are_to_come_until_its_clock_ends(
    desk: httpx.Client, served: Served, store: Store
) -> None:
    lay(served, store, with_evidence(make_sheet(confidence=0.999), sheet_id="SC/1/1/1"))
    view = desk.get("/api/desk").json()
    assert view["to_come"] == 1
    assert "missing" not in cards(desk)
    served.services.live.perform(
        Author("Zoe"), event_actions.StartClock(5), event_actions.Show("pairings")
    )
    assert desk.get("/api/desk").json()["clock"]
    started = event_actions.StartClock(None)
    with store.write() as db:
        touch(db, served.services.live.id)
        over = event_actions.StartClock(None, "2026-01-01T00:00:00+00:00")
        log.append(db, served.services.live.id, Author("Zoe"), over, now())
    assert cards(desk)["missing"]["player"] == "Bob"
    served.services.live.perform(Author("Zoe"), started)


@pytest.mark.usefixtures("cup")
def test_a_players_change_is_a_card_until_it_is_accepted_or_restored(
    desk: httpx.Client, login: Login
) -> None:
    player = login(JOIN)
    sheet = send(player, "13.jpg")["sheets"][0]
    read = sheet["score"]["total"]
    sure = next(c for c in sheet["cells"] if c["coat"] and not c["review"])
    said = {"sheet": sheet["id"], "cell": [sure["row"], sure["col"]], "coat": sure["coat"]}
    answer = act(player, "correct_shield", **said, crosses=4).json()
    assert answer["sheet"]["score"]["total"] == read
    assert answer["sheet"]["corrections"][-1]["source"] == "waits"
    card = cards(desk)["changed"]
    (change,) = card["changes"]
    assert change == answer["actions"][0]
    accepted = act(desk, "approve", "desk", actions=[change]).json()["desk"]
    assert "changed" not in {card["kind"] for card in accepted["cards"]}
    assert desk.get(f"/api/sheets/{sheet['id']}").json()["score"]["total"] > read
    act(player, "assign_sheet", sheet=sheet["id"], player="Bob").raise_for_status()
    given = player.get(f"/api/sheets/{sheet['id']}").json()
    assert (given["player"], given["corrections"][-1]["source"]) == (None, "waits")
    assert act(desk, "undo", action=change).status_code == 200
    assert desk.get(f"/api/sheets/{sheet['id']}").json()["score"]["total"] == read


def test_points_are_entered_and_shown_to_everybody(
    desk: httpx.Client, login: Login, cup: dict[int, list[str]]
) -> None:
    one, other = cup[1]
    points = {one: 40, other.lower(): 30}
    done = act(desk, "enter_result", "desk", round=1, table=1, points=points).json()["desk"]
    (game,) = done["games"]
    assert [seat["total"] for seat in game["seats"]] == [40, 30]
    assert done["undo"]["values"] == {"round": "1", "table": "1"}
    table = login(JOIN).get("/api/standings").json()
    assert [(line["player"], line["score"]) for line in table["standings"]] == [
        (one, 1.0),
        (other, 0.0),
    ]
    assert table["played_round"] == 1
    refused = act(desk, "pair_round", again=True)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")


def test_several_actions_are_one_or_none(desk: httpx.Client) -> None:
    before = desk.get("/api/desk").json()
    names = [{"type": "add_player", "name": name} for name in ("Fay", "Gus", "fay")]
    assert desk.post("/api/actions", json={"actions": names}).status_code == 409
    assert desk.get("/api/desk").json()["players"] == before["players"]
    done = desk.post("/api/actions", json={"actions": names[:2]}).json()
    assert len(done["actions"]) == 2
    act(desk, "undo", action=done["actions"][1]).raise_for_status()
    assert desk.get("/api/desk").json()["players"] == before["players"]
    answer = desk.post("/api/actions", content=b" " * 200_001)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_much")


@pytest.fixture
def page(store: Store) -> Iterator[Served]:
    with serving(store, settings()) as served:
        yield served


def test_news_come_at_once_whoever_makes_them(page: Served, store: Store) -> None:
    headers = {"Authorization": f"Bearer {DESK}"}
    with httpx.Client(base_url=page.address, headers=headers, timeout=60) as client:
        state = client.get("/api/standings").json()["state"]
        answers: list[dict[str, Any]] = []

        def wait() -> None:
            url = f"{page.address}/api/standings?after={state}&wait=25"
            answers.append(httpx.get(url, headers=headers, timeout=60).json())

        waiting = [threading.Thread(target=wait) for _ in range(4)]
        for thread in waiting:
            thread.start()
        board = str(play_game(7).maps[0])
        came_in(store, "late.jpg", make_sheet(board, confidence=0.999), event="Spring cup")
        for thread in waiting:
            thread.join(30)
        assert len(answers) == 4 and all(answer["state"] != state for answer in answers)
        names = [total["name"] for total in client.get("/api/standings").json()["totals"]]
    assert "late.jpg" in names
