"""Two hands that fill in a spellbook as a simulated game left it.

Each player writes on their own side, often with a pen of their own, and mostly repeats the
same habits. All randomness comes from the generator passed in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kdscan.paper.book import BookLayout, BookLine, BookSide
from kdscan.rules.duel.board import SQUARES, Coat
from kdscan.rules.duel.players import greedy_player, play_game, random_player
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine
from lab.synth.fields import SQUARE, U8, Rng, any_of, plain_random
from lab.synth.hands.dots_and_crosses import dot, draw_cross
from lab.synth.hands.fills import fill
from lab.synth.hands.habits import any_habit
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush
from lab.synth.hands.sketch import Drawing, Hand
from lab.synth.hands.strokes import Path, Pen, line, rounded
from lab.synth.hands.surroundings import soil, stray, word, writing

FILLED = ("fill", "fill", "fill", "x", "x", "x", "slash", "tick", "dot", "scribble")
"""How a square is filled: blackened, crossed, ticked, dotted; weights are a guess."""
STRIKES = ("straight", "straight", "straight", "wobbly", "double", "zigzag", "cross")
"""How a line is struck through."""
USED = ("x", "x", "x", "plus", "tick", "slash", "fill", "scribble")
"""How a circle or a box is marked."""


@dataclass(frozen=True)
class Scribe:
    """One player's habits on the spellbook. in_order: squares are filled from the first one on.
    rest: only the empty squares of a line are struck through, not the whole line."""

    hand: Hand
    square: str
    strike: str
    used: str
    in_order: bool
    rest: bool

    @classmethod
    def random(cls, rng: Rng, hand: Hand | None = None) -> Scribe:
        """Return a random player; with another player's pens if given."""
        return cls(
            hand or Hand.random(rng),
            any_of(rng, FILLED),
            any_of(rng, STRIKES),
            any_of(rng, USED),
            in_order=rng.random() < 0.85,
            rest=rng.random() < 0.3,
        )


@dataclass(frozen=True, eq=False)
class _Side(Drawing):
    """What one player fills in."""

    layout: BookLayout
    scribe: Scribe

    def pen(self, room: float) -> Pen:
        """The player's pen, but no wider than suits something `room` mm wide."""
        return self.hand.pen.between(0, 0.2 * room)

    def ghost(self, at: Path, half: float) -> None:
        """Leave what an eraser left of an earlier mark."""
        pen = self.hand.pen
        if self.rng.random() < (0.06 if pen.kind == "pencil" else 0.005) * self.messiness:
            self.erase(draw_cross(at, 0.8 * half, 4 * half, self.brush(pen), "x"))


def played_book(rng: Rng) -> Spellbook:
    """The spellbook of a game, finished or not."""
    player = greedy_player if rng.random() < 0.3 else random_player
    rounds = 200 if rng.random() < 0.75 else int(rng.integers(1, 17))
    return play_game(plain_random(rng), (player, player), rounds=rounds).spellbook


def wild_book(rng: Rng) -> Spellbook:
    """Random squares, strikes and powers, legal or not, so that rare marks occur often enough."""
    players = []
    share = rng.uniform(0.1, 0.9)
    for _ in range(2):
        lines = {}
        for coat, count in sorted(SQUARES.items(), key=lambda line: -line[1]):
            filled = int((rng.random(count) < share).sum())
            struck, used = rng.random() < 0.5, rng.random() < 0.5
            lines[coat] = SpellbookLine(filled, struck, used)
        players.append(lines)
    chosen = any_of(rng, tuple(Coat)) if rng.random() < 0.7 else None
    return Spellbook((players[0], players[1]), chosen)


