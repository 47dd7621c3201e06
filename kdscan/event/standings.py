"""Swiss standings: a win 1, a draw 1/2, ties broken as the Mind Sports Olympiad does.

Its tie-break system for two-player games (msoworld.com/pentamind/tie-breaks, and
mindsportsolympiad.com/rules-of-competition-tiebreaks) has three steps in this order, none of which
is applied again to players whom it did not separate:

1. head to head, only if one player has beaten all others in the tie, or lost to all;
2. the points spread of all rounds, leaving out the player's best result;
3. Sonneborn-Berger: the final scores of the opponents that the player beat, and half of those with
   whom the player drew.

Players still tied after that share the place. The published rules say nothing about byes. Here a
bye scores like a win, as is usual, counts as a spread of 0 in its round, and adds nothing to
Sonneborn-Berger. A walkover is a win with a spread of 0.

Nor do they say anything about tables of three or four, which Kingdomino allows. Here such a table
counts as a game against each of the others at once: its score is the share of them that was beaten,
and half of the share that drew; its spread is the mean of the spreads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Literal

from kdscan.event.games import Game, outcome_of

WIN, DRAW, BYE = 1.0, 0.5, 1.0
"""Points in the standings."""

TieBreak = Literal["", "head_to_head", "spread", "sonneborn_berger", "shared"]


@dataclass(frozen=True)
class Round:
    """A player's result against one opponent in a game. opponent: None for a bye.

    spread: points more (or less). share: of the game: 1, or a third at a table of four. first: of
    the whole game: `WIN` if alone in front, `DRAW` if among several, else 0.
    """

    round: int
    opponent: str | None
    score: float
    spread: int
    share: Fraction = Fraction(1)
    first: float = 0.0


@dataclass(frozen=True)
class Standing:
    """One line of the table.

    rank: from 1; shared by players whom no tie-break separates. score: wins and half of draws.
    wins,
    draws: games in which the player came first, alone or among others. spread: of all rounds but
    the best. decided_by: what separated the player from those with the same score; "" if there are
    none.
    """

    rank: int
    player: str
    score: float
    wins: int
    draws: int
    losses: int
    byes: int
    spread: float
    sonneborn_berger: float
    decided_by: TieBreak


def standings(players: Iterable[str], games: Iterable[Game]) -> tuple[Standing, ...]:
    """The table after these games, best first; equals in the order of names.

    Games whose points are not all known do not count yet, nor does a bye while nothing of its round
    is known. Players of games who are not listed take part; a player who never played has 0.
    """
    games = tuple(games)
    names = sorted(set(players) | {seat.player for game in games for seat in game.seats})
    sat: dict[str, list[Game]] = {name: [] for name in names}
    for game in _begun(games):
        for seat in game.seats:
            sat[seat.player].append(game)
    played = {name: rounds_of(name, mine) for name, mine in sat.items()}
    score = {name: sum(map(_score, rounds), Fraction()) for name, rounds in played.items()}
    table: list[Standing] = []
    for _, tied in groupby(sorted(names, key=lambda n: -score[n]), key=lambda n: score[n]):
        table += _placed(list(tied), played, score, first=len(table) + 1)
    return tuple(table)


def _begun(games: Sequence[Game]) -> tuple[Game, ...]:
    """The games without the byes of rounds that were only paired."""
    met = [game for game in games if not game.bye]
    ahead = {game.round for game in met} - {game.round for game in met if game.finished}
    return tuple(game for game in games if not (game.bye and game.round in ahead))


def rounds_of(player: str, games: Iterable[Game]) -> tuple[Round, ...]:
    """A player's results in all finished games, by round; one entry per opponent."""
    found = [one for game in games for one in _results_in(game, player)]
    return tuple(sorted(found, key=lambda one: one.round))


