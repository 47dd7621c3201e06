"""The output of `kdscan board` about boards, games and spellbooks, in the terminal's language.

The boards themselves are in text form, which is the same in every language; all remarks on them are
for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kdscan.i18n import Words, mark
from kdscan.i18n.problems import problem_line, problem_text
from kdscan.rules.grid import Cell, cell_name
from kdscan.rules.problem import Problem

if TYPE_CHECKING:
    from kdscan.rules.duel.audit import Witness
    from kdscan.rules.duel.audit.pair import GameAudit
    from kdscan.rules.duel.report import AuditedMap
    from kdscan.rules.kingdomino.report import AuditedKingdom

WIDTH = 12
"""Width of the column of scored domains, unless a name is longer."""

WIZARD, MIDDLE_KINGDOM, HARMONY = mark("wizard"), mark("Middle Kingdom"), mark("harmony")

Domain = tuple[str, int, int, int]
"""A domain: name of its coat or terrain, cells, crosses or crowns, points."""


def map_text(found: AuditedMap, number: int, w: Words) -> str:
    """A map, how its points add up, and whether a game leads to it."""
    score = found.score
    domains = [(one.coat, len(one.cells), one.crosses, one.points) for one in score.domains]
    points = _points(domains, {WIZARD: score.wizard}, score.total, w)
    witness = found.audit.witness
    lawful = _lawful(found.audit.lawful, _steps(witness, w) if witness else (), w)
    return _board(str(found.board), number, [*points, lawful], found.problems, w)


def kingdom_text(found: AuditedKingdom, number: int, w: Words) -> str:
    """A kingdom, how its points add up, and whether its dominoes can be laid."""
    score = found.score
    domains = [(one.terrain, len(one.cells), one.crowns, one.points) for one in score.domains]
    extras = {MIDDLE_KINGDOM: score.middle_kingdom, HARMONY: score.harmony}
    lines = _points(domains, extras, score.total, w)
    if found.audit is not None:
        lines.append(_lawful(found.audit.lawful, map(_domino, found.audit.order), w))
    return _board(str(found.kingdom), number, lines, found.problems, w)


def _board(
    text: str, number: int, lines: Iterable[str], problems: Iterable[Problem], w: Words
) -> str:
    told = ["# " + w.t("board {n}", n=number), text, "", *lines]
    for problem in problems:
        cells = " ".join(map(cell_name, problem.cells))
        told.append(problem_line(problem, w) + (f" ({cells})" if cells else ""))
    return "\n".join(told)


def _points(domains: Iterable[Domain], extras: dict[str, int], total: int, w: Words) -> list[str]:
    rows = [
        (_name(kind, w), f" {cells:2} x {marks} = {points}")
        for kind, cells, marks, points in domains
        if points
    ]
    rows += [(w.t(name), f" {points:8}") for name, points in extras.items() if points]
    rows.append((w.t("total"), f" {total:8}"))
    width = max(WIDTH, *(len(name) for name, _ in rows))
    return [f"{name:{width}}{sum}" for name, sum in rows]


def _lawful(lawful: bool | None, steps: Iterable[str], w: Words) -> str:
    """steps: what was laid where, in a possible order."""
    if lawful is None:
        return w.t("lawful: not decided")
    if not lawful:
        return w.t("unlawful: no game leads here")
    return w.t("lawful: {way}", way=", ".join(steps) or w.t("an empty board"))


def _steps(witness: Witness, w: Words) -> Iterator[str]:
    """Dominoes in an order in which they can be drawn, with the help that they needed."""
    for step in witness.steps:
        helped = w.t("{coat} wizard", coat=_name(step.power, w)) if step.power else ""
        yield _domino(step.cells) + (f" ({helped})" if helped else "")
    if witness.castle:
        yield w.t("castle's cross on {cell}", cell=cell_name(witness.castle))
    if witness.wizard:
        yield w.t("wizard's cross on {cell}", cell=cell_name(witness.wizard))
    for after, coat in witness.idle:
        yield w.tn(
            "no room for the {coat} after {n} domino",
            "no room for the {coat} after {n} dominoes",
            after,
            coat=_name(coat, w),
        )


def _domino(cells: Iterable[Cell]) -> str:
    return "-".join(map(cell_name, cells))


def game_text(pair: GameAudit, number: int, w: Words) -> str:
    """The findings about two maps together."""
    if not pair.lawful:
        why = "; ".join(problem_text(one, w) for one in pair.problems) or w.t("see its boards")
        return w.t("game {n}: not lawful: {why}", n=number, why=why)
    notes = [problem_line(problem, w) for problem in pair.problems]
    if not pair.decided:
        notes.append(w.t("undecided whether the four dice can make both maps in the same rounds"))
    return "; ".join([w.t("game {n}: lawful", n=number), *notes])


def book_text(problems: Iterable[Problem], number: int, w: Words) -> str:
    """A spellbook's contradictions, one per line."""
    title = w.t("spellbook {n}", n=number)
    return "\n".join(f"{title}: {problem_line(problem, w)}" for problem in problems)


def _name(kind: str, w: Words) -> str:
    """The name of a coat or terrain."""
    return w.t(kind.replace("_", " "))
