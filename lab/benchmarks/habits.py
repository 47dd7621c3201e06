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
asked about in orange, and `habits.jsonl` with the outcome of every photo. Photos that are already
in it are not read again, so that an interrupted run can be resumed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from kdscan.imaging.picture import Photo
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.sheets.duel_map.model import MapReading
from kdscan.workers.pool import cores
from lab.benchmarks.shared import KEYS, judged_map, maps_in, parser, with_interval
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


def gallery() -> tuple[Habit, ...]:
    """Every habit there is: of coats, crosses, pens, additions by players, and conduct."""
    parts = tuple(
        Habit(part, name, habit.held_out, {part: name, **_with(part)})
        for part, habits in HABITS.items()
        for name, habit in habits.items()
    )
    return parts + CONDUCT


def _with(part: Part) -> dict[Part, str]:
    """Settings without which a habit of this part would not show."""
    return {"line": "stroke"} if part == "lines" else {}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one photo; see the module docstring."""

    part: str
    name: str
    held_out: bool
    ground: str
    design: int
    board: bool
    silent: bool
    ask: bool
    after: bool


@cache
def _design(seed: int, ground: str) -> Page:
    return pad_print(seed, ground, ground)


def board_for(habit: Habit, rng: np.random.Generator) -> tuple[Board, bool]:
    """A played board on which the habit shows often."""
    boards = [played_board(rng) for _ in range(BOARDS)]
    coats = [coat for part in habit.habits for coat in COATS.get(part, ())]
    return max(boards, key=lambda b: sum(shield.coat in coats for shield in b[0].values()))


Job = tuple[int, int, str, int, Path, Path | None]
"""Number of the habit, of the design, the ground, the size of photos, folder, recorded strokes."""


def photo_of(job: Job) -> Outcome:
    """Draw, photograph and read one sheet; save a picture of a habit's first on each ground."""
    number, design, ground, size, folder, strokes = job
    habit = gallery()[number]
    rng = np.random.default_rng([FIRST, number, design, len(ground)])
    page = draw_page(
        rng,
        page=_design(FIRST + (number + 7 * design) % POOL, ground),
        played=board_for(habit, rng),
        messiness=habit.messiness,
        strokes=StrokeBank.load(strokes) if strokes else None,
        hand=habit.of(rng),
    )
    photo = shoot(rng, page, "easy", size_wh=(size, round(0.75 * size)))
    sheets = maps_in(Photo(photo.bgr))
    if design == 0:
        name = f"{habit.part}-{habit.name}-{ground}".replace(" ", "_")
        cv2.imwrite(str(folder / f"{name}.jpg"), picture(page, sheets))
    found = judged_map(page.board, sheets)
    figures = (found.board, found.silent, found.ask, found.after)
    return Outcome(habit.part, habit.name, habit.held_out, ground, design, *figures)


def picture(page: DrawnPage, sheets: Sequence[MapReading]) -> np.ndarray:
    """The drawn sheet, rectified; shields that were misread or asked about are framed."""
    scale = 900 / page.bgr.shape[1]
    small = cv2.resize(page.bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    half = np.array(page.layout.cell_mm) / 2 * 0.94
    for cell in sheets[0].board_estimate.cells if len(sheets) == 1 else ():
        same = sheets[0].board_estimate.board.get(cell.at) == page.board.get(cell.at)
        if same and not cell.review:
            continue
        middle = np.array(page.layout.center_mm(cell.row, cell.col))
        low, high = ((middle + way * half) * page.px_per_mm * scale for way in (-1, 1))
        color = (0, 140, 255) if same else (0, 0, 255)
        ends = [(round(float(x)), round(float(y))) for x, y in (low, high)]
        cv2.rectangle(small, ends[0], ends[1], color, 2)
    return np.asarray(small)


def _key(job: Job) -> tuple[str, str, str, int]:
    number, design, ground, *_ = job
    habit = gallery()[number]
    return habit.part, habit.name, ground, design


def row(name: str, outcomes: Sequence[Outcome], intervals: bool = False) -> str:
    """One line of a Markdown table."""
    cells = [name, str(len(outcomes))]
    for key in KEYS:
        share = float(np.mean([getattr(o, key) for o in outcomes])) if outcomes else math.nan
        wide = intervals and outcomes
        cells.append(with_interval(share, len(outcomes)) if wide else f"{100 * share:.1f}%")
    return "| " + " | ".join(cells) + " |"


def tables(outcomes: Sequence[Outcome], worst: int) -> Iterator[str]:
    """Totals (families drawn at random and held-out ones separately), by ground and by part; the
    worst habits."""
    head = "| | photos | " + " | ".join(KEYS) + " |\n|---|---|" + "---|" * len(KEYS)
    yield head
    for held in (False, True):
        for ground in (None, *sorted({o.ground for o in outcomes})):
            some = [o for o in outcomes if o.held_out is held and ground in (None, o.ground)]
            name = f"{'held out' if held else 'drawn by lot'}, {ground or 'all grounds'}"
            yield row(name, some, intervals=True)
    for part in sorted({o.part for o in outcomes}):
        yield row(part, [o for o in outcomes if o.part == part])
    yield ""
    yield head
    groups: dict[str, list[Outcome]] = {}
    for o in outcomes:
        star = ", held out" if o.held_out else ""
        groups.setdefault(f"{o.part}: {o.name}{star}", []).append(o)
    costs = {
        name: np.mean([4 * o.silent + 2 * o.after + (not o.board) + 0.5 * o.ask for o in some])
        for name, some in groups.items()
    }
    for name in sorted(groups, key=lambda n: -costs[n])[:worst]:
        yield row(name, groups[name])


def main() -> None:
    """Make and read the gallery, print the tables."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, help="for pictures and habits.jsonl")
    options.add_argument("--designs", type=int, default=2, help="of each ground, for each habit")
    options.add_argument("--ground", action="append", help="as in lab.synth.pads; repeatable")
    options.add_argument("--only", action="append", help="parts, or names of habits; repeatable")
    options.add_argument("--size", type=int, default=2016, help="pixels of the photos' longer side")
    options.add_argument("--strokes", type=Path, help="folder of recorded strokes")
    options.add_argument("--worst", type=int, default=10, help="how many habits to list")
    options.add_argument("--workers", type=int, default=cores())
    args = options.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    wanted = [
        i
        for i, habit in enumerate(gallery())
        if not args.only or habit.part in args.only or habit.name in args.only
    ]
    if not wanted:
        options.error(f"no habit {' or '.join(args.only)}; parts: {', '.join(HABITS)}, conduct")
    jobs: list[Job] = [
        (number, design, ground, args.size, args.folder, args.strokes)
        for ground in args.ground or ["pale", "painted"]
        for design in range(args.designs)
        for number in wanted
    ]
    with ProcessPoolExecutor(args.workers, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        path = args.folder / "habits.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        outcomes = [Outcome(**json.loads(line)) for line in lines]
        done = {(o.part, o.name, o.ground, o.design) for o in outcomes}
        left = [job for job in jobs if _key(job) not in done]
        with path.open("a", encoding="utf-8") as kept:
            for outcome in pool.map(photo_of, left, chunksize=4):
                outcomes.append(outcome)
                print(json.dumps(asdict(outcome)), file=kept, flush=True)
    print("\n".join(tables(outcomes, args.worst)))


if __name__ == "__main__":
    main()
