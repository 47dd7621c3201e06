"""Known prints: is a wrong one ever accepted as a sheet's own, and what does knowing one cost?

    python -m lab.synth.pads data/pads --pads 12 --filled 10
    python -m lab.benchmarks.prints pairs data/pads --prints 70       recognition, pair by pair
    OMP_NUM_THREADS=1 python -m lab.benchmarks.prints time            beside cv2.imread of a photo
    python -m lab.benchmarks.prints games data/pads --games 2 4 6 7   a pad that learns itself
    python -m lab.benchmarks.prints stages data/pads/00-any docs/pad-stages.jpg

pairs    every filled sheet of every pad is compared with the prints of all other pads and with
         generated ones, each on its own and whichever way up. The right print is the pad's blank.
time     process time of one thread for a photo of 12 megapixels, the least of several rounds.
games    boards right, wrong shields per sheet and sheets that ask, for the last three sheets of
         each pad, read with a print learned from that many of the others, and with the blank's.
         Sheets are in the form in which the pool keeps them.
stages   one picture per stage: photo, print, print found in the photo, ink, reading.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.find import find
from kdscan.detection.layout import UNKNOWN_LAYOUT
from kdscan.imaging.encode import jpeg
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import FLAT_MARGIN, flatten
from kdscan.inference.store import default_models
from kdscan.reader import read_photo
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_overlay
from kdscan.templates.align import align
from kdscan.templates.describe import unknown_print
from kdscan.templates.divide import divide
from kdscan.templates.drawing import draw_ink, draw_print
from kdscan.templates.dropout import drop_out
from kdscan.templates.flat import FlatSheet, coats_of, flat_sheet_at, from_bytes, to_bytes
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX, SHEET, KnownPrint
from kdscan.templates.learn import learn_flat_sheets, learn_print, register_either_way
from kdscan.templates.recognize import SURELY, recognize
from lab.benchmarks.shared import (
    CAMERA_QUALITY,
    folder_of_pads,
    folder_with,
    judged_map,
    maps_in,
    pads_in,
    parser,
    photo_in,
    sheets_of,
    true_board,
)
from lab.synth.pads import pad_blank, pad_print, pad_sheet

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
        found = find(photo, by.locate, by.refine)
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
            found = find(photo, by.locate, by.refine)
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


def least(work: Callable[[], Any]) -> float:
    """The least milliseconds of this process that the work takes."""
    spent = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        spent.append(1000 * (time.process_time() - began))
    return min(spent)


def clock(prints: int) -> None:
    """Time of recognising, aligning and dividing, beside a bare imread."""
    by, seed = default_models(), FIRST - 1
    page, size = pad_print(seed, "painted"), (4000, 3000)
    blank = Photo(pad_blank(seed, page, "easy", (2000, 1500)).bgr, "blank")
    known = learn_print([blank], "pad", by, unmarked=True)
    every = [known, *generated(prints - 1)]
    for one in every:
        _ = one.signature, one.normalized
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "photo.jpg")
        shot = pad_sheet(seed, 1, page, "easy", size, messiness=0.0, dice=False)
        path.write_bytes(jpeg(shot.bgr, CAMERA_QUALITY))
        bare = least(lambda: cv2.imread(str(path)))
        photo = photo_in(path)
        centers = find(photo, by.locate, by.refine)[0].centers_xy
        seen = recognize(photo, centers, every)
        assert seen is not None and seen.known is known
        flat = seen.flatten(photo, FLAT_MARGIN)
        rows = {
            "cv2.imread": bare,
            f"recognise among {len(every)}, align": least(lambda: recognize(photo, centers, every)),
            "align alone": least(lambda: align(known, photo, centers)),
            "flatten": least(lambda: seen.flatten(photo, FLAT_MARGIN)),
            "divide": least(lambda: divide(flat, known.bgr[SHEET])),
            "flatten and divide": least(lambda: drop_out(photo, seen)),
        }
    for name, spent in rows.items():
        print(f"{name:32s}{spent:9.1f} ms{spent / bare:8.2f} x imread")


def kept(path: Path) -> FlatSheet | None:
    """A sheet in the form in which the pool keeps it."""
    by, photo = default_models(), photo_in(path)
    found = find(photo, by.locate, by.refine)
    if not found:
        return None
    board = {at: shield.coat for at, shield in true_board(path.with_suffix(".json")).items()}
    sheet = flat_sheet_at(photo, found[0].centers_xy, coats_of(board), UNKNOWN_LAYOUT, path.stem)
    return from_bytes(to_bytes(sheet), sheet.key)


def judge(path: Path, known: KnownPrint | None) -> tuple[bool, int, bool, bool]:
    """Whether a sheet's whole board is right, number of wrong shields, whether it is flagged,
    silently wrong."""
    sheets = maps_in(photo_in(path), prints=[known] if known else [])
    found = judged_map(true_board(path.with_suffix(".json")), sheets)
    return found.board, found.wrong, found.ask, found.silent


def games(folders: list[Path], numbers: list[int]) -> None:
    """Accuracy by the number of sheets from which a pad was learned."""
    by, rows = default_models(), dict[str, list[tuple[bool, int, bool, bool]]]()
    for pad in pads_in(*folders):
        paths = sheets_of(pad)
        flats = [flat for path in paths[:-HELD_BACK] if (flat := kept(path)) is not None]
        ways: dict[str, KnownPrint | None] = {"none": None, "blank": blank_of(pad)}
        for number in numbers:
            known = learn_flat_sheets(flats[:number], "pad", by.ink, least=1)
            ways[f"{number} games"] = known
        for way, print_ in ways.items():
            said = [judge(path, print_) for path in paths[-HELD_BACK:]]
            rows.setdefault(way, []).extend(said)
            print(f"{pad.name:16s}{way:10s}", *(f"{v:7.2f}" for v in np.mean(said, 0)), flush=True)
    print(f"{'':26s}  board   wrong     ask  silent")
    for way, said in rows.items():
        print(f"{'all':16s}{way:10s}", *(f"{v:7.2f}" for v in np.mean(said, 0)), len(said))


def stages(pad: Path, out: Path) -> None:
    """One sheet of a pad, one picture per stage, side by side."""
    known, path = blank_of(pad), sheets_of(pad)[0]
    photo = photo_in(path)
    (sheet,) = read_photo(photo, prints=[known])
    assert isinstance(sheet, MapReading) and sheet.ink is not None
    drawn = draw_overlay(photo, [sheet])
    drawn = drawn[: round(drawn.shape[1] * photo.height / photo.width)]  # without what is asked
    pictures = [photo.bgr, known.bgr, draw_print(known)[SHEET],
                sheet.rectified.bgr, draw_ink(sheet.ink), drawn]  # fmt: skip
    tiles = [_fit(np.asarray(p, np.uint8)) for p in pictures]
    rows = [np.hstack(tiles[i : i + 3]) for i in (0, 3)]
    out.write_bytes(jpeg(np.vstack(rows), 80))


def _fit(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    wide, high = 400, 300
    k = min((wide - 8) / picture.shape[1], (high - 8) / picture.shape[0])
    small = cv2.resize(picture, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
    tile = np.full((high, wide, 3), 255, np.uint8)
    y, x = (high - small.shape[0]) // 2, (wide - small.shape[1]) // 2
    tile[y : y + small.shape[0], x : x + small.shape[1]] = small
    return tile


def main() -> None:
    """Do what is asked for."""
    options = parser(__doc__)
    verbs = options.add_subparsers(dest="verb", required=True)
    asked = verbs.add_parser("pairs")
    asked.add_argument("folders", nargs="+", type=folder_of_pads)
    asked.add_argument("--prints", type=int, default=70)
    verbs.add_parser("time").add_argument("--prints", type=int, default=50)
    asked = verbs.add_parser("games")
    asked.add_argument("folders", nargs="+", type=folder_of_pads)
    asked.add_argument("--games", nargs="+", type=int, default=[2, 4, 6, 7])
    asked = verbs.add_parser("stages")
    asked.add_argument("pad", type=folder_with("blank.jpg", "[0-9]*.jpg"))
    asked.add_argument("out", type=Path)
    args = options.parse_args()
    cv2.setNumThreads(1)
    if args.verb == "pairs":
        pairs(args.folders, args.prints)
    elif args.verb == "time":
        clock(args.prints)
    elif args.verb == "games":
        games(args.folders, args.games)
    else:
        stages(args.pad, args.out)


if __name__ == "__main__":
    main()
