"""Examples that networks are trained and measured on; batches, losses and schedules of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from kdscan.errors import UsageError
from lab.synth.fields import F32, U8, Rng
from lab.synth.kingdoms.tiles import Board
from lab.training import augment, cover, geometry, ink, ink_reader, kingdoms, spellbook
from lab.training.augment import oversample_bent, refine_sample
from lab.training.dataset import Example, init_worker, marks_example, photo_example
from lab.training.ink import ink_example
from lab.training.ink_sheets import ink_sheet
from lab.training.kingdoms import KingdomExample, squares_sample, tiles_sample
from lab.training.marks_networks import MarksNet
from lab.training.networks import LocateNet, RefineNet, SquaresNet, TilesNet
from lab.training.recipe import Training
from lab.training.sheet_views import sample
from lab.training.supply import FixedSupply, RenderedSupply, Supply, render
from lab.training.task import Batch, Task

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


def supply(network: str, training: Training, material: Material) -> Supply:
    """The examples of a training; those of spellbooks and kingdoms are rendered in advance. Raises
    UsageError for kingdoms without boards."""
    if network == "spellbook":
        home, ready = material.folder, partial(init_worker, None, None)
        page, photo = spellbook.page_example, spellbook.photo_example
        drawn = render(home / "pages", page, BOOK_PAGES, training.pages, ready)
        shot = render(home / "photos", photo, BOOK_PHOTOS, training.photos, ready)
        return FixedSupply(drawn + BOOK_PHOTO_REPEATS * shot, training.seed)
    if network in BOARD_REPEATS:
        if not material.boards:
            raise UsageError("no kingdoms: name a folder with --boards or --photos")
        folder = material.folder / "kingdoms"
        start = partial(kingdoms.init_worker, list(material.boards), material.surfaces)
        drawn = render(folder, kingdoms.example, KINGDOMS, training.photos, start)
        shown = [e for e in drawn if network == "tiles" or e.flats]
        real = [kingdoms.example_from_board(board) for board in material.boards]
        return FixedSupply(shown + BOARD_REPEATS[network] * real, training.seed)
    draw: Callable[[int], Any] = {
        "geometry": geometry.example,
        "ink": ink_example,
        "ink_reader": ink_sheet,
        "marks": marks_example,
    }.get(network, photo_example)
    start = partial(init_worker, material.strokes, material.surfaces)
    arrange = oversample_bent if network == "refine" else list(material.labelled).__add__
    home, first = material.folder / "sheets", TRAIN_SEED + training.seed * SEED_STRIDE
    return RenderedSupply(
        home, draw, start, training.count, training.views, training.seed, arrange, first
    )


def held_back(network: str, first: int, count: int, material: Material) -> list[Any]:
    """The `count` held-out examples from seed `first`, rendered unless they exist; for kingdoms all
    boards of the material."""
    if network in BOARD_REPEATS:
        return list(material.boards)
    draw: Callable[[int], Any] = {
        "geometry": geometry.example,
        "ink": ink_example,
        "ink_reader": ink_sheet,
        "spellbook": spellbook.photo_example,
    }.get(network, photo_example)
    folder = material.folder / f"held-{first}-{count}"
    start = partial(init_worker, material.strokes, material.surfaces)
    return render(folder, draw, first, count, start)


def _images(views: U8) -> Tensor:
    """Pictures (B, H, W, 3) as (B, 3, H, W) uint8, made floats only in the training process; not
    copied, because loaders that copy keep a GPU waiting."""
    return torch.from_numpy(views.transpose(0, 3, 1, 2))


def _collated(samples: Iterable[tuple[U8, F32]]) -> Batch:
    """Pictures (B, 3, H, W) and their targets (B, ...) of as many samples."""
    views, targets = zip(*samples, strict=True)
    return _images(np.stack(views)), torch.from_numpy(np.stack(targets))


def locate_batch(rng: Rng, examples: list[Example]) -> Batch:
    """Thumbnails (B, 3, 384, 384) and votes (B, 3, 48, 48); some photos hold two maps."""
    samples = [augment.locate_sample(rng, e) for e in examples]
    for i in range(len(samples)):
        if rng.random() < 0.15:
            samples[i] = augment.mosaic(rng, samples[i], samples[i - 1])
    return _collated(samples)


def locate_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the mask; negative log likelihood of the place (Laplace distribution).

    A thumbnail may not show which way is up, and registration determines it later. So most of the
    place's loss takes the better of the two orientations for each photo.
    """
    on_grid, place, log_error = (o.float() for o in out)
    mask, uv = batch[1][:, :1], batch[1][:, 1:]
    found = F.binary_cross_entropy_with_logits(on_grid, mask)
    count = mask.sum((1, 2, 3)).clamp(min=1)

    def likelihood(target: Tensor) -> Tensor:
        error = (place - target).abs().sum(1, keepdim=True)
        nll = error * torch.exp(-log_error) + 2 * log_error
        return (nll * mask).sum((1, 2, 3)) / count

    true, flipped = likelihood(uv), likelihood(-uv)
    where = 0.8 * torch.minimum(true, flipped) + 0.2 * true
    return {"on": 3 * found, "place": where.mean()}


