"""Turns errors of a store's database into errors with a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, TimeoutError

from kdscan.errors import StoreError, StoreFull
from kdscan.event.store.checks import NOT_UNDERSTOOD, is_damaged
from kdscan.files.names import hide_password
from kdscan.i18n import mark

_CAUSES = {"53100": "full", "25006": "readonly", "55P03": "locked", "22P05": "encoding"}
"""PostgreSQL's error codes, whose texts may be in any language → SQLite's words for them."""

_BROKEN = mark("this file is not a kdscan store, or it is damaged: name another, or a backup")

_REMEDIES = {
    "full": mark("make room on the disk and run the command again: what was done is kept"),
    "I/O": mark("the disk is full or damaged; make room there, or choose another place"),
    "readonly": mark("it is read-only; ask for write access, or copy it with its photos"),
    "locked": mark("another program is writing; wait for it and try again"),
    "encoding": mark("its database cannot hold all alphabets: create one with the encoding UTF8"),
    "not a database": _BROKEN,
    "malformed": _BROKEN,
    "": mark("check that it is running, reachable and that you may write to it"),
}
"""What to do about an error whose text contains the word; the first that fits counts."""


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn a database's error into a `StoreError` that tells a person what to do."""
    try:
        yield
    except (DBAPIError, TimeoutError) as error:
        said = getattr(error, "orig", None) or error
        reason = str(said).strip().splitlines()[0]
        failed = StoreError(
            "the store {where} failed: {reason}", where=_shown(engine), reason=reason
        )
        code = getattr(said, "sqlstate", reason) or ""  # SQLite's have only a text
        why = "locked" if isinstance(error, TimeoutError) else _CAUSES.get(code, code)
        word = next(word for word in _REMEDIES if word in why)
        kind = StoreFull if word == "full" else StoreError
        raise kind(mark("{error}; {what}"), error=failed, what=_REMEDIES[word]) from error
    except NOT_UNDERSTOOD as error:
        if not is_damaged(engine):
            raise
        raise StoreError(
            "the store {where} is damaged; use a backup, or read its photos again into another "
            "store",
            where=_shown(engine),
        ) from error


def _shown(engine: Engine) -> str:
    return hide_password(engine.url.render_as_string(hide_password=True))
