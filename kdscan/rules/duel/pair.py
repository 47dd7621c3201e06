"""Two maps of one game, audited together.

In addition to the rules for each map: a wizard serves only one player, and a player who drew fewer
dominoes had no room for some that the dice may have shown. The known dice come last and never
forbid anything: two of the four must make one player's domino, and the other two the other's or
one that the other player had no room for, in every round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, product, zip_longest

from kdscan.rules.duel.audit import (
    Audit,
    Budget,
    OutOfStepsError,
    Task,
    Witness,
    audit_on_terms,
    beside,
    room,
    terms_of,
    witnesses,
)
from kdscan.rules.duel.board import CASTLE_BITS, Board, number
from kdscan.rules.duel.coats import DICE, Coat
from kdscan.rules.duel.legality import ANY_DICE, KNOWN_DICE, MAP_WIZARDS, Dice, Terms
from kdscan.rules.duel.play import ENGLISH, Edition
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.problem import Problem

MAX_WITNESSES = 24
"""Ways to each map that are tried against each other for common rounds."""

MAX_DEAD_ENDS = 20_000
"""Dead ends met before the search for common rounds gives up."""

_ALL_DICE = (1 << len(DICE)) - 1

Maps = tuple[Board, Board]
Pair = tuple[Witness, Witness]

Round = tuple[int | None, int | None]
"""Which step of each map's order is drawn; None if that player drew nothing."""


@dataclass(frozen=True)
class GameAudit:
    """What an audit of two maps found.

    lawful: whether the rulebooks allow both maps in one game, None if the search gave up.
    audits: each map's own audit, with a way to it that is compatible with the other's.
    problems: what forbids them together.
    rounds: steps of both ways side by side, with dice for each; None if there are none, or none
    were found. decided: whether it is known if there are any.
    """

    lawful: bool | None
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
    """Audit both maps of a game, finished or not; exact except for the dice."""
    terms = (
        terms_of(castle_used[0], spellbook, 0, edition),
        terms_of(castle_used[1], spellbook, 1, edition),
    )
    audits = audit_on_terms(maps[0], terms[0]), audit_on_terms(maps[1], terms[1])
    if not all(audit.lawful for audit in audits):
        unlawful = any(audit.lawful is False for audit in audits)
        return GameAudit(False if unlawful else None, audits)
    by_dice = not any(audit.problems for audit in audits)
    try:
        if by_dice and (common := _common_rounds(maps, _pairs(maps, terms, KNOWN_DICE, each=2))):
            return GameAudit(True, _with_witnesses(audits, common[0]), (), common[1])
    except OutOfStepsError:
        pass
    try:
        pair = next(_pairs(maps, terms, ANY_DICE), None)
        if pair is None:
            code, why = _why_apart(maps, terms, ANY_DICE)
            return GameAudit(False, audits, (Problem(code, "error", why),))
        audits = _with_witnesses(audits, pair)
        if not by_dice:
            return GameAudit(True, audits)
        apart = next(_pairs(maps, terms, KNOWN_DICE), None) is None
        why = _why_apart(maps, terms, KNOWN_DICE)[1] if apart else _no_rounds(maps, terms)
    except OutOfStepsError:
        return GameAudit(None, audits, decided=False)
    if not why:
        return GameAudit(True, audits, decided=False)
    text = f"no rounds of the four dice are known that make both maps: {why}"
    return GameAudit(True, audits, (Problem("dice", "warning", text),))


def _with_witnesses(audits: tuple[Audit, Audit], pair: Pair) -> tuple[Audit, Audit]:
    return replace(audits[0], witness=pair[0]), replace(audits[1], witness=pair[1])


def _pairs(
    maps: Maps,
    terms: tuple[Terms, Terms],
    dice: Dice,
    rounds: bool = True,
    each: int | None = None,
) -> Iterator[Pair]:
    """Ways to both maps that share no wizard; with `rounds`, in as many rounds.

    In the order in which they are found, because most games need only the first ones.
    """
    shared = sorted(MAP_WIZARDS & terms[0].wizards & terms[1].wizards)
    for owners in product((0, 1), repeat=len(shared)):
        searches = []
        for player, (board, own) in enumerate(zip(maps, terms, strict=True)):
            lost = {coat for coat, owner in zip(shared, owners, strict=True) if owner != player}
            idle = rounds and len(board) < len(maps[1 - player])
            limited = replace(own, idle=idle, wizards=own.wizards - lost)
            searches.append(islice(witnesses(board, limited, dice, Budget(), each), MAX_WITNESSES))
        firsts: list[Witness] = []
        seconds: list[Witness] = []
        for first, second in zip_longest(*searches):
            if first is not None:
                yield from ((first, other) for other in seconds)
                firsts.append(first)
            if second is not None:
                yield from ((other, second) for other in firsts)
                seconds.append(second)
            if not (firsts and seconds):
                break


