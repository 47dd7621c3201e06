"""What a hold trial is, and kdscan as a process that can be watched, starved and killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

LONGEST_SECONDS = 20.0
"""Processor time that one file may take."""
MOST_MB = 1000.0
"""Memory that one process may take."""
CODE = "HOLDTRIAL"
"""The players' code of a page on trial."""
ON_TRIAL = ("--workers", "1", "--code", CODE)
"""Options of a page on trial."""
BEARER = {"Authorization": f"Bearer {CODE}"}


@dataclass(frozen=True)
class Trial:
    """One trial.

    name: what was tried, enough to try it again. faults: what must not happen and did.
    seconds, mb: what it took at most. counts: other figures, summed over a part's trials.
    """

    name: str
    faults: tuple[str, ...] = ()
    seconds: float = 0.0
    mb: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """A process that has ended. code: its exit code, negative for a signal."""

    code: int
    err: str

    @property
    def faults(self) -> tuple[str, ...]:
        """A bug, a crash, or a traceback."""
        found = []
        if self.code == 1 or "Traceback (most recent call last)" in self.err:
            found.append(f"a bug: {self.err[-300:]}")
        if self.code < 0 and self.code != -signal.SIGKILL:
            found.append(f"died by signal {-self.code}")
        return tuple(found)


def environment(folder: Path) -> dict[str, str]:
    """One thread a process, and nobody's own prints."""
    more = {"OMP_NUM_THREADS": "1", "XDG_DATA_HOME": str(folder / "data"), "LANGUAGE": "en"}
    return os.environ | more


def kdscan(
    *words: str, folder: Path, kill_after: float | None = None, before: Sequence[str] = ()
) -> Ended:
    """Run a command in a folder; kill it and its children after so many seconds.

    before: a program and its words that start the command, like `unshare`.
    """
    command = [*before, sys.executable, "-m", "kdscan", *words]
    told = folder / ".err"
    with told.open("wb") as err:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(kill_after)
        kill(process.pid)  # and children that outlive it
    return Ended(process.wait(), told.read_text("utf-8", "replace"))


def kill(group: int) -> None:
    """As a power cut does."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


@dataclass(frozen=True)
class Page:
    """`kdscan serve` as a process of its own."""

    process: subprocess.Popen[str]
    address: str
    log: Path


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[Page]:
    """Serve the folder's store `cup.sqlite` with these options; killed at the end, not ended."""
    log = folder / "log"
    command = [sys.executable, "-m", "kdscan", "serve", "--host", "127.0.0.1", "--port", "0"]
    command += ["--store", str(folder / "cup.sqlite"), *words]
    with log.open("a") as err:
        process = subprocess.Popen(
            command,
            env=environment(folder),
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            start_new_session=True,
        )
    try:
        assert process.stdout is not None
        found = None
        while found is None:
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(f"the page did not start: {log.read_text()[-1000:]}")
            found = re.search(r"(https?://\S+?:\d+)/", line)
        yield Page(process, found[1], log)
    finally:
        kill(process.pid)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def logged_faults(page: Page) -> tuple[str, ...]:
    """A traceback that the page wrote to its log."""
    said = page.log.read_text(errors="replace")
    at = said.find("Traceback (most recent call last)")
    return () if at < 0 else (f"the page's log: {said[at:][-400:]}",)
