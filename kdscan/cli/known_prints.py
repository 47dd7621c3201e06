"""Known prints at the command line: where they are, and how they are shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kdscan.cli.terminal import aligned, error_message, note, terminal_words
from kdscan.errors import KdscanError

if TYPE_CHECKING:
    from kdscan.event.store.prints import EventPrints
    from kdscan.templates.file import FiledPrint
    from kdscan.templates.library import Library

    Prints = Library | EventPrints


@contextmanager
def prints_of(event: str | None, store: str | None) -> Iterator[Prints]:
    """This user's prints, or those of an event if it or a store is given."""
    if event is None and store is None:
        from kdscan.templates.library import own_library

        yield own_library()
        return
    from kdscan.event.store import open_store
    from kdscan.event.store.events import find_event
    from kdscan.event.store.prints import EventPrints

    with open_store(store, make=False) as opened:
        with opened.read() as db:
            this = find_event(db, event)
        yield EventPrints(opened, this.id)


def known_prints(files: Sequence[str] = ()) -> list[FiledPrint]:
    """This user's prints, preceded by those of `files`.

    Damaged ones of the library are reported and skipped; raises LayoutError for others.
    """
    from kdscan.templates.library import own_library
    from kdscan.templates.names import same_name

    named: list[FiledPrint] = []
    if files:
        from kdscan.templates.file import load_print

        named = [load_print(file, thoroughly=True) for file in files]
    others = own_library().load(damaged)
    return named + [o for o in others if not any(same_name(o.name, n.name) for n in named)]


def damaged(error: KdscanError) -> None:
    """Report that a file is skipped."""
    w = terminal_words(sys.stderr)
    note(w.t("{what} (skipped)", what=error_message(error)))


def print_json(one: FiledPrint) -> dict[str, Any]:
    """A print without its pictures.

    known: 0..1, how well its places are known on average. aspect: height of a cell over its width.
    """
    return {
        "name": one.name,
        "sheets": one.sheets,
        "by_itself": one.by_itself,
        "known": round(float(one.known.mean()), 3),
        "learned": one.head.learned,
        "circles": len(one.cell.circles),
        "shield_corners": len(one.cell.shield),
        "lines": one.lines,
        "aspect": round(one.aspect, 4),
    }


def prints_table(prints: Sequence[FiledPrint]) -> str:
    """One line per print: sheets learned from, how well known, circles, date."""
    t = terminal_words().t
    rows = [["", t("sheets"), t("known"), t("circles"), t("learned on")]]
    for one in prints:
        counts = [str(one.sheets), f"{one.known.mean():.0%}", str(len(one.cell.circles))]
        rows.append([one.name, *counts, one.head.learned])
    return "\n".join(aligned(rows, left=(0,)))
