"""Uploads while the network or the server goes away."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

from kdscan.event.store import Store
from kdscan.web.pages import version
from tests.readings import make_sheet
from tests.web import browsing
from tests.web.browsing import Open, csrf
from tests.web.conftest import DESK, SAMPLES, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, browsing.needs_chromium]

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


@pytest.mark.parametrize("status", [500, 502], ids=["a server that stops", "a proxy"])
def test_what_is_answered_without_the_server_is_no_refusal(
    open_page: Open, served: Served, store: Store, status: int
) -> None:
    photo = lay(served, store, make_sheet())
    page = open_page(DESK, service_workers="block", at="/")
    page.route(SENT, lambda route: route.fulfill(status=status, body="<h1>Bad</h1>"))
    choose(page, 1000)
    expect(page.locator(".upload strong")).to_have_text("waiting for the network")
    expect(page.locator(".lost")).to_be_visible()
    sent(page, photo)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".total-number")).to_be_visible()


@pytest.mark.parametrize(
    ("status", "said"), [(413, "The picture is too large."), (429, "waiting for the server")]
)
def test_the_limits_of_a_proxy_are_told_in_words(open_page: Open, status: int, said: str) -> None:
    page = open_page(service_workers="block")
    page.route(SENT, lambda route: route.fulfill(status=status, body="<h1>Too much</h1>"))
    choose(page, 1000)
    expect(page.locator(".upload strong")).to_contain_text(said)


def test_a_full_disk_is_not_blamed_on_the_network(open_page: Open) -> None:
    page = open_page(service_workers="block")
    full = {"error": {"code": "store_full", "message": "the disk is full"}}
    page.route(SENT, lambda route: route.fulfill(status=507, json=full))
    choose(page, 1000)
    expect(page.locator(".upload strong")).to_have_text("waiting for the server")


@pytest.mark.parametrize(("status", "code"), [(503, "store"), (404, "not_found")])
def test_the_list_goes_on_though_a_photo_could_not_be_waited_for(
    open_page: Open, served: Served, status: int, code: str
) -> None:
    page = open_page(at=None, service_workers="block")
    page.clock.install()
    page.goto("/")
    error = {"error": {"code": code, "message": code}}
    page.route(WAITED, lambda route: route.fulfill(status=status, json=error), times=1)
    with served.workers_asleep():
        choose(page, 1000, 1001)
        expect(page.locator(".results .busy")).to_have_count(2)
        expect(page.locator(".upload")).to_have_count(0)
    page.clock.run_for(4_100)
    expect(page.locator(".results .busy")).to_have_count(0)


def test_results_show_while_newer_ones_are_asked_for(
    open_page: Open, served: Served, store: Store
) -> None:
    photos = [lay(served, store, make_sheet()) for _ in range(2)]
    page = open_page(DESK, service_workers="block", at="/")
    expect(page.locator(".none")).to_have_text("Nothing yet.")
    read = page.request.get(f"/api/photos/{photos[0]}").json() | {"sheets": []}
    asked: list[Route] = []
    page.route("**/api/photos", lambda route: asked.append(route))
    page.route(SENT, lambda route: route.fulfill(json={"id": photos.pop(), "state": "waiting"}))
    choose(page, 1000, 1001)
    while len(asked) < 2:
        page.wait_for_timeout(20)
    for one in asked[:-1]:
        one.fulfill(json={"photos": [read]})
    expect(page.locator(".results:not(.uploads) .result")).to_have_count(1)
    asked[-1].fulfill(json={"photos": []})


def test_without_a_network_the_page_is_as_it_was_last(open_page: Open) -> None:
    page = open_page()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.get_by_role("link", name="Deutsch").tap()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.context.set_offline(True)
    page.reload()
    expect(page.locator(".hero")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_without_a_network_links_lead_to_the_pages_as_they_were_last(open_page: Open) -> None:
    page = open_page(DESK, at="/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto("/desk")
    expect(page.get_by_role("searchbox")).to_be_visible()
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("searchbox")).to_be_visible()
    page.get_by_role("link", name="Standings").tap()
    page.wait_for_url("**/standings")
    expect(page.locator(".lost")).to_be_visible()
    page.goto("/desk?x")
    expect(page.get_by_role("searchbox")).to_be_visible()


def test_the_form_to_sign_in_is_no_start_page(browser: Browser, served: Served) -> None:
    page = browser.new_page(base_url=served.address)
    page.goto("/join")
    kept = """async () => {
      await navigator.serviceWorker.register("/sw.js");
      await navigator.serviceWorker.ready;
      return [await caches.has("shell-VERSION"), (await caches.match("/"))?.url ?? null];
    }"""
    assert page.evaluate(kept.replace("VERSION", version())) == [True, None]
    page.close()


def test_a_photo_is_kept_until_the_server_itself_says_that_it_has_it(open_page: Open) -> None:
    """A hotel's or a proxy's page to sign in is an answer too."""
    page = open_page(DESK, service_workers="block", at="/")
    page.route(SENT, lambda route: route.fulfill(body="<h1>Sign in</h1>"))
    choose(page, 1000)
    expect(page.locator(".upload strong")).to_have_text("waiting for the network")
    page.reload()
    expect(page.locator(".upload strong")).to_have_text("waiting for the network")


def test_a_photo_that_was_not_added_to_a_game_is_kept(open_page: Open) -> None:
    """Only what the server will never take is forgotten."""
    page = open_page(at=None, service_workers="block")
    begun = page.request.post("/api/shared", data={"photo": None}, headers=csrf(page)).json()
    said = {"message": "refused"}
    page.route(SENT, lambda route: route.fulfill(status=403, json={"error": said}))
    for said["code"], kept in (("quota", 0), ("no_session", 1)):
        page.goto(f"/#/shared/{begun['code']}")
        expect(page.locator(".invitation")).to_be_visible()
        page.set_input_files(".gallery input", SAMPLES / "02.jpg")
        expect(page.locator("#toast")).to_be_visible()
        page.goto("/")
        expect(page.locator(".none")).to_be_visible()
        expect(page.locator(".upload")).to_have_count(kept)
