"""Who somebody is: a signed cookie, or the code itself as a bearer token.

The server keeps nothing: a session is a few values and their HMAC-SHA256 by a secret
that lies in the store, bound to the event, the role and its code. Who leaves is remembered until
the session would have ended, by `RevokedSessions`. The CSRF token is an HMAC of the session's id.
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

from sqlalchemy import select

from kdscan.tournament.store import Store, schema
from kdscan.web.schemas import Role, SessionInfo
from kdscan.web.settings import Settings, unexpired

COOKIE = "kdscan"
LASTS_SECONDS = 14 * 24 * 3600

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Session:
    """A browser or program that came in. id: a random name for it; who: what it is called."""

    id: str
    role: Role
    who: str
    ends: int

    @property
    def name(self) -> str:
        """How what it says is signed."""
        return self.who or self.role


def new_session(role: Role, who: str) -> Session:
    """A new session of a role."""
    return Session(secrets.token_urlsafe(12), role, who, int(time.time()) + LASTS_SECONDS)


def role_of(code: str, settings: Settings) -> Role | None:
    """What a code lets one be; None for a wrong one. Takes as long for each."""
    given = code.strip().upper().encode()
    desk = hmac.compare_digest(given, settings.desk_code.encode())
    player = hmac.compare_digest(given, settings.join_code.encode())
    return "desk" if desk else "player" if player else None


def sign(session: Session, settings: Settings) -> str:
    """The cookie's text."""
    body = base64.urlsafe_b64encode(json.dumps(asdict(session)).encode()).decode()
    return f"{body}.{_hmac(settings.secret, _bound_to(session.role, settings), body)}"


def verify(text: str, settings: Settings) -> Session | None:
    """The session that a cookie stands for; None if it is forged, broken or over, of another
    event, or of a code that has changed since."""
    body, _, mark = text.partition(".")
    for role in ROLES:
        expected = _hmac(settings.secret, _bound_to(role, settings), body)
        if hmac.compare_digest(mark.encode(), expected.encode()):
            session = Session(**json.loads(base64.urlsafe_b64decode(body)))
            return session if session.role == role and session.ends > time.time() else None
    return None


def _bound_to(role: Role, settings: Settings) -> str:
    """What a session is bound to: it ends when one of these changes."""
    code = settings.desk_code if role == "desk" else settings.join_code
    return json.dumps(["session", settings.event, role, code])


def bearer(role: Role, address: str) -> Session:
    """The session of a program that shows the code with each request: one a role and machine."""
    name = hashlib.sha256(f"bearer {role} {address}".encode()).hexdigest()[:16]
    return Session(name, role, "", int(time.time()) + LASTS_SECONDS)


def csrf_token(session: Session, secret: bytes) -> str:
    """What a page of ours has to show before it may change anything."""
    return _hmac(secret, "csrf", session.id)


def session_info(settings: Settings, who: Session) -> SessionInfo:
    """What a page has to know of its session."""
    return {
        "role": who.role,
        "who": who.who,
        "csrf": csrf_token(who, settings.secret),
        "event": settings.event,
        "limits": {"bytes": settings.max_bytes},
    }


def _hmac(secret: bytes, purpose: str, text: str) -> str:
    return hmac.new(secret, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()


class RevokedSessions:
    """Sessions that were ended before they expired; the store keeps them over restarts."""

    _PREFIX = "web.left."

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys = set(unexpired(store, self._PREFIX, float))

    def __contains__(self, session: Session) -> bool:
        return self._key(session) in self._keys

    def add(self, session: Session) -> None:
        """End a session for good."""
        key = self._key(session)
        if key not in self._keys:
            at = schema.setting.c
            with self._store.write() as db:
                if db.scalar(select(at.key).where(at.key == key)) is None:  # left at another page
                    db.execute(schema.setting.insert().values(key=key, value=str(session.ends)))
            self._keys.add(key)

    def _key(self, session: Session) -> str:
        return self._PREFIX + hashlib.sha256(session.id.encode()).hexdigest()[:40]
