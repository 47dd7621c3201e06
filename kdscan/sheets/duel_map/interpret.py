"""Evidence of a map → reading. No pixels are needed from here on.

Evidence from the picture, from other sheets and from corrections is kept in one record. Board,
score, problems, confidence and review are a pure function of it, so nothing has to be restored
after a correction, a fusion or a reload.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import log

import numpy as np

from kdscan.detection.locate import CUT_OFF, map_cut_off
from kdscan.i18n.problems import problem_of
from kdscan.imaging.picture import Floats
from kdscan.marks.boards import DEFAULT_RISK, CellReading, Reading, calibrated, corrected, decode
from kdscan.marks.network import MarkProbs
from kdscan.marks.posterior import alternatives, joint
from kdscan.rules.duel.board import CELLS, Board
from kdscan.rules.duel.coats import Marks
from kdscan.rules.duel.legality import Terms, find_problems
from kdscan.rules.duel.scoring import score_board
from kdscan.rules.grid import Cell, alone
from kdscan.rules.problem import Problem, is_open
from kdscan.sheets.common import MAX_OTHERS, MIN_OTHER, Doubt
from kdscan.sheets.duel_map.model import MapEvidence, MapReading

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
    reading = apply_cover(reading, evidence.still_covered, risk)
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
    yield from _cover_problems(reading)
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


DOMINO_CODES = ("odd_shields", "unpaired_shields", "unconnected_domino", "wizard_too_early")
"""Codes of problems of how dominoes lie, which do not affect the score."""

P_BROKEN_IF_RIGHT = 0.2
"""Probability that a correct reading breaks a rule: 22 of 90 boards in photographs do, none of
those at the end of simulated games."""

P_BROKEN_IF_WRONG = 0.7
"""Probability that a wrong reading breaks a rule: all that miss a shield or have one too many do,
13% of those with one wrong coat, 4% with one wrong number of crosses (150 simulated boards each).
Among synthetic photos 158 of 184 wrong readings break one, but only 9 of 13 whose total is
confidently wrong because of a covered shield."""

LOG_RATIO = log(P_BROKEN_IF_RIGHT / P_BROKEN_IF_WRONG)
"""Weight of evidence (Good 1950) of a broken rule, in natural log odds of the total. Unbroken rules
add nothing: the networks were calibrated on boards that break none."""

STANDS = "The score stands."


def questions(board: Board, castle_used: bool | None) -> tuple[Problem, ...]:
    """The rule problems of a board, as questions (warnings); only the impossible stays an error."""
    return tuple(_as_question(board, one) for one in find_problems(board, Terms(castle_used)))


def apply_rules(
    reading: Reading, broken: Sequence[Problem], risk: float, checked: Collection[Cell] = ()
) -> Reading:
    """The reading with broken rules taken into account in its confidence.

    broken: as returned by `questions`. risk: accepted probability that a total which is not marked
    for review is wrong. checked: shields that a person has checked; problems of these alone are the
    players' own. If the reading needs review only now, the least confident unchecked shield that a
    problem names is marked.
    """
    broken = [one for one in broken if is_open(one.cells, checked)]
    if not broken:
        return reading
    confidence = calibrated(reading.confidence, np.array([1.0, LOG_RATIO]))
    review = confidence < 1 - risk
    cells = reading.cells
    if review and not any(cell.review for cell in cells):
        named = {cell for problem in broken for cell in problem.cells}
        unchecked = [i for i, one in enumerate(cells) if one.at not in checked]
        candidates = [i for i in unchecked if cells[i].at in named] or unchecked
        worst = min(candidates, key=lambda i: cells[i].confidence, default=None)
        cells = tuple(replace(c, review=c.review or i == worst) for i, c in enumerate(cells))
    return replace(reading, cells=cells, confidence=confidence, review=review)


def _as_question(board: Board, problem: Problem) -> Problem:
    if problem.code not in DOMINO_CODES:
        return problem
    if problem.code != "unpaired_shields":
        return replace(problem, severity="warning")
    if lonely := alone(board):
        return _warning("unpaired_shields", _alone(len(lonely)), lonely)
    if len(board) % 2:
        text = (
            f"{len(board)} shields are filled, but every round fills two. {STANDS} Is one missing?"
        )
        return _warning("odd_shields", text, tuple(cell for cell in CELLS if cell not in board))
    count = len(problem.cells)
    text = f"dominoes cannot cover these {count} shields. {STANDS} Is one missing, or one too many?"
    return _warning("unpaired_shields", text, problem.cells)


def _alone(count: int) -> str:
    what = "this shield lies" if count == 1 else f"these {count} shields lie"
    return f"{what} alone, but every round fills two side by side. {STANDS} Is one missing?"


def _warning(code: str, text: str, cells: tuple[Cell, ...]) -> Problem:
    return Problem(code, "warning", text, cells)


COVERED = "covered"
"""Code of the problem that lists covered shields."""

MIN_PROBABILITY = 0.22
"""Smaller probabilities of being covered are ignored."""

MIN_WHEN_REVIEWED = 0.5
"""Least probability of being covered for a doubtful shield of a sheet that needs review anyway."""

ODDS_WEIGHT = 0.75
"""Factor of the log odds of being covered, beyond those of `MIN_PROBABILITY`, that are subtracted;
below 1 because networks are overconfident about objects they were not trained on."""


def apply_cover(reading: Reading, covered: Mapping[Cell, float], risk: float) -> Reading:
    """The reading with the confidence of covered shields, and its own, reduced.

    covered: probabilities of being covered, 0..1. risk: accepted probability that a total which is
    not marked for review is wrong.
    """
    cells = tuple(
        _cell(one, p, risk, reading.review) if (p := covered.get(one.at)) else one
        for one in reading.cells
    )
    named = [cell.confidence for cell in cells if cell.covered]
    if not named:
        return reading
    confidence = min(reading.confidence, *named)
    return replace(reading, cells=cells, confidence=confidence, review=True)


def _cell(cell: CellReading, p: float, risk: float, reviewed: bool) -> CellReading:
    """A shield that is covered with probability p. reviewed: whether its sheet needs review
    anyway."""
    if p < (MIN_WHEN_REVIEWED if reviewed and cell.confidence < 1 - risk else MIN_PROBABILITY):
        return cell
    inside = min(p, 1 - 1e-9)
    odds = log(inside / (1 - inside)) - log(MIN_PROBABILITY / (1 - MIN_PROBABILITY))
    confidence = calibrated(cell.confidence, np.array([1.0, -ODDS_WEIGHT * odds]))
    if confidence >= 1 - risk:
        return cell
    return replace(cell, confidence=confidence, covered=True, review=True)


def _cover_problems(reading: Reading) -> tuple[Problem, ...]:
    """A problem that names the covered shields, if there are any."""
    cells = tuple(cell.at for cell in reading.cells if cell.covered)
    if not cells:
        return ()
    what = f"{len(cells)} shields seem" if len(cells) > 1 else "a shield seems"
    why = f"{what} to be covered by an object or glare; check the sheet, or photograph it again"
    return (Problem(COVERED, "warning", why, cells),)


def doubts(sheet: MapReading) -> list[Doubt[CellReading]]:
    """The shields that need review, except those that the picture cuts off."""
    unsure = [c for c in sheet.reading.cells if c.review and c.at not in sheet.clipped]
    if not unsure:
        return []
    both = joint(corrected(sheet.evidence.probs, sheet.evidence.corrections.cells))
    return [Doubt(cell, _others(cell, both[CELLS.index(cell.at)])) for cell in unsure]


def _others(cell: CellReading, both: Floats) -> tuple[CellReading, ...]:
    """What else a shield may hold; both: (7, 5), its probabilities."""
    others = [
        replace(cell, coat=coat, crosses=crosses, confidence=p, covered=False)
        for (coat, crosses), p in alternatives(both, MAX_OTHERS + 1)
        if (coat, crosses) != cell.marks and p >= MIN_OTHER
    ]
    return tuple(others[:MAX_OTHERS])
