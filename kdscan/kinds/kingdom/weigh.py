"""Kingdoms that the pixels allow, weighed by the box's dominoes.

Kingdoms are listed from the one that the pixels find most probable down. Each is asked
whether the 48 dominoes can lie so; one that cannot weighs little, because people seldom
break the rules. Kingdoms of one photo are asked together: no domino lies in two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from kdscan.game.grid import groups
from kdscan.game.kingdomino.audit import audit_kingdom, one_box_holds
from kdscan.game.kingdomino.checks import find_problems
from kdscan.game.kingdomino.kingdom import Kingdom
from kdscan.game.kingdomino.scoring import score_kingdom
from kdscan.game.kingdomino.tiles import Square, Terrain
from kdscan.game.kingdomino.variants import Variants
from kdscan.kinds.kingdom.squares import CASTLE, EMPTY
from kdscan.marks.kbest import best_first
from kdscan.records import KINDS, Totals
from kdscan.records.arrays import Floats

UNLAWFUL = 0.02
"""Weight of a kingdom that the rules do not allow against one that they do. Of 22 kingdoms
that people photographed two broke them, each in one of many possible ways."""

IMPOSSIBLE = 1e-3
"""Weight of a kingdom that no dominoes can lie as: half a domino, or more than the box holds.
People do not do that; a domino half hidden remains."""

NO_CASTLE = 0.003
"""Odds that none of the squares is the castle; otherwise exactly one is."""
CASTLES, RIVAL = 3, 0.01
"""So many squares may be the castle, those that are it with such a probability."""
ODD = 1e-5
"""No square is more surely the castle than this leaves room for."""

UNLIKELY = 1e-4
"""What a square is with less probability does not make kingdoms."""

KINGDOMS = 60
"""So many most probable kingdoms are weighed; the rest counts as unlawful ones do."""

TOGETHER = 40
"""So many most probable tables of several kingdoms are weighed."""

FAINT = 1e-3
"""What weighs less than this beside the heaviest is not looked at."""


@dataclass(frozen=True)
class Weighed:
    """A kingdom that the squares may show. kinds: of S * S squares, row-major."""

    kinds: tuple[int, ...]
    kingdom: Kingdom
    total: int
    weight: float
    lawful: bool | None


@dataclass(frozen=True)
class Ballot:
    """All that one find may show.

    missed: weight of what was not listed. castle: probability that one of the squares is the
    castle at all.
    """

    listed: tuple[Weighed, ...]
    missed: float
    castle: float

    @property
    def best(self) -> Weighed:
        return max(self.listed, key=lambda one: one.weight)

    @property
    def everything(self) -> float:
        return sum(one.weight for one in self.listed) + self.missed

    @property
    def right(self) -> float:
        """Probability of the best kingdom's total."""
        total = self.best.total
        right = sum(one.weight for one in self.listed if one.total == total)
        return self.castle * right / self.everything

    def totals(self) -> Totals:
        """What the kingdom may be worth; first what it is said to be worth."""
        best, everything = self.best.total, self.everything
        shares = dict.fromkeys((best,), 0.0)
        for one in self.listed:
            shares[one.total] = shares.get(one.total, 0.0) + one.weight / everything
        return tuple(sorted(shares.items(), key=lambda share: (share[0] != best, -share[1])))

    def shares(self) -> list[dict[int, float]]:
        """For each square the probability of each kind."""
        everything = self.everything
        shares: list[dict[int, float]] = [{} for _ in self.listed[0].kinds]
        for one in self.listed:
            for index, kind in enumerate(one.kinds):
                before = shares[index].get(kind, 0.0)
                shares[index][kind] = before + one.weight / everything
        return shares


