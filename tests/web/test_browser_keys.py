"""The phone's page by keyboard only: where the focus goes, and how its views are named."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kdscan.event.store import Store
from tests.readings import make_sheet
from tests.web import browsing
from tests.web.browsing import Open, answer_all, cell
from tests.web.conftest import DESK, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, browsing.needs_chromium]

DOUBTS = ((0, 0), (0, 1), (1, 1))

BEHIND = """() => {
  const one = document.activeElement, bar = document.querySelector(".bar");
  return one !== document.body && !bar.contains(one)
    && one.getBoundingClientRect().top >= bar.getBoundingClientRect().top;
}"""
"""Whether what has the focus lies behind the buttons at the foot of the page."""


@pytest.fixture
def address(served: Served, store: Store) -> str:
    """A photo with a map of which three shields are doubtful."""
    return f"/#/photo/{lay(served, store, make_sheet(doubtful=DOUBTS))}"


def test_the_first_link_leads_into_the_view_that_is_shown(open_page: Open, address: str) -> None:
    page = open_page(DESK, at=address)
    expect(page.locator(".total-number")).to_be_visible()
    page.get_by_role("link", name="Skip to the content").press("Enter")
    expect(page.locator("#main")).to_be_focused()
    expect(page.locator(".total-number")).to_be_visible()


def test_a_view_is_called_what_it_shows_and_stays_in_another_language(
    open_page: Open, address: str
) -> None:
    page, called = open_page(DESK, at=address), re.compile(r"^table\.png.* · kdscan$")
    expect(page).to_have_title(called)
    page.get_by_role("link", name="Deutsch").tap()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page).to_have_title(called)
    page.get_by_role("link", name="kdscan").tap()
    expect(page).to_have_title("kdscan")


def test_the_map_is_one_stop_and_arrows_walk_in_it(open_page: Open, address: str) -> None:
    page = open_page(DESK, at=address)
    page.get_by_role("button", name="Photo", exact=True).press("Tab")
    expect(cell(page, 0, 0)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(cell(page, 0, 1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_placeholder("Whose map is it?")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(cell(page, 0, 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open] h2")).to_have_text("What does B1 hold?")


def test_what_has_the_focus_is_seen(open_page: Open, address: str) -> None:
    page = open_page(DESK, at=address)
    expect(page.locator(".total-number")).to_be_visible()
    for _ in range(40):
        page.keyboard.press("Tab")
        assert not page.evaluate(BEHIND), page.evaluate("document.activeElement.outerHTML")


def test_keys_go_on_where_they_were(open_page: Open, address: str) -> None:
    page = open_page(DESK, at=address)
    answers = page.locator(".doubt .choice")
    undo = page.get_by_role("button", name="Undo")
    for n in (1, 2, 3):
        expect(page.locator(".doubts h2")).to_have_text(f"{n} of 3")
        answers.first.press("Enter")
        expect(page.locator(".history li")).to_have_count(n)
        expect(answers.first if n < 3 else undo).to_be_focused()
    page.locator(".history summary").press("Enter")
    for n in (1, 2):
        undo.press("Enter")
        expect(page.locator(".history .undone")).to_have_count(n)
        expect(undo).to_be_focused()
    expect(page.locator(".history li").first).to_be_visible()
    photo = page.get_by_role("button", name="Photo", exact=True)
    photo.press("Enter")
    expect(page.locator("svg.photo")).to_be_visible()
    expect(photo).to_be_focused()
    answer_all(page)
    expect(page.locator(".verdict.certain")).to_be_visible()
    expect(undo).to_be_focused()
