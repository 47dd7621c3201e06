"""Duel move by move. Quotations name the rulebook (seed) that they come from."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from kdscan.game.duel.board import CELLS
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE, SQUARES, Face
from kdscan.game.duel.drawing import number
from kdscan.game.duel.editions import EDITIONS, ENGLISH, FRENCH, POLISH, Edition, Shading
from kdscan.game.duel.greedy import greedy_player
from kdscan.game.duel.moves import (
    AddCross,
    ChooseCoat,
    Draw,
    DrawNothing,
    Half,
    IllegalMoveError,
    Move,
    Roll,
    Rule,
    Take,
    Turn,
)
from kdscan.game.duel.play import Game, Phase, unhelped_draws
from kdscan.game.duel.players import play_game, random_board, random_game, random_player
from kdscan.game.grid import Cell
from tests.game.boards import seeds

JOKER = Face(None)


def face(text: str) -> Face:
    return Face.parse(text)


def roll(game: Game, *faces: str) -> None:
    one, two, three, four = (face(text) for text in faces)
    game.play(Roll((one, two, three, four)))


def drawing(
    one: tuple[int, Cell, Coat],
    two: tuple[int, Cell, Coat],
    castle: int | None = None,
    power: Coat | None = None,
) -> Draw:
    return Draw((Half(*one), Half(*two)), castle, power)


def phase_of(game: Game) -> Phase:
    """What the game waits for; a call, so that type checkers expect it to change."""
    return game.phase


def bolt_of(game: Game) -> Coat:
    """The bolt that waits; a call, so that type checkers expect it to change."""
    return game.bolt


def started(*faces: str, edition: Edition = ENGLISH) -> Game:
    """Player 0 is A and holds dice 0 and 1, player 1 holds 2 and 3."""
    game = Game(edition, random.Random(1))
    roll(game, *(faces or ("dot:0", "line:0", "filled:2", "line:1")))
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    return game


def refused(game: Game, move: Move, rule: Rule, message: str = "") -> None:
    before = (game.phase, game.to_move, game.maps, game.spellbook, len(game.history))
    with pytest.raises(IllegalMoveError) as caught:
        game.play(move)
    assert caught.value.rule is rule
    assert message in str(caught.value)
    assert str(caught.value).startswith(rule.value)
    assert (game.phase, game.to_move, game.maps, game.spellbook, len(game.history)) == before


A_DRAW = drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.LINE))
B_DRAW = drawing((2, (1, 3), Coat.FILLED), (3, (0, 3), Coat.LINE))


# Data


def test_the_dice_are_those_of_the_data_file() -> None:
    assert [len(die) for die in DICE] == [6, 6, 6, 6]
    assert sum(face.joker for die in DICE for face in die) == 2
    assert str(DICE[0][2]) == "double_line:1" and str(JOKER) == "?"
    assert face("?") == JOKER
    assert sum(SQUARES.values()) == 24


def test_editions_differ_where_their_rulebooks_do() -> None:
    assert EDITIONS == {"english": ENGLISH, "french": FRENCH, "polish": POLISH}
    assert ENGLISH.squares != FRENCH.squares and ENGLISH.end != FRENCH.end
    assert POLISH.shading is FRENCH.shading is Shading.DIFFERENT
    assert POLISH.squares == ENGLISH.squares and POLISH.end == ENGLISH.end


# 1. Rolling the dice; 2. Setting up dominoes


def test_a_takes_one_die_b_two_and_a_the_last() -> None:
    """Seed 002: "The player A chooses one die from the 4. The Player B chooses 2 from the 3
    left and then the player A takes the remaining die."""
    game = Game(rng=random.Random(1))
    refused(game, Take((0,)), Rule.ORDER, "Take came in the phase 'roll'")
    game.play(Roll())
    assert phase_of(game) is Phase.TAKE and game.to_move == 0 and len(game.faces) == 4
    assert all(shown in die for shown, die in zip(game.faces, DICE, strict=True))
    refused(game, Roll(), Rule.ORDER)
    refused(game, Take((0, 1)), Rule.POWER, "double dot's wizard")
    refused(game, Take(()), Rule.TAKING, "A takes one die")
    refused(game, Take((4,)), Rule.TAKING, "not free")
    game.play(Take((3,)))
    assert game.free_dice == [0, 1, 2]
    refused(game, Take((3, 0)), Rule.TAKING, "not free")
    refused(game, Take((0, 0)), Rule.TAKING, "not free")
    refused(game, Take((0,)), Rule.TAKING)
    refused(game, Take((0, 1, 2)), Rule.TAKING)
    game.play(Take((0, 2)))
    assert game.hands == ([3, 1], [0, 2])
    assert phase_of(game) is Phase.DRAW and game.to_move == 0


def test_real_dice_can_be_told_but_not_made_up() -> None:
    game = Game()
    with pytest.raises(IllegalMoveError, match="can't show"):
        roll(game, "checked:0", "checked:0", "dot:0", "?")
    roll(game, "?", "checked:0", "dot:0", "?")
    assert game.faces == [JOKER, face("checked:0"), face("dot:0"), JOKER]
    assert game.history == [(0, Roll(tuple(game.faces)))]  # type: ignore[arg-type]


# 3. Filling in the map


def test_the_first_domino_touches_the_castle() -> None:
    """Seed 002: "Connect one of the symbols on your domino to the central castle space"."""
    game = started()
    far = drawing((0, (0, 0), Coat.DOT), (1, (0, 1), Coat.LINE))
    refused(game, far, Rule.CONNECTION, "castle or an equal coat")
    diagonal = drawing((0, (1, 2), Coat.DOT), (1, (0, 2), Coat.LINE))
    refused(game, diagonal, Rule.CONNECTION)
    game.play(A_DRAW)
    assert str(game.maps[0]).split()[9:11] == ["l", "d"]
    assert game.to_move == 1


def test_a_domino_lies_on_two_free_shields_side_by_side() -> None:
    game = started()
    dot, line = Coat.DOT, Coat.LINE
    for one, two in (
        ((1, 3), (1, 1)),
        ((1, 3), (1, 3)),
        ((1, 3), (2, 3)),
        ((0, 3), (-1, 3)),
        ((1, 6), (1, 7)),
        ((4, 3), (5, 3)),
    ):
        refused(game, drawing((0, one, dot), (1, two, line)), Rule.DOMINO)


def test_what_is_drawn_is_what_the_dice_show() -> None:
    game = started()
    refused(
        game,
        drawing((0, (1, 3), Coat.DOT), (2, (1, 2), Coat.FILLED)),
        Rule.SYMBOL,
        "your domino is made of",
    )
    refused(
        game,
        drawing((0, (1, 3), Coat.LINE), (1, (1, 2), Coat.LINE)),
        Rule.SYMBOL,
        "shows dot:0, not line",
    )
    game.play(A_DRAW)
    game.play(B_DRAW)
    assert game.maps[1][1, 3].crosses == 2 and game.maps[1][0, 3].crosses == 1


def test_a_later_domino_may_touch_an_equal_coat_of_an_earlier_round() -> None:
    game = started()
    game.play(A_DRAW)
    game.play(B_DRAW)
    assert game.player_a == 1 and game.to_move == 1 and game.rounds == 1
    roll(game, "dot:0", "line:0", "dot:0", "line:0")
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    game.play(drawing((0, (3, 3), Coat.DOT), (1, (3, 2), Coat.LINE)))
    wrong = drawing((2, (1, 1), Coat.DOT), (3, (1, 0), Coat.LINE))
    refused(game, wrong, Rule.CONNECTION)
    game.play(drawing((2, (1, 0), Coat.DOT), (3, (1, 1), Coat.LINE)))
    assert len(game.maps[0]) == 4


def test_a_joker_is_any_coat_and_fills_no_square() -> None:
    """Seed 002: "Question marks do not allow the player to fill in a square"."""
    game = started("?", "line:0", "filled:2", "line:1")
    game.play(drawing((0, (1, 3), Coat.CHECKED), (1, (1, 2), Coat.LINE)))
    game.play(B_DRAW)
    lines = game.spellbook.lines[0]
    assert (lines[Coat.CHECKED].filled, lines[Coat.LINE].filled) == (0, 1)
    assert all(line.filled == 0 for line in game.spellbook.lines[1].values())


def test_who_can_draw_must() -> None:
    game = started()
    refused(game, DrawNothing(), Rule.NOTHING, "fits on your map")
    assert len(list(unhelped_draws(game))) == 24
    assert A_DRAW in list(unhelped_draws(game))


# The castle's bonus


def test_the_castle_adds_a_cross_once_and_its_die_fills_no_square() -> None:
    """Seed 002: "Once per game, you can add one cross to one of the 2 dice you have chosen
    ... (the die in question cannot be used to fill in the spellbook)."""
    game = started()
    refused(game, Draw(A_DRAW.halves, castle=2), Rule.CASTLE, "not one of your")
    game.play(Draw(A_DRAW.halves, castle=0))
    game.play(Draw(B_DRAW.halves, castle=2))
    assert game.castle_used == (True, True)
    assert game.maps[0][1, 3].crosses == 1 and game.maps[0][1, 2].crosses == 0
    assert game.maps[1][1, 3].crosses == 3
    assert game.spellbook.lines[0][Coat.DOT].filled == 0
    assert game.spellbook.lines[0][Coat.LINE].filled == 1
    roll(game, "dot:0", "line:0", "dot:0", "line:0")
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    second = drawing((0, (3, 3), Coat.DOT), (1, (3, 2), Coat.LINE))
    refused(game, Draw(second.halves, castle=0), Rule.CASTLE, "once a game")


def test_the_castle_may_bless_a_joker_where_the_edition_says_so() -> None:
    """Seed 002: "even if you rolled a question mark"; seed 000: "nawet jeżeli na tej kości
    znajduje się znak zapytania"."""
    silent = Edition("house", castle_on_joker=False)
    blessed = drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.LINE), castle=0)
    faces = ("?", "line:0", "filled:2", "line:1")
    refused(started(*faces, edition=silent), blessed, Rule.CASTLE, "joker")
    game = started(*faces)
    game.play(blessed)
    assert game.maps[0][1, 3].crosses == 1


