"""The games that are read, by name."""

from __future__ import annotations

from typing import Literal, get_args

GameName = Literal["duel", "kingdomino"]

GAMES: tuple[GameName, ...] = get_args(GameName)
