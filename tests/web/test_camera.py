"""The camera in the page, with the browser's fake device; sending over a bad connection; names."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from kdscan.detection.preview import camera_hint
from kdscan.imaging.picture import Photo
from kdscan.inference.store import default_models
from tests.web import browsing
from tests.web.browsing import Open, accessible
from tests.web.conftest import SAMPLES, Served, awaited

open_page = browsing.open_page


FRAME_WH = (1280, 720)


def preview(name: str = "03.jpg") -> np.ndarray:
    """A sample as a live picture shows it."""
    sample = cv2.imread(str(SAMPLES / name))
    assert sample is not None
    scale = min(FRAME_WH[0] / sample.shape[1], FRAME_WH[1] / sample.shape[0])
    small = cv2.resize(sample, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    frame = np.full((FRAME_WH[1], FRAME_WH[0], 3), 90, np.uint8)
    y, x = (FRAME_WH[1] - small.shape[0]) // 2, (FRAME_WH[0] - small.shape[1]) // 2
    frame[y : y + small.shape[0], x : x + small.shape[1]] = small
    return frame


KEEP_THE_STREAM = """() => {
  const { getUserMedia } = MediaDevices.prototype;
  MediaDevices.prototype.getUserMedia = async function (wanted) {
    return (window.stream = await getUserMedia.call(this, wanted));
  };
}"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose camera plays one sample for ever."""
    film = tmp_path_factory.mktemp("film") / "camera.mjpeg"
    film.write_bytes(cv2.imencode(".jpg", preview())[1].tobytes() * 4)
    with browsing.launched(
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ) as started:
        yield started


@pytest.mark.browser
@browsing.needs_chromium
def test_held_still_the_photo_takes_itself(open_page: Open) -> None:
    page = open_page(permissions=["camera"])
    page.get_by_role("button", name="Photograph").tap()
    expect(page.locator(".found-grid")).to_have_attribute("points", re.compile(r"\d"))
    expect(page.locator("dialog.camera")).to_have_count(0)  # it took the photo and closed
    expect(page.locator(".total-number")).to_be_visible()
    assert page.url.split("#")[1].startswith("/photo/")


@pytest.mark.browser
@browsing.needs_chromium
def test_a_camera_that_is_taken_away_leaves_a_remedy(open_page: Open) -> None:
    page = open_page(permissions=["camera"], service_workers="block")
    page.evaluate(KEEP_THE_STREAM)
    page.route("**/api/look", lambda route: route.fulfill(status=429, json={"error": {}}))
    page.get_by_role("button", name="Photograph").tap()
    expect(page.locator(".camera-hint")).to_have_text("Take the photo with the shutter button")
    page.evaluate("stream.getTracks()[0].dispatchEvent(new Event('ended'))")
    expect(page.locator("dialog.camera")).to_have_count(0)
    expect(page.locator("#toast")).to_contain_text("Choose a photo instead")


@pytest.mark.browser
@browsing.needs_chromium
def test_without_a_camera_the_page_says_how_to_get_one(open_page: Open) -> None:
    page = open_page(at=None)
    page.add_init_script("Object.defineProperty(navigator, 'mediaDevices', { value: undefined });")
    page.goto("/")
    expect(page.locator("input[capture]")).to_have_count(1)
    page.get_by_text("Why is there no live camera?").tap()
    expect(page.locator(".hint p")).to_contain_text("https")
    accessible(page)


def test_a_preview_tells_what_to_mend() -> None:
    def look(bgr: np.ndarray) -> str:
        return camera_hint(Photo(np.ascontiguousarray(bgr, np.uint8)), default_models().locate).hint

    frame = preview()
    assert look(frame) == "good"
    assert look(cv2.GaussianBlur(frame, (0, 0), 5)) == "blurred"
    assert look(frame // 12) == "dark"
    assert look(frame[:, 500:]) == look(frame[200:]) == "cut_off"
    assert look(np.full_like(frame, 140)) == "none"
    far = np.full_like(frame, 90)
    small = cv2.resize(frame, None, fx=0.45, fy=0.45, interpolation=cv2.INTER_AREA)
    far[100 : 100 + small.shape[0], 100 : 100 + small.shape[1]] = small
    assert look(far) == "far"


def test_a_live_picture_is_looked_at_and_not_kept(player: httpx.Client) -> None:
    before = player.get("/api/photos").json()
    data = cv2.imencode(".jpg", preview())[1].tobytes()
    said = player.post("/api/look", content=data).json()
    assert said["hint"] in ("good", "busy")
    if said["outline"]:
        assert np.all((np.array(said["outline"]) > 0) & (np.array(said["outline"]) < 1))
    assert player.post("/api/look", content=b"no picture").json()["hint"] in ("none", "busy")
    assert player.post("/api/look", content=b"x" * 500_000).status_code == 413
    assert player.get("/api/photos").json() == before


def test_a_photo_that_was_sent_comes_before_live_pictures(
    served: Served, player: httpx.Client
) -> None:
    with served.workers_asleep():
        photo = player.post("/api/photos", content=b"no picture").json()["id"]
        while not served.services.pool.busy:
            time.sleep(0.01)
        assert player.post("/api/look", content=b"").json()["hint"] == "busy"
    awaited(player, photo)
