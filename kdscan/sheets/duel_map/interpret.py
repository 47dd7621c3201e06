"""Evidence of a map → reading, and what to ask a person. No pixels are needed from here on.

Evidence from the picture, from other sheets and from corrections is kept in one record. Board,
score, problems, confidence and review are a pure function of it, so nothing has to be restored
after a correction, a fusion or a reload.

The rules of the game are evidence against a reading; a broken rule becomes a question about cells.
A correct reading can break the rules, because people make mistakes. Not even an odd number of
shields is proof of an error: with the line's wizard the two dice may be drawn apart, and only one
may have found room.

Objects over shields reduce the confidence in what was read there: a shield's log odds of being read
correctly are reduced by those of being covered. If the remaining confidence is too low for the
accepted risk, the shield is reported as covered and the sheet is marked for review; the less
confidently a shield is read, the less evidence of an object that takes. For a comparison with other
methods see docs/research/hold.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import log

import numpy as np
from msgspec.structs import replace as changed

from kdscan.detection.locate import CUT_OFF, map_cut_off
from kdscan.i18n.problems import problem_of
from kdscan.imaging.picture import Floats
from kdscan.marks.boards import (
    DEFAULT_RISK,
    BoardEstimate,
    CellReading,
    alternatives,
    calibrated,
    corrected,
    decode,
    joint,
)
from kdscan.marks.network import MarkProbs
from kdscan.rules import Cell, Problem, Severity, alone, is_open
from kdscan.rules.duel.board import CELLS, Board, Marks, Shield, score_board
from kdscan.rules.duel.legality import Terms, find_problems
from kdscan.sheets.common import MAX_OTHERS, MIN_OTHER, Doubt
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading

MIN_PLACED = 0.9
"""If the probability that all cells are in place is lower, a problem says so."""

DOMINO_CODES = ("odd_shields", "unpaired_shields", "unconnected_domino", "wizard_too_early")
"""Codes of problems of how dominoes lie, which do not affect the score."""

P_BROKEN_IF_RIGHT = 0.2
"""Probability that a correct reading breaks a rule: 22 of 90 boards in photographs do, none of
those at the end of simulated games."""

P_BROKEN_IF_WRONG = 0.7
"""Probability that a wrong reading breaks a rule: all that miss a shield or have one too many do,
13% of those with one wrong coat, 4% with one wrong number of crosses (150 simulated boards each).
Of 443 readings of synthetic photos 152 were wrong, and 51 of those break one; a search for a lawful
game that leads to the board, which takes far longer, finds two more."""

LOG_RATIO = log(P_BROKEN_IF_RIGHT / P_BROKEN_IF_WRONG)
"""Weight of evidence (Good 1950) of a broken rule, in natural log odds of the total. Unbroken rules
add nothing: the networks were calibrated on boards that break none."""

STANDS = "The score stands."

COVERED = "covered"
"""Code of the problem that lists covered shields."""

MIN_PROBABILITY = 0.22
"""Smaller probabilities of being covered are ignored."""

MIN_WHEN_REVIEWED = 0.5
"""Least probability of being covered for a doubtful shield of a sheet that needs review anyway."""

ODDS_WEIGHT = 0.75
"""Factor of the log odds of being covered, beyond those of `MIN_PROBABILITY`, that are subtracted;
below 1 because networks are overconfident about objects they were not trained on."""


def interpret(evidence: MapEvidence, risk: float = DEFAULT_RISK) -> MapReading:
    """Decode the evidence and apply rules, occlusion, clipping and corrections.

    Once every shield is answered that was asked for (see `asked_for`), no further ones are, and the
    total is accepted unless another reason for review remains (`open_reasons`).

    risk: accepted probability that a total which is not marked for review is wrong.
    """
    estimate, broken = _estimate(evidence, risk)
    corrections = evidence.corrections
    settled = corrections.confirmed
    if not settled and corrections.cells and estimate.review:
        settled = asked_for(evidence, risk) <= corrections.cells.keys()
    if settled:
        clipped = () if corrections.confirmed else evidence.still_clipped
        cells = tuple(changed(cell, review=cell.at in clipped) for cell in estimate.cells)
        review = not corrections.confirmed and bool(open_reasons(evidence, risk))
        accepted = not review and not corrections.confirmed
        confidence = max(estimate.confidence, 1 - risk) if accepted else estimate.confidence
        estimate = replace(estimate, cells=cells, review=review, confidence=confidence)
    board, wizard = estimate.board, evidence.wizard
    return MapReading(
        evidence=evidence,
        confidence=estimate.confidence * wizard.confidence,
        review=(estimate.review or wizard.review) and not corrections.confirmed,
        problems=tuple(_problems(evidence, estimate, broken)),
        cells=estimate.cells,
        score=score_board(board, evidence.wizard_coat),
        totals=estimate.totals,
        board=board,
        castle_used=estimate.castle_used,
        alone=estimate.confidence,
    )


def _estimate(evidence: MapEvidence, risk: float) -> tuple[BoardEstimate, tuple[Problem, ...]]:
    """The most probable board with its doubts, and the rules that it breaks."""
    clipped, answers = evidence.still_clipped, evidence.corrections.cells
    estimate = decoded(evidence.probs, tuple(sorted(answers.items())), risk)
    cells = estimate.cells
    if answers:  # these keep the pixels' own result in `seen` and need no review
        before = decoded(evidence.probs, (), risk).cells
        cells = tuple(
            changed(cell, seen=own.content, review=False) if cell.at in answers else cell
            for cell, own in zip(cells, before, strict=True)
        )
    elif estimate.review and not any(cell.review for cell in cells):  # where a reviewer begins
        least = min(cells, key=lambda cell: cell.confidence)
        cells = tuple(changed(cell, review=cell is least) for cell in cells)
    if evidence.corrections.castle is not None:
        estimate = replace(estimate, castle_used=evidence.corrections.castle)
    estimate = replace(estimate, cells=cells)
    broken: tuple[Problem, ...] = ()
    if clipped:  # a board that the picture cuts off may seem to break any rule
        cells = tuple(
            changed(cell, content=(None, 0), confidence=0.0, review=True)
            if cell.at in clipped
            else cell
            for cell in cells
        )
        estimate = replace(estimate, cells=cells, confidence=0.0, review=True)
    else:
        broken = rule_problems(estimate.board, estimate.castle_used)
    estimate = apply_rules(estimate, broken, risk, answers)
    estimate = apply_cover(estimate, evidence.still_covered, risk)
    alike = _misread_alike(evidence, risk) - answers.keys()
    if alike or estimate.review or evidence.mirrored or evidence.bilevel:
        # The few shields that would settle the total were chosen by the same probabilities as the
        # total, which may be wrong. (Of 870 photos 410 need review. If only the few are corrected,
        # 26 of their totals remain wrong; with all of these, 11. That is 5.3 instead of 3.7 shields
        # per sheet.)
        sure = (1 - risk) * evidence.probs.placed
        cells = tuple(
            changed(c, review=c.review or c.confidence < sure or c.at in alike)
            for c in estimate.cells
        )
        estimate = replace(estimate, cells=cells, review=True)
    return estimate, broken


@lru_cache(maxsize=64)
def decoded(
    probs: MarkProbs, corrections: tuple[tuple[Cell, Marks], ...] = (), risk: float = DEFAULT_RISK
) -> BoardEstimate:
    """`decode` of probabilities and corrections, cached: tables, pages and the store interpret the
    same sheets many times."""
    return decode(corrected(probs, dict(corrections)) if corrections else probs, risk)


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


def rule_problems(board: Board, castle_used: bool | None) -> tuple[Problem, ...]:
    """The rule problems of a board, as questions (warnings); only the impossible stays an error."""
    problems = []
    for problem in find_problems(board, Terms(castle_used)):
        code, cells, text = problem.code, problem.cells, problem.message
        if code == "unpaired_shields":
            if lonely := alone(board):
                count = len(lonely)
                lie = "this shield lies" if count == 1 else f"these {count} shields lie"
                text = (
                    f"{lie} alone, but every round fills two side by side. {STANDS} Is one missing?"
                )
                cells = lonely
            elif len(board) % 2:
                code, cells = "odd_shields", tuple(cell for cell in CELLS if cell not in board)
                text = (
                    f"{len(board)} shields are filled, but every round fills two. {STANDS} Is one "
                    "missing?"
                )
            else:
                text = (
                    f"dominoes cannot cover these {len(cells)} shields. {STANDS} Is one missing, "
                    "or one too many?"
                )
        severity: Severity = "warning" if code in DOMINO_CODES else problem.severity
        problems.append(Problem(code, severity, text, cells))
    return tuple(problems)


def apply_rules(
    estimate: BoardEstimate, broken: Sequence[Problem], risk: float, checked: Collection[Cell] = ()
) -> BoardEstimate:
    """The estimate with broken rules taken into account in its confidence.

    broken: as returned by `rule_problems`. risk: accepted probability that a total which is not
    marked for review is wrong. checked: shields that a person has checked; problems of these alone
    are the players' own. If the reading needs review only now, the least confident unchecked shield
    that a problem names is marked.
    """
    broken = [problem for problem in broken if is_open(problem.cells, checked)]
    if not broken:
        return estimate
    confidence = calibrated(estimate.confidence, np.array([1.0, LOG_RATIO]))
    review = confidence < 1 - risk
    cells = estimate.cells
    if review and not any(cell.review for cell in cells):
        named = {cell for problem in broken for cell in problem.cells}
        unchecked = [i for i, cell in enumerate(cells) if cell.at not in checked]
        candidates = [i for i in unchecked if cells[i].at in named] or unchecked
        worst = min(candidates, key=lambda i: cells[i].confidence, default=None)
        cells = tuple(changed(c, review=c.review or i == worst) for i, c in enumerate(cells))
    return replace(estimate, cells=cells, confidence=confidence, review=review)


def apply_cover(
    estimate: BoardEstimate, covered: Mapping[Cell, float], risk: float
) -> BoardEstimate:
    """The estimate with the confidence of covered shields, and its own, reduced.

    covered: probabilities of being covered, 0..1. risk: accepted probability that a total which is
    not marked for review is wrong.
    """
    cells = []
    for cell in estimate.cells:
        p = min(covered.get(cell.at, 0.0), 1 - 1e-9)
        doubtful = estimate.review and cell.confidence < 1 - risk
        if p >= (MIN_WHEN_REVIEWED if doubtful else MIN_PROBABILITY):
            odds = log(p / (1 - p)) - log(MIN_PROBABILITY / (1 - MIN_PROBABILITY))
            confidence = calibrated(cell.confidence, np.array([1.0, -ODDS_WEIGHT * odds]))
            if confidence < 1 - risk:
                cell = changed(cell, confidence=confidence, covered=True, review=True)
        cells.append(cell)
    named = [cell.confidence for cell in cells if cell.covered]
    if not named:
        return estimate
    confidence = min(estimate.confidence, *named)
    return replace(estimate, cells=tuple(cells), confidence=confidence, review=True)


def _problems(
    evidence: MapEvidence, estimate: BoardEstimate, broken: tuple[Problem, ...]
) -> Iterator[Problem]:
    """The problems of a map's place, board, picture and spellbook. broken: rules, as questions."""
    if evidence.probs.placed < MIN_PLACED:
        why = (
            "the grid may have been found in the wrong place; check the overlay, or photograph "
            "the sheet again"
        )
        yield Problem("unsure_place", "warning", why)
    yield from broken
    if covered := tuple(cell.at for cell in estimate.cells if cell.covered):
        what = f"{len(covered)} shields seem" if len(covered) > 1 else "a shield seems"
        why = f"{what} to be covered by an object or glare; check the sheet, or photograph it again"
        yield Problem(COVERED, "warning", why, covered)
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
    if evidence.blurred and estimate.review:
        yield problem_of("blurred")


