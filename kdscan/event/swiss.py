"""Who plays whom next: Swiss pairing as a matching of maximum weight.

Swiss pairing asks for the best set of pairs under rules of different importance, which is
a weighted matching on the graph of allowed games (S. Olafsson, "Weighted Matching in Chess
Tournaments", Journal of the Operational Research Society 41, 1990). The rules, the most
important first:

1. nobody plays the same opponent twice, and nobody has two byes, as long as that is possible;
2. opponents have scores as equal as possible (least sum of squared differences), and a bye goes to
   as low a score as possible;
3. within a score, the upper half plays the lower half in its order (the fold of FIDE's
   Dutch system, C.04.3); colours don't exist in these games.

For tables of three or four there is no such method. Players are seated in the order of the
standings, and then any two at different tables swap seats as long as that reduces, first, the
number of pairs who have met before and, second, the sum of squared differences of scores.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import networkx as nx

from kdscan.event.games import Game
from kdscan.event.standings import standings

_BYE = -1
_NEAR = 40
"""Opponents are first sought this many places from each other, and from where the fold puts them;
then, if some would meet again, among all pairs."""


@dataclass(frozen=True)
class Pairing:
    """Tables of the next round, the best score first, and who has a bye.

    again: pairs who have met before, and second_bye: whether who has a bye had one before, if no
    other pairing was possible.
    """

    tables: tuple[tuple[str, ...], ...]
    bye: str | None
    again: tuple[str, ...] = ()
    second_bye: bool = False


def pair(
    players: Sequence[str],
    games: Iterable[Game] = (),
    seed: int | None = None,
    *,
    rounds_left: int | None = None,
) -> Pairing:
    """Pair the players of the next round.

    players: those still taking part, in the order of their strength if known. games: all tables of
    earlier rounds, finished or not. seed: for the random order of equals; None keeps the order
    given. Raises ValueError if a name occurs twice.
    """
    games = tuple(games)
    names, scores = _by_score(players, games, seed)
    score = [round(2 * one) for one in scores]
    met = {frozenset(seat.player for seat in game.seats) for game in games}  # a bye: one player
    best = _pairing(names, met, _matched(names, score, met, _NEAR))
    if len(names) > _NEAR and (best.again or best.second_bye):
        best = _pairing(names, met, _matched(names, score, met, len(names)))
    return best


def seat(players: Sequence[str], games: Iterable[Game], seed: int | None, *, most: int) -> Pairing:
    """Seat the players of the next round at as few tables of at most `most` seats as possible.

    players, games, seed: as in `pair`. Tables differ by at most one seat; nobody has a bye.
    """
    games = tuple(games)
    names, scores = _by_score(players, games, seed)
    score = dict(zip(names, scores, strict=True))
    met = Counter(
        frozenset(two) for game in games for two in combinations([s.player for s in game.seats], 2)
    )
    count = -(-len(names) // most)
    cuts = [len(names) * k // count for k in range(count + 1)]
    tables = [names[a:b] for a, b in pairwise(cuts)]

    def cost(table: Sequence[str]) -> tuple[int, float]:
        pairs = list(combinations(table, 2))
        gaps = sum((score[a] - score[b]) ** 2 for a, b in pairs)
        return sum(met[frozenset(two)] for two in pairs), gaps

    while _changed_places(tables, cost):
        pass
    again = [
        f"{a} – {b}"
        for table in tables
        for a, b in combinations(table, 2)
        if met[frozenset((a, b))]
    ]
    return Pairing(tuple(map(tuple, tables)), None, tuple(again))


def _changed_places(
    tables: list[list[str]], cost: Callable[[Sequence[str]], tuple[int, float]]
) -> bool:
    """Swap any two players of different tables if that is better; returns whether any were
    swapped."""
    better = False
    for one, other in combinations(tables, 2):
        for i, j in product(range(len(one)), range(len(other))):
            before = _sum(cost(one), cost(other))
            one[i], other[j] = other[j], one[i]
            if _sum(cost(one), cost(other)) < before:
                better = True
            else:
                one[i], other[j] = other[j], one[i]
    return better


def _sum(a: tuple[int, float], b: tuple[int, float]) -> tuple[int, float]:
    return a[0] + b[0], round(a[1] + b[1], 9)


def _by_score(
    players: Sequence[str], games: Sequence[Game], seed: int | None
) -> tuple[list[str], list[float]]:
    """Names, the best first, equals in the order given or at random; and their scores."""
    names = list(players)
    if len(set(names)) != len(names):
        raise ValueError("a player is in the list twice")
    if seed is not None:
        random.Random(seed).shuffle(names)
    table = {line.player: line for line in standings(names, games)}
    names.sort(key=lambda name: (-table[name].score, table[name].rank))  # stable
    return names, [table[name].score for name in names]


def _pairing(
    names: Sequence[str], met: set[frozenset[str]], chosen: set[tuple[int, int]]
) -> Pairing:
    """A matching of indices as names, the best score first."""
    pairs = sorted((min(pair), max(pair)) for pair in chosen)
    tables = tuple((names[a], names[b]) for a, b in pairs if a != _BYE)
    bye = next((names[b] for a, b in pairs if a == _BYE), None)
    again = tuple(f"{a} – {b}" for a, b in tables if frozenset((a, b)) in met)
    return Pairing(tables, bye, again, bye is not None and frozenset((bye,)) in met)


def _matched(
    names: Sequence[str], score: Sequence[int], met: set[frozenset[str]], reach: int
) -> set[tuple[int, int]]:
    """The best pairs of indices; one is (_BYE, i) when the number is odd."""
    n = len(names)
    # Each rule outweighs everything that the rules below it can add up to.
    score_unit = n * (n + 2) + 1
    again = score_unit * (max(score, default=0) + 1) ** 2 * (n + 1)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for a in range(n):
        first, half = score.index(score[a]), score.count(score[a]) // 2  # of those with that score
        for b in range(a + 1, n):
            gap = score[a] - score[b]
            if b - a > reach and (gap or abs(b - a - half) > reach):
                continue
            cost = score_unit * gap * gap + again * (frozenset((names[a], names[b])) in met)
            if gap == 0:
                same_half = (a - first < half) == (b - first < half)
                cost += min(abs((b - a) - half), n) + n * same_half
            graph.add_edge(a, b, weight=-cost)
        if n % 2:
            cost = score_unit * (score[a] - score[-1]) ** 2 + (n - a)
            cost += again * (frozenset((names[a],)) in met)
            graph.add_edge(_BYE, a, weight=-cost)
    return set(nx.max_weight_matching(graph, maxcardinality=True))