# 4. Filling in the spellbook; the wizards


def won(game: Game, player: int, *coats: Coat) -> Game:
    """Let a player have filled those lines already."""
    for coat in coats:
        while not game.book.fill(player, coat):
            pass
    return game


def last_square(game: Game, player: int, coat: Coat) -> None:
    while game.book.filled[player][coat] < SQUARES[coat] - 1:
        game.book.fill(player, coat)


def test_in_one_round_a_fills_first_and_b_strikes_the_line() -> None:
    """Seed 002: "if both players finish a line on the same turn, then Player A is considered
    to have completed the line before Player B."""
    game = started("dot:0", "line:0", "dot:0", "line:0")
    for player in (0, 1):
        last_square(game, player, Coat.DOT)
    game.play(A_DRAW)
    game.play(drawing((2, (1, 3), Coat.DOT), (3, (0, 3), Coat.LINE)))
    book = game.spellbook
    assert book.owner(Coat.DOT) == 0 and book.owner(Coat.LINE) is None
    assert book.lines[1][Coat.DOT].struck and book.lines[1][Coat.DOT].filled == 4
    assert not book.lines[0][Coat.DOT].struck and not book.lines[0][Coat.DOT].used


def test_the_dot_wizard_draws_without_connection_once() -> None:
    game = won(started(), 0, Coat.DOT)
    far = drawing((0, (0, 0), Coat.DOT), (1, (0, 1), Coat.LINE), power=Coat.DOT)
    apart = drawing((0, (0, 0), Coat.DOT), (1, (4, 6), Coat.LINE), power=Coat.DOT)
    refused(game, apart, Rule.DOMINO)
    game.play(far)
    assert game.spellbook.lines[0][Coat.DOT].used
    mine = drawing((2, (0, 0), Coat.FILLED), (3, (0, 1), Coat.LINE), power=Coat.DOT)
    refused(game, mine, Rule.POWER, "not yours, or used up")


