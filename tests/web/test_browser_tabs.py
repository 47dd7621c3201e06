"""Late answers: each desk tab draws into itself, and what somebody types stays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import ElementHandle, Page, Route, expect

from kdscan.event import actions as act
from kdscan.event.log import Author
from kdscan.event.store import Store
from kdscan.rules.duel.players import play_game
from tests.readings import make_kingdom, make_sheet, with_evidence
from tests.web import browsing
from tests.web.browsing import DESKTOP, PHONE, Open, first_sheet, held, wait_until_asked
from tests.web.conftest import DESK, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]

OTHER = Author("the other desk")


def drawn(page: Page) -> None:
    """Everything that the answers until now lead to was drawn: the desk does one thing after the
    other, and shows the search field's focus last."""
    page.keyboard.press("Escape")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.locator(".search:focus")).to_have_count(1)
    page.evaluate("() => document.activeElement.blur()")


def come(open_page: Open) -> Page:
    return open_page(DESK, service_workers="block", **DESKTOP)


@pytest.fixture
def conflict(served: Served, store: Store) -> None:
    """Two boards with one code: their card shows both photos, which have to be fetched."""
    for board in play_game(21).maps:
        lay(served, store, with_evidence(make_sheet(str(board)), sheet_id="C/1//9"))


def enter(page: Page, name: str) -> None:
    page.locator("[data-tab=players]").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".people")).to_contain_text(name)


TABS = {"rounds": ".rounds", "players": ".people", "pads": ".prints", "sheets": ".queue li"}


@pytest.mark.usefixtures("conflict")
def test_a_card_that_comes_late_stays_in_its_own_tab(open_page: Open) -> None:
    page = come(open_page)
    expect(page.locator(".queue [aria-current]")).to_be_visible()
    for tab, shown in TABS.items():
        drawn(page)  # a card that is still being drawn would not be asked for again
        page.locator("[data-tab=pads]").click()
        with held(page, r"/api/photos/\d+$") as waiting:
            page.locator("[data-tab=settle]").click()
            wait_until_asked(page, waiting)
            page.locator(f"[data-tab={tab}]").click()
        expect(page.locator(shown).first).to_be_visible()
        expect(page.locator(".remedy, .desk-sheet")).to_have_count(0)
        page.locator("[data-tab=settle]").click()
        expect(page.locator(".remedy, .desk-sheet").first).to_be_visible()


@pytest.mark.usefixtures("conflict")
def test_the_first_desk_that_comes_late_is_drawn_in_the_tab_that_is_shown(open_page: Open) -> None:
    page = come(open_page)
    with held(page, r"/api/desk$"):
        page.reload()
        page.locator("[data-tab=players]").click()
        field = page.get_by_label("Name", exact=True)
        field.fill("Cleo")
    expect(field).to_have_value("Cleo")
    expect(page.locator(".people")).to_be_visible()


def same(page: Page, handle: ElementHandle, selector: str) -> bool:
    """Whether an element is still the one that the page shows."""
    return bool(handle.evaluate("(one, at) => one === document.querySelector(at)", selector))


def test_news_take_nothing_from_a_field_in_use(
    open_page: Open, served: Served, store: Store
) -> None:
    page = come(open_page)
    for name in ("Ada", "Bob"):
        enter(page, name)
    field = page.locator(".rounds form input")
    field.fill("Cle")
    form = field.element_handle()
    with page.expect_response(re.compile(r"/api/desk\?after=.*")):
        lay(served, store, make_kingdom())  # news
    drawn(page)
    assert same(page, form, ".rounds form input")
    expect(field).to_have_value("Cle")
    page.locator("[data-tab=rounds]").click()
    page.get_by_role("button", name=re.compile("Pair")).first.click()
    points = page.get_by_label("Points of Ada")
    points.fill("41")
    typed = points.element_handle()
    with page.expect_response(re.compile(r"/api/desk\?after=.*")):
        lay(served, store, make_kingdom())
    drawn(page)
    expect(points).to_have_value("41")
    assert typed.is_visible()
    page.locator("[data-tab=players]").click()
    expect(field).to_have_value("Cle")
    page.locator("[data-tab=rounds]").click()
    expect(points).to_have_value("41")
    page.get_by_label("Points of Bob").fill("39")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".tables li.open")).to_have_count(0)
    expect(page.locator(".tables .seat.won")).to_contain_text("Ada")
    page.get_by_label("Points of Bob").fill("40")
    with page.expect_request("**/api/actions") as sent:
        page.get_by_role("button", name="Save").click()
    said = sent.value.post_data_json or {}
    (action,) = said["actions"]
    assert action["points"] == {"Bob": 40}, "what stood there is not said again"
    expect(page.locator(".tables .seat.won")).to_contain_text("Ada")


def test_a_name_that_cannot_be_stays_to_be_put_right(open_page: Open) -> None:
    page = come(open_page)
    page.locator("[data-tab=players]").click()
    field = page.get_by_label("Name", exact=True)
    refusal = {"error": {"code": "refused", "message": "there is such a one"}}
    page.route("**/api/actions", lambda one: one.fulfill(status=409, json=refusal), times=1)
    field.fill("Dora")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("There is such a one.")
    expect(field).to_have_value("Dora")
    field.press("Enter")
    expect(page.locator(".people")).to_contain_text("Dora")
    expect(field).to_have_value("")


