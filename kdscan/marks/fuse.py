"""Several photos of one sheet: matched by their marks, and fused into one reading.

Two photos show one sheet if their marks agree better than those of two different boards would: a
likelihood ratio, shield by shield. The alternative hypothesis draws marks with the frequencies of
these two boards and of simulated games, so that agreement of nearly empty maps, on empty shields,
proves little. A single shield that certainly differs keeps nearly equal boards apart (a board and a
copy of it, a map during the game and at its end).

Photos of one sheet share pen, paper and whatever misleads the network, so they are not independent:
their log probabilities are added with a weight below one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np

from kdscan.records import COATS, MAX_CROSSES, MarkProbs
from kdscan.records.arrays import Floats
from kdscan.rules.duel.prior import load

MIN_LOG_RATIO = 8.0
"""Natural log likelihood ratio from which two photos show one sheet. Of 12,880 pairs of synthetic
photos of different sheets none exceeded -6 (docs/photos.md)."""

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


@dataclass(frozen=True)
class Likeness:
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


@cache
def _mark_prior() -> Floats:
    """(7, 5) float64: frequencies of each coat with each number of crosses in simulated maps."""
    crosses = range(MAX_CROSSES + 1)
    return np.array([[load().probability((coat, n)) for n in crosses] for coat in COATS])


def _pixel_probs(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: joint probabilities of each shield from the pixels alone."""
    return np.asarray(probs.coat[:, :, None] * probs.crosses[:, None, :], np.float64)


def likeness(one: MarkProbs, two: MarkProbs) -> Likeness:
    """Compare the marks of two photos; see `Likeness`."""
    a, b = _pixel_probs(one), _pixel_probs(two)
    expected = (1 - OWN_MARKS_WEIGHT) * _mark_prior() + OWN_MARKS_WEIGHT * (
        a.mean(0) + b.mean(0)
    ) / 2
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
        one for n, one in enumerate(views) if not any(same_photo(one, two) for two in views[:n])
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


def same_photo(one: MarkProbs, two: MarkProbs) -> bool:
    """Whether two views are one photo, given twice: no two photos are read exactly alike."""
    same = np.array_equal(one.coat, two.coat) and np.array_equal(one.crosses, two.crosses)
    return same and one.castle_used == two.castle_used and one.placed == two.placed


def _product(probabilities: Sequence[Floats] | Floats, temper: float) -> Floats:
    """Product of probabilities along the last axis, each raised to `temper`."""
    out = np.exp(np.log(np.maximum(probabilities, 1e-12)).sum(0) * temper)
    return np.asarray(out / out.sum(-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class SheetView:
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
    pairs = sorted(_pairs(views), key=lambda pair: -pair[0])
    same = {(i, j) for _, i, j in pairs}
    of: dict[int, tuple[int, ...]] = {i: (i,) for i in range(len(views))}
    for _, i, j in pairs:
        one, two = of[i], of[j]
        if one != two and all((min(a, b), max(a, b)) in same for a in one for b in two):
            joined = tuple(sorted(one + two))
            of.update(dict.fromkeys(joined, joined))
    return tuple(sorted({g for g in of.values() if len(g) > 1}))


def _pairs(views: Sequence[SheetView]) -> list[tuple[float, int, int]]:
    """Matching pairs: log ratio and both indices, the lower one first."""
    if len(views) < 2:
        return []
    flat = np.stack([_pixel_probs(view.probs).reshape(-1) for view in views]).astype(np.float32)
    agreeing = flat @ flat.T  # expected number of shields that hold the same
    found = []
    for i, j in combinations(range(len(views)), 2):
        one, two = views[i], views[j]
        known = one.sheet_id is not None and two.sheet_id is not None
        if one.photo == two.photo or agreeing[i, j] < MIN_AGREEING:
            continue
        if known and one.sheet_id != two.sheet_id:
            continue
        like = likeness(one.probs, two.probs)
        if like.same or (known and like.worst >= MIN_COSINE):
            found.append((like.log_ratio, i, j))
    return found
