"""Rounds and players at the desk, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from kdscan.event.actions import AddPlayer, PairRound, SetRules
from kdscan.event.events import open_event
from kdscan.event.store import Store, open_store
from kdscan.rules.duel.players import play_game
from kdscan.sheets.duel_map.interpret import interpret
from tests.event.entries import do
from tests.readings import make_sheet, with_evidence
from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, accessible, csrf, held
from tests.web.conftest import DESK, Served, lay, serving, settings

browser, open_page = browsing.browser, browsing.open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]

PAIR = {"actions": [{"type": "pair_round"}], "want": "desk"}


def test_a_result_of_an_earlier_round_is_changed(browser: Browser, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "cup.sqlite")) as own, serving(own, settings()) as served:
        options: dict[str, Any] = {"locale": "en"} | DESKTOP
        context = browser.new_context(base_url=served.address, **options)
        context.request.post("/join", form={"code": DESK})
        page = context.new_page()
        page.goto("/desk")
        expect(page.locator(".done")).to_contain_text("Add the players, then pair the first round.")
        page.locator("[data-tab=sheets]").click()
        expect(page.locator(".queue .none")).to_have_text("Nothing yet.")
        page.locator("[data-tab=rounds]").click()
        expect(page.get_by_role("button", name="Pair the first round")).to_be_disabled()
        page.locator("[data-tab=settle]").click()
        page.locator(".done").get_by_role("button", name="Players").click()
        expect(page.locator("[data-tab=players]")).to_be_focused()
        for name in ("Ada", "Bob"):
            page.get_by_label("Name", exact=True).fill(name)
            page.get_by_role("button", name="Add").click()
            expect(page.locator(".people")).to_contain_text(name)
        page.locator("[data-tab=rounds]").click()
        rounds = page.locator(".rounds details")
        for n, called in enumerate(("Pair the first round", "Pair round 2"), 1):
            page.get_by_role("button", name=called).click()
            expect(rounds).to_have_count(n)
            rounds.first.get_by_label("Points of Ada").fill("41")
            rounds.first.get_by_label("Points of Bob").fill("39")
            rounds.first.get_by_role("button", name="Save").click()
            expect(rounds.first.locator(".won")).to_contain_text("Ada")
        expect(rounds.first.locator(".none")).to_have_text("Ada – Bob have met before")
        expect(rounds.last.locator(".none")).to_be_empty()
        earlier = rounds.last
        expect(earlier.locator("ol")).to_be_hidden()
        earlier.locator("summary").click()
        earlier.get_by_label("Points of Bob").fill("45")
        earlier.get_by_role("button", name="Save").click()
        expect(earlier.locator(".won")).to_contain_text("Bob")
        expect(rounds.first.locator(".won")).to_contain_text("Ada")
        accessible(page)
        typed = earlier.get_by_label("Points of Ada")
        typed.press_sequentially("7")
        csrf = context.request.get("/api/session").json()["csrf"]
        context.request.post("/api/actions", data=PAIR, headers={"X-CSRF-Token": csrf})
        expect(rounds).to_have_count(3)  # another desk paired it
        expect(rounds.nth(1).locator("ol")).to_be_hidden()
        expect(typed).to_be_focused()
        started: list[Any] = []
        page.on(
            "request",
            lambda one: (
                started.append(one.post_data_json) if "clock" in (one.post_data or "") else None
            ),
        )
        for minutes in ("0", "1.5", "20"):
            page.get_by_label("Minutes").fill(minutes)
            page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        assert [one["actions"] for one in started] == [[{"type": "start_clock", "minutes": 20}]]
        page.set_viewport_size({"width": 360, "height": 740})
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        for tab in ("rounds", "players"):
            page.locator(f"[data-tab={tab}]").click()
            expect(
                page.locator(f".{'tables' if tab == 'rounds' else 'people'}").first
            ).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab
        context.close()


def test_a_table_of_three_has_no_walkover_and_the_last_round_no_next(
    browser: Browser, tmp_path: Path
) -> None:
    with open_store(str(tmp_path / "cup.sqlite")) as own:
        with own.write() as db:
            rules = SetRules(seats=3, rounds=1)
            open_event(db, settings().event, "kingdomino", rules)
        players = map(AddPlayer, ("Ada", "Bob", "Cleo"))
        do(own, *players, PairRound(), event=settings().event)
        with serving(own, settings()) as served:
            context = browser.new_context(base_url=served.address, locale="en")
            context.request.post("/join", form={"code": DESK})
            page = context.new_page()
            page.goto("/desk")
            page.locator("[data-tab=rounds]").click()
            expect(page.locator(".tables option")).to_have_text(["…", "Withdraw the result"])
            expect(page.get_by_text("All rounds are paired.")).to_be_visible()
            assert page.get_by_role("button", name="Pair round 2").count() == 0
            context.close()


def test_names_are_typed_without_waiting_or_pasted_as_a_list(open_page: Open) -> None:
    page = open_page(DESK, **DESKTOP)
    page.locator("[data-tab=players]").click()
    field = page.get_by_label("Name", exact=True)
    with held(page, r"/api/actions$"):
        field.press_sequentially("Uma")
        field.press("Enter")
        field.press_sequentially("Vera")
        field.press("Enter")
        expect(field).to_have_value("")
    expect(page.locator(".people")).to_contain_text("Vera")
    field.evaluate("""(one) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "Wim\\r\\n Xena \\n\\nYves\\n");
      one.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
    }""")
    expect(page.locator(".people")).to_contain_text("Yves")
    names = page.locator(".people .seat").all_inner_texts()
    assert names[-5:] == ["Uma", "Vera", "Wim", "Xena", "Yves"]


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
    lay(served, store, with_evidence(make_sheet(board), sheet_id=f"C/1//{number}"))
    page.goto("/desk")
    page.locator("[data-tab=sheets]").click()
    sheet = page.locator(".queue li")
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
        for part in (page.locator(".desk-top"), page.get_by_role("button", name="Save").first):
            expect(part).to_be_visible(visible=not paper)


def test_a_broken_rule_is_answered_without_a_keyboard(
    open_page: Open, served: Served, store: Store
) -> None:
    dots = re.sub(r"[a-z.]+\+*", "d", str(play_game(0).maps[0]))
    lay(served, store, interpret(make_sheet(dots, confidence=0.9999).evidence))
    page = open_page(DESK)
    card = page.locator(".queue li.card-rules")
    card.locator("button").tap()
    page.get_by_role("button", name="The whole sheet is right").tap()
    expect(card).to_have_count(0)
