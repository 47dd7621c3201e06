"""`kdscan simulate`: finished games from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, TypeVar

import typer

from kdscan.cli.board import SCHEMA
from kdscan.cli.options import (
    AsJson,
    Edition,
    GreatDuel,
    Harmony,
    MiddleKingdom,
    OneGame,
    check_game,
)
from kdscan.cli.terminal import terminal_words
from kdscan.i18n import Words
from kdscan.rules.duel import players as duel
from kdscan.rules.duel.play import EDITIONS, Game
from kdscan.rules.duel.spellbook import write_book
from kdscan.rules.kingdomino import play as kingdomino
from kdscan.rules.kingdomino.play import Game as KingdominoGame
from kdscan.rules.kingdomino.play import match_totals, match_winners
from kdscan.rules.kingdomino.variants import Variants
from kdscan.rules.report import game_json, match_json
from kdscan.rules.winner import outcome

T = TypeVar("T")


def simulate(
    context: typer.Context,
    number: Annotated[int, typer.Argument(min=0, metavar="N", help="Number of games.")],
    seed: Annotated[
        int, typer.Option(metavar="S", help="Random seed; the same seed gives the same games.")
    ] = 0,
    as_json: AsJson = False,
    player: Annotated[
        Literal["random", "greedy"], typer.Option(help="How the players choose their moves.")
    ] = "random",
    edition: Edition = "english",
    game: OneGame = "duel",
    players: Annotated[
        int | None,
        typer.Option(metavar="2|3|4", help="Kingdomino: number of players; 2 by default."),
    ] = None,
    dynasty: Annotated[
        bool,
        typer.Option("--dynasty", help="Kingdomino: play three games and add up their scores."),
    ] = False,
    great_duel: GreatDuel = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    demo: Annotated[bool, typer.Option("--demo", help="Kingdomino: the two-player demo.")] = False,
) -> None:
    """Examples:

    $ kdscan simulate 3 --seed 7

    $ kdscan simulate 1000 --seed 1 --player greedy --json > games.json
    """
    check_game(context, game)
    rng = random.Random(seed)
    greedily = player == "greedy"
    if game == "duel":
        mover = duel.greedy_player if greedily else duel.random_player
        rules = EDITIONS[edition]
        duels = (duel.play_game(rng, (mover, mover), rules) for _ in range(number))
        _print(duels, as_json, game_json, _duel_text)
        return
    variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), bool(great_duel), demo)
    seats = 2 if players is None else players
    variants.check_players(seats)
    builder = kingdomino.greedy_player if greedily else kingdomino.random_player
    matches = (kingdomino.play_match(rng, [builder] * seats, variants) for _ in range(number))
    _print(matches, as_json, match_json, _match_text)


def _print(
    games: Iterable[T],
    as_json: bool,
    to_json: Callable[[T], dict[str, Any]],
    text: Callable[[T, int, Words], str],
) -> None:
    """Print game by game, so that any number of games needs little memory."""
    if not as_json:
        w = terminal_words()
        for at, game in enumerate(games):
            print("\n" * (at > 0) + text(game, at + 1, w))
        return
    print(f'{{"schema": "{SCHEMA}", "games": [', end="")
    for at, game in enumerate(games):
        print((", " if at else "") + json.dumps(to_json(game)), end="")
    print("]}")


def _duel_text(game: Game, at: int, w: Words) -> str:
    scores = game.scores()
    winner = outcome(scores).winner
    values: dict[str, Any] = {
        "game": at,
        "totals": " : ".join(str(score.total) for score in scores),
        "player": None if winner is None else winner + 1,
    }
    if winner is None:
        title = w.tn(
            "game {game}: {totals}, a draw after {n} round",
            "game {game}: {totals}, a draw after {n} rounds",
            game.rounds,
            **values,
        )
    else:
        title = w.tn(
            "game {game}: {totals}, player {player} wins after {n} round",
            "game {game}: {totals}, player {player} wins after {n} rounds",
            game.rounds,
            **values,
        )
    book = write_book(game.spellbook, game.castle_used)
    return f"# {title}\n{book}\n" + "\n\n".join(map(str, game.maps))


def _match_text(games: Sequence[KingdominoGame], at: int, w: Words) -> str:
    scores = [game.scores() for game in games]
    winners = match_winners(scores)
    title = w.tn(
        "match {match}: {totals}, won by player {who}",
        "match {match}: {totals}, won by players {who}",
        len(winners),
        match=at,
        totals=" : ".join(map(str, match_totals(scores))),
        who=", ".join(str(player + 1) for player in winners),
    )
    # One player's kingdoms after the other's, as `board --dynasty` adds them up.
    kingdoms = zip(*(game.kingdoms for game in games), strict=True)
    return f"# {title}\n" + "\n\n".join(str(kingdom) for own in kingdoms for kingdom in own)
