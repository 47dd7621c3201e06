"""Accuracy on flat scans, one row per setting: resolution, colour, print scale, skew, turns.

    python -m lab.benchmarks.scans                      everything
    python -m lab.benchmarks.scans --dpi 150 600 --sheets 8
    python -m lab.benchmarks.scans --show out/          keep pictures of wrong readings

Sheets are drawn by `lab.synth` (our own and random designs), scanned by `scanner`, and read like
any photo.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from kdscan.imaging.picture import Photo
from kdscan.rules.duel.scoring import score_board
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_overlay
from lab.benchmarks.accuracy import KEYS, judge
from lab.benchmarks.scanner import Settings, scan
from lab.benchmarks.shared import maps_in, parser
from lab.synth.own import own_page
from lab.synth.scene import DrawnPage, draw_page, map_truth

FIRST = 23_000_000
"""Seed of the first sheet."""

DPI = (150, 200, 300, 400, 600)


@dataclass(frozen=True)
class Row:
    """A row of the table: scans with one thing in common."""

    name: str
    settings: Settings
    own: bool = True
    sheets_a_page: int = 1


def rows(dpis: tuple[int, ...]) -> list[Row]:
    """The rows to measure."""
    plain = Settings()
    out: list[Row] = [
        Row(f"{dpi} dpi, {color}", Settings(dpi=dpi, color=color))
        for dpi in dpis
        for color in ("color", "grey", "bilevel")
    ]
    for dpi in dpis:
        out.append(Row(f"{dpi} dpi, any design", Settings(dpi=dpi), own=False))
        out.append(Row(f"{dpi} dpi, two maps", Settings(dpi=dpi), sheets_a_page=2))
    out += [Row(f"printed at {s:.0%}", replace(plain, print_scale=s)) for s in (0.92, 0.96, 1.04)]
    out.append(Row("150 dpi, JPEG quality 40", Settings(dpi=150, quality=40)))
    out += [Row(f"turned by {90 * n}", replace(plain, quarter_turns=n)) for n in (1, 2, 3)]
    out += [Row(f"askew by {a} degrees", replace(plain, skew_deg=a)) for a in (-3.0, 1.0, 5.0)]
    out.append(Row("dark lid, askew", replace(plain, skew_deg=2.0, lid=30)))
    out.append(Row("small on a large page", replace(plain, print_scale=0.5)))
    return out


def truth_of(sheet: DrawnPage, centers_xy: np.ndarray) -> dict[str, object]:
    """The truth in the form that `accuracy.judge` expects."""
    score = score_board(sheet.board).domain_points
    return map_truth(sheet.board, centers_xy) | {"score": score}


def nearest(sheets: tuple[MapReading, ...], centers_xy: np.ndarray) -> MapReading | None:
    """The reading whose middle lies in the true sheet, or None."""
    pitch = np.linalg.norm(centers_xy[0, 6] - centers_xy[0, 0]) / 6
    away = [np.linalg.norm(s.rectified.centers_xy[2, 3] - centers_xy[2, 3]) for s in sheets]
    return sheets[int(np.argmin(away))] if away and min(away) < 2 * pitch else None


def measure(row: Row, sheets: int, show: Path | None) -> None:
    """Scan and read; print the row's means and the seconds per page."""
    figures, extra, seconds = [], 0, 0.0
    pages = max(1, sheets // row.sheets_a_page)
    for n in range(pages):
        rng = np.random.default_rng([FIRST, n])
        print_of = own_page(300) if row.own else None
        drawn = [
            draw_page(rng, page=print_of, messiness=float(rng.uniform(0, 0.5)))
            for _ in range(row.sheets_a_page)
        ]
        page = scan(rng, drawn, row.settings)
        began = time.perf_counter()
        found = maps_in(Photo(page.bgr))
        seconds += time.perf_counter() - began
        extra += max(0, len(found) - len(drawn))
        for sheet, centers in zip(drawn, page.centers_xy, strict=True):
            figures.append(judge(truth_of(sheet, centers), nearest(found, centers)))
        if show and any(f["board"] < 1 for f in figures[-len(drawn) :]):
            show.mkdir(parents=True, exist_ok=True)
            picture = draw_overlay(Photo(page.bgr), found)
            cv2.imwrite(str(show / f"{row.name.replace(' ', '-')}-{n}.jpg"), picture)
    means = [float(np.mean([f[k] for f in figures])) for k in KEYS]
    cells = "".join(f"{100 * m:8.2f}%" for m in means)
    print(f"{row.name:26s}{len(figures):5d}{cells}{extra:6d}{seconds / pages:7.2f}", flush=True)


def main() -> None:
    """Print the table."""
    options = parser(__doc__)
    options.add_argument("--dpi", type=int, nargs="+", default=DPI)
    options.add_argument("--sheets", type=int, default=12, help="sheets a row")
    options.add_argument("--only", default="", help="rows whose name holds this")
    options.add_argument("--show", type=Path)
    args = options.parse_args()
    heads = "".join(f"{k:>9s}" for k in KEYS)
    print(f"{'':26s}{'maps':>5s}{heads}{'extra':>6s}{'s':>7s}")
    for row in rows(tuple(args.dpi)):
        if args.only in row.name:
            measure(row, args.sheets, args.show)
    print("extra: maps found where there is none; s: seconds to read a page", file=sys.stderr)


if __name__ == "__main__":
    main()
