"""`kdscan remove`: removes photos from an event."""

from __future__ import annotations

from typing import Annotated

import typer

from kdscan.cli.options import Event, Store, Who
from kdscan.cli.terminal import terminal_words, user


def remove(
    photos: Annotated[
        list[str],
        typer.Argument(metavar="PHOTO...", help="File names, or how they end; #7: page 7."),
    ],
    event: Event = None,
    store: Store = None,
    undo: Annotated[bool, typer.Option("--undo", help="Restore them.")] = False,
    who: Who = None,
) -> None:
    """Their files, readings and corrections are kept, in `kdscan export --archive` too.

    Examples:

    $ kdscan remove IMG_0412.jpg --event 'Spring cup'

    $ kdscan remove IMG_0412.jpg --event 'Spring cup' --undo
    """
    from kdscan.event.removing import set_removed
    from kdscan.event.store import open_store
    from kdscan.event.store.events import find_event

    w = terminal_words()
    done = w.t("restored") if undo else w.t("removed")
    with open_store(store, make=False) as kept, kept.write() as db:
        this = find_event(db, event)
        files = [
            file
            for name in photos
            for file in set_removed(db, this, name, who or user(), removed=not undo)
        ]
    for file in files:  # now that it is saved
        print(f"{file}: {done}")