def test_the_line_wizard_draws_dice_apart_each_connected() -> None:
    """Seed 002: "You can separate your dice to fill in your map. Each die must respect the
    Connection Rules."""
    game = started()
    apart = drawing((0, (1, 3), Coat.DOT), (1, (3, 3), Coat.LINE), power=Coat.LINE)
    refused(game, apart, Rule.POWER, "not yours")
    won(game, 0, Coat.LINE)
    loose = drawing((0, (1, 3), Coat.DOT), (1, (0, 3), Coat.LINE), power=Coat.LINE)
    refused(game, loose, Rule.CONNECTION, "each die")
    refused(game, Draw(A_DRAW.halves, power=Coat.FILLED), Rule.POWER, "doesn't help")
    game.play(apart)
    assert set(game.maps[0]) == {(1, 3), (3, 3)}


def test_the_double_dot_wizard_takes_both_dice_at_once() -> None:
    game = won(Game(), 0, Coat.DOUBLE_DOT)
    roll(game, "dot:0", "line:0", "dot:0", "line:0")
    game.play(Take((1, 3)))
    assert game.hands == ([1, 3], [0, 2]) and phase_of(game) is Phase.DRAW
    assert game.spellbook.lines[0][Coat.DOUBLE_DOT].used


def test_the_double_line_wizard_turns_a_die() -> None:
    game = started()
    refused(game, Turn(0, 2), Rule.POWER, "needs the double line's wizard")
    won(game, 0, Coat.DOUBLE_LINE)
    refused(game, Turn(2, 2), Rule.POWER, "not yours to turn")
    refused(game, Turn(0, 6), Rule.POWER, "no face 6")
    refused(game, Turn(0, -1), Rule.POWER, "no face -1")
    game.play(Turn(0, 2))
    assert game.faces[0] == face("double_line:1")
    refused(game, Turn(0, 1), Rule.POWER)
    game.play(drawing((0, (1, 3), Coat.DOUBLE_LINE), (1, (1, 2), Coat.LINE)))


