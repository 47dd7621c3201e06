"""The page in a real browser, as players use it: they photograph, answer, correct and share."""

from __future__ import annotations

import os
import re
import signal
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from kdscan.event.store import Store
from kdscan.event.store.photos import get_photo
from kdscan.sheets.duel_map.interpret import interpret
from tests.readings import make_kingdom, make_sheet, make_table
from tests.templates.pads import PAINTED, blank, sheet
from tests.web import browsing
from tests.web.browsing import (
    DESKTOP,
    DOUBTED,
    Open,
    accessible,
    answer_all,
    cell,
    first_sheet,
    held,
    open_sheet,
    total,
    upload,
    wait_until_asked,
)
from tests.web.conftest import DESK, SAMPLES, Served, lay
from tests.web.test_kinds import DOUBT, GAME, OWNER

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


def test_any_shield_is_put_right_by_keyboard(open_page: Open) -> None:
    page = open_page(DESK, at="/", **DESKTOP)
    upload(page, "01.jpg")
    shield = cell(page, 2, 4)
    cell(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(shield).to_be_focused()  # over the castle
    page.keyboard.press("Enter")
    page.get_by_role("button", name="checked", exact=True).press("Enter")
    page.keyboard.press("2")
    page.get_by_role("button", name="Done").press("Enter")
    expect(shield).to_have_attribute("aria-label", re.compile("E3, checked, 2 crosses"))
    expect(shield).to_be_focused()
    page.keyboard.press("Control+z")
    expect(shield).not_to_have_attribute("aria-label", re.compile("E3, checked"))


def test_two_maps_are_a_game_and_a_picture(open_page: Open) -> None:
    page = open_page(DESK, at="/", service_workers="block")
    page.evaluate("localStorage.setItem('kdscan.names', '[\"Ann\"]')")  # offered, not assumed
    upload(page, "01.jpg", "05.jpg")  # two photos that were chosen together end at the winner
    expect(page.locator(".player")).to_have_count(2)
    titles = page.locator(".player h2").all_inner_texts()
    points = [int(re.findall(r"\d+", title)[-1]) for title in titles]
    winner = points.index(max(points)) + 1
    expect(page.locator(".winner")).to_contain_text(f"Map {winner} wins")
    with page.expect_download() as download:
        page.get_by_role("button", name="Share").tap()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    fields = page.get_by_placeholder("Whose map is it?")
    with held(page, r"/api/games\?"):  # the answer about the first finds somebody typing the second
        fields.first.fill("Ann")
        fields.first.press("Enter")
        fields.last.fill("Bob")
    expect(fields).to_have_count(1)
    expect(fields).to_have_value("Bob")
    fields.press("Enter")
    expect(page.locator(".winner")).to_contain_text(re.compile("(Ann|Bob) wins"))
    page.get_by_role("link", name="Home").tap()
    expect(page.locator(".results.games li")).to_contain_text(re.compile(r"Ann \d+ : Bob \d+"))
    expect(page.locator(".tally")).to_contain_text(re.compile(r"(Ann|Bob) 1, (Ann|Bob) 0"))


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
    assert page.evaluate(KEPT) >= kept, "who could not leave still reads them"
    page.context.set_offline(False)
    page.locator("#leave").click()
    page.wait_for_url("**/join")
    assert page.evaluate(KEPT) == 0


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
    page.get_by_role("link", name="Home").tap()
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


def test_a_kingdom_is_put_right_by_tap(open_page: Open, served: Served, store: Store) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED))
    expect(page.locator(".verdict")).to_contain_text("between")
    before = total(page)
    expect(page.locator(".doubt .choice").nth(1)).to_contain_text(" points")
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


def test_a_spellbook_put_right_pays_the_maps(open_page: Open, served: Served, store: Store) -> None:
    laid = lay(served, store, *make_table(GAME, {DOUBT: 0.9}))
    page = open_sheet(open_page, laid, service_workers="block")  # its answers can be held back
    page.get_by_role("button", name=re.compile("Spellbook")).first.tap()
    expect(page.locator(".doubt")).to_have_count(1)
    accessible(page)
    with held(page, r"/api/photos/\w+$") as waiting:
        page.locator(".doubt .choice").nth(1).tap()  # no coat was chosen: nothing is paid
        wait_until_asked(page, waiting)
        expect(page.locator(".doubt")).to_have_count(0)
        page.get_by_role("button", name=f"Map {OWNER + 1}").tap()
        expect(page.locator(".total-number")).to_be_visible()
    # What the maps are worth now comes only when one is looked at.
    paid = GAME.scores()[OWNER]
    expect(page.locator(".total-number")).to_have_text(str(paid.total - paid.wizard))
    page.get_by_role("link", name="Who won?").tap()
    expect(page.locator(".player")).to_have_count(3)
    accessible(page)


