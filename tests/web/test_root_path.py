"""The page below a path of a host that it shares, behind a proxy that takes the path off."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from playwright.sync_api import Browser, expect
from starlette.requests import Request
from starlette.responses import Response

from kdscan.cli.serve import _listen
from kdscan.event.store import Store
from tests.readings import make_sheet
from tests.web.browsing import PHONE, browser, needs_chromium
from tests.web.conftest import DESK, SAMPLES, lay, serving, settings

__all__ = ["browser"]
ROOT = "/club/kdscan"


@pytest.fixture
def proxied(store: Store) -> Iterator[tuple[str, int]]:
    """The address of the proxied page, and a photo that was read there."""
    with serving(store, settings(root_path=ROOT)) as page:

        async def proxy(scope: object, receive: object, send: object) -> None:
            asked = Request(scope, receive)  # type: ignore[arg-type]
            path, query = asked.url.path.removeprefix(ROOT), asked.url.query
            assert path.startswith("/") and asked.url.path.startswith(f"{ROOT}/"), asked.url
            async with httpx.AsyncClient(base_url=page.address, timeout=60) as client:
                answer = await client.request(
                    asked.method,
                    f"{path}?{query}",
                    headers=asked.headers.raw,
                    content=await asked.body(),
                )
            headers = {k: v for k, v in answer.headers.items() if k != "content-encoding"}
            headers["content-length"] = str(len(answer.content))
            sent = Response(answer.content, answer.status_code, headers)
            await sent(scope, receive, send)  # type: ignore[arg-type]

        listening = _listen("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn.Config(proxy, lifespan="off", log_level="error"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        photo = lay(page, store, make_sheet())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}{ROOT}", photo
        server.should_exit = True
        thread.join(30)
        listening.close()


@needs_chromium
def test_the_page_lies_below_a_path(browser: Browser, proxied: tuple[str, int]) -> None:
    root, photo = proxied
    page = browser.new_context(**PHONE, locale="en").new_page()  # type: ignore[arg-type]
    lost: list[str] = []
    page.on("response", lambda a: lost.append(a.url) if a.status in (404, 405, 500) else None)
    page.goto(f"{root}/j/{DESK}")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{root}/desk")
    expect(page.locator(".desk-body")).to_be_visible()
    page.locator(".brand").click()
    with page.expect_response("**/api/photos?name=*") as sent:
        page.set_input_files("input[multiple]", SAMPLES / "13.jpg")
    assert sent.value.status == 201
    page.goto(f"{root}/#/photo/{photo}")
    expect(page.locator(".total-number")).to_be_visible()
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("html[lang=de] .total-number")).to_be_visible()
    worker = "navigator.serviceWorker.ready.then((worker) => worker.scope)"
    assert page.evaluate(worker) == f"{root}/"
    page.goto(f"{root}/standings")
    expect(page.locator("main[aria-busy]")).to_have_count(0)
    (cookie,) = (c for c in page.context.cookies() if c["name"] == "kdscan")
    assert cookie["path"] == f"{ROOT}/"
    page.locator("#leave").click()
    expect(page).to_have_url(f"{root}/join")
    assert lost == []


def test_what_other_programs_get_names_the_path(proxied: tuple[str, int]) -> None:
    root, photo = proxied
    with httpx.Client(headers={"Authorization": f"Bearer {DESK}"}, timeout=60) as client:
        link = client.get(f"{root}/api/events").json()["link"]
        assert link.startswith(f"{root}/public/")
        assert 'lang="en"' in client.get(link).text
        (shown,) = client.get(f"{root}/api/photos/{photo}").json()["pages"]
        assert shown["thumb"].startswith(f"{ROOT}/api/photos/")
        manifest = client.get(f"{root}/manifest.webmanifest").json()
        assert {manifest[k] for k in ("id", "scope", "start_url")} == {f"{ROOT}/"}
        (server,) = client.get(f"{root}/openapi.json").json()["servers"]
        assert server == {"url": ROOT}
