"""The audit of a Duel map: ways can be replayed, what is unlawful has its reason."""

from __future__ import annotations

import random

from hypothesis import given, settings

from kdscan.rules.duel.audit import audit_map, audit_on_terms
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.legality import Terms
from kdscan.rules.duel.play import FRENCH
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
