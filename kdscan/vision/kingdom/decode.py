"""Stage: probabilities → the most probable kingdom, with the box's dominoes as a checksum.

Kingdoms are listed from the one that the pixels find most probable down. Each is asked
whether the 48 dominoes can lie so; one that cannot weighs little, because people seldom
break the rules. The heaviest is the reading, and the share of all weight that gives its
total is the confidence. An unlawful kingdom is reported as it lies, with its problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from kdscan.game.grid import Cell, groups
from kdscan.game.kingdomino.audit import audit_kingdom
from kdscan.game.kingdomino.checks import find_problems
from kdscan.game.kingdomino.kingdom import Kingdom
from kdscan.game.kingdomino.scoring import score_kingdom
from kdscan.game.kingdomino.tiles import Square, Terrain
from kdscan.game.kingdomino.variants import Variants
from kdscan.game.problem import Problem
from kdscan.records import (
    KINDS,
    KingdomReading,
    RectifiedSheet,
    SquareKind,
    SquareReading,
    Totals,
)
from kdscan.vision.decode import DEFAULT_RISK
from kdscan.vision.kingdom.extent import CASTLE, EMPTY
from kdscan.vision.kingdom.ranking import best_first
from kdscan.vision.rectify import Floats

UNLAWFUL = 0.02
"""Weight of a kingdom that the rules do not allow against one that they do. Of 22 kingdoms
that people photographed two broke them, each in one of many possible ways."""

KINGDOMS = 60
"""So many most probable kingdoms are weighed; the rest counts as wrong."""

FLOOR = 1e-5
"""No kind is less probable than this: no network is surer than what it learned from."""


@dataclass(frozen=True)
class _Weighed:
    kinds: tuple[int, ...]
    kingdom: Kingdom
    weight: float
    total: int


def decode_kingdom(
    flat: RectifiedSheet,
    probs: Floats,
    variants: Variants,
    risk: float = DEFAULT_RISK,
    said: Mapping[Cell, SquareKind] | None = None,
    beyond: int = 0,
) -> KingdomReading:
    """Choose the most probable kingdom and say where a person should look.

    flat: the window of S × S squares; its confidence is that the squares lie where they were
    found. probs: (S, S, K). said: what a person says of some squares, which stands.
    beyond: how many squares hang together with the kingdom but lie outside its limit.
    """
    said = said or {}
    size = variants.size
    believed = _believed(probs, said)
    castle = int(np.argmax(believed[:, CASTLE]))
    sure_castle = float(believed[castle, CASTLE])
    believed = _one_castle(believed, castle)
    weighed = list(_weigh(believed, castle, variants))
    best = max(weighed, key=lambda one: one.weight)
    everything = sum(one.weight for one in weighed) + _missed(believed, weighed)
    right = sum(one.weight for one in weighed if one.total == best.total) / everything
    confidence = float(min(right * sure_castle, 1.0) * flat.confidence)
    if beyond:
        confidence = min(confidence, 0.5)
    review = confidence < 1 - risk
    shares = _shares(weighed, everything)
    squares = []
    for index, kind in enumerate(best.kinds):
        row, col = divmod(index, size)
        pixels = int(np.argmax(probs[row, col]))
        p = float(shares[index].get(kind, 0.0)) * flat.confidence
        terrain, crowns = KINDS[kind]
        squares.append(
            SquareReading(
                row,
                col,
                terrain,
                crowns,
                p if index != castle else p * sure_castle,
                p < (1 - risk) * flat.confidence or (index == castle and sure_castle < 1 - risk),
                None if pixels == kind else KINDS[pixels],
            )
        )
    if review and not any(s.review for s in squares):
        worst = min(range(len(squares)), key=lambda i: squares[i].confidence)
        squares[worst] = replace(squares[worst], review=True)
    return KingdomReading(
        rectified=flat,
        probs=probs,
        squares=tuple(squares),
        kingdom=best.kingdom,
        score=score_kingdom(best.kingdom, variants),
        variants=variants,
        confidence=confidence,
        review=review,
        problems=_problems(best.kingdom, variants, beyond),
        totals=_totals(weighed, everything, best),
        beyond=beyond,
    )


def _believed(probs: Floats, said: Mapping[Cell, SquareKind]) -> Floats:
    """(S * S, K): the probabilities, none impossible, but for what a person said."""
    believed = np.maximum(probs, FLOOR)
    for (row, col), kind in said.items():
        believed[row, col] = np.eye(len(KINDS))[KINDS.index(kind)]
        if kind == ("castle", 0):  # there is one: nowhere else
            elsewhere = np.ones(probs.shape[:2], np.bool_)
            elsewhere[row, col] = False
            believed[elsewhere, CASTLE] = 0
    believed = believed.reshape(-1, len(KINDS))
    return np.asarray(believed / believed.sum(1, keepdims=True))


def _one_castle(believed: Floats, castle: int) -> Floats:
    out = believed.copy()
    out[:, CASTLE] = 0
    out[castle] = np.eye(len(KINDS))[CASTLE]
    return np.asarray(out / np.maximum(out.sum(1, keepdims=True), 1e-12))


def _weigh(believed: Floats, castle: int, variants: Variants) -> list[_Weighed]:
    weighed: list[_Weighed] = []
    heaviest = 0.0
    for p, kinds in islice(best_first(believed), KINGDOMS):
        if p < 1e-3 * heaviest:
            break
        kingdom = kingdom_of(kinds, castle, variants.size)
        lawful = _hangs_together(kingdom) and audit_kingdom(kingdom, variants.size).lawful
        weight = p * (UNLAWFUL if lawful is False else 1.0)
        heaviest = max(heaviest, weight)
        weighed.append(_Weighed(kinds, kingdom, weight, score_kingdom(kingdom, variants).total))
    return weighed


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


def _missed(believed: Floats, weighed: list[_Weighed]) -> float:
    """Weight of the kingdoms that were not listed, most of which are unlawful: an upper bound
    by the least probable one listed would be useless, so the probability left over counts as
    unlawful ones do."""
    listed = sum(
        float(np.exp(np.log(np.maximum(believed[range(len(one.kinds)), one.kinds], 1e-300)).sum()))
        for one in weighed
    )
    return UNLAWFUL * max(0.0, 1.0 - listed)


def _shares(weighed: list[_Weighed], everything: float) -> list[dict[int, float]]:
    """For each square the probability of each kind."""
    shares: list[dict[int, float]] = [{} for _ in weighed[0].kinds]
    for one in weighed:
        for index, kind in enumerate(one.kinds):
            shares[index][kind] = shares[index].get(kind, 0.0) + one.weight / everything
    return shares


def _totals(weighed: list[_Weighed], everything: float, best: _Weighed) -> Totals:
    """What the kingdom may be worth; first what it is said to be worth."""
    shares = dict.fromkeys((best.total,), 0.0)
    for one in weighed:
        shares[one.total] = shares.get(one.total, 0.0) + one.weight / everything
    return tuple(sorted(shares.items(), key=lambda share: (share[0] != best.total, -share[1])))


def _problems(kingdom: Kingdom, variants: Variants, beyond: int) -> tuple[Problem, ...]:
    found = find_problems(kingdom, variants)
    if beyond:
        size = variants.size
        why = f"not counted, because it lies outside {size} x {size}: {beyond} of the squares"
        found = (*found, Problem("beyond_limit", "warning", why))
    if found or audit_kingdom(kingdom, variants.size).lawful is not False:
        return found
    why = "no dominoes of the box can be laid to this kingdom; a square may be read wrong"
    return (Problem("not_laid_lawfully", "warning", why),)
