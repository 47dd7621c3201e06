"""Posterior of kingdoms from the pixels and the box's dominoes.

Candidates are enumerated by decreasing probability of their pixels. For each it is checked whether
the 48 dominoes can form it. If not, its weight is reduced, because people seldom break the rules.
Kingdoms of one photo are also checked together: no domino is in two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from kdscan.imaging.picture import Floats
from kdscan.marks.boards import Totals
from kdscan.marks.posterior import best_first
from kdscan.rules.grid import components
from kdscan.rules.kingdomino.audit import audit_kingdom, one_box_holds
from kdscan.rules.kingdomino.checks import find_problems
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.scoring import score_kingdom
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES, Square, Terrain
from kdscan.rules.kingdomino.variants import Variants

UNLAWFUL_WEIGHT = 0.02
"""Weight of a kingdom that breaks the rules, relative to a lawful one. Of 22 photographed kingdoms
two broke them, each in one of many possible ways."""

IMPOSSIBLE_WEIGHT = 1e-3
"""Weight of a physically impossible kingdom, with half a domino or more tiles than the box holds;
not 0, because a domino may be half hidden."""

NO_CASTLE_ODDS = 0.003
"""Prior odds that none of the squares is the castle; otherwise exactly one is."""
MAX_CASTLES, MIN_CASTLE = 3, 0.01
"""Most squares that are tried as the castle, and their least probability."""
MIN_COMPLEMENT = 1e-5
"""Least probability that a square is not the castle."""

TINY = 1e-12
"""Least probability of a castle even where a person ruled it out, so that some kingdom is
listed."""

MIN_CHOICE = 1e-4
"""Kinds less probable than this on a square are left out of candidates."""

MAX_KINGDOMS = 60
"""Most candidates for each castle; the rest gets the weight of unlawful ones."""

MAX_COMBINATIONS = 40
"""Most combinations of several kingdoms' candidates that are checked."""

MIN_RELATIVE_WEIGHT = 1e-3
"""Enumeration stops at this probability relative to the largest weight."""


@dataclass(frozen=True)
class Candidate:
    """A possible kingdom. kinds: indices in `SQUARE_CLASSES` of S * S squares, row-major. weight:
    unnormalised posterior probability. lawful: whether dominoes can form it; None if
    undecided."""

    kinds: tuple[int, ...]
    kingdom: Kingdom
    total: int
    weight: float
    lawful: bool | None


@dataclass(frozen=True)
class Posterior:
    """The posterior of one kingdom.

    rest: weight of kingdoms that are not among the candidates. castle: probability that one of the
    squares is the castle at all.
    """

    candidates: tuple[Candidate, ...]
    rest: float
    castle: float

    @property
    def best(self) -> Candidate:
        return max(self.candidates, key=lambda one: one.weight)

    @property
    def total_weight(self) -> float:
        return sum(one.weight for one in self.candidates) + self.rest

    @property
    def p_total(self) -> float:
        """Probability of the best kingdom's total."""
        total = self.best.total
        same = sum(one.weight for one in self.candidates if one.total == total)
        return self.castle * same / self.total_weight

    def totals(self) -> Totals:
        """Possible totals with probabilities: that of the best candidate, then by probability."""
        best, normaliser = self.best.total, self.total_weight
        shares = dict.fromkeys((best,), 0.0)
        for one in self.candidates:
            shares[one.total] = shares.get(one.total, 0.0) + one.weight / normaliser
        return tuple(sorted(shares.items(), key=lambda share: (share[0] != best, -share[1])))

    def marginals(self) -> list[float]:
        """For each square the probability of the best kingdom's kind."""
        best, normaliser = self.best.kinds, self.total_weight
        shares = [0.0] * len(best)
        for one in self.candidates:
            for index, kind in enumerate(one.kinds):
                if kind == best[index]:
                    shares[index] += one.weight / normaliser
        return shares


