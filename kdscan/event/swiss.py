"""Who plays whom next: Swiss pairing as a matching of maximum weight.

Swiss pairing asks for the best set of pairs under rules of different importance, which is
a weighted matching on the graph of allowed games (S. Olafsson, "Weighted Matching in Chess
Tournaments", Journal of the Operational Research Society 41, 1990). The rules, the most
important first:

1. nobody plays the same opponent twice, and nobody has two byes, as long as that is possible, now
   and in the rounds that are left: few players who are paired for one round after another may have
   to meet again although all could have met once;
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
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, pairwise, product
from typing import TYPE_CHECKING, Any

import networkx as nx
from msgspec.structs import replace

from kdscan.errors import UsageError
from kdscan.event.games import BYE, Game, contradictions
from kdscan.event.standings import standings
from kdscan.i18n import mark
from kdscan.paper.letters import NOT_PRINTED, printable

if TYPE_CHECKING:
    from kdscan.event.actions import PairRound
    from kdscan.event.corrections import Sentence
    from kdscan.event.model import Event

_BYE = -1
_NEAR = 40
"""Opponents are first sought this many places from each other, and from where the fold puts them;
then, if some would meet again, among all pairs."""


FEW, MOST_TRIED = 12, 100_000
"""With so few players, all rounds that are left are considered; pairs that are tried for that, at
most, which takes a second."""


Cost = Callable[[int, int], int]
"""See `_cost_of`."""

Tables = tuple[tuple[str, ...], ...]
"""Who sits where in a round, the best score first; who has a bye sits alone, at the end."""


def pair(
    players: Sequence[str],
    games: Iterable[Game] = (),
    seed: int | None = None,
    *,
    rounds_left: int | None = 0,
) -> Tables:
    """Pair the players of the next round.

    players: those still taking part, in the order of their strength if known. games: all tables of
    earlier rounds, finished or not. seed: for the random order of equals; None keeps the order
    given. rounds_left: how many follow this one; None if nobody has said so: for a few players, as
    many as can follow before somebody has to meet again.
    """
    games = tuple(games)
    names, scores = _by_score(players, games, seed)
    score, met = [round(2 * one) for one in scores], _met(games)
    cost = _cost_of(names, score, met)
    if len(names) <= FEW and rounds_left != 0:
        matching = _for_all_rounds(names, met, cost, rounds_left)
        if matching is not None:
            return _named(names, matching)
    best = _named(names, _matched(score, cost, _NEAR))
    if len(names) > _NEAR and repeats(best, games):
        best = _named(names, _matched(score, cost, len(names)))
    return best


def repeats(tables: Iterable[Sequence[str]], games: Iterable[Game]) -> list[tuple[str, ...]]:
    """Pairs of a round who met in one of these games, and players who have another bye."""
    met = _met(games)
    return [pair for seats in tables for pair in _pairs(seats) if frozenset(pair) in met]


def _met(games: Iterable[Game]) -> Counter[frozenset[str]]:
    """How often players have met; one alone had a bye, unless the player asked for it."""
    return Counter(frozenset(pair) for names in _seated(games) for pair in _pairs(names))


def _seated(games: Iterable[Game]) -> list[list[str]]:
    return [
        [seat.player for seat in game.seats]
        for game in games
        if not game.bye or game.bye_points == BYE
    ]


def _pairs(seats: Sequence[str]) -> list[tuple[str, ...]]:
    """Who plays whom at a table, two by two; alone for a bye."""
    return list(combinations(sorted(seats), min(2, len(seats))))


def seat(players: Sequence[str], games: Iterable[Game], seed: int | None, *, most: int) -> Tables:
    """Seat the players of the next round at as few tables of at most `most` seats as possible.

    players, games, seed: as in `pair`. Tables differ by at most one seat; nobody has a bye.
    """
    games = tuple(games)
    names, scores = _by_score(players, games, seed)
    score, met = dict(zip(names, scores, strict=True)), _met(games)
    count = -(-len(names) // most)
    cuts = [len(names) * k // count for k in range(count + 1)]
    tables = [names[a:b] for a, b in pairwise(cuts)]

    def cost(table: Sequence[str]) -> float:
        pairs = list(combinations(table, 2))
        again = sum(met[frozenset(two)] for two in pairs)
        return 1e6 * again + sum((score[a] - score[b]) ** 2 for a, b in pairs)

    better = True
    while better:  # swap any two players of different tables if that is better
        better = False
        for first, second in combinations(tables, 2):
            for i, j in product(range(len(first)), range(len(second))):
                before = cost(first) + cost(second)
                first[i], second[j] = second[j], first[i]
                if cost(first) + cost(second) < before - 1e-6:
                    better = True
                else:
                    first[i], second[j] = second[j], first[i]
    return tuple(map(tuple, tables))


def _by_score(
    players: Sequence[str], games: Sequence[Game], seed: int | None
) -> tuple[list[str], list[float]]:
    """Names, the best first, equals in the order given or at random; and their scores."""
    names = list(players)
    if seed is not None:
        random.Random(seed).shuffle(names)
    table = {line.player: line for line in standings(names, games)}
    names.sort(key=lambda name: (-table[name].score, table[name].rank))  # stable
    return names, [table[name].score for name in names]


def _named(names: Sequence[str], chosen: set[tuple[int, int]]) -> Tables:
    """A matching of indices as names."""
    pairs = sorted(((min(pair), max(pair)) for pair in chosen), key=lambda p: (p[0] == _BYE, p))
    return tuple(tuple(names[k] for k in pair if k != _BYE) for pair in pairs)


def _cost_of(names: Sequence[str], score: Sequence[int], met: Container[frozenset[str]]) -> Cost:
    """What it costs that two players meet, the better one first, or that one, `(_BYE, a)`, has a
    bye. Each rule outweighs everything that the rules below it can add up to."""
    n = len(names)
    score_unit = n * (n + 2) + 1
    again = score_unit * (max(score, default=0) + 1) ** 2 * (n + 1)
    halves = {s: (score.index(s), score.count(s) // 2) for s in set(score)}

    def cost(a: int, b: int) -> int:
        if a == _BYE:
            low = score_unit * (score[b] - score[-1]) ** 2 + (n - b)
            return low + again * (frozenset((names[b],)) in met)
        gap = score[a] - score[b]
        total = score_unit * gap * gap + again * (frozenset((names[a], names[b])) in met)
        if gap == 0:
            first, half = halves[score[a]]
            same_half = (a - first < half) == (b - first < half)
            total += min(abs((b - a) - half), n) + n * same_half
        return total

    return cost


def _matched(score: Sequence[int], cost: Cost, reach: int) -> set[tuple[int, int]]:
    """The best pairs of indices; one is (_BYE, i) when the number is odd."""
    n = len(score)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for a in range(n):
        half = score.count(score[a]) // 2  # of those with that score
        for b in range(a + 1, n):
            if b - a > reach and (score[a] != score[b] or abs(b - a - half) > reach):
                continue
            graph.add_edge(a, b, weight=-cost(a, b))
        if n % 2:
            graph.add_edge(_BYE, a, weight=-cost(_BYE, a))
    return set(nx.max_weight_matching(graph, maxcardinality=True))


def _for_all_rounds(
    names: Sequence[str], met: Container[frozenset[str]], cost: Cost, rounds_left: int | None
) -> set[tuple[int, int]] | None:
    """The best pairs after which the rounds that are left, or as many of them as possible, need no
    second meeting and no second bye either; None if there are none, or too many to find out."""
    n = len(names)
    seats = [*range(n), *[_BYE] * (n % 2)]
    free = frozenset(
        (min(a, b), max(a, b))
        for a, b in combinations(seats, 2)
        if frozenset(names[k] for k in (a, b) if k != _BYE) not in met
    )
    budget = iter(range(MOST_TRIED))

    @cache
    def fits(free: frozenset[tuple[int, int]], rounds: int) -> bool:
        return rounds == 0 or any(
            fits(free - set(pairs), rounds - 1) for pairs in _matchings(seats, free, budget)
        )

    ways = sorted(
        _matchings(seats, free, budget), key=lambda pairs: sum(cost(a, b) for a, b in pairs)
    )
    opponents = Counter(chain(*free))
    most = min(opponents[seat] for seat in seats) - 1
    lefts = range(most if rounds_left is None else min(most, rounds_left), 0, -1)
    tries = product(lefts, ways)
    return next((set(pairs) for left, pairs in tries if fits(free - set(pairs), left)), None)


def _matchings(
    seats: Sequence[int], free: Collection[tuple[int, int]], budget: Iterator[int]
) -> Iterator[list[tuple[int, int]]]:
    """All ways to seat everybody by pairs that are free, as long as the budget lasts."""
    if not seats:
        yield []
        return
    first, *others = seats
    for n, other in enumerate(others):
        pair = min(first, other), max(first, other)
        if pair in free and next(budget, None) is not None:
            for more in _matchings([*others[:n], *others[n + 1 :]], free, budget):
                yield [pair, *more]


# The rounds of an event


def next_pairing(event: Event, wish: PairRound) -> PairRound:
    """The next round with its number, tables and requested byes; raises `UsageError` while games
    are unfinished, if too few play, or if sheets of a round to be paired again have come in."""
    round_, before = event.last_round + 1, event.games
    if wish.again and event.last_round:
        round_ = event.last_round
        check_unpair(event, round_)
        before = tuple(game for game in event.games if game.round < round_)
    check_finished(before)
    active = [player.name for player in event.names.players if player.active]
    byes = {event.names.named(name, event) for name in wish.byes}
    wanted = event.said.byes.get(round_, ())
    byes |= {player.name for player in event.names.players if player.number in wanted}
    playing = tuple(name for name in active if name not in byes)
    if len(active) < 2 or not playing:
        raise UsageError(
            "{name}: too few players ({n}); add them with --players FILE.csv.",
            name=event.name,
            n=len(playing),
        )
    rounds = event.rules.rounds
    if round_ > (rounds or round_):
        raise UsageError(
            "{name}: all rounds are paired ({rounds}); to add one, use --rounds {round}.",
            name=event.name,
            rounds=rounds,
            round=round_,
        )
    seed = wish.seed
    if seed is None and round_ == 1:  # the first round is drawn at random
        seed = secrets.randbelow(2**32)
    if event.rules.seats == 2:
        left = None if rounds is None else rounds - round_
        tables = pair(playing, before, seed, rounds_left=left)
    else:
        tables = seat(playing, before, seed, most=event.rules.seats)
    tables = (*tables, *((name,) for name in active if name in byes))
    if wish.tables is not None:
        spelled = event.names.named
        tables = tuple(tuple(spelled(name, event) for name in t) for t in wish.tables)
        times = Counter(name for table in tables for name in table)
        for name, count in times.items():
            if count > 1 or name not in active:
                raise UsageError("{name} does not play this round, or is named twice", name=name)
        if any(len(table) > event.rules.most for table in tables):
            raise UsageError("a table has {most} seats at most", most=event.rules.most)
        tables = tuple(sorted(tables, key=lambda table: len(table) == 1))
    asked = tuple(seats[0] for seats in tables if len(seats) == 1 and seats[0] in byes)
    return replace(wish, tables=tables, byes=asked, seed=seed, round=round_)


def check_finished(games: Iterable[Game]) -> None:
    """Raise `UsageError` if points of a game are still missing."""
    waiting = [game for game in games if not game.finished]
    if waiting:
        raise UsageError(
            "tables whose points are still missing: {n}, the first in round {round}, table {table} "
            "({missing}); read the sheets, or enter the points with `kdscan result`.",
            n=len(waiting),
            round=waiting[0].round,
            table=waiting[0].table,
            missing=", ".join(s.player for s in waiting[0].seats if s.total is None),
        )


def check_certain(games: Iterable[Game]) -> None:
    """Raise `UsageError` for games of which every sheet is still in doubt, as blank ones are."""
    doubtful = [
        game
        for game in games
        if all(s.points is None and s.sheet and s.sheet.brief.review for s in game.seats)
        and not game.unplayed
    ]
    if doubtful:
        raise UsageError(
            "nobody has checked the doubtful sheets of these tables (round/table): {tables}; check "
            "them or enter the points, then close the event",
            tables=", ".join(f"{game.round}/{game.table}" for game in doubtful),
        )


def check_unpair(event: Event, round_: int) -> None:
    """Raise `UsageError` for a round that is not the last, has results, or has begun."""
    if round_ != event.last_round:
        raise UsageError("round {round} is no longer the last one", round=round_)
    if any(at[0] == round_ for at in event.said.results):
        raise UsageError("round {round} has results; withdraw them first", round=round_)
    if any(score.at.round == round_ for score in event.scores):  # perhaps in doubt
        raise UsageError(
            "sheets of round {round} have already come in; it can't be paired again.",
            round=round_,
        )


def pairing_rows(event: Event, round_: int) -> list[dict[str, Any]]:
    """A round as rows for `kdscan sheet --players`: round, table, name, player. Who has a bye needs
    no sheet."""
    return [
        {"round": round_, "table": table, "name": name, "player": player.printed}
        for table, seats in event.tables.get(round_, {}).items()
        if len(seats) > 1
        for name in seats
        if (player := event.names.player(name)) is not None
    ]


def met_before(event: Event, round_: int) -> list[tuple[str, ...]]:
    """Pairs of a round who met in an earlier one, and players who have another bye there."""
    now = (game for game in event.games if game.round == round_)
    return repeats(_seated(now), [game for game in event.games if game.round < round_])


def notes_on(before: Event, after: Event) -> list[Sentence]:
    """What to say at once of what was done: sheets that contradict a result, tables of later rounds
    that rest on one, and players whose names cannot be printed."""
    notes: list[Sentence] = []
    earlier = {(game.round, game.table): game for game in before.games}
    for game in after.games:
        at = game.round, game.table
        if before.said.results.get(at) != after.said.results.get(at):
            notes += [(finding.text, finding.values) for finding in contradictions(game)]
        old = earlier.get(at)
        if old is None or not old.finished or old.results == game.results:
            continue
        players = {seat.player for seat in game.seats}
        tables = ", ".join(
            f"{round_}/{table}"
            for round_, by_table in after.tables.items()
            for table, seats in by_table.items()
            if round_ > game.round and players & set(seats)
        )
        text = mark(
            "the result of round {round}, table {table} has changed, on which pairings of later "
            "rounds rest (round/table): {tables}"
        )
        if tables:
            notes.append((text, {"round": game.round, "table": game.table, "tables": tables}))
    known = {player.name for player in before.names.players}
    names = (player.name for player in after.names.players)
    if lacking := [name for name in names if name not in known and "?" in printable(name)]:
        notes.append((NOT_PRINTED, {"names": ", ".join(lacking)}))
    return notes
