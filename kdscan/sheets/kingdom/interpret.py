"""Evidence of kingdoms → readings, constrained by the box's dominoes. No pixels are needed from
here on.

Candidates are enumerated by decreasing probability of their pixels. For each it is checked whether
the 48 dominoes can form it; if not, its weight is reduced, because people seldom break the rules.
Kingdoms of one photo are also checked together: no domino is in two of them. The candidate with the
largest weight is the reading, and the share of the weight with its total is the confidence. An
unlawful kingdom is reported as it is, with its problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace as changed

from kdscan.detection.locate import edges_text
from kdscan.i18n.problems import problem_of
from kdscan.imaging.picture import Floats
from kdscan.marks.boards import DEFAULT_RISK, CellReading, Totals, best_first
from kdscan.rules import Cell, Problem, components, neighbours
from kdscan.rules.kingdomino.kingdom import (
    CASTLE,
    EMPTY,
    SQUARE_CLASSES,
    Kingdom,
    Square,
    SquareKind,
    Terrain,
    Variants,
    score_kingdom,
)
from kdscan.rules.kingdomino.legality import audit_kingdom, find_problems, one_box_holds, unlaid
from kdscan.sheets.common import MAX_OTHERS, MIN_OTHER, Doubt
from kdscan.sheets.kingdom.model import (
    ONE_HOT,
    KingdomCorrections,
    KingdomEvidence,
    KingdomReading,
)

MIN_PROBABILITY = 1e-5
"""Lower bound of all kinds' probabilities: no network is more reliable than its training data."""
SURELY_COVERED = 2.5
"""Least difference from the table at which a bare place counts as covered. In a kingdom that
dominoes cannot form as it was read, any reported difference counts (`extent.MIN_UNLIKE`), and so
does any place that tiles enclose, even if an object there looks like the table around."""
ENCLOSED = 3
"""Sides on which tiles enclose a place."""

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


class Candidate(NamedTuple):
    """A possible kingdom. kinds: indices in `SQUARE_CLASSES` of S * S squares, row-major. weight:
    unnormalised posterior probability. lawful: whether dominoes can form it; None if
    undecided."""

    kinds: tuple[int, ...]
    kingdom: Kingdom
    total: int
    weight: float
    lawful: bool | None


class Posterior(NamedTuple):
    """The posterior of one kingdom.

    rest: weight of kingdoms that are not among the candidates. castle: probability that one of the
    squares is the castle at all.
    """

    candidates: tuple[Candidate, ...]
    rest: float
    castle: float

    @property
    def best(self) -> Candidate:
        return max(self.candidates, key=lambda candidate: candidate.weight)

    @property
    def total_weight(self) -> float:
        return sum(candidate.weight for candidate in self.candidates) + self.rest

    def totals(self) -> Totals:
        """Possible totals with probabilities: that of the best candidate, then by probability."""
        best, normaliser = self.best.total, self.total_weight
        shares = dict.fromkeys((best,), 0.0)
        for candidate in self.candidates:
            share = candidate.weight / normaliser
            shares[candidate.total] = shares.get(candidate.total, 0.0) + share
        return tuple(sorted(shares.items(), key=lambda share: (share[0] != best, -share[1])))

    def marginals(self) -> list[float]:
        """For each square the probability of the best kingdom's kind."""
        best, normaliser = self.best.kinds, self.total_weight
        shares = [0.0] * len(best)
        for candidate in self.candidates:
            for index, kind in enumerate(candidate.kinds):
                if kind == best[index]:
                    shares[index] += candidate.weight / normaliser
        return shares


def decode_kingdoms(
    evidence: Sequence[KingdomEvidence], risk: float = DEFAULT_RISK
) -> tuple[KingdomReading, ...]:
    """Choose the most probable kingdoms of one photo and the squares that a person should check.

    risk: accepted probability that a total which is not marked for review is wrong.
    """
    posteriors, together = condition_on_box(
        [enumerate_kingdoms(_probabilities(each), each.variants) for each in evidence]
    )
    return tuple(
        _reading(each, posterior, together, risk)
        for each, posterior in zip(evidence, posteriors, strict=True)
    )


