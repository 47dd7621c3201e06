"""Photos of sheets whose circles are crossed out in real ink, for `accuracy.py`.

    python benchmarks/ink.py INK data/ink --count 300     makes both sets below
    python benchmarks/accuracy.py data/ink/real           crosses cut from photos of pen on paper
    python benchmarks/accuracy.py data/ink/drawn          the generator's, on the same boards

INK holds small photos of crosses that people drew in a diamond, and labels.csv (file, label,
writer; the labels `xgate` and `plusgate` are used), like the excerpt of hdBPMN (CC BY 4.0).
A cross is cut out as its transmittance, and multiplied onto the page; all crosses of a sheet are by
one writer. Designs, coats, boards and cameras are those of `kdscan.synth`.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from shared import folder_with, parser

from kdscan.game.duel.board import Board, Shield
from kdscan.synth.fields import any_of
from kdscan.synth.photo.camera import HAND_HELD
from kdscan.synth.scene import DrawnPage, draw_page, played_board, random_page, save_photo, shoot

FEWEST = 3
"""Writers with fewer crosses are left out, because a sheet would repeat them."""


def cut(bgr: NDArray[np.uint8]) -> NDArray[np.float32] | None:
    """Transmittance of the cross in the middle of a photo: (h, w, 3) float32 in 0..1.

    None if there is no separate cross, clear of the diamond around it.
    """
    wide = cv2.morphologyEx(cv2.medianBlur(bgr, 3), cv2.MORPH_CLOSE, np.ones((23, 23)))
    paper = cv2.GaussianBlur(wide, (0, 0), 7).astype(np.float32)
    through = np.clip(bgr / np.maximum(paper, 1), 0, 1).astype(np.float32)
    grey = (through.min(axis=-1) * 255).astype(np.uint8)
    height, width = grey.shape
    level, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_OTSU)
    dark = (grey < np.clip(level, 120, 200)).astype(np.uint8)
    _, parts, boxes, centers = cv2.connectedComponentsWithStats(dark, connectivity=8)
    low, high = (boxes[:, :2], boxes[:, :2] + boxes[:, 2:4])
    size = np.array((width, height))
    inner = (low > 0.16 * size).all(axis=1) & (high < 0.84 * size).all(axis=1)
    near = np.hypot(*(centers - size / 2).T) < 0.22 * size.min()
    kept = np.flatnonzero(inner & near & (boxes[:, cv2.CC_STAT_AREA] >= 12))
    ink = np.isin(parts, kept).astype(np.uint8)
    if ink.sum() < 40:
        return None
    x, y, w, h = cv2.boundingRect(ink)
    if max(w, h) < 15 or min(w, h) < 10:
        return None
    soft = cv2.GaussianBlur(cv2.dilate(ink, np.ones((5, 5))).astype(np.float32), (0, 0), 0.8)
    there = np.s_[max(y - 3, 0) : y + h + 3, max(x - 3, 0) : x + w + 3]
    return np.asarray(1 - (1 - through[there]) * soft[there][..., None], np.float32)


def crosses_by_hand(folder: Path) -> list[list[NDArray[np.float32]]]:
    """The crosses of each writer and kind, x or plus, with at least `FEWEST`."""
    found = defaultdict(list)
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            picture = cv2.imread(str(folder / row["file"]))
            if row["label"] in ("xgate", "plusgate") and picture is not None:
                ink = cut(np.asarray(picture, np.uint8))
                if ink is not None:
                    found[row["writer"], row["label"]].append(ink)
    return [hand for _, hand in sorted(found.items()) if len(hand) >= FEWEST]


def paste(
    page: DrawnPage, board: Board, hand: list[NDArray[np.float32]], rng: np.random.Generator
) -> None:
    """Cross out as many circles of each shield as the board has crosses, in place."""
    layout, px = page.layout, page.px_per_mm
    radius = layout.circle_radius_mm
    size, in_order = float(rng.uniform(0.8, 1.2)), bool(rng.random() < 0.75)
    for cell, shield in board.items():
        order = np.arange(len(layout.circles))
        for i in (order if in_order else rng.permutation(order))[: shield.crosses]:
            at = np.array(layout.circles[i]) + layout.center_mm(*cell)
            at = (at + rng.normal(0, 0.12 * radius, 2)) * px
            ink = hand[int(rng.integers(len(hand)))]
            scale = 2 * radius * px * size * rng.uniform(0.9, 1.3) / max(ink.shape[:2])
            kind = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            ink = np.clip(cv2.resize(ink, None, fx=scale, fy=scale, interpolation=kind), 0, 1)
            h, w = ink.shape[:2]
            x, y = (round(float(v)) for v in at - (w / 2, h / 2))
            x0, y0 = max(x, 0), max(y, 0)
            patch = page.bgr[y0 : y + h, x0 : x + w]
            over = ink[y0 - y :, x0 - x :][: patch.shape[0], : patch.shape[1]]
            patch[:] = (patch * over + 0.5).astype(np.uint8)


def within_circles(rng: np.random.Generator, circles: int) -> tuple[Board, bool]:
    """A played board with no more crosses on any shield than there are circles."""
    while True:
        board, used = played_board(rng)
        if max(shield.crosses for shield in board.values()) <= circles:
            return board, used


def main() -> None:
    """Write FOLDER/real and FOLDER/drawn: NUMBER.jpg and NUMBER.json for each seed."""
    options = parser(__doc__)
    options.add_argument("ink", type=folder_with("labels.csv"))
    options.add_argument("folder", type=Path)
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--first", type=int, default=53_000_000, help="seed of the first one")
    args = options.parse_args()
    hands = crosses_by_hand(args.ink)
    print(f"{sum(map(len, hands))} crosses by {len(hands)} hands")
    for seed in range(args.first, args.first + args.count):
        rng = np.random.default_rng([seed, 5])
        level = any_of(rng, HAND_HELD)
        size = (2016, 1512) if rng.random() < 0.5 else (1512, 2016)
        design = random_page(rng)
        board, used = within_circles(rng, len(design[0].circles))
        bare = Board({cell: Shield(shield.coat) for cell, shield in board.items()})
        for kind in ("real", "drawn"):
            again = np.random.default_rng([seed, 9])
            played = (bare if kind == "real" else board, used)
            page = draw_page(again, page=design, played=played)
            if kind == "real":
                own = np.random.default_rng([seed, 10])
                paste(page, board, hands[int(own.integers(len(hands)))], own)
            photo = shoot(np.random.default_rng([seed, 6]), page, level, size_wh=size)
            truth = {"seed": seed} | replace(photo, board=board).truth()
            path = args.folder / kind / f"{seed:08d}.jpg"
            save_photo(path, photo.bgr, truth)


if __name__ == "__main__":
    main()
