"""Two maps of one game, audited together."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings

from kdscan.game.duel.audit import replay
from kdscan.game.duel.audit.dominoes import PAIRS
from kdscan.game.duel.audit.pair import audit_game
from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE, Face
from kdscan.game.duel.editions import ENGLISH
from kdscan.game.duel.report import pair_json
from tests.game.boards import played, seeds
from tests.game.rows import EMPTY_ROW, board_of

TWO = board_of(". . dd dd . . .", ". . . ## . . .", EMPTY_ROW)
FOUR = board_of(". . dd dd . . .", ". . . ## . . .", ". . dd dd . . .")


@given(seeds)
@settings(max_examples=25)
def test_accepts_both_maps_of_every_game_and_finds_their_rounds(seed: int) -> None:
    game = played(seed, rounds=random.Random(seed).choice((4, 11, 200)))
    for book in (None, game.spellbook):
        audit = audit_game(game.maps, game.castle_used, spellbook=book)
        assert audit.lawful and not audit.problems
        for board, own in zip(game.maps, audit.audits, strict=True):
            assert own.witness is not None
            replay(board, own.witness)
        assert audit.rounds is not None
        for side, board in enumerate(game.maps):
            steps = [step for this in audit.rounds if (step := this[side]) is not None]
            assert sorted(steps) == list(range(len(board) // 2))


def test_pairs_of_dice_mirror_their_complements() -> None:
    for pair, mirrored in zip(PAIRS, reversed(PAIRS), strict=True):
        assert set(pair) | set(mirrored) == {0, 1, 2, 3}


def test_a_map_unlawful_by_itself_is_told_so() -> None:
    audit = audit_game((TWO.with_shield((0, 0), Shield(Coat.DOT)), TWO))
    assert not audit.lawful and not audit.problems
    assert [one.lawful for one in audit.audits] == [False, True]


def test_dice_that_never_fit_are_no_error() -> None:
    """Filled and checked coats with two crosses are on one die only: not both in a round."""
    one = board_of(". . . f++ . . .", ". . . ## . . .", EMPTY_ROW)
    one = one.with_shield((0, 3), Shield(Coat.LINE))
    two = one.with_shield((1, 3), Shield(Coat.CHECKED, 2))
    audit = audit_game((one, two), (False, False))
    assert audit.lawful and audit.rounds is None and audit.decided
    (problem,) = pair_json(audit)["problems"]
    assert (problem["code"], problem["severity"], problem["cells"]) == ("dice", "warning", [])
    assert "no dominoes of theirs go together" in problem["message"]
    other = two.with_shield((1, 3), Shield(Coat.DOT))
    assert audit_game((one, other), (False, False)).rounds == ((0, 0),)


def test_what_only_the_dice_forbid_on_one_map_stays_a_warning() -> None:
    strange = board_of(". . . d+ l+ . .", ". . . ## . . .", EMPTY_ROW)
    audit = audit_game((strange, TWO), (False, False))
    assert audit.lawful and audit.rounds is None and audit.decided and not audit.problems
    assert [p.severity for p in audit.audits[0].problems] == ["warning"]


def test_each_map_is_held_to_the_edition() -> None:
    """A filled shield with the castle's cross and a checked one that fills its square take the
    same die, unless the filled one may be a joker's; the wizard's cross needs all three."""
    board = board_of(". c f+ . dd . .", ". c d ## ll . .", "d c+ f l . . .")
    severe = replace(ENGLISH, castle_on_joker=False)
    for edition, codes in ((ENGLISH, []), (severe, ["dice"])):
        audit = audit_game((board, board), (True, True), edition=edition)
        assert [[p.code for p in one.problems] for one in audit.audits] == [codes, codes]


@pytest.mark.parametrize("module", ["rounds", "ways"])
def test_the_search_for_rounds_gives_up(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kdscan.game.duel.audit.rounds.MOST_STATES", -1)
    if module == "ways":
        monkeypatch.setattr("kdscan.game.duel.audit.rounds.MOST_WAYS", 0)
    audit = audit_game((FOUR, FOUR))
    assert audit.lawful and audit.rounds is None
    assert not audit.decided and not audit.problems
    assert all(one.witness is not None for one in audit.audits)
    assert pair_json(audit)["rounds_decided"] is False


def test_small_games_are_always_decided_and_rightly() -> None:
    """Against every way to share out dice in every order, on maps of two dominoes each."""
    rng = random.Random(5)
    answers = {True: 0, False: 0}
    cells = ((1, 3), (1, 4), (3, 3), (3, 4))
    marks = [Shield(Coat.FILLED, 2), Shield(Coat.CHECKED, 2), Shield(Coat.FILLED), Shield(Coat.DOT)]
    marks += [Shield(Coat.DOUBLE_DOT, 1), Shield(Coat.CHECKED), Shield(Coat.LINE, 1)]
    for _ in range(150):
        one, two = (Board({cell: rng.choice(marks) for cell in cells}) for _ in range(2))
        audit = audit_game((one, two), (False, False))
        if any(a.problems or not a.lawful for a in audit.audits):
            continue
        assert audit.decided
        assert (audit.rounds is not None) == slow_rounds(one, two), f"\n{one}\n{two}"
        answers[audit.rounds is not None] += 1
    assert min(answers.values()) > 8, answers


def slow_rounds(one: Board, two: Board) -> bool:
    """The cells are (1, 3), (1, 4) above, (3, 3), (3, 4) below: two dominoes in any order."""
    rows = [[(r, 3), (r, 4)] for r in (1, 3)]
    return any(
        all(
            any(
                all(_shows(die, shield) for die, shield in zip(dice, shields, strict=True))
                for dice in permutations(DICE)
            )
            for shields in (
                [*(one[c] for c in mine), *(two[c] for c in theirs)]
                for mine, theirs in zip(rows, other, strict=True)
            )
        )
        for other in (rows, rows[::-1])
    )


def _shows(die: tuple[Face, ...], shield: Shield) -> bool:
    joker = shield.crosses == 0 and Face(None) in die
    return joker or Face(shield.coat, shield.crosses) in die


def test_a_wizards_cross_keeps_its_turn_among_common_rounds() -> None:
    """A checked coat with one cross is on no die: the wizard's, who was won by then."""
    one = Board.parse(
        """. . . dd . . .
           . . . c . . .
           . . . ## c+ dd .
           . . . c . . .
           . . . dd . . ."""
    )
    lines = Board({cell: Shield(Coat.LINE) for cell in one})
    audit = audit_game((one, lines), (False, False))
    assert audit.lawful and audit.rounds is not None and len(audit.rounds) == 3
    witness = audit.audits[0].witness
    assert witness is not None and witness.wizard == (2, 4)
    assert [this[0] for this in audit.rounds] == [0, 1, 2]
    assert audit_game((lines, one), (False, False)).rounds is not None
