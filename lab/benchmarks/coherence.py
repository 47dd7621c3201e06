"""How much the marks of one hand explain each other.

    python -m lab.benchmarks.coherence             12 designs, 34 hands each: 408 sheets

On every design 34 hands draw a sheet each. The shields are read on their own sheets, and once more
when they are dealt out anew, so that each shield of a sheet is by another hand on the same print.
The crops are the same both times; only those beside them differ. As the network never saw such
mixtures, the difference is the most that a hand's coherence can give. Sheets are seen from straight
above; half of the designs are painted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np

from kdscan.imaging.encode import jpeg
from kdscan.imaging.photo import decode
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX, flatten
from kdscan.inference.store import MARKS, default_models
from kdscan.marks.crops import CellCrops, segment
from kdscan.marks.network import MarkProbs, average, predict
from kdscan.rules.duel.board import CELLS
from lab.benchmarks.shared import parser
from lab.synth.fields import Rng
from lab.synth.scene import DrawnPage, draw_page, random_page

FIRST_SEED = 66_000_000
"""Of designs and hands; no training uses it."""

PX_PER_CELL = (60, 110)
"""Range of the pictures' resolution."""

HANDS = len(CELLS)


def seen(page: DrawnPage, rng: Rng) -> CellCrops:
    """The crops of a sheet from a slightly blurred JPEG."""
    scale = rng.uniform(*PX_PER_CELL) / (page.layout.cell_mm[0] * page.px_per_mm)
    small = cv2.resize(page.bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.3, 1.2))
    photo = Photo(decode(jpeg(np.asarray(soft, np.uint8), 90))[0].bgr)
    centers = page.centers_mm * page.px_per_mm * scale - 0.5
    return segment(flatten(photo, centers, FLAT_PX, FLAT_MARGIN))


def dealt(sheets: Sequence[CellCrops]) -> list[CellCrops]:
    """The sheets with shield k of sheet s taken from sheet s + k; castles stay."""
    ink = np.stack([sheet.ink for sheet in sheets])
    coarse = np.stack([sheet.coarse for sheet in sheets])
    cells = np.arange(HANDS + 1)
    steps = np.append(cells[:-1], 0)
    hands = [(s + steps) % HANDS for s in range(HANDS)]
    return [CellCrops(ink[by, cells], coarse[by, cells]) for by in hands]


def count(probs: MarkProbs, meant: Sequence[tuple[int, int]], wrong: Counter[str]) -> None:
    """Add a sheet's errors: coats, crosses, shields with either, and what was read for what."""
    for coat, crosses, (is_coat, is_crosses) in zip(probs.coat, probs.crosses, meant, strict=True):
        read = int(coat.argmax()), int(crosses.argmax())
        wrong["coats"] += read[0] != is_coat
        wrong["crosses"] += read[1] != is_crosses
        wrong["shields"] += read != (is_coat, is_crosses)
        if read[0] != is_coat:
            wrong[f"{MARKS[is_coat]} read as {MARKS[read[0]]}"] += 1


def truth(page: DrawnPage) -> list[tuple[int, int]]:
    """The coat, an index into `MARKS`, and the crosses of each shield."""
    shields = [page.board.get(cell) for cell in CELLS]
    return [(MARKS.index(str(s.coat)), s.crosses) if s else (0, 0) for s in shields]


def main() -> None:
    """Print the errors of each design so far, and at the end what they are."""
    options = parser(__doc__)
    options.add_argument("--designs", type=int, default=12, help="with 34 sheets each")
    designs = options.parse_args().designs
    network = default_models().marks
    wrong: dict[str, Counter[str]] = {"one hand": Counter(), "34 hands": Counter()}
    for design in range(designs):
        rng = np.random.default_rng(FIRST_SEED + design)
        page = random_page(rng, "painted" if design % 2 else "pale")
        drawn = [draw_page(rng, page=page) for _ in range(HANDS)]
        meant = [truth(one) for one in drawn]
        sheets = [seen(one, rng) for one in drawn]
        mixed = [[meant[(s + k) % HANDS][k] for k in range(HANDS)] for s in range(HANDS)]
        for how, crops, are in (("one hand", sheets, meant), ("34 hands", dealt(sheets), mixed)):
            for sheet, one in zip(crops, are, strict=True):
                probs = average(list(predict(sheet, network)), 1.0, np.zeros(0))
                count(probs, one, wrong[how])
        so_far = ", ".join(f"{how} {errors['shields']}" for how, errors in wrong.items())
        print(f"{design + 1} designs, shields wrong: {so_far}", flush=True)
    for how, errors in wrong.items():
        listed = ", ".join(f"{what} {n}" for what, n in errors.most_common(12))
        print(f"{how}, of {designs * HANDS * HANDS}: {listed}")


if __name__ == "__main__":
    main()