# What to ask a person


def asked_for(evidence: MapEvidence, risk: float = DEFAULT_RISK) -> frozenset[Cell]:
    """The shields to ask for, chosen from what was read without any answer, so that their number
    does not grow while a person answers. Only if the answers lead to a total outside the range that
    was read, or several shields were misread alike, more are added, once."""
    answers = evidence.corrections.cells
    first, cells = _unanswered(evidence, {}, risk)
    if not cells <= answers.keys():
        return cells
    second, more = _unanswered(evidence, {cell: answers[cell] for cell in cells}, risk)
    low, high = first.total_range
    total = score_board(second.board, None).total
    cells |= _misread_alike(evidence, risk)
    return cells if low <= total <= high else cells | more


MANY_ALIKE = 2
"""If so many shields of one coat were misread as another, that is a habit, such as double lines
that meet: all that were read as that coat are asked for. Of 300 photos this mends 4 of 10 totals
that stayed wrong after all answers, for 5 to 9 more answers in each."""


def _misread_alike(evidence: MapEvidence, risk: float) -> frozenset[Cell]:
    """The shields whose coat was often misread, by the answers so far."""
    answers = evidence.corrections.cells
    read = {cell.at: cell.content[0] for cell in decoded(evidence.probs, (), risk).cells}
    wrong = [coat for at, coat in read.items() if coat != answers.get(at, (coat, 0))[0]]
    return frozenset(at for at, coat in read.items() if coat and wrong.count(coat) >= MANY_ALIKE)


