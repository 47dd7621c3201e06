"""The tasks of the processes in these tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from kdscan.errors import ModelError, NoSheetFound

held: list[bytearray] = []


def prepare() -> None:
    if os.environ.get("MODELS") == "missing":
        raise ModelError("the model {name} is missing", name="tiles")
    if os.environ.get("MODELS") == "too large":
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Echo:
    pid: int
    folder: str
    content: memoryview


@dataclass(frozen=True)
class Do:
    """Does what its name says; weight: as of every task."""

    what: str
    weight: float = 1.0

    def perform(self) -> Echo:
        if self.what == "hang":
            time.sleep(600)
        elif self.what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.what == "exit":
            os._exit(3)
        elif self.what == "raise":
            raise NoSheetFound("{n} things, but no sheet", n=3, where=Path("a.jpg"))
        elif self.what == "swell":
            held.append(bytearray(400_000_000))
        elif self.what == "print":
            sys.stdout.write("decoders print what they like")
            sys.stdout.flush()
        return Echo(os.getpid(), str(Path.cwd()), memoryview(self.what.encode()))


@dataclass(frozen=True)
class Lie:
    """Answers with another type than announced."""

    weight: float = 1.0

    def perform(self) -> int:
        return "no number"  # type: ignore[return-value]
