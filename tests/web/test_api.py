"""From an upload to a score, corrected and undone, through the HTTP interface."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import httpx
import pytest

from kdscan.errors import Bug
from kdscan.event.events import find_row
from kdscan.event.store import Store
from kdscan.event.store.photos import get_photo, read_sheets, set_pages
from kdscan.i18n.errors import error_json
from kdscan.rules.duel.board import CELLS
from tests.event.entries import came_in
from tests.readings import make_sheet
from tests.web.conftest import (
    DESK,
    JOIN,
    SAMPLES,
    Login,
    Served,
    act,
    awaited,
    send,
    sheet_after,
    undone,
)


@pytest.fixture(scope="module")
def photo(player: httpx.Client) -> dict[str, Any]:
    return send(player, "01.jpg")


@pytest.fixture(scope="module")
def sheet(photo: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = photo["sheets"][0]
    return found


def test_a_photo_is_read_as_the_command_line_reads_it(photo: dict[str, Any]) -> None:
    said = json.loads((SAMPLES / "01.reading.json").read_text())["photos"][0]
    assert photo["state"] == "read" and photo["name"] == "01.jpg"
    (page,), (found,) = photo["pages"], photo["sheets"]
    assert (page["width"], page["height"]) == (said["width"], said["height"])
    assert len(found["cells"]) == len(CELLS)
    assert found["score"]["total"] == sum(d["points"] for d in found["domains"])
    assert found["kind"] == said["sheets"][0]["kind"]


def test_pictures_are_jpegs_that_may_be_kept_and_are_made_again(
    player: httpx.Client, served: Served, photo: dict[str, Any]
) -> None:
    content = hashlib.sha256((SAMPLES / "01.jpg").read_bytes()).hexdigest()
    for size in ("view", "thumb"):
        assert photo["pages"][0][size].endswith(f"?{content[:12]}")  # in any store
        answer = player.get(photo["pages"][0][size])
        assert answer.content.startswith(b"\xff\xd8")
        assert "immutable" in answer.headers["cache-control"]
    for stored in served.services.pictures._folder.rglob("*-0-view.jpg"):
        stored.unlink()
    assert player.get(photo["pages"][0]["view"]).content.startswith(b"\xff\xd8")
    nowhere = photo["pages"][0]["view"].replace("/pages/0/", "/pages/1/")
    assert player.get(nowhere).status_code == 404


def test_a_correction_moves_the_score_and_undo_brings_it_back(
    player: httpx.Client, sheet: dict[str, Any]
) -> None:
    cell = next(c for c in sheet["cells"] if c["coat"] and c["crosses"])
    at = [cell["row"], cell["col"]]
    said = {"sheet": sheet["id"], "cell": at, "coat": cell["coat"], "crosses": 0}
    after = sheet_after(player, "correct_shield", **said)
    there = next(c for c in after["cells"] if [c["row"], c["col"]] == at)
    assert there["crosses"] == 0 and there["confidence"] > 0.9
    assert there["seen"] == {"coat": cell["coat"], "crosses": cell["crosses"]}
    assert after["score"]["total"] < sheet["score"]["total"]
    (decision,) = after["corrections"]
    assert (decision["who"], decision["role"], decision["source"]) == ("player", "player", "desk")
    assert decision["old"] == {"coat": cell["coat"], "crosses": cell["crosses"]}
    back = undone(player, after)
    assert back["score"] == sheet["score"] and back["corrections"][0]["undone"]
    assert undone(player, after) == back  # the first answer was lost


def test_two_maps_are_a_game(player: httpx.Client, sheet: dict[str, Any]) -> None:
    other = send(player, "05.jpg")["sheets"][0]
    said = player.get(f"/api/games?sheets={sheet['id']},{other['id']}").json()
    totals = [p["total"] for p in said["game"]["players"]]
    assert totals == [sheet["score"]["total"], other["score"]["total"]]
    assert said["game"]["winner"] == totals.index(max(totals))
    for wrong in ("", "1", "a,b", "1,2,3,4,5", "0001,2"):
        assert player.get("/api/games", params={"sheets": wrong}).status_code == 400
    nobodys = {"sheets": f"{sheet['id']},{10**20}"}
    assert player.get("/api/games", params=nobodys).status_code == 404


def test_players_see_their_own_photos_alone(
    login: Login, desk: httpx.Client, photo: dict[str, Any], sheet: dict[str, Any]
) -> None:
    other = login(JOIN)
    assert other.get("/api/photos").json() == {"photos": []}
    for path in (f"/api/photos/{photo['id']}", f"/api/sheets/{sheet['id']}"):
        assert other.get(path).status_code == 404
        assert desk.get(path).status_code == 200
    assert other.get(photo["pages"][0]["view"]).status_code == 404
    assert send(other, "01.jpg")["id"] == photo["id"]
    assert other.get(f"/api/sheets/{sheet['id']}").status_code == 200


def test_even_the_desk_sees_nothing_of_another_event(
    desk: httpx.Client, store: Store, sheet: dict[str, Any]
) -> None:
    came_in(store, "theirs.jpg", make_sheet(), event="Another cup")
    with store.read() as db:
        (theirs,) = read_sheets(db, event_id=find_row(db, "Another cup").id)
    at = f"/api/sheets/{theirs.id}"
    for path in (
        f"/api/photos/{theirs.photo_id}",
        at,
        f"/api/games?sheets={sheet['id']},{theirs.id}",
    ):
        assert desk.get(path).status_code == 404, path
    assert desk.post(f"/api/photos/{theirs.photo_id}/again", json={}).status_code == 404
    for kind in ("confirm_sheet", "ignore"):
        assert act(desk, kind, sheet=theirs.id).status_code == 404
    assert act(desk, "same_paper", sheet=sheet["id"], of=theirs.id).status_code == 404


@pytest.mark.parametrize(
    ("data", "code", "in_polish"),
    [
        (b"no picture", "unreadable_image", "to nie jest obraz"),
        (b"\xff\xd8\xff\xe0 cut off", "unreadable_image", "jest uszkodzony"),
    ],
)
def test_what_is_no_picture_says_so_and_is_kept(
    player: httpx.Client, store: Store, data: bytes, code: str, in_polish: str
) -> None:
    made = player.post("/api/photos?name=../../etc/x%00y.jpg", content=data).json()
    photo = awaited(player, made["id"])
    assert photo["state"] == "failed"
    assert photo["error"]["code"] == code
    headers = {"Accept-Language": "pl"}
    polish = player.get(f"/api/photos/{made['id']}", headers=headers).json()["error"]
    assert polish["code"] == code
    assert in_polish in polish["message"]
    assert "/" not in photo["name"] and "\0" not in photo["name"]
    assert player.post(f"/api/photos/{made['id']}/again", json={}).status_code == 200
    assert awaited(player, made["id"])["error"]["code"] == code


def test_details_of_a_bug_are_for_the_log(player: httpx.Client, store: Store) -> None:
    photo = player.post("/api/photos", content=b"stumbled over").json()["id"]
    awaited(player, photo)
    with store.write() as db:
        row = get_photo(db, photo)
        assert row is not None
        set_pages(db, row, None, error_json(Bug("KeyError in {path}", path="/srv/kdscan")))
    error = player.get(f"/api/photos/{photo}").json()["error"]
    assert error["code"] == "bug" and "The photo is kept." in error["message"]
    assert "KeyError" not in error["message"] and "/srv" not in error["message"]


def test_what_does_not_exist_is_an_error_like_any_other(player: httpx.Client) -> None:
    for answer, status, code in (
        (player.get("/api/nothing"), 404, "not_found"),
        (player.get("/api/photos/999999"), 404, "not_found"),
        (player.post("/openapi.json"), 405, "wrong_method"),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert "retry-after" not in answer.headers  # it will not exist later either
    assert "GET" in answer.headers["allow"]
    assert player.delete("/api/photos").headers["allow"] == "GET, HEAD, POST"


def test_the_same_bytes_give_no_say_over_the_first_ones_corrections(login: Login) -> None:
    first, second = login(JOIN), login(JOIN)
    photo = send(first, "02.jpg")
    sheet = photo["sheets"][0]["id"]
    assert photo["can_correct"] and not send(second, "02.jpg")["can_correct"]
    assert login(DESK).get(f"/api/photos/{photo['id']}").json()["can_correct"]
    change = {"sheet": sheet, "cell": [0, 0], "coat": "dot", "crosses": 1}
    answer = act(second, "correct_shield", **change)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "ask_desk")
    done = act(first, "correct_shield", **change)
    assert done.status_code == 200
    assert act(second, "undo", action=done.json()["actions"][0]).status_code == 403
    assert act(second, "assign_sheet", sheet=sheet, player="Bo").status_code == 403
    assert second.post(f"/api/photos/{photo['id']}/again", json={}).status_code == 403
    assert second.get(f"/api/sheets/{sheet}").status_code == 200


def test_a_photo_is_deleted_by_whoever_sent_it_and_comes_back_when_it_is_sent_again(
    player: httpx.Client, desk: httpx.Client
) -> None:
    photo = send(player, "05.jpg")["id"]
    assert player.get(f"/api/photos/{photo}").json()["can_remove"]
    assert desk.post(f"/api/photos/{photo}/remove", json={}).status_code == 200
    assert photo not in [one["id"] for one in player.get("/api/photos").json()["photos"]]
    assert send(player, "05.jpg")["id"] == photo
    assert photo in [one["id"] for one in player.get("/api/photos").json()["photos"]]
    act(desk, "add_player", name="Ada").raise_for_status()
    assert not player.get(f"/api/photos/{photo}").json()["can_remove"]
    refused = player.post(f"/api/photos/{photo}/remove", json={})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "desk_only")
    assert desk.post(f"/api/photos/{photo}/remove", json={}).status_code == 200
    sent_again = player.post(
        "/api/photos?name=again.jpg", content=(SAMPLES / "05.jpg").read_bytes()
    )
    assert sent_again.json()["error"]["code"] == "ask_desk"
    act(desk, "remove_photo", file="05.jpg", removed=False).raise_for_status()
    act(desk, "remove_player", name="Ada").raise_for_status()


def test_an_event_is_deleted_at_the_desk_once_its_name_is_typed(
    player: httpx.Client, desk: httpx.Client, store: Store
) -> None:
    came_in(store, "a.jpg", make_sheet(), event="Old cup")
    body = {"name": "Old cup", "typed": ""}
    assert player.post("/api/events/delete", json=body).status_code == 403
    refused = desk.post("/api/events/delete", json=body)
    assert refused.status_code == 409
    assert "(1 photo, 1 sheet, 0 players)" in refused.json()["error"]["message"]
    names = [event["name"] for event in desk.get("/api/events").json()["events"]]
    opened = next(name for name in names if name != "Old cup")
    kept = desk.post("/api/events/delete", json={"name": opened, "typed": opened})
    assert kept.status_code == 409 and "is open" in kept.json()["error"]["message"]
    left = desk.post("/api/events/delete", json=body | {"typed": "Old cup"}).json()["events"]
    assert [event["name"] for event in left] == [name for name in names if name != "Old cup"]
