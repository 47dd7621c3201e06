"""Accuracy of every stage on photos with known truth, with 95% Wilson intervals.

    python -m lab.synth data/photos --count 300      makes photos of unseen designs
    python -m lab.benchmarks.accuracy data/photos           measures on them
    python -m lab.benchmarks.accuracy samples --show wrong  and keeps pictures of what went wrong
    python -m lab.benchmarks.accuracy data/tables           photos of `lab.synth --table`

maps found            maps reported where they lie, each cell within 0.35 cells of its true centre
placed                cells reported within 0.25 cells
coats, crosses, cells      shields read right
boards, totals        maps with all 34 shields, with the total right
books found, places   spellbooks reported where they lie, to a millimetre; what is marked in them
books, games          spellbooks with everything right; games with both totals and the winner
… silent              wrong but not flagged for review
… review              flagged for review
maps after            totals still wrong once every shield that is asked about is answered rightly
none there            maps reported where there are none
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from kdscan.document import PhotoReport, report_json
from kdscan.errors import KdscanError, UsageError
from kdscan.files import Json
from kdscan.imaging.picture import FLAT_MARGIN, FLAT_PX, Photo
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CELLS, Board, Coat, Shield, score_board
from kdscan.sheets.base import AnyReading, maps_of
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_overlay
from kdscan.sheets.spellbook.model import SpellbookReading
from lab.benchmarks.shared import SHIELDS, astray, photo_in, wilson
from lab.synth.tool import run
from lab.training.measure import expected_calibration_error

Counts = dict[str, list[float]]

KEYS = ("boards", "maps silent", "maps review", "maps after")
"""What is told of each design."""


def differing(truth: Json, sheet: MapReading) -> list[tuple[str, bool, bool]]:
    """For each shield what is drawn, what was read, and whether coat and crosses are right."""
    out = []
    for cell in sheet.cells:
        coat, crosses = truth["board"].get("{},{}".format(*cell.at), (None, 0))
        read_as, number = cell.content
        text = f"{coat} {crosses} not {read_as} {number} {cell.confidence:.2f}"
        out.append((text, read_as == coat, number == crosses))
    return out


def judge_map(truth: Json, sheets: Sequence[MapReading], out: Counts) -> MapReading | None:
    """Add one map's results; returns the reading that shows it."""
    far = [astray(truth, sheet.rectified.centers_xy[SHIELDS]) for sheet in sheets]
    at = next((n for n, off in enumerate(far) if off.max() < 0.35), None)
    out["maps found"].append(at is not None)
    if at is None:  # then all of it is wrong
        for key in ("placed", "coats", "crosses", "cells"):
            out[key] += [0] * len(CELLS)
        for key in ("boards", "totals", "maps silent", "maps review", "maps after"):
            out[key].append(key == "maps after")
        return None
    sheet, (_, coats, crosses) = sheets[at], zip(*differing(truth, sheets[at]), strict=True)
    out["placed"] += list(far[at] < 0.25)
    out["coats"] += coats
    out["crosses"] += crosses
    cells = [a and b for a, b in zip(coats, crosses, strict=True)]
    out["cells"] += cells
    out["boards"].append(all(cells))
    right = sheet.score.domain_points == truth["score"]
    out["totals"].append(right)
    out["maps silent"].append(not right and not sheet.review)
    out["maps review"].append(sheet.review)
    board = {}
    for cell, ok in zip(sheet.cells, cells, strict=True):
        coat, number = cell.content
        if not ok and sheet.review and cell.review:
            coat, number = truth["board"].get("{},{}".format(*cell.at), (None, 0))
        if coat:
            board[cell.at] = Shield(Coat(coat), number)
    out["maps after"].append(score_board(Board(board)).domain_points != truth["score"])
    out["stated"].append(sheet.confidence)
    out["right"].append(right)
    return sheet


def judge_book(truth: Json, books: Sequence[SpellbookReading], out: Counts) -> None:
    """Add the spellbook's results."""
    if len(books) != 1:
        out["books found"].append(0)
        return
    (book,) = books
    places = [mark for mark in book.marks if not str(mark.place).endswith(".struck")]
    at, read_at = np.array(truth["pixels"]), np.array([mark.at_xy[0] for mark in places])
    mm = np.linalg.norm(at[1] - at[0]) / 11  # squares of a line are 11 mm apart
    out["books found"].append(np.linalg.norm(at - read_at, axis=1).max() < mm)
    right = [mark.marked == truth["marked"][str(mark.place)] for mark in book.marks]
    out["places"] += right
    marks = zip(book.marks, right, strict=True)
    out["places silent"] += [not mark.review and not ok for mark, ok in marks]
    out["books"].append(all(right))
    out["books silent"].append(not all(right) and not book.review)
    out["books review"].append(book.review)


def judge_game(
    truth: Json,
    photo: Photo,
    maps: list[MapReading | None],
    sheets: tuple[AnyReading, ...],
    out: Counts,
) -> None:
    """Add the results of a game, whose maps were read as `maps`, in the truth's order."""
    report = PhotoReport("table", size_wh=(photo.width, photo.height), sheets=sheets)
    game, read = report_json([report])["game"], maps_of(sheets)
    if game is None or len(read) != 2 or None in maps:
        out["games"].append(0)
        return
    order = [next(k for k, sheet in enumerate(read) if sheet is shown) for shown in maps]
    totals = [game["players"][k]["total"] for k in order]
    winner = None if game["winner"] is None else order.index(game["winner"])
    right = totals == [m["score"] + m["wizard"] for m in truth["maps"]]
    right = right and winner == truth["winner"]
    out["games"].append(right)
    out["games silent"].append(not right and not game["review"])
    out["games review"].append(game["review"])