def _unanswered(
    evidence: MapEvidence, answers: Mapping[Cell, Marks], risk: float
) -> tuple[BoardEstimate, frozenset[Cell]]:
    """The estimate with some answers alone, and the shields that are doubtful then."""
    corrections = MapCorrections(answers, evidence.corrections.castle)
    estimate, _ = _estimate(replace(evidence, corrections=corrections), risk)
    doubtful = frozenset(cell.at for cell in estimate.cells if cell.review)
    return estimate, doubtful.difference(evidence.clipped)


def open_reasons(evidence: MapEvidence, risk: float = DEFAULT_RISK) -> tuple[str, ...]:
    """Codes of the reasons for review that no answer about a shield settles: the grid's place, a
    mirrored picture or one without greys, shields beyond the picture's edge."""
    reasons = {
        "unsure_place": evidence.probs.placed < 1 - risk,
        "mirrored": evidence.mirrored,
        "bilevel": evidence.bilevel,
        CUT_OFF: bool(evidence.still_clipped),
    }
    return tuple(code for code, remains in reasons.items() if remains)


def questions(sheet: MapReading, risk: float = DEFAULT_RISK) -> tuple[Doubt, ...]:
    """The questions about a map's shields that settle its total (see `asked_for`), the least
    certain first; none if it needs no review."""
    evidence, answers = sheet.evidence, sheet.evidence.corrections.cells
    first, _ = _unanswered(evidence, {}, risk)
    if not (first.review or sheet.review) or evidence.corrections.confirmed:
        return ()
    both, asked = joint(evidence.probs), asked_for(evidence, risk)
    result = []
    for read in sorted(first.cells, key=lambda cell: (cell.confidence, cell.at)):
        if read.at in asked:
            options = sorted(_doubt(sheet, read, both).options, key=lambda option: -option[1])
            likeliest = tuple(options[: MAX_OTHERS + 1])
            result.append(Doubt(read, likeliest, read.at in answers))
    return tuple(result)


