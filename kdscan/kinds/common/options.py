"""How a photo is read, and who watches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.game.names import GameName
from kdscan.marks.risk import DEFAULT_RISK

if TYPE_CHECKING:
    from kdscan.prints.known import KnownPrint
    from kdscan.sheet.parts import Layout

Observer = Callable[[str], AbstractContextManager[object]]
"""Given a stage's name, a context that the stage runs in: timing, progress, traces."""


def unobserved(stage: str) -> AbstractContextManager[None]:
    """Nobody watches."""
    return nullcontext()


@dataclass(frozen=True)
class ReadOptions:
    """How a photo is read.

    risk: accepted probability that a total which asks for no review is wrong.
    game: which one to look for; None to recognise it. variants: extra rules of Kingdomino.
    layouts: learned layouts to name sheets by. prints: known prints; a sheet of one of them is
    read from its ink. observe: see `Observer`.
    """

    risk: float = DEFAULT_RISK
    game: GameName | None = None
    variants: Variants = PLAIN
    layouts: Sequence[Layout] = ()
    prints: Sequence[KnownPrint] = ()
    observe: Observer = unobserved
