"""Who somebody is: a signed cookie, or the code itself as a bearer token.

The server keeps nothing: a session is a few values and their HMAC-SHA256 by a secret
that lies in the store. The CSRF token is another HMAC of the session's id.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Literal

from kdscan.web.settings import Settings

COOKIE = "kdscan"
LASTS_SECONDS = 14 * 24 * 3600

Role = Literal["player", "desk"]


@dataclass(frozen=True)
class Session:
    """A browser or program that came in. id: a random name for it; who: what it is called."""

    id: str
    role: Role
    who: str
    ends: int


def begin(role: Role, who: str) -> Session:
    """A new session of a role."""
    return Session(secrets.token_urlsafe(12), role, who, int(time.time()) + LASTS_SECONDS)


def role_of(code: str, settings: Settings) -> Role | None:
    """What a code lets one be; None for a wrong one. Takes as long for each."""
    given = code.strip().upper().encode()
    desk = hmac.compare_digest(given, settings.desk_code.encode())
    player = hmac.compare_digest(given, settings.join_code.encode())
    return "desk" if desk else "player" if player else None


def seal(session: Session, secret: bytes) -> str:
    """The cookie's text."""
    body = base64.urlsafe_b64encode(json.dumps(asdict(session)).encode()).decode()
    return f"{body}.{_hmac(secret, 'session', body)}"


def unseal(text: str, secret: bytes) -> Session | None:
    """The session that a cookie stands for; None if it is forged, broken or over."""
    body, _, mark = text.partition(".")
    if not hmac.compare_digest(mark.encode(), _hmac(secret, "session", body).encode()):
        return None
    session = Session(**json.loads(base64.urlsafe_b64decode(body)))
    return session if session.ends > time.time() else None


def bearer(role: Role, address: str) -> Session:
    """The session of a program that shows the code with each request: one a role and machine."""
    name = hashlib.sha256(f"bearer {role} {address}".encode()).hexdigest()[:16]
    return Session(name, role, "", int(time.time()) + LASTS_SECONDS)


def csrf_token(session: Session, secret: bytes) -> str:
    """What a page of ours has to show before it may change anything."""
    return _hmac(secret, "csrf", session.id)


def _hmac(secret: bytes, purpose: str, text: str) -> str:
    return hmac.new(secret, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()