def draw_spellbook(
    page_bgr: U8,
    layout: BookLayout,
    book: Spellbook,
    rng: Rng,
    *,
    px_per_mm: float,
    messiness: float = 0.5,
    hands: tuple[Hand, Hand] | None = None,
) -> tuple[U8, dict[str, bool]]:
    """Return a copy of a printed page filled in by two players, and what they marked.

    page_bgr: as in `lab.synth.hands.hand.draw_board`. hands: the two players', if known.
    The second value has the state of each field that can be marked. Its keys are those of
    `kdscan.paper.book.marked_places`, and for each line `players[I].lines.COAT.struck` and
    `....passed[K]`: whether a stroke through the line crosses that square.
    """
    page = page_bgr.copy()
    soil(page, layout.page_mm, rng, px_per_mm, messiness)
    first = Scribe.random(rng, hands[0] if hands else None)
    shares = first.hand if rng.random() < 0.35 else hands[1] if hands else None
    truth: dict[str, bool] = {}
    chooser = book.owner(Coat.FILLED)
    players = [
        _Side(page, scribe.hand, rng, px_per_mm, None, messiness, layout, scribe)
        for scribe in (first, Scribe.random(rng, shares))
    ]
    for i, side in enumerate(players):
        where = f"players[{i}]"
        for row in layout.players[i].lines:
            truth |= _draw_line(side, row, book.lines[i][Coat(row.coat)], f"{where}.lines")
        mine = book.chosen_coat if chooser in (i, None) else None
        if chooser is None and rng.random() < 0.5:  # an unlawful book: either may have chosen
            mine = None
        truth |= _draw_choice(side, layout.players[i], mine, f"{where}.choices")
    _write_around(players[0])
    return page, truth


def _draw_line(side: _Side, row: BookLine, line_: SpellbookLine, where: str) -> dict[str, bool]:
    rng, count = side.rng, len(row.squares)
    order = np.arange(count) if side.scribe.in_order else rng.permutation(count)
    chosen = {int(k) for k in order[: min(line_.filled, count)]}
    for k, square in enumerate(row.squares):
        side.ghost(np.array(square), side.layout.square_mm / 2)
        if k in chosen:
            at = np.array(square)
            half = side.layout.square_mm / 2
            pen = side.pen(half)
            brush = side.brush(pen)
            style = side.scribe.square
            if side.rng.random() < 0.06:
                style = any_of(side.rng, FILLED)
            if style == "fill":
                inset = at + half * brush.near(0.93, 0.06, 0.75, 1.05) * SQUARE
                strokes = fill(inset, brush, brush.pick("fill"))
            elif style == "dot":
                strokes = dot(at, half * brush.near(0.45, 0.15, 0.25, 0.8), "spiral", brush)
            else:
                size = half * brush.near(0.75, 0.15, 0.45, 1.05)
                strokes = draw_cross(at, size, 4 * half, brush, style)
            side.ink(strokes, pen)
    side.ghost(np.array(row.used), side.layout.circle_radius_mm)
    if line_.used:
        _mark(side, np.array(row.used), side.layout.circle_radius_mm)
    passed = _strike(side, row, chosen) if line_.struck else range(0)
    truth = {f"{where}.{row.coat}.squares[{k}]": k in chosen for k in range(count)}
    truth |= {f"{where}.{row.coat}.passed[{k}]": k in passed for k in range(count)}
    return truth | {
        f"{where}.{row.coat}.used": line_.used,
        f"{where}.{row.coat}.struck": line_.struck,
    }


def _draw_choice(side: _Side, part: BookSide, coat: Coat | None, where: str) -> dict[str, bool]:
    for choice in part.choices:
        side.ghost(np.array(choice.center_mm), side.layout.choice_mm / 2)
        if choice.coat == coat:
            _mark(side, np.array(choice.center_mm), side.layout.choice_mm / 2)
    return {f"{where}.{choice.coat}": choice.coat == coat for choice in part.choices}


def _mark(side: _Side, at: Path, reach: float) -> None:
    """Cross a circle or a box."""
    pen = side.pen(reach)
    brush = side.brush(pen)
    style = side.scribe.used
    if side.rng.random() > brush.traits.faithful:
        style = any_habit("cross", False, side.rng)
    side.ink(draw_cross(at, 0.85 * reach, 3 * reach, brush, style), pen)


