"""A game of Duel, move by move.

`Game.play` makes a move, or raises IllegalMoveError with the rule that it breaks; nothing has
changed then. `Game.phase` and `Game.to_move` say what the game is waiting for.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from enum import StrEnum
from itertools import product
from operator import contains
from typing import NamedTuple

from kdscan.rules import Cell, IllegalMoveError, require
from kdscan.rules.duel.board import (
    ALL_BITS,
    CASTLE_BITS,
    CELLS,
    DICE,
    NEAR,
    NEAR_BITS,
    Board,
    Coat,
    Face,
    Score,
    Shield,
    cell_of,
    number,
    score_board,
)
from kdscan.rules.duel.spellbook import Spellbook


class Edition(NamedTuple):
    """One printed rulebook.

    obtained: whether a coat without a cross fills a square of the spellbook as soon as the domino
        is made, drawn on the map or not.
    round_more: whether one more round is played after the one in which nobody drew.
    """

    name: str = "english"
    obtained: bool = False
    round_more: bool = False


ENGLISH = Edition()
FRENCH = Edition("french", obtained=True, round_more=True)
POLISH = Edition("polish")

EDITIONS: dict[str, Edition] = {edition.name: edition for edition in (ENGLISH, FRENCH, POLISH)}
"""By name, as the command line spells them."""


class Rule(StrEnum):
    """The rule that a refused move breaks."""

    ORDER = "this is not the move, or the roll, that the game is waiting for"
    TAKING = "A takes one free die, then B takes two"
    DOMINO = "dominoes are drawn on two free shields side by side"
    CONNECTION = "each domino, or die drawn apart, touches the castle or an equal coat drawn before"
    SYMBOL = "draw what your two dice show"
    CASTLE = "the castle's cross is given once, to one of your dice"
    POWER = "a wizard that is won and not yet used helps in his own way only"
    NOTHING = "draw if you can"


class Roll(NamedTuple):
    """Player A rolls the four dice; `faces`: what real dice showed, None for a random roll."""

    faces: tuple[Face, Face, Face, Face] | None = None


class Take(NamedTuple):
    """Take dice by number (0 to 3): A one, or both with the double dot's wizard; B two."""

    dice: tuple[int, ...]


class Turn(NamedTuple):
    """The double line's wizard: turn one of your dice to the face with that number (0 to 5)."""

    die: int
    face: int


class Half(NamedTuple):
    """One die drawn on one shield; `coat` says what a joker became."""

    die: int
    cell: Cell
    coat: Coat


class Draw(NamedTuple):
    """Draw a domino.

    castle: the die that gets the castle's cross, if any.
    power: the wizard called, if any: dot (no connection) or line (dice apart).
    """

    halves: tuple[Half, Half]
    castle: int | None = None
    power: Coat | None = None


class DrawNothing(NamedTuple):
    """Draw nothing, which is only legal if nothing can be drawn."""


class ChooseCoat(NamedTuple):
    """The filled coat's wizard: the coat whose domains are worth 3 points more."""

    coat: Coat


class AddCross(NamedTuple):
    """The checked coat's wizard: one more cross for a shield of your map."""

    cell: Cell


Move = Roll | Take | Turn | Draw | DrawNothing | ChooseCoat | AddCross


BOLTS = (Coat.FILLED, Coat.CHECKED)
"""The wizards whose power must be used at once."""


class Phase(StrEnum):
    """What the game is waiting for."""

    ROLL = "roll"
    TAKE = "take"
    DRAW = "draw"
    BOLT = "bolt"
    OVER = "over"


SLOTS: tuple[tuple[int, int, int, int, int], ...] = tuple(
    ((1 << u) | (1 << v), 1 << u, 1 << v, u, v) for u, near in NEAR.items() for v in near
)
"""Every place for a domino, in both directions: both bits, first bit, second bit, first, second."""

Slot = tuple[int, int]


