"""The audit of a Duel map: shown ways replay, proofs hold, small boards agree with trying all."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings

from kdscan.game.duel.audit import Step, Witness, audit_map, replay
from kdscan.game.duel.audit.dominoes import LAW, Half, the_dice
from kdscan.game.duel.audit.order import Drawn
from kdscan.game.duel.audit.pairing import smallest_uncovered
from kdscan.game.duel.audit.proof import errors
from kdscan.game.duel.audit.reach import Proof, smallest_unreached
from kdscan.game.duel.audit.search import Terms, find_way
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.audit.witness import BrokenWitnessError
from kdscan.game.duel.board import CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import number
from kdscan.game.duel.editions import ENGLISH, FRENCH
from kdscan.game.duel.players import play_game
from kdscan.game.duel.spellbook import Spellbook, SpellbookLine
from tests.game.boards import (
    changed,
    played,
    seeds,
    slow_lawful,
    slow_paired,
    slow_smallest,
    small_board,
)

NO_WIZARDS = Terms(wizards=frozenset())

EMPTY_ROW = ". . . . . . ."


def board_of(*rows: str) -> Board:
    """A board of the given middle rows, blank above and below."""
    above = (5 - len(rows)) // 2
    filled = [EMPTY_ROW] * above + list(rows)
    filled += [EMPTY_ROW] * (5 - len(filled))
    if filled[2] == EMPTY_ROW:
        filled[2] = ". . . ## . . ."
    return Board.parse("\n".join(filled))


@given(seeds)
@settings(max_examples=25)
def test_accepts_every_played_map_with_and_without_its_spellbook(seed: int) -> None:
    game = played(seed, rounds=random.Random(seed).choice((3, 9, 15, 200)))
    for player in (0, 1):
        board, castle = game.maps[player], game.castle_used[player]
        for book in (None, game.spellbook):
            audit = audit_map(board, castle, spellbook=book, player=player)
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


@pytest.fixture
def short_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spellbook so short that small boards win wizards."""
    for coat, squares in ((Coat.DOT, 2), (Coat.LINE, 2), (Coat.CHECKED, 2)):
        monkeypatch.setitem(SQUARES, coat, squares)


@pytest.mark.usefixtures("short_book")
@pytest.mark.parametrize("castle_used", [None, True, False])
def test_agrees_with_trying_everything(castle_used: bool | None) -> None:
    rng = random.Random(20)
    coats = (Coat.DOT, Coat.LINE, Coat.CHECKED)
    answers = []
    for _ in range(120):
        board = small_board(rng, rng.choice((4, 6, 6, 8)), coats)
        terms = Terms(castle_used)
        way = find_way(board, terms, LAW)
        assert (way is not None) == slow_lawful(board, terms), f"\n{board}"
        answers.append((way is not None, way is not None and _power(way.order)))
    assert len(set(answers)) >= 3


def _power(order: tuple[Drawn, ...]) -> Coat | None:
    return next((step.power for step in order if step.power), None)


def test_blames_the_smallest_shields() -> None:
    rng = random.Random(4)
    found = {"unpaired_shields": 0, "unconnected_domino": 0}
    for _ in range(150):
        board = small_board(rng, rng.choice((4, 4, 5, 6)), tuple(Coat)[:3])
        plain = Board({c: Shield(s.coat) for c, s in board.items()})
        if find_way(plain, NO_WIZARDS, LAW) is not None:
            continue
        (problem,) = errors(plain, NO_WIZARDS)
        assert len(problem.cells) == slow_smallest(plain, NO_WIZARDS), f"\n{board}"
        paired = slow_paired(plain, set(problem.cells))
        assert problem.code == ("unconnected_domino" if paired else "unpaired_shields")
        found[problem.code] += 1
    assert min(found.values()) > 5


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
    assert len(problem.cells) == 17
    assert len({sum(cell) % 2 for cell in problem.cells}) == 1


