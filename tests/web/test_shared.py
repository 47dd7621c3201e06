"""One game on several phones: each adds its own photo, and all see who won."""

from __future__ import annotations

import io
import re
from typing import Any

import httpx
import pytest
import segno
from playwright.sync_api import Page, expect

from kdscan.event.store import Store
from kdscan.rules.duel.players import play_game
from kdscan.web import shared
from kdscan.web.requests import ApiError
from kdscan.web.sessions import new_session
from kdscan.web.shared import SharedGames
from tests.readings import make_kingdom, make_sheet, make_table, paid_game
from tests.web import browsing
from tests.web.browsing import Open, accessible, csrf
from tests.web.conftest import DESK, JOIN, SAMPLES, Login, Served, act, lay, send

browser, open_page = browsing.browser, browsing.open_page


def begin(client: httpx.Client, photo: int | None = None) -> dict[str, Any]:
    answer = client.post("/api/shared", json={"photo": photo})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def bring(client: httpx.Client, code: object, photo: int) -> httpx.Response:
    return client.post(f"/api/shared/{code}", json={"photo": photo})


def test_each_phone_brings_its_sheet_and_both_see_who_won(login: Login) -> None:
    ann, bob = login(JOIN), login(JOIN)
    first, second = send(ann, "01.jpg"), send(bob, "05.jpg")
    act(ann, "assign_sheet", sheet=first["sheets"][0]["id"], player="Ann")
    game = begin(ann, first["id"])
    assert (len(game["sheets"]), game["game"]) == (1, None)
    joined = bring(bob, game["code"], second["id"]).json()
    act(bob, "assign_sheet", sheet=second["sheets"][0]["id"], player="Bob")
    seen = [one.get(f"/api/shared/{game['code']}").json() for one in (ann, bob)]
    assert seen[0]["game"] == seen[1]["game"] == joined["game"]
    for one in seen:
        assert [sheet["player"] for sheet in one["sheets"]] == ["Ann", "Bob"]
    totals = [sheet["score"]["total"] for sheet in seen[0]["sheets"]]
    assert totals == [one["sheets"][0]["score"]["total"] for one in (first, second)]
    assert seen[0]["game"]["winners"] == [n for n in (0, 1) if totals[n] == max(totals)]
    assert [one["mine"] for one in seen] == [[one["sheets"][0]["id"]] for one in (first, second)]
    # What the game shows is all that one sees of the other.
    assert bob.get(f"/api/photos/{first['id']}").status_code == 404
    theirs = seen[0]["sheets"][0]["id"]
    assert act(bob, "confirm_sheet", sheet=theirs).status_code == 404


def test_a_photo_taken_again_takes_its_place_and_nobody_elses(
    login: Login, served: Served, store: Store
) -> None:
    ann, bob, eve = login(JOIN), login(JOIN), login(JOIN)
    code = begin(ann)["code"]
    for name in ("01.jpg", "05.jpg"):
        game = bring(ann, code, send(ann, name)["id"]).json()
        assert len(game["sheets"]) == 1
    assert len(bring(bob, code, send(bob, "01.jpg")["id"]).json()["sheets"]) == 2
    full = bring(eve, code, send(eve, "06.jpg")["id"])
    assert (full.status_code, full.json()["error"]["code"]) == (409, "game_full")
    unlike = lay(served, store, make_kingdom())
    with served.client() as desk:
        desk.headers["Authorization"] = "Bearer DESKCODE"
        wrong = bring(desk, code, unlike)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "wrong_kind")
        maps = [make_sheet(str(board)) for board in play_game(31).maps]
        assert bring(desk, begin(desk)["code"], lay(served, store, *maps)).json()["game"]
    assert bring(eve, code, 999_999).status_code == 404
    assert eve.get("/api/shared/NOTAGAME").status_code == 404
    assert len(eve.get(f"/api/shared/{code}").json()["sheets"]) == 2