def test_bolts_are_cast_at_once_a_first() -> None:
    """Seed 002: the two powers with a lightning bolt "must be played IMMEDIATELY"."""
    game = started("dot:0", "checked:0", "dot:0", "?")
    last_square(game, 0, Coat.CHECKED)
    game.book.filled[0][Coat.FILLED] = 2
    game.play(drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.CHECKED)))
    game.play(drawing((2, (1, 3), Coat.DOT), (3, (0, 3), Coat.LINE)))
    assert phase_of(game) is Phase.BOLT and game.to_move == 0 and bolt_of(game) is Coat.CHECKED
    refused(game, ChooseCoat(Coat.DOT), Rule.POWER, "acts now")
    refused(game, AddCross((0, 3)), Rule.POWER, "holds no coat")
    refused(game, AddCross((0, 9)), Rule.POWER, "holds no coat")
    refused(game, Roll(), Rule.ORDER)
    game.play(AddCross((1, 3)))
    assert game.maps[0][1, 3].crosses == 1
    assert phase_of(game) is Phase.ROLL and game.spellbook.lines[0][Coat.CHECKED].used


def test_two_bolts_in_one_round_and_then_the_other_player() -> None:
    game = started("?", "filled:0", "checked:2", "dot:1")
    last_square(game, 0, Coat.FILLED)
    game.play(drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.FILLED)))
    game.play(drawing((2, (1, 3), Coat.CHECKED), (3, (0, 3), Coat.DOT)))
    assert bolt_of(game) is Coat.FILLED
    game.play(ChooseCoat(Coat.DOT))
    book = game.spellbook
    assert (book.chosen_coat, book.chosen_by(0), book.chosen_by(1)) == (Coat.DOT, Coat.DOT, None)
    assert [score.wizard for score in game.scores()] == [3, 0]


def test_both_bolts_at_once() -> None:
    game = started("dot:0", "filled:0", "dot:0", "line:0")
    last_square(game, 0, Coat.FILLED)
    last_square(game, 0, Coat.CHECKED)
    game.play(drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.FILLED)))
    game._counted[0].append(Coat.CHECKED)
    game.play(drawing((2, (1, 3), Coat.DOT), (3, (0, 3), Coat.LINE)))
    assert bolt_of(game) is Coat.FILLED
    game.play(ChooseCoat(Coat.LINE))
    assert phase_of(game) is Phase.BOLT and bolt_of(game) is Coat.CHECKED
    game.play(AddCross((1, 2)))
    assert phase_of(game) is Phase.ROLL


# The end


