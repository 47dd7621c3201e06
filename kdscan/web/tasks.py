"""What the page's workers are asked to do; `kdscan.web.worker` does it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.game.names import GameName
from kdscan.tournament.batch.tasks import Learn

LEARNING = 4
"""So many times longer than reading a file may learning from it take, and as long for each more."""


@dataclass(frozen=True)
class Read:
    """Read a file's pages and make pictures of them.

    name: how people call it. game, variants: see `kdscan.pipeline.read.read_photo`. photos, prints:
    where the photos lie, and SHA-256 of the known prints' files among them.
    """

    path: Path
    name: str
    game: GameName | None = None
    variants: Variants = PLAIN
    photos: str = ""
    prints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Show:
    """Make pictures of a file's pages, and nothing else."""

    path: Path


@dataclass(frozen=True)
class Look:
    """Say where a map lies in a camera's live picture."""

    path: Path


@dataclass(frozen=True)
class LearnPrint:
    """Learn the print of that name from photos of sheets. unmarked: nobody has drawn on them."""

    name: str
    paths: tuple[Path, ...]
    unmarked: bool = False


Task = Read | Show | Look | LearnPrint | Learn


@dataclass(frozen=True)
class Allowed:
    """A task with what the pool allows it: pages of its file, threads."""

    task: Task
    max_pages: int
    threads: int


def weight(task: Task) -> int:
    """How many times longer than reading a file a task may take."""
    if isinstance(task, Learn):
        return max(1, len(task.pile))
    return LEARNING + len(task.paths) - 1 if isinstance(task, LearnPrint) else 1
