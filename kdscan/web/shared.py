"""Games that several phones play together: each adds its own photo, and all see the result.

A game is identified by a random code. Whoever has joined and knows it sees the sheets that were
added, no matter who sent them; photos and corrections still belong to their senders. A game is kept
in the store for as long as a session lasts.
"""

from __future__ import annotations

import io
import json
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import segno
from sqlalchemy import Connection, select
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kdscan.event.store import Store, schema
from kdscan.files import Json
from kdscan.sheets.base import decides_game, fits_one_game, games_of
from kdscan.web import schemas
from kdscan.web.answers import ApiError, not_found, refuse_if
from kdscan.web.operations import NEWS, NONE_SUCH, get, post
from kdscan.web.requests import event_of, news, services_of, session_of
from kdscan.web.sessions import (
    ALPHABET,
    CODE_LENGTH,
    LASTS_SECONDS,
    Rate,
    RateLimiter,
    Session,
    new_code,
    unexpired,
)
from kdscan.web.views import game_json, state_now, table_json, visible_photo

OTHERWISE = {
    409: "Impossible: the photo has no sheet, one of another kind, or the game has all its sheets."
}


@dataclass(frozen=True)
class SharedGame:
    """code: its identifier; brought: numbers of the sheets by the session that added them, in
    order."""

    code: str
    brought: Mapping[str, Sequence[int]]

    @property
    def sheets(self) -> list[int]:
        """All sheets, in the order in which phones joined."""
        return [one for sheets in self.brought.values() for one in sheets]

    @property
    def state(self) -> str:
        """An identifier of what was added."""
        return f"{zlib.crc32(json.dumps(self.brought).encode()):08x}"


class SharedGames:
    """The shared games of one event."""

    _PREFIX = "web.game."

    def __init__(self, store: Store, event_id: int) -> None:
        self._store, self._event = store, event_id
        self._fresh = RateLimiter(Rate(burst=30, per_second=0.02))
        unexpired(store, self._PREFIX, lambda kept: float(json.loads(kept)["ends"]))

    def new(self, session: Session) -> SharedGame:
        """A game without any sheets."""
        refuse_if(self._fresh.take(session.id))
        game = SharedGame(new_code(), {})
        with self._store.write() as db:
            db.execute(schema.setting.insert().values(self._row(game)))
        return game

    def get(self, code: str) -> SharedGame:
        """The game of that code; raises ApiError 404."""
        with self._store.read() as db:
            return self._get(db, code)

    def bring(self, code: str, sheets: Mapping[int, str], session: Session) -> SharedGame:
        """Add the sheets of a photo; they replace sheets of the same kinds from this session.

        sheets: kind by number, all of the game. Raises ApiError if there is no room.
        """
        with self._store.write() as db:
            game = self._get(db, code)
            kept = schema.sheet.c
            query = select(kept.id, kept.kind).where(kept.id.in_([*game.sheets, *sheets]))
            kinds = {row.id: row.kind for row in db.execute(query)}
            fresh = set(sheets.values())
            own = [one for one in game.brought.get(session.id, ()) if kinds.get(one) not in fresh]
            brought = {**game.brought, session.id: [*own, *sheets]}
            _check([kinds[one] for some in brought.values() for one in some if one in kinds])
            game = SharedGame(code, brought)
            at = schema.setting.c
            row = self._row(game)
            db.execute(schema.setting.update().where(at.key == row["key"]).values(row))
            schema.touch(db, self._event)  # who waits for the game's state looks at the version
            return game

    def _row(self, game: SharedGame) -> Json:
        kept = {
            "event": self._event,
            "ends": int(time.time()) + LASTS_SECONDS,
            "brought": game.brought,
        }
        return {"key": self._PREFIX + game.code, "value": json.dumps(kept)}

    def _get(self, db: Connection, code: str) -> SharedGame:
        at = schema.setting.c
        found = None
        if is_code(code):
            found = db.scalar(select(at.value).where(at.key == self._PREFIX + code))
        kept: Json = json.loads(found or "{}")
        if kept.get("event") != self._event or kept["ends"] < time.time():
            raise not_found("game")
        return SharedGame(code, kept["brought"])


def is_code(text: str) -> bool:
    """Whether a text has the form of a game's code."""
    return len(text) == CODE_LENGTH and set(text) <= set(ALPHABET)


def _check(kinds: Sequence[str]) -> None:
    if len(games_of(kinds)) > 1:
        raise ApiError(409, "wrong_kind", "this game is played with another kind of sheet")
    if not fits_one_game(kinds):
        raise ApiError(409, "game_full", "this game has all its sheets already")


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
async def shared(request: Request) -> schemas.SharedGame | schemas.Unchanged:
    """The current state of a game of several phones; whoever has its code sees all its sheets."""
    services, code = services_of(request), request.path_params["code"]
    await run_in_threadpool(services.games.get, code)
    unchanged = await news(request, lambda: _state(request, services.games.get(code)))
    if unchanged is not None:
        return unchanged
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
        sheets = table_json(db, event_of(request), game.sheets)
    return {
        "code": game.code,
        "state": state,
        "link": _link(request, game.code),
        "sheets": sheets,
        "mine": list(game.brought.get(session_of(request).id, ())),
        "game": game_json(sheets) if decides_game([sheet["kind"] for sheet in sheets]) else None,
    }
