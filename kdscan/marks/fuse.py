"""Several photos of one sheet: recognised by what is drawn on them, and read together.

Two photos show one sheet when their marks agree better than two different boards would:
a likelihood ratio, shield by shield. The alternative is a board that holds marks as
often as these two and the simulated games do, so that nearly empty maps, which agree on
all that is empty, prove little by it. Boards that are nearly equal (yesterday's game
and today's copy, a map in the middle of the game and at its end) are told by the
shield that speaks against them: one that is surely different is enough.

Photos of one sheet share pen, paper and what misleads the network, so they are no
independent witnesses: their log probabilities are added with a weight below one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np

from kdscan.game.duel.prior import load
from kdscan.records import COATS, MAX_CROSSES, MarkProbs
from kdscan.records.arrays import Floats

SAME = 8.0
"""Natural logarithm of the likelihood ratio from which two photos show one sheet. Of 12,880
pairs of synthetic photos of different sheets none came above -6 (docs/photos.md)."""

DIFFERENT = 0.05
"""One shield on which two photos agree less than this tells the sheets apart, whatever else."""

SHARED = 0.8
"""How much photos of one sheet share, from 0 (independent) to 1 (copies): n of them are
weighed by n ** -SHARED each, which comes nearest to what was measured for two and three."""

OWN_SHARE = 0.9
"""Share of these two boards' own marks in what a different board would hold."""

WORTH_A_LOOK = 10.0
"""Pairs that agree on fewer shields than this are not compared any further."""


@dataclass(frozen=True)
class Likeness:
    """How well the marks of two photos agree.

    log_ratio: natural logarithm of how much likelier they are on one sheet than on two.
    worst: how well they agree on the shield on which they agree least: the cosine of
        the angle between its probabilities in the two photos, 0 for surely different marks.
    """

    log_ratio: float
    worst: float

    @property
    def same(self) -> bool:
        return self.log_ratio >= SAME and self.worst >= DIFFERENT


@cache
def _played() -> Floats:
    """(7, 5) float64: how often a square of a simulated map holds each mark."""
    table = np.zeros((len(COATS), MAX_CROSSES + 1))
    for i, coat in enumerate(COATS):
        for n in range(MAX_CROSSES + 1 if coat else 1):
            table[i, n] = load().probability((coat, n))
    table[0, 1:] = table[table > 0].min()
    return np.asarray(table / table.sum())


def _seen(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: what the pixels alone say of each shield."""
    return np.asarray(probs.coat[:, :, None] * probs.crosses[:, None, :], np.float64)


def likeness(one: MarkProbs, two: MarkProbs) -> Likeness:
    """Compare the marks of two photos; see `Likeness`."""
    a, b = _seen(one), _seen(two)
    expected = (1 - OWN_SHARE) * _played() + OWN_SHARE * (a.mean(0) + b.mean(0)) / 2
    ratios = np.log(np.maximum((a * b / expected).sum((1, 2)), 1e-12))
    alike = (a * b).sum((1, 2)) / np.sqrt((a * a).sum((1, 2)) * (b * b).sum((1, 2)))
    return Likeness(float(ratios.sum()), float(alike.min()))


def fuse(views: Sequence[MarkProbs], temper: float | None = None) -> MarkProbs:
    """What several photos of one sheet say together; one photo alone stays as it is.

    All have to be of one sheet, and read by the same models. That all are out of place
    and yet agree is as unlikely as that each of them is.
    temper: weight of each photo's log probabilities; by default the one that was fitted.
    """
    temper = len(views) ** -SHARED if temper is None else temper
    first, *others = views
    if not others:
        return first
    castle = np.array([[view.castle_used, 1 - view.castle_used] for view in views])
    return replace(
        first,
        coat=_product([view.coat for view in views], temper),
        crosses=_product([view.crosses for view in views], temper),
        castle_used=float(_product(castle[:, None], temper)[0, 0]),
        placed=float(1 - np.prod([1 - view.placed for view in views])),
    )


def _product(probabilities: Sequence[Floats] | Floats, temper: float) -> Floats:
    """Product of probabilities along the last axis, each raised to `temper`."""
    logs = np.log(np.clip(np.asarray(probabilities), 1e-12, 1)).sum(0) * temper
    out = np.exp(logs - logs.max(-1, keepdims=True))
    return np.asarray(out / out.sum(-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class View:
    """One sheet as one photo shows it.

    photo: number of the photo; two sheets in one photo are never the same sheet.
    sheet_id: what its printed code says, None without one; codes tell sheets apart.
    """

    photo: int
    probs: MarkProbs
    sheet_id: str | None = None


def group(views: Sequence[View]) -> tuple[tuple[int, ...], ...]:
    """Which views show one sheet: groups of two or more indices, in ascending order.

    The best agreeing pairs come first; a view joins a group only if it agrees with
    all that are in it.
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


def _pairs(views: Sequence[View]) -> list[tuple[float, int, int]]:
    """Pairs that show one sheet: log ratio and both indices, the lower one first."""
    if len(views) < 2:
        return []
    flat = np.stack([_seen(view.probs).reshape(-1) for view in views]).astype(np.float32)
    agreeing = flat @ flat.T  # expected number of shields that hold the same
    found = []
    for i, j in combinations(range(len(views)), 2):
        one, two = views[i], views[j]
        known = one.sheet_id is not None and two.sheet_id is not None
        if one.photo == two.photo or agreeing[i, j] < WORTH_A_LOOK:
            continue
        if known and one.sheet_id != two.sheet_id:
            continue
        like = likeness(one.probs, two.probs)
        if like.same or (known and like.worst >= DIFFERENT):
            found.append((like.log_ratio, i, j))
    return found
