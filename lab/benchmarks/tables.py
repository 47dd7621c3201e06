"""Accuracy on photos of whole tables: two maps and their spellbook, with the truth beside them.

    python -m lab.synth data/tables --table --own --count 100 --long-side 2688
    python -m lab.benchmarks.tables data/tables

found     maps (spellbooks) that were reported where they lie, each cell (place) within 0.35 of a
          cell (a millimetre)
board     maps with all 34 shields right
places    squares, circles, boxes and struck lines of spellbooks read right
book      spellbooks with everything right
silent    maps, spellbooks or games that are wrong but not flagged
review    those flagged for review
game      games with both totals and the winner right, the wizard's points included
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from kdscan.document import PhotoReport, report_json
from kdscan.errors import KdscanError
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.sheets.base import maps_of
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.spellbook.model import SpellbookReading
from lab.benchmarks.shared import SHIELDS, astray, folder_of_photos, parser, photo_in, wilson

Counts = dict[str, list[float]]


def judge_map(
    truth: dict[str, Any], sheets: Sequence[MapReading], out: Counts
) -> MapReading | None:
    """Add one map's results; returns the reading that shows it."""
    sheet = next(
        (s for s in sheets if astray(truth, s.rectified.centers_xy[SHIELDS]).max() < 0.35), None
    )
    out["maps found"].append(sheet is not None)
    if sheet is None:
        return None
    right = [
        (c.coat, c.crosses) == tuple(truth["board"].get(f"{c.row},{c.col}", (None, 0)))
        for c in sheet.board_estimate.cells
    ]
    out["cells"] += [float(x) for x in right]
    out["boards"].append(float(all(right)))
    out["maps review"].append(float(sheet.review))
    total = sheet.score.domain_points == truth["score"]
    out["maps silent"].append(float(not total and not sheet.review))
    return sheet


def judge_book(truth: dict[str, Any], books: list[SpellbookReading], out: Counts) -> None:
    """Add the spellbook's results."""
    if len(books) != 1:
        out["books found"].append(0)
        return
    book = books[0]
    places = [mark for mark in book.marks if not str(mark.place).endswith(".struck")]
    at, got = np.array(truth["pixels"]), np.array([mark.at_xy[0] for mark in places])
    mm = float(np.linalg.norm(at[1] - at[0])) / 11  # squares of a line are 11 mm apart
    out["books found"].append(float(np.linalg.norm(at - got, axis=1).max() < mm))
    right = [mark.marked == truth["marked"][str(mark.place)] for mark in book.marks]
    out["places"] += [float(x) for x in right]
    out["books"].append(float(all(right)))
    out["books review"].append(float(book.review))
    out["books silent"].append(float(not all(right) and not book.review))
    quiet = [not mark.review for mark in book.marks]
    out["places silent"] += [float(q and not r) for q, r in zip(quiet, right, strict=True)]


def judge(truth: dict[str, Any], photo: Photo, out: Counts) -> None:
    """Add one table's results."""
    try:
        found = read_photo(photo)
    except KdscanError:
        found = ()
    sheets = maps_of(found)
    shown = [judge_map(one, sheets, out) for one in truth["maps"]]
    judge_book(truth["spellbook"], [b for b in found if isinstance(b, SpellbookReading)], out)
    out["other finds"].append(float(len(sheets) - sum(s is not None for s in shown)))
    report = PhotoReport("table", size_wh=(photo.width, photo.height), sheets=found)
    game = report_json([report])["game"]
    if game is None or len(sheets) != 2 or None in shown:
        out["games"].append(0)
        return
    order = [next(k for k, s in enumerate(sheets) if s is one) for one in shown]
    totals = [game["players"][k]["total"] for k in order]
    winner = None if game["winner"] is None else order.index(game["winner"])
    same = totals == [m["score"] + m["wizard"] for m in truth["maps"]]
    same = same and winner == truth["winner"]
    out["games"].append(float(same))
    out["games review"].append(float(game["review"]))
    out["games silent"].append(float(not same and not game["review"]))


def main() -> None:
    """Read every photo of the folder and print the table."""
    options = parser(__doc__)
    options.add_argument("folder", type=folder_of_photos)
    folder = options.parse_args().folder
    groups: dict[str, Counts] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.jpg")):
        truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
        out: Counts = defaultdict(list)
        judge(truth, photo_in(path), out)
        for group in ("all", truth["level"]):
            for key, values in out.items():
                groups[group][key] += values
    keys = list(dict.fromkeys(key for counts in groups.values() for key in counts))
    names = sorted(groups, key=lambda g: (g != "all", g))
    print(f"{'':14s}{'95% interval':>20s}" + "".join(f"{name:>10s}" for name in names))
    for key in keys:
        values = groups["all"][key]
        low, high = wilson(float(np.mean(values)), len(values))
        print(
            f"{key:14s}{100 * low:9.2f}% to {100 * high:5.2f}%"
            + "".join(f"{100 * float(np.mean(groups[name][key] or [0])):9.2f}%" for name in names)
        )
    print(f"{len(groups['all']['games'])} tables")


if __name__ == "__main__":
    main()
