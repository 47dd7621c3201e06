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
    from kdscan.event.actions import RemovePhoto
    from kdscan.event.events import find_event, perform
    from kdscan.event.log import Author
    from kdscan.event.store import open_store

    w = terminal_words()
    done = w.t("restored") if undo else w.t("removed")
    with open_store(store, make=False) as kept, kept.write() as db:
        wanted = [RemovePhoto(name, removed=not undo) for name in photos]
        this, entries = perform(db, find_event(db, event), Author(who or user()), *wanted)
        actions = [one.action for one in entries if isinstance(one.action, RemovePhoto)]
        files = [name for action in actions for name in this.photo_names(action.photo)]
    for file in files:  # now that it is saved
        print(f"{file}: {done}")
