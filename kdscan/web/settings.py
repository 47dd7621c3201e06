"""The settings of a running page, fixed at its start: codes, limits, the event."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import select

from kdscan.event.store import Store, schema
from kdscan.web.pool import Limits
from kdscan.web.rates import Rate

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
    proxy: address of a proxy whose headers about the client and https are trusted; None for none.
    guesses: how often one address may try codes.
    max_bytes: largest upload; upload_seconds: how long one may take to arrive.
    quota_bytes: of all photos of one session; spare_bytes: what stays free on the disk.
    """

    event: str
    secret: bytes
    join_code: str
    desk_code: str
    open_here: bool = False
    proxy: str | None = None
    max_bytes: int = 40_000_000
    upload_seconds: float = 120.0
    quota_bytes: int = 2_000_000_000
    spare_bytes: int = 200_000_000
    workers: int = 2
    guesses: Rate = field(default_factory=lambda: Rate(burst=20, per_second=0.2))
    limits: Limits = field(default_factory=Limits)


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
