"""Accuracy of every stage on photos with known truth, with 95% Wilson intervals.

    python -m lab.synth data/photos --count 300      makes photos of unseen designs
    python -m lab.benchmarks.accuracy data/photos           measures on them
    python -m lab.benchmarks.accuracy samples --show wrong  and keeps pictures of what went wrong

found     photos in which exactly one map was reported
placed    cells reported within 0.25 cells of the true centre
coat, crosses, cell   shields read right
board     photos with all 34 shields right
score     photos with the right total
silent    photos whose total is wrong but not flagged for review
review    photos flagged for review
"""

from __future__ import annotations

import json
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_overlay
from lab.benchmarks.shared import (
    SHIELDS,
    astray,
    folder_of_photos,
    interval,
    maps_in,
    parser,
    photo_in,
    wilson,
)
from lab.training.measure import expected_calibration_error

KEYS = ("found", "placed", "coat", "crosses", "cell", "board", "score", "silent", "review")


def judge(truth: dict[str, Any], sheet: MapReading | None) -> dict[str, float]:
    """Metrics of one photo, each from 0 to 1; a photo without a map is wrong in all of them."""
    out = dict.fromkeys(KEYS, 0.0)
    if sheet is None:
        return out
    out["placed"] = float(np.mean(astray(truth, sheet.rectified.centers_xy[SHIELDS]) < 0.25))
    for cell in sheet.board_estimate.cells:
        coat, crosses = truth["board"].get(f"{cell.row},{cell.col}", (None, 0))
        same = (cell.coat == coat, cell.crosses == crosses)
        out["coat"] += same[0] / len(CELLS)
        out["crosses"] += same[1] / len(CELLS)
        out["cell"] += all(same) / len(CELLS)
    right = sheet.score.domain_points == truth["score"]
    out["found"], out["board"] = 1.0, float(out["cell"] > 1 - 1e-9)
    out["score"], out["review"] = float(right), float(sheet.board_estimate.review)
    out["silent"] = float(not right and not sheet.board_estimate.review)
    return out


def draw_curves(path: Path, said: np.ndarray, right: np.ndarray) -> None:
    """Reliability diagram and risk-coverage curve of the totals, as one picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, other) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for group in np.array_split(np.argsort(said), 10):
        low, high = wilson(float(right[group].mean()), len(group))
        left.plot([said[group].mean()] * 2, [low, high], color="#9a7b4f", lw=1.5)
        left.plot(said[group].mean(), right[group].mean(), "o", color="#5b3a1e")
    left.plot([0, 1], [0, 1], ":", color="grey")
    left.set(xlabel="confidence that was stated", ylabel="share of totals that were right")
    left.set_title("Reliability")
    wrong = np.cumsum(~right[np.argsort(-said)]) / np.arange(1, len(said) + 1)
    other.plot(100 * np.arange(1, len(said) + 1) / len(said), 100 * wrong, color="#5b3a1e")
    other.set(xlabel="photos accepted, surest first (%)", ylabel="wrong among them (%)")
    other.set_title("Risk and coverage")
    for axes in (left, other):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def show(folder: Path, photo: Photo, path: Path, truth: dict[str, Any], sheet: MapReading) -> None:
    """Save the overlay of a wrong reading, and the rectified sheet with its errors."""
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{path.stem}.png"), draw_overlay(photo, [sheet]))
    flat = sheet.rectified.bgr.copy()
    for cell in sheet.board_estimate.cells:
        coat, crosses = truth["board"].get(f"{cell.row},{cell.col}", (None, 0))
        if (cell.coat, cell.crosses) != (coat, crosses):
            said = f"{coat} {crosses} not {cell.coat} {cell.crosses} {cell.confidence:.2f}"
            x, y = (round((at + FLAT_MARGIN) * FLAT_PX) for at in (cell.col, cell.row))
            cv2.putText(flat, said, (x, y + 16), 0, 0.5, (0, 0, 255), 1, cv2.LINE_AA)
    cv2.imwrite(str(folder / f"{path.stem}-flat.png"), flat)


def read(path: Path) -> tuple[MapReading, ...]:
    """The maps in a file's photo."""
    return maps_in(photo_in(path))


def main() -> None:
    """Read every photo of the folder and print the table."""
    options = parser(__doc__)
    options.add_argument("folder", type=folder_of_photos)
    options.add_argument("--show", type=Path, help="folder for pictures of wrong readings")
    options.add_argument("--curves", type=Path, help="picture of calibration and of what it costs")
    args = options.parse_args()
    if args.curves and find_spec("matplotlib") is None:  # before hours of reading
        options.error("--curves needs matplotlib: pip install -e '.[train]'")
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    said: list[tuple[float, bool]] = []
    paths = sorted(args.folder.glob("*.jpg"))
    with ProcessPoolExecutor(initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        readings = list(zip(paths, pool.map(read, paths, chunksize=4), strict=True))
    for path, sheets in readings:
        truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
        figures = judge(truth, sheets[0] if len(sheets) == 1 else None)
        if len(sheets) == 1:
            said.append((sheets[0].board_estimate.confidence, figures["score"] == 1))
        if args.show and figures["board"] < 1:
            print(
                path.name, truth["level"], len(sheets), {k: round(v, 3) for k, v in figures.items()}
            )
            for sheet in sheets[:1]:
                show(args.show, photo_in(path), path, truth, sheet)
        for group in ("all", truth["level"], truth["design"]):
            groups[group].append(figures)
    print(f"{'':12s}{'photos':>7s}" + "".join(f"{k:>9s}" for k in KEYS))
    for name, rows in sorted(groups.items(), key=lambda g: (g[0] != "all", g[0])):
        mean = {k: float(np.mean([row[k] for row in rows])) for k in KEYS}
        print(f"{name:12s}{len(rows):7d}" + "".join(f"{100 * mean[k]:8.2f}%" for k in KEYS))
    for key in ("found", "board", "silent", "review"):
        rows = groups["all"]
        print(f"{key}: {interval(float(np.mean([row[key] for row in rows])), len(rows))}")
    if said:
        stated, right = np.array(said).T
        error = expected_calibration_error(stated, right)
        print(f"expected calibration error of totals: {error:.3f}")
        if args.curves:
            draw_curves(args.curves, stated, right.astype(bool))


if __name__ == "__main__":
    main()
