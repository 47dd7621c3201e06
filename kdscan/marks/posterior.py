"""How likely boards are, given what was seen and what players do.

Two things speak for a mark: the pixels, and the coats around it, because dominoes are
laid coat to coat. How many crosses players draw beside a coat is left out: the pixels
know better (`kdscan/training/README.md`). The neighbours' say is passed along the grid as
messages (loopy belief propagation: Pearl 1988; Murphy, Weiss and Jordan, UAI 1999); after
that the shields count as independent, so that boards can be listed from the most probable
one down.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from kdscan.game.duel.board import MAX_CROSSES
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.prior import load as load_prior
from kdscan.marks.kbest import best_first
from kdscan.records import CASTLE, CELLS, COATS, COLS, ROWS, MarkProbs, Marks
from kdscan.records.arrays import Floats

CROSSED_EMPTY = 0.02
"""Weight of crosses beside an empty shield, which no rule allows, against none."""

NEIGHBOURS = 0.5
"""Exponent of what neighbours say: simulated players play more evenly than people do."""

ROUNDS = 3
"""Messages travel so many cells; beyond that nothing changes in the third digit."""


def joint(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: probability of each coat with each number of crosses."""
    both = probs.coat[:, :, None] * probs.crosses[:, None, :]
    both[:, 0, 1:] *= CROSSED_EMPTY
    both /= both.sum((1, 2), keepdims=True)
    both *= _said_by_neighbours(both.sum(2))[:, :, None]
    return np.asarray(both / both.sum((1, 2), keepdims=True))


@cache
def _affinity() -> Floats:
    """(8, 8): how much oftener two things lie side by side than by chance; the castle last."""
    prior = load_prior()
    names = ["empty", *(str(c) for c in Coat), "castle"]
    count = np.zeros((len(COATS) + 1, len(COATS) + 1))
    for (mark, side), number in prior.beside.items():
        count[COATS.index(mark[0]), names.index(side)] += number
    count[-1, :-1] = count[:-1, -1]
    count += 1
    share = count / count.sum()
    ratio = share / (share.sum(1, keepdims=True) * share.sum(0, keepdims=True))
    return np.asarray(np.sqrt(ratio * ratio.T) ** NEIGHBOURS)


def _said_by_neighbours(coat: Floats) -> Floats:
    """(34, 7) float64: factor for each coat, from (34, 7) probabilities of the coats alone."""
    table = _affinity()
    states = len(table)
    own = np.zeros((ROWS, COLS, states))
    for (row, col), p in zip(CELLS, coat, strict=True):
        own[row, col, :-1] = p
    own[*CASTLE, -1] = 1
    steps = ((0, 1), (0, -1), (1, 0), (-1, 0))  # a message travels this way; its reverse is k ^ 1
    heard = np.ones((4, ROWS, COLS, states))
    for _ in range(ROUNDS):
        belief = own * heard.prod(0)
        sent = [belief / heard[k ^ 1] @ table for k in range(4)]
        for k, (down, right) in enumerate(steps):
            heard[k] = 1
            to = heard[k][max(down, 0) : ROWS + min(down, 0), max(right, 0) : COLS + min(right, 0)]
            source = sent[k][
                max(-down, 0) : ROWS + min(-down, 0), max(-right, 0) : COLS + min(-right, 0)
            ]
            to[...] = source / source.sum(-1, keepdims=True)
    factor = heard.prod(0)[..., :-1]
    return np.stack([factor[row, col] / factor[row, col].max() for row, col in CELLS])


def alternatives(probs: MarkProbs, index: int, at_most: int = 4) -> tuple[tuple[Marks, float], ...]:
    """What the shield `CELLS[index]` may hold, the most probable first, with probabilities."""
    return choices(joint(probs)[index], at_most)


def choices(both: Floats, at_most: int) -> tuple[tuple[Marks, float], ...]:
    """The most probable marks of one shield, from its (7, 5) probabilities."""
    flat = both.ravel()
    best = np.argsort(-flat, kind="stable")[:at_most]
    return tuple((_marks(int(k)), float(flat[k])) for k in best)


def _marks(k: int) -> Marks:
    coat, crosses = divmod(k, MAX_CROSSES + 1)
    return COATS[coat], crosses


UNLIKELY = 1e-5
"""A shield's choices below this probability do not make boards."""


CHOICES = 12
"""What one shield may hold in boards that are listed."""


def likely_boards(both: Floats) -> Iterator[tuple[float, tuple[Marks, ...]]]:
    """Boards by falling probability, each with what its 34 shields hold; each comes once."""
    for p, picks in best_first(both.reshape(len(both), -1), UNLIKELY, CHOICES):
        yield p, tuple(_marks(k) for k in picks)