def _doubt(sheet: MapReading, cell: CellReading[Marks], both: Floats) -> Doubt:
    """A shield with all that it may hold; both: see `joint`."""
    likely = alternatives(both[CELLS.index(cell.at)], MAX_OTHERS + 1)
    first, *others = ((marks, p) for marks, p in likely if marks != cell.content)
    options = (cell.content, cell.confidence), first, *(o for o in others if o[1] >= MIN_OTHER)
    return Doubt(cell, tuple((marks, p, total_with(sheet, cell.at, marks)) for marks, p in options))


MAX_DOUBTFUL = 0.25
"""Share of doubtful shields above which a sheet should rather be photographed again. Of 49 photos
of generated maps 6 have more; the totals of 5 of these are wrong, as are 4 of the other 43."""

FAR_PX = 60
"""Photo pixels per cell below which a sheet with too many doubts was photographed from too far."""

MANY_COVERED = 3
"""From so many covered shields on, objects or glare are named as the reason for the doubts."""

EMPTY, MOST_ON_EMPTY = "empty", 2
"""Code of a sheet on which nobody seems to have played, and the most coats that are read there."""


def retake_reasons(sheet: MapReading) -> tuple[str, ...]:
    """Why a map should rather be photographed again than answered, what to change first standing
    first; empty if it should not.

    cut_off: shields lie beyond the picture's edge. Otherwise too many shields are in doubt, and the
    picture is dark, blurred, taken from afar (far), or shields are covered. If none is so, a sheet
    with hardly any coats is empty, and another one with too many doubts is doubtful.
    """
    evidence, cells = sheet.evidence, sheet.cells
    if sheet.clipped:
        return (CUT_OFF,)
    is_doubtful = sum(cell.review for cell in cells) > MAX_DOUBTFUL * len(cells)
    reasons = {
        "dark": evidence.dark,
        "blurred": evidence.blurred,
        "far": evidence.rectified.px_per_cell < FAR_PX,
        COVERED: sum(cell.covered for cell in cells) >= MANY_COVERED,
    }
    if codes := tuple(code for code, applies in reasons.items() if applies and is_doubtful):
        return codes
    if sheet.review and len(sheet.board) <= MOST_ON_EMPTY:
        return (EMPTY,)
    return ("doubtful",) * is_doubtful


def total_with(sheet: MapReading, at: Cell, marks: Marks) -> int:
    """A map's total if one shield holds these marks and the others are as read."""
    board = {cell: shield for cell, shield in sheet.board.items() if cell != at}
    coat, crosses = marks
    if coat is not None:
        board[at] = Shield(coat, crosses)
    return score_board(Board(board), sheet.evidence.wizard_coat).total


def doubts(sheet: MapReading) -> list[Doubt]:
    """The shields that need review, except those that the picture cuts off."""
    unsure = [c for c in sheet.cells if c.review and c.at not in sheet.clipped]
    if not unsure:
        return []
    both = joint(corrected(sheet.evidence.probs, sheet.evidence.corrections.cells))
    whole = (_doubt(sheet, cell, both) for cell in unsure)
    return [doubt._replace(options=doubt.options[: MAX_OTHERS + 1]) for doubt in whole]