def test_a_game_is_known_in_its_event_and_until_it_ends(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, here, there = new_session("player", ""), SharedGames(store, 1), SharedGames(store, 2)
    code = here.new(session).code
    assert SharedGames(store, 1).get(code).code == code  # also after a restart
    monkeypatch.setattr(shared, "LASTS_SECONDS", -1)
    over = here.new(session).code
    for games, known in ((there, code), (here, over), (here, code.lower()), (here, "%")):
        with pytest.raises(ApiError, match="does not exist"):
            games.get(known)


def test_nobody_begins_games_without_end(store: Store) -> None:
    games, session = SharedGames(store, 1), new_session("player", "")
    for _ in range(30):
        games.new(session)
    with pytest.raises(ApiError, match="Too many requests"):
        games.new(session)
    games.new(new_session("player", ""))


def test_news_of_the_other_phone_come_at_once(login: Login) -> None:
    ann, bob = login(JOIN), login(JOIN)
    photo = send(bob, "05.jpg")["id"]
    game = begin(ann, send(ann, "01.jpg")["id"])
    bring(bob, game["code"], photo)
    answer = ann.get(f"/api/shared/{game['code']}?after={game['state']}&wait=25")
    assert answer.elapsed.total_seconds() < 20
    assert answer.json()["game"] and answer.json()["state"] != game["state"]


def test_the_invitation_lets_one_in_and_leads_to_the_game(login: Login, served: Served) -> None:
    ann = login(JOIN)
    game = begin(ann)
    code, link = str(game["code"]), str(game["link"])
    picture = ann.get(f"/api/join.svg?game={code}")
    assert picture.headers["content-type"] == "image/svg+xml"
    drawn = io.BytesIO()
    segno.make(link, error="m").save(drawn, kind="svg", scale=6, border=3)
    modules = re.compile(rb' d="[^"]+"')
    assert modules.findall(picture.content)[-1:] == modules.findall(drawn.getvalue())
    assert ann.get(link).headers["location"] == f"/#/shared/{code}"
    served.app.state.address = "http://10.0.0.2:8000"  # on this machine itself
    assert ann.get("/api/session").json()["join"] == f"http://10.0.0.2:8000/j/{JOIN}"
    served.app.state.address = ""
    with served.client() as bob:
        assert bob.get(f"/api/shared/{code}").status_code == 401
        form = bob.get(link)
        assert form.status_code == 200 and f'value="{code}"' in form.text
        came = bob.post("/join", data={"code": JOIN, "game": code})
        assert came.headers["location"] == f"/#/shared/{code}"
        assert bob.get(f"/api/shared/{code}").status_code == 200
    with served.client() as eve:
        elsewhere = eve.post("/join", data={"code": JOIN, "game": "//evil.example"})
        assert elsewhere.headers["location"] == "/"


@pytest.mark.browser
@browsing.needs_chromium
def test_two_phones_play_one_game(open_page: Open, served: Served) -> None:
    ann = open_page()
    ann.get_by_text("Two phones, one game").tap()
    ann.get_by_role("button", name="Show a code to the other phone").tap()
    expect(ann.locator(".error-text")).to_contain_text("Phones cannot reach this page")
    served.app.state.address = "http://10.0.0.2:8000"
    ann.reload()
    expect(ann.locator(".invitation")).to_be_visible()
    served.app.state.address = ""
    accessible(ann)
    code = ann.locator(".game-code").inner_text()
    bob = open_page()
    bob.get_by_text("Two phones, one game").tap()
    bob.get_by_label("Code of the game").fill(code.lower())
    bob.get_by_role("button", name="Join").tap()
    for page, sample, name in ((ann, "02.jpg", "Ann"), (bob, "03.jpg", "Bob")):
        page.set_input_files(".gallery input", SAMPLES / sample)
        page.get_by_label("Whose map is it?").fill(name)
        page.get_by_label("Whose map is it?").press("Enter")
        expect(page.locator(".whose.named")).to_contain_text(name)
    for page in (ann, bob):
        expect(page.locator(".winner")).to_contain_text(re.compile("(Ann|Bob) wins"))
        expect(page).to_have_title(re.compile(r"^Ann \d+ : Bob \d+"))
        expect(page.locator(".player")).to_have_count(2)
        expect(page.locator(".player a:not(.button)")).to_have_count(1)  # not the other's
        accessible(page)
    assert ann.title() == bob.title()


@pytest.mark.browser
@browsing.needs_chromium
def test_a_spellbook_may_come_first_or_last_and_nobody_is_asked_for_more(
    open_page: Open, served: Served, store: Store
) -> None:
    *maps, book = (lay(served, store, one) for one in make_table(paid_game()))
    ann, bob, eve = (open_page(DESK, at=None) for _ in range(3))
    for order in ([book, *maps], [*maps, book]):
        code = ask(ann, "/api/shared", None)["code"]
        for page in (ann, bob, eve):
            page.goto(f"/#/shared/{code}")
        buttons, asked = eve.get_by_text("Choose a photo"), eve.get_by_text("Their spellbook?")
        for n, (page, photo) in enumerate(zip((ann, bob, ann), order, strict=True), 1):
            expect(buttons).to_be_visible()
            ask(page, f"/api/shared/{code}", photo)
            expect(eve.locator(".player")).to_have_count(n)
            expect(eve.locator(".book")).to_have_count(int(n == 3))
            expect(asked).to_be_visible(visible=n == 2 and order[-1] == book)
        expect(buttons).to_be_hidden()


def ask(page: Page, path: str, photo: int | None) -> Any:
    answer = page.request.post(path, data={"photo": photo}, headers=csrf(page))
    assert answer.ok, answer.text()
    return answer.json()
