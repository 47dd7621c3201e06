"""Options and observation of reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kdscan.marks.risk import DEFAULT_RISK, check_risk
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.rules.names import GAMES, GameName

if TYPE_CHECKING:
    from kdscan.templates.known import KnownPrint

Observer = Callable[[str], AbstractContextManager[object]]
"""Takes a stage's name, returns a context manager around the stage: for timing, progress,
traces."""


@dataclass(frozen=True)
class ReadOptions:
    """How a photo is read; raises ValueError for a risk below 0 and for an unknown game.

    risk: accepted probability that a total which is not marked for review is wrong.
    game: the one to look for; None to detect it. variants: extra rules of Kingdomino.
    prints: known prints; sheets of these are read from their ink. observe: see `Observer`.
    """

    risk: float = DEFAULT_RISK
    game: GameName | None = None
    variants: Variants = PLAIN
    prints: Sequence[KnownPrint] = ()
    observe: Observer = nullcontext

    def __post_init__(self) -> None:
        check_risk(self.risk)
        if self.game not in (None, *GAMES):
            raise ValueError(f"a game is {' or '.join(GAMES)}, or None; not {self.game!r}")
