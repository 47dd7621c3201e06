"""What each network learns from while it is trained, and what it is measured on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kdscan.errors import UsageError
from kdscan.synth.tiles import Board
from kdscan.training import kingdoms, spellbook_examples
from kdscan.training.dataset import Example, any_example, begin, load, photo_example, render
from kdscan.training.guesses import bent_oftener
from kdscan.training.ink_examples import ink_example
from kdscan.training.state import Run
from kdscan.training.supply import Drawing, Drawn, Given, Supply

PHOTO_SHARE = 0.5
"""So many of what marks learns from are photos, which are what is read; the rest are flat sheets,
which take half the time and show as many hands and designs."""

TRAIN_SEED, SEEDS_APART = 100_000_000, 10_000_000
"""Seed of the first sheet of training 0, and how far those of the next training lie from it."""

BOOK_PAGES, BOOK_PHOTOS, KINGDOMS = 11_000_000, 12_000_000, 30_000_000
"""Seeds of the first drawn page of a spellbook, of its first photo, and of the first table."""

BOOK_PHOTO_SHOWN = 3
"""How much oftener than a drawn page a photographed spellbook is shown."""

BOARD_SHOWN = {"tiles": 2, "squares": 3}
"""How often a real board is shown for each time that a synthetic photo is."""


@dataclass(frozen=True)
class Material:
    """What is drawn with, and where it is kept.

    strokes, surfaces: folders of real pen strokes and pictures of tables, or None. boards: real
    kingdoms. labelled: photos that people labelled, shown among marks' sheets. workers: processes.
    """

    folder: Path
    strokes: Path | None = None
    surfaces: Path | None = None
    boards: Sequence[Board] = ()
    labelled: Sequence[Example] = ()
    workers: int = 2


def split(boards: Sequence[Board], held: str) -> tuple[list[Board], list[Board]]:
    """Boards to train on and boards held back, `held` as in "0/2": every second kingdom; "" holds
    none back.

    Boards of one kingdom stay together. Raises UsageError when nothing is left to train on,
    or `held` is no such share.
    """
    if not held:
        return list(boards), []
    part, _, parts = (int(n) if n.isdecimal() else -1 for n in held.partition("/"))
    if not 0 <= part < parts:
        raise UsageError(f"--held {held}: say which part of how many, as in 0/5: each fifth")
    names = sorted({board.kingdom for board in boards}, key=lambda name: (len(name), name))
    back = {name for n, name in enumerate(names) if n % parts == part}
    train = [board for board in boards if board.kingdom not in back]
    if not train:
        raise UsageError("there are too few kingdoms to hold some back; photograph more of them")
    return train, [board for board in boards if board.kingdom in back]


def supply(run: Run, material: Material, *, photos: int = 0, pages: int = 0) -> Supply:
    """What a training learns from. photos, pages: of spellbooks and kingdoms, which are drawn
    before it begins; all else is drawn beside it.

    Raises UsageError for kingdoms without boards.
    """
    if run.name == "spellbook":
        return Given(_books(material, photos, pages), run.seed)
    if run.name in BOARD_SHOWN:
        return Given(_kingdoms(run.name, material, photos), run.seed)
    first = TRAIN_SEED + run.seed * SEEDS_APART
    draw: Callable[[int], Any] = partial(ink_example, first)
    if run.name != "ink":
        draw = partial(any_example, first, PHOTO_SHARE if run.name == "marks" else 1.0)
    start = partial(begin, material.strokes, material.surfaces)
    arrange = bent_oftener if run.name == "refine" else list(material.labelled).__add__
    drawing = Drawing(draw, start, run.count, run.views)
    return Drawn(material.folder / "sheets", drawing, run.seed, arrange)


def _books(material: Material, photos: int, pages: int) -> list[Any]:
    home, ready = material.folder, partial(begin, None, None)
    drawn = (
        (home / "pages", spellbook_examples.page_example, BOOK_PAGES, pages),
        (home / "photos", spellbook_examples.photo_example, BOOK_PHOTOS, photos),
    )
    for folder, draw, first, count in drawn:
        render(folder, draw, first, count, ready, material.workers)
    return [*load(home / "pages"), *(BOOK_PHOTO_SHOWN * list(load(home / "photos")))]


def _kingdoms(network: str, material: Material, photos: int) -> list[Any]:
    if not material.boards:
        raise UsageError("no kingdoms: name a folder with --boards or --photos")
    folder = material.folder / "kingdoms"
    start = partial(kingdoms.begin, list(material.boards), material.surfaces)
    render(folder, kingdoms.example, KINGDOMS, photos, start, material.workers)
    shown = [e for e in load(folder) if network == "tiles" or e.flats]
    real = [kingdoms.of_board(board) for board in material.boards]
    return shown + BOARD_SHOWN[network] * real


def held_back(network: str, first: int, count: int, material: Material) -> list[Any]:
    """The `count` examples from seed `first` that a network is measured on, drawn as far as they
    are not there; of kingdoms all boards of the material."""
    if network in BOARD_SHOWN:
        return list(material.boards)
    draw: Callable[[int], Any] = photo_example
    if network == "ink":
        draw = partial(ink_example, 0)
    elif network == "spellbook":
        draw = spellbook_examples.photo_example
    folder = material.folder / f"held-{first}-{count}"
    start = partial(begin, material.strokes, material.surfaces)
    render(folder, draw, first, count, start, material.workers)
    return list(load(folder))
