"""Differences of browsers other than Chromium, simulated in Chromium."""

from __future__ import annotations

import re

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Route, expect

from kdscan.event.store import Store
from kdscan.sheets.base import AnyReading
from tests.readings import make_kingdom, make_sheet, make_table, paid_game
from tests.web import browsing
from tests.web.browsing import Open
from tests.web.conftest import DESK, SAMPLES, Served, act, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, browsing.needs_chromium]

SENT = re.compile(r"/api/photos\?name")

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


NOTHING = "HTMLCanvasElement.prototype.toBlob = (done) => done(null);"
"""As where memory is short."""

NO_CANVAS = "HTMLCanvasElement.prototype.getContext = () => null;"
"""An iPhone whose memory for canvases is used up."""


@pytest.mark.parametrize("canvas", [NOISE, NOTHING, NO_CANVAS])
def test_whatever_a_canvas_gives_a_picture_is_shared(
    open_page: Open, served: Served, store: Store, canvas: str
) -> None:
    page = open_page(DESK, at=None)
    page.add_init_script(canvas)
    page.clock.set_fixed_time("2001-01-01")  # a phone's clock may be wrong
    page.goto(f"/#/photo/{lay(served, store, make_sheet())}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Share").tap()
    assert download.value.suggested_filename.endswith(".svg")
    picture = download.value.path().read_text()
    assert "</svg>" in picture and "2001" not in picture


@pytest.mark.parametrize(
    ("sheets", "said"),
    [
        (make_table(paid_game())[:2], r"of which from the wizard: \d+"),
        ((make_kingdom(),), "The castle lies in the middle: 10"),
    ],
)
def test_a_picture_says_what_its_boards_do_not_show(
    open_page: Open, served: Served, store: Store, sheets: tuple[AnyReading, ...], said: str
) -> None:
    page = open_page(DESK, at=None)
    page.add_init_script(NO_CANVAS)
    page.goto(f"/#/photo/{lay(served, store, *sheets)}")
    if len(sheets) == 1:
        page.get_by_label("Middle Kingdom").check()
        expect(page.locator(".sum")).to_contain_text("in the middle")
    with page.expect_download() as download:
        page.get_by_role("button", name="Share").tap()
    assert re.search(said, download.value.path().read_text())


def test_a_photo_that_the_browser_cannot_show_has_no_broken_picture(open_page: Open) -> None:
    page = open_page(at=None, service_workers="block")
    page.route(SENT, lambda route: None)
    page.goto("/")
    page.set_input_files(
        "input[multiple]", {"name": "a.heic", "mimeType": "image/heic", "buffer": b"heic"}
    )
    expect(page.locator(".upload .no-thumb")).to_be_visible()
    expect(page.locator(".upload img")).to_have_count(0)


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


def test_photos_are_sent_though_the_phone_never_opens_their_database(open_page: Open) -> None:
    page = open_page(at=None, service_workers="block")
    page.add_init_script("IDBFactory.prototype.open = () => ({});")
    page.route(SENT, lambda route: route.abort())
    page.goto("/")
    expect(page.locator(".results .none")).to_be_visible()
    page.set_input_files("input[multiple]", SAMPLES / "02.jpg")
    expect(page.locator(".upload")).to_contain_text("waiting for the network")


def test_a_language_that_no_format_takes_hides_no_results(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK, service_workers="block")
    page.add_init_script(
        "Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] });"
    )
    one = page.request.get(f"/api/photos/{lay(served, store, make_sheet())}").json()
    page.route(
        "**/api/photos", lambda route: route.fulfill(json={"photos": [one | {"sheets": []}]})
    )
    page.goto("/?again")
    expect(page.locator(".results .result")).to_contain_text("table.png")


def test_a_page_that_is_gone_back_to_knows_at_once_that_it_is_not_alone(open_page: Open) -> None:
    page = open_page(DESK, service_workers="block")
    asked: list[str] = []

    def cut_off(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    page.clock.install(time=0)
    page.route(re.compile(r"/api/standings\?after"), cut_off)
    page.goto("/standings")
    expect(page.locator("body")).to_have_class("offline")
    page.clock.pause_at(1000)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.locator("body")).not_to_have_class("offline")
    assert asked[1].endswith("wait=0")


def test_a_projector_whose_session_has_ended_asks_for_the_code(
    open_page: Open, desk: httpx.Client
) -> None:
    page = open_page(DESK, at="/standings")
    expect(page.locator(".standings-head")).to_be_visible()
    page.context.clear_cookies()
    act(desk, "add_player", name="Ada").raise_for_status()
    page.wait_for_url("**/join")


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
