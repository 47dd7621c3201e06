"""Stage: probabilities → the most probable board and the confidence of its total; several photos
of one sheet fused.

Probabilities come from the pixels and from how players lay dominoes: coat to coat, so a shield's
neighbours are evidence of its coat. (The number of crosses that players usually draw beside a coat
is not used: that made reading worse, see `lab/training/README.md`.) Loopy belief propagation (Pearl
1988; Murphy, Weiss and Jordan, UAI 1999) passes messages between neighbours; afterwards the shields
are treated as independent, so that boards can be enumerated by falling probability.

The confidence of a total is the summed probability of all boards with that total. A doubt that
cannot change the total (which of two worthless coats?) only lowers its own cell's confidence; the
shields marked for review are the few that would settle the total.

Two photos show one sheet if their marks agree better than those of two different boards would: a
likelihood ratio, shield by shield. The alternative hypothesis draws marks with the frequencies of
these two boards and of simulated games, so that agreement of nearly empty maps, on empty shields,
proves little. A single shield that certainly differs keeps nearly equal boards apart (a board and a
copy of it, a map during the game and at its end).

Photos of one sheet share pen, paper and whatever misleads the network, so they are not independent:
their log probabilities are added with a weight below one.
"""

from __future__ import annotations

import heapq
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats
from kdscan.marks.network import MarkProbs
from kdscan.rules import Cell
from kdscan.rules.duel.board import (
    CASTLE,
    CELLS,
    COATS,
    COLS,
    MAX_CROSSES,
    ROWS,
    Board,
    Marks,
    Shield,
    domain_points,
)

# Probabilities of marks

CROSSED_EMPTY = 0.02
"""Prior weight of crosses beside an empty shield, which the rules forbid, relative to none."""

NEIGHBOUR_WEIGHT = 0.5
"""Exponent of the pairwise potentials, below 1 because simulated players are more regular than
people."""

ROUNDS = 3
"""Iterations of message passing; further ones change nothing in the third digit."""

MIN_CHOICE = 1e-5
"""Marks less probable than this are left out of enumerated boards."""

PRIOR = Path(__file__).with_name("prior.json")
"""Counts of marks on finished maps of simulated games, made by `lab.synth.prior`."""

_MARKS: tuple[Marks, ...] = tuple((coat, n) for coat in COATS for n in range(MAX_CROSSES + 1))
"""What a shield may hold, in the order of its flattened (7, 5) probabilities."""


