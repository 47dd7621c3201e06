"""The store: events, players, photos by content, readings, corrections, games.

Open it with `connect.open_store`; the other modules are functions on the connection that
`Store.read` and `Store.write` give. `docs/store.md` describes the tables.
"""

from kdscan.tournament.store.connect import Store, open_store

__all__ = ["Store", "open_store"]