def _strike(side: _Side, row: BookLine, filled: set[int]) -> range:
    """Strike through a line, all of it or from its first empty square on; returns the squares that
    the stroke crosses."""
    rng, half = side.rng, side.layout.square_mm / 2
    squares, passed = np.array(row.squares, np.float64), range(len(row.squares))
    empty = [k for k in range(len(squares)) if k not in filled]
    if side.scribe.rest and side.scribe.in_order and len(empty) > 1:
        passed = range(min(empty), max(empty) + 1)
        squares = squares[min(empty) : max(empty) + 1]
    along = np.array(row.squares[-1]) - np.array(row.squares[0])
    along = along / max(np.hypot(*along), 1e-9) if along.any() else np.array([1.0, 0.0])
    ends = np.stack([squares[0] - along * half, squares[-1] + along * half])
    reach = rng.normal(0.08, 0.25, 2) * half
    ends = ends + np.outer(reach, along) * [[-1], [1]]
    slip = side.hand.traits.slop * 0.25 * half
    ends[:, 1] += rng.normal(0, 0.1 * half + slip, 2) + rng.normal(0, 0.12 * half)
    pen = side.pen(half)
    brush = side.brush(pen)
    style = side.scribe.strike
    if rng.random() > brush.traits.faithful:
        style = any_of(rng, STRIKES)
    if style == "cross" and side.scribe.square in ("slash", "tick"):
        style = "straight"  # nobody could tell its strokes from filled squares
    side.ink(_struck(ends, half, style, brush), pen)
    return passed


def _struck(ends: Path, half: float, style: str, brush: Brush) -> Strokes:
    rng, traits = brush.rng, brush.traits
    wobble = traits.tremor + (0.12 * half if style == "wobbly" else 0.0)
    if style == "zigzag":
        count = max(6, int(np.hypot(*(ends[1] - ends[0])) / rng.uniform(1.5, 5)))
        t = np.linspace(0, 1, count)[:, None]
        path = ends[0] + t * (ends[1] - ends[0])
        path[:, 1] += np.where(np.arange(count) % 2, 1, -1) * half * rng.uniform(0.4, 0.9, count)
        return [Stroke(rounded(path))]
    if style == "cross":
        up = half * rng.uniform(0.5, 1.0) * np.array([[0, -1.0], [0, 1.0]])
        sides = (ends + up, ends - up)
        return [Stroke(line(a, b, rng, wobble=wobble)) for a, b in sides]
    bow = np.clip(traits.bow, 0, 0.02) * rng.normal(0, 1)
    strokes = [Stroke(line(ends[0], ends[1], rng, wobble=wobble, bow=bow))]
    if style == "double":
        shift = np.array([0, half * rng.uniform(0.2, 0.6)])
        strokes.append(Stroke(line(ends[1] + shift, ends[0] + shift, rng, wobble=wobble)))
    return strokes


def _write_around(side: _Side) -> None:
    """Names on their lines, and occasionally a note in a margin."""
    rng, layout, thin = side.rng, side.layout, side.hand.pen.between(0, 0.6)
    for blank in layout.blanks:
        x, y, w, h = blank.box_mm
        if blank.kind == "line" and rng.random() < 0.7:
            at = np.array([x + 0.3 * w, y + 0.2 * h])
            side.ink(word(at, 0.7 * h, int(rng.integers(3, 8)), rng), thin)
    width, height = layout.page_mm
    for _ in range(rng.poisson(1.2 * side.messiness)):
        top = rng.random() < 0.5
        at = np.array([rng.uniform(0.1, 0.8) * width, rng.uniform(1, 3) if top else height - 6])
        side.ink(writing(at, 0.3 * width, rng.uniform(2.2, 4), rng, side.bank), thin)
    if rng.random() < 0.3 * side.messiness:  # a slip of the pen anywhere
        at = rng.uniform(0.1, 0.9, 2) * layout.page_mm
        side.ink(stray(at, 2.0, rng), thin)
