"""Sessions: a signed cookie, or the code itself as a bearer token.

The server stores no sessions. A session is a few values and their HMAC-SHA256 with a secret from
the store, bound to the event, the role and its code. `RevokedSessions` remembers sessions that were
left until they would have expired. The CSRF token is an HMAC of the session's id.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response

from kdscan.event.store import Store
from kdscan.web.schemas import Role, SessionInfo
from kdscan.web.settings import Settings, remembered, unexpired

COOKIE = "kdscan"
LASTS_SECONDS = 14 * 24 * 3600

ROLES: tuple[Role, ...] = get_args(Role)


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
    for role in ROLES:
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


def session_info(settings: Settings, who: Session, teaches: bool) -> SessionInfo:
    """What a page needs to know of its session. teaches: whether it may teach pads."""
    return {
        "role": who.role,
        "teaches": teaches,
        "who": who.who,
        "csrf": csrf_token(who, settings.secret),
        "event": settings.event,
        "limits": {"bytes": settings.max_bytes},
    }


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
