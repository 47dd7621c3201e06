"""The desk in a real browser: its queue, sheets, rounds, players, and the projector."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
import zxingcpp
from playwright.sync_api import Browser, FilePayload, Locator, Route, expect

from kdscan.event.store import Store, open_store
from kdscan.rules import Problem
from kdscan.rules.duel.board import Board, score_board
from kdscan.rules.duel.players import play_game
from tests.readings import make_sheet, with_evidence
from tests.web import browsing
from tests.web.browsing import DESKTOP, DOUBTED, Open, accessible, upload
from tests.web.conftest import DESK, JOIN, Served, lay, serving, settings

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


def test_the_desk_needs_no_mouse(open_page: Open) -> None:
    phone = open_page()
    upload(phone, "02.jpg")
    expect(phone.locator(".total-number")).to_be_visible()
    page = open_page(DESK, **DESKTOP)
    expect(page.locator(".queue [aria-current]")).to_be_visible()
    waiting = page.locator(".queue li").count()
    page.locator(".queue li").filter(has_text="02.jpg").first.click()
    focused = page.locator(".board .cell:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("please check"))
    page.keyboard.press("f")
    page.keyboard.press("4")
    expect(focused).to_have_attribute("aria-label", re.compile("filled, 4 crosses"))
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(focused).to_have_attribute("aria-label", re.compile("please check"))
    page.keyboard.press("y")
    expect(page.locator(".queue li")).to_have_count(waiting - 1)


def test_undo_returns_to_what_was_settled_and_enter_goes_on_to_the_next_sheet(
    open_page: Open, served: Served, store: Store
) -> None:
    boards = [str(board) for board in play_game(11).maps]
    for board, name in zip(boards, ("first", "second"), strict=True):
        lay(
            served,
            store,
            with_evidence(make_sheet(board, doubtful=[(1, 1)]), sheet_id=f"C/1//{name}"),
        )
    page = open_page(DESK, **DESKTOP)
    lines = page.locator(".queue li")
    first = str(score_board(Board.parse(boards[0])).domain_points)
    mine = lines.filter(has_text=first)
    mine.click()
    focused = page.locator(".board .cell:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("B2.*please check"))
    page.keyboard.press("y")
    expect(mine).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("#toast")).to_contain_text(re.compile("Undone: confirming table.png"))
    expect(page.locator(".queue [aria-current]")).to_contain_text(first)
    expect(focused).to_have_attribute("aria-label", re.compile("B2.*please check"))
    page.get_by_role("button", name="Do not count it").click()
    expect(mine).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator(".history .undone").last).to_contain_text("Do not count it")
    expect(focused).to_have_attribute("aria-label", re.compile("B2.*please check"))
    page.keyboard.press("Enter")  # the last doubt of this sheet
    expect(page.locator(".queue [aria-current]")).not_to_contain_text(first)
    expect(mine).to_have_count(0)
    accessible(page)


def test_a_card_about_the_rules_opens_at_the_shield_in_question(
    open_page: Open, served: Served, store: Store
) -> None:
    alone = Problem("odd_shields", "warning", "33 shields", ((2, 0),))
    lay(served, store, with_evidence(make_sheet(problems=(alone,))))
    page = open_page(DESK, **DESKTOP)
    page.locator(".queue .card-rules button").click()
    focused = page.locator(".board .cell:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("A3"))


def test_one_code_on_two_boards_is_settled_with_one_tap(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK, **DESKTOP)
    for name in ("Ada", "Bob"):
        page.locator("[data-tab=players]").click()
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Add").click()
        expect(page.locator(".people")).to_contain_text(name)
    page.locator("[data-tab=rounds]").click()
    page.get_by_role("button", name="Pair the first round").click()
    expect(page.locator(".tables .seat")).to_have_count(2)
    accessible(page)
    for board in play_game(12).maps:
        lay(served, store, with_evidence(make_sheet(str(board)), sheet_id="C/1//1"))
    page.locator("[data-tab=settle]").click()
    card = page.locator(".queue li.card-conflict")
    expect(card).to_have_count(1)
    card.locator("button").click()
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".evidence svg.photo")).to_have_count(2)
    expect(page.locator(".evidence-line", has_text="Ada · ")).to_have_count(2)  # and the file
    expect(page.locator("#players")).to_have_count(1)  # of both fields
    accessible(page)
    keys = page.locator(".answer kbd").all_inner_texts()
    assert keys == [str(n + 1) for n in range(len(keys))]  # as they stand, not as photos came
    page.locator(".side").nth(1).get_by_role("button", name="Bob").click()
    expect(card).to_have_count(0)
    page.locator("[data-tab=rounds]").click()
    expect(page.locator(".tables li.open")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Undo: the player of table.png")).click()
    expect(page.locator(".tables li.open")).to_have_count(1)


def test_standings_of_thirty_are_seen_at_once_or_page_by_themselves(open_page: Open) -> None:
    page = open_page(DESK, at=None, viewport={"width": 1920, "height": 1080})
    line = {"wins": 4, "draws": 0, "losses": 0, "byes": 0, "sonneborn_berger": 8}
    rows = [
        line
        | {"rank": n + 1, "player": f"Player Number {n + 1}", "score": 4 - n / 10}
        | {"spread": 60 - 4 * n - 1 / 3, "decided_by": "score"}
        for n in range(30)
    ]
    game = {"round": 4, "bye": False, "finished": True, "winner": 0, "decided_by": "score"}
    seats = [{"player": row["player"], "total": 40} for row in rows]
    games = [game | {"table": n + 1, "seats": seats[2 * n : 2 * n + 2]} for n in range(15)]
    answer = {"state": "x", "event": "Cup", "played_round": 4, "standings": rows, "games": games}
    answer |= {"totals": [], "clock": None, "shown": "table"}

    def told(route: Route) -> None:
        if "after" in route.request.url:
            return  # no news: it waits
        route.fulfill(json=answer)

    page.route("**/api/standings*", told)
    page.clock.install()
    page.goto("/standings")
    shown = page.locator(".league tbody tr:visible")
    expect(shown.first).to_be_visible()
    expect(shown.first.locator("td").last).to_have_text("+59.7")
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # a slow machine skips no page
    expect(page.locator(".standings-head")).to_contain_text("after round 4")
    names: set[str] = set()
    pages: set[int] = set()
    for _ in range(4):
        lowest = shown.last.bounding_box()
        assert lowest is not None and lowest["y"] + lowest["height"] <= 1080
        assert page.evaluate("document.documentElement.scrollHeight") <= 1080
        names |= set(page.locator(".league tbody tr:visible .name").all_inner_texts())
        pages.add(shown.count())
        page.clock.run_for(12_000)
    assert names == {row["player"] for row in rows}
    assert max(pages) - min(pages) <= len(pages) - 1, "no page is nearly empty"
    style = "getComputedStyle(document.querySelector('.league td')).fontSize"
    size = float(page.evaluate(style).removesuffix("px"))
    assert size >= 20  # pixels at 1080 lines; 16 are read from the last row, and pages have room
    page.emulate_media(media="print")
    expect(shown).to_have_count(30)


def test_search_takes_each_word_and_each_number_as_it_stands(
    open_page: Open, tmp_path: Path
) -> None:
    with open_store(str(tmp_path / "own.sqlite")) as own, serving(own, settings()) as served:
        for seed, code in ((41, "C/3//KIM"), (42, "C/4//KIM"), (43, "C/3//LEO")):
            sheet = make_sheet(str(play_game(seed).maps[0]))
            lay(served, own, with_evidence(sheet, sheet_id=code))
        page = open_page(DESK, at=f"{served.address}/desk", **DESKTOP)
        page.keyboard.press("/")
        page.keyboard.type("kím")  # accents make no difference
        lines = page.locator(".queue li")
        expect(lines).to_have_count(2)
        page.keyboard.press("Escape")  # leaves the search as it is
        page.keyboard.press("j")
        focused = page.locator(".board .cell:focus")
        expect(focused).to_be_visible()
        expect(lines).to_have_count(2)
        for key in ("ArrowDown", "c", "u"):
            before = focused.get_attribute("aria-label")
            page.keyboard.press(key)
            expect(focused).not_to_have_attribute("aria-label", before or "")
        expect(focused).to_have_attribute("aria-label", re.compile("A2"))  # where it was undone
        page.keyboard.press("/")
        page.keyboard.type("kim 3")  # what stood there before is replaced
        expect(lines).to_have_count(1)
        expect(lines).to_contain_text("round 3")


def test_on_a_phone_a_card_is_shown_from_its_top_with_its_answer_at_hand(
    open_page: Open, served: Served, store: Store
) -> None:
    lay(served, store, DOUBTED)
    lay(served, store, make_sheet(doubtful=[(0, 0)]))
    page = open_page(DESK)
    page.goto("/desk")
    expect(page.locator(".desk-body :is(.file-name, .card-title)")).to_be_visible()
    assert page.evaluate("scrollY") == 0, "nobody has asked for it yet"
    asked = page.locator(".queue .card-look button").last
    asked.tap()
    expect(asked).to_have_attribute("aria-current", "true")
    expect(page.locator(".desk-top")).not_to_be_in_viewport()
    expect(page.locator(".desk-photo")).to_be_in_viewport(ratio=0.95)
    before = page.locator(".queue button").count()
    page.locator(".desk-sheet .sum").scroll_into_view_if_needed()
    page.get_by_role("button", name="The whole sheet is right").tap()
    expect(page.locator(".queue button")).to_have_count(before - 1)
    expect(page.locator(".desk-body :is(.desk-photo, .card-title)")).to_be_in_viewport(ratio=0.95)


LIST = "sep=;\r\nRating;Last name;First name\r\n1500;Gray;Ann\r\n1900;Kay;Bob\r\n1700;Lund;Cleo\r\n"


def test_a_cup_is_run_on_the_page_alone(browser: Browser, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "cup.sqlite")) as own, serving(own, settings()) as served:
        # As a name that other machines might reach, which browsers take for this one.
        served.app.state.address = served.address.replace("127.0.0.1", "kdscan.localhost")
        context = browser.new_context(base_url=served.address, locale="en", **DESKTOP)  # type: ignore[arg-type]
        context.request.post("/join", form={"code": DESK})
        page = context.new_page()
        page.goto("/desk")
        expect(page.locator(".done")).to_contain_text("Add the players, then pair the first round.")
        page.locator(".done").get_by_role("button", name="Players").click()
        table = FilePayload(name="list.csv", mimeType="text/csv", buffer=LIST.encode("utf-16"))
        page.locator(".rounds input[type=file]").set_input_files(table)
        preview = page.locator(".preview")
        expect(preview.locator(".seat")).to_have_text(["Bob Kay", "Cleo Lund", "Ann Gray"])
        preview.get_by_role("button", name="Add them").click()
        expect(page.locator(".people .seat")).to_have_count(3)
        page.get_by_label("Name", exact=True).fill("Dan Mor")
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_label("More actions for Dan Mor").click()
        page.get_by_role("button", name="Rename").click()
        page.get_by_label("Name", exact=True).last.fill("Dan Moor")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".people .seat").last).to_have_text("Dan Moor")
        accessible(page)

        page.locator("[data-tab=rounds]").click()
        page.get_by_label("More ways to pair").click()
        page.get_by_role("button", name="Pair in the order of the list").click()
        lines = page.locator(".tables > li")
        expect(lines.first).to_contain_text("Bob Kay")
        expect(lines.first).to_contain_text("Ann Gray")
        page.get_by_label("More ways to pair").click()
        page.get_by_role("button", name="Change round 1 by hand").click()
        for name in ("Ann Gray", "Dan Moor"):
            page.get_by_role("button", name=name).click()
        accessible(page)
        page.get_by_role("button", name="Keep this pairing").click()
        expect(lines.first).to_contain_text("Dan Moor")

        def enter(line: Locator, *points: int) -> None:
            line.locator(".result-line").click()
            for field, value in zip(line.locator("input").all(), points, strict=True):
                field.fill(str(value))
            line.get_by_role("button", name="Save").click()
            expect(line.locator(".result-line")).to_contain_text(str(points[0]))

        enter(lines.first, 41, 39)
        enter(lines.last, 30, 45)
        page.get_by_role("button", name="Pair round 2").click()
        expect(page.locator("[aria-pressed=true]", has_text="Round 2")).to_be_visible()
        accessible(page)
        page.get_by_label("More actions for table 2").click()
        page.get_by_role("button", name="Both absent").click()
        page.get_by_role("button", name="Round 1").click()
        enter(lines.first, 41, 50)
        expect(page.locator("#toast")).to_contain_text("on which pairings of later rounds rest")
        page.get_by_role("button", name="Cross table").click()
        expect(page.locator(".cross")).to_contain_text("−")  # nobody came
        accessible(page)

        page.locator("[data-tab=publish]").click()
        link = page.locator(".publish p a")
        expect(link).to_be_visible()
        accessible(page)
        for address in page.locator(".publish li a").all():
            answer = context.request.get(address.get_attribute("href") or "")
            assert answer.ok and len(answer.body()) > 60, answer.url
        stranger = browser.new_page(locale="en")
        stranger.goto(link.inner_text())
        expect(stranger.locator(".league")).to_contain_text("Dan Moor")
        accessible(stranger)

        page.locator("[data-tab=rounds]").click()
        page.get_by_role("button", name="Sign in").click()
        page.goto("/standings")
        shown = page.locator("img.invitation").screenshot()
        accessible(page)
        scanned = zxingcpp.read_barcode(cv2.imdecode(np.frombuffer(shown, np.uint8), 1))
        assert scanned is not None
        stranger.goto(scanned.text)  # as a phone's own camera opens it
        expect(stranger.get_by_label("Code")).to_have_value(JOIN)
        context.close()
