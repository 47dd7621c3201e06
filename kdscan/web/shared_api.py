"""Games of several phones, over HTTP."""

from __future__ import annotations

import io

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kdscan.sheets.base import decides_game
from kdscan.web import schemas
from kdscan.web.answers import ApiError
from kdscan.web.operation import NEWS, NONE_SUCH, get, post
from kdscan.web.requests import event_of, news, services_of, session_of
from kdscan.web.shared import SharedGame
from kdscan.web.views import game_json, state_now, table_json, visible_photo

OTHERWISE = {
    409: "Impossible: the photo has no sheet, one of another kind, or the game has all its sheets."
}


@post("/api/shared", errors=NONE_SUCH | OTHERWISE)
def begin(request: Request, body: schemas.Brought) -> schemas.SharedGame:
    """Start a game that several phones play, with the sheets of a photo or without."""
    sheets = _sheets(request, body.photo)
    code = services_of(request).games.new(session_of(request)).code
    return _brought(request, code, sheets)


@post("/api/shared/{code}", errors=OTHERWISE)
def bring(request: Request, body: schemas.Brought) -> schemas.SharedGame:
    """Add a photo's sheets to a game; they replace what this session added before."""
    code = request.path_params["code"]
    services_of(request).games.get(code)
    return _brought(request, code, _sheets(request, body.photo))


@get("/api/shared/{code}", query=NEWS)
async def shared(request: Request) -> schemas.SharedGame:
    """The current state of a game of several phones; whoever has its code sees all its sheets."""
    services, code = services_of(request), request.path_params["code"]
    await run_in_threadpool(services.games.get, code)
    await news(request, lambda: _state(request, services.games.get(code)))
    return await run_in_threadpool(lambda: _answer(request, services.games.get(code)))


@get("/api/shared/{code}/qr.svg", "image/svg+xml")
def invitation(request: Request) -> Response:
    """A QR code with which another phone joins."""
    code = request.path_params["code"]
    services_of(request).games.get(code)
    address = f"{request.url.scheme}://{request.url.netloc}{_link(request, code)}"
    out = io.BytesIO()
    segno.make(address, error="m").save(out, kind="svg", scale=6, border=3, light="#fff")
    return Response(out.getvalue(), media_type="image/svg+xml")


def _link(request: Request, code: str) -> str:
    return f"/j/{services_of(request).settings.join_code}?game={code}"


def _sheets(request: Request, photo: int | None) -> dict[int, str]:
    """The sheets in a photo of this session: kind by sheet."""
    if photo is None:
        return {}
    event = event_of(request)
    row = visible_photo(event, photo, session_of(request))
    with services_of(request).store.read() as db:
        if state_now(db, row) != "read":
            raise ApiError(409, "not_read", "this photo was not read yet")
    found = {one.id: one.kind for one in event.sheets.values() if one.photo_id == photo}
    if not found:
        raise ApiError(409, "no_sheet", "there is no sheet in this photo")
    return found


def _brought(request: Request, code: str, sheets: dict[int, str]) -> schemas.SharedGame:
    games = services_of(request).games
    game = games.bring(code, sheets, session_of(request)) if sheets else games.get(code)
    return _answer(request, game)


def _state(request: Request, game: SharedGame) -> str:
    return f"{game.state}-{services_of(request).live.version()}"


def _answer(request: Request, game: SharedGame) -> schemas.SharedGame:
    state = _state(request, game)
    with services_of(request).store.read() as db:
        found = table_json(db, event_of(request), game.sheets)
    return {
        "code": game.code,
        "state": state,
        "link": _link(request, game.code),
        "sheets": found,
        "mine": list(game.brought.get(session_of(request).id, ())),
        "game": game_json(found) if decides_game([one["kind"] for one in found]) else None,
    }
