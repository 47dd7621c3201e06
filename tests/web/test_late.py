"""Late answers, taps on what was just redrawn, keys meant for another sheet."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from kdscan.event.store import Store
from tests.readings import KINGDOM, make_kingdom, make_sheet
from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, held
from tests.web.conftest import DESK, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, browsing.needs_chromium]

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


def test_who_does_not_wait_any_more_is_not_taken_along(open_page: Open, doubtful: int) -> None:
    page = come(open_page, "/")
    with held(page, rf"/api/photos/{doubtful}\?wait"):
        go(page, f"#/wait/{doubtful}")
        expect(page.locator(".hero progress")).to_be_visible()
        go(page, "#/")
        expect(page.locator(".actions")).to_be_visible()
    assert page.url.endswith("#/")
    expect(page.locator(".actions")).to_be_visible()


def test_a_photo_that_nobody_has_is_not_waited_for(open_page: Open) -> None:
    page = come(open_page, "/#/wait/999999")
    expect(page.locator(".failure")).to_contain_text("does not exist")


def test_an_open_question_goes_with_its_view(open_page: Open, doubtful: int) -> None:
    page = come(open_page, f"/#/photo/{doubtful}")
    page.locator(".doubt .more").first.tap()
    expect(page.locator("#editor")).to_be_visible()
    go(page, "#/")
    expect(page.locator(".actions")).to_be_visible()
    expect(page.locator("#editor")).to_be_hidden()


class Finger:
    """One finger on the screen, with moments of its own: a busy machine changes nothing."""

    def __init__(self, page: Page) -> None:
        self._touch = page.context.new_cdp_session(page)
        self._now = time.time()

    def down(self, box: FloatRect, *, after: float = 1.0) -> None:
        """Put it on the middle of a box, so many seconds after it was lifted."""
        self._now += after
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        self._send("touchStart", [at])

    def up(self) -> None:
        self._now += 0.05
        self._send("touchEnd", [])

    def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        what = {"type": kind, "touchPoints": points, "timestamp": self._now}
        self._touch.send("Input.dispatchTouchEvent", what)


def place(choice: Locator) -> FloatRect:
    box = choice.bounding_box()
    assert box is not None
    return box


THREE = {(0, 0): ("wheat", 0), (0, 1): ("lake", 0), (0, 2): ("swamp", 0)}

TABLET = {"viewport": {"width": 820, "height": 900}}


def answered(page: Page) -> list[str]:
    """The squares that were spoken of, the first one first."""
    return [text.split(":")[0] for text in page.locator(".history strong").all_inner_texts()]


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


def test_of_two_sheets_opened_the_last_is_shown(
    open_page: Open, served: Served, store: Store
) -> None:
    for other in ("flwsg", "lwfsg", "gfwsl"):  # alike they would be photos of one kingdom
        text = KINGDOM.translate(str.maketrans("wflgs", other))
        lay(served, store, make_kingdom(text, doubtful={(0, 0): ("mine", 1)}))
    page = come(open_page, "/desk", **DESKTOP)
    rows = page.locator(".queue li button")
    expect(page.locator(".board .cell:focus")).to_be_visible()
    with held(page, r"/api/photos/\d+$"):
        rows.nth(1).click()
        rows.nth(2).click()
    expect(rows.nth(2)).to_have_attribute("aria-current", "true")
    expect(page.locator(".board .cell:focus")).to_be_visible()


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
