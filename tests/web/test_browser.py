"""The page in a real browser, as on a phone."""

from __future__ import annotations

import os
import re
import signal
from itertools import chain
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from kdscan.event.store import Store
from kdscan.i18n import LANGUAGES, words
from tests.readings import make_sheet
from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, answer_all, cell, total, upload
from tests.web.conftest import DESK, JOIN, SAMPLES, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


def test_a_link_and_its_button_let_one_in(browser: Browser, served: Served) -> None:
    page = browser.new_page(base_url=served.address)
    page.goto(f"/j/{JOIN}")
    page.get_by_role("button").click()
    expect(page.locator(".hero")).to_be_visible()
    page.goto(f"/j/{DESK}")  # whoever runs the event has tried the players' link before
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".desk-body")).to_be_visible()
    page.close()


def test_upload_look_tap_undo(open_page: Open) -> None:
    page = open_page()
    upload(page, "02.jpg")
    expect(page.locator(".total-number")).to_be_visible()
    before = total(page)
    doubt = page.locator(".doubt")
    expect(doubt.locator(".crop image")).to_have_count(1)
    heading = page.locator(".doubts h2")
    first = heading.inner_text()
    question = page.locator(f'.doubt[aria-label="{doubt.get_attribute("aria-label")}"]')
    doubt.locator(".choice").nth(1).tap()
    expect(question).to_have_count(0)
    expect(page.locator(".history")).to_be_visible()
    page.get_by_role("button", name="Undo").tap()
    expect(question).to_have_count(1)
    expect(heading).to_have_text(first)
    assert total(page) == before
    answer_all(page)
    expect(doubt).to_have_count(0)
    page.get_by_role("button", name="Undo").tap()


def test_any_shield_is_put_right_by_keyboard(open_page: Open) -> None:
    page = open_page(DESK, at="/", **DESKTOP)
    upload(page, "01.jpg")
    cell(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(cell(page, 2, 4)).to_be_focused()  # over the castle
    page.keyboard.press("Enter")
    page.get_by_role("button", name="checked", exact=True).press("Enter")
    page.keyboard.press("2")
    page.get_by_role("button", name="Done").press("Enter")
    expect(cell(page, 2, 4)).to_have_attribute("aria-label", re.compile("E3, checked, 2 crosses"))
    expect(cell(page, 2, 4)).to_be_focused()
    page.keyboard.press("Control+z")
    expect(cell(page, 2, 4)).not_to_have_attribute("aria-label", re.compile("E3, checked"))


def test_two_maps_are_a_game_and_a_picture(open_page: Open) -> None:
    page = open_page()
    upload(page, "01.jpg", "05.jpg")  # two photos that were chosen together end at the winner
    expect(page.locator(".player")).to_have_count(2)
    titles = page.locator(".player h2").all_inner_texts()
    points = [int(re.findall(r"\d+", title)[-1]) for title in titles]
    winner = points.index(max(points)) + 1
    expect(page.locator(".winner")).to_contain_text(f"Map {winner} wins")
    with page.expect_download() as download:
        page.get_by_role("button", name="Share").tap()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page.get_by_role("link", name="Home").tap()
    expect(page.locator(".games li")).to_contain_text(re.compile(r"Map 1 \d+ : Map 2 \d+"))


def test_a_map_that_is_still_being_read_joins_those_to_play_against(open_page: Open) -> None:
    page = open_page(service_workers="block")  # its answers can be changed
    upload(page, "01.jpg", "05.jpg")
    expect(page.locator(".player")).to_have_count(2)
    page.get_by_role("link", name="Home").tap()
    expect(page.locator(".results .result-name + strong")).to_have_text([re.compile("point")] * 2)

    def both_wait(route: Route) -> None:
        told = route.fetch().json()
        told["photos"] = [one | {"state": "waiting", "sheets": []} for one in told["photos"]]
        route.fulfill(json=told)

    def cut_off(route: Route) -> None:
        told = route.fetch().json()
        for sheet in chain.from_iterable(one["sheets"] for one in told["photos"]):
            sheet |= {"total": None, "photograph_again": True}
        route.fulfill(json=told)

    page.locator(".results:not(.games) .result").last.tap()
    expect(page.locator(".total-number")).to_be_visible()
    page.route("**/api/photos", cut_off)
    page.route("**/api/photos", both_wait, times=1)
    page.get_by_role("link", name="Game").tap()
    expect(page.locator(".results strong")).to_have_text("Photograph again")
    page.locator(".results .result").first.tap()
    expect(page.locator(".player")).to_have_count(2)


def test_each_answer_narrows_the_range(open_page: Open) -> None:
    page = open_page()
    upload(page, "09.jpg")

    def between() -> int:
        text = page.locator(".verdict").inner_text()
        ends = re.findall(r"\d+", text.partition("between")[2])
        return int(ends[1]) - int(ends[0]) if ends else 0

    expect(page.locator(".band")).to_be_visible()
    questions = int(page.locator(".doubts h2").inner_text().rpartition(" ")[2])
    assert questions > 1
    ranges = [between()]
    for n in range(questions):
        expect(page.locator(".doubts h2")).to_have_text(f"{n + 1} of {questions}")
        page.wait_for_timeout(400)  # sooner it would be a double tap
        page.locator(".doubt .choice").first.tap()
        page.wait_for_function("n => document.querySelectorAll('.history li').length > n", arg=n)
        ranges.append(between())
    assert ranges == sorted(ranges, reverse=True) and ranges[0] > ranges[-1]
    for n in range(questions):
        page.get_by_role("button", name="Undo").tap()
        page.wait_for_function(
            "n => document.querySelectorAll('.history .undone').length > n", arg=n
        )
    assert between() == ranges[0]


def test_a_picture_is_shared_where_the_phone_can(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK, at=None)
    page.add_init_script("""
      navigator.canShare = ({ files }) => files.length === 1;
      navigator.share = async ({ files }) => { document.title = `shared ${files[0].type}`; };
    """)
    page.goto(f"/#/photo/{lay(served, store, make_sheet())}")
    page.get_by_role("button", name="Share").tap()
    expect(page).to_have_title("shared image/png")


@pytest.mark.parametrize("language", LANGUAGES[1:3])
def test_it_speaks_the_browsers_language(open_page: Open, language: str) -> None:
    page = open_page(locale=f"{language}-{language.upper()}")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("h1")).to_have_text(words(language).t("What is your kingdom worth?"))
    page.goto("/standings")
    expect(page.locator(".standings-head p")).to_be_visible()


