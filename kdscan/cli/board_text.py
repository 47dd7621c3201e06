"""What `kdscan board` says of boards, games and spellbooks, in the language of the terminal.

The boards themselves stand in their text form, which is the same in every language; all that
is said about them beside it is for people.
"""

from __future__ import annotations

from typing import Any

from kdscan.game.grid import cell_name
from kdscan.game.problem import Problem
from kdscan.locale import Words, mark
from kdscan.locale.problems import SEVERITIES, problem_text

WIDTH = 12
"""Characters for what points are given for, where no name is longer."""

EXTRAS = {
    "wizard": mark("wizard"),
    "middle_kingdom": mark("Middle Kingdom"),
    "harmony": mark("harmony"),
}
"""Points beside those of domains, by their names in the JSON."""


def board_text(entry: dict[str, Any], number: int, w: Words) -> str:
    """One entry of `boards`: the board, how its points add up, whether a game leads to it."""
    lines = ["# " + w.t("board {n}", n=number), entry["text"], "", *_points(entry, w)]
    if entry["audit"] is not None:
        lines.append(_lawful(entry["audit"], w))
    for problem in entry["problems"]:
        cells = " ".join(cell_name(cell) for cell in problem["cells"])
        lines.append(_problem(problem, w) + (f" ({cells})" if cells else ""))
    return "\n".join(lines)


def _points(entry: dict[str, Any], w: Words) -> list[str]:
    rows = []
    for domain in entry["domains"]:
        if domain["points"]:
            kind = (domain.get("coat") or domain["terrain"]).replace("_", " ")
            marks = domain.get("crosses", domain.get("crowns"))
            rows.append((w.t(kind), f" {len(domain['cells']):2} x {marks} = {domain['points']}"))
    score = entry["score"]
    rows += [(w.t(name), f" {score[key]:8}") for key, name in EXTRAS.items() if score.get(key)]
    rows.append((w.t("total"), f" {score['total']:8}"))
    width = max(WIDTH, *(len(name) for name, _ in rows))
    return [f"{name:{width}}{sum}" for name, sum in rows]


def _lawful(audit: dict[str, Any], w: Words) -> str:
    if audit["lawful"]:
        return w.t("lawful: {way}", way=_way(audit, w))
    if audit["lawful"] is None:
        return w.t("lawful: not decided")
    return w.t("unlawful: no game leads here")


def _way(audit: dict[str, Any], w: Words) -> str:
    """Dominoes in an order in which they can be laid, with the help that they took."""
    steps = []
    for step in audit["order"]:
        one, two = (cell_name(cell) for cell in step["cells"])
        power = step.get("power")
        helped = " (" + w.t("{coat} wizard", coat=_coat(power, w)) + ")" if power else ""
        steps.append(f"{one}-{two}{helped}")
    if audit.get("castle"):
        steps.append(w.t("castle's cross on {cell}", cell=cell_name(audit["castle"])))
    if audit.get("wizard"):
        steps.append(w.t("wizard's cross on {cell}", cell=cell_name(audit["wizard"])))
    for idle in audit.get("idle", ()):
        steps.append(
            w.tn(
                "no room for the {coat} after {n} domino",
                "no room for the {coat} after {n} dominoes",
                idle["after"],
                coat=_coat(idle["coat"], w),
            )
        )
    return ", ".join(steps) or w.t("an empty map")


def game_text(pair: dict[str, Any], number: int, w: Words) -> str:
    """One entry of `games`: what two maps say of each other."""
    problems = [_problem_text(problem, w) for problem in pair["problems"]]
    if not pair["lawful"]:
        why = "; ".join(problems) or w.t("see its boards")
        return w.t("game {n}: not lawful: {why}", n=number, why=why)
    notes = [_problem(problem, w) for problem in pair["problems"]]
    if not pair["rounds_decided"]:
        notes.append(w.t("whether the four dice make both maps in common rounds was not decided"))
    return "; ".join([w.t("game {n}: lawful", n=number), *notes])


def book_text(book: dict[str, Any], number: int, w: Words) -> str:
    """One entry of `spellbooks`: what it says against itself, a line each."""
    title = w.t("spellbook {n}", n=number)
    return "\n".join(f"{title}: {_problem(problem, w)}" for problem in book["problems"])


def _problem(problem: dict[str, Any], w: Words) -> str:
    return f"{w.t(SEVERITIES[problem['severity']])}: {_problem_text(problem, w)}"


def _problem_text(problem: dict[str, Any], w: Words) -> str:
    return problem_text(Problem(problem["code"], problem["severity"], problem["message"]), w)


def _coat(coat: str, w: Words) -> str:
    return w.t(coat.replace("_", " "))
