"""Makes the two models of kingdoms: from cut-out boards and a club's own photos to `models/`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from torch import nn

from kdscan.errors import UsageError
from kdscan.imaging.rectify import FLAT_MARGIN, flatten, lattice
from kdscan.kinds.kingdom.classify import SIDE_PX, crops, looked_at
from kdscan.kinds.kingdom.locate import KingdomSearch
from kdscan.records import Photo
from kdscan.records.arrays import Network
from kdscan.synth.tiles import SQUARE_PX, Board
from kdscan.training.export import Calibrated, publish, to_onnx
from kdscan.training.kingdoms import KingdomExample, load, of_board, render
from kdscan.training.measure import as_network, best_temperature
from kdscan.training.state import Run, digest
from kdscan.training.supply import Given
from kdscan.training.tasks import TASKS
from kdscan.training.trainer import train

FIRST_SEED = 30_000_000
"""Seed of the first synthetic photo of kingdoms."""

FEWEST_STEPS = 20
"""The schedule of the learning rate needs a few."""

SHOWN = {"tiles": 2, "squares": 3}
"""How often a real board is shown for each time that a synthetic photo is."""


@dataclass(frozen=True)
class Recipe:
    """How the models are made. photos: synthetic ones. effort: share of the steps that are
    taken. again: share of them that are trained once more with the boards that were held
    back for measuring; 0 for none."""

    photos: int = 500
    steps: tuple[tuple[str, int], ...] = (("tiles", 2000), ("squares", 1600))
    effort: float = 1.0
    again: float = 0.0
    about: str = ""


def split(boards: Sequence[Board], held: str) -> tuple[list[Board], list[Board]]:
    """Boards to train on and boards held back, `held` as in "0/2": every second kingdom.

    Boards of one kingdom stay together. Raises UsageError when nothing is left to train on,
    or `held` is no such share.
    """
    part, _, parts = (int(n) if n.isdecimal() else -1 for n in held.partition("/"))
    if not 0 <= part < parts:
        raise UsageError(f"--held {held}: say which part of how many, as in 0/5: each fifth")
    names = sorted({board.kingdom for board in boards}, key=lambda name: (len(name), name))
    back = {name for n, name in enumerate(names) if n % parts == part}
    train = [board for board in boards if board.kingdom not in back]
    if not train:
        raise UsageError("there are too few kingdoms to hold some back; photograph more of them")
    return train, [board for board in boards if board.kingdom in back]


def make_models(
    boards: Sequence[Board],
    held: str,
    recipe: Recipe,
    out: Path,
    models: Path,
    version: str,
    surfaces: Path | None,
) -> None:
    """Train on most kingdoms, measure on those held back, and write both models with cards."""
    cv2.setNumThreads(0)  # its threads do not survive the forks of the loader
    train, back = split(boards, held)
    for name, usual in recipe.steps:
        steps = max(FEWEST_STEPS, round(recipe.effort * usual))
        more = max(FEWEST_STEPS, round(recipe.again * steps)) if recipe.again and back else 0
        net = _fit(name, train, recipe, steps, out / "held", surfaces, None)
        figures = FIGURES[name](net, back) if back else {}
        print(f"{name}: {figures}", file=sys.stderr)
        warmth = temperature(net, back) if name == "squares" and back else 1.0
        if more:
            start = out / "held" / f"{name}.pt"
            net = _fit(name, boards, recipe, more, out / "all", surfaces, start)
        card: dict[str, Any] = {
            "steps": steps,
            "steps_with_all_boards": more,
            "batch": TASKS[name].size,
            "learning_rate": TASKS[name].rate,
            "synthetic_photos": recipe.photos,
            "training_seed": FIRST_SEED,
            "boards": len(boards),
            "held_back": sorted({board.kingdom for board in back}),
            "data": recipe.about,
            "parameters": sum(p.numel() for p in net.parameters()),
            "figures": figures,
        }
        if name == "squares":
            card["temperature"] = warmth
            net = Calibrated(net, (warmth,))
        publish(models, name, version, to_onnx(name, net, version), card)


def _fit(
    name: str,
    boards: Sequence[Board],
    recipe: Recipe,
    steps: int,
    out: Path,
    surfaces: Path | None,
    start: Path | None,
) -> nn.Module:
    rendered = out / "kingdoms.pickle"
    if not rendered.exists():
        render(rendered, list(boards), FIRST_SEED, recipe.photos, surfaces, 2)
    examples: list[KingdomExample] = [
        e for e in load(rendered) if name == "tiles" or e.flats
    ] + SHOWN[name] * [of_board(board) for board in boards]
    task = TASKS[name]
    run = Run(name, steps, task.rate, parent=digest(start) if start else "")
    return train(task, run, Given(examples), out / name, start=start, resume=True)


def squares_logits(
    net: nn.Module, boards: Sequence[Board]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Logits (N, K) and truth (N,) of all squares of the boards, looked at as a reading does."""
    network, logits, kinds = as_network(net), [], []
    for board in boards:
        rows, cols = board.kinds.shape
        centers = (lattice(rows, cols) + 0.5) * SQUARE_PX - 0.5
        flat = flatten(Photo(board.bgr), centers, SIDE_PX, FLAT_MARGIN)
        logits.append(looked_at(crops(flat, rows, cols), network))
        kinds.append(board.kinds.ravel())
    return np.concatenate(logits), np.concatenate(kinds)


def temperature(net: nn.Module, boards: Sequence[Board]) -> float:
    """Temperature of the squares' logits that fits the held-back boards best; never less than 1,
    because a few boards that are read without an error would fit the surer the better."""
    return max(1.0, best_temperature(*squares_logits(net, boards)))


def squares_figures(net: nn.Module, boards: Sequence[Board]) -> dict[str, float]:
    """Share of squares and of whole boards whose every kind is right, before any rule."""
    logits, kinds = squares_logits(net, boards)
    right = logits.argmax(1) == kinds
    ends = np.cumsum([board.kinds.size for board in boards])[:-1]
    whole = [bool(part.all()) for part in np.split(right, ends)]
    return {"squares": float(right.mean()), "boards": float(np.mean(whole)), "of": len(boards)}


def tiles_figures(net: nn.Module, boards: Sequence[Board]) -> dict[str, float]:
    """Share of squares of cut-out boards that were seen, and how far off, in squares."""
    network: Network = as_network(net)
    away, wanted = [], 0
    for board in boards:
        found = KingdomSearch(Photo(board.bgr), network).lattices()
        seen = found[0].centers_xy[found[0].seen] if found else np.zeros((0, 2))
        centers = (lattice(*board.kinds.shape)[board.kinds > 0] + 0.5) * SQUARE_PX - 0.5
        wanted += len(centers)
        if len(seen):
            far = np.linalg.norm(centers[:, None] - seen[None], axis=-1).min(1) / SQUARE_PX
            away += [float(f) for f in far if f < 0.4]
    return {
        "seen": len(away) / max(wanted, 1),
        "error_median": float(np.median(away)) if away else 1.0,
        "error_95": float(np.quantile(away, 0.95)) if away else 1.0,
        "of": len(boards),
    }


FIGURES = {"tiles": tiles_figures, "squares": squares_figures}