def test_a_shield_alone_is_blamed_alone() -> None:
    board = board_of(". . dd dd . . .", ". . . ## . . .", "l . . . . . .")
    (problem,) = audit_map(board).problems
    assert (problem.code, problem.cells) == ("unpaired_shields", ((3, 0),))
    assert "this shield" in problem.message


def test_a_domino_without_contact_is_blamed() -> None:
    board = board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . .")
    (problem,) = audit_map(board).problems
    assert (problem.code, len(problem.cells)) == ("unconnected_domino", 1)
    assert problem.cells[0] in ((3, 0), (3, 1))


def test_equal_coats_of_one_domino_are_no_contact() -> None:
    assert not audit_map(board_of(". . . dd dd . .", ". . . ## . . .", "l l . . . . .")).lawful


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


def test_an_odd_number_of_shields_is_no_game_even_with_the_line_won() -> None:
    rows = ("l l l l l l .", "l l l ## l l .", ". . . . . . .")
    board = board_of(*rows)
    assert len(board) == 11
    (problem,) = audit_map(board).problems
    assert (problem.code, problem.cells) == ("unpaired_shields", tuple(board))


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


def test_three_crosses_without_a_bonus_left() -> None:
    assert audit_map(board_of(". . . d+++ d . .", ". . . ## . . .", EMPTY_ROW), True).lawful
    audit = audit_map(board_of(". . . d+++ d . .", ". . . ## . . .", EMPTY_ROW), False)
    assert [(p.code, p.cells) for p in audit.problems] == [("bonus_crosses", ((1, 3),))]


def test_crosses_beyond_the_known_dice_are_a_warning_up_to_four() -> None:
    """No known die brings a double dot two crosses; the rulebooks know nothing of that."""
    board = board_of(". . c . . . .", ". . c ## dd++++ d .", ". c c . . . .")
    audit = audit_map(board)
    assert audit.lawful and audit.witness is not None
    assert [(p.code, p.severity, p.cells) for p in audit.problems] == [
        ("bonus_crosses", "warning", ((2, 4),))
    ]


def test_a_coloured_roof_needs_a_cross() -> None:
    board = board_of(". . . d d . .", ". . . ## . . .", EMPTY_ROW)
    assert audit_map(board, False).lawful
    (problem,) = audit_map(board, True).problems
    assert problem.code == "missing_cross"


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


def book(player: int, **filled: int) -> Spellbook:
    """A spellbook with squares filled by one player, won and used where a line is full."""
    mine = {
        coat: SpellbookLine(
            filled.get(coat.value, 0), used=filled.get(coat.value, 0) >= SQUARES[coat]
        )
        for coat in Coat
    }
    theirs = {coat: SpellbookLine() for coat in Coat}
    return Spellbook((mine, theirs) if player == 0 else (theirs, mine))


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


def test_dots_that_the_dot_wizard_must_open_do_not_win_him() -> None:
    """Five dots there are, but they all lie in the part that the dot's wizard must open."""
    board = Board.parse(
        """. . . .  .  . .
           . . . dd dd . .
           . . . ## .  . .
           d d . .  .  . .
           d d d l  .  . ."""
    )
    (problem,) = audit_map(board).problems
    assert (problem.code, len(problem.cells)) == ("unconnected_domino", 1)


def test_a_wizard_needed_before_it_can_be_won() -> None:
    """Dots enough can be drawn before the dot's wizard is called, but not on the way here."""
    board = Board.parse(
        """.    d+   ll+  .    f++  d    .
           c+++ d    d    d    l    .    .
           c    c    c++  ##   dd   .    .
           c++  .    c    d    .    .    .
           dd   .    .    l    .    .    ."""
    )
    (problem,) = audit_map(board, False).problems
    assert problem.code == "wizard_too_early"
    assert set(problem.cells) <= set(board)


