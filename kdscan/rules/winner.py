"""Who wins a game, Duel or tiles: most points, then the largest domain, then most crowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from kdscan.rules.grid import Cell

Decision = Literal["score", "largest_domain", "crowns", "draw", "bye", "walkover"]

TIE_BREAKS: tuple[Decision, ...] = ("score", "largest_domain", "crowns")
"""What is compared, in the rulebooks' order; the first difference decides. Duel has no crowns."""


@dataclass(frozen=True)
class Outcome:
    """Who won, by number (in a draw, all who share the first place), and what decided."""

    winners: tuple[int, ...]
    decided_by: Decision

    @property
    def winner(self) -> int | None:
        """The only winner, None in a draw."""
        return self.winners[0] if len(self.winners) == 1 else None


class Worth(NamedTuple):
    """The numbers of a map or kingdom that decide a game; crowns are 0 on a map."""

    total: int
    largest_domain: int = 0
    crowns: int = 0


def worth(sheet: Mapping[str, Any]) -> Worth:
    """What a map or kingdom is worth, from its JSON."""
    domains = sheet["domains"]
    largest = max((len(domain["cells"]) for domain in domains), default=0)
    return Worth(
        sheet["score"]["total"], largest, sum(domain.get("crowns", 0) for domain in domains)
    )


def known_total(sheet: Mapping[str, Any]) -> int | None:
    """Points from a sheet's JSON; None for a spellbook, or if the picture cuts off some of them."""
    if sheet.get("photograph_again") or not sheet.get("score"):
        return None
    return int(sheet["score"]["total"])


def decide(players: Sequence[Worth]) -> Outcome:
    """The outcome, given what each player's map or kingdom is worth."""
    for count, decided_by in enumerate(TIE_BREAKS, 1):
        ranks = [numbers[:count] for numbers in players]
        first = tuple(n for n, rank in enumerate(ranks) if rank == max(ranks))
        if len(first) == 1:
            return Outcome(first, decided_by)
    return Outcome(first, "draw")


class AnyDomain(Protocol):
    """A domain of either game."""

    @property
    def cells(self) -> tuple[Cell, ...]: ...
    @property
    def points(self) -> int: ...


D = TypeVar("D", bound=AnyDomain)


@dataclass(frozen=True)
class DomainScore(Generic[D]):
    """A score broken down by domain; `domains` in the order of their first cells. Further fields
    are points that no domain brings."""

    domains: tuple[D, ...]

    @property
    def points(self) -> dict[str, int]:
        """Where the points come from, and their sum; as in the JSON."""
        parts = {"domains": self.domain_points}
        parts |= {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        return {**parts, "total": sum(parts.values())}

    @property
    def domain_points(self) -> int:
        return sum(domain.points for domain in self.domains)

    @property
    def total(self) -> int:
        return self.points["total"]

    @property
    def worth(self) -> Worth:
        """What decides a game. The largest domain is the first tie-break, scoring or not; crowns
        are the second, which Duel does not have."""
        return Worth(
            self.total,
            max((len(domain.cells) for domain in self.domains), default=0),
            sum(getattr(domain, "crowns", 0) for domain in self.domains),
        )


def outcome(scores: Sequence[DomainScore[Any]]) -> Outcome:
    """Who wins a game with these scores."""
    return decide([score.worth for score in scores])