CUT = interpret(
    replace(
        make_sheet().evidence, clipped=tuple((row, col) for row in range(5) for col in (4, 5, 6))
    )
)


def test_a_photo_that_cuts_shields_off_is_to_be_taken_again(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, CUT)
    page = open_sheet(open_page, photo)
    expect(page.get_by_role("heading", name="Photograph again")).to_be_visible()
    expect(page.locator(".doubt [role=alert]")).to_contain_text("15 shields")
    expect(page.locator(".doubt").get_by_text("Choose a photo")).to_be_visible()
    for told in (".total-number", ".doubt .choice", ".sum"):
        expect(page.locator(told)).to_have_count(0)
    accessible(page)
    desk = open_page(DESK, **DESKTOP)
    desk.locator(".queue li.card-look").first.click()
    expect(desk.locator(".desk-sheet")).to_contain_text("Photograph again")
    pair = photo, lay(served, store, make_sheet())
    page.goto("/#/game/" + "/".join(first_sheet(page, n).split("/")[-1] for n in pair))
    expect(page.locator(".winner")).to_have_text("Photograph again")
    expect(page.locator(".decided")).to_have_count(0)
    assert page.title().startswith("Map 1 ? : Map 2 ")


def test_a_large_photo_is_sent_as_large_as_reading_needs(
    open_page: Open, store: Store, tmp_path: Path
) -> None:
    sample = cv2.imread(str(SAMPLES / "01.jpg"))
    assert sample is not None
    large = cv2.resize(sample, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    noise = np.random.default_rng(1).normal(0, 4, large.shape)
    file = tmp_path / "large.jpg"
    noisy = np.clip(large + noise, 0, 255).astype(np.uint8)
    file.write_bytes(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())
    page = open_page(service_workers="block")
    page.set_input_files("input[multiple]", file)
    expect(page.locator(".total-number")).to_be_visible()
    photo = int(page.url.rsplit("/", 1)[1])
    (shown,) = page.request.get(f"/api/photos/{photo}").json()["pages"]
    assert (shown["width"], shown["height"]) == (2400, 3200)  # of 3600 × 4800
    with store.read() as db:
        sent = get_photo(db, photo)
    assert sent is not None and sent.size < file.stat().st_size / 2
    assert total(page) == 54  # as of the sample itself


DOUBTFUL = 8
"""A sheet of the pad that asks for a look while its print is unknown, as the next one does."""


def test_an_unknown_pad_is_learned_where_it_leaves_doubts(open_page: Open, tmp_path: Path) -> None:
    bare, filled = tmp_path / "bare.png", tmp_path / "filled.png"
    for place, shot in ((bare, blank(PAINTED)), (filled, sheet(PAINTED, DOUBTFUL))):
        cv2.imwrite(str(place), shot.bgr)

    desk = open_page(DESK, **DESKTOP)
    desk.locator("[data-tab=pads]").click()
    pads = desk.locator(".prints li")
    expect(pads).to_have_text("No known pads yet.")
    desk.locator("[data-tab=rounds]").click()

    page = open_page()  # at home everybody may teach a pad
    page.set_input_files("input[multiple]", filled)
    expect(page.locator(".total-number")).to_be_visible()
    expect(page.get_by_role("button", name="Ink")).to_have_count(0)
    offer = page.locator(".offer")
    offer.locator("summary").click()
    offer.locator(".gallery input").set_input_files(bare)
    offer.get_by_role("button", name="Yes").click()
    expect(offer.get_by_role("alert")).to_contain_text("Take it again")
    offer.locator(".gallery input").set_input_files(filled)
    offer.get_by_role("button", name="No").click()
    expect(offer.get_by_role("alert")).to_contain_text("These sheets seem to be filled in")
    page.goto("/")
    page.set_input_files("input[multiple]", bare)
    expect(page.get_by_role("heading", name="This sheet looks empty")).to_be_visible()
    expect(page.locator(".total-number")).to_have_count(0)
    accessible(page)
    offer.get_by_label("What is the pad called?").fill("Moor")
    offer.get_by_role("button", name="Learn the pad from this photo").click()
    offer.get_by_role("button", name="No").click()
    page.get_by_role("button", name="Ink").click()
    expect(page.locator(".offer")).to_have_count(0)
    expect(page.locator(".ink-box")).to_contain_text("Moor")
    shown = "() => document.querySelector('.ink-box img').naturalWidth > 500"
    page.wait_for_function(shown)

    desk.locator("[data-tab=pads]").click()
    expect(pads).to_contain_text("learned from 1 sheet")
    accessible(desk)
    desk.set_viewport_size({"width": 360, "height": 740})
    desk.evaluate("document.documentElement.style.fontSize = '200%'")
    assert desk.evaluate("document.documentElement.scrollWidth") <= 360
    desk.evaluate("document.documentElement.style.fontSize = ''")
    desk.set_viewport_size({"width": 1440, "height": 900})
    pads.get_by_role("button", name="Adjust").click()
    corners = desk.locator(".corners circle")
    expect(corners).to_have_count(4)
    accessible(desk)
    corners.nth(1).drag_to(corners.nth(1), target_position={"x": 2, "y": 9}, force=True)
    expect(corners.nth(1)).not_to_have_attribute("cx", "943.5")
    for tab in ("rounds", "pads"):  # what was dragged stays
        desk.locator(f"[data-tab={tab}]").click()
    corners.nth(0).press("ArrowRight")
    expect(corners.nth(0)).to_have_attribute("cx", "48.5")
    picture = desk.request.get("/api/prints").json()["prints"][0]["picture"]
    crossed = {"code": "not_learned", "message": "these corners do not form a sheet"}
    refusal = {"status": 409, "json": {"error": crossed}}
    desk.route("**/corners", lambda route: route.fulfill(**refusal), times=1)
    desk.get_by_role("button", name="Save corners").click()
    expect(desk.locator("#toast")).to_have_text("These corners do not form a sheet.")
    desk.get_by_role("button", name="Save corners").click()
    expect(pads.locator("img")).not_to_have_attribute("src", picture)
    pads.locator("summary").click()
    pads.get_by_role("button", name="Forget").click()
    expect(pads).to_have_text("No known pads yet.")


def test_buttons_and_two_fingers_zoom_the_photo(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED))
    page.get_by_role("button", name="Photo", exact=True).tap()
    photo = page.locator("svg.photo")
    expect(photo.locator(".badge")).to_have_count(25)
    page.get_by_role("button", name="Whole photo").tap()
    all_of_it = photo.get_attribute("viewBox")
    page.get_by_role("button", name="Zoom in").tap()
    assert photo.get_attribute("viewBox") != all_of_it
    page.get_by_role("button", name="Whole photo").tap()
    assert photo.get_attribute("viewBox") == all_of_it
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


