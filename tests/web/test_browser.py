"""The page in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from kdscan.locale import LANGUAGES, words
from kdscan.table import share
from kdscan.tournament.store import Store
from kdscan.vision.decode import DEFAULT_RISK
from tests.readings import make_book, make_kingdom, make_sheet
from tests.web.conftest import DESK, JOIN, SAMPLES, Served, lay
from tests.web.test_kinds import DOUBT, GAME, OWNER

DOUBTED = make_kingdom(doubtful={(0, 0): ("wheat", 0)})

CHROMIUM = os.environ.get("KDSCAN_CHROMIUM") or shutil.which("chromium")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("KDSCAN_REQUIRE_CHROMIUM"),
    reason="no Chromium: apt install chromium, or name one by KDSCAN_CHROMIUM",
)

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
DESKTOP = {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, served: Served) -> Iterator[Open]:
    """Opens the page as somebody who comes in with a code; fails on any error in it."""
    contexts = []
    said: list[str] = []

    def come(code: str = JOIN, **more: Any) -> Page:
        options: dict[str, Any] = PHONE | {"locale": "en", "reduced_motion": "reduce"} | more
        contexts.append(browser.new_context(base_url=served.address, **options))
        contexts[-1].set_default_timeout(PATIENCE_MS)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda m: said.append(m.text) if "Security Policy" in m.text else None)
        page.goto(f"/j/{code}")
        return page

    yield come
    for context in contexts:
        context.close()
    assert said == []


def upload(page: Page, *names: str) -> None:
    page.goto("/")
    page.set_input_files("input[multiple]", [SAMPLES / name for name in names])


def total(page: Page) -> int:
    return int(page.locator(".total-number").inner_text())


def cell(page: Page, row: int, col: int) -> Any:
    return page.locator(f'.board [data-cell="{row},{col}"]')


def test_upload_look_tap_undo(open_page: Open) -> None:
    page = open_page()
    upload(page, "02.jpg")
    expect(page.locator(".total-number")).to_be_visible()
    before = total(page)
    doubts = page.locator(".doubt")
    many = doubts.count()
    assert many > 0 and page.locator(".doubt .crop image").count() == many
    asked = doubts.first.get_attribute("aria-label")
    doubts.first.locator(".choice").nth(1).tap()
    question = page.locator(f'.doubt[aria-label="{asked}"]')
    expect(question).to_have_count(0)
    expect(page.locator(".history")).to_be_visible()
    page.get_by_role("button", name="Undo").tap()
    expect(question).to_have_count(1)
    expect(doubts).to_have_count(many)
    assert total(page) == before
    page.get_by_role("button", name="Everything is as on paper").tap()
    expect(doubts).to_have_count(0)
    expect(page.locator(".verdict")).to_have_text("checked by a person")
    page.get_by_role("button", name="Undo").tap()


def test_any_shield_is_put_right_by_tap(open_page: Open) -> None:
    page = open_page()
    upload(page, "01.jpg")
    cell(page, 3, 0).tap()
    editor = page.locator("dialog")
    editor.get_by_role("button", name="filled", exact=True).tap()
    editor.get_by_role("button", name="3 crosses").tap()
    editor.get_by_role("button", name="That is it").tap()
    expect(cell(page, 3, 0)).to_have_attribute("aria-label", re.compile("A4, filled, 3 crosses"))
    page.get_by_role("button", name="Undo").tap()
    expect(cell(page, 3, 0)).not_to_have_attribute("aria-label", re.compile("A4, filled"))


def test_any_shield_is_put_right_by_keyboard(open_page: Open) -> None:
    page = open_page(**DESKTOP)
    upload(page, "01.jpg")
    cell(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(cell(page, 2, 4)).to_be_focused()  # over the castle
    page.keyboard.press("Enter")
    page.get_by_role("button", name="checked", exact=True).press("Enter")
    page.keyboard.press("2")
    page.get_by_role("button", name="That is it").press("Enter")
    expect(cell(page, 2, 4)).to_have_attribute("aria-label", re.compile("E3, checked, 2 crosses"))
    expect(cell(page, 2, 4)).to_be_focused()
    page.keyboard.press("Control+z")
    expect(cell(page, 2, 4)).not_to_have_attribute("aria-label", re.compile("E3, checked"))


def test_two_maps_are_a_game_and_a_picture(open_page: Open) -> None:
    page = open_page()
    upload(page, "01.jpg", "05.jpg")
    expect(page.locator(".results:not(.uploads) .result")).to_have_count(2)
    page.locator(".results:not(.uploads) .result").first.tap()
    page.get_by_role("link", name="Game").tap()
    page.locator(".results .result").first.tap()
    expect(page.locator(".player")).to_have_count(2)
    titles = page.locator(".player h2").all_inner_texts()
    points = [int(re.findall(r"\d+", title)[-1]) for title in titles]
    winner = points.index(max(points)) + 1
    expect(page.locator(".winner")).to_contain_text(f"Map {winner} wins")
    with page.expect_download() as download:
        page.get_by_role("button", name="Share").tap()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_photo_zooms_with_what_was_read(open_page: Open) -> None:
    page = open_page()
    upload(page, "01.jpg")
    page.get_by_role("button", name="Photo", exact=True).tap()
    photo = page.locator("svg.photo")
    expect(photo.locator(".badge")).to_have_count(34)
    whole = photo.get_attribute("viewBox")
    page.get_by_role("button", name="Closer").tap()
    assert photo.get_attribute("viewBox") != whole
    page.get_by_role("button", name="Whole photo").tap()
    assert photo.get_attribute("viewBox") == whole


def test_two_fingers_zoom_the_photo(open_page: Open, served: Served, store: Store) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED))
    page.get_by_role("button", name="Photo", exact=True).tap()
    page.get_by_role("button", name="Whole photo").tap()
    photo = page.locator("svg.photo")
    photo.scroll_into_view_if_needed()
    box = photo.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, apart: float) -> None:
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        points = [] if kind == "touchEnd" else points
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def width() -> float:
        return float((photo.get_attribute("viewBox") or "").split()[2])

    whole = width()
    fingers("touchStart", 20)
    for apart in range(25, 85, 5):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    assert 0.2 * whole < width() < 0.5 * whole
    fingers("touchStart", 80)
    for apart in range(75, 15, -5):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    assert width() > 0.9 * whole


def test_each_answer_narrows_the_range(open_page: Open) -> None:
    page = open_page()
    upload(page, "02.jpg")

    def between() -> int:
        ends = re.findall(r"\d+", page.locator(".verdict.doubtful").inner_text())
        return int(ends[1]) - int(ends[0])

    expect(page.locator(".band")).to_be_visible()
    doubts = page.locator(".doubt")
    many = doubts.count()
    assert many > 1
    seen = []
    for left in reversed(range(many)):
        seen.append(between())
        page.wait_for_timeout(400)  # sooner it would be a double tap
        doubts.first.locator(".choice").first.tap()
        expect(doubts).to_have_count(left)
    expect(page.locator(".verdict")).not_to_contain_text("between")
    expect(page.locator(".band")).to_have_count(0)
    assert seen == sorted(seen, reverse=True) and seen[0] > 0
    for answered in range(many):
        page.get_by_role("button", name="Undo").tap()
        expect(doubts).to_have_count(answered + 1)


def test_a_picture_is_shared_where_the_phone_can(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK)
    page.add_init_script("""
      navigator.canShare = ({ files }) => files.length === 1;
      navigator.share = async ({ files }) => { document.title = `shared ${files[0].type}`; };
    """)
    page.goto(f"/?again#/photo/{lay(served, store, make_sheet())}")
    page.get_by_role("button", name="Share").tap()
    expect(page).to_have_title("shared image/png")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_the_browsers_language(open_page: Open, language: str) -> None:
    page = open_page(locale=f"{language}-{language.upper()}")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("h1")).to_have_text(words(language).t("What is your kingdom worth?"))
    page.goto("/standings")
    expect(page.locator(".standings-head p")).to_be_visible()


def test_the_last_results_stay_readable_offline(open_page: Open) -> None:
    page = open_page()
    page.goto("/")
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


def test_a_worker_that_dies_loses_no_photo(open_page: Open, served: Served) -> None:
    page = open_page()
    page.goto("/")
    with served.workers_asleep() as pids:
        page.set_input_files("input[multiple]", SAMPLES / "03.jpg")
        expect(page.locator(".upload strong")).to_have_text("is being read")
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    expect(page.get_by_role("alert")).to_contain_text("The photo is kept")
    page.get_by_role("button", name="Try again").tap()
    expect(page.locator(".total-number")).to_be_visible()


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
    if waiting > 1:
        expect(page.locator(".queue li")).to_have_count(waiting - 1)
    else:
        expect(page.locator(".desk-sheet .none")).to_be_visible()


def accessible(page: Page) -> None:
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    page.goto("/join")
    accessible(page)
    upload(page, "02.jpg")
    expect(page.locator(".total-number")).to_be_visible()
    accessible(page)
    cell(page, 0, 0).tap()
    accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Photo", exact=True).tap()
    accessible(page)
    page.goto("/")
    expect(page.locator(".result")).not_to_have_count(0)
    accessible(page)
    page.goto("/standings")
    expect(page.locator(".league")).to_be_visible()
    accessible(page)
    desk = open_page(DESK, color_scheme=scheme, **DESKTOP)
    expect(desk.locator(".keys")).to_be_visible()
    accessible(desk)


def lay_table(served: Served, store: Store) -> int:
    """A photo of both maps of a game and their spellbook, in which a coat is doubtful."""
    maps = [make_sheet(str(board), doubtful=[(0, 0)]) for board in GAME.maps]
    book = make_book(GAME.spellbook, doubtful={DOUBT: 0.9})
    return lay(served, store, *share((*maps, book), DEFAULT_RISK))


SMALL = """() => [...document.querySelectorAll("a, button, select, summary, label")]
  .filter((one) => one.checkVisibility() && !one.matches(".skip, label:not(:has(input))"))
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 90)])
  .filter(([box]) => box.width < 44 || box.height < 44).map(([, what]) => what)"""

CUT = """() => [...document.querySelectorAll("h1, h2, h3, p, a, button, label, th, td, dd, strong")]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 90))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_elsewhere(
    open_page: Open, served: Served, store: Store, scheme: str
) -> None:
    photos = lay_table(served, store), lay(served, store, DOUBTED)
    page = open_page(DESK, color_scheme=scheme, locale="ru")
    sheets: list[int] = []
    for photo in photos:
        page.goto(f"/#/photo/{photo}")
        expect(page.locator(".board")).to_be_visible()
        accessible(page)
        found = page.request.get(f"/api/photos/{photo}").json()["sheets"]
        sheets = sheets or [sheet["id"] for sheet in found]
    for view in (f"/#/game/{'/'.join(map(str, sheets))}", f"/#/versus/{sheets[0]}", "/#/photo/999"):
        page.goto(view)
        expect(page.locator("main h1")).to_be_visible()
        accessible(page)
    page.goto(f"/#/photo/{photos[0]}/{sheets[2]}")
    page.locator(".board [role=button]").first.tap()
    expect(page.locator("dialog[open]")).to_be_visible()
    accessible(page)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    accessible(page)