def interpret(evidence: KingdomEvidence, risk: float = DEFAULT_RISK) -> KingdomReading:
    """As `decode_kingdoms`, for a single kingdom."""
    return decode_kingdoms([evidence], risk)[0]


def _probabilities(evidence: KingdomEvidence) -> Floats:
    """(S * S, K): probabilities with a lower bound, and certainty for corrected squares. Of several
    squares corrected to the castle the last one counts. If the castle's square was corrected to
    something else and no other square looks like it, a bare place is taken for the castle, so that
    all tiles count."""
    probs = np.maximum(evidence.probs, MIN_PROBABILITY)
    corrected = {
        at: SQUARE_CLASSES.index(kind) for at, kind in evidence.corrections.squares.items()
    }
    if castles := [at for at, kind in corrected.items() if kind == CASTLE]:
        probs[..., CASTLE] = 0
        corrected = {at: kind for at, kind in corrected.items() if at not in castles[:-1]}
    if _castle_denied(evidence):
        unlike = probs[..., CASTLE] < MIN_CASTLE
        probs[unlike, CASTLE] *= probs[unlike, EMPTY]
    for at, kind in corrected.items():
        probs[at] = ONE_HOT[kind]
    probs = probs.reshape(-1, len(SQUARE_CLASSES))
    return np.asarray(probs / probs.sum(1, keepdims=True))


def _castle_denied(evidence: KingdomEvidence) -> bool:
    """Whether a person said that the most probable castle is none, without saying where it is."""
    corrected = evidence.corrections.squares
    likeliest = divmod(int(evidence.probs[..., CASTLE].argmax()), evidence.variants.size)
    return likeliest in corrected and SQUARE_CLASSES[CASTLE] not in corrected.values()


def enumerate_kingdoms(probs: Floats, variants: Variants) -> Posterior:
    """Enumerate and weight the kingdoms that the probabilities allow.

    probs: (S * S, K), rows sum to 1. Exactly one square is the castle; each probable one is
    tried with the kingdom around it.
    """
    odds = np.maximum(probs[:, CASTLE], TINY) / np.maximum(1 - probs[:, CASTLE], MIN_COMPLEMENT)
    shares = odds / (odds.sum() + NO_CASTLE_ODDS)
    candidates: list[Candidate] = []
    heaviest = listed = 0.0
    for castle in np.argsort(-shares)[:MAX_CASTLES].tolist():
        if candidates and shares[castle] < MIN_CASTLE:
            break
        others = probs.copy()
        others[:, CASTLE] = 0
        others[castle] = ONE_HOT[CASTLE]
        others /= np.maximum(others.sum(1, keepdims=True), 1e-12)
        for p, kinds in islice(best_first(others, MIN_CHOICE), MAX_KINGDOMS):
            likely = p * float(shares[castle])
            if likely < MIN_RELATIVE_WEIGHT * heaviest:
                break
            kingdom = kingdom_of(kinds, castle, variants.size)
            possible = not find_problems(kingdom, variants)
            connected = len(components([*kingdom.squares, kingdom.castle])) == 1
            lawful = possible and connected and audit_kingdom(kingdom, variants.size).lawful
            unlawful = UNLAWFUL_WEIGHT if possible else IMPOSSIBLE_WEIGHT
            weight = likely * (1.0 if lawful is not False else unlawful)
            total = score_kingdom(kingdom, variants).total
            candidates.append(Candidate(kinds, kingdom, total, weight, lawful))
            heaviest = max(heaviest, weight)
            listed += likely
    rest = UNLAWFUL_WEIGHT * max(0.0, 1.0 - listed)
    return Posterior(tuple(candidates), rest, float(shares.sum()))


