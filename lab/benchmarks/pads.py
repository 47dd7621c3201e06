"""The benefit of knowing a pad's print: the same filled sheets read without it, and with it.

    python -m lab.synth.pads data/pads --pads 12 --filled 30
    python -m lab.benchmarks.pads data/pads                        nothing known
    python -m lab.benchmarks.pads data/pads --ways none blank pile

The folder contains one folder per pad: blank.jpg, and filled sheets NNNNNN.jpg with their truth.
Ways:

none      nothing is known of the print
blank     `kdscan layout learn` was shown the blank
pile      it was shown the filled sheets themselves

board     sheets with all 34 shields right
silent    sheets whose total is wrong while no look is asked for
ask       sheets flagged for review
after     sheets whose total is wrong once every shield that is asked about is answered rightly
median, 95%   how far cells lie from their true centres, in cells

kdscan's user data go into a separate folder, so that each way starts without known prints.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from lab.benchmarks.shared import (
    KEYS,
    NOT_READ,
    Judged,
    astray,
    folder_of_pads,
    interval,
    judged,
    pads_in,
    parser,
    sheets_of,
    true_board,
)

WAYS = ("none", "blank", "pile")


Row = tuple[Judged, list[float]]
"""How a sheet was read, and how far its cells lie from their true centres, in cells."""


def judge(path: Path, sheets: list[dict[str, Any]]) -> Row:
    """A photo, by its truth and the output of `kdscan score --json`. One in which not exactly one
    map was found counts as wrong and flagged."""
    maps = [sheet for sheet in sheets if sheet["kind"] == "duel_map"]
    if len(maps) != 1:
        return NOT_READ, []
    (sheet,), truth = maps, path.with_suffix(".json")
    cells = {(cell["row"], cell["col"]): cell for cell in sheet["cells"]}
    read = {at: Shield(Coat(c["coat"]), c["crosses"]) for at, c in cells.items() if c["coat"]}
    doubted = [at for at, cell in cells.items() if cell["review"]]
    found = judged(true_board(truth), Board(read), bool(sheet["review"]), doubted)
    centers = np.array([cell["center"] for cell in sheet["cells"]])
    return found, astray(json.loads(truth.read_text("utf-8")), centers).tolist()


def measure(kdscan: Sequence[str], pad: Path, way: str) -> tuple[list[Row], str]:
    """Metrics of a pad's filled sheets, and the message if learning its print failed."""
    photos = sheets_of(pad)
    with tempfile.TemporaryDirectory() as data:
        where, trouble = os.environ | {"XDG_DATA_HOME": data}, ""

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            command = [*kdscan, *words]
            return subprocess.run(command, env=where, capture_output=True, text=True, check=False)

        if way != "none":
            shown = [pad / "blank.jpg"] if way == "blank" else photos
            learned = run("layout", "learn", *map(str, shown), "--name", "pad")
            trouble = learned.stderr.strip()[-200:] if learned.returncode else ""
        scored = run("score", "--json", *map(str, photos))
    try:
        said = json.loads(scored.stdout)["photos"]
    except ValueError:
        sys.exit(f"{pad}: {scored.stderr.strip() or 'kdscan said nothing'}")
    rows = [judge(path, one["sheets"]) for path, one in zip(photos, said, strict=True)]
    return rows, trouble


def line(rows: list[Row]) -> str:
    """A line of the table."""
    shares = "".join(f"{100 * np.mean([getattr(r, k) for r, _ in rows]):8.1f}%" for k in KEYS)
    off = [v for _, cells in rows for v in cells]
    if not off:
        return f"{len(rows):7d}{shares}"
    return f"{len(rows):7d}{shares}{np.median(off):9.4f}{np.quantile(off, 0.95):9.4f}"


def main() -> None:
    """Read all filled sheets of all pads in all ways and print the table."""
    options = parser(__doc__)
    options.add_argument("folder", type=folder_of_pads)
    options.add_argument("--ways", nargs="+", choices=WAYS, default=["none"])
    options.add_argument("--only", nargs="+", default=[], help="names of pads")
    options.add_argument("--kdscan", default="kdscan", help="the command, to compare two of them")
    args = options.parse_args()
    chosen = [pad for pad in pads_in(args.folder) if not args.only or pad.name in args.only]
    every: dict[str, list[Row]] = defaultdict(list)
    heads = "".join(f"{key:>9s}" for key in (*KEYS, "median", "95%"))
    print(f"{'':18s}{'way':6s} {'sheets':>6s}{heads}")
    for pad in chosen:
        for way in args.ways:
            rows, trouble = measure(args.kdscan.split(), pad, way)
            every[way] += rows
            note = f"  not learned: {trouble}" if trouble else ""
            print(f"{pad.name:18s}{way:6s}{line(rows)}{note}", flush=True)
    for way, rows in every.items():
        print(f"{'all':18s}{way:6s}{line(rows)}")
        for key in KEYS:
            share = float(np.mean([getattr(r, key) for r, _ in rows]))
            print(f"  {key}: {interval(share, len(rows))}")


if __name__ == "__main__":
    main()
