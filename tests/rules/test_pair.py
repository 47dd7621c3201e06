"""Two maps of one game, audited together."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings

from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.pair import audit_game
from kdscan.rules.duel.play import FRENCH
from kdscan.rules.duel.report import pair_json
from tests.rules.boards import played, seeds
from tests.rules.replay import replay
from tests.rules.rows import EMPTY_ROW, board_of, book

TWO = board_of(". . dd dd . . .", ". . . ## . . .", EMPTY_ROW)
FOUR = board_of(". . dd dd . . .", ". . . ## . . .", ". . dd dd . . .")


@given(seeds)
@settings(max_examples=25)
def test_accepts_both_maps_of_every_game_and_finds_their_rounds(seed: int) -> None:
    game = played(seed, rounds=random.Random(seed).choice((4, 11, 200)))
    for spellbook in (None, game.spellbook):
        audit = audit_game(game.maps, game.castle_used, spellbook=spellbook)
        assert audit.lawful and not audit.problems
        for board, own in zip(game.maps, audit.audits, strict=True):
            assert own.witness is not None
            replay(board, own.witness)
        assert audit.rounds is not None
        for side, board in enumerate(game.maps):
            steps = [step for this in audit.rounds if (step := this[side]) is not None]
            assert sorted(steps) == list(range(len(board) // 2))


def test_dice_that_never_fit_are_no_error() -> None:
    """Filled and checked coats with two crosses are on one die only: not both in a round."""
    one = board_of(". . . f++ . . .", ". . . ## . . .", EMPTY_ROW)
    one = one.with_shield((0, 3), Shield(Coat.LINE))
    two = one.with_shield((1, 3), Shield(Coat.CHECKED, 2))
    audit = audit_game((one, two), (False, False))
    assert audit.lawful and audit.rounds is None and audit.decided
    for decided in (True, False):
        assert pair_json(replace(audit, decided=decided))["rounds_decided"] is decided
    (problem,) = pair_json(audit)["problems"]
    assert (problem["code"], problem["severity"], problem["cells"]) == ("dice", "warning", [])
    assert "no dominoes of theirs go together" in problem["message"]
    other = two.with_shield((1, 3), Shield(Coat.DOT))
    assert audit_game((one, other), (False, False)).rounds == ((0, 0),)


FULL = Board({cell: Shield(Coat.LINE) for cell in CELLS})


def test_problems_of_two_maps() -> None:
    rich = board_of(". . . f++ l . .", ". . . ## . . .", EMPTY_ROW)
    for maps, code, lawful in (
        ((FULL, FULL), "wizard_shared", False),
        ((FOUR, TWO), "rounds_differ", False),
        ((rich, rich), "dice", True),
    ):
        audit = audit_game(maps, (False, False))
        assert audit.lawful is lawful and audit.rounds is None
        assert [problem.code for problem in audit.problems] == [code]
    assert audit_game((Board(), Board())).rounds == ()
    assert audit_game((FOUR, FOUR)).lawful


def test_each_player_is_held_to_the_spellbook() -> None:
    lines = board_of(". l l l l . .", ". l l ## l . .", ". . . . l . .")
    lines = lines.with_shield((1, 5), Shield(Coat.LINE)).with_shield((0, 4), Shield(Coat.LINE))
    plain = Board({cell: Shield(Coat.DOUBLE_DOT) for cell in lines if cell[0] < 2})
    for mine in (0, 1):
        maps = (lines, plain) if mine == 0 else (plain, lines)
        for winner in (0, 1):
            audit = audit_game(maps, spellbook=book(winner, line=5))
            assert audit.audits[mine].lawful is (winner == mine)


def test_two_french_maps() -> None:
    """The far domino takes the dot's wizard, whom only dots without room can have won."""
    far = Board.parse(
        """. . .  .  .  .  .
           . . ll ll .  .  .
           . ll ll ## ll ll .
           . . .  ll ll .  .
           . . .  .  .  dd  f"""
    )
    near = Board({cell: Shield(Coat.DOUBLE_LINE) for cell in far if cell[0] < 4})
    near = near.with_shield((1, 1), Shield(Coat.DOUBLE_LINE)).with_shield((0, 1), Shield(Coat.DOT))
    assert audit_game((far, near), edition=FRENCH).lawful
    assert not audit_game((far, near)).lawful