def _why_apart(maps: Maps, terms: tuple[Terms, Terms], dice: Dice) -> tuple[str, str]:
    """A code and the reason why no ways to the two maps are compatible."""
    if next(_pairs(maps, terms, dice, rounds=False), None) is None:
        why = "both maps need the help of the same wizard, who serves only one player"
        return "wizard_shared", why
    few, many = sorted(len(board) // 2 for board in maps)
    why = (
        f"one map has {many} dominoes and the other {few}, but every round brings both players "
        "one, and the smaller map always had room for any"
    )
    return "rounds_differ", why


def _no_rounds(maps: Maps, terms: tuple[Terms, Terms]) -> str:
    """Why no rounds of the known dice make both maps; empty if that is not known.

    Every way to one map is tried against every way to the other. With wizards there may be other
    orders of the same dominoes than those that were found.
    """
    ways = []
    for board, own in zip(maps, terms, strict=True):
        if own.obtained or any(own.winnable(board, coat) for coat in MAP_WIZARDS):
            return ""
        search = witnesses(board, own, KNOWN_DICE, Budget(), MAX_WITNESSES + 1)
        ways.append(list(islice(search, MAX_WITNESSES + 1)))
    try:
        tried = max(map(len, ways)) <= MAX_WITNESSES and not _common_rounds(maps, product(*ways))
    except OutOfStepsError:
        return ""
    return "no dominoes of theirs go together round by round" if tried else ""


def _common_rounds(
    maps: Maps, pairs: Iterable[tuple[Witness, ...]]
) -> tuple[Pair, tuple[Round, ...]] | None:
    """The first two ways that have common rounds, and these rounds; None if none have any.

    Rounds in which a French wizard was won with nothing drawn are not considered. Raises
    OutOfStepsError if the answer is not known after `MAX_DEAD_ENDS`.
    """
    budget, side = Budget(MAX_DEAD_ENDS), cache(_Side)
    for first, second in pairs:
        one, two = side(maps[0], first), side(maps[1], second)
        rounds = _schedule(one, two, 0, 0, set(), budget)
        if rounds is not None:
            return (first, second), rounds
    return None


class _Side:
    """One map with the way found to it; the state of drawing is a set of shields."""

    def __init__(self, board: Board, witness: Witness) -> None:
        self.task = Task(board, Terms(), KNOWN_DICE, witness.castle, witness.wizard, Budget())
        self.steps = [
            (sum(1 << number(cell) for cell in step.cells), step.power) for step in witness.steps
        ]
        self.dice = [self.task.domino(piece)[0] for piece, _ in self.steps]

    def options(self, drawn: int) -> Iterator[int]:
        """Steps that can be drawn next."""
        touched, before = CASTLE_BITS | self.task.touch(drawn), 0
        for step, (piece, power) in enumerate(self.steps):
            if not piece & drawn:
                # Wizards' turns are kept as they were found; other dominoes may come earlier.
                in_turn = self.task.given or power is not None
                if not before & ~drawn if in_turn else piece & touched:
                    yield step
            before |= piece

    def after(self, drawn: int, step: int | None) -> int:
        """The shields drawn after a step."""
        return drawn if step is None else drawn | self.steps[step][0]

    def idle_dice(self, drawn: int) -> int:
        """The dice with a face that has no room."""
        free, coats = room(drawn), self.task.coats
        # A joker has no room only where no coat has any.
        shut = {c for c in Coat if not free & (CASTLE_BITS | beside(coats[c] & drawn))}
        return sum(1 << n for n, faces in enumerate(DICE) if any(f.coat in shut for f in faces))


def _schedule(
    one: _Side, two: _Side, first: int, second: int, dead: set[tuple[int, int]], budget: Budget
) -> tuple[Round, ...] | None:
    """The rounds from the state in which those shields of either map are drawn."""
    if (first, second) == (one.task.filled, two.task.filled):
        return ()
    if (first, second) in dead:
        return None
    for k, m in _next_rounds(one, two, first, second):
        later = _schedule(one, two, one.after(first, k), two.after(second, m), dead, budget)
        if later is not None:
            return ((k, m), *later)
    budget.spend()
    dead.add((first, second))
    return None


def _next_rounds(one: _Side, two: _Side, first: int, second: int) -> Iterator[Round]:
    for k, m in product(one.options(first), [*two.options(second)]):
        if any(_ALL_DICE ^ dice in two.dice[m] for dice in one.dice[k]):
            yield k, m
    idle = two.idle_dice(second)
    for k in one.options(first):
        if any(dice | idle == _ALL_DICE for dice in one.dice[k]):
            yield k, None
    idle = one.idle_dice(first)
    for m in two.options(second):
        if any(dice | idle == _ALL_DICE for dice in two.dice[m]):
            yield None, m
