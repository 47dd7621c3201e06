"""The audit against one that tries everything, on small maps whose wizards are won early."""

from __future__ import annotations

import random

import pytest

from kdscan.rules.duel.audit import audit_on_terms
from kdscan.rules.duel.board import SQUARES, Board, Coat, Shield
from kdscan.rules.duel.legality import MAP_WIZARDS, Terms
from kdscan.rules.duel.play import ENGLISH, FRENCH
from tests.rules.boards import ringed, slow_lawful, small_board
from tests.rules.replay import replay

COATS = (Coat.DOT, Coat.LINE, Coat.CHECKED)


def some_terms(rng: random.Random, obtained: bool) -> Terms:
    """Some of what may be known beside a map."""
    wizards = frozenset(coat for coat in sorted(MAP_WIZARDS) if rng.random() < 0.8)
    coats = rng.sample(COATS, rng.choice((0, 0, 0, 1, 2)))
    return Terms(
        rng.choice((None, True, False)),
        wizards,
        cross_given=Coat.CHECKED in wizards and rng.random() < 0.2,
        recorded=tuple((coat, rng.choice((0, 1, 1, 2))) for coat in coats),
        obtained=obtained,
    )


@pytest.mark.parametrize("obtained", [False, True])
@pytest.mark.parametrize("ring", [False, True])
def test_agrees_with_trying_everything(
    ring: bool, obtained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both ways of filling squares; on maps with room, and round a castle that is closed in."""
    rng = random.Random(9 + 2 * ring + obtained)
    answers: dict[bool, int] = {True: 0, False: 0}
    helped: set[Coat | str | None] = set()
    for _ in range(40 if ring else 120):
        for coat in COATS:
            monkeypatch.setitem(SQUARES, coat, rng.choice((1, 2, 2, 3)))
        if ring:
            coats = rng.choice((COATS, tuple(Coat)))
            board = ringed(rng, rng.choice((2, 2, 2, 4)), coats)
            for cell in rng.sample(sorted(board), rng.choice((0, 0, 1, 1, 2))):
                board = Board({**board, cell: Shield(board[cell].coat, rng.choice((1, 2, 3)))})
        else:
            board = small_board(rng, rng.choice((4, 4, 6, 6, 8)), COATS)
        terms = some_terms(rng, obtained)
        audit = audit_on_terms(board, terms)
        assert audit.lawful == slow_lawful(board, terms), f"\n{board}\n{terms}\n{SQUARES}"
        answers[audit.lawful] += 1
        if audit.witness is not None:
            replay(board, audit.witness, FRENCH if obtained else ENGLISH)
            helped |= {step.power for step in audit.witness.order}
            helped |= {"idle"} if audit.witness.idle else set()
            helped |= {"cross"} if audit.witness.wizard else set()
    assert min(answers.values()) > 5, answers
    assert helped >= {None, Coat.DOT, Coat.LINE, "cross"} | (
        {"idle"} if ring and obtained else set()
    ), helped


RING = (((1, 2), (2, 2)), ((1, 3), (1, 4)), ((2, 4), (3, 4)), ((3, 2), (3, 3)))
CLOSED = Board({cell: Shield(Coat.FILLED) for pair in RING for cell in pair})


@pytest.mark.parametrize(
    ("beside", "lawful"),
    [
        # Lines leave no room for the checked coat once the cross's shield is drawn.
        (Shield(Coat.LINE), True),
        # The domino itself fills the last square after rounds without room.
        (Shield(Coat.CHECKED), True),
        # It fills none, and from then on there is room: the cross came before its shield.
        (Shield(Coat.CHECKED, 2), False),
    ],
)
def test_rounds_without_room_give_the_cross_to_a_shield_that_is_there(
    beside: Shield, lawful: bool
) -> None:
    board = Board({**CLOSED, (2, 5): Shield(Coat.FILLED, 3), (2, 6): beside})
    terms = Terms(False, obtained=True)
    audit = audit_on_terms(board, terms)
    assert audit.lawful == lawful == slow_lawful(board, terms)
    if audit.witness is not None:
        replay(board, audit.witness, FRENCH)


def test_the_dots_wizard_may_draw_what_fits_without_him(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cross lies beyond the dominoes that win it: only he draws its shield before them."""
    monkeypatch.setitem(SQUARES, Coat.DOT, 2)
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 2)
    board = Board.parse(
        """. . .  c  c+++ f  .
           . . .  c  .    .  .
           . d d  ## ll   ll .
           . . ll ll .    .  .
           . . .  .  .    .  ."""
    )
    terms = Terms(False)
    audit = audit_on_terms(board, terms)
    assert audit.lawful and audit.witness is not None and slow_lawful(board, terms)
    replay(board, audit.witness)
    assert [step.power for step in audit.witness.order].count(Coat.DOT) == 1
    assert not audit_on_terms(board, Terms(False, MAP_WIZARDS - {Coat.DOT})).lawful


def test_what_was_drawn_before_the_dots_wizard_still_connects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """He opens the island whose line wins the next wizard, for dice beside the first domino."""
    monkeypatch.setitem(SQUARES, Coat.DOT, 1)
    monkeypatch.setitem(SQUARES, Coat.LINE, 1)
    board = Board.parse(
        """. .  . .  . l f
           . ll . .  . . .
           . ll d ## . . .
           . ll . .  . . .
           . .  . .  . . ."""
    )
    audit = audit_on_terms(board, Terms())
    assert audit.witness is not None
    assert [step.power for step in audit.witness.order] == [None, Coat.DOT, Coat.LINE]
    two = Board({**board, (4, 5): Shield(Coat.FILLED), (4, 6): Shield(Coat.CHECKED)})
    assert not audit_on_terms(two, Terms()).lawful  # he is called once
