"""The store: events, players, photos by content, readings, corrections, games.

Open it with `connect.open_store`; the other modules are functions on the connection that
`Store.read` and `Store.write` give. `docs/store.md` describes the tables. Workers read files beside
the store and know nothing of its tables: `files` and `print_files` import no SQLAlchemy.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.tournament.store.connect import Store, open_store

__all__ = ["Store", "open_store"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kdscan.tournament.store import connect

    return getattr(connect, name)
