"""Helpers for the browser tests: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.readings import make_kingdom
from tests.web.conftest import DESK, JOIN, SAMPLES, Served

DOUBTED = make_kingdom(doubtful={(0, 0): ("wheat", 0)})

CHROMIUM = (
    os.environ.get("KDSCAN_CHROMIUM")
    or shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
)
"""The shell is the same engine without a window's trimmings: a page takes a fifth of the time."""

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("KDSCAN_REQUIRE_CHROMIUM"),
    reason="no Chromium: apt install chromium-headless-shell, or name one by KDSCAN_CHROMIUM",
)

PATIENCE_MS = 40_000
expect.set_options(timeout=PATIENCE_MS)

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
DESKTOP = {"viewport": {"width": 1440, "height": 900}}


@contextmanager
def launched(*flags: str) -> Iterator[Browser]:
    """Chromium; where there is no graphics card it would draw by an emulated one, slowly."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *flags]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, served: Served) -> Iterator[Open]:
    """Opens the page as somebody who comes in with a code; fails on any error in it.

    at: the address, where the code leads if left out; None to open nothing yet.
    """
    contexts = []
    said: list[str] = []

    def come(code: str = JOIN, at: str | None = "", **more: Any) -> Page:
        options: dict[str, Any] = PHONE | {"locale": "en", "reduced_motion": "reduce"} | more
        contexts.append(browser.new_context(base_url=served.address, **options))
        contexts[-1].set_default_timeout(PATIENCE_MS)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda m: said.append(m.text) if "Security Policy" in m.text else None)
        came = contexts[-1].request.post("/join", form={"code": code}, max_redirects=0)
        if at is not None:
            page.goto(at or came.headers["location"])
        return page

    yield come
    for context in contexts:
        context.close()
    assert said == [], said


def csrf(page: Page) -> dict[str, str]:
    """The header with which the page changes something."""
    return {"X-CSRF-Token": page.request.get("/api/session").json()["csrf"]}


def upload(page: Page, *names: str) -> None:
    page.set_input_files("input[multiple]", [SAMPLES / name for name in names])


def total(page: Page) -> int:
    return int(page.locator(".total-number").inner_text())


def cell(page: Page, row: int, col: int) -> Any:
    return page.locator(f'.board [data-cell="{row},{col}"]')


def open_sheet(open_page: Open, photo: int, **more: Any) -> Page:
    """A photo that is read already, as the desk sees it."""
    page = open_page(DESK, at=None, **more)
    page.goto(first_sheet(page, photo))
    return page


def first_sheet(page: Page, photo: int) -> str:
    """The address of a photo's first sheet: by itself a photo of a table opens on who won."""
    sheets = page.request.get(f"/api/photos/{photo}").json()["sheets"]
    return f"/#/photo/{photo}/{sheets[0]['id']}"


@contextmanager
def held(page: Page, address: str) -> Iterator[list[Route]]:
    """Holds back the answers from an address until the end, the first asked for at least; the page
    has had them then."""
    waiting: list[Route] = []
    over = False
    page.route(
        re.compile(address), lambda route: route.continue_() if over else waiting.append(route)
    )
    yield waiting
    wait_until_asked(page, waiting)
    over = True
    for route in waiting:
        with page.expect_response(route.request.url):
            route.continue_()
    # An answer that was asked for later, and the picture after it: what they lead to was drawn.
    page.evaluate("() => fetch('/api/session').then((answer) => answer.json())")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def wait_until_asked(page: Page, waiting: list[Route]) -> None:
    """Wait until the page has asked for what `held` holds back, as patiently as for all else."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not waiting:
        assert time.monotonic() < deadline, "nothing was asked for"
        page.wait_for_timeout(20)


def accessible(page: Page, rule: str | None = None) -> None:
    """axe finds nothing; rule: the only one that is asked for."""
    tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
    only = {"type": "rule", "values": [rule]} if rule else {"type": "tag", "values": tags}
    found = Axe().run(page, options={"runOnly": only, "resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


def answer_all(page: Page) -> None:
    """Answer every question as it was read, and the last one: the grid sits on the map."""
    done = page.get_by_role("button", name=re.compile("All as marked|Yes, the sheet is right"))
    answer = page.locator(".doubt .choice").first
    settled = page.locator(".doubts[hidden]")
    while True:
        expect(answer.or_(done).or_(settled)).to_be_attached()
        if settled.count():
            return
        answers = page.locator(".history li").count()
        (done if done.count() else answer).press("Enter")
        page.wait_for_function(
            "n => document.querySelectorAll('.history li').length > n", arg=answers
        )
