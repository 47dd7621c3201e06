"""Evidence of a map → reading. No pixels are needed from here on.

Evidence from the picture, from other sheets and from corrections is kept in one record. Board,
score, problems, confidence and review are a pure function of it, so nothing has to be restored
after a correction, a fusion or a reload.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from kdscan.detection.clipping import CUT_OFF, map_cut_off
from kdscan.i18n.problems import problem_of
from kdscan.marks.decode import corrected, decode
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.records import CELLS, MapEvidence, MapReading, MarkProbs, Marks, Reading
from kdscan.rules.duel.scoring import score_board
from kdscan.rules.grid import Cell
from kdscan.rules.problem import Problem
from kdscan.sheets.duel_map import covered
from kdscan.sheets.duel_map.rules import apply_rules, questions

MIN_PLACED = 0.9
"""If the probability that all cells are in place is lower, a problem says so."""


def interpret(evidence: MapEvidence, risk: float = DEFAULT_RISK) -> MapReading:
    """Decode the evidence and apply rules, occlusion, clipping and corrections.

    risk: accepted probability that a total which is not marked for review is wrong.
    """
    clipped = evidence.still_clipped
    reading = _without_clipped(_with_corrections(evidence, risk), clipped)
    board = reading.board
    # A board that the picture cuts off may seem to break any rule.
    broken = () if clipped else questions(board, reading.castle_used)
    reading = apply_rules(reading, broken, risk, evidence.corrections.cells)
    reading = covered.apply_cover(reading, evidence.still_covered, risk)
    if evidence.mirrored or evidence.bilevel:
        reading = replace(reading, review=True)
    if reading.review:
        reading = _with_doubtful(reading, (1 - risk) * evidence.probs.placed)
    if evidence.corrections.confirmed:
        cells = tuple(replace(cell, review=False) for cell in reading.cells)
        reading = replace(reading, cells=cells, review=False)
    score = score_board(board, evidence.wizard_coat)
    return MapReading(evidence, reading, score, tuple(_problems(evidence, reading, broken)))


def beliefs(evidence: MapEvidence) -> MarkProbs:
    """Probabilities of each shield's marks after corrections; uniform for clipped shields, and
    mixed with the uniform distribution in proportion to the probability of being covered."""
    probs = corrected(evidence.probs, evidence.corrections.cells)
    unknown = evidence.still_covered | dict.fromkeys(evidence.still_clipped, 1.0)
    if not unknown:
        return probs
    coat, crosses = probs.coat.copy(), probs.crosses.copy()
    for cell, p in unknown.items():
        for each in (coat, crosses):
            index = CELLS.index(cell)
            each[index] += p * (1 / each.shape[1] - each[index])
    return replace(probs, coat=coat, crosses=crosses)


@lru_cache(maxsize=64)
def decoded(
    probs: MarkProbs, corrections: tuple[tuple[Cell, Marks], ...] = (), risk: float = DEFAULT_RISK
) -> Reading:
    """`decode` of probabilities and corrections, cached: tables, pages and the store interpret the
    same sheets many times."""
    return decode(corrected(probs, dict(corrections)) if corrections else probs, risk)


def _with_corrections(evidence: MapEvidence, risk: float) -> Reading:
    """The most probable board under the corrections; corrected cells keep the pixels' own result in
    `seen` and need no review."""
    corrections = evidence.corrections
    reading = decoded(evidence.probs, tuple(sorted(corrections.cells.items())), risk)
    if reading.review and not corrections.cells:
        reading = _mark_least_confident(reading)
    if corrections.cells:
        before = decoded(evidence.probs, (), risk).cells
        cells = tuple(
            replace(c, seen=own.marks, review=False) if c.at in corrections.cells else c
            for c, own in zip(reading.cells, before, strict=True)
        )
        reading = replace(reading, cells=cells)
    return (
        reading if corrections.castle is None else replace(reading, castle_used=corrections.castle)
    )


def _mark_least_confident(reading: Reading) -> Reading:
    """Mark the least confident shield if none is marked, so that a reviewer sees where to begin."""
    if any(cell.review for cell in reading.cells):
        return reading
    least = min(reading.cells, key=lambda cell: cell.confidence)
    return replace(reading, cells=tuple(replace(c, review=c is least) for c in reading.cells))


def _without_clipped(reading: Reading, clipped: tuple[Cell, ...]) -> Reading:
    """Clipped shields are empty, without confidence in them or in the total."""
    if not clipped:
        return reading
    cells = tuple(
        replace(c, coat=None, crosses=0, confidence=0.0, review=True) if c.at in clipped else c
        for c in reading.cells
    )
    return replace(reading, cells=cells, confidence=0.0, review=True)


def _with_doubtful(reading: Reading, confident: float) -> Reading:
    """Mark every shield with less confidence, in a sheet that needs review in any case.

    The few shields that would settle its total were chosen by the same probabilities as the total,
    which may be wrong. (Of 870 photos 410 need review. If only the few are corrected, 26 of their
    totals remain wrong; with all of these, 11. That is 5.3 instead of 3.7 shields per sheet.)
    """
    cells = tuple(replace(c, review=c.review or c.confidence < confident) for c in reading.cells)
    return replace(reading, cells=cells)


def _problems(
    evidence: MapEvidence, reading: Reading, broken: tuple[Problem, ...]
) -> Iterator[Problem]:
    """The problems of a map's place, board, picture and spellbook. broken: rules, as questions."""
    if evidence.probs.placed < MIN_PLACED:
        why = (
            "the grid may have been found in the wrong place; check the overlay, or photograph "
            "the sheet again"
        )
        yield Problem("unsure_place", "warning", why)
    yield from broken
    yield from covered.problems(reading)
    if clipped := evidence.still_clipped:
        what = f"{len(clipped)} shields lie" if len(clipped) > 1 else "a shield lies"
        why = f"{what} at the picture's edge or beyond it; take the photo again with the whole grid"
        yield Problem(CUT_OFF, "error", why, clipped)
    if evidence.mirrored:
        yield problem_of("mirrored")
    if evidence.bilevel:
        yield problem_of("bilevel")
    yield from map_cut_off(evidence.beside)
    yield from evidence.wizard.problems
    if evidence.blurred and reading.review:
        yield problem_of("blurred")
