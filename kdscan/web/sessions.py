"""Who may come in: the settings of a running page, its codes, sessions, and limits of rate.

A session is a signed cookie, or the code itself as a bearer token. The server stores no sessions: a
session is a few values and their HMAC-SHA256 with a secret from the store, bound to the event, the
role and its code. `RevokedSessions` remembers sessions that were left until they would have
expired. The CSRF token is an HMAC of the session's id.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import get_args

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from kdscan.event.log import Role
from kdscan.event.store import Store, schema
from kdscan.web.requests import address
from kdscan.workers.pool import Limits

MOST_BUCKETS = 20_000
"""Most clients that are remembered; those that have been idle longest are forgotten first."""


@dataclass(frozen=True)
class Rate:
    """burst: requests at once; per_second: rate of refill."""

    burst: float
    per_second: float


class RateLimiter:
    """A token bucket for each client."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take a token; returns 0 if there was one, else the seconds to wait for it."""
        wait = self.wait(client)
        if not wait:
            self.spend(client)
        return wait

    def wait(self, client: str) -> float:
        """Seconds until a token is available; 0 if there is one now."""
        return max(0.0, (1 - self._filled(client)[0]) / self._rate.per_second)

    def spend(self, client: str) -> None:
        """Take a token, on credit if there is none, because many may have been let in at once."""
        left, now = self._filled(client)
        self._left.pop(client, None)
        self._left[client] = (left - 1, now)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)

    def _filled(self, client: str) -> tuple[float, float]:
        """The tokens in the bucket now, and the current time."""
        now = time.monotonic()
        left, since = self._left.get(client, (self._rate.burst, now))
        return min(self._rate.burst, left + (now - since) * self._rate.per_second), now


ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that are not confused when read aloud: no I, L, O, 0, 1."""

CODE_LENGTH = 8
"""31^8 codes: a thousand phones at ten tries a minute each take 80 years to try half of them."""


@dataclass(frozen=True)
class Settings:
    """The settings of a running page.

    event: name of the event that uploads belong to.
    secret: signs sessions. join_code, desk_code: let players and organisers in.
    open_here: this machine's own browsers need no code (the page listens on no other interface).
    proxy: addresses of proxies whose headers about the client are trusted; None for none.
    root_path: the path below which a proxy shows the page, like /kdscan.
    guesses: how often one address may try codes.
    max_bytes: largest upload.
    quota_bytes: of all photos of one session; spare_bytes: what stays free on the disk.
    """

    event: str
    secret: bytes
    join_code: str
    desk_code: str
    open_here: bool = False
    proxy: str | None = None
    root_path: str = ""
    max_bytes: int = 40_000_000
    quota_bytes: int = 2_000_000_000
    spare_bytes: int = 200_000_000
    workers: int = 2
    guesses: Rate = field(default_factory=lambda: Rate(burst=20, per_second=0.2))
    limits: Limits = field(default_factory=lambda: Limits(seconds=30))


def unexpired(store: Store, prefix: str, ends: Callable[[str], float]) -> dict[str, str]:
    """The settings whose keys have this prefix; expired ones are deleted. ends: when a value
    expires."""
    at, now = schema.setting.c, time.time()
    with store.write() as db:
        query = select(at.key, at.value).where(at.key.startswith(prefix))
        found = {key: value for key, value in db.execute(query) if ends(value) >= now}
        over = at.key.startswith(prefix) & at.key.not_in(list(found))
        db.execute(schema.setting.delete().where(over))
    return found


def remembered(store: Store, name: str, fresh: str) -> str:
    """A setting that is kept over restarts, as it was stored first, perhaps by another page."""
    at = schema.setting.c
    with store.write() as db:
        known = db.scalar(select(at.value).where(at.key == name))
        if known is None:
            db.execute(schema.setting.insert().values(key=name, value=fresh))
        return str(known or fresh)


def new_code() -> str:
    """A random code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def codes_of(store: Store) -> tuple[bytes, str, str]:
    """The store's secret, join code and desk code, created at its first start."""
    secret = remembered(store, "web.secret", secrets.token_hex(32))
    return (
        bytes.fromhex(secret),
        remembered(store, "web.join", new_code()),
        remembered(store, "web.desk", new_code()),
    )


COOKIE = "kdscan"
LASTS_SECONDS = 14 * 24 * 3600


@dataclass(frozen=True)
class Session:
    """A browser or program that has joined. id: random; who: its name."""

    id: str
    role: Role
    who: str
    ends: int

    @property
    def name(self) -> str:
        """The name under which its corrections are stored."""
        return self.who or self.role


def new_session(role: Role, who: str) -> Session:
    """A new session with a role."""
    return Session(secrets.token_urlsafe(12), role, who, int(time.time()) + LASTS_SECONDS)


def role_of(code: str, settings: Settings) -> Role | None:
    """The role that a code gives; None for a wrong one. Takes the same time for all."""
    given = code.strip().upper().encode()
    desk = hmac.compare_digest(given, settings.desk_code.encode())
    player = hmac.compare_digest(given, settings.join_code.encode())
    return "desk" if desk else "player" if player else None


def sign(session: Session, settings: Settings) -> str:
    """A session as the cookie's text."""
    body = base64.urlsafe_b64encode(json.dumps(asdict(session)).encode()).decode()
    return f"{body}.{_hmac(settings.secret, _bound_to(session.role, settings), body)}"


def verify(text: str, settings: Settings) -> Session | None:
    """The session of a cookie; None if it is forged, malformed or expired, belongs to another
    event, or its code has changed."""
    body, _, mark = text.partition(".")
    for role in get_args(Role):
        expected = _hmac(settings.secret, _bound_to(role, settings), body)
        if hmac.compare_digest(mark.encode(), expected.encode()):
            session = Session(**json.loads(base64.urlsafe_b64decode(body)))
            return session if session.role == role and session.ends > time.time() else None
    return None


def set_cookie(answer: Response, session: Session, settings: Settings, request: Request) -> None:
    """Give a browser its session."""
    answer.set_cookie(
        COOKIE,
        sign(session, settings),
        max_age=LASTS_SECONDS,
        path=address("/"),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def _bound_to(role: Role, settings: Settings) -> str:
    """The values to which a session is bound: it ends when one of them changes."""
    code = settings.desk_code if role == "desk" else settings.join_code
    return json.dumps(["session", settings.event, role, code])


def bearer(role: Role, address: str) -> Session:
    """The session of a program that sends the code with each request: one per role and address."""
    name = hashlib.sha256(f"bearer {role} {address}".encode()).hexdigest()[:16]
    return Session(name, role, "", int(time.time()) + LASTS_SECONDS)


def csrf_token(session: Session, secret: bytes) -> str:
    """The token that a page of ours must send with every change."""
    return _hmac(secret, "csrf", session.id)


def _hmac(secret: bytes, purpose: str, text: str) -> str:
    return hmac.new(secret, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()


class RevokedSessions:
    """Sessions that were ended before they expired; kept in the store over restarts."""

    _PREFIX = "web.left."

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys = set(unexpired(store, self._PREFIX, float))

    def __contains__(self, session: Session) -> bool:
        return self._key(session) in self._keys

    def add(self, session: Session) -> None:
        """End a session permanently."""
        key = self._key(session)
        if key not in self._keys:
            remembered(self._store, key, str(session.ends))
            self._keys.add(key)

    def _key(self, session: Session) -> str:
        return self._PREFIX + hashlib.sha256(session.id.encode()).hexdigest()[:40]
