"""The page learns a pad's print, reads its sheets again with it, and shows their ink."""

from __future__ import annotations

import time
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.event.store import Store
from tests.templates.pads import PAINTED, blank, sheet
from tests.web.conftest import Served, act, awaited, send, sheet_after


def png(bgr: Any) -> bytes:
    return cv2.imencode(".png", bgr)[1].tobytes()


def opened(data: bytes) -> NDArray[Any]:
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def unknown(desk: httpx.Client) -> dict[str, Any]:
    """A sheet of the pad that was sent before anybody knew its print."""
    sent = desk.post("/api/photos?name=table.png", content=png(sheet(PAINTED, 1).bgr))
    found: dict[str, Any] = awaited(desk, sent.json()["id"])
    assert found["sheets"][0]["layout"] == "unknown" and found["sheets"][0]["ink"] is None
    return found


def test_what_is_no_blank_sheet_is_refused_with_the_remedy(desk: httpx.Client) -> None:
    for content, said in (
        (png(sheet(PAINTED, 1).bgr), "filled"),
        (b"no picture", ""),
        (png(np.full((900, 1200, 3), 200, np.uint8)), "no map was found"),
    ):
        answer = desk.post("/api/prints?name=moor", content=content)
        assert answer.status_code == 409
        assert answer.json()["error"]["code"] == "refused"
        assert said in answer.json()["error"]["message"]
    french = {"Accept-Language": "fr"}
    answer = desk.post("/api/prints?name=a/b", content=png(blank(PAINTED).bgr), headers=french)
    assert answer.status_code == 409 and "imprimé" in answer.json()["error"]["message"]
    assert desk.get("/api/prints").json() == {"prints": [], "learns": True}


def test_at_home_everybody_teaches_but_only_the_desk_changes_prints(
    desk: httpx.Client, player: httpx.Client
) -> None:
    assert player.get("/api/session").json()["teaches"]
    assert player.post("/api/prints?name=moor", content=b"x").status_code == 409
    act(desk, "add_player", name="Ada").raise_for_status()
    assert not player.get("/api/session").json()["teaches"]
    assert player.post("/api/prints?name=moor", content=b"x").status_code == 403
    act(desk, "remove_player", name="Ada").raise_for_status()
    body = {"name": "moor", "photos": [1]}
    assert player.post("/api/prints/of-photos", json=body).status_code == 403
    assert player.post("/api/prints/1/forget", json={}).status_code == 403
    body = {"corners": [[0, 0], [9, 0], [9, 9], [0, 9]]}
    assert player.post("/api/prints/1/corners", json=body).status_code == 403
    assert player.get("/api/prints/1/found.png").status_code == 403  # drawing it takes a while
    assert player.get("/api/prints").status_code == 200


