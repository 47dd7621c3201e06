"""Late answers, lost connections, other browsers: nothing is lost, or drawn over what one does."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from kdscan.event import actions as act
from kdscan.event.log import Author
from kdscan.event.store import Store
from kdscan.rules.duel.players import play_game
from tests.readings import make_kingdom, make_sheet, with_evidence
from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, first_sheet, held, wait_until_asked
from tests.web.conftest import DESK, SAMPLES, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


DOUBTS = ((0, 0), (0, 1))


@pytest.fixture
def doubtful(served: Served, store: Store) -> int:
    """A photo with a map of which two shields are doubtful."""
    return lay(served, store, make_sheet(doubtful=DOUBTS))


def come(open_page: Open, address: str, **more: Any) -> Page:
    """Somebody of the desk, who sees every photo; answers can be held back."""
    return open_page(DESK, at=address, service_workers="block", **more)


def go(page: Page, address: str) -> None:
    page.evaluate("address => { location.hash = address; }", address)


def test_a_view_that_comes_late_is_not_drawn_over_another(open_page: Open, doubtful: int) -> None:
    page = come(open_page, "/")
    expect(page.locator(".hero")).to_be_visible()
    with held(page, rf"/api/photos/{doubtful}$"):
        go(page, f"#/photo/{doubtful}")
        page.wait_for_timeout(50)
        go(page, "#/")
        expect(page.locator(".hero")).to_be_visible()
    expect(page.locator(".hero")).to_be_visible()
    expect(page.locator(".total-number")).to_have_count(0)


def test_what_was_pressed_for_one_sheet_is_not_said_of_the_next(
    open_page: Open, served: Served, store: Store
) -> None:
    for _ in range(2):
        lay(served, store, make_kingdom(doubtful={(0, 0): ("wheat", 0)}))
    page = come(open_page, "/desk", **DESKTOP)
    expect(page.locator(".board .cell:focus")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if one.method == "POST" else None)
    with held(page, r"/api/photos/\d+$"):
        page.keyboard.press("j")
        page.keyboard.press("g")  # for the sheet that is still shown, but no more asked about
        page.keyboard.press("y")
    expect(page.locator(".board .cell:focus")).to_be_visible()
    assert asked == []
    name = page.locator(".desk-sheet .file-name").inner_text()
    page.keyboard.press("y")
    page.keyboard.press("y")  # two presses of one finger settle one sheet
    expect(page.locator(".desk-sheet .file-name, .desk-sheet .none")).to_be_visible()
    page.wait_for_timeout(200)
    assert len(asked) == 1, name


def test_news_from_before_a_sheet_was_confirmed_do_not_bring_it_back(
    open_page: Open, doubtful: int
) -> None:
    page = open_page(DESK, at=None, service_workers="block", **DESKTOP)
    asked: list[Route] = []
    page.route(re.compile(r"/api/desk\?after="), lambda route: asked.append(route))
    with page.expect_request(re.compile(r"/api/desk\?after=")):
        page.goto("/desk")
    expect(page.locator(".board .cell:focus")).to_be_visible()
    before = page.evaluate("() => fetch('/api/desk').then((answer) => answer.json())")
    rows, waiting = page.locator(".queue li button"), len(before["cards"])
    expect(rows).to_have_count(waiting)
    page.keyboard.press("y")
    expect(rows).to_have_count(waiting - 1)
    with page.expect_request(re.compile(r"/api/desk\?after=")) as again:
        asked[0].fulfill(json={**before, "state": "on-the-way"})
    assert "on-the-way" not in again.value.url
    expect(rows).to_have_count(waiting - 1)


OTHER = Author("the other desk")


def drawn(page: Page) -> None:
    """Everything that the answers until now lead to was drawn: the desk does one thing after the
    other, and shows the search field's focus last."""
    page.keyboard.press("Escape")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.locator(".search:focus")).to_have_count(1)
    page.evaluate("() => document.activeElement.blur()")


@pytest.fixture
def conflict(served: Served, store: Store) -> None:
    """Two boards with one code: their card shows both photos, which have to be fetched."""
    for board in play_game(21).maps:
        lay(served, store, with_evidence(make_sheet(str(board)), sheet_id="C/1//9"))


def enter(page: Page, name: str) -> None:
    page.locator("[data-tab=players]").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".people")).to_contain_text(name)


TABS = {"rounds": ".rounds", "players": ".people", "pads": ".prints", "sheets": ".queue li"}


