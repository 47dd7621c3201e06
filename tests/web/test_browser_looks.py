"""The page's appearance: contrast, room for thumbs, nothing cut off."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from kdscan.event.store import Store
from tests.readings import make_table
from tests.web import browsing
from tests.web.browsing import DESKTOP, DOUBTED, Open, accessible, cell, upload
from tests.web.conftest import DESK, Served, lay
from tests.web.test_kinds import DOUBT, GAME

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]

TABLE = make_table(GAME, {DOUBT: 0.9})
"""Both maps of a game and their spellbook, in which a coat is doubtful."""


def accessible_in_both_schemes(page: Page) -> None:
    """Colours are all that the schemes differ in."""
    accessible(page)
    page.emulate_media(color_scheme="dark")
    accessible(page, "color-contrast")
    page.emulate_media(color_scheme="light")


def test_axe_finds_nothing(open_page: Open) -> None:
    page = open_page(at="/join")
    accessible_in_both_schemes(page)
    page.get_by_label("Code", exact=True).fill("WRONG")
    page.keyboard.press("Enter")
    code = page.get_by_label("Code", exact=True)
    expect(code).to_be_focused()
    expect(code).to_have_accessible_description("This code is not valid. Check it and try again.")
    accessible_in_both_schemes(page)
    page.goto("/")
    upload(page, "02.jpg")
    expect(page.locator(".total-number")).to_be_visible()
    accessible_in_both_schemes(page)
    cell(page, 0, 0).tap()
    accessible_in_both_schemes(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Photo", exact=True).tap()
    accessible_in_both_schemes(page)
    page.goto("/")
    expect(page.locator(".result")).not_to_have_count(0)
    accessible_in_both_schemes(page)
    page.goto("/standings")
    expect(page.locator(".league")).to_be_visible()
    accessible_in_both_schemes(page)
    desk = open_page(DESK, **DESKTOP)
    expect(desk.locator(".keys")).to_be_visible()
    accessible_in_both_schemes(desk)
    assert 'aria-busy="true"' in page.request.get("/").text(), "until the scripts are there"
    for shown in (page, desk):
        expect(shown.locator("main")).not_to_have_attribute("aria-busy", "true")


SMALL = """() => [...document.querySelectorAll("a, button, select, summary, label")]
  .filter((one) => one.checkVisibility() && !one.matches(".skip, label:not(:has(input))"))
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 90)])
  .filter(([box]) => box.width < 44 || box.height < 44).map(([, what]) => what)"""

DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"

CUT = """() => [...document.querySelectorAll("h1, h2, h3, p, a, button, label, th, td, dd, strong")]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 90))"""

BROKEN = """() => [...document.querySelectorAll("header.top :is(a, button)")]
  .filter((one) => one.clientHeight > 46).map((one) => one.outerHTML.slice(0, 90))"""
"""What is more than one line high in the head: words broken in two."""


def test_axe_finds_nothing_elsewhere(open_page: Open, served: Served, store: Store) -> None:
    photos = lay(served, store, *TABLE), lay(served, store, DOUBTED)
    page = open_page(DESK, at=None, locale="ru")
    sheets: list[int] = []
    for photo in photos:
        page.goto(browsing.first_sheet(page, photo))
        expect(page.locator(".board").first).to_be_visible()
        accessible_in_both_schemes(page)
        found = page.request.get(f"/api/photos/{photo}").json()["sheets"]
        sheets = sheets or [sheet["id"] for sheet in found]
    for view in (f"/#/game/{'/'.join(map(str, sheets))}", f"/#/versus/{sheets[0]}", "/#/photo/999"):
        page.goto(view)
        expect(page.locator("main h1")).to_be_visible()
        accessible_in_both_schemes(page)
    page.goto(f"/#/photo/{photos[0]}/{sheets[2]}")
    page.locator(".board [role=button]").first.tap()
    expect(page.locator("dialog[open]")).to_be_visible()
    accessible_in_both_schemes(page)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    accessible_in_both_schemes(page)


def test_nothing_sticks_out_or_is_too_small_for_a_thumb(
    open_page: Open, served: Served, store: Store
) -> None:
    widths = (320, 768, 1920)
    photos = lay(served, store, *TABLE), lay(served, store, DOUBTED)
    page = open_page(DESK, at=None, locale="ru")
    views = [f"/#/photo/{photo}" for photo in photos]
    views += ["/#/photo/999", "/", "/desk", "/standings", "/join"]
    for view in views:
        page.set_viewport_size({"width": widths[0], "height": 800})
        page.goto(view)
        shown = "main :is(.total, .failure, .emblem, .league, .board, form)"
        expect(page.locator(shown).first).to_be_visible()
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(DRAWN)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (view, width)
            assert page.evaluate(CUT) == [], (view, width)
            assert page.evaluate(SMALL) == [], (view, width)
            assert page.evaluate(BROKEN) == [], (view, width)
