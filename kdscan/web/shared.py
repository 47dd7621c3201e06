"""Games that several phones play together: each adds its own photo, and all see the result.

A game is identified by a random code. Whoever has joined and knows it sees the sheets that were
added, no matter who sent them; photos and corrections still belong to their senders. A game is kept
in the store for as long as a session lasts.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import segno
from sqlalchemy import Connection, select
from starlette.responses import Response

from kdscan.event.model import Event
from kdscan.event.sheets import Sheet
from kdscan.event.store import Store, schema
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.sheets.base import decides_game, fits_one_game, games_of
from kdscan.web import schemas
from kdscan.web.operations import NONE_SUCH, Code, get, post
from kdscan.web.requests import WRONG_KIND, ApiError, Call, address, not_found, refuse_if
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
from kdscan.web.views import game_json, sheets_json, state_now, visible_photo

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

    def bring(self, code: str, fresh: Sequence[Sheet], event: Event, session: Session) -> None:
        """Add the sheets of a photo; they replace sheets of the same kinds from this session.
        Raises ApiError if there is no room."""
        with self._store.write() as db:
            game = self._get(db, code)
            kinds = {sheet.kind for sheet in fresh}
            own = [event.sheets[n] for n in game.brought.get(session.id, ()) if n in event.sheets]
            own = [sheet for sheet in own if sheet.kind not in kinds]
            game = SharedGame(code, {**game.brought, session.id: [s.id for s in (*own, *fresh)]})
            together = [event.sheets[n].kind for n in game.sheets if n in event.sheets]
            if len(games_of(together)) > 1:
                raise ApiError(409, "wrong_kind", WRONG_KIND)
            if not fits_one_game(together):
                raise ApiError(409, "game_full", mark("This game has all its sheets already."))
            row = self._row(game)
            this = schema.setting.c.key == row["key"]
            db.execute(schema.setting.update().where(this).values(row))
            schema.touch(db, self._event)  # who waits for the game's state looks at the version

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
            raise not_found()
        return SharedGame(code, kept["brought"])


def is_code(text: str) -> bool:
    """Whether a text has the form of a game's code."""
    return len(text) == CODE_LENGTH and set(text) <= set(ALPHABET)


@post("/api/shared", errors=NONE_SUCH | OTHERWISE)
def begin(call: Call, body: schemas.Brought) -> schemas.SharedGame:
    """Start a game that several phones play, with the sheets of a photo or without."""
    sheets = _sheets(call, body.photo)
    return _brought(call, call.services.games.new(call.who).code, sheets)


@post("/api/shared/{code}", errors=OTHERWISE)
def bring(call: Call, code: Code, body: schemas.Brought) -> schemas.SharedGame:
    """Add a photo's sheets to a game; they replace what this session added before."""
    call.services.games.get(code)
    return _brought(call, code, _sheets(call, body.photo))


@get("/api/shared/{code}", news=True)
def shared(call: Call, code: Code) -> schemas.SharedGame:
    """The current state of a game of several phones; whoever has its code sees all its sheets."""
    return _brought(call, code)


@get("/api/join.svg", "image/svg+xml")
def invitation(call: Call, game: Code = "") -> Response:
    """A QR code with which another phone signs in, perhaps into a game."""
    out = io.BytesIO()
    code = segno.make(join_link(call, game), error="m")
    code.save(out, kind="svg", scale=6, border=3, light="#fff")
    return Response(out.getvalue(), media_type="image/svg+xml")


def join_link(call: Call, game: str = "") -> str:
    """Where others sign in, perhaps into a game."""
    link = call.host + address(f"/j/{call.services.settings.join_code}")
    return f"{link}?game={game}" if is_code(game) else link


def _sheets(call: Call, photo: int | None) -> list[Sheet]:
    """The sheets in a photo of this session."""
    if photo is None:
        return []
    row = visible_photo(call.event, photo, call.who)
    with call.store.read() as db:
        if state_now(db, row) != "read":
            raise ApiError(
                409, "not_read", mark("This photo is still being read. Try again in a moment.")
            )
    sheets = [sheet for sheet in call.event.sheets.values() if sheet.photo_id == photo]
    if not sheets:
        raise ApiError(
            409,
            "no_sheet",
            mark(
                "No map was found. Take the photo again with the whole grid in view, sharp and "
                "without reflections."
            ),
        )
    return sheets


def _brought(call: Call, code: str, fresh: Sequence[Sheet] = ()) -> schemas.SharedGame:
    """What a phone sees of a game, to which these sheets are added."""
    games, event = call.services.games, call.event
    if fresh:
        games.bring(code, fresh, event, call.who)
        event = call.services.live.event()
    game = games.get(code)
    with call.store.read() as db:
        sheets = sheets_json(db, event, game.sheets, one_table=True)
    return {
        "code": code,
        "state": str(event.version),
        "link": join_link(call, code),
        "sheets": sheets,
        "mine": list(game.brought.get(call.who.id, ())),
        "game": game_json(sheets) if decides_game([sheet["kind"] for sheet in sheets]) else None,
    }
