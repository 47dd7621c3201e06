"""The examples that each network is trained and measured on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kdscan.errors import UsageError
from lab.synth.kingdoms.tiles import Board
from lab.training import kingdoms, spellbook
from lab.training.augment import oversample_bent
from lab.training.dataset import Example, init_worker, marks_example, photo_example
from lab.training.ink import ink_example
from lab.training.ink_sheets import ink_sheet
from lab.training.supply import FixedSupply, RenderedSupply, Supply, render
from lab.training.trainer import Run

TRAIN_SEED, SEED_STRIDE = 100_000_000, 10_000_000
"""Seed of the first sheet of training 0, and the distance to that of the next training."""

BOOK_PAGES, BOOK_PHOTOS, KINGDOMS = 11_000_000, 12_000_000, 30_000_000
"""Seeds of the first rendered page of a spellbook, the first photo of one, and the first table of
kingdoms."""

BOOK_PHOTO_REPEATS = 3
"""How often a photographed spellbook is used for each use of a rendered page."""

BOARD_REPEATS = {"tiles": 2, "squares": 3}
"""How often a real board is used for each use of a synthetic photo."""


@dataclass(frozen=True)
class Material:
    """Inputs of rendering, and the folder for its results.

    strokes, surfaces: folders of real pen strokes and pictures of tables, or None. boards: real
    kingdoms. labelled: photos labelled by people, added to the sheets of marks.
    """

    folder: Path
    strokes: Path | None = None
    surfaces: Path | None = None
    boards: Sequence[Board] = ()
    labelled: Sequence[Example] = ()


def split(boards: Sequence[Board], held: str) -> tuple[list[Board], list[Board]]:
    """Boards for training, and held-out boards. held: "0/2" for every second kingdom, "" for none.

    Boards of one kingdom stay together. Raises UsageError if nothing is left for training or `held`
    is malformed.
    """
    if not held:
        return list(boards), []
    part, _, parts = (int(n) if n.isdecimal() else -1 for n in held.partition("/"))
    if not 0 <= part < parts:
        raise UsageError(f"--held {held}: write it like 0/5, which means every fifth kingdom")
    names = sorted({board.kingdom for board in boards}, key=lambda name: (len(name), name))
    back = {name for n, name in enumerate(names) if n % parts == part}
    train = [board for board in boards if board.kingdom not in back]
    if not train:
        raise UsageError("there are too few kingdoms to hold some back; photograph more of them")
    return train, [board for board in boards if board.kingdom in back]


def supply(run: Run, material: Material, *, photos: int = 0, pages: int = 0) -> Supply:
    """The examples of a training. photos, pages: for spellbooks and kingdoms, numbers of examples
    rendered in advance; those of other networks are rendered during training.

    Raises UsageError for kingdoms without boards.
    """
    if run.name == "spellbook":
        home, ready = material.folder, partial(init_worker, None, None)
        page, photo = spellbook.page_example, spellbook.photo_example
        drawn = render(home / "pages", page, BOOK_PAGES, pages, ready)
        shot = render(home / "photos", photo, BOOK_PHOTOS, photos, ready)
        return FixedSupply(drawn + BOOK_PHOTO_REPEATS * shot, run.seed)
    if run.name in BOARD_REPEATS:
        if not material.boards:
            raise UsageError("no kingdoms: name a folder with --boards or --photos")
        folder = material.folder / "kingdoms"
        start = partial(kingdoms.init_worker, list(material.boards), material.surfaces)
        drawn = render(folder, kingdoms.example, KINGDOMS, photos, start)
        shown = [e for e in drawn if run.name == "tiles" or e.flats]
        real = [kingdoms.example_from_board(board) for board in material.boards]
        return FixedSupply(shown + BOARD_REPEATS[run.name] * real, run.seed)
    draw: Callable[[int], Any] = {
        "ink": ink_example,
        "ink_reader": ink_sheet,
        "marks": marks_example,
    }.get(run.name, photo_example)
    start = partial(init_worker, material.strokes, material.surfaces)
    arrange = oversample_bent if run.name == "refine" else list(material.labelled).__add__
    home, first = material.folder / "sheets", TRAIN_SEED + run.seed * SEED_STRIDE
    return RenderedSupply(home, draw, start, run.count, run.views, run.seed, arrange, first)


def held_back(network: str, first: int, count: int, material: Material) -> list[Any]:
    """The `count` held-out examples from seed `first`, rendered unless they exist; for kingdoms all
    boards of the material."""
    if network in BOARD_REPEATS:
        return list(material.boards)
    draw: Callable[[int], Any] = {
        "ink": ink_example,
        "ink_reader": ink_sheet,
        "spellbook": spellbook.photo_example,
    }.get(network, photo_example)
    folder = material.folder / f"held-{first}-{count}"
    start = partial(init_worker, material.strokes, material.surfaces)
    return render(folder, draw, first, count, start)
