"""Pads in a real browser: the offer, what it refuses, what it learns, the ink, the desk's list."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest
from playwright.sync_api import expect

from tests.templates.pads import PAINTED, blank, sheet
from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, accessible
from tests.web.conftest import DESK

browser, open_page = browsing.browser, browsing.open_page
DOUBTFUL = 8
"""A sheet of the pad that asks for a look while its print is unknown, as the next one does."""

pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


def test_an_unknown_pad_is_learned_where_it_leaves_doubts(open_page: Open, tmp_path: Path) -> None:
    bare, filled = tmp_path / "bare.png", tmp_path / "filled.png"
    for place, shot in ((bare, blank(PAINTED)), (filled, sheet(PAINTED, DOUBTFUL))):
        cv2.imwrite(str(place), shot.bgr)

    player = open_page()  # who only plays is not asked: a print is for all
    player.set_input_files("input[multiple]", filled)
    expect(player.locator(".total-number")).to_be_visible()
    expect(player.locator(".offer")).to_have_count(0)

    desk = open_page(DESK, **DESKTOP)
    desk.locator("[data-tab=pads]").click()
    pads = desk.locator(".prints li")
    expect(pads).to_have_text("No known pads yet.")
    desk.locator("[data-tab=rounds]").click()

    page = open_page(DESK, at="/")
    page.set_input_files("input[multiple]", filled)
    expect(page.locator(".total-number")).to_be_visible()
    expect(page.get_by_role("button", name="Ink")).to_have_count(0)
    offer = page.locator(".offer")
    offer.locator("summary").click()
    accessible(page)
    offer.locator("input[type=file]").set_input_files(filled)
    expect(offer.get_by_role("alert")).to_contain_text("These sheets seem to be filled in")
    offer.get_by_label("What is the pad called?").fill("Moor")
    offer.locator("input[type=file]").set_input_files(bare)
    page.get_by_role("button", name="Ink").click()
    expect(page.locator(".offer")).to_have_count(0)
    expect(page.locator(".ink-box")).to_contain_text("Moor")
    shown = "() => document.querySelector('.ink-box img').naturalWidth > 500"
    page.wait_for_function(shown)
    accessible(page)

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
    box, before = corners.nth(1).bounding_box(), corners.nth(1).get_attribute("cx")
    assert box is not None
    desk.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    desk.mouse.down()
    desk.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2, steps=3)
    desk.mouse.up()
    assert float(corners.nth(1).get_attribute("cx") or 0) < float(before or 0)
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
    desk.on("dialog", lambda dialog: dialog.accept())
    pads.get_by_role("button", name="Forget").click()
    expect(pads).to_have_text("No known pads yet.")
