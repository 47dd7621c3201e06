"""The progress of a batch on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kdscan.cli.messages import note, quiet, terminal_words

if TYPE_CHECKING:
    from kdscan.event.batch.run import Progress

SECONDS_A_LINE = 30.0
"""Interval between lines of progress if stderr is not a terminal."""


@contextmanager
def progress_bar(files: int) -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal; elsewhere a line at intervals."""
    if quiet():
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        yield _line_now_and_then()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    start, w = time.monotonic(), terminal_words()
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=files, rate="", failed="")

        def show(progress: Progress) -> None:
            rate = progress.read / max(time.monotonic() - start, 0.1)
            bar.update(
                task,
                total=progress.total,
                completed=progress.done,
                rate=f"{rate:.1f}/s",
                failed=w.t("{n} failed", n=progress.failed) if progress.failed else "",
            )

        yield show


def _line_now_and_then() -> Callable[[Progress], None]:
    start = last = time.monotonic()
    w = terminal_words()

    def show(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if progress.read and now - last > SECONDS_A_LINE:
            last = now
            rate = progress.read / (now - start)
            left = (progress.total - progress.done) / rate
            text = w.t(
                "{done} of {total}, {rate}/s, {left} s left",
                done=progress.done,
                total=progress.total,
                rate=f"{rate:.1f}",
                left=f"{left:.0f}",
            )
            note(f"kdscan: {text}")

    return show
