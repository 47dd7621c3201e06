"""Metrics of trained networks on held-out examples: designs and handwriting never trained on."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from kdscan.detection.find import register
from kdscan.detection.locate import SheetOutline, locate
from kdscan.imaging.arrays import sigmoid
from kdscan.imaging.picture import (
    CENTERS,
    FLAT_MARGIN,
    FLAT_PX,
    GRID_CORNERS,
    Network,
    Photo,
    lattice_to_flat,
)
from kdscan.marks.crops import segment
from kdscan.rules.duel.board import CELLS, COLS
from lab.synth.fields import F64, I64, Bools, u8
from lab.training.dataset import COARSE_MARGIN, COARSE_PX, UNKNOWN, WIDE_MARGIN, Example, unpack

CORNERS = np.s_[[0, 0, -1, -1], [0, -1, -1, 0]]
"""Indices of the grid's corners among `NODES`, in the order of `SheetOutline`."""

TURNED = [2, 3, 0, 1]
"""Order of the corners of a grid that is upside down."""

MarksLogits = tuple[F64, F64, I64, I64]
"""Logits of coats (N, 7) and crosses (N, 5) of all shields of some sheets, and their labels, (N,)
each."""


def marks_logits(net: Network, examples: Sequence[Example]) -> MarksLogits:
    """Logits of the marks network for some sheets; net: an inference graph, see `OneSheet`.
    Sheets are displaced as they are after registration, by about 3 pixels of 128."""
    rng = np.random.default_rng(0)
    coats, crosses = [], []
    pad = round((WIDE_MARGIN - FLAT_MARGIN) * FLAT_PX)
    for example in examples:
        flat = unpack(example.flat)
        h, w = flat.shape[:2]
        m = np.array([[1, 0, rng.normal(0, 3) - pad], [0, 1, rng.normal(0, 3) - pad]])
        inner = cv2.warpAffine(flat, m, (w - 2 * pad, h - 2 * pad), borderMode=cv2.BORDER_REPLICATE)
        crops = segment(u8(inner))
        coat, cross, *_ = net(crops.ink, crops.coarse)
        coats.append(coat[0])
        crosses.append(cross[0])
    return (
        np.concatenate(coats).astype(np.float64),
        np.concatenate(crosses).astype(np.float64),
        np.concatenate([e.coat for e in examples]),
        np.concatenate([e.crosses for e in examples]),
    )


def best_temperature(logits: F64, truth: I64) -> float:
    """The temperature of logits (N, K) with the lowest cross entropy, by a grid search in log
    space."""

    def loss(t: float) -> float:
        z = logits / t
        z = z - z.max(1, keepdims=True)
        return float(np.mean(np.log(np.exp(z).sum(1)) - z[np.arange(len(z)), truth]))

    return float(min(np.exp(np.linspace(np.log(0.4), np.log(3), 80)), key=loss))


def logistic_regression(features: F64, true: Bools, usual: F64, weight: F64) -> list[float]:
    """Maximum a posteriori weights (K,) of features (N, K), rounded. usual, weight: (K,), means of
    their normal prior and its precisions."""
    fit = usual

    def loss(fit: F64) -> float:
        z = features @ fit
        return float((np.logaddexp(0, z) - true * z).sum() + weight @ (fit - usual) ** 2 / 2)

    for _ in range(50):  # Newton's method with step halving; the loss is convex
        p = sigmoid(np.clip(features @ fit, -500, 500))
        gradient = features.T @ (p - true) + weight * (fit - usual)
        hessian = (features * (p * (1 - p))[:, None]).T @ features + np.diag(weight)
        step = np.linalg.solve(hessian, gradient)
        while loss(fit - step) > loss(fit) and np.abs(step).max() > 1e-9:
            step = step / 2
        fit = fit - step
    return [round(float(value), 4) for value in fit]


def expected_calibration_error(stated: F64, right: F64) -> float:
    """Mean gap between stated probabilities (N,) and outcomes (N,), 0 or 1, over ten bins of equal
    numbers.

    (Naeini, Cooper and Hauskrecht, AAAI 2015; equal-mass bins after Nixon et al., 2019.)
    """
    bins = [part for part in np.array_split(np.argsort(stated), 10) if len(part)]
    gaps = [len(part) * abs(stated[part].mean() - right[part].mean()) for part in bins]
    return float(sum(gaps) / len(stated))


def marks_figures(logits: MarksLogits) -> dict[str, float]:
    """Accuracy of shields, and of sheets with all 34 right; unknown labels are ignored."""
    coat, cross, true_coat, true_cross = logits
    known = true_coat != UNKNOWN
    right_coat, right_cross = coat.argmax(1) == true_coat, cross.argmax(1) == true_cross
    both = right_coat & right_cross
    boards = (both | ~known).reshape(-1, len(CELLS)).all(1)
    return {
        "coat": float(right_coat[known].mean()),
        "crosses": float(right_cross[known].mean()),
        "cell": float(both[known].mean()),
        "board": float(boards.mean()),
        "sheets": len(boards),
        "shields": int(known.sum()),
    }


def locate_figures(net: Network, examples: Sequence[Example]) -> dict[str, float]:
    """Share of thumbnails in which one map is found, and its corner errors in cells, for the better
    of the two orientations."""
    found, errors = 0, []
    for example in examples:
        outlines = locate(Photo(unpack(example.thumb)), net).outlines
        if not outlines:
            continue
        nodes = example.thumb_nodes.astype(np.float64)
        cell = float(np.linalg.norm(nodes[5, -1] - nodes[5, 0])) / COLS
        true = nodes[CORNERS]
        error = min(
            float(np.linalg.norm(outlines[0].corners_xy - way, axis=1).max())
            for way in (true, true[TURNED])
        )
        errors.append(error / cell)
        found += len(outlines) == 1
    n = len(examples)
    figures = {"found_one": found / n, "photos": n}
    figures["within_half_a_cell"] = float(np.sum(np.array(errors) < 0.5) / n)
    if errors:
        figures["corner_error_median"] = float(np.median(errors))
        figures["corner_error_95"] = float(np.quantile(errors, 0.95))
    return figures


def refine_figures(net: Network, examples: Sequence[Example]) -> dict[str, float]:
    """Registration from outlines with corner errors of 0.25 cells, half of them upside down: shares
    of cells in place and of upright grids."""
    rng = np.random.default_rng(0)
    placed, upright = [], []
    ideal = lattice_to_flat(CENTERS, COARSE_PX, COARSE_MARGIN)
    for example in examples:
        photo = Photo(unpack(example.coarse))
        corners = lattice_to_flat(GRID_CORNERS, COARSE_PX, COARSE_MARGIN) + rng.normal(
            0, 0.25 * COARSE_PX, (4, 2)
        )
        if rng.random() < 0.5:
            corners = corners[TURNED]
        centers, _ = register(photo, SheetOutline(corners, 1.0), net)
        error = np.linalg.norm(centers - example.coarse_centers, axis=-1) / COARSE_PX
        placed.append(float(np.mean(error < 0.1)))
        upright.append(bool(np.linalg.norm(centers[0, 0] - ideal[0, 0]) < 2 * COARSE_PX))
    return {
        "within_a_tenth_of_a_cell": float(np.mean(placed)),
        "upright": float(np.mean(upright)),
        "sheets": len(examples),
    }
