"""The audit of a Duel map together with its spellbook, and by the French rules."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

from kdscan.rules.duel.audit import audit_map, replay
from kdscan.rules.duel.audit.proofs import errors
from kdscan.rules.duel.audit.terms import Terms
from kdscan.rules.duel.audit.witness import BrokenWitnessError
from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.editions import ENGLISH, FRENCH
from kdscan.rules.duel.players import play_game
from tests.rules.boards import slow_lawful, small_board
from tests.rules.rows import EMPTY_ROW, board_of, book, short_book_fixture  # noqa: F401


def test_the_spellbook_cannot_count_more_than_the_map_shows() -> None:
    board = board_of(". . . d d . .", ". . . ## . . .", EMPTY_ROW)
    assert audit_map(board, spellbook=book(0, dot=2)).lawful
    assert audit_map(board, spellbook=book(1, dot=3), player=0).lawful
    (problem,) = audit_map(board, spellbook=book(0, dot=3)).problems
    assert (problem.code, problem.cells) == ("spellbook", ((1, 3), (1, 4)))
    (problem,) = audit_map(board, spellbook=book(0, dot=3), edition=FRENCH).problems
    assert problem.code == "spellbook" and "room to draw more" in problem.message
    closed = Board.parse(
        """. . .  .  .  .  .
           . . ll ll .  .  .
           . ll ll ## ll ll .
           . . .  ll ll .  .
           . . .  .  .  .  ."""
    )
    assert audit_map(closed, spellbook=book(0, dot=3), edition=FRENCH).lawful
    assert not audit_map(closed, spellbook=book(0, dot=3)).lawful


@pytest.mark.usefixtures("short_book")
def test_the_spellbook_is_contradicted_by_the_fewest_of_its_lines() -> None:
    """Against every set of lines and every game that leads to the map."""
    rng = random.Random(3)
    coats = (Coat.DOT, Coat.LINE, Coat.CHECKED)
    sizes: list[int] = []
    for _ in range(300):
        board = small_board(rng, rng.choice((6, 6, 8)), coats)
        board = Board({c: Shield(s.coat, min(s.crosses, 1)) for c, s in board.items()})
        shown = {coat: list(board.values()).count(Shield(coat)) for coat in coats}
        lines = tuple((coat, max(shown[coat] + rng.choice((-1, 0, 0, 1)), 0)) for coat in coats)
        terms = Terms(rng.choice((None, True, False)), cross_given=rng.random() < 0.3)
        if not slow_lawful(board, terms):
            continue
        wrong = [
            len(some)
            for size in (1, 2, 3)
            for some in combinations(lines, size)
            if not slow_lawful(board, replace(terms, recorded=some))
        ]
        found = [p for p in errors(board, replace(terms, recorded=lines)) if p.code == "spellbook"]
        assert bool(found) == bool(wrong), f"\n{board}\n{lines}"
        if found:
            named = {board[cell].coat for cell in found[0].cells}
            assert len(named) <= min(wrong), f"\n{board}\n{lines}\n{found}"
            assert len(found) == (wrong.count(1) or 1)
            sizes.append(min(wrong))
    assert len(sizes) > 15


def test_one_wizards_cross_frees_one_line_of_the_spellbook() -> None:
    """A dot or a line may have got its cross from the wizard and filled a square, not both."""
    board = board_of(". . c c d+ . .", ". . . ## d . .", ". . c l+ . . .")
    assert audit_map(board, False, spellbook=book(0, dot=2, checked=3)).lawful
    assert audit_map(board, False, spellbook=book(0, line=1, checked=3)).lawful
    (problem,) = audit_map(board, False, spellbook=book(0, dot=2, line=1, checked=3)).problems
    assert (problem.code, problem.cells) == ("spellbook", ((1, 4), (2, 4), (3, 3)))
    assert "2 dot and 1 line" in problem.message and "2 and 1 at most" in problem.message
    assert "not all at once" in problem.message
    three = board.with_shield((2, 2), Shield(Coat.DOUBLE_DOT, 1))
    three = three.with_shield((2, 1), Shield(Coat.FILLED))
    counted = book(0, dot=2, line=1, double_dot=1, checked=3)
    assert len(audit_map(three, False, spellbook=counted).problems) == 1
    odd = board.with_shield((0, 0), Shield(Coat.FILLED))
    codes = [p.code for p in audit_map(odd, spellbook=book(0, dot=2, line=1, checked=3)).problems]
    assert codes == ["spellbook", "unpaired_shields"]


def test_a_wizard_that_the_spellbook_denies_helps_nobody() -> None:
    rows = (". l l l l . .", ". l l ## l . .", ". . . . l . .")
    board = board_of(*rows).with_shield((1, 5), Shield(Coat.LINE))
    board = board.with_shield((0, 4), Shield(Coat.LINE))
    assert len(board) == 10
    won, lost = book(0, line=5), book(1, line=5)
    audit = audit_map(board, spellbook=won, player=0)
    assert audit.lawful == audit_map(board).lawful
    assert audit.lawful
    assert audit.witness is not None and audit.witness.steps[-1].power is Coat.LINE
    assert not audit_map(board, spellbook=lost, player=0).lawful


def test_the_checked_wizard_was_won_so_its_cross_must_show() -> None:
    board = board_of(". . c c . . .", ". . . ## . . .", ". . c dd . . .")
    given_book = book(0, checked=3)
    (problem,) = audit_map(board, False, spellbook=given_book).problems
    assert problem.code == "missing_cross"
    crossed = board.with_shield((3, 3), Shield(Coat.DOUBLE_DOT, 1))
    audit = audit_map(crossed, False, spellbook=given_book)
    assert audit.witness is not None and audit.witness.wizard == (3, 3)


def test_french_dice_fill_squares_without_being_drawn() -> None:
    """All round the castle is full and no dot was drawn, so dots can come and go undrawn."""
    rows = Board.parse(
        """. . .  .  .  .  .
           . . ll ll .  .  .
           . ll ll ## ll ll .
           . . .  ll ll .  .
           . . .  .  .  dd f"""
    )
    english, french = audit_map(rows), audit_map(rows, edition=FRENCH)
    assert not english.lawful
    assert french.lawful and french.witness is not None
    assert [step.power for step in french.witness.steps if step.power] == [Coat.DOT]
    assert french.witness.idle == ((4, Coat.DOT),)
    replay(rows, french.witness, FRENCH)
    with pytest.raises(BrokenWitnessError, match="wizard is not at hand"):
        replay(rows, french.witness)
    early = replace(french.witness, idle=((3, Coat.DOT),))
    with pytest.raises(BrokenWitnessError, match="after step 3 there was room for the dot"):
        replay(rows, early, FRENCH)


def test_french_games_are_accepted_by_the_french_rules() -> None:
    for seed in range(12):
        game = play_game(seed, edition=FRENCH)
        for player in (0, 1):
            for spellbook in (None, game.spellbook):
                audit = audit_map(
                    game.maps[player],
                    game.castle_used[player],
                    spellbook=spellbook,
                    player=player,
                    edition=FRENCH,
                )
                assert audit.lawful, f"seed {seed}, player {player}"
                assert audit.witness is not None
                replay(game.maps[player], audit.witness, FRENCH)


def test_french_dice_win_the_checked_wizard_without_being_drawn() -> None:
    ring = Board.parse(
        """. . .  .  .     .  .
           . . ll ll .     .  .
           . ll ll ## ll dd+++ .
           . . .  ll ll    .  .
           . . .  .  .     .  ."""
    )
    assert [p.code for p in audit_map(ring, False).problems] == ["bonus_crosses"]
    audit = audit_map(ring, False, edition=FRENCH)
    assert audit.lawful and audit.witness is not None and audit.witness.wizard == (2, 5)
    open_castle = board_of(". . . ll dd+++ . .", ". . . ## . . .", EMPTY_ROW)
    assert not audit_map(open_castle, False, edition=FRENCH).lawful


def test_a_french_spellbook_may_count_more_than_the_map_shows() -> None:
    alone = board_of(". . . d . . .", ". . . ## . . .", EMPTY_ROW)
    audit = audit_map(alone, spellbook=book(0, dot=4), edition=FRENCH)
    assert [p.code for p in audit.problems] == ["unpaired_shields"]
    audit = audit_map(alone, spellbook=book(0, dot=1))
    assert [p.code for p in audit.problems] == ["unpaired_shields"]
    audit = audit_map(alone, spellbook=book(0, dot=4))
    assert [p.code for p in audit.problems] == ["spellbook", "unpaired_shields"]


def test_french_wizards_are_not_won_where_there_was_room() -> None:
    """Round the castle all is full; the far domino needs the dot's wizard, not won by drawing."""
    # Dots with room beside them from the first domino on: no dot was ever without room.
    dots = Board({cell: Shield(Coat.DOT) for cell in ((1, 3), (1, 2), (2, 2), (2, 1))})
    lines = {cell: Shield(Coat.LINE) for cell in ((3, 3), (3, 2), (2, 4), (2, 5))}
    far = {(4, 5): Shield(Coat.DOUBLE_DOT), (4, 6): Shield(Coat.FILLED)}
    assert not audit_map(Board({**dots, **lines, **far}), edition=ENGLISH).lawful
    assert not audit_map(Board({**dots, **lines, **far}), edition=FRENCH).lawful
    # Without a dot on the map, dots had no room once the castle was closed in.
    none = {cell: Shield(Coat.DOUBLE_LINE) for cell in dots}
    assert audit_map(Board({**none, **lines, **far}), edition=FRENCH).lawful
