"""Speed of the game's rules, in seconds of one core.

    python -m lab.benchmarks.game                  everything
    python -m lab.benchmarks.game audit --boards 10000 --edition french

`audit` takes that many played maps, finished and unfinished, and as many with one shield changed;
every map's way or proof is checked at once. `pair` takes both maps of as many games, and again with
a shield of one changed. Both report progress after every thousand. `quick` takes the maps of
`audit`, and one more with two shields changed.
"""

from __future__ import annotations

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable

from kdscan.rules.duel.audit import audit_map, quick_problems, replay
from kdscan.rules.duel.audit.pair import audit_game
from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.editions import EDITIONS, ENGLISH, Edition
from kdscan.rules.duel.greedy import greedy_player
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.players import play_game, random_player
from kdscan.rules.duel.report import game_json
from kdscan.rules.duel.scoring import score_board
from lab.benchmarks.shared import parser

SEED = 2024


def _played(rng: random.Random, edition: Edition = ENGLISH) -> Game:
    players = [rng.choice((random_player, greedy_player)) for _ in range(2)]
    rounds = 200 if rng.random() < 0.6 else rng.randint(1, 16)
    return play_game(rng, (players[0], players[1]), rounds=rounds, edition=edition)


def _changed(board: Board, rng: random.Random) -> Board:
    marks = [None, *(Shield(coat, n) for coat in Coat for n in (0, 0, 1, 2))]
    while True:
        other = board.with_shield(rng.choice(CELLS), rng.choice(marks))
        if other != board:
            return other


def _say(what: str, times: list[float]) -> None:
    times.sort()
    median, late = statistics.median(times), times[int(len(times) * 0.99)]
    print(
        f"{what:24} median {1000 * median:8.2f} ms, 99% {1000 * late:8.1f} ms, "
        f"worst {times[-1]:6.3f} s, {len(times)} boards"
    )


def score(boards: int, _: Edition) -> None:
    """Boards scored per second."""
    rng = random.Random(SEED)
    played = [board for _ in range(500) for board in _played(rng).maps]
    start = time.process_time()
    for n in range(boards):
        assert score_board(played[n % len(played)]).total >= 0
    print(f"{'score':24} {boards / (time.process_time() - start):8.0f} boards a second")


def simulate(boards: int, _: Edition) -> None:
    """Games played, scored and described per second."""
    games = max(boards // 10, 50)
    start = time.process_time()
    for n in range(games):
        game_json(play_game(n))
    print(f"{'simulate':24} {games / (time.process_time() - start):8.0f} games a second")


def audit(boards: int, edition: Edition) -> None:
    """Audits of played maps, and of the same maps with one shield changed."""
    rng = random.Random(SEED)
    played: list[float] = []
    changed: list[float] = []
    found: Counter[str] = Counter()
    for n in range(1, boards + 1):
        game, side = _played(rng, edition), rng.randrange(2)
        board, castle = game.maps[side], game.castle_used[side]
        for one, times in ((board, played), (_changed(board, rng), changed)):
            start = time.process_time()
            result = audit_map(one, castle, edition=edition)
            times.append(time.process_time() - start)
            if result.witness is not None:
                replay(one, result.witness, edition)
            assert one is not board or (result.lawful and not result.problems), f"\n{board}"
            if one is not board:
                found.update([p.code for p in result.problems] or ["lawful"])
        if n % 1000 == 0 or n == boards:
            _say("audit, as played", played)
            _say("audit, one changed", changed)
    print(f"{'':24} {dict(found.most_common())}")


def quick(boards: int, edition: Edition) -> None:
    """The problems of maps as found when reading photos, within a number of steps."""
    rng = random.Random(SEED)
    played, changed = [], []
    for _ in range(boards):
        game, side = _played(rng, edition), rng.randrange(2)
        one = _changed(game.maps[side], rng)
        castle = game.castle_used[side]
        played.append((game.maps[side], castle))
        changed += [(one, castle), (_changed(one, rng), castle)]
    for what, maps in (("as played", played), ("changed", changed)):
        times = []
        for board, castle in maps:
            start = time.process_time()
            found = quick_problems(board, castle, edition=edition)
            times.append(time.process_time() - start)
            assert not found or maps is changed, f"\n{board}"
        _say(f"problems, {what}", times)


def pair(boards: int, edition: Edition) -> None:
    """Audits of both maps of a game together, as played and with one shield changed."""
    rng = random.Random(SEED)
    played: list[float] = []
    changed: list[float] = []
    found: Counter[str] = Counter()
    for n in range(1, boards + 1):
        game, side = _played(rng, edition), rng.randrange(2)
        other = _changed(game.maps[side], rng)
        maps = (other, game.maps[1]) if side == 0 else (game.maps[0], other)
        for both, times in ((game.maps, played), (maps, changed)):
            start = time.process_time()
            result = audit_game(both, game.castle_used, edition=edition)
            times.append(time.process_time() - start)
            assert both is maps or (result.lawful and result.rounds is not None)
        codes = [p.code for p in result.problems] or ["own" for a in result.audits if a.problems]
        none = "lawful" if result.decided else "rounds not decided"
        found.update(codes[:1] or [none])
        if n % 1000 == 0 or n == boards:
            _say("two maps, as played", played)
            _say("two maps, one changed", changed)
    print(f"{'':24} {dict(found.most_common())}")


WHAT: dict[str, Callable[[int, Edition], None]] = {
    "score": score,
    "simulate": simulate,
    "audit": audit,
    "quick": quick,
    "pair": pair,
}

if __name__ == "__main__":
    options = parser(__doc__)
    options.add_argument("what", nargs="*", choices=[*WHAT, []], default=[], metavar="|".join(WHAT))
    options.add_argument("--boards", type=int, default=2000)
    options.add_argument("--edition", choices=EDITIONS, default="english")
    given = options.parse_args()
    for name in given.what or WHAT:
        WHAT[name](given.boards, EDITIONS[given.edition])
