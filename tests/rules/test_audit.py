"""The audit of a Duel map: ways can be replayed, what is unlawful has its reason."""

from __future__ import annotations

import random

from hypothesis import given, settings

from kdscan.rules.duel.audit import audit_map, audit_on_terms
from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.legality import Terms
from kdscan.rules.duel.play import ENGLISH, FRENCH
from kdscan.rules.duel.players import play_game
from tests.rules.boards import EARLY, changed, played, seeds
from tests.rules.replay import replay
from tests.rules.rows import EMPTY_ROW, board_of, book, short_book_fixture  # noqa: F401


@given(seeds)
@settings(max_examples=25)
def test_accepts_every_played_map_with_and_without_its_spellbook(seed: int) -> None:
    game = played(seed, rounds=random.Random(seed).choice((3, 9, 15, 200)))
    for player in (0, 1):
        board, castle = game.maps[player], game.castle_used[player]
        for spellbook in (None, game.spellbook):
            audit = audit_map(board, castle, spellbook=spellbook, player=player)
            assert audit.lawful and not audit.problems
            assert audit.witness is not None
            replay(board, audit.witness)


@given(seeds)
@settings(max_examples=25)
def test_a_changed_map_passes_only_with_a_way_that_replays(seed: int) -> None:
    rng = random.Random(seed)
    game = played(seed, rounds=rng.choice((6, 12, 200)))
    board = changed(game.maps[0], rng)
    audit = audit_map(board, game.castle_used[0])
    if audit.lawful:
        assert audit.witness is not None
        replay(board, audit.witness)
        assert all(problem.severity == "warning" for problem in audit.problems)
    else:
        assert audit.witness is None
        assert any(problem.severity == "error" for problem in audit.problems)
        assert all(set(problem.cells) <= set(board) for problem in audit.problems)


def test_a_full_map_needs_the_wizard_of_the_line() -> None:
    """The map has 18 shields of one chessboard colour and 16 of the other."""
    coats = dict.fromkeys(CELLS, Coat.LINE)
    board = Board({cell: Shield(coat) for cell, coat in coats.items()})
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    (apart,) = [step for step in audit.witness.steps if step.power is Coat.LINE]
    assert all(sum(cell) % 2 == 0 for cell in apart.cells)
    without = Board({cell: Shield(Coat.DOUBLE_DOT, 0) for cell in CELLS})
    (problem,) = audit_map(without, False).problems
    assert problem.code == "unpaired_shields"
    assert len({sum(cell) % 2 for cell in problem.cells}) == 1


def test_contact_goes_through_a_chain_of_dominoes() -> None:
    chain = board_of(". . . . . . c", ". . . ## dd l f", ". . . . . l f")
    audit = audit_map(chain)
    assert audit.witness is not None
    assert [set(step.cells) for step in audit.witness.steps] == [
        {(2, 4), (2, 5)},
        {(3, 5), (3, 6)},
        {(1, 6), (2, 6)},
    ]
    assert not audit_map(chain.with_shield((3, 6), Shield(Coat.CHECKED))).lawful


def test_four_crosses_take_both_bonuses_and_five_are_too_many() -> None:
    lawful = board_of(". . c . . . .", ". . c ## d++++ d .", ". c c . . . .")
    audit = audit_map(lawful)
    assert audit.lawful and audit.witness is not None
    assert audit.witness.castle == audit.witness.wizard == (2, 4)
    replay(lawful, audit.witness)
    assert [p.code for p in audit_map(lawful, False).problems] == ["bonus_crosses"]
    five = lawful.with_shield((2, 4), Shield(Coat.DOT, 5))
    (problem,) = audit_map(five).problems
    assert (problem.code, problem.cells) == ("too_many_crosses", ((2, 4),))


def test_what_only_the_dice_forbid_is_a_warning() -> None:
    """Both crossed coats are on the fourth die alone: data, not law."""
    board = board_of(". . . d+ l+ . .", ". . . ## . . .", EMPTY_ROW)
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    assert [(p.code, p.severity) for p in audit.problems] == [("dice", "warning")]
    assert not audit_map(board, True).problems
    board = board_of(". . . d++ l . .", ". . . ## . . .", EMPTY_ROW)
    assert [(p.code, p.severity) for p in audit_map(board, False).problems] == [
        ("bonus_crosses", "warning")
    ]


def test_dots_that_the_dot_wizard_must_open_do_not_win_him() -> None:
    """Five dots there are, but they all lie in the part that the dot's wizard must open."""
    board = Board.parse(
        """. . . .  .  . .
           . . . dd dd . .
           . . . ## .  . .
           d d . .  .  . .
           d d d l  .  . ."""
    )
    assert [problem.code for problem in audit_map(board).problems] == ["wizard_too_early"]


def test_the_cross_must_find_its_shield_drawn(short_book: None) -> None:
    """The checked line fills with the last checked coat; what comes later gets no cross."""
    board = board_of(". . c c . . .", ". . . ## dd+++ dd .", EMPTY_ROW)
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    steps = [set(step.cells) for step in audit.witness.steps]
    assert steps == [{(2, 4), (2, 5)}, {(1, 2), (1, 3)}]


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


def test_one_wizards_cross_frees_one_line_of_the_spellbook() -> None:
    """A dot or a line may have got its cross from the wizard and filled a square, not both."""
    board = board_of(". . c c d+ . .", ". . . ## d . .", ". . c l+ . . .")
    assert audit_map(board, False, spellbook=book(0, dot=2, checked=3)).lawful
    assert audit_map(board, False, spellbook=book(0, line=1, checked=3)).lawful
    (problem,) = audit_map(board, False, spellbook=book(0, dot=2, line=1, checked=3)).problems
    assert (problem.code, problem.cells) == ("spellbook", ((1, 4), (2, 4), (3, 3)))


def test_a_search_that_gives_up_says_so() -> None:
    audit = audit_on_terms(played(3).maps[0], Terms(), steps=5)
    assert audit.lawful is None and not audit.problems and audit.witness is None


def test_what_the_search_alone_finds_impossible() -> None:
    """Each shield by itself could be connected, but not all in one split."""
    board = Board.parse(
        """.   l   l   d   d+  d   f
           dd+ c++ d   d   f++ dd  c++
           l+  .   dd  ##  dd  ll+ ll
           l   l   l   .   d   dd  c
           l   f++ l   dd+ d   ll+ ."""
    )
    for map_, code in ((board, "unconnected_domino"), (EARLY, "wizard_too_early")):
        (problem,) = audit_map(map_, False).problems
        assert (problem.code, problem.cells) == (code, tuple(map_))