@pytest.mark.usefixtures("conflict")
def test_a_card_that_comes_late_stays_in_its_own_tab(open_page: Open) -> None:
    page = come(open_page, "/desk", **DESKTOP)
    expect(page.locator(".queue [aria-current]")).to_be_visible()
    for tab, shown in TABS.items():
        drawn(page)  # a card that is still being drawn would not be asked for again
        page.locator("[data-tab=pads]").click()
        with held(page, r"/api/photos/\d+$") as waiting:
            page.locator("[data-tab=settle]").click()
            wait_until_asked(page, waiting)
            page.locator(f"[data-tab={tab}]").click()
        expect(page.locator(shown).first).to_be_visible()
        expect(page.locator(".remedy, .desk-sheet")).to_have_count(0)
        page.locator("[data-tab=settle]").click()
        expect(page.locator(".remedy, .desk-sheet").first).to_be_visible()


def test_a_card_in_use_stays_though_another_desk_settled_it(
    open_page: Open, served: Served, store: Store
) -> None:
    page = come(open_page, "/desk", **DESKTOP)
    enter(page, "Eva Lang")
    page.locator("[data-tab=settle]").click()
    photo = lay(served, store, make_sheet(str(play_game(22).maps[0])))
    page.locator(f'.queue .card-owner:has(img[src*="/photos/{photo}/"]) button').click()
    field = page.get_by_label("Somebody else").first
    field.fill("Eva")
    shown = page.locator(".queue [aria-current]")
    number = int(first_sheet(page, photo).rsplit("/")[-1])
    with page.expect_response(re.compile(r"/api/desk\?after=.*")):
        served.services.live.perform(OTHER, act.Ignore(number))
    expect(shown.locator(".queue-total .glyph-done")).to_be_visible()
    expect(field).to_have_value("Eva")


def test_what_another_desk_corrects_is_seen_before_it_is_confirmed(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_sheet(str(play_game(24).maps[0]), doubtful=[(1, 1)]))
    page = come(open_page, "/desk", **DESKTOP)
    (sheet,) = page.request.get(f"/api/photos/{photo}").json()["sheets"]
    page.locator("[data-tab=sheets]").click()
    page.locator(f'.queue li:has(img[src*="/photos/{photo}/"])').click()
    focused = page.locator(".board .cell:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("please check"))
    said = act.CorrectShield(sheet["id"], (1, 1), "filled", 4)
    served.services.live.perform(OTHER, said)
    expect(focused).to_have_attribute(
        "aria-label", re.compile(r"filled, 4 crosses, Domain: \d+ points")
    )
    page.goto(first_sheet(page, photo))
    decisions, undone = page.locator(".history li"), page.locator(".history .undone")
    expect(decisions).to_have_count(1)
    said = act.CorrectShield(sheet["id"], (1, 1), "dot", 1)
    served.services.live.perform(OTHER, said)
    page.get_by_role("button", name="Undo").click()  # what is shown, not what came since
    expect(decisions).to_have_count(2)
    expect(undone).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(undone).to_have_count(1)


def test_an_answer_leaves_the_name_that_is_typed_meanwhile(
    open_page: Open, served: Served, store: Store
) -> None:
    served.services.live.perform(OTHER, act.AddPlayer("Fay"))
    photo = lay(served, store, make_kingdom(doubtful={(0, 0): ("wheat", 0)}))
    page = open_page(DESK, service_workers="block", at=None)
    page.goto(first_sheet(page, photo))
    name = page.get_by_label("Whose kingdom is it?")
    with held(page, "/api/actions$"):
        page.locator(".doubt .choice").first.tap()
        name.fill("Fay")
    expect(page.locator(".doubt")).to_have_count(0)
    expect(name).to_have_value("Fay")
    expect(name).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".whose.named")).to_contain_text("Fay")


SENT = re.compile(r"/api/photos\?name")

WAITED = re.compile(r"/api/photos/\d+\?wait")


def choose(page: Page, *sizes: int) -> None:
    """Choose files of so many bytes that are called photos."""
    files: list[FilePayload] = [
        {"name": f"{n}.jpg", "mimeType": "image/jpeg", "buffer": secrets.token_bytes(size)}
        for n, size in enumerate(sizes)
    ]
    page.set_input_files("input[multiple]", files)


