"""Evidence of kingdoms → readings, constrained by the box's dominoes. No pixels are needed from
here on.

`enumerate_kingdoms` yields candidates. The one with the largest weight is the reading, and the
share of the weight with its total is the confidence. An unlawful kingdom is reported as it is,
with its problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kdscan.detection.clipping import edges_text
from kdscan.i18n.problems import problem_of
from kdscan.imaging.picture import Floats
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.rules.grid import Cell, neighbours
from kdscan.rules.kingdomino.audit import audit_kingdom, unlaid
from kdscan.rules.kingdomino.checks import find_problems
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.scoring import score_kingdom
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES
from kdscan.rules.kingdomino.variants import Variants
from kdscan.rules.problem import Problem
from kdscan.sheets.common import MAX_OTHERS, MIN_OTHER, Doubt
from kdscan.sheets.kingdom.model import KingdomEvidence, KingdomReading, SquareReading
from kdscan.sheets.kingdom.posterior import (
    MIN_CASTLE,
    Candidate,
    Posterior,
    condition_on_box,
    enumerate_kingdoms,
)

MIN_PROBABILITY = 1e-5
"""Lower bound of all kinds' probabilities: no network is more reliable than its training data."""

SURELY_COVERED = 2.5
"""Least difference from the table at which a bare place counts as covered. In a kingdom that
dominoes cannot form as it was read, any reported difference counts (`extent.MIN_UNLIKE`), and so
does any place that tiles enclose, even if an object there looks like the table around."""

ENCLOSED = 3
"""Sides on which tiles enclose a place."""


def decode_kingdoms(
    evidence: Sequence[KingdomEvidence], risk: float = DEFAULT_RISK
) -> tuple[KingdomReading, ...]:
    """Choose the most probable kingdoms of one photo and the squares that a person should check.

    risk: accepted probability that a total which is not marked for review is wrong.
    """
    posteriors, together = condition_on_box(
        [enumerate_kingdoms(_probabilities(one), one.variants) for one in evidence]
    )
    return tuple(
        _reading(one, posterior, together, risk)
        for one, posterior in zip(evidence, posteriors, strict=True)
    )


def interpret(evidence: KingdomEvidence, risk: float = DEFAULT_RISK) -> KingdomReading:
    """As `decode_kingdoms`, for a single kingdom."""
    (found,) = decode_kingdoms([evidence], risk)
    return found


def _reading(
    evidence: KingdomEvidence, posterior: Posterior, together: bool, risk: float
) -> KingdomReading:
    flat, variants, best = evidence.rectified, evidence.variants, posterior.best
    confidence = float(min(posterior.p_total, 1.0) * flat.confidence)
    bare = not best.kingdom.squares  # nobody ends a game with a castle alone
    told = evidence.corrections.squares
    lost = posterior.castle < 0.5 and _castle_denied(evidence)
    covered = _covered(evidence, best, judged=not lost)
    unsure = evidence.beyond or evidence.cut or evidence.touching or covered or bare or lost
    if unsure or _is_odd(best, variants):
        confidence = min(confidence, 0.5)
    review = confidence < 1 - risk
    squares = []
    read = (
        _without_castle(evidence, best)
        if lost
        else zip(best.kinds, posterior.marginals(), strict=True)
    )
    for index, (kind, p) in enumerate(read):
        row, col = divmod(index, variants.size)
        pixels = int(np.argmax(evidence.probs[row, col]))
        p *= posterior.castle if kind == CASTLE else 1.0
        seen = None if pixels == kind else SQUARE_CLASSES[pixels]
        look, hides = p < 1 - risk and (row, col) not in told, (row, col) in covered
        p = min(p * flat.confidence, 0.5) if hides else p * flat.confidence
        squares.append(
            SquareReading(row, col, *SQUARE_CLASSES[kind], p, look or hides, seen, hides)
        )
    if review and not told and not any(s.review for s in squares):
        worst = min(range(len(squares)), key=lambda i: squares[i].confidence)
        squares[worst] = replace(squares[worst], review=True)
    if evidence.corrections.confirmed and not lost:
        review, squares = False, [replace(square, review=False) for square in squares]
    return KingdomReading(
        evidence=evidence,
        squares=tuple(squares),
        kingdom=best.kingdom,
        score=score_kingdom(best.kingdom, variants),
        confidence=confidence,
        review=review,
        problems=tuple(_problems(evidence, best.kingdom, covered, together, lost)),
        totals=posterior.totals(),
    )


def _probabilities(evidence: KingdomEvidence) -> Floats:
    """(S * S, K): probabilities with a lower bound, and certainty for corrected squares. Of several
    squares corrected to the castle the last one counts. If the castle's square was corrected to
    something else and no other square looks like it, a bare place is taken for the castle, so that
    all tiles count."""
    probs = np.maximum(evidence.probs, MIN_PROBABILITY)
    said = {at: SQUARE_CLASSES.index(kind) for at, kind in evidence.corrections.squares.items()}
    if castles := [at for at, kind in said.items() if kind == CASTLE]:
        probs[..., CASTLE] = 0
        said = {at: kind for at, kind in said.items() if at not in castles[:-1]}
    if _castle_denied(evidence):
        unlike = probs[..., CASTLE] < MIN_CASTLE
        probs[unlike, CASTLE] *= probs[unlike, EMPTY]
    for at, kind in said.items():
        probs[at] = np.eye(len(SQUARE_CLASSES))[kind]
    probs = probs.reshape(-1, len(SQUARE_CLASSES))
    return np.asarray(probs / probs.sum(1, keepdims=True))


