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
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from kdscan.event.games import DRAW, PARTS, WIN, Game, Round
from kdscan.files import by_surname
from kdscan.i18n import Words, mark

if TYPE_CHECKING:
    from kdscan.event.model import Event

_surname = lru_cache(10_000)(by_surname)

TieBreak = Literal["", "head_to_head", "spread", "sonneborn_berger", "shared"]


@dataclass(frozen=True)
class Standing:
    """One line of the table.

    rank: from 1; shared by players whom no tie-break separates. score: wins and half of draws.
    wins, draws: games in which the player came first, alone or among others. byes, bye_points:
    their number and what they scored. spread: of all rounds but the best. decided_by: what
    separated the player from those with the same score; "" if there are none.
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
    bye_points: float = 0.0


def standings(players: Iterable[str], games: Iterable[Game]) -> tuple[Standing, ...]:
    """The table after these games, best first; equals by surname.

    Games whose points are not all known do not count yet, nor does a bye while nothing of its round
    is known. Players of games who are not listed take part; a player who never played has 0.
    """
    games = sorted(games, key=lambda game: game.round)
    listed = set(players) | {seat.player for game in games for seat in game.seats}
    names = sorted(listed, key=_surname)
    played: dict[str, list[Round]] = {name: [] for name in names}
    begun = {game.round for game in games if game.played}
    ahead = {game.round for game in games if not game.bye} - begun  # rounds that were only paired
    for game in games:
        for name, rounds in () if game.bye and game.round in ahead else game.results.items():
            played[name] += rounds
    score = {name: sum(result.points for result in rounds) for name, rounds in played.items()}
    table: list[Standing] = []
    for _, tied in groupby(sorted(names, key=lambda n: -score[n]), key=lambda n: score[n]):
        table += _placed(list(tied), played, score, first=len(table) + 1)
    return tuple(table)


def spread_but_best(rounds: Sequence[Round]) -> float:
    """Points spread of all rounds except the player's best."""
    spreads: dict[int, int] = {}
    for result in rounds:
        spreads[result.round] = spreads.get(result.round, 0) + result.share * result.spread
    return _number(sum(spreads.values()) - max(spreads.values(), default=0), PARTS)


def _number(parts: int, whole: int) -> float:
    """A number for people: whole numbers stay whole."""
    return parts // whole if parts % whole == 0 else parts / whole


def _placed(
    tied: list[str], played: Mapping[str, Sequence[Round]], score: Mapping[str, int], first: int
) -> list[Standing]:
    """Players of one score, separated as far as the rules do."""
    top = [name for name in tied if _against_all(name, tied, played, WIN)]
    last = [name for name in tied if _against_all(name, tied, played, 0.0)]
    spread = {name: spread_but_best(played[name]) for name in tied}
    berger = {  # the scores of beaten opponents, and half of those who drew
        name: _number(
            sum(r.points * score[r.opponent] for r in played[name] if r.opponent), PARTS * PARTS
        )
        for name in tied
    }
    middle = [name for name in tied if name not in top + last]
    keys = {name: (spread[name], berger[name]) for name in middle}
    lines: list[Standing] = []

    def add(name: str, rank: int, decided_by: TieBreak) -> None:
        rounds = played[name]
        games = {r.round: r.first for r in rounds if r.opponent is not None}.values()
        wins, draws, losses = (sum(own == s for own in games) for s in (WIN, DRAW, 0.0))
        byes = [r.score for r in rounds if r.opponent is None]
        numbers = (score[name] / PARTS, wins, draws, losses, len(byes), spread[name], berger[name])
        lines.append(Standing(rank, name, *numbers, decided_by if len(tied) > 1 else "", sum(byes)))

    for name in top:
        add(name, first, "head_to_head")
    for _, group in groupby(sorted(middle, key=lambda n: (keys[n], n), reverse=True), keys.get):
        same = sorted(group, key=_surname)
        rank = first + len(lines)
        alone = sum(spread[name] == spread[same[0]] for name in middle) == 1
        decided: TieBreak = "shared" if len(same) > 1 else "spread" if alone else "sonneborn_berger"
        for name in same:  # one alone was separated from all others in the tie by the first step
            add(name, rank, decided if len(middle) > 1 else "head_to_head")
    for name in last:
        add(name, first + len(lines), "head_to_head")
    return lines


def _against_all(
    name: str, tied: Sequence[str], played: Mapping[str, Sequence[Round]], score: float
) -> bool:
    """Whether the player met all others in the tie, always with that score."""
    if not 0 < len(tied) - 1 <= len(played[name]):
        return False
    others = set(tied) - {name}
    met = [result for result in played[name] if result.opponent in others]
    return {r.opponent for r in met} == others and all(r.score == score for r in met)


# The texts of it that the report and the terminal share

DECIDED = {
    "head_to_head": mark("head to head"),
    "spread": mark("spread"),
    "sonneborn_berger": mark("Sonneborn-Berger"),
    "shared": mark("shared"),
    "largest_domain": mark("larger domain"),
    "crowns": mark("more crowns"),
    "draw": mark("draw"),
    "bye": mark("bye"),
    "walkover": mark("walkover"),
}
"""What separated players or decided a game; points need no text."""


def decided_by(w: Words, code: str) -> str:
    """Why a player ranks before another, or won; empty for points."""
    return w.t(DECIDED[code]) if code in DECIDED else ""


def where(w: Words, round_: int | None, table: int | None) -> str:
    """The round and the table of a game, if known."""
    if round_ is None:
        return ""
    if table is None:
        return w.t("round {round}", round=round_)
    return w.t("round {round}, table {table}", round=round_, table=table)


def so_far(w: Words, event: Event) -> str:
    """A table's heading: after which round it stands, or that it is final."""
    played, rounds = event.played_round, event.rules.rounds
    if event.said.closed:
        return w.t("final standings")
    if not played:
        return w.t("before round 1")
    over = all(game.finished for game in event.games if game.round == played)
    if rounds is None:
        return w.t("after round {n}", n=played) if over else w.t("during round {n}", n=played)
    if over:
        return w.t("after round {n} of {rounds}", n=played, rounds=rounds)
    return w.t("during round {n} of {rounds}", n=played, rounds=rounds)


def contents(w: Words, event: Event) -> str:
    """How much an event holds."""
    return ", ".join(
        (
            w.tn("{n} photo", "{n} photos", len(event.photos)),
            w.tn("{n} sheet", "{n} sheets", len(event.sheets)),
            w.tn("{n} player", "{n} players", len(event.names.players)),
        )
    )


def half(score: float) -> str:
    """Points of the standings: 2, 2½; thirds of a table of four with two digits."""
    whole = int(score)
    if score == whole:
        return str(whole)
    return f"{whole or ''}½" if score == whole + 0.5 else f"{score:.2f}"


def byes_text(line: Standing) -> str:
    """Number of a player's byes, with what they scored unless all did like wins: 2 (1½)."""
    points = "" if line.bye_points == line.byes else f" ({half(line.bye_points)})"
    return f"{line.byes}{points}"


def signed(spread: float) -> str:
    """A spread: +12, −5, 0, or +3.3 if tables of several players make it a mean."""
    if spread == 0:
        return "0"
    text = f"{spread:+d}" if isinstance(spread, int) else f"{spread:+.1f}"
    return text.replace("-", "−")
