"""Sheets at the desk in a real browser: by keys, and given to another player."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kdscan.event.store import Store
from tests.readings import make_book, make_sheet
from tests.web import browsing
from tests.web.browsing import (
    DESKTOP,
    DOUBTED,
    Open,
    accessible,
    csrf,
    first_sheet,
    open_sheet,
    upload,
)
from tests.web.conftest import DESK, Served, lay
from tests.web.test_kinds import DOUBT, GAME

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


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


def test_a_sheet_has_its_tables_game_until_it_is_given_to_the_other_player_there(
    open_page: Open,
) -> None:
    page, phone = open_page(DESK, at=None, **DESKTOP), open_page()
    upload(phone, "13.jpg")
    expect(phone.locator(".total-number")).to_be_visible()
    photo = phone.url.rsplit("/")[-1]
    sheet_id = int(first_sheet(phone, int(photo)).rsplit("/")[-1])

    def act(who: Page, **action: Any) -> Any:
        sent = {"actions": [action], "want": "desk"}
        return who.request.post("/api/actions", data=sent, headers=csrf(who)).json()["desk"]

    for name in ("Rita", "Sam"):
        act(page, type="add_player", name=name)
    paired = act(page, type="pair_round")
    one, other = (seat["player"] for seat in paired["games"][0]["seats"])
    act(page, type="assign_sheet", sheet=sheet_id, player=one, round=1)
    phone.get_by_role("link", name="Game").tap()
    expect(phone.locator(".games .open")).to_contain_text(other)
    act(phone, type="correct_shield", sheet=sheet_id, cell=[0, 1], coat="dot", crosses=4)
    page.goto("/desk")
    page.locator(".queue .card-changed button").click()
    expect(page.locator(".remedy .crop .ring")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Keep what was read").click()
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
