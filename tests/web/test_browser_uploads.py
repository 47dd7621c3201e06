"""Many photos on their way: shrunk and sent in turn, each shown once, others served meanwhile."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.web import browsing
from tests.web.browsing import Open
from tests.web.conftest import SAMPLES, Served
from tests.web.test_browser_network import SENT, choose

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, browsing.needs_chromium]


def test_photos_are_kept_before_they_are_shrunk_each_on_its_own_way(open_page: Open) -> None:
    page = open_page(at=None, service_workers="block")
    page.add_init_script("""
      let asked = 0;
      window.createImageBitmap = () => (asked++ ? new Promise(() => {}) : Promise.reject());
    """)
    page.goto("/")
    page.route(SENT, lambda route: route.abort())
    choose(page, *[1_600_000] * 2)
    states = page.locator(".upload strong")
    expect(states).to_have_text(["waiting for the network", "uploading …"])
    page.reload()
    expect(states).to_have_count(2)


def test_one_photo_at_a_time_is_shrunk(open_page: Open) -> None:
    """A phone's largest, decoded, take some 400 MB each."""
    page = open_page(at=None, service_workers="block")
    page.add_init_script("""
      let now = 0;
      window.most = 0;
      window.createImageBitmap = async () => {
        most = Math.max(most, ++now);
        await new Promise((done) => setTimeout(done, 100));
        now -= 1;
        throw new Error("too large");
      };
    """)
    page.goto("/")
    page.route(SENT, lambda route: route.abort())
    choose(page, *[1_600_000] * 2)
    expect(page.locator(".upload strong")).to_have_text(["waiting for the network"] * 2)
    assert page.evaluate("most") == 1


def test_a_photo_that_is_being_read_stands_there_once(open_page: Open, served: Served) -> None:
    page = open_page()
    with served.workers_asleep():
        page.set_input_files("input[multiple]", SAMPLES / "03.jpg")
        expect(page.locator(".results .busy")).to_have_count(1)
        with page.expect_response("**/api/photos"):
            page.evaluate("location.hash = '#/elsewhere'")
        expect(page.locator(".result-name", has_text="03.jpg")).to_have_count(1)
        (photo,) = page.request.get("/api/photos").json()["photos"]
        page.goto(f"/#/photo/{photo['id']}")  # as Back does
        expect(page.locator("h1")).to_have_text("reading …")
    expect(page.locator(".total-number")).to_be_visible()
    page.get_by_role("link", name="kdscan").tap()
    expect(page.locator(".upload")).to_have_count(0)
    expect(page.locator(".result-name", has_text="03.jpg")).to_have_count(1)


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


def test_photos_taken_one_by_one_do_so_too(open_page: Open, served: Served) -> None:
    page = open_page(service_workers="block")
    asked: set[str] = set()
    page.on("request", lambda one: asked.add(one.url) if "wait=" in one.url else None)
    with served.workers_asleep():
        for n in range(4):
            choose(page, 1000)
            expect(page.locator(".results .busy")).to_have_count(n + 1)
        expect(page.locator(".upload")).to_have_count(0)
        assert len(asked) == 1


def test_a_photo_that_was_sent_stays_shown_until_the_list_has_it(open_page: Open) -> None:
    """Without a network, the service worker answers with the list as it was before."""
    page = open_page(at=None, service_workers="block")
    page.clock.install()
    page.goto("/")
    kept = {"X-Kept": "1"}
    page.route("**/api/photos", lambda route: route.fulfill(json={"photos": []}, headers=kept))
    with page.expect_response("**/api/photos"):
        choose(page, 1000, 1001)
    expect(page.locator(".lost")).to_be_visible()
    expect(page.locator(".upload")).to_have_count(2)
    page.unroute("**/api/photos")
    page.clock.run_for(4_100)
    expect(page.locator(".upload")).to_have_count(0)
    expect(page.locator(".results .result")).to_have_count(2)


def test_files_of_one_name_that_are_too_large_are_each_refused(open_page: Open) -> None:
    page = open_page(service_workers="block")

    def small(route: Route) -> None:
        answer = route.fetch()
        text = answer.text().replace('"bytes": 40000000', '"bytes": 9')
        route.fulfill(response=answer, body=text)

    page.route("**/?small", small)
    page.goto("/?small")
    for n in range(2):
        choose(page, 1000 + n)
        expect(page.locator(".upload.failed")).to_have_count(n + 1)
    page.evaluate("location.hash = '#/photo/999999'")
    expect(page.get_by_role("alert")).to_be_visible()
    page.evaluate("location.hash = '#/'")
    expect(page.locator(".upload")).to_contain_text(["too large", "too large"])
