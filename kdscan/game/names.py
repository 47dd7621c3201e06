"""The games that are read, by name."""

from __future__ import annotations

from typing import Literal, get_args

from kdscan.errors import UsageError

GameName = Literal["duel", "kingdomino"]

GAMES: tuple[GameName, ...] = get_args(GameName)


def game_named(name: str) -> GameName:
    """The game of that name; raises UsageError if there is none."""
    for game in GAMES:
        if game == name:
            return game
    raise UsageError("--game {game}: choose duel or kingdomino", game=name)