def _results_in(game: Game, player: str) -> list[Round]:
    """A player's results in a game, against each opponent; none if it is not finished."""
    outcome = game.outcome
    own = next((seat for seat in game.seats if seat.player == player), None)
    if own is None or outcome is None:
        return []
    if game.bye:
        return [Round(game.round, None, BYE, 0)]
    others = [seat for seat in game.seats if seat is not own]
    if game.walkover is not None or game.forfeit:  # like any other result, but without points
        won = WIN * (game.walkover == player)
        return [Round(game.round, others[0].player, won, 0, first=won)]
    against = [outcome_of((own, other)).winner for other in others]
    scores = [DRAW if winner is None else WIN * (winner == 0) for winner in against]
    if outcome.winner is None:
        first = DRAW * (min(scores) >= DRAW)
    else:
        first = WIN * (game.seats[outcome.winner] is own)
    share = Fraction(1, len(others))
    return [
        Round(game.round, other.player, score, (own.total or 0) - (other.total or 0), share, first)
        for other, score in zip(others, scores, strict=True)
    ]


def spread_but_best(rounds: Sequence[Round]) -> float:
    """Points spread of all rounds except the player's best."""
    spreads: dict[int, Fraction] = {}
    for one in rounds:
        spreads[one.round] = spreads.get(one.round, Fraction()) + one.share * one.spread
    return _number(sum(spreads.values()) - max(spreads.values(), default=Fraction()))


def sonneborn_berger(rounds: Sequence[Round], score: Mapping[str, Fraction | float]) -> float:
    """The scores of beaten opponents, and half of those who drew."""
    met = [one for one in rounds if one.opponent is not None]
    return _number(sum(_score(one) * Fraction(score[str(one.opponent)]) for one in met))


def _score(one: Round) -> Fraction:
    return one.share * Fraction(one.score)


def _number(exact: Fraction | int) -> float:
    """A number for people: whole numbers stay whole."""
    return int(exact) if exact == int(exact) else float(exact)


def _placed(
    tied: list[str], played: dict[str, tuple[Round, ...]], score: dict[str, Fraction], first: int
) -> list[Standing]:
    """Players of one score, separated as far as the rules do."""
    top = [name for name in tied if _against_all(name, tied, played, WIN)]
    last = [name for name in tied if _against_all(name, tied, played, 0.0)]
    spread = {name: spread_but_best(played[name]) for name in tied}
    berger = {name: sonneborn_berger(played[name], score) for name in tied}
    middle = [name for name in tied if name not in top + last]
    keys = {name: (spread[name], berger[name]) for name in middle}
    lines: list[Standing] = []

    def add(name: str, rank: int, decided_by: TieBreak) -> None:
        rounds = played[name]
        games = {one.round: one for one in rounds if one.opponent is not None}.values()
        wins, draws, losses = (sum(one.first == s for one in games) for s in (WIN, DRAW, 0.0))
        byes = sum(one.opponent is None for one in rounds)
        numbers = (float(score[name]), wins, draws, losses, byes, spread[name], berger[name])
        lines.append(Standing(rank, name, *numbers, decided_by if len(tied) > 1 else ""))

    for name in top:
        add(name, first, "head_to_head")
    for _, group in groupby(sorted(middle, key=lambda n: (keys[n], n), reverse=True), keys.get):
        same = sorted(group)
        rank = first + len(lines)
        for name in same:
            add(name, rank, _decided(name, same, middle, spread))
    for name in last:
        add(name, first + len(lines), "head_to_head")
    return lines


def _against_all(
    name: str, tied: Sequence[str], played: dict[str, tuple[Round, ...]], score: float
) -> bool:
    """Whether the player met all others in the tie, always with that score."""
    met = [one for one in played[name] if one.opponent in tied]
    others = set(tied) - {name}
    return (
        bool(others)
        and {one.opponent for one in met} == others
        and all(one.score == score for one in met)
    )


def _decided(
    name: str, same: Sequence[str], middle: Sequence[str], spread: Mapping[str, float]
) -> TieBreak:
    if len(same) > 1:
        return "shared"
    if len(middle) == 1:
        return "head_to_head"  # all others in the tie were separated by it
    alone = sum(spread[other] == spread[name] for other in middle) == 1
    return "spread" if alone else "sonneborn_berger"
