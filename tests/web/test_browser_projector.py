"""The projector's page: read in the dark, by everybody in turn, with the round's clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from playwright.sync_api import expect

from tests.web import browsing
from tests.web.browsing import DESKTOP, Open, accessible
from tests.web.conftest import DESK

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


def test_the_projector_is_read_in_the_dark(open_page: Open) -> None:
    page = open_page(DESK, at=None, color_scheme="dark", service_workers="block", **DESKTOP)
    seats = [{"player": "Ann Gray", "total": None}, {"player": "Bob Kay", "total": None}]
    game = {"round": 1, "table": 1, "seats": seats, "bye": False, "finished": False, "winner": None}
    answer = {"state": "x", "event": "Cup", "played_round": 0, "standings": [], "games": [game]}
    answer |= {"totals": [], "clock": "2100-01-01T00:00:00Z", "shown": "pairings"}
    page.route(
        "**/api/standings*",
        lambda route: None if "after" in route.request.url else route.fulfill(json=answer),
    )
    page.goto("/standings")
    expect(page.locator(".pairings .table-number").first).to_have_text("1")
    expect(page.locator(".clock")).to_have_text(re.compile(r"\d:\d\d"))
    expect(page.get_by_role("link", name="Standings")).to_have_attribute("aria-current", "page")
    accessible(page)


@pytest.mark.parametrize("shown", ["table", "pairings"])
def test_a_projector_shows_everybody_in_turn(open_page: Open, shown: str) -> None:
    names = [f"Player {n:03}" for n in range(160)]
    seats = [[{"player": name, "total": 30} for name in names[n : n + 2]] for n in range(0, 160, 2)]
    won = {"bye": False, "finished": True, "winner": None, "round": 1}
    row = {"rank": 1, "score": 0.5, "wins": 0, "draws": 1, "losses": 0, "spread": 0}
    answer = {"state": "x", "event": "Cup", "played_round": 1, "totals": [], "clock": None}
    answer |= {"shown": shown, "standings": [row | {"player": name} for name in names]}
    answer |= {"games": [won | {"table": n, "seats": two} for n, two in enumerate(seats)]}
    page = open_page(DESK, at=None, service_workers="block", **DESKTOP)
    page.clock.install()
    page.route(
        "**/api/standings*",
        lambda route: None if "after" in route.request.url else route.fulfill(json=answer),
    )
    page.goto("/standings")
    lists = [".pairings li"] if shown == "pairings" else [".league tbody tr", ".games li"]
    for rows in lists:
        expect(page.locator(rows).first).to_be_visible()
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))  # a slow machine skips no page
    seen: set[str] = set()
    for _ in range(20):
        assert page.evaluate("document.documentElement.scrollHeight") <= 900
        for rows in lists:
            seen |= {f"{rows} {text}" for text in page.locator(f"{rows}:visible").all_inner_texts()}
        page.dispatch_event("body", "resize")  # as news would, it does not start anew
        page.clock.run_for(12_000)
    assert len(seen) == (160 if shown == "pairings" else 240)


def test_the_rounds_clock_is_the_servers(open_page: Open) -> None:
    """A laptop without a network has its own idea of the time."""
    page = open_page(DESK, at=None, service_workers="block", **DESKTOP)
    ends = (datetime.now(UTC) + timedelta(minutes=30)).isoformat()
    answer = page.request.get("/api/standings").json() | {"clock": ends}
    date = format_datetime(datetime.now(UTC), usegmt=True)
    page.route(
        "**/api/standings*",
        lambda route: (
            None
            if "after" in route.request.url
            else route.fulfill(json=answer, headers={"Date": date})
        ),
    )
    page.clock.install(time=datetime.now(UTC) + timedelta(hours=1))
    page.goto("/standings")
    expect(page.locator(".clock")).to_have_text(re.compile(r"30:00|29:\d\d"))