class Drawing:
    """A map while it is being drawn. `touch[coat]`: the shields beside that coat."""

    __slots__ = ("castle_used", "coats", "crosses", "filled", "touch")

    def __init__(self) -> None:
        self.coats: dict[int, Coat] = {}
        self.crosses: dict[int, int] = {}
        self.filled = 0
        self.touch: dict[Coat, int] = dict.fromkeys(Coat, CASTLE_BITS)
        self.castle_used = False

    def slots(self, first: Coat, second: Coat) -> list[Slot]:
        """Where the domino may go, with `first` on the first cell of each result."""
        filled, a, b = self.filled, self.touch[first], self.touch[second]
        return [
            (u, v)
            for both, bit_u, bit_v, u, v in SLOTS
            if not both & filled and (bit_u & a or bit_v & b)
        ]

    def free_slots(self) -> list[Slot]:
        """Every pair of free adjacent shields, whatever they touch."""
        filled = self.filled
        return [(u, v) for both, _, _, u, v in SLOTS if not both & filled]

    def draw(self, halves: Iterable[tuple[int, Coat, int]]) -> None:
        """Draw (cell, coat, crosses) for each half; nothing is checked here."""
        for i, coat, crosses in halves:
            self.coats[i] = coat
            self.crosses[i] = crosses
            self.filled |= 1 << i
            self.touch[coat] |= NEAR_BITS[i]

    def board(self) -> Board:
        """The map as it stands."""
        return Board({cell_of(i): Shield(c, self.crosses[i]) for i, c in self.coats.items()})


