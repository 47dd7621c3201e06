"""The tasks of the page's workers; `kdscan.web.worker` performs them.

Each has a `weight`: its time limit relative to reading a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kdscan.event.batch.tasks import Learn
from kdscan.rules import GameName
from kdscan.rules.kingdomino.variants import PLAIN, Variants

LEARNING = 4
"""Time limit of learning from a file, relative to reading it; each further file adds one
reading."""


@dataclass(frozen=True)
class Read:
    """Read a file's pages and make pictures of them.

    name: for people. game, variants: see `kdscan.reader.read_photo`. photos, prints: where
    the photos lie, and SHA-256 of the known prints' files among them.
    """

    path: Path
    name: str
    game: GameName | None = None
    variants: Variants = PLAIN
    photos: str = ""
    prints: tuple[str, ...] = ()

    weight = 1.0


@dataclass(frozen=True)
class Show:
    """Only make pictures of a file's pages."""

    path: Path

    weight = 1.0


@dataclass(frozen=True)
class Look:
    """Locate a map in a camera's live picture."""

    path: Path

    weight = 1.0


@dataclass(frozen=True)
class LearnPrint:
    """Learn a print with that name from photos of sheets. unmarked: nobody has drawn on them."""

    name: str
    paths: tuple[Path, ...]
    unmarked: bool = False

    @property
    def weight(self) -> float:
        return LEARNING + len(self.paths) - 1


Task = Read | Show | Look | LearnPrint | Learn


@dataclass(frozen=True)
class Allowed:
    """A task and its limits: pages of its file, threads."""

    task: Task
    max_pages: int
    threads: int
