"""A gallery of habits: how well sheets are read that each show one habit of drawing.

    python -m lab.benchmarks.habits gallery             every habit on pale and painted designs
    python -m lab.benchmarks.habits gallery --only cross --designs 8     crosses alone, more sheets
    python -m lab.benchmarks.habits gallery --ground held-out   on grounds that no training showed

A tidy hand draws a played board with one habit of `lab.synth.hands.habits` (held-out ones too)
or of `CONDUCT`, on designs with seeds that no training uses; photos are easy. For each habit:

board    photos with all 34 shields right
silent   photos whose total is wrong while no review is asked for
ask      photos flagged for review
after    totals that are still wrong once every shield that is asked about is answered rightly

The folder gets a picture of each habit and ground, with misread shields framed in red and those
asked about in orange.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np

from kdscan.imaging.picture import Photo
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.sheets.duel_map.model import MapReading
from kdscan.workers.pool import cores
from lab.benchmarks.shared import KEYS, Judged, judged_map, maps_in, parser, with_interval
from lab.synth.fields import scaled
from lab.synth.hands.bank import StrokeBank
from lab.synth.hands.habits import HABITS, TIDY, Part
from lab.synth.hands.sketch import Hand
from lab.synth.pads import pad_print
from lab.synth.scene import DrawnPage, Page, draw_page, played_board, shoot

FIRST = 91_000_000
"""Seed of the first design: far from those of training and of other benchmarks."""

POOL = 24
"""Designs of each ground, which the habits use in turn."""

COATS: Mapping[Part, tuple[Coat, ...]] = {
    "dot": (Coat.DOT, Coat.DOUBLE_DOT),
    "pair": (Coat.DOUBLE_DOT,),
    "line": (Coat.LINE, Coat.DOUBLE_LINE),
    "lines": (Coat.DOUBLE_LINE,),
    "fill": (Coat.FILLED, Coat.CHECKED),
    "area": (Coat.FILLED,),
    "checked": (Coat.CHECKED,),
}
"""Coats in which a habit shows; of several played boards the one with most of them is drawn."""

BOARDS = 8
"""Number of played boards to choose from."""


@dataclass(frozen=True)
class Habit:
    """One habit of the gallery. traits: what it changes of `Preferences`; hand: of `Hand`."""

    part: str
    name: str
    held_out: bool = False
    habits: Mapping[Part, str] = field(default_factory=dict)
    traits: Mapping[str, float | bool] = field(default_factory=dict)
    hand: Mapping[str, float | bool] = field(default_factory=dict)
    messiness: float = 0.3

    def of(self, rng: np.random.Generator) -> Hand:
        """A hand that has this habit and is plain in all other respects."""
        hand = Hand.random(rng, {**TIDY, **self.habits}, dice=False)
        traits = replace(hand.traits, faithful=1.0, past=0.0, slop=min(hand.traits.slop, 0.5))
        traits = replace(traits, **self.traits)  # type: ignore[arg-type]
        drawn = {"borders": 0.0, "rims": 0.0, "overruns": 0.0, "swaps": 0.0, **self.hand}
        return replace(hand, traits=traits, **drawn)  # type: ignore[arg-type]


_DICE: Mapping[Part, str] = {
    "line": "bend",
    "dot": "blob",
    "pair": "stacked",
    "area": "rimmed",
    "checked": "gridded",
    "pen": "pencil",
}

CONDUCT = (
    Habit("conduct", "as on the dice", habits=_DICE, traits={"angle": -0.7, "reach": 1.0}),
    Habit("conduct", "haste", traits={"slop": 1.2}, messiness=0.8),
    Habit("conduct", "trembling", traits={"tremor": 0.35}),
    Habit("conduct", "strokes far beyond the shield", traits={"past": 0.3}, hand={"overruns": 0.5}),
    Habit("conduct", "coats over circles", hand={"overruns": 1.0, "sweeps": 0.0}),
    Habit("conduct", "fills over whole circles", hand={"overruns": 1.0, "sweeps": 1.0}),
    Habit("conduct", "bowed lines", traits={"bow": 0.14}),
    Habit("conduct", "very small", traits={"size": 0.0, "reach": 0.55}),
    Habit("conduct", "very large", traits={"size": 1.0, "reach": 1.15}),
    Habit("conduct", "uneven pressure", habits={"pen": "pencil"}, traits={"press": 0.4}),
    Habit("conduct", "two pens", hand={"swaps": 0.5}),
    Habit("conduct", "any circle", hand={"in_order": False}),
    Habit("conduct", "another way each time", traits={"faithful": 0.0}),
)
"""Habits that do not belong to a single part of a sheet."""


_SHOWN_BY: Mapping[Part, Mapping[Part, str]] = {"lines": {"line": "stroke"}}
"""Habits of other parts without which those of a part would not show."""

GALLERY = (
    *(
        Habit(part, name, habit.held_out, {part: name, **_SHOWN_BY.get(part, {})})
        for part, habits in HABITS.items()
        for name, habit in habits.items()
    ),
    *CONDUCT,
)
"""Every habit there is: of coats, crosses, pens, additions by players, and conduct."""


@cache
def _design(seed: int, ground: str) -> Page:
    return pad_print(seed, ground, ground)


def board_for(habit: Habit, rng: np.random.Generator) -> tuple[Board, bool]:
    """A played board on which the habit shows often."""
    boards = [played_board(rng) for _ in range(BOARDS)]
    coats = [coat for part in habit.habits for coat in COATS.get(part, ())]
    return max(boards, key=lambda b: sum(shield.coat in coats for shield in b[0].values()))


Job = tuple[int, int, str]
"""Number of the habit, of the design, the ground."""


def judge(folder: Path, strokes: Path | None, job: Job) -> Judged:
    """Draw, photograph and read one sheet; save a picture of a habit's first on each ground."""
    number, design, ground = job
    habit = GALLERY[number]
    rng = np.random.default_rng([FIRST, number, design, len(ground)])
    page = draw_page(
        rng,
        page=_design(FIRST + (number + 7 * design) % POOL, ground),
        played=board_for(habit, rng),
        messiness=habit.messiness,
        strokes=StrokeBank.load(strokes) if strokes else None,
        hand=habit.of(rng),
    )
    sheets = maps_in(Photo(shoot(rng, page, "easy", size_wh=(2016, 1512)).bgr))
    if design == 0:
        name = f"{habit.part}-{habit.name}-{ground}".replace(" ", "_")
        cv2.imwrite(str(folder / f"{name}.jpg"), picture(page, sheets))
    return judged_map(page.board, sheets)