def fill(game: Game, player: int, *left: Cell) -> None:
    """Fill a map with checked coats but for those cells."""
    cells = [cell for cell in CELLS if cell not in left]
    game.drawings[player].draw((number(cell), Coat.CHECKED, 0) for cell in cells)


def test_the_game_ends_when_a_map_is_full() -> None:
    game = started()
    fill(game, 0, (1, 3), (1, 2))
    game.play(A_DRAW)
    assert phase_of(game) is not Phase.OVER
    game.play(B_DRAW)
    assert phase_of(game) is Phase.OVER and len(game.maps[0]) == 34
    refused_over(game)


def refused_over(game: Game) -> None:
    with pytest.raises(IllegalMoveError, match="phase 'over'"):
        game.play(Roll())


def test_the_game_ends_when_nobody_draws_this_round() -> None:
    """Seed 002: "No players are able to place their domino this turn."""
    game = started()
    fill(game, 0, (0, 0), (0, 1))
    fill(game, 1, (0, 0), (0, 1))
    game.play(DrawNothing())
    game.play(DrawNothing())
    assert phase_of(game) is Phase.OVER
    assert all(line.filled == 0 for lines in game.spellbook.lines for line in lines.values())


def test_the_french_game_goes_on_for_a_round_and_counts_what_was_not_drawn() -> None:
    """Seed 003: "Au tour précédent, aucun des deux joueurs n'a placé son domino"; "à chaque
    fois que vous obtenez une face Blason sans croix"."""
    game = started("dot:0", "line:0", "filled:2", "line:0", edition=FRENCH)
    fill(game, 0, (0, 0), (0, 1))
    fill(game, 1, (0, 0), (0, 1))
    game.play(DrawNothing())
    game.play(DrawNothing())
    assert phase_of(game) is not Phase.OVER
    first, second = game.spellbook.lines
    assert (first[Coat.DOT].filled, first[Coat.LINE].filled) == (1, 1)
    assert (second[Coat.FILLED].filled, second[Coat.LINE].filled) == (0, 1)
    roll(game, "?", "checked:0", "filled:2", "line:1")
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    game.play(drawing((0, (0, 0), Coat.CHECKED), (1, (0, 1), Coat.CHECKED)))
    game.play(DrawNothing())
    assert phase_of(game) is Phase.OVER


def test_one_player_may_go_on_alone() -> None:
    game = started()
    fill(game, 0, (0, 0), (0, 1))
    game.play(DrawNothing())
    game.play(B_DRAW)
    assert phase_of(game) is not Phase.OVER


# Players


@given(seeds)
@settings(max_examples=20)
def test_players_finish_lawful_games(seed: int) -> None:
    rng = random.Random(seed)
    edition = rng.choice(tuple(EDITIONS.values()))
    who = rng.choice(((random_player, random_player), (greedy_player, random_player)))
    game = play_game(seed, who, edition)
    assert phase_of(game) is Phase.OVER
    for player in (0, 1):
        board = game.maps[player]
        assert len(board) % 2 == 0
        assert max(shield.crosses for shield in board.values()) <= 4
    book = game.spellbook
    for coat in Coat:
        assert sum(lines[coat].filled >= SQUARES[coat] for lines in book.lines) <= 1


def test_equal_seeds_play_equal_games() -> None:
    assert random_game(5).history == random_game(5).history
    assert random_game(5).maps != random_game(6).maps
    assert play_game(5, rounds=3).rounds == 3


def test_a_silent_edition_keeps_the_castle_off_jokers() -> None:
    silent = Edition("house", castle_on_joker=False)
    for player in (random_player, greedy_player):
        for seed in range(25):
            game = play_game(seed, (player, player), silent)
            assert phase_of(game) is Phase.OVER


def test_greed_beats_chance() -> None:
    wins = 0
    for seed in range(20):
        first, second = play_game(seed, (greedy_player, random_player)).scores()
        wins += first.total > second.total
    assert wins >= 17


def test_random_boards_are_finished_or_not() -> None:
    rng = random.Random(2)
    sizes = set()
    for _ in range(60):
        board, castle = random_board(rng)
        assert castle in (True, False)
        sizes.add(len(board))
    assert min(sizes) < 20 and max(sizes) >= 32