def weigh(believed: Floats, variants: Variants) -> Ballot:
    """List the kingdoms that the probabilities allow.

    believed: (S * S, K), rows sum to 1. Exactly one square is the castle: its rivals are
    weighed too, each with the kingdom that lies around it.
    """
    odds = believed[:, CASTLE] / np.maximum(1 - believed[:, CASTLE], ODD)
    shares = odds / (odds.sum() + NO_CASTLE)
    weighed: list[Weighed] = []
    heaviest = listed = 0.0
    for castle in (int(i) for i in np.argsort(-shares)[:CASTLES]):
        if weighed and shares[castle] < RIVAL:
            break
        for p, kinds in islice(best_first(_with_castle(believed, castle), UNLIKELY), KINGDOMS):
            likely = p * float(shares[castle])
            if likely < FAINT * heaviest:
                break
            one = _weighed(kinds, castle, likely, variants)
            heaviest = max(heaviest, one.weight)
            listed += likely
            weighed.append(one)
    return Ballot(tuple(weighed), UNLAWFUL * max(0.0, 1.0 - listed), float(shares.sum()))


def _with_castle(believed: Floats, castle: int) -> Floats:
    out = believed.copy()
    out[:, CASTLE] = 0
    out[castle] = np.eye(len(KINDS))[CASTLE]
    return np.asarray(out / np.maximum(out.sum(1, keepdims=True), 1e-12))


def _weighed(kinds: tuple[int, ...], castle: int, likely: float, variants: Variants) -> Weighed:
    kingdom = kingdom_of(kinds, castle, variants.size)
    possible = not find_problems(kingdom, variants)
    lawful = possible and _hangs_together(kingdom) and audit_kingdom(kingdom, variants.size).lawful
    weight = likely * (1.0 if lawful is not False else UNLAWFUL if possible else IMPOSSIBLE)
    return Weighed(kinds, kingdom, score_kingdom(kingdom, variants).total, weight, lawful)


def share_box(ballots: Sequence[Ballot]) -> tuple[tuple[Ballot, ...], bool]:
    """Weigh the kingdoms of one photo together, and say whether the best ones go together.

    What one box cannot lay at once weighs `UNLAWFUL`; kingdoms that are unlawful alone are
    not held against their neighbours.
    """
    if len(ballots) < 2:
        return tuple(ballots), True
    alone = np.zeros((len(ballots), max(len(ballot.listed) for ballot in ballots)))
    for row, ballot in zip(alone, ballots, strict=True):
        row[: len(ballot.listed)] = [one.weight for one in ballot.listed]
    alone /= alone.sum(1, keepdims=True)
    joint, heaviest, best = np.zeros_like(alone), 0.0, True
    for p, picks in islice(best_first(alone, UNLIKELY), TOGETHER):
        if p < FAINT * heaviest:
            break
        table = [ballot.listed[k] for ballot, k in zip(ballots, picks, strict=True)]
        lawful = [one.kingdom for one in table if one.lawful is not False]
        held = len(lawful) < 2 or one_box_holds(lawful) is not False
        weight = p * (1.0 if held else UNLAWFUL)
        if weight > heaviest:
            heaviest, best = weight, held
        joint[range(len(picks)), picks] += weight
    return tuple(_reweighed(b, row) for b, row in zip(ballots, joint, strict=True)), best


def _reweighed(ballot: Ballot, weights: Floats) -> Ballot:
    before = sum(one.weight for one in ballot.listed)
    scale = before / float(weights.sum())
    return replace(
        ballot,
        listed=tuple(
            replace(one, weight=float(w) * scale)
            for one, w in zip(ballot.listed, weights, strict=False)
        ),
    )


def kingdom_of(kinds: tuple[int, ...], castle: int, size: int) -> Kingdom:
    """The kingdom of S * S kinds, row-major."""
    squares = {}
    for index, kind in enumerate(kinds):
        if kind not in (EMPTY, CASTLE):
            terrain, crowns = KINDS[kind]
            squares[divmod(index, size)] = Square(Terrain(terrain), crowns)
    return Kingdom(squares, divmod(castle, size), (size, size))


def _hangs_together(kingdom: Kingdom) -> bool:
    return len(groups(dict.fromkeys([*kingdom.squares, kingdom.castle], 1))) == 1