def test_a_learned_print_reads_what_is_there_already(
    desk: httpx.Client, unknown: dict[str, Any], served: Served, store: Store
) -> None:
    own = send(desk, "01.jpg")
    learned = desk.post("/api/prints?name=moor", content=png(blank(PAINTED).bgr))
    assert learned.status_code == 201, learned.text
    assert learned.json()["name"] == "moor" and learned.json()["sheets"] == 1
    assert unknown["id"] in learned.json()["again"] and own["id"] not in learned.json()["again"]
    picture = desk.get(learned.json()["picture"])
    assert opened(picture.content).shape == (736, 992, 3)

    again = awaited(desk, unknown["id"])
    (known,) = again["sheets"]
    assert known["layout"] == "moor" and known["id"] == unknown["sheets"][0]["id"]
    for _ in range(2):  # from the reading, and made anew
        ink = desk.get(known["ink"])
        assert ink.headers["content-type"] == "image/png"
        assert "no-cache" in ink.headers["cache-control"]  # other stores number their sheets alike
        shown = opened(ink.content)
        assert 0.6 < np.mean(shown > 230) < 0.999  # white paper with something on it
        for kept in served.services.pictures._folder.rglob("*ink*"):
            kept.unlink()

    with served.workers_asleep():  # no worker reads a sheet for ink that it does not have
        at = f"/api/sheets/{own['sheets'][0]['id']}/ink.png"
        assert desk.get(at, timeout=20).status_code == 404

    # Later photos are read by it as well, and what a person says does not lose its name.
    sent = desk.post("/api/photos?name=two.png", content=png(sheet(PAINTED, 2).bgr))
    (late,) = awaited(desk, sent.json()["id"])["sheets"]
    assert late["layout"] == "moor"
    said = {"cell": [0, 0], "coat": "filled", "crosses": 1}
    corrected = sheet_after(desk, "correct_shield", sheet=late["id"], **said)
    assert corrected["layout"] == "moor" and corrected["ink"] == late["ink"]

    (row,) = desk.get("/api/prints").json()["prints"]
    assert opened(desk.get(row["found"]).content).shape == (736, 992, 3)
    corners = [[60, 47.5], [943.5, 47.5], [943.5, 687.5], [60, 687.5]]
    crossed = {"corners": [corners[n] for n in (0, 2, 1, 3)]}
    answer = desk.post(f"/api/prints/{row['id']}/corners", json=crossed)
    assert answer.status_code == 409 and "clockwise" in answer.json()["error"]["message"]
    far = {"corners": [[-2000, -2000], [4000, -2000], [4000, 4000], [-2000, 4000]]}
    assert desk.post(f"/api/prints/{row['id']}/corners", json=far).status_code == 409
    assert desk.get("/api/prints").json()["prints"] == [row]
    right = desk.post(f"/api/prints/{row['id']}/corners", json={"corners": corners})
    (row,) = right.json()["prints"]
    assert not np.array_equal(opened(desk.get(row["picture"]).content), opened(picture.content))
    again = desk.get(f"/api/photos/{unknown['id']}?wait=25").json()
    assert again["sheets"][0]["layout"] == "moor"

    assert desk.post(f"/api/prints/{row['id']}/forget", json={}).json() == {
        "prints": [],
        "learns": True,
    }
    assert desk.post(f"/api/prints/{row['id']}/forget", json={}).status_code == 404
    assert desk.get(row["picture"]).status_code == 404


@pytest.mark.slow
def test_four_sheets_teach_their_pad_until_somebody_forgets_it(
    desk: httpx.Client, player: httpx.Client
) -> None:
    photos = [
        desk.post(f"/api/photos?name={n}.png", content=png(sheet(PAINTED, n).bgr)).json()["id"]
        for n in range(1, 5)
    ]
    ends = time.monotonic() + 300
    while not (known := desk.get("/api/prints").json())["prints"]:
        assert time.monotonic() < ends
        time.sleep(0.2)
    (pad,) = known["prints"]
    assert (pad["name"], pad["sheets"], pad["by_itself"]) == ("pad 1", 4, True)
    for photo in photos:  # the earlier ones are read again
        while desk.get(f"/api/photos/{photo}?wait=25").json()["sheets"][0]["layout"] != "pad 1":
            assert time.monotonic() < ends

    assert player.post("/api/prints/learning", json={"on": False}).status_code == 403
    for on in (False, True):
        switched = desk.post("/api/prints/learning", json={"on": on}).json()
        assert switched == {"prints": [pad], "learns": on}
    bare = png(np.full((900, 1200, 3), 90, np.uint8))
    table = desk.post("/api/photos?name=table.png", content=bare).json()["id"]
    learned = {"name": "moor", "photos": [table, *photos]}
    (warning,) = desk.post("/api/prints/of-photos", json=learned).json()["warnings"]
    assert "not used: table.png" in warning
    off = desk.post(f"/api/prints/{pad['id']}/forget", json={}).json()
    assert [row["name"] for row in off["prints"]] == ["moor"] and not off["learns"]