def kingdom_of(kinds: tuple[int, ...], castle: int, size: int) -> Kingdom:
    """The kingdom of S * S kinds, row-major."""
    squares = {
        divmod(index, size): Square(Terrain(SQUARE_CLASSES[kind][0]), SQUARE_CLASSES[kind][1])
        for index, kind in enumerate(kinds)
        if kind not in (EMPTY, CASTLE)
    }
    return Kingdom(squares, divmod(castle, size), (size, size))


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
        row[: len(posterior.candidates)] = [candidate.weight for candidate in posterior.candidates]
    alone /= alone.sum(1, keepdims=True)
    joint, heaviest, best_fits = np.zeros_like(alone), 0.0, True
    for p, picks in islice(best_first(alone, MIN_CHOICE), MAX_COMBINATIONS):
        if p < MIN_RELATIVE_WEIGHT * heaviest:
            break
        table = [posterior.candidates[k] for posterior, k in zip(posteriors, picks, strict=True)]
        lawful = [candidate.kingdom for candidate in table if candidate.lawful is not False]
        fits = len(lawful) < 2 or one_box_holds(lawful) is not False
        weight = p * (1.0 if fits else UNLAWFUL_WEIGHT)
        if weight > heaviest:
            heaviest, best_fits = weight, fits
        joint[range(len(picks)), picks] += weight
    conditioned = []
    for posterior, row in zip(posteriors, joint, strict=True):
        scale = sum(candidate.weight for candidate in posterior.candidates) / float(row.sum())
        pairs = zip(posterior.candidates, row, strict=False)
        reweighted = tuple(candidate._replace(weight=float(w) * scale) for candidate, w in pairs)
        conditioned.append(posterior._replace(candidates=reweighted))
    return tuple(conditioned), best_fits


def _reading(
    evidence: KingdomEvidence, posterior: Posterior, together: bool, risk: float
) -> KingdomReading:
    flat, variants, best = evidence.rectified, evidence.variants, posterior.best
    corrected = evidence.corrections.squares
    bare = not best.kingdom.squares  # nobody ends a game with a castle alone
    lost = posterior.castle < 0.5 and _castle_denied(evidence)
    # More than five squares a side that dominoes cannot form: some are probably loose dominoes.
    odd = variants.size > Variants().size and best.lawful is False
    covered = _covered(evidence, best, judged=not lost)
    totals = posterior.totals()
    confidence = float(min(posterior.castle * totals[0][1], 1.0) * flat.confidence)
    if evidence.beyond or evidence.cut or evidence.touching or covered or bare or lost or odd:
        confidence = min(confidence, 0.5)
    review = confidence < 1 - risk

    squares = []
    probs = _probabilities(evidence)
    for index, (kind, p) in enumerate(zip(best.kinds, posterior.marginals(), strict=True)):
        at = divmod(index, variants.size)
        if lost:  # the castle is a guess: each square by itself, regardless of the kingdom around
            kind = int(probs[index].argmax()) if kind == CASTLE else kind
            p = float(probs[index, kind])
        p *= posterior.castle if kind == CASTLE else 1.0
        pixels = int(np.argmax(evidence.probs[at]))
        overruled = None if pixels == kind else SQUARE_CLASSES[pixels]
        doubtful, hidden = p < 1 - risk and at not in corrected, at in covered
        p = min(p * flat.confidence, 0.5) if hidden else p * flat.confidence
        squares.append(
            CellReading(at, SQUARE_CLASSES[kind], p, doubtful or hidden, overruled, hidden)
        )
    if review and not corrected and not any(square.review for square in squares):
        worst = min(range(len(squares)), key=lambda i: squares[i].confidence)
        squares[worst] = changed(squares[worst], review=True)
    if evidence.corrections.confirmed and not lost:
        review, squares = False, [changed(square, review=False) for square in squares]
    return KingdomReading(
        evidence=evidence,
        cells=tuple(squares),
        kingdom=best.kingdom,
        score=score_kingdom(best.kingdom, variants),
        confidence=confidence,
        review=review,
        problems=tuple(_problems(evidence, best.kingdom, covered, together, lost)),
        totals=totals,
    )