def test_the_turn_of_wizards_is_a_search_that_may_end_early() -> None:
    board = Board.parse(
        """.    d+   ll+  .    f++  d    .
           c+++ d    d    d    l    .    .
           c    c    c++  ##   dd   .    .
           c++  .    c    d    .    .    .
           dd   .    .    l    .    .    ."""
    )
    (problem,) = errors(board, Terms(False), steps=60)
    assert problem.code == "wizard_too_early"
    assert set(problem.cells) == set(board)
    assert len(errors(board, Terms(False))[0].cells) < len(board)


def test_the_cross_must_find_its_shield_drawn(short_book: None) -> None:
    """The checked line fills with the last checked coat; what comes later gets no cross."""
    board = board_of(". . c c . . .", ". . . ## dd+++ dd .", EMPTY_ROW)
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    steps = [set(step.cells) for step in audit.witness.steps]
    assert steps == [{(2, 4), (2, 5)}, {(1, 2), (1, 3)}]


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


def test_an_empty_map_is_lawful() -> None:
    audit = audit_map(Board())
    assert audit.witness == Witness(())


# The parts


def test_dice_make_a_domino_only_with_two_dice() -> None:
    dice = the_dice()
    assert dice.domino(Half(Coat.DOT, 1), Half(Coat.LINE, 1)).pairs == 0
    assert dice.domino(Half(Coat.FILLED, 2), Half(Coat.CHECKED, 2)).pairs == 0
    assert dice.domino(Half(Coat.DOT, 0), Half(Coat.DOT, 0)).most == (2, 0, 0)
    assert dice.domino(Half(Coat.LINE, 0), Half(Coat.LINE, 0)).most == (0, 2, 0)
    # Checked without a cross is on the second die alone; the other can only be a joker.
    assert dice.domino(Half(Coat.CHECKED, 0), Half(Coat.CHECKED, 0)).most == (0, 0, 1)
    assert dice.domino(Half(Coat.DOUBLE_DOT, 1), Half(Coat.DOUBLE_LINE, 1)).pairs == 0b000001
    assert dice.domino(Half(Coat.DOT, 0, castle=True), Half(Coat.DOT, 0)).most == (1, 0, 0)
    assert (
        not the_dice(False).domino(Half(Coat.FILLED, 0, castle=True), Half(Coat.CHECKED, 0)).most[2]
    )


def test_the_rulebooks_alone_allow_two_crosses_on_a_die() -> None:
    assert LAW.shows(Coat.DOT, 2) and not LAW.shows(Coat.DOT, 3)
    assert not LAW.shows(Coat.DOT, -1)
    assert not the_dice().shows(Coat.DOT, 2)
    assert LAW.domino(Half(Coat.DOT, 3), Half(Coat.DOT, 0)).pairs == 0


def test_spare_shields_need_no_neighbours() -> None:
    bits = [1 << number(cell) for cell in ((0, 0), (0, 6), (4, 0))]
    alone = sum(bits)
    assert smallest_uncovered(alone, 0) in bits
    assert smallest_uncovered(alone, 2) == alone
    assert smallest_uncovered(bits[0] | bits[1], 2) is None
    assert smallest_uncovered(0, 0) is None


def test_a_proof_that_takes_too_long_stays_as_large_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . .")
    task = Task(board, Bonus(), LAW)
    assert smallest_unreached(task, 0, False) == Proof(1 << number((3, 0)), True)
    monkeypatch.setattr("kdscan.game.duel.audit.reach.MOST_STEPS", 0)
    assert smallest_unreached(task, 0, False) == Proof(task.filled, False)
    monkeypatch.undo()
    monkeypatch.setattr("kdscan.game.duel.audit.reach._MOST_REMAINDERS", 0)
    proof = smallest_unreached(task, 0, False)
    assert proof is not None and not proof.smallest
    assert proof.cells.bit_count() == 1


# The replay, which trusts nothing