def test_a_card_in_use_stays_though_another_desk_settled_it(
    open_page: Open, served: Served, store: Store
) -> None:
    page = come(open_page)
    enter(page, "Eva Lang")
    page.locator("[data-tab=settle]").click()
    lay(served, store, make_sheet(str(play_game(22).maps[0])))
    card = page.locator(".queue li.card-owner").last
    card.locator("button").click()
    field = page.get_by_label("Somebody else").first
    field.fill("Eva")
    shown = page.locator(".queue [aria-current]")
    sheet = int(
        str(
            page.locator(".side.owner img, .side.owner image").first.get_attribute("href") or ""
        ).split("/")[3]
    )
    with page.expect_response(re.compile(r"/api/desk\?after=.*")):
        sheets = served.services.live.event().sheets.values()
        number = next(one.id for one in sheets if one.photo_id == sheet)
        served.services.live.perform(OTHER, act.Ignore(number))
    expect(shown.locator(".queue-total small")).to_have_text("✓")
    expect(field).to_have_value("Eva")


def test_what_another_desk_corrects_is_seen_before_it_is_confirmed(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_sheet(str(play_game(24).maps[0]), doubtful=[(1, 1)]))
    page = come(open_page)
    (sheet,) = page.request.get(f"/api/photos/{photo}").json()["sheets"]
    page.locator("[data-tab=sheets]").click()
    page.locator(".queue li").last.click()
    focused = page.locator(".board .cell:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("please check"))
    said = act.CorrectShield(sheet["id"], (1, 1), "filled", 4)
    served.services.live.perform(OTHER, said)
    expect(focused).to_have_attribute(
        "aria-label", re.compile(r"filled, 4 crosses, Domain: \d+ points")
    )
    page.goto(first_sheet(page, photo))
    decisions, undone = page.locator(".history li"), page.locator(".history .undone")
    expect(decisions).to_have_count(1)
    said = act.CorrectShield(sheet["id"], (1, 1), "dot", 1)
    served.services.live.perform(OTHER, said)
    page.get_by_role("button", name="Undo").click()  # what is shown, not what came since
    expect(decisions).to_have_count(2)
    expect(undone).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(undone).to_have_count(1)


@pytest.mark.usefixtures("conflict")
def test_news_do_not_scroll_a_phone(open_page: Open, served: Served, store: Store) -> None:
    page = open_page(DESK, service_workers="block")
    expect(page.locator(".remedy .photo").first).to_be_visible()
    drawn(page)
    page.locator(".desk-body .somebody").last.scroll_into_view_if_needed()
    drawn_at = page.evaluate("scrollY")
    assert drawn_at > 300
    lay(served, store, make_sheet(str(play_game(23).maps[0]), doubtful=[(0, 0)]))
    expect(page.locator(".queue li.card-look")).not_to_have_count(0)
    assert page.evaluate("scrollY") >= drawn_at  # more if the list above grew


def test_an_answer_leaves_the_name_that_is_typed_meanwhile(
    open_page: Open, served: Served, store: Store
) -> None:
    served.services.live.perform(OTHER, act.AddPlayer("Fay"))
    photo = lay(served, store, make_kingdom(doubtful={(0, 0): ("wheat", 0)}))
    page = open_page(DESK, service_workers="block", at=None, **PHONE)
    page.goto(first_sheet(page, photo))
    asked: list[Route] = []
    page.route(re.compile("/api/actions$"), lambda route: asked.append(route))
    with page.expect_request(re.compile("/api/actions$")):
        page.locator(".doubt .choice").first.tap()
    name = page.get_by_label("Whose kingdom is it?")
    name.fill("Fay")
    typed = name.element_handle()
    asked.pop().continue_()
    page.unroute(re.compile("/api/actions$"))
    expect(page.locator(".doubt")).to_have_count(0)
    expect(name).to_have_value("Fay")
    expect(name).to_be_focused()
    assert same(page, typed, ".whose-field input")
    page.keyboard.press("Enter")
    expect(page.locator(".whose.named")).to_contain_text("Fay")


def test_a_photo_that_comes_late_takes_nobody_to_its_game(
    open_page: Open, served: Served, store: Store
) -> None:
    boards = [make_sheet(str(board)) for board in play_game(23).maps]
    photo = lay(served, store, *(with_evidence(one, sheet_id=None) for one in boards))
    page = open_page(DESK, service_workers="block", at="/", **PHONE)
    expect(page.locator(".hero")).to_be_visible()
    title = page.title()
    asked: list[Route] = []
    page.route(re.compile(rf"/api/photos/{photo}$"), lambda route: asked.append(route))
    with page.expect_request(re.compile(rf"/api/photos/{photo}$")):
        page.evaluate("id => { location.hash = `#/photo/${id}`; }", photo)
    page.evaluate("() => { location.hash = '#/'; }")
    expect(page.locator(".actions")).to_be_visible()
    with page.expect_response(re.compile(rf"/api/photos/{photo}$")):
        asked.pop().continue_()
    # What would follow is done in the same turn as the answer comes.
    page.evaluate("() => new Promise((done) => setTimeout(done, 50))")
    assert page.url.endswith("#/")
    assert page.title() == title
