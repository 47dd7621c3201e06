"""`kdscan simulate`: finished games from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

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

if TYPE_CHECKING:
    from kdscan.rules.duel.editions import Edition as Rulebook
    from kdscan.rules.duel.play import Game
    from kdscan.rules.kingdomino.play import Game as KingdominoGame
    from kdscan.rules.kingdomino.variants import Variants

T = TypeVar("T")

Player = Literal["random", "greedy"]


def simulate(
    context: typer.Context,
    number: Annotated[int, typer.Argument(min=0, metavar="N", help="Number of games.")],
    seed: Annotated[
        int, typer.Option(metavar="S", help="Random seed; the same seed gives the same games.")
    ] = 0,
    as_json: AsJson = False,
    player: Annotated[Player, typer.Option(help="How the players choose their moves.")] = "random",
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
    if game == "duel":
        from kdscan.rules.duel.editions import EDITIONS
        from kdscan.rules.duel.report import game_json

        _print(_duels(number, seed, player, EDITIONS[edition]), as_json, game_json, _duel_text)
        return
    from kdscan.rules.kingdomino.report import match_json
    from kdscan.rules.kingdomino.variants import Variants

    variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), bool(great_duel), demo)
    players = 2 if players is None else players
    variants.check_players(players)
    matches = _matches(number, seed, player, players, variants)
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


def _duels(number: int, seed: int, player: Player, rules: Rulebook) -> Iterator[Game]:
    from kdscan.rules.duel.greedy import greedy_player
    from kdscan.rules.duel.players import play_game, random_player

    who = greedy_player if player == "greedy" else random_player
    rng = random.Random(seed)
    for _ in range(number):
        yield play_game(rng, (who, who), rules)


def _matches(
    number: int, seed: int, player: Player, players: int, variants: Variants
) -> Iterator[Sequence[KingdominoGame]]:
    from kdscan.rules.kingdomino.players import greedy_player, play_match, random_player

    who = greedy_player if player == "greedy" else random_player
    rng = random.Random(seed)
    for _ in range(number):
        yield play_match(rng, [who] * players, variants)


def _duel_text(game: Game, at: int, w: Words) -> str:
    from kdscan.rules.duel.book_text import write_book
    from kdscan.rules.score import outcome

    scores = game.scores()
    won = outcome(scores).winner
    totals = " : ".join(str(score.total) for score in scores)
    if won is None:
        told = w.tn(
            "game {game}: {totals}, a draw after {n} round",
            "game {game}: {totals}, a draw after {n} rounds",
            game.rounds,
            game=at,
            totals=totals,
        )
    else:
        told = w.tn(
            "game {game}: {totals}, player {player} wins after {n} round",
            "game {game}: {totals}, player {player} wins after {n} rounds",
            game.rounds,
            game=at,
            totals=totals,
            player=won + 1,
        )
    book = write_book(game.spellbook, game.castle_used)
    return f"# {told}\n{book}\n" + "\n\n".join(str(board) for board in game.maps)


def _match_text(games: Sequence[KingdominoGame], at: int, w: Words) -> str:
    from kdscan.rules.kingdomino.play import match_totals, match_winners

    scores = [game.scores() for game in games]
    winners = match_winners(scores)
    told = w.tn(
        "match {match}: {totals}, won by player {who}",
        "match {match}: {totals}, won by players {who}",
        len(winners),
        match=at,
        totals=" : ".join(str(total) for total in match_totals(scores)),
        who=", ".join(str(player + 1) for player in winners),
    )
    # One player's kingdoms after the other's, as `board --dynasty` adds them up.
    kingdoms = zip(*(game.kingdoms for game in games), strict=True)
    return f"# {told}\n" + "\n\n".join(str(one) for own in kingdoms for one in own)