def _castle_denied(evidence: KingdomEvidence) -> bool:
    """Whether a person said that the most probable castle is none, without saying where it is."""
    told = evidence.corrections.squares
    likeliest = divmod(int(evidence.probs[..., CASTLE].argmax()), evidence.variants.size)
    return likeliest in told and SQUARE_CLASSES[CASTLE] not in told.values()


def _without_castle(evidence: KingdomEvidence, best: Candidate) -> Iterator[tuple[int, float]]:
    """Each square's kind and its own probability, regardless of the kingdom around it. The castle
    is only a guess here, so its square gets its most probable other kind."""
    for row, kind in zip(_probabilities(evidence), best.kinds, strict=True):
        shown = int(row.argmax()) if kind == CASTLE else kind
        yield shown, float(row[shown])


def _as_question(problem: Problem) -> Problem:
    """A broken rule as a question, because people make mistakes and the reading may be right."""
    if problem.code == "odd_squares":
        count = len(problem.cells)
        why = (
            f"{count} squares hold tiles, but dominoes have two. The score stands. Is one missing?"
        )
        return Problem(problem.code, "warning", why)
    return replace(problem, severity="warning") if problem.code == "unpaired_squares" else problem


def _problems(
    evidence: KingdomEvidence,
    kingdom: Kingdom,
    covered: tuple[Cell, ...],
    together: bool,
    lost: bool,
) -> Iterator[Problem]:
    """The problems of a kingdom, of objects that lie over it, of other kingdoms beside it, and of
    the picture's edge. lost: whether its castle is a guess, by which no rule is judged."""
    if lost:
        yield problem_of("no_castle")
    elif kingdom.squares:
        yield from _broken_rules(kingdom, evidence.variants, evidence.beyond, together)
    else:
        yield problem_of("no_tiles")
    if covered:
        yield problem_of("tiles_covered", covered)
    if evidence.touching:
        yield problem_of("kingdoms_touch")
    if evidence.cut:
        edge = edges_text(evidence.cut)
        why = (
            f"the kingdom lies at the {edge} of the picture or reaches beyond it; unless all of it "
            "is in view, take the photo again"
        )
        yield Problem("kingdom_cut_off", "warning", why)
    if evidence.beside:
        edge = edges_text(evidence.beside)
        why = f"another kingdom seems to reach beyond the {edge} of the picture; it was not read"
        yield Problem("other_kingdom_cut_off", "warning", why)


def _broken_rules(
    kingdom: Kingdom, variants: Variants, beyond: int, together: bool
) -> tuple[Problem, ...]:
    found = tuple(map(_as_question, find_problems(kingdom, variants)))
    if beyond:
        size = variants.size
        why = f"not counted, because it lies outside {size} x {size}: {beyond} of the squares"
        found = (*found, Problem("beyond_limit", "warning", why))
    if found:
        return found
    if audit_kingdom(kingdom, variants.size).lawful is False:
        blamed = unlaid(kingdom)
        what = "these squares" if blamed else "this kingdom"
        why = (
            f"the dominoes of the box cannot make {what}. The score stands. Was a square misread, "
            "or is one missing?"
        )
        return (Problem("not_laid_lawfully", "warning", why, blamed),)
    if not together:
        why = (
            "one box cannot hold the dominoes of all kingdoms in this picture; a square may be "
            "read wrong"
        )
        return (Problem("not_from_one_box", "warning", why),)
    return ()


def _is_odd(best: Candidate, variants: Variants) -> bool:
    """Whether dominoes cannot form a kingdom of more than five squares a side: then some of its
    squares are probably loose dominoes beside a smaller one."""
    return variants.size > Variants().size and best.lawful is False


def _covered(evidence: KingdomEvidence, best: Candidate, *, judged: bool) -> tuple[Cell, ...]:
    """The places that seem to be covered by an object, except those that somebody has corrected;
    judged: whether the rules count."""
    found = {at for at, unlike in evidence.covered.items() if unlike >= SURELY_COVERED}
    if judged and best.lawful is False:
        found |= {*evidence.covered, *_holes(best.kingdom)}
    return tuple(sorted(found - evidence.corrections.squares.keys()))


def _holes(kingdom: Kingdom) -> Iterator[Cell]:
    """The bare places that tiles enclose."""
    taken = {*kingdom.squares, kingdom.castle}
    beside = Counter(near for cell in taken for near in neighbours(cell))
    yield from (cell for cell, count in beside.items() if count >= ENCLOSED and cell not in taken)


def doubts(kingdom: KingdomReading) -> list[Doubt[SquareReading]]:
    """The squares that need review.

    The remaining probability is distributed among the other kinds in proportion to the
    probabilities from the pixels, which do not account for covered tiles, nor for the castle if
    somebody said where it is.
    """
    found = []
    castle_known = ("castle", 0) in kingdom.evidence.corrections.squares.values()
    for square in kingdom.squares:
        if square.review:
            p = kingdom.evidence.probs[square.at].copy()
            p[SQUARE_CLASSES.index(square.kind)] = 0
            if castle_known:
                p[CASTLE] = 0
            p *= max(0.0, 1 - square.confidence) / max(p.sum(), 1e-12)
            others = [
                replace(
                    square,
                    terrain=SQUARE_CLASSES[k][0],
                    crowns=SQUARE_CLASSES[k][1],
                    confidence=float(p[k]),
                )
                for k in np.argsort(-p, kind="stable")[:MAX_OTHERS]
                if p[k] >= MIN_OTHER and not square.covered
            ]
            found.append(Doubt(square, tuple(others)))
    return found
