"""How long is searched for why a map is impossible, and what is blamed if the search ends early."""

from __future__ import annotations

import random

import pytest

from kdscan.rules.duel.audit import audit_on_terms
from kdscan.rules.duel.audit.proofs import errors
from kdscan.rules.duel.audit.shields import LAW, Budget
from kdscan.rules.duel.audit.terms import Terms
from kdscan.rules.duel.audit.ways import find_way
from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from tests.rules.boards import EARLY, slow_smallest, small_board
from tests.rules.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401


def test_the_turn_of_wizards_is_a_search_that_may_end_early() -> None:
    (problem,) = errors(EARLY, Terms(False), steps=60)
    assert problem.code == "wizard_too_early"
    assert set(problem.cells) == set(EARLY)


def test_wizards_that_only_a_cut_short_search_lets_in_are_not_asked_about_forever() -> None:
    """The first search runs out of steps, so the line's wizard may help; with him it ends in time,
    and he cannot be won."""
    board = Board.parse(
        """.    .    d    .    l    l    l
           d    .    .    .    d    l    l
           .    l    .    ##   .    .    .
           d    l    d    l    .    .    .
           .    l    .    .    .    l    l"""
    )
    assert errors(board, Terms(), steps=50)


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """Steps of every search that starts."""
    started: list[int | None] = []

    def spy(steps: int | None = None) -> Budget:
        started.append(steps)
        return Budget(steps)

    for module in ("", ".proofs"):
        monkeypatch.setattr(f"kdscan.rules.duel.audit{module}.Budget", spy)
    return started


@pytest.mark.parametrize(
    ("board", "castle", "own"),
    [
        (EARLY, False, 50_000),
        (board_of(". . . d+ l+ . .", ". . . ## . . .", EMPTY_ROW), False, 20_000),
        (Board({cell: Shield(Coat.DOUBLE_DOT) for cell in CELLS}), False, 4_000),
    ],
)
def test_every_search_keeps_to_its_steps(
    board: Board, castle: bool, own: int, budgets: list[int | None]
) -> None:
    audit_on_terms(board, Terms(castle), steps=3_000)
    # Shields to blame are looked for with 1,000 steps first.
    assert set(budgets) <= {3_000, 1_000}
    budgets.clear()
    errors_or_warnings = audit_on_terms(board, Terms(castle)).problems
    assert errors_or_warnings and own in budgets


@pytest.mark.usefixtures("short_book")
@pytest.mark.parametrize("castle_used", [None, True, False])
def test_the_turn_of_wizards_forbids_the_smallest_shields(castle_used: bool | None) -> None:
    """Against every lawful map of these shields, found by trying everything."""
    rng = random.Random(12)
    sizes: list[int] = []
    while len(sizes) < 15:
        board = small_board(rng, rng.choice((6, 6, 8)), (Coat.DOT, Coat.LINE, Coat.CHECKED))
        given = rng.random() < 0.3
        shown = sum(shield == Shield(Coat.DOT) for shield in board.values())
        terms = Terms(castle_used, cross_given=given, recorded=((Coat.DOT, shown),))
        if find_way(board, terms, LAW) is not None:
            continue
        (problem, *_) = errors(board, terms)
        if problem.code == "wizard_too_early":
            # Earlier the roof may have been blank, and no cross given.
            before = Terms(None if castle_used else castle_used)
            smallest = slow_smallest(board, before) or len(board)
            assert len(problem.cells) == smallest, f"\n{board}\n{terms}"
            sizes.append(smallest)
    assert len(set(sizes)) > 1