def _covered(evidence: KingdomEvidence, best: Candidate, *, judged: bool) -> tuple[Cell, ...]:
    """The places that seem to be covered by an object, except those that somebody has corrected;
    judged: whether the rules count, by which any place that tiles enclose may be covered."""
    covered = {at for at, unlike in evidence.covered.items() if unlike >= SURELY_COVERED}
    if judged and best.lawful is False:
        tiles = {*best.kingdom.squares, best.kingdom.castle}
        sides = Counter(near for cell in tiles for near in neighbours(cell))
        enclosed = {cell for cell, count in sides.items() if count >= ENCLOSED} - tiles
        covered |= evidence.covered.keys() | enclosed
    return tuple(sorted(covered - evidence.corrections.squares.keys()))


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
) -> Iterator[Problem]:
    """The rules that a kingdom breaks; some as questions, because people make mistakes and the
    reading may be right."""
    problems = find_problems(kingdom, variants)
    for problem in problems:
        if problem.code == "odd_squares":
            why = (
                f"{len(problem.cells)} squares hold tiles, but dominoes have two. The score "
                "stands. Is one missing?"
            )
            yield Problem(problem.code, "warning", why)
        elif problem.code == "unpaired_squares":
            yield replace(problem, severity="warning")
        else:
            yield problem
    size = variants.size
    if beyond:
        why = f"not counted, because it lies outside {size} x {size}: {beyond} of the squares"
        yield Problem("beyond_limit", "warning", why)
    elif problems:
        return
    elif audit_kingdom(kingdom, size).lawful is False:
        blamed = unlaid(kingdom)
        what = "these squares" if blamed else "this kingdom"
        why = (
            f"the dominoes of the box cannot make {what}. The score stands. Was a square misread, "
            "or is one missing?"
        )
        yield Problem("not_laid_lawfully", "warning", why, blamed)
    elif not together:
        why = (
            "one box cannot hold the dominoes of all kingdoms in this picture; a square may be "
            "read wrong"
        )
        yield Problem("not_from_one_box", "warning", why)


def doubts(kingdom: KingdomReading) -> list[Doubt]:
    """The squares that need review.

    The remaining probability is distributed among the other kinds in proportion to the
    probabilities from the pixels, which do not account for covered tiles, nor for the castle if
    somebody said where it is.
    """
    doubtful = []
    castle_given = ("castle", 0) in kingdom.evidence.corrections.squares.values()
    for square in kingdom.cells:
        if square.review:
            p = kingdom.evidence.probs[square.at].copy()
            p[SQUARE_CLASSES.index(square.content)] = 0
            if castle_given:
                p[CASTLE] = 0
            p *= 0 if square.covered else max(0.0, 1 - square.confidence) / max(p.sum(), 1e-12)
            likely = [k for k in np.argsort(-p, kind="stable")[:MAX_OTHERS] if p[k] >= MIN_OTHER]
            kinds = square.content, *(SQUARE_CLASSES[k] for k in likely)
            shares = square.confidence, *map(float, p[likely])
            totals = [total_with(kingdom, square.at, kind) for kind in kinds]
            doubtful.append(Doubt(square, tuple(zip(kinds, shares, totals, strict=True))))
    return doubtful


def questions(kingdom: KingdomReading, risk: float = DEFAULT_RISK) -> tuple[Doubt, ...]:
    """The doubtful squares, the least certain first. risk: without effect."""
    return tuple(sorted(doubts(kingdom), key=lambda doubt: doubt.cell.confidence))


def total_with(kingdom: KingdomReading, at: Cell, kind: SquareKind) -> int:
    """A kingdom's total if one square holds that and the others are as read; if the castle moves
    with it, as all is then read."""
    terrain, crowns = kind
    board = kingdom.kingdom
    if (terrain == "castle") != (at == board.castle):
        evidence = kingdom.evidence
        corrections = evidence.corrections.merge(KingdomCorrections({at: kind}))
        return interpret(replace(evidence, corrections=corrections)).score.total
    squares = {cell: square for cell, square in board.squares.items() if cell != at}
    if terrain not in ("castle", "empty"):
        squares[at] = Square(Terrain(terrain), crowns)
    return score_kingdom(replace(board, squares=squares), kingdom.variants).total
