"""Sheets at the desk in a real browser: by keys, and given to another player."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kdscan.event.store import Store
from kdscan.rules.duel.players import play_game
from tests.readings import make_book, make_sheet, with_evidence
from tests.web import browsing
from tests.web.browsing import DESKTOP, DOUBTED, Open, accessible, csrf, open_sheet
from tests.web.conftest import DESK, Served, lay
from tests.web.test_kinds import DOUBT, GAME

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]

PAIR = {"actions": [{"type": "pair_round"}], "want": "desk"}


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


def test_a_sheet_is_given_to_the_other_player_at_its_table(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK, at=None, **DESKTOP)
    for name in ("Rita", "Sam"):
        add = {"actions": [{"type": "add_player", "name": name}]}
        page.request.post("/api/actions", data=add, headers=csrf(page))
    paired = page.request.post("/api/actions", data=PAIR, headers=csrf(page)).json()["desk"]
    one, other = (seat["player"] for seat in paired["games"][0]["seats"])
    number = next(who["number"] for who in paired["players"] if who["name"] == one)
    board = str(play_game(3).maps[0])
    photo = lay(served, store, with_evidence(make_sheet(board), sheet_id=f"C/1//{number}"))
    page.goto("/desk")
    page.locator("[data-tab=sheets]").click()
    sheet = page.locator(f'.queue li:has(img[src*="/photos/{photo}/"])')
    expect(sheet).to_contain_text(one)
    sheet.locator("button").click()
    page.locator(".desk-sheet summary", has_text="Whose is it?").click()
    accessible(page)
    page.locator(".desk-sheet").get_by_role("button", name=other).click()
    expect(sheet).to_contain_text(other)
    page.locator("[data-tab=rounds]").click()
    for paper in (False, True):
        page.emulate_media(media="print" if paper else "screen")
        expect(page.locator(".tables .seat").first).to_be_visible()
        for part in (page.locator(".desk-top"), page.locator(".round-side")):
            expect(part).to_be_visible(visible=not paper)


def test_who_taps_what_another_desk_has_changed_hears_of_it_and_sees_it(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_sheet(doubtful=[(0, 1), (2, 2)]))
    one, other = open_sheet(open_page, photo), open_sheet(open_page, photo)
    for page, said in ((one, ""), (other, "nother desk has just decided this"), (other, "")):
        page.locator(".doubt .choice").first.tap()
        expect(page.locator("#toast")).to_contain_text(said)
        expect(page.locator("details", has_text="decision")).to_be_visible()
