"""Fingers and mouse in a real browser: zooming and dragging photos, taps, photos given by drop or
paste."""

from __future__ import annotations

from base64 import b64encode

import pytest
from playwright.sync_api import FilePayload, expect

from kdscan.event.store import Store
from tests.web import browsing
from tests.web.browsing import DESKTOP, DOUBTED, Open, open_sheet
from tests.web.conftest import DESK, SAMPLES, Served, lay

browser, open_page = browsing.browser, browsing.open_page
pytestmark = [pytest.mark.browser, pytest.mark.slow, browsing.needs_chromium]


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


UNDER = """(one) => {
  const { x, y } = one.getBoundingClientRect(), button = document.createElement("button");
  button.className = "under";
  button.style = `position: fixed; left: ${x}px; top: ${y}px; width: 200px; height: 40px`;
  button.onclick = () => { window.pressed = true; };
  document.querySelector("#editor").before(button);
}"""
"""A button under another one of the chooser."""


def test_a_tap_in_the_chooser_presses_nothing_below_it(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED))
    page.locator(".doubt").get_by_role("button", name="other").tap()
    likely = page.locator("#editor .choices .choice").first
    likely.evaluate(UNDER)
    page.wait_for_timeout(400)  # sooner it would be a double tap
    likely.tap()
    expect(page.locator(".doubt")).to_have_count(0)
    assert page.evaluate("window.pressed") is None
    page.wait_for_timeout(400)
    page.locator(".under").tap()
    assert page.evaluate("window.pressed")


PLACE = """() => {
  const { x, y } = document.querySelector("svg.photo image").getBoundingClientRect();
  return [x, y];
}"""


def test_a_photo_follows_the_mouse_though_its_box_is_wider(
    open_page: Open, served: Served, store: Store
) -> None:
    wide = {"has_touch": False, "viewport": {"width": 800, "height": 500}}
    page = open_sheet(open_page, lay(served, store, DOUBTED), **wide)
    page.get_by_role("button", name="Photo", exact=True).click()
    photo = page.locator("svg.photo")
    for name in ("Whole photo", "Zoom in", "Zoom in"):
        page.get_by_role("button", name=name).click()
    photo.scroll_into_view_if_needed()
    box = photo.bounding_box()
    assert box is not None and box["width"] > 1.5 * box["height"], "wider than the photo"
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.evaluate(PLACE)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=4)
    page.mouse.up()
    after = page.evaluate(PLACE)
    assert [b - a for a, b in zip(before, after, strict=True)] == pytest.approx([40, 30], abs=1)


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


def test_a_photo_is_dropped_on_any_view(open_page: Open) -> None:
    page = open_page(at="/#/photo/999", **DESKTOP)
    uploads: list[str] = []
    page.on("request", lambda asked: uploads.append(asked.url) if asked.method == "POST" else None)
    expect(page.get_by_role("alert")).to_be_visible()
    assert not page.evaluate(GIVE, ["drop", PHOTO])
    expect(page.locator(".total-number")).to_be_visible()
    assert len([url for url in uploads if "/api/photos?" in url]) == 1


def test_a_long_name_is_cut_between_letters(open_page: Open) -> None:
    page = open_page(**DESKTOP)
    name = "\N{GRINNING FACE}" * 60 + "a.jpg"  # of which each takes two of JavaScript's units
    photo = FilePayload(
        name=name, mimeType="image/jpeg", buffer=(SAMPLES / "02.jpg").read_bytes() + b"long"
    )
    page.set_input_files("input[multiple]", photo)
    expect(page.locator("h1.file-name")).to_have_text(name)


DRAG = """() => {
  const data = new DataTransfer(), init = { bubbles: true, cancelable: true, dataTransfer: data };
  data.items.add(new File(["a photo"], "thumb.jpg", { type: "image/jpeg" }));
  document.body.dispatchEvent(new DragEvent("dragstart", init));
  return document.body.dispatchEvent(new DragEvent("drop", init));
}"""


def test_a_picture_of_the_page_that_is_dragged_is_no_new_photo(open_page: Open) -> None:
    page = open_page(at="/#/photo/999", **DESKTOP)
    expect(page.get_by_role("alert")).to_be_visible()
    opened = page.evaluate(DRAG)
    assert not opened and page.url.endswith("#/photo/999"), "neither the browser nor the list"


def test_a_known_photo_older_than_those_listed_is_shown(open_page: Open) -> None:
    page = open_page(at=None, service_workers="block")
    page.route("**/api/photos", lambda route: route.fulfill(json={"photos": []}))
    page.goto("/")
    with page.expect_response("**/api/photos?name=*") as sent:
        page.evaluate(GIVE, ["drop", PHOTO])
    known = sent.value.json()["id"]
    assert page.request.get(f"/api/photos/{known}?wait=20").json()["state"] == "read"
    # The network may be gone for a moment just then.
    page.route(f"**/api/photos/{known}", lambda route: route.abort(), times=1)
    page.evaluate(GIVE, ["drop", PHOTO])
    page.wait_for_url(f"**/#/photo/{known}")


GONE = """async () => {
  const folder = await navigator.storage.getDirectory(), data = new DataTransfer();
  data.items.add(await (await folder.getFileHandle("gone.jpg", { create: true })).getFile());
  await folder.removeEntry("gone.jpg");
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
}"""


def test_a_folder_or_a_file_that_is_gone_is_no_lost_network(open_page: Open) -> None:
    page = open_page()
    expect(page.locator(".gallery")).to_be_visible()
    page.evaluate(GONE)
    expect(page.locator(".upload.failed")).to_contain_text("not a readable picture")
    expect(page.locator(".lost")).to_be_hidden()


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


def test_a_mouse_released_outside_the_photo_does_not_drag_it(
    open_page: Open, served: Served, store: Store
) -> None:
    page = open_sheet(open_page, lay(served, store, DOUBTED), has_touch=False)
    page.get_by_role("button", name="Photo", exact=True).click()
    photo = page.locator("svg.photo")
    page.get_by_role("button", name="Zoom in").click()
    photo.scroll_into_view_if_needed()
    box = photo.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] - 3, box["y"] + 9)
    page.mouse.up()
    shown = photo.get_attribute("viewBox")
    page.mouse.move(box["x"] + 2, box["y"] + 9)
    page.mouse.move(box["x"] + 99, box["y"] + 99)
    assert photo.get_attribute("viewBox") == shown