IN_PLACE = 0.3
"""Cells: largest offset along each axis of a cell that is in place."""


def refine_batch(rng: Rng, examples: list[Example]) -> Batch:
    """Coarse views (B, 3, 224, 288), offsets and presence (B, 3, 5, 7), upright (B, 1)."""
    samples = [refine_sample(rng, e) for e in examples]
    upright = torch.tensor([[float(up)] for *_, up in samples])
    return *_collated((view, target) for view, target, _ in samples), upright


def refine_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Smooth L1 of the offsets of present cells; cross entropies of cells in place and of which way
    is up."""
    offset, there, up = (o.float() for o in out)
    target, real = batch[1][:, :2], batch[1][:, 2:]
    near = real * (target.abs().amax(1, keepdim=True) < IN_PLACE).float()
    error = F.smooth_l1_loss(offset, target, beta=0.05, reduction="none")
    shown = (real.mean((1, 2, 3)) > 0.5).float()[:, None]
    upright = F.binary_cross_entropy_with_logits(up, batch[2], reduction="none")
    return {
        "offset": 10 * (error * real).sum() / real.sum().clamp(min=1) / 2,
        "there": 0.5 * F.binary_cross_entropy_with_logits(there, near),
        "up": 3 * (upright * shown).sum() / shown.sum().clamp(min=1),
    }


def marks_batch(rng: Rng, examples: list[Example]) -> Batch:
    """The parts of as many samples of `sheet_views`, stacked."""
    parts = zip(*(sample(rng, example) for example in examples), strict=True)
    return tuple(torch.from_numpy(np.stack(part)) for part in parts)


def marks_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropies of coats, crosses and, with a small weight, the castle; auxiliary loss of the
    crosses' positions; and that of the offsets (see `MarksNet`).

    `UNKNOWN` labels are ignored: it is torch's default `ignore_index`.
    """
    coat, crosses, castle, offsets, spots = (o.float() for o in out)
    # smooth L1 of offsets, which are known for sheets with known positions of crosses
    known = (batch[6].amax((1, 2, 3)) >= 0).float()[:, None, None]
    loss: Tensor = (known * F.smooth_l1_loss(offsets, batch[7], beta=0.02, reduction="none")).mean()
    return {
        "coat": F.cross_entropy(coat.flatten(0, 1), batch[3].flatten()),
        "crosses": F.cross_entropy(crosses.flatten(0, 1), batch[4].flatten()),
        "castle": 0.1 * _known_ones(castle, batch[5]),
        "spots": 5 * _known_ones(spots[:, :, 0], batch[6]),
        "offset": 5 * loss,
    }


def _known_ones(logits: Tensor, true: Tensor) -> Tensor:
    """Binary cross entropy; targets of -1 are unknown and ignored."""
    known = (true >= 0).float()
    loss: Tensor = F.binary_cross_entropy_with_logits(logits, true.clamp(min=0), weight=known)
    return loss


def tiles_batch(rng: Rng, examples: list[KingdomExample]) -> Batch:
    """Thumbnails (B, 3, 384, 384) and votes (B, 6, 48, 48)."""
    return _collated(tiles_sample(rng, e) for e in examples)


def tiles_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the mask; negative log likelihood of the centre (Laplace distribution); L1
    of angle and size."""
    on_tile, center, log_error, pose = (o.float() for o in out)
    mask = batch[1][:, :1]
    count = mask.sum().clamp(min=1)
    error = (center - batch[1][:, 1:3]).abs().sum(1, keepdim=True)
    nll = ((error * torch.exp(-log_error) + 2 * log_error) * mask).sum() / count
    turn = ((pose - batch[1][:, 3:]).abs().sum(1, keepdim=True) * mask).sum() / count
    found = F.binary_cross_entropy_with_logits(on_tile, mask)
    return {"on": 3 * found, "place": nll, "turn": turn}


def squares_batch(rng: Rng, examples: list[KingdomExample]) -> Batch:
    """Crops (N, 3, 80, 80) of whole kingdoms and what they show (N,)."""
    samples = [squares_sample(rng, flat) for e in examples for flat in e.flats[:1]]
    crops, kinds = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    return _images(crops), torch.from_numpy(kinds)


def squares_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the kind."""
    return {"kind": F.cross_entropy(out[0].float(), batch[1])}


TASKS: dict[str, Task] = {
    "locate": Task(LocateNet, locate_batch, locate_loss),
    "refine": Task(RefineNet, refine_batch, refine_loss),
    "marks": Task(MarksNet, marks_batch, marks_loss, n_inputs=3),
    "tiles": Task(TilesNet, tiles_batch, tiles_loss),
    "ink": ink.TASK,
    "ink_reader": ink_reader.TASK,
    "cover": cover.TASK,
    "geometry": geometry.TASK,
    "spellbook": spellbook.TASK,
    "squares": Task(SquaresNet, squares_batch, squares_loss),
}
