"""The work of the processes in these tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kdscan.errors import ModelError, NoSheetFound
from kdscan.workers.frames import Frame

held: list[bytearray] = []


def prepare() -> None:
    if os.environ.get("MODELS") == "missing":
        raise ModelError("the model {name} is missing", name="tiles")
    if os.environ.get("MODELS") == "too large":
        os.kill(os.getpid(), signal.SIGKILL)


def answer(task: str) -> Iterator[Frame]:
    """Does what it is told."""
    if task == "hang":
        time.sleep(600)
    if task == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "half":
        yield Frame({"half": True})
        os._exit(3)
    if task == "raise":
        raise NoSheetFound("{n} things, but no sheet", n=3, where=Path("a.jpg"))
    if task == "swell":
        held.append(bytearray(400_000_000))
    if task == "noise":
        sys.stdout.write("decoders print what they like")
        sys.stdout.flush()
    yield Frame({"pid": os.getpid(), "cwd": str(Path.cwd())}, (task.encode(),))
    yield Frame({"more": task})