def picture(page: DrawnPage, sheets: Sequence[MapReading]) -> np.ndarray:
    """The drawn sheet, rectified; shields that were misread or asked about are framed."""
    scale = 900 / page.bgr.shape[1]
    small = scaled(page.bgr, scale)
    half = np.array(page.layout.cell_mm) / 2 * 0.94
    for cell in sheets[0].board_estimate.cells if len(sheets) == 1 else ():
        same = sheets[0].board_estimate.board.get(cell.at) == page.board.get(cell.at)
        if same and not cell.review:
            continue
        middle = np.array(page.layout.center_mm(cell.row, cell.col))
        ends = ((middle + way * half) * page.px_per_mm * scale for way in (-1, 1))
        low, high = (tuple(end.round().astype(int).tolist()) for end in ends)
        cv2.rectangle(small, low, high, (0, 140, 255) if same else (0, 0, 255), 2)
    return np.asarray(small)


def table(rows: Mapping[str, Sequence[Judged]]) -> str:
    """A Markdown table of shares with their 95% intervals."""
    lines = ["| | photos | " + " | ".join(KEYS) + " |", "|---|---|" + "---|" * len(KEYS)]
    for name, outcomes in rows.items():
        shares = (float(np.mean([getattr(o, key) for o in outcomes])) for key in KEYS)
        cells = [with_interval(share, len(outcomes)) for share in shares]
        lines.append(f"| {name} | {len(outcomes)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Make and read the gallery, print the tables."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, help="for pictures")
    options.add_argument("--designs", type=int, default=2, help="of each ground, for each habit")
    options.add_argument("--ground", action="append", help="as in lab.synth.pads; repeatable")
    options.add_argument("--only", action="append", help="parts, or names of habits; repeatable")
    options.add_argument("--strokes", type=Path, help="folder of recorded strokes")
    options.add_argument("--worst", type=int, default=10, help="how many habits to list")
    options.add_argument("--workers", type=int, default=cores())
    args = options.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    wanted = [i for i, h in enumerate(GALLERY) if not args.only or {h.part, h.name} & {*args.only}]
    if not wanted:
        options.error(f"no habit {' or '.join(args.only)}; parts: {', '.join(HABITS)}, conduct")
    grounds = args.ground or ["pale", "painted"]
    jobs = list(itertools.product(wanted, range(args.designs), grounds))
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    habits: defaultdict[str, list[Judged]] = defaultdict(list)
    work = partial(judge, args.folder, args.strokes)
    with ProcessPoolExecutor(args.workers, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for (number, _, ground), outcome in zip(jobs, pool.map(work, jobs), strict=True):
            habit = GALLERY[number]
            drawn = "held out" if habit.held_out else "drawn by lot"
            for group in (f"{drawn}, all grounds", f"{drawn}, {ground}", habit.part):
                groups[group].append(outcome)
            habits[f"{habit.part}: {habit.name}, {drawn}"].append(outcome)

    def cost(name: str) -> float:
        return float(np.mean([4 * o.silent + 2 * o.after + o.ask / 2 for o in habits[name]]))

    worst = sorted(habits, key=cost, reverse=True)[: args.worst]
    print(table(groups), table({name: habits[name] for name in worst}), sep="\n\n")


if __name__ == "__main__":
    main()
