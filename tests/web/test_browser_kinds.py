"""Kingdoms and spellbooks in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from kdscan.event.actions import SetRules
from kdscan.event.events import open_event
from kdscan.event.store import Store, open_store
from tests.readings import make_book, make_kingdom, make_table
from tests.web import browsing
from tests.web.browsing import (
    DESKTOP,
    DOUBTED,
    Open,
    accessible,
    cell,
    first_sheet,
    held,
    open_sheet,
    total,
)
from tests.web.conftest import DESK, Served, lay, serving, settings
from tests.web.test_kinds import DOUBT, GAME, OWNER

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


def test_a_kingdom_is_put_right_by_tap(open_page: Open, served: Served, store: Store) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED))
    expect(page.locator(".verdict")).to_contain_text("between")
    before = total(page)
    page.locator(".doubt .choice").nth(1).tap()
    expect(page.locator(".doubt")).to_have_count(0)
    expect(page.locator(".verdict")).not_to_contain_text("between")
    assert total(page) < before
    cell(page, 4, 4).tap()
    editor = page.locator("dialog")
    editor.get_by_role("button", name="mine", exact=True).tap()
    editor.get_by_role("button", name="3 crowns").tap()
    accessible(page)
    editor.get_by_role("button", name="Done").tap()
    expect(cell(page, 4, 4)).to_have_attribute("aria-label", re.compile("E5, mine, 3 crowns"))
    page.get_by_label("Middle Kingdom").check()
    expect(page.locator(".sum")).to_contain_text("The castle lies in the middle")
    page.get_by_role("button", name="Photo", exact=True).tap()
    expect(page.locator("svg.photo .badge")).to_have_count(25)
    for _ in range(3):
        page.get_by_role("button", name="Undo").tap()
        page.wait_for_timeout(100)
    expect(page.locator(".doubt")).to_have_count(1)
    assert total(page) == before


def test_extra_rules_show_what_is_kept(open_page: Open, served: Served, store: Store) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED), service_workers="block")
    middle, harmony = page.get_by_label("Middle Kingdom"), page.get_by_label("Harmony")
    with held(page, "/api/actions"):  # both are chosen before the first answer comes
        middle.check()
        harmony.check()
    expect(page.locator(".sum")).to_contain_text("The castle lies in the middle")
    expect(page.locator(".history summary")).to_have_text("2 decisions")
    expect(middle).to_be_checked()
    expect(harmony).to_be_checked()
    page.route("**/api/actions", lambda route: route.abort())
    harmony.click()
    expect(page.locator("#toast")).to_contain_text("No connection")
    expect(harmony).to_be_checked()


def test_a_kingdom_put_right_changes_what_is_said_of_another(
    open_page: Open, served: Served, store: Store
) -> None:
    mine = """
##  m+++  w  .  .
w   l     .  .  .
.   .     .  .  .
.   .     .  .  .
.   .     .  .  ."""
    doubted = make_kingdom(mine, doubtful={(1, 1): ("forest", 0)})
    other = make_kingdom(mine, origin_xy=(700.0, 120.0))
    page = open_sheet(open_page, lay(served, store, doubted, other))
    page.locator(".doubt .choice").first.tap()
    page.get_by_role("button", name="Kingdom 2").tap()
    expect(page.locator(".problems")).to_contain_text("one box cannot hold")


def test_an_event_of_kingdomino_says_the_extra_rules(browser: Browser, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "cup.sqlite")) as own:
        with own.write() as db:
            rules = SetRules(middle_kingdom=True)
            open_event(db, settings().event, "kingdomino", rules)
        with serving(own, settings()) as served:
            context = browser.new_context(base_url=served.address, locale="en")
            context.request.post("/join", form={"code": DESK})
            page = context.new_page()
            page.goto(first_sheet(page, lay(served, own, make_kingdom())))
            expect(page.locator(".sum")).to_contain_text("The castle lies in the middle")
            expect(page.get_by_label("Middle Kingdom")).to_be_checked()
            expect(page.get_by_label("Harmony")).to_be_disabled()
            context.close()


def test_a_spellbook_put_right_pays_the_maps(open_page: Open, served: Served, store: Store) -> None:
    laid = lay(served, store, *make_table(GAME, {DOUBT: 0.9}))
    page = open_sheet(open_page, laid, service_workers="block")  # its answers can be held back
    page.get_by_role("button", name=re.compile("Spellbook")).first.tap()
    expect(page.locator(".doubt")).to_have_count(1)
    accessible(page)
    held: list[Route] = []
    page.route(re.compile(r"/api/photos/\w+$"), lambda route: held.append(route))
    with page.expect_request(lambda request: request.url.endswith(f"/api/photos/{laid}")):
        page.locator(".doubt .choice").nth(1).tap()  # no coat was chosen: nothing is paid
    expect(page.locator(".doubt")).to_have_count(0)
    page.get_by_role("button", name=f"Map {OWNER + 1}").tap()
    expect(page.locator(".total-number")).to_be_visible()
    held.pop().continue_()  # what the maps are worth now is told only when one is looked at
    paid = GAME.scores()[OWNER]
    expect(page.locator(".total-number")).to_have_text(str(paid.total - paid.wizard))
    page.get_by_role("link", name="Who won?").tap()
    expect(page.locator(".player")).to_have_count(3)
    accessible(page)


def test_the_desk_knows_kingdoms_and_spellbooks_by_keys(
    open_page: Open, served: Served, store: Store
) -> None:
    lay(served, store, DOUBTED)
    lay(served, store, make_book(GAME.spellbook, doubtful={DOUBT: 0.9}))
    page = open_page(DESK, **DESKTOP)
    waiting = page.locator(".queue li").filter(has_text="table.png")
    waiting.filter(has_text="Spellbook").first.click()
    focused = page.locator(".board .cell:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("chosen coat.*please check"))
    page.keyboard.press("D")
    expect(focused).to_have_attribute("aria-label", re.compile("double dot$"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("2")
    page.keyboard.press("s")
    expect(focused).to_have_attribute("aria-label", re.compile("checked, 2 squares, struck"))
    for _ in range(3):
        page.keyboard.press("u")
    waiting.filter(has_not_text="Spellbook").first.click()
    expect(focused).to_have_attribute("aria-label", re.compile("A1, wheat field.*please check"))
    page.keyboard.press("g")
    page.keyboard.press("2")
    expect(focused).to_have_attribute("aria-label", re.compile("A1, grassland, 2 crowns"))
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(focused).to_have_attribute("aria-label", re.compile("please check"))


def test_who_won_is_in_doubt_while_a_doubt_may_change_it(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK)
    other = make_kingdom(origin_xy=(700.0, 120.0))
    page.goto(f"/#/photo/{lay(served, store, DOUBTED, other)}")
    expect(page.locator("h1")).to_have_text(re.compile(r"\?$"))
    expect(page.locator(".decided .doubtful")).to_contain_text("please check")
    page.goto(f"/#/photo/{lay(served, store, make_kingdom(), other)}")
    expect(page.locator(".decided .doubtful")).to_have_count(0)
    expect(page.locator("h1")).not_to_contain_text("?")


def test_kingdoms_of_different_extra_rules_are_not_compared_without_a_word(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_kingdom(), make_kingdom(origin_xy=(700.0, 120.0)))
    page = open_sheet(open_page, photo)
    page.get_by_label("Middle Kingdom").check()
    expect(page.locator(".sum")).to_contain_text("The castle lies in the middle")
    page.get_by_role("link", name="Who won?").tap()
    expect(page.locator(".decided .doubtful")).to_contain_text("set the same ones for all")