def joint(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: probability of each coat with each number of crosses."""
    both = probs.coat[:, :, None] * probs.crosses[:, None, :]
    both[:, 0, 1:] *= CROSSED_EMPTY
    both *= _neighbour_factors(both.sum(2))[:, :, None]
    return np.asarray(both / both.sum((1, 2), keepdims=True))


@cache
def prior_counts() -> tuple[Floats, Floats]:
    """How often shields held each coat with each number of crosses, (7, 5), and each coat while one
    of their neighbours held each coat or was the castle, (7, 8)."""
    counts = json.loads(PRIOR.read_text("utf-8"))
    return np.array(counts["alone"], np.float64), np.array(counts["beside"], np.float64)


def _neighbour_factors(coat: Floats) -> Floats:
    """(34, 7) float64: evidence from neighbours for each coat, largest 1; from the coats' own
    probabilities (34, 7), up to a factor for each shield."""
    # How much more often than by chance two kinds of squares are neighbours; the castle last.
    _, beside = prior_counts()
    count = np.vstack([beside, [*beside[:, -1], 0]]) + 1
    chance = np.outer(count.sum(1), count.sum(0)) / count.sum()
    table = (count / chance) ** NEIGHBOUR_WEIGHT
    states = len(table)
    own = np.zeros((ROWS, COLS, states))
    for (row, col), p in zip(CELLS, coat, strict=True):
        own[row, col, :-1] = p
    own[*CASTLE, -1] = 1
    steps = ((0, 1), (0, -1), (1, 0), (-1, 0))  # a message travels this way; its reverse is k ^ 1
    incoming = np.ones((4, ROWS, COLS, states))  # it stays 1 from beyond the board
    for _ in range(ROUNDS):
        belief = own * incoming.prod(0)
        outgoing = [belief / incoming[k ^ 1] @ table for k in range(4)]
        for k, (down, right) in enumerate(steps):
            to = incoming[k][
                max(down, 0) : ROWS + min(down, 0), max(right, 0) : COLS + min(right, 0)
            ]
            source = outgoing[k][
                max(-down, 0) : ROWS + min(-down, 0), max(-right, 0) : COLS + min(-right, 0)
            ]
            to[...] = source / source.sum(-1, keepdims=True)
    factor = incoming.prod(0)[..., :-1]
    return np.stack([factor[row, col] / factor[row, col].max() for row, col in CELLS])


def alternatives(both: Floats, at_most: int) -> tuple[tuple[Marks, float], ...]:
    """The most probable marks of one shield with their probabilities, best first; both: (7, 5), its
    part of `joint`."""
    flat = both.ravel()
    best = np.argsort(-flat, kind="stable")[:at_most]
    return tuple((_MARKS[k], float(flat[k])) for k in best)


def best_first(probs: Floats, least: float) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Combinations by falling probability: (probability, the choice of each row).

    probs: (N, K), rows sum to 1. least: choices less probable than this are skipped, except each
    row's best.
    Best-first search over ranks; a combination's successors raise one row's rank, at or after the
    last raised row, so that each combination occurs once.
    """
    ranked = np.argsort(-probs, axis=1, kind="stable")
    logs = np.log(np.clip(np.take_along_axis(probs, ranked, 1), 1e-300, 1))
    order: list[list[int]] = ranked.tolist()  # lists: numpy is slow one by one
    limit = np.log(least)
    steps: list[list[float]] = [
        [float(a - b) for a, b in pairwise(row) if b > limit] for row in logs
    ]
    heap = [(-float(logs[:, 0].sum()), (0,) * len(probs), 0)]
    while heap:
        cost, ranks, last = heapq.heappop(heap)
        yield float(np.exp(-cost)), tuple([row[k] for row, k in zip(order, ranks, strict=True)])
        for i in range(last, len(probs)):
            k = ranks[i]
            if k < len(steps[i]):
                raised = (*ranks[:i], k + 1, *ranks[i + 1 :])
                heapq.heappush(heap, (cost + steps[i][k], raised, i))


# The most probable board

DEFAULT_RISK = 0.02
"""A reading that is wrong with more than this probability is marked for review."""


def check_risk(risk: float) -> None:
    """Raise ValueError for a risk below 0 or not a number; one above 1 accepts everything."""
    if not risk >= 0:
        raise ValueError(f"a risk is a probability, not {risk}")


IMPROBABLE = 0.005
"""Totals less probable than this, relative to the most probable one, are left out of the range that
is shown. (Being relative, the limit never widens the range when a doubt is settled as read.)"""


Totals = tuple[tuple[int, float], ...]
"""Possible totals with probabilities, the most probable first."""


def range_of(totals: Totals) -> tuple[int, int]:
    """The least and the greatest total that is not `IMPROBABLE`."""
    likely = [total for total, p in totals if p >= IMPROBABLE * totals[0][1]]
    return min(likely), max(likely)


def calibrated(p: float, calibration: NDArray[np.float64]) -> float:
    """A probability calibrated by the slope and offset of its log odds (Platt 1999)."""
    inside = min(max(p, 1e-9), 1 - 1e-9)
    z = float(calibration[0]) * math.log(inside / (1 - inside)) + float(calibration[1])
    return 1 / (1 + math.exp(-z))


K = TypeVar("K")


class CellReading(Struct, Generic[K], frozen=True):
    """A shield of a map, or a square of a kingdom, as read.

    content: what it holds, and the number of crosses or crowns. confidence: probability that both
    are right. seen: the most probable content from the pixels alone, if rules or a person overruled
    it. covered: whether an object seems to cover it.
    """

    at: Cell
    content: K
    confidence: float
    review: bool
    seen: K | None = None
    covered: bool = False


Shields = tuple[CellReading[Marks], ...]


@dataclass(frozen=True)
class BoardEstimate:
    """The most probable board and its confidence.

    cells: 34 readings in the order of `CELLS`.
    confidence: probability that the total is right, calibrated.
    castle_used: whether the castle's roof is coloured; None if uncertain.
    totals: possible totals of the domains with probabilities, the most probable first.
    """

    cells: Shields
    castle_used: bool | None
    confidence: float
    review: bool
    totals: Totals = ()

    @property
    def board(self) -> Board:
        """The game's board with these marks, without empty shields."""
        return Board({c.at: Shield(c.content[0], c.content[1]) for c in self.cells if c.content[0]})

    @property
    def total_range(self) -> tuple[int, int]:
        """Least and greatest likely total of the domains."""
        return range_of(self.totals)


CELL_DOUBT = 0.8
"""A shield with less confidence is marked for review even if the total needs none."""

SHARPENING = 1.25
"""Exponent (inverse temperature) of the shields' probabilities for totals: boards with many small
doubts are wrong less often than the sum of these suggests. On 1,748 photos 35 rather than 38% of
the totals need review with it, at the same error rate."""

MAX_BOARDS = 300
"""Most boards that are listed; the remaining probability counts as wrong."""

RankedBoard = tuple[float, tuple[Marks, ...], int]
"""A board: its probability, its 34 shields' marks, its total."""


def decode(probs: MarkProbs, risk: float = DEFAULT_RISK) -> BoardEstimate:
    """Choose the most probable board and the shields that a person should check.

    risk: the largest acceptable probability that a total which is not marked for review is wrong.
    """
    both = joint(probs)
    # The most probable boards, until the remaining probability is negligible.
    sharp = both**SHARPENING
    boards: list[RankedBoard] = []
    totals = defaultdict[int, float](float)
    rest = 1.0
    sharp /= sharp.sum((1, 2), keepdims=True)
    for p, picks in best_first(sharp.reshape(len(sharp), -1), MIN_CHOICE):
        marks = tuple([_MARKS[k] for k in picks])
        total = domain_points(marks)
        boards.append((p, marks, total))
        totals[total] += p
        rest -= p
        if rest < risk / 20 or len(boards) == MAX_BOARDS:
            break
    _, best, total = boards[0]
    confidence = calibrated(totals[total] * probs.placed, probs.calibration)
    unsure = confidence < 1 - risk
    to_review = _cells_to_review(boards, risk) if unsure else set()
    cells = []
    for i, at in enumerate(CELLS):
        coat, crosses = best[i]
        p = float(both[i, COATS.index(coat), crosses])
        pixels = (COATS[int(probs.coat[i].argmax())], int(probs.crosses[i].argmax()))
        overruled = None if pixels == best[i] else pixels
        review = i in to_review or p < CELL_DOUBT
        cells.append(CellReading(at, best[i], p * probs.placed, review, overruled))
    used = probs.castle_used
    castle = None if 0.1 < used < 0.9 else used > 0.5
    ranked = tuple(sorted(totals.items(), key=lambda item: -item[1]))
    return BoardEstimate(tuple(cells), castle, confidence, unsure, ranked)


def _cells_to_review(boards: Sequence[RankedBoard], risk: float) -> set[int]:
    """Indices of the few shields whose true marks would settle the total.

    Greedy: each step takes the shield that distinguishes the most probability of boards with
    another total from the best board, until the boards that no answer rules out are rarer than
    the risk allows, or no shield alone gains enough to ask for it. None if the grid itself may be
    wrong, or there are too many boards to list.
    """
    _, best, total = boards[0]
    others = [(p, marks) for p, marks, t in boards if t != total]
    chosen: set[int] = set()
    while sum(p for p, _ in others) > risk / 2:
        gain = [sum(p for p, marks in others if marks[i] != best[i]) for i in range(len(best))]
        first = int(np.argmax(gain))
        if chosen and gain[first] < risk / 4:
            break
        chosen.add(first)
        others = [(p, marks) for p, marks in others if marks[first] == best[first]]
    return chosen


def corrected(probs: MarkProbs, corrections: Mapping[tuple[int, int], Marks]) -> MarkProbs:
    """The probabilities with a person's corrections: certainty for the shields they name."""
    coat, crosses = probs.coat.copy(), probs.crosses.copy()
    for at, (what, n) in corrections.items():
        i = CELLS.index(at)
        coat[i], crosses[i] = 0, 0
        coat[i, COATS.index(what)] = 1
        crosses[i, n] = 1
    return replace(probs, coat=coat, crosses=crosses)


# Several photos of one sheet

MIN_LOG_RATIO = 8.0
"""Natural log likelihood ratio from which two photos show one sheet. Of 12,880 pairs of synthetic
photos of different sheets none exceeded -6 (docs/research/accuracy.md)."""

MIN_COSINE = 0.05
"""If two photos agree less than this on any shield (`Likeness.worst`), they show different
sheets."""

CORRELATION = 0.8
"""Dependence between photos of one sheet, from 0 (independent) to 1 (copies): each of n gets the
weight n ** -CORRELATION, which best fits measurements with two and three."""

OWN_MARKS_WEIGHT = 0.9
"""Weight of these two boards' own mark frequencies in the alternative hypothesis."""

MIN_AGREEING = 10.0
"""Shields. Pairs expected to agree on fewer are not compared any further."""


class Likeness(NamedTuple):
    """How well the marks of two photos agree.

    log_ratio: natural log likelihood ratio of one sheet to two.
    worst: how well they agree on the shield on which they agree least: the cosine of
        the angle between its probabilities in the two photos, 0 for surely different marks.
    """

    log_ratio: float
    worst: float

    @property
    def same(self) -> bool:
        return self.log_ratio >= MIN_LOG_RATIO and self.worst >= MIN_COSINE


def _pixel_probs(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: joint probabilities of each shield from the pixels alone."""
    return np.asarray(probs.coat[:, :, None] * probs.crosses[:, None, :], np.float64)


def likeness(probs: MarkProbs, other: MarkProbs) -> Likeness:
    """Compare the marks of two photos; see `Likeness`."""
    a, b = _pixel_probs(probs), _pixel_probs(other)
    counts = prior_counts()[0] + 1  # nothing is impossible (Laplace), but an empty shield's crosses
    prior = counts / (counts.sum() - MAX_CROSSES)
    own = (a.mean(0) + b.mean(0)) / 2
    expected = (1 - OWN_MARKS_WEIGHT) * prior + OWN_MARKS_WEIGHT * own
    ratios = np.log(np.maximum((a * b / expected).sum((1, 2)), 1e-12))
    alike = (a * b).sum((1, 2)) / np.sqrt((a * a).sum((1, 2)) * (b * b).sum((1, 2)))
    return Likeness(float(ratios.sum()), float(alike.min()))


def fuse(views: Sequence[MarkProbs]) -> MarkProbs:
    """Fuse several photos of one sheet, read by the same models; a single one stays as it is.

    The grid is misplaced only if it is in every photo, independently. Equal views are one picture
    given twice and count once. (Counting them twice settled 13 of 108 maps that ask for review,
    two of them wrongly.)
    """
    views = [
        view for n, view in enumerate(views) if not any(same_photo(view, v) for v in views[:n])
    ]
    first, *others = views
    if not others:
        return first
    temper = len(views) ** -CORRELATION
    castle = np.array([[view.castle_used, 1 - view.castle_used] for view in views])
    return replace(
        first,
        coat=_product([view.coat for view in views], temper),
        crosses=_product([view.crosses for view in views], temper),
        castle_used=float(_product(castle[:, None], temper)[0, 0]),
        placed=float(1 - np.prod([1 - view.placed for view in views])),
    )


def same_photo(view: MarkProbs, other: MarkProbs) -> bool:
    """Whether two views are one photo, given twice: no two photos are read exactly alike."""
    same = np.array_equal(view.coat, other.coat) and np.array_equal(view.crosses, other.crosses)
    return same and (view.castle_used, view.placed) == (other.castle_used, other.placed)


def _product(probabilities: Sequence[Floats] | Floats, temper: float) -> Floats:
    """Product of probabilities along the last axis, each raised to `temper`."""
    out = np.exp(np.log(np.maximum(probabilities, 1e-12)).sum(0) * temper)
    return np.asarray(out / out.sum(-1, keepdims=True))


class SheetView(NamedTuple):
    """One sheet as one photo shows it.

    photo: number of the photo; two sheets in one photo are never the same sheet.
    sheet_id: what its printed code says, None without one; codes tell sheets apart.
    """

    photo: int
    probs: MarkProbs
    sheet_id: str | None = None


def group(views: Sequence[SheetView]) -> tuple[tuple[int, ...], ...]:
    """Cluster views by sheet: groups of two or more indices, in ascending order.

    Complete linkage, the best agreeing pairs first: a view joins a group only if it matches all of
    its members.
    """
    if not views:
        return ()
    flat = np.stack([_pixel_probs(view.probs).reshape(-1) for view in views]).astype(np.float32)
    agreeing = flat @ flat.T  # expected number of shields that hold the same
    pairs = []  # those that match: log ratio and both indices, the lower one first
    for (i, view), (j, other) in combinations(enumerate(views), 2):
        coded = view.sheet_id is not None and other.sheet_id is not None
        if view.photo == other.photo or agreeing[i, j] < MIN_AGREEING:
            continue
        if coded and view.sheet_id != other.sheet_id:
            continue
        like = likeness(view.probs, other.probs)
        if like.same or (coded and like.worst >= MIN_COSINE):
            pairs.append((like.log_ratio, i, j))
    pairs.sort(key=lambda pair: -pair[0])
    same = {(i, j) for _, i, j in pairs}
    of: dict[int, tuple[int, ...]] = {i: (i,) for i in range(len(views))}
    for _, i, j in pairs:
        if of[i] != of[j] and all((min(a, b), max(a, b)) in same for a in of[i] for b in of[j]):
            joined = tuple(sorted(of[i] + of[j]))
            of.update(dict.fromkeys(joined, joined))
    return tuple(sorted({members for members in of.values() if len(members) > 1}))