GIVE = """([kind, bytes]) => {
  const data = new DataTransfer(), photo = Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0));
  data.items.add(new File([photo], "given.jpg", { type: "image/jpeg" }));
  const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
  const event = kind === "paste" ? new ClipboardEvent(kind, init) : new DragEvent(kind, init);
  return document.body.dispatchEvent(event);
}"""

PHOTO = b64encode((SAMPLES / "02.jpg").read_bytes()).decode()


@pytest.mark.parametrize("kind", ["drop", "paste"])
def test_a_photo_is_dropped_beside_the_view_or_pasted(open_page: Open, kind: str) -> None:
    page = open_page(**DESKTOP)
    expect(page.locator(".gallery")).to_be_visible()
    assert not page.evaluate(GIVE, [kind, PHOTO]), "the browser does not open it instead"
    expect(page.locator(".total-number")).to_be_visible()


def test_a_photo_that_somebody_else_sent_first_is_only_looked_at(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, DOUBTED)
    page = open_page(DESK, at=None, service_workers="block")
    known = page.request.get(f"/api/photos/{photo}").json()
    page.route(f"**/api/photos/{photo}", lambda r: r.fulfill(json=known | {"can_correct": False}))
    page.goto(f"/#/photo/{photo}")
    expect(page.locator(".sheet .none")).to_contain_text("ask at the desk")
    expect(page.locator(".doubt .crop")).to_be_visible()
    for place in (".doubts button", ".board [role=button]", ".whose input", ".wizard input"):
        expect(page.locator(f"{place}:enabled")).to_have_count(0)
    expect(page.locator(".bar")).not_to_contain_text("Undo")


DOUBTS = ((0, 0), (0, 2), (1, 4))

BEHIND = """() => {
  const one = document.activeElement, bar = document.querySelector(".bar");
  return one !== document.body && !bar.contains(one)
    && one.getBoundingClientRect().top >= bar.getBoundingClientRect().top;
}"""
"""Whether what has the focus lies behind the buttons at the foot of the page."""


