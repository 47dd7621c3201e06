"""The benefit of two photos of one sheet over one: makes the photos and measures.

    python -m lab.benchmarks.fusion --sheets 100

Each sheet has a random design and is photographed twice, from different sides, in different light,
on different tables. Compared are the first photo, the more certain of both, and both fused by
`kdscan.sheets.fusion`. Only pairs recognised as one sheet are counted, because others are not
fused. Figures are shares of sheets, with 95% Wilson intervals.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import cv2
import numpy as np

from kdscan.errors import NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.base import maps_of
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.fusion import fuse_sheets
from lab.benchmarks.shared import judged_map, parser, with_interval
from lab.synth.fields import any_of
from lab.synth.photo.camera import HAND_HELD
from lab.synth.scene import DrawnPage, draw_page, shoot

FIRST_SEED = 28_000_000

Tally = dict[str, list[tuple[float, bool, bool, bool]]]


def photos_of(page: DrawnPage, seed: int) -> list[MapReading]:
    """The readings of a sheet from each of two photos; fewer if it is not found."""
    found: list[MapReading] = []
    for k in range(2):
        rng = np.random.default_rng([seed, k])
        shot = shoot(rng, page, any_of(rng, HAND_HELD), size_wh=(2016, 1512))
        try:
            found += maps_of(read_photo(Photo(shot.bgr)))
        except NoSheetFound:
            continue
    return found


def judge(page: DrawnPage, sheet: MapReading) -> tuple[float, bool, bool, bool]:
    """Share of shields right; board right; flagged for review; silently wrong."""
    found = judged_map(page.board, [sheet])
    return 1 - found.wrong / len(CELLS), found.board, found.ask, found.silent


def table(tally: Tally) -> str:
    """Rows of Markdown."""
    rows = [
        "| | sheets | shields | boards | flagged for review | silently wrong |",
        "|---" * 6 + "|",
    ]
    for name, judged in tally.items():
        shares = np.array(judged, float).mean(0)
        n = len(judged)
        cells = [f"{shares[0]:.2%}"]
        cells += [with_interval(float(share), n) for share in shares[1:]]
        rows.append(f"| {name} | {n} | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Make the photos, read them, print the table."""
    options = parser(__doc__)
    options.add_argument("--sheets", type=int, default=50)
    args = options.parse_args()
    cv2.setNumThreads(1)
    tally: Tally = defaultdict(list)
    pairs = known = 0
    for seed in range(FIRST_SEED, FIRST_SEED + args.sheets):
        page = draw_page(np.random.default_rng([seed, 9]))
        sheets = photos_of(page, seed)
        if len(sheets) != 2:
            continue
        pairs += 1
        fused = fuse_sheets({(k, 0): sheet for k, sheet in enumerate(sheets)})
        if not fused:
            continue
        known += 1
        tally["the first photo"].append(judge(page, sheets[0]))
        tally["the surer of two"].append(judge(page, sheets[fused[0].best[0]]))
        tally["two together"].append(judge(page, fused[0].sheet))
        print(f"{pairs} pairs, {known} taken for one sheet", end="\r", file=sys.stderr)
    print(table(tally))
    print(f"\n{known} of {pairs} pairs were taken for one sheet.")


if __name__ == "__main__":
    main()