KEPT = """caches.open("results").then((cache) => cache.keys())
    .then((all) => all.filter((one) => one.url.includes("/api/")).length)"""
"""Answers of the page that the browser keeps, for reading without a network."""


def test_the_last_results_stay_readable_offline(open_page: Open) -> None:
    page = open_page()
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    upload(page, "01.jpg")
    expect(page.locator(".total-number")).to_be_visible()
    seen = total(page)
    page.context.set_offline(True)
    page.reload()
    expect(page.locator(".total-number")).to_have_text(str(seen))
    expect(page.locator(".lost")).to_be_visible()
    page.goto("/#/")
    expect(page.locator(".results:not(.uploads) .result")).to_have_count(1)
    page.context.set_offline(False)


def test_who_leaves_leaves_no_results_in_the_browser(open_page: Open) -> None:
    page = open_page()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.evaluate("fetch('/api/photos').then(() => true)")
    kept = page.evaluate(KEPT)
    assert kept > 0
    page.context.set_offline(True)
    page.locator("#leave").click()
    expect(page.locator("#toast")).to_contain_text("No connection")
    assert page.evaluate(KEPT) == kept, "who could not leave still reads them"
    page.context.set_offline(False)
    page.locator("#leave").click()
    page.wait_for_url("**/join")
    assert page.evaluate(KEPT) == 0


def test_who_cannot_sign_out_is_told_so_and_stays(open_page: Open) -> None:
    page = open_page(service_workers="block")
    page.route("**/api/leave", lambda route: route.abort())
    page.locator("#leave").click()
    expect(page.locator("#toast")).to_contain_text("No connection: try again later")
    expect(page.locator(".actions")).to_be_visible()


def test_whose_session_has_ended_finds_the_form_to_sign_in(open_page: Open) -> None:
    page = open_page(service_workers="block")
    page.locator(".together summary").click()
    page.context.clear_cookies()
    page.locator(".together button.main").click()
    page.locator("#toast a").click()
    page.wait_for_url("**/join")


def test_a_photo_that_cannot_be_sent_says_so_and_is_sent_again(open_page: Open) -> None:
    page = open_page(service_workers="block")
    page.route("**/api/**", lambda route: route.abort())
    page.set_input_files("input[multiple]", SAMPLES / "01.jpg")
    expect(page.locator(".upload strong")).to_contain_text("waiting for the network")
    expect(page.locator(".lost")).to_be_visible()
    page.unroute("**/api/**")
    expect(page.locator(".total-number")).to_be_visible()
    expect(page.locator(".lost")).to_be_hidden()


def test_a_file_that_is_no_picture_is_not_tried_again(open_page: Open, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8\xff" + 100 * b"no picture")
    page = open_page()
    page.set_input_files("input[multiple]", broken)
    expect(page.get_by_role("alert")).to_contain_text("damaged or cut off")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.get_by_role("link", name="Another photo").tap()
    expect(page.locator(".result strong").first).to_have_text("could not be read")


def test_a_worker_that_dies_loses_no_photo(open_page: Open, served: Served) -> None:
    page = open_page()
    with served.workers_asleep() as pids:
        page.set_input_files("input[multiple]", SAMPLES / "03.jpg")
        expect(page.locator(".result strong")).to_have_text("reading …")
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    expect(page.get_by_role("alert")).to_contain_text("the photo is kept")
    page.get_by_role("button", name="Try again").tap()
    expect(page.locator(".total-number")).to_be_visible()