@pytest.fixture
def address(served: Served, store: Store) -> str:
    """A photo with a map of which three shields of three coats are doubtful."""
    return f"/#/photo/{lay(served, store, make_sheet(doubtful=DOUBTS))}"


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


def test_shields_read_alike_are_confirmed_together_and_undone(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_sheet(open_page, lay(served, store, make_sheet(doubtful=[(0, 0), (0, 1)])))
    before = total(page)
    expect(page.locator(".several .crop image")).to_have_count(2)
    page.get_by_role("button", name="A1: dot, 2 crosses").tap()
    accessible(page)
    page.get_by_role("button", name="All as marked").tap()
    expect(page.locator(".doubt")).to_have_count(0)
    expect(cell(page, 0, 0)).to_have_attribute("aria-label", re.compile("A1, dot, 2 crosses"))
    assert total(page) > before
    page.get_by_role("button", name="Undo").tap()
    expect(page.locator(".several li")).to_have_count(2)
    assert total(page) == before


def test_the_grid_is_put_right_by_its_corners_and_a_photo_is_deleted(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_page(DESK, at="/", service_workers="block")
    upload(page, "01.jpg")
    expect(page.locator(".total-number")).to_be_visible()
    photo = page.url.rsplit("/", 1)[1]
    known = page.request.get(f"/api/photos/{photo}").json()
    (sheet,) = known["sheets"]
    doubted = known | {"sheets": [sheet | {"review": True, "questions": []}]}
    page.route(f"**/api/photos/{photo}", lambda route: route.fulfill(json=doubted), times=1)
    page.reload()
    page.get_by_role("button", name="No: drag its corners").tap()
    corner = page.locator(".corners circle").first
    at = float(corner.get_attribute("cx") or 0)
    corner.press("Shift+ArrowRight")
    corner.press("Shift+ArrowLeft")
    assert float(corner.get_attribute("cx") or 0) == pytest.approx(at, abs=1)
    accessible(page)
    page.get_by_role("button", name="Read it again here").tap()
    page.wait_for_url(lambda url: "/photo/" in url and not url.endswith(f"/photo/{photo}"))
    expect(page.locator(".total-number")).to_have_text(str(sheet["score"]["total"]))
    photos = page.request.get("/api/photos").json()["photos"]
    assert int(photo) not in [one["id"] for one in photos], "the new one is in its place"
    page.locator("summary", has_text="Delete").tap()
    page.get_by_role("button", name="Delete").tap()
    expect(page.locator("#toast")).to_contain_text("deleted")
    assert page.request.get("/api/photos").json()["photos"] == []


def test_a_better_photo_is_offered_before_the_questions(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_sheet(doubtful=DOUBTS[:2]))
    page = open_page(DESK, at=None, service_workers="block")
    known = page.request.get(f"/api/photos/{photo}").json()
    (sheet,) = known["sheets"]
    told = known | {"sheets": [sheet | {"retake": ["blurred"]}]}
    page.route(f"**/api/photos/{photo}", lambda route: route.fulfill(json=told))
    page.goto(f"/#/photo/{photo}")
    expect(page.locator(".doubt [role=alert]")).to_contain_text("The picture is blurred")
    expect(page.locator(".total.unsure")).to_be_visible()
    accessible(page)
    asked = len(sheet["questions"])
    page.get_by_role("button", name=re.compile(f"Answer {asked} questions?")).tap()
    expect(page.locator(".doubts h2")).to_have_text(f"1 of {asked}")


def test_the_rules_of_kingdoms_belong_to_the_game_and_are_remembered(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, make_kingdom(), make_kingdom(origin_xy=(700.0, 120.0)))
    page = open_page(DESK, at=f"/#/photo/{photo}", service_workers="block")
    expect(page.locator(".player")).to_have_count(2)
    page.get_by_label("Middle Kingdom").check()
    expect(page.locator(".bar")).to_be_visible()
    page.wait_for_function(
        "id => fetch(`/api/photos/${id}`).then((one) => one.json()).then(({ sheets }) =>"
        " sheets.every((sheet) => sheet.variants.middle_kingdom))",
        arg=photo,
    )
    page.goto(first_sheet(page, lay(served, store, make_kingdom())))
    expect(page.get_by_label("Middle Kingdom")).to_be_checked()
    expect(page.locator(".sum")).to_contain_text("The castle lies in the middle")