TWO = board_of(". . dd dd . . .", ". . . ## . . .", EMPTY_ROW)
FAR = board_of(". . dd dd . . .", ". . . ## . . .", "l l . . . . .")
MANY = board_of(". . dd dd+++ . . .", ". . . ## . . .", EMPTY_ROW)


@pytest.mark.parametrize(
    ("board", "witness", "message"),
    [
        (TWO, Witness(()), "do not fill"),
        (TWO, Witness((Step(((1, 2), (1, 2))),)), "not two free shields"),
        (TWO, Witness((Step(((1, 3), (1, 4))),)), "not two free shields"),
        (FAR, Witness((Step(((1, 2), (3, 1))),)), "not side by side"),
        (FAR, Witness((Step(((3, 0), (3, 1))),)), "the domino is not connected"),
        (FAR, Witness((Step(((3, 0), (3, 1)), Coat.DOT),)), "dot's wizard is not at hand"),
        (FAR, Witness((Step(((1, 3), (3, 1)), Coat.LINE),)), "drawn apart is not connected"),
        (TWO, Witness((Step(((1, 2), (1, 3))),), castle=(1, 2)), "brings -1 crosses"),
        (MANY, Witness((Step(((1, 2), (1, 3))),)), "brings 3 crosses"),
    ],
)
def test_a_broken_witness_is_found_out(board: Board, witness: Witness, message: str) -> None:
    with pytest.raises(BrokenWitnessError, match=message):
        replay(board, witness)


def test_a_power_is_used_once(short_book: None) -> None:
    """Two dots win the wizard of a short book; he draws one domino apart, not two."""
    board = board_of("f f . . c c .", ". . d ## . . .", ". . d . . . .")
    first = Step(((2, 2), (3, 2)))
    apart = Step(((1, 0), (1, 1)), Coat.DOT), Step(((1, 4), (1, 5)), Coat.DOT)
    one = board_of("f f . . . . .", ". . d ## . . .", ". . d . . . .")
    replay(one, Witness((first, apart[0])))
    with pytest.raises(BrokenWitnessError, match="step 3: the dot's wizard is not at hand"):
        replay(board, Witness((first, *apart)))


def test_a_wizards_cross_is_checked_against_its_time(short_book: None) -> None:
    board = board_of(". . c c . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    checked, other = Step(((1, 2), (1, 3))), Step(((2, 4), (2, 5)))
    replay(board, Witness((other, checked), wizard=(2, 4)))
    with pytest.raises(BrokenWitnessError, match="came before its shield"):
        replay(board, Witness((checked, other), wizard=(2, 4)))
    none = board_of(". . f f . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    with pytest.raises(BrokenWitnessError, match="never won"):
        replay(none, Witness((other, checked), wizard=(2, 4)))


def test_one_of_several_shields_is_blamed_for_a_missing_bonus() -> None:
    board = board_of(". . . d+++ d+++ . .", ". . . ## . . .", EMPTY_ROW)
    (problem,) = audit_map(board, False).problems
    assert (problem.code, len(problem.cells)) == ("bonus_crosses", 1)
    (problem,) = audit_map(board).problems
    assert (problem.code, len(problem.cells)) == ("bonus_crosses", 2)


def test_the_dot_wizard_opens_one_part_only() -> None:
    one = board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . .")
    assert smallest_unreached(Task(one, Bonus(), LAW), 0, True) is None
    two = one.with_shield((1, 0), Shield(Coat.CHECKED)).with_shield((0, 0), Shield(Coat.FILLED))
    proof = smallest_unreached(Task(two, Bonus(), LAW), 0, True)
    assert proof is not None and proof.smallest and proof.cells.bit_count() == 2
    grown = two.with_shield((4, 0), Shield(Coat.LINE)).with_shield((4, 1), Shield(Coat.DOT))
    again = smallest_unreached(Task(grown, Bonus(), LAW), 0, True)
    assert again is not None and again.cells.bit_count() == 2


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
