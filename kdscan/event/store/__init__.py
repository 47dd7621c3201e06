"""The store: events, what people did, photos by content, readings, prints.

Open it with `connect.open_store`; the other modules contain functions on a connection from
`Store.read` or `Store.write`. `docs/store.md` describes the tables. Workers read files beside the
store and know nothing of its tables, so `files` does not import SQLAlchemy.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.event.store.connect import Store, open_store

__all__ = ["Store", "open_store"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kdscan.event.store import connect

    return getattr(connect, name)