def sent(page: Page, photo: int, *, read: Callable[[], bool] = lambda: True) -> None:
    """What the page sends arrives as this photo, which the list has then; read: whether it was."""
    known: dict[str, Any] = page.request.get(f"/api/photos/{photo}").json() | {"sheets": []}

    def line() -> dict[str, Any]:
        return known | {"state": "read" if read() else "waiting"}

    page.route(SENT, lambda route: route.fulfill(json={"id": photo, "state": "waiting"}))
    page.route("**/api/photos", lambda route: route.fulfill(json={"photos": [line()]}))


def test_a_photo_on_the_server_is_waited_for_though_the_network_goes(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_sheet())
    page = open_page(DESK, at=None, service_workers="block")
    page.clock.install()
    asked: list[str] = []

    def gone_at_first(route: Route) -> None:
        asked.append(route.request.url)
        route.abort() if len(asked) < 3 else route.continue_()

    page.route(WAITED, gone_at_first)
    sent(page, photo, read=lambda: len(asked) == 3)
    page.goto("/")
    choose(page, 1000)
    expect(page.locator(".lost")).to_be_visible()
    expect(page.locator(".upload")).to_have_count(0)
    page.clock.run_for(4_100)
    expect(page.locator(".lost")).to_be_visible()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".total-number")).to_be_visible()


NOISE = """
  CanvasRenderingContext2D.prototype.getImageData = (x, y, width, height) =>
    ({ data: new Uint8ClampedArray(4 * width * height).map(() => 256 * Math.random()) });
"""
"""Firefox with resistFingerprinting, and Tor's browser: no picture comes out of a canvas."""


def test_a_canvas_that_gives_noise_ruins_no_photo(open_page: Open) -> None:
    page = open_page(at=None, service_workers="block")
    page.add_init_script(NOISE)
    page.add_init_script("""
      const send = XMLHttpRequest.prototype.send;
      XMLHttpRequest.prototype.send = function (what) {
        window.sent = what.size;
        send.call(this, what);
      };
    """)
    page.route(SENT, lambda route: route.fulfill(status=507, json={"error": {"code": "quota"}}))
    grain = np.random.default_rng(1).integers(0, 256, (1200, 1200, 3), np.uint8)
    photo = cv2.imencode(".png", grain)[1].tobytes()
    page.goto("/")
    page.set_input_files(
        "input[multiple]", {"name": "a.png", "mimeType": "image/png", "buffer": photo}
    )
    expect(page.locator(".upload.failed")).to_be_visible()
    assert page.evaluate("sent") == len(photo)


def test_photos_are_kept_though_the_phone_closed_their_database(open_page: Open) -> None:
    page = open_page(at=None, service_workers="block")
    page.add_init_script("""
      const open = indexedDB.open;
      indexedDB.open = function (...what) {
        const request = open.apply(this, what);
        request.addEventListener("success", () => { window.database = request.result; });
        return request;
      };
    """)
    page.route(SENT, lambda route: route.abort())
    page.goto("/")
    page.wait_for_function("window.database")
    page.evaluate("database.close(); database.dispatchEvent(new Event('close'))")
    page.set_input_files("input[multiple]", SAMPLES / "02.jpg")
    expect(page.locator(".upload")).to_contain_text("waiting for the network")
    page.reload()
    expect(page.locator(".upload")).to_contain_text("02.jpg")


RESTORED = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"

SHOWN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.mark.parametrize("returned", [RESTORED, SHOWN_AGAIN])
def test_a_page_that_is_returned_to_after_signing_out_shows_no_results(
    open_page: Open, returned: str
) -> None:
    page = open_page(DESK, at="/")
    expect(page.locator(".gallery")).to_be_visible()
    page.evaluate("window.same = true")
    with page.expect_response("**/api/session"):
        page.evaluate(returned)
    assert page.evaluate("same"), "somebody who is still signed in stays"
    page.context.clear_cookies()
    page.evaluate(returned)
    page.wait_for_url("**/join")


def test_photos_that_wait_leave_the_server_free_for_others(open_page: Open, served: Served) -> None:
    page = open_page(service_workers="block")
    asked: set[str] = set()
    page.on("request", lambda one: asked.add(one.url) if "wait=" in one.url else None)
    with served.workers_asleep():
        choose(page, *[1000] * 4)
        expect(page.locator(".results .busy")).to_have_count(4)
        expect(page.locator(".upload")).to_have_count(0)
        assert len(asked) == 1
        page.locator(".results .result").first.tap()
        expect(page.locator("h1:focus")).to_have_text("reading …")
        page.locator(".brand").tap()
        expect(page.locator(".results .busy")).to_have_count(4)
        assert len(asked) == 2