def enumerate_kingdoms(probs: Floats, variants: Variants) -> Posterior:
    """Enumerate and weight the kingdoms that the probabilities allow.

    probs: (S * S, K), rows sum to 1. Exactly one square is the castle; each probable one is
    tried with the kingdom around it.
    """
    odds = np.maximum(probs[:, CASTLE], TINY) / np.maximum(1 - probs[:, CASTLE], MIN_COMPLEMENT)
    shares = odds / (odds.sum() + NO_CASTLE_ODDS)
    weighed: list[Candidate] = []
    heaviest = listed = 0.0
    for castle in (int(i) for i in np.argsort(-shares)[:MAX_CASTLES]):
        if weighed and shares[castle] < MIN_CASTLE:
            break
        for p, kinds in islice(best_first(_with_castle(probs, castle), MIN_CHOICE), MAX_KINGDOMS):
            likely = p * float(shares[castle])
            if likely < MIN_RELATIVE_WEIGHT * heaviest:
                break
            one = _candidate(kinds, castle, likely, variants)
            heaviest = max(heaviest, one.weight)
            listed += likely
            weighed.append(one)
    return Posterior(tuple(weighed), UNLAWFUL_WEIGHT * max(0.0, 1.0 - listed), float(shares.sum()))


def _with_castle(probs: Floats, castle: int) -> Floats:
    out = probs.copy()
    out[:, CASTLE] = 0
    out[castle] = np.eye(len(SQUARE_CLASSES))[CASTLE]
    return np.asarray(out / np.maximum(out.sum(1, keepdims=True), 1e-12))


def _candidate(kinds: tuple[int, ...], castle: int, likely: float, variants: Variants) -> Candidate:
    kingdom = kingdom_of(kinds, castle, variants.size)
    possible = not find_problems(kingdom, variants)
    lawful = possible and _is_connected(kingdom) and audit_kingdom(kingdom, variants.size).lawful
    weight = likely * (
        1.0 if lawful is not False else UNLAWFUL_WEIGHT if possible else IMPOSSIBLE_WEIGHT
    )
    return Candidate(kinds, kingdom, score_kingdom(kingdom, variants).total, weight, lawful)


def condition_on_box(posteriors: Sequence[Posterior]) -> tuple[tuple[Posterior, ...], bool]:
    """Condition the kingdoms of one photo on sharing one box of dominoes.

    Combinations that one box cannot hold are weighted by `UNLAWFUL_WEIGHT`; kingdoms that are
    unlawful by themselves do not affect others. Also returns whether the best combination fits in
    one box.
    """
    if len(posteriors) < 2:
        return tuple(posteriors), True
    alone = np.zeros((len(posteriors), max(len(posterior.candidates) for posterior in posteriors)))
    for row, posterior in zip(alone, posteriors, strict=True):
        row[: len(posterior.candidates)] = [one.weight for one in posterior.candidates]
    alone /= alone.sum(1, keepdims=True)
    joint, heaviest, best = np.zeros_like(alone), 0.0, True
    for p, picks in islice(best_first(alone, MIN_CHOICE), MAX_COMBINATIONS):
        if p < MIN_RELATIVE_WEIGHT * heaviest:
            break
        table = [posterior.candidates[k] for posterior, k in zip(posteriors, picks, strict=True)]
        lawful = [one.kingdom for one in table if one.lawful is not False]
        held = len(lawful) < 2 or one_box_holds(lawful) is not False
        weight = p * (1.0 if held else UNLAWFUL_WEIGHT)
        if weight > heaviest:
            heaviest, best = weight, held
        joint[range(len(picks)), picks] += weight
    return tuple(_reweighed(b, row) for b, row in zip(posteriors, joint, strict=True)), best


def _reweighed(posterior: Posterior, weights: Floats) -> Posterior:
    before = sum(one.weight for one in posterior.candidates)
    scale = before / float(weights.sum())
    return replace(
        posterior,
        candidates=tuple(
            replace(one, weight=float(w) * scale)
            for one, w in zip(posterior.candidates, weights, strict=False)
        ),
    )


def kingdom_of(kinds: tuple[int, ...], castle: int, size: int) -> Kingdom:
    """The kingdom of S * S kinds, row-major."""
    squares = {}
    for index, kind in enumerate(kinds):
        if kind not in (EMPTY, CASTLE):
            terrain, crowns = SQUARE_CLASSES[kind]
            squares[divmod(index, size)] = Square(Terrain(terrain), crowns)
    return Kingdom(squares, divmod(castle, size), (size, size))


def _is_connected(kingdom: Kingdom) -> bool:
    return len(components([*kingdom.squares, kingdom.castle])) == 1
