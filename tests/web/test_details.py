"""Times as people write them, photos that must be taken again, half-covered sheets, and what is
sent of a large photo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import expect

from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import get_photo
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import render_page
from kdscan.paper.style import PrintStyle, Ticket
from kdscan.sheets.duel_map.interpret import interpret
from lab.synth.scene import draw_page
from tests.readings import make_sheet
from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, accessible, open_sheet, total
from tests.web.conftest import DESK, SAMPLES, Served, act, awaited, lay, serving, settings

browser, open_page = browsing.browser, browsing.open_page

CUT = interpret(
    replace(
        make_sheet().evidence,
        clipped=tuple((row, col) for row in range(5) for col in (4, 5, 6)),
    )
)

WHEN = """() => {
  const { src } = document.querySelector("script[type=module]");
  return import(new URL("i18n.js", src).href).then((one) => one.when("2026-03-05T17:08:00Z"));
}"""


@pytest.mark.browser
@browsing.needs_chromium
@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en-US", "Mar 5, 2026, 17:08"),
        ("en-GB", "5 Mar 2026, 17:08"),
        ("de-DE", "05.03.2026, 17:08"),
    ],
)
def test_clocks_have_24_hours_and_dates_are_those_of_the_region(
    open_page: Open, locale: str, told: str
) -> None:
    page = open_page(locale=locale, timezone_id="UTC")
    assert page.evaluate(WHEN) == told


@pytest.mark.browser
@browsing.needs_chromium
def test_a_photo_that_cuts_shields_off_is_to_be_taken_again(
    open_page: Open, served: Served, store: Store
) -> None:
    photo = lay(served, store, CUT)
    page = open_sheet(open_page, photo)
    expect(page.get_by_role("heading", name="Photograph again")).to_be_visible()
    expect(page.get_by_role("link", name="Photograph again")).to_have_attribute("href", "#/")
    expect(page.locator(".again [role=alert]")).to_contain_text("15 shields")
    for told in (".total-number", ".doubt", ".sum", ".band"):
        expect(page.locator(told)).to_have_count(0)
    accessible(page)
    desk = open_page(DESK, **DESKTOP)
    desk.locator(".queue li.card-look").first.click()
    expect(desk.locator(".desk-sheet .again")).to_be_visible()
    sheets = [page.request.get(f"/api/photos/{photo}").json()["sheets"][0]["id"]]
    whole = lay(served, store, make_sheet())
    sheets.append(page.request.get(f"/api/photos/{whole}").json()["sheets"][0]["id"])
    page.goto(f"/#/game/{'/'.join(map(str, sheets))}")
    expect(page.locator(".winner")).to_have_text("Photograph again")
    expect(page.locator(".decided")).to_have_count(0)
    assert page.title().startswith("Map 1 ? : Map 2 ")


def half_covered(seed: int, ticket: Ticket) -> bytes:
    """A photo of a played sheet with a hand's breadth of paper over its upper edge."""
    layout, px_per_mm = load_layout("kdscan-a5"), 9.0
    blank = render_page(layout, px_per_mm, PrintStyle(), ticket)
    drawn = draw_page(np.random.default_rng(seed), page=(layout, blank, px_per_mm), messiness=0.1)
    picture = np.full((1700, 2200, 3), (96, 120, 140), np.uint8)
    h, w = drawn.bgr.shape[:2]
    picture[180 : 180 + h, 150 : 150 + w] = drawn.bgr
    picture[180 : 180 + 110, 1300 : 150 + w] = (235, 240, 240)
    return bytes(cv2.imencode(".jpg", picture)[1].tobytes())


def test_a_sheet_of_which_one_code_is_covered_has_an_owner(tmp_path: Path) -> None:
    with (
        open_store(str(tmp_path / "cup.sqlite")) as store,
        serving(store, settings()) as page,
        httpx.Client(base_url=page.address, timeout=60) as desk,
    ):
        desk.headers["Authorization"] = f"Bearer {DESK}"
        for name in ("Ada", "Bob"):
            act(desk, "add_player", name=name).raise_for_status()
        act(desk, "pair_round").raise_for_status()
        for seed, (code, owner) in enumerate((("CUP/1//2", "Bob"), ("", None))):
            picture = half_covered(seed, Ticket(code=code))
            photo = desk.post("/api/photos", content=picture).json()["id"]
            (sheet,) = awaited(desk, photo)["sheets"]
            assert sheet["player"] == owner
        kinds = [card["kind"] for card in desk.get("/api/desk").json()["cards"]]
        assert kinds.count("owner") == 1


@pytest.mark.browser
@browsing.needs_chromium
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
