"""What the scores of both games share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from kdscan.rules.grid import Cell
from kdscan.rules.winner import Outcome, Worth, decide


class AnyDomain(Protocol):
    """A domain of either game."""

    @property
    def cells(self) -> tuple[Cell, ...]: ...
    @property
    def points(self) -> int: ...


D = TypeVar("D", bound=AnyDomain)


@dataclass(frozen=True)
class DomainScore(Generic[D]):
    """A score broken down by domain; `domains` in the order of their first cells."""

    domains: tuple[D, ...]

    @property
    def domain_points(self) -> int:
        return sum(domain.points for domain in self.domains)

    @property
    def total(self) -> int:
        return self.domain_points

    @property
    def crowns(self) -> int:
        """The second tie-break, which Duel does not have."""
        return 0

    @property
    def largest_domain(self) -> int:
        """Cells of the largest domain, scoring or not; 0 without domains: the first tie-break."""
        return max((len(domain.cells) for domain in self.domains), default=0)

    @property
    def worth(self) -> Worth:
        """What decides a game."""
        return Worth(self.total, self.largest_domain, self.crowns)


def outcome(scores: Sequence[DomainScore[Any]]) -> Outcome:
    """Who wins a game with these scores."""
    return decide([score.worth for score in scores])
