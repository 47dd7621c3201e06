"""`kdscan forget`: deletes an event and its photos."""

from __future__ import annotations

from typing import Annotated

import typer

from kdscan.cli.options import Photos, Store
from kdscan.cli.terminal import terminal_words
from kdscan.errors import UsageError


def forget(
    event: Annotated[str, typer.Option(metavar="NAME", help="The event to delete.")],
    store: Store = None,
    photos: Photos = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Delete it; without this, only show what would be deleted."),
    ] = False,
) -> None:
    """Photos that another event also has are kept. To keep a copy, run `kdscan export --archive`
    first.

    Examples:

    $ kdscan forget --event 'Spring cup'

    $ kdscan forget --event 'Spring cup' --yes
    """
    from kdscan.event.events import find_event
    from kdscan.event.forgetting import forget_event
    from kdscan.event.store import open_store

    w = terminal_words()
    with open_store(store, photos, make=False) as kept:
        with kept.read() as db:
            this = find_event(db, event)
        some = ", ".join(
            (
                w.tn("{n} photo", "{n} photos", len(this.photos)),
                w.tn("{n} sheet", "{n} sheets", len(this.sheets)),
                w.tn("{n} player", "{n} players", len(this.names.players)),
            )
        )
        if not yes:
            raise UsageError(
                "{event}: {some} would be deleted for good; add --yes to do it",
                event=this.name,
                some=some,
            )
        forget_event(kept, this.id)
        print(w.t("{event}: deleted: {some}", event=this.name, some=some))