class Game:
    """A game between players 0 and 1; player 0 is A in the first round.

    edition: the rulebook that applies.
    rng: source of rolls if `Roll` has no faces.
    """

    def __init__(self, edition: Edition = ENGLISH, rng: random.Random | None = None) -> None:
        self.edition = edition
        self.rng = rng or random.Random()
        self.drawings = (Drawing(), Drawing())
        self.spellbook = Spellbook.blank()
        self.rounds = 0
        self.player_a = 0
        self.phase = Phase.ROLL
        self.to_move = 0
        self.faces: list[Face] = []
        self.hands: tuple[list[int], list[int]] = ([], [])
        self.history: list[tuple[int, Move]] = []
        self._counted: tuple[list[Coat], list[Coat]] = ([], [])
        self._drew = [False, False]
        self._idle_before = False
        self._bolts: list[tuple[int, Coat]] = []
        self._book_turns: list[int] = []

    # State

    @property
    def player_b(self) -> int:
        return 1 - self.player_a

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def maps(self) -> tuple[Board, Board]:
        return self.drawings[0].board(), self.drawings[1].board()

    @property
    def castle_used(self) -> tuple[bool, bool]:
        return self.drawings[0].castle_used, self.drawings[1].castle_used

    @property
    def bolt(self) -> Coat:
        """The wizard whose power must be used now; only in the bolt phase."""
        return self._bolts[0][1]

    @property
    def free_dice(self) -> list[int]:
        """Dice of this round that nobody has taken."""
        return [die for die in range(len(self.faces)) if die not in self.hands[0] + self.hands[1]]

    def scores(self) -> tuple[Score, Score]:
        """Both maps' scores as they stand, the filled wizard's points included."""
        book, (first, second) = self.spellbook, self.maps
        return score_board(first, book.chosen_by(0)), score_board(second, book.chosen_by(1))

    def coats_of(self, die: int) -> tuple[Coat, ...]:
        """What that die can be drawn as: its coat, or any for a joker."""
        coat = self.faces[die].coat
        return tuple(Coat) if coat is None else (coat,)

    # Moves

    def play(self, move: Move) -> None:
        """Make a move for the player whose turn it is, or raise IllegalMoveError."""
        player, hand = self.to_move, self.hands[self.to_move]
        match self.phase, move:
            case Phase.ROLL, Roll(faces):
                if faces is None:
                    one, two, three, four = (self.rng.choice(die) for die in DICE)
                    faces = one, two, three, four
                possible = len(faces) == len(DICE) and all(map(contains, DICE, faces))
                require(possible, Rule.ORDER)
                move = Roll(faces)
                self.rounds += 1
                self.faces, self.hands, self._counted = list(faces), ([], []), ([], [])
                self._drew = [False, False]
                self.phase, self.to_move = Phase.TAKE, self.player_a
            case Phase.TAKE, Take(dice):
                first = player == self.player_a
                free = len(set(dice)) == len(dice) and set(dice) <= set(self.free_dice)
                require(free, Rule.TAKING)
                both = first and len(dice) == 2
                require(not both or self.spellbook.ready(player, Coat.DOUBLE_DOT), Rule.POWER)
                require(both or len(dice) == (1 if first else 2), Rule.TAKING)
                hand.extend(dice)
                if both:
                    self.spellbook.use(player, Coat.DOUBLE_DOT)
                if first and not both:
                    self.to_move = self.player_b
                else:
                    self.hands[1 - player].extend(self.free_dice)
                    self.phase, self.to_move = Phase.DRAW, self.player_a
            case Phase.DRAW, Turn(die, face):
                require(self.spellbook.ready(player, Coat.DOUBLE_LINE), Rule.POWER)
                require(die in hand and face in range(len(DICE[die])), Rule.POWER)
                self.spellbook.use(player, Coat.DOUBLE_LINE)
                self.faces[die] = DICE[die][face]
            case Phase.DRAW, Draw() as draw:
                self._draw(player, draw)
            case Phase.DRAW, DrawNothing():
                pairs = product(*map(self.coats_of, hand))
                require(not any(self.drawings[player].slots(*pair) for pair in pairs), Rule.NOTHING)
                self._end_turn(player, list(hand))
            case Phase.BOLT, (ChooseCoat() | AddCross()):
                if isinstance(move, ChooseCoat):
                    require(self.bolt is Coat.FILLED, Rule.POWER)
                    self.spellbook.chosen_coat = move.coat
                else:
                    drawing, i = self.drawings[player], number(move.cell)
                    drawn = move.cell in CELLS and i in drawing.coats
                    require(drawn and self.bolt is Coat.CHECKED, Rule.POWER)
                    drawing.crosses[i] += 1
                self.spellbook.use(*self._bolts.pop(0))
                self._write_book()
            case _:
                raise IllegalMoveError(Rule.ORDER)
        self.history.append((player, move))

    def _draw(self, player: int, move: Draw) -> None:
        drawing, power = self.drawings[player], move.power
        dice, cells = [half.die for half in move.halves], [half.cell for half in move.halves]
        require(sorted(dice) == sorted(self.hands[player]), Rule.SYMBOL)
        require(all(half.coat in self.coats_of(half.die) for half in move.halves), Rule.SYMBOL)
        if move.castle is not None:
            require(move.castle in dice and not drawing.castle_used, Rule.CASTLE)
        require(all(cell in CELLS for cell in cells), Rule.DOMINO)
        u, v = map(number, cells)
        require(u != v and not (1 << u | 1 << v) & drawing.filled, Rule.DOMINO)
        if power is not None:
            helps = power in (Coat.DOT, Coat.LINE) and self.spellbook.ready(player, power)
            require(helps, Rule.POWER)
        joined = [bool(1 << number(half.cell) & drawing.touch[half.coat]) for half in move.halves]
        if power is Coat.LINE:
            require(all(joined), Rule.CONNECTION)
        else:
            require(v in NEAR[u], Rule.DOMINO)
            require(power is not None or any(joined), Rule.CONNECTION)
        if move.castle is not None:
            drawing.castle_used = True
        if power is not None:
            self.spellbook.use(player, power)
        drawing.draw(
            (number(half.cell), half.coat, self.faces[half.die].crosses + (half.die == move.castle))
            for half in move.halves
        )
        self._drew[player] = True
        self._end_turn(player, [die for die in dice if die != move.castle])

    def _end_turn(self, player: int, dice: list[int]) -> None:
        """The next player draws, or squares are filled for the coats of these dice."""
        if self._drew[player] or self.edition.obtained:
            faces = (self.faces[die] for die in dice)
            plain = (face.coat for face in faces if face.coat and not face.crosses)
            self._counted[player].extend(plain)
        if player == self.player_a:
            self.to_move = self.player_b
        else:
            self._book_turns = [self.player_a, self.player_b]
            self._write_book()

    def _write_book(self) -> None:
        """Fill squares, A first; stop when a power must be used at once."""
        while self._book_turns and not self._bolts:
            player = self._book_turns.pop(0)
            won = [coat for coat in self._counted[player] if self.spellbook.fill(player, coat)]
            self._bolts = [(player, coat) for coat in BOLTS if coat in won]
        if self._bolts:
            self.phase, self.to_move = Phase.BOLT, self._bolts[0][0]
            return
        idle = not any(self._drew)
        ended = self._idle_before if self.edition.round_more else idle
        self._idle_before = idle
        if ended or any(drawing.filled == ALL_BITS for drawing in self.drawings):
            self.phase = Phase.OVER
            return
        self.player_a = self.player_b
        self.phase, self.to_move = Phase.ROLL, self.player_a
