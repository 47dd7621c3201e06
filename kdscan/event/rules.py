"""What an event plays: the game, its variants, the players at a table, the number of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from kdscan.errors import UsageError
from kdscan.rules import GameName
from kdscan.rules.kingdomino.kingdom import VariantError, Variants


@dataclass(frozen=True)
class Rules:
    """The rules of an event. A change takes effect at once, for all kingdoms.

    great_duel: 7 x 7 for two. middle_kingdom, harmony: extra points of Kingdomino.
    seats: players at a table. rounds: number that are played, None for as many as are paired.
    half_byes: whether a bye that a player asked for scores half a point, or nothing.
    """

    game: GameName = "duel"
    great_duel: bool = False
    middle_kingdom: bool = False
    harmony: bool = False
    seats: int = 2
    rounds: int | None = None
    half_byes: bool = True

    @classmethod
    def of(cls, game: str, given: Mapping[str, Any]) -> Rules:
        """The rules of a game, with those that were set; what this version does not know is
        ignored."""
        known = {f.name: given[f.name] for f in fields(cls) if f.name in given}
        return cls(**{**known, "game": cast(GameName, game)})

    @property
    def variants(self) -> Variants:
        """The extra rules as the game knows them; those of Duel say nothing of a kingdom's size."""
        great_duel = None if self.game == "duel" else self.great_duel
        return Variants(
            great_duel=great_duel, middle_kingdom=self.middle_kingdom, harmony=self.harmony
        )

    @property
    def most(self) -> int:
        """The largest number of players at a table."""
        return 2 if self.game == "duel" or self.great_duel else 4

    def name(self, models: str) -> str:
        """The name under which readings with these models are stored; it depends on the size
        limit."""
        size = self.variants.size
        return models if self.game == "duel" else f"{models} {size}x{size}"

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise `UsageError` for rules that the game does not have. given: those that change."""
        if self.game != "duel":
            try:
                self.variants.check_players(self.seats)
            except VariantError as error:
                where = f"--seats {self.seats}"
                raise UsageError("{where}: {error}", where=where, error=error) from error
            return
        alien = [name for name in ("great_duel", "middle_kingdom", "harmony") if given.get(name)]
        if alien:
            raise UsageError(
                "--{option} is a rule of Kingdomino, but this is an event of Kingdomino Duel; "
                "create another event with --game kingdomino",
                option=alien[0].replace("_", "-"),
            )
        if self.seats != 2:
            raise UsageError("--seats {seats}: two play Kingdomino Duel", seats=self.seats)