def test_ink_is_seen_in_the_dark(open_page: Open, served: Served, store: Store) -> None:
    page = open_page(DESK, color_scheme="dark")
    page.goto(f"/#/photo/{lay_table(served, store)}")
    icon = page.locator(".sum .icon:not(.tile)").first
    expect(icon).to_be_visible()
    paper = icon.evaluate("(one) => getComputedStyle(one).backgroundColor")
    assert min(map(int, re.findall(r"\d+", paper)[:3])) > 150, "black coats lie on light paper"


@pytest.mark.parametrize(
    ("width", "language"), [(320, "ru"), (390, "fr"), (768, "pl"), (1440, "uk"), (1920, "en")]
)
def test_nothing_sticks_out_or_is_too_small_for_a_thumb(
    open_page: Open, served: Served, store: Store, width: int, language: str
) -> None:
    photos = lay_table(served, store), lay(served, store, DOUBTED)
    page = open_page(DESK, viewport={"width": width, "height": 800}, locale=language)
    views = [f"/#/photo/{photo}" for photo in photos]
    views += ["/#/photo/999", "/", "/desk", "/standings", "/join"]
    for view in views:
        page.goto(view)
        shown = "main :is(.total, .failure, .emblem, .league, .board, form)"
        expect(page.locator(shown).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        assert page.evaluate(CUT) == [], view
        assert page.evaluate(SMALL) == [], view


def open_sheet(open_page: Open, photo: int, **more: Any) -> Page:
    """A photo that is read already, as the desk sees it."""
    page = open_page(DESK, **more)
    page.goto(f"/#/photo/{photo}")
    return page


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
    editor.get_by_role("button", name="That is it").tap()
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


def test_a_spellbook_put_right_pays_the_maps(open_page: Open, served: Served, store: Store) -> None:
    maps = [make_sheet(str(board), confidence=0.999) for board in GAME.maps]
    book = make_book(GAME.spellbook, doubtful={DOUBT: 0.9})
    laid = lay(served, store, *share((*maps, book), DEFAULT_RISK))
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
