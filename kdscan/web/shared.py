"""Games that several phones play together: each adds its own photo, and all see the result.

A game is identified by a random code. Whoever has joined and knows it sees the sheets that were
added, no matter who sent them; photos and corrections still belong to their senders. A game is kept
in the store for as long as a session lasts.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from kdscan.event.store import Store, schema
from kdscan.files import Json
from kdscan.sheets.base import fits_one_game, games_of
from kdscan.web.answers import ApiError, not_found, refuse_if
from kdscan.web.rates import Rate, RateLimiter
from kdscan.web.sessions import LASTS_SECONDS, Session
from kdscan.web.settings import ALPHABET, CODE_LENGTH, new_code, unexpired


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