def judge(path: Path, pictures: Path | None) -> tuple[str, str, Counts]:
    """Level, design and results of one photo; pictures: folder for pictures of wrong maps."""
    truth, photo = json.loads(path.with_suffix(".json").read_text("utf-8")), photo_in(path)
    out: Counts = defaultdict(list)
    try:
        sheets = read_photo(photo)
    except KdscanError:
        sheets = ()
    maps, books = maps_of(sheets), [s for s in sheets if isinstance(s, SpellbookReading)]
    shown = [judge_map(each, maps, out) for each in truth.get("maps", [truth])]
    out["none there"].append(len(maps) - sum(sheet is not None for sheet in shown))
    if "spellbook" in truth:
        judge_book(truth["spellbook"], books, out)
        judge_game(truth, photo, shown, sheets, out)
    if pictures and not all(out["boards"]):
        show(pictures / path.stem, photo, truth.get("maps", [truth]), shown)
    return truth["level"], truth.get("design", ""), out


def show(name: Path, photo: Photo, truths: list[Json], maps: list[MapReading | None]) -> None:
    """Save the overlay of a photo read wrong, and its rectified maps with their errors."""
    name.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(f"{name}.png", draw_overlay(photo, [sheet for sheet in maps if sheet]))
    for number, (truth, sheet) in enumerate(zip(truths, maps, strict=True)):
        if sheet is None:
            continue
        flat = sheet.rectified.bgr.copy()
        texts = zip(sheet.cells, differing(truth, sheet), strict=True)
        for cell, (text, *same) in texts:
            if not all(same):
                x, y = (round((at + FLAT_MARGIN) * FLAT_PX) for at in cell.at[::-1])
                cv2.putText(flat, text, (x, y + 16), 0, 0.5, (0, 0, 255), 1, cv2.LINE_AA)
        cv2.imwrite(f"{name}-flat-{number}.png", flat)


def draw_curves(path: Path, stated: np.ndarray, right: np.ndarray) -> None:
    """Reliability diagram and risk-coverage curve of the totals, as one picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, other) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for group in np.array_split(np.argsort(stated), min(10, len(stated))):
        low, high = wilson(float(right[group].mean()), len(group))
        left.plot([stated[group].mean()] * 2, [low, high], color="#9a7b4f", lw=1.5)
        left.plot(stated[group].mean(), right[group].mean(), "o", color="#5b3a1e")
    left.plot([0, 1], [0, 1], ":", color="grey")
    left.set(xlabel="confidence that was stated", ylabel="share of totals that were right")
    left.set_title("Reliability")
    share = np.arange(1, len(stated) + 1) / len(stated)
    wrong = np.cumsum(1 - right[np.argsort(-stated)]) / len(stated) / share
    other.plot(100 * share, 100 * wrong, color="#5b3a1e")
    other.set(xlabel="photos accepted, surest first (%)", ylabel="wrong among them (%)")
    other.set_title("Risk and coverage")
    for axes in (left, other):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main(
    folder: Path,
    show: Annotated[Path | None, typer.Option(help="Folder for wrong readings.")] = None,
    curves: Annotated[Path | None, typer.Option(help="Picture of calibration and risk.")] = None,
) -> None:
    """Read every photo of the folder and print the table."""
    paths = sorted(folder.glob("*.jpg"))
    if not paths or not all(path.with_suffix(".json").is_file() for path in paths):
        raise UsageError(f"{folder} holds no photos NAME.jpg with their NAME.json")
    if curves and find_spec("matplotlib") is None:  # before hours of reading
        raise UsageError("--curves needs matplotlib: pip install -e '.[train]'")
    groups: dict[str, Counts] = defaultdict(lambda: defaultdict(list))
    designs: dict[str, Counts] = defaultdict(lambda: defaultdict(list))
    with ProcessPoolExecutor(initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for level, design, out in pool.map(judge, paths, [show] * len(paths), chunksize=4):
            for counts in (groups["all"], groups[level], designs[design]):
                for key, values in out.items():
                    counts[key] += values
    stated, right = (np.array(groups["all"].pop(key, ())) for key in ("stated", "right"))
    names = sorted(groups, key=lambda g: (g != "all", g))
    print(f"{'':14s}{'95% interval':>20s}" + "".join(f" {name:>9s}" for name in names))
    for key, values in groups["all"].items():
        low, high = wilson(min(1.0, float(np.mean(values))), len(values))
        cells = (100 * np.mean(groups[name].get(key) or [np.nan]) for name in names)
        line = "".join(f"{cell:9.2f}%" for cell in cells)
        print(f"{key:14s}{100 * low:9.2f}% to {100 * high:5.2f}%{line}")
    print(f"\n{len(paths)} photos" + "".join(f"{key:>13s}" for key in KEYS))
    for name in sorted(designs, key=lambda name: np.mean(designs[name]["boards"])):
        shares = (np.mean(designs[name][key]) for key in KEYS)
        line = "".join(f"{100 * share:12.1f}%" for share in shares)
        print(f"{len(designs[name]['none there']):9d}{line}  {name}")
    if len(stated):
        error = expected_calibration_error(stated, right)
        print(f"expected calibration error of totals: {error:.3f}")
        if curves:
            draw_curves(curves, stated, right)


if __name__ == "__main__":
    run(lambda: typer.run(main))
