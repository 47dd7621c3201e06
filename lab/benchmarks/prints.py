"""Known prints: is a wrong one ever accepted as a sheet's own?

    python -m lab.synth.pads data/pads --pads 12 --filled 10
    python -m lab.benchmarks.prints data/pads --prints 70

Every filled sheet of every pad is compared with the prints of all other pads and with generated
ones, each on its own and whichever way up. The right print is the pad's blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from kdscan.detection.find import find_maps
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import flatten
from kdscan.inference.store import default_models
from kdscan.templates.describe import unknown_print
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX, KnownPrint
from kdscan.templates.learn import learn_print, register_either_way
from kdscan.templates.recognize import SURELY, recognize
from lab.benchmarks.shared import (
    folder_of_pads,
    pads_in,
    parser,
    photo_in,
    sheets_of,
)
from lab.synth.pads import pad_blank, pad_print

FIRST = 71_000_000
"""Seed of the first generated print."""
ROUNDS = 7
HELD_BACK = 3


def blank_of(pad: Path) -> KnownPrint:
    """A pad's print, learned from its blank sheet."""
    photo = photo_in(pad / "blank.jpg")
    return learn_print([photo], pad.name, default_models(), unmarked=True)


def generated(number: int) -> Iterator[KnownPrint]:
    """Prints of pads that were not photographed."""
    by = default_models()
    for seed in range(FIRST, FIRST + 3 * number):
        shot = pad_blank(seed, pad_print(seed), "easy", (1600, 1200))
        photo = Photo(shot.bgr, str(seed))
        found = find_maps(photo, by.locate, by.refine)[0]
        if found:
            bgr = flatten(photo, found[0].centers_xy, PRINT_PX, PRINT_MARGIN)
            yield replace(unknown_print(str(seed)), bgr=bgr)
            number -= 1
        if not number:
            return


def pairs(folders: list[Path], number: int) -> None:
    """Count pairs, and those that would be mistaken for the same print."""
    by, pads = default_models(), pads_in(*folders)
    own = [blank_of(pad) for pad in pads]
    others = list(generated(number))
    print(f"{len(own)} pads, {len(others)} generated prints", flush=True)
    wrong: list[float] = []
    right: list[float] = []
    taken, of = 0, 0
    for k, pad in enumerate(pads):
        for path in sheets_of(pad):
            photo = photo_in(path)
            found = find_maps(photo, by.locate, by.refine)[0]
            if not found:
                continue
            centers = found[0].centers_xy
            strange = [known for n, known in enumerate(own) if n != k] + others
            wrong += [register_either_way(known, photo, centers).likeness for known in strange]
            right.append(register_either_way(own[k], photo, centers).likeness)
            seen = recognize(photo, centers, [*own, *others])
            taken, of = taken + (seen is not None and seen.known.name == pad.name), of + 1
        most = np.max(wrong)
        print(f"{pad.name:16s}{len(wrong):8d} pairs, most alike {most:.3f}", flush=True)
    over = sum(value >= SURELY for value in wrong)
    print(f"wrong pairs: {len(wrong)}, taken for one print: {over}, most alike {max(wrong):.3f}")
    low = np.quantile(right, [0, 0.05, 0.5]).round(3).tolist()
    print(f"right pairs: {len(right)}, found: {sum(value >= SURELY for value in right)}")
    print(f"their likeness, least, 5%, median: {low}")
    print(f"named rightly among {len(own) + len(others)}: {taken} of {of}")


def main() -> None:
    """Count pairs, and those that would be mistaken for the same print."""
    options = parser(__doc__)
    options.add_argument("folders", nargs="+", type=folder_of_pads)
    options.add_argument("--prints", type=int, default=70)
    args = options.parse_args()
    cv2.setNumThreads(1)
    pairs(args.folders, args.prints)


if __name__ == "__main__":
    main()
