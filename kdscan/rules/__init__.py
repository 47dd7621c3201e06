"""The rules of Kingdomino Duel and Kingdomino, with the standard library alone."""

from __future__ import annotations

from typing import Literal, get_args

GameName = Literal["duel", "kingdomino"]

GAMES: tuple[GameName, ...] = get_args(GameName)
