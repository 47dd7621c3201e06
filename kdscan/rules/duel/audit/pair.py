"""Two maps of one game, audited together.

In addition to the rules for each map: a wizard serves only one player, and a player who
drew fewer dominoes had no room for some that the dice may have shown. The four dice of each
round come last and never forbid anything: `rounds` says what is known about them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product, zip_longest

from kdscan.rules.duel.audit import Audit, audit_on_terms, terms_of, witness_of
from kdscan.rules.duel.audit.rounds import Maps, Round, Ways, common_rounds, ruled_out
from kdscan.rules.duel.audit.shields import LAW, THE_DICE, Dice, OutOfStepsError
from kdscan.rules.duel.audit.terms import MAP_WIZARDS, Terms
from kdscan.rules.duel.audit.ways import Way, ways
from kdscan.rules.duel.editions import ENGLISH, Edition
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.problem import Problem

_WAYS_TRIED = 24
"""Ways to each map that are tried against each other for common rounds."""

_WAYS_EACH = 2
"""Number of them for each choice of bonus crosses."""


@dataclass(frozen=True)
class GameAudit:
    """What an audit of two maps found.

    lawful: whether the rulebooks allow both maps in one game. audits: each map's own audit,
    with a way to it that is compatible with the other's. problems: what forbids them together.
    rounds: steps of both ways side by side, with dice for each; None if there are none, or
    none were found. decided: whether it is known if there are any.
    """

    lawful: bool
    audits: tuple[Audit, Audit]
    problems: tuple[Problem, ...] = ()
    rounds: tuple[Round, ...] | None = None
    decided: bool = True


def audit_game(
    maps: Maps,
    castle_used: tuple[bool | None, bool | None] = (None, None),
    *,
    spellbook: Spellbook | None = None,
    edition: Edition = ENGLISH,
) -> GameAudit:
    """Audit both maps of a game, finished or not; exact except for the dice, see `rounds`."""
    terms = (
        terms_of(castle_used[0], spellbook, 0, edition),
        terms_of(castle_used[1], spellbook, 1, edition),
    )
    one, two = (audit_on_terms(b, t) for b, t in zip(maps, terms, strict=True))
    audits = one, two
    if not (one.lawful and two.lawful):
        return GameAudit(False, audits)
    by_dice = not (one.problems or two.problems)
    if by_dice:
        try:
            found = common_rounds(maps, _together(maps, terms, THE_DICE, each=_WAYS_EACH))
        except OutOfStepsError:
            found = None
        if found is not None:
            return GameAudit(True, _with_ways(audits, found[0]), (), found[1])
    pair = next(_together(maps, terms, LAW), None)
    if pair is None:
        code, text = _apart(maps, terms, LAW)
        return GameAudit(False, audits, (Problem(code, "error", text),))
    audits = _with_ways(audits, pair)
    if not by_dice:
        return GameAudit(True, audits)
    why: str | None
    if next(_together(maps, terms, THE_DICE), None) is None:
        _, why = _apart(maps, terms, THE_DICE)
    else:
        why = ruled_out(maps, terms)
    if why is None:
        return GameAudit(True, audits, decided=False)
    text = f"no rounds of the four dice are known that make both maps: {why}"
    return GameAudit(True, audits, (Problem("dice", "warning", text),))


def _with_ways(audits: tuple[Audit, Audit], found: Ways) -> tuple[Audit, Audit]:
    one, two = (
        replace(audit, witness=witness_of(way)) for audit, way in zip(audits, found, strict=True)
    )
    return one, two


def _together(
    maps: Maps,
    terms: tuple[Terms, Terms],
    dice: Dice,
    rounds: bool = True,
    each: int | None = None,
) -> Iterator[Ways]:
    """Ways to both maps that share no wizard; with `rounds`, in as many rounds."""
    idle = tuple(rounds and len(board) < len(other) for board, other in (maps, maps[::-1]))
    shared = sorted(MAP_WIZARDS & terms[0].wizards & terms[1].wizards)
    for owners in product((0, 1), repeat=len(shared)):
        found = []
        for player, (board, own) in enumerate(zip(maps, terms, strict=True)):
            lost = {coat for coat, owner in zip(shared, owners, strict=True) if owner != player}
            mine = replace(own, idle=idle[player], wizards=own.wizards - lost)
            found.append(islice(ways(board, mine, dice, each), _WAYS_TRIED))
        yield from _each_with_each(*found)


def _each_with_each(one: Iterator[Way], two: Iterator[Way]) -> Iterator[Ways]:
    """All pairs in the order in which they are found: most games need only the first ways."""
    firsts: list[Way] = []
    seconds: list[Way] = []
    for first, second in zip_longest(one, two):
        if first is not None:
            yield from ((first, other) for other in seconds)
            firsts.append(first)
        if second is not None:
            yield from ((other, second) for other in firsts)
            seconds.append(second)
        if not (firsts and seconds):
            return


def _apart(maps: Maps, terms: tuple[Terms, Terms], dice: Dice) -> tuple[str, str]:
    """A code and the reason why no ways to the two maps are compatible."""
    if next(_together(maps, terms, dice, rounds=False), None) is None:
        why = "both maps need the help of the same wizard, who serves only one player"
        return "wizard_shared", why
    few, many = sorted(len(board) // 2 for board in maps)
    why = (
        f"one map has {many} dominoes and the other {few}, but every round brings both players "
        "one, and the smaller map always had room for any"
    )
    return "rounds_differ", why
