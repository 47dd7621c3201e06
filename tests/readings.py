"""Hand-made readings, for the tests of everything that follows the pixels."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

import numpy as np

from kdscan.imaging.picture import RectifiedSheet
from kdscan.marks.boards import DEFAULT_RISK, CellReading, decode
from kdscan.marks.network import MarkProbs
from kdscan.rules import Problem
from kdscan.rules.duel.board import (
    CELLS,
    COATS,
    COLS,
    MAX_CROSSES,
    ROWS,
    SQUARES,
    Board,
    Coat,
    Marks,
    score_board,
)
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.spellbook import BookPlace, Spellbook
from kdscan.rules.kingdomino.kingdom import PLAIN, SQUARE_CLASSES, Kingdom, SquareKind, Variants
from kdscan.sheets.base import AnyReading
from kdscan.sheets.duel_map.model import MapEvidence, MapReading
from kdscan.sheets.kingdom.interpret import decode_kingdoms
from kdscan.sheets.kingdom.model import KingdomEvidence, KingdomReading
from kdscan.sheets.spellbook.interpret import interpret
from kdscan.sheets.spellbook.model import BookMark, SpellbookEvidence, SpellbookReading
from kdscan.sheets.table import apply_spellbook

BOARD = """
d+  d   dd  l   l+  f++ .
ll  d   dd+ l   f   f   c
ll+ ll  dd  ##  f   c   c++
l   l   d   d   d+  c   dd
f   l+  .   d   ll  ll  dd+
"""


def logit(p: float) -> float:
    """Natural log odds."""
    inside = min(max(p, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


def make_sheet(
    board: str = BOARD,
    doubtful: Collection[tuple[int, int]] = (),
    *,
    confidence: float = 0.97,
    castle_used: bool | None = True,
    problems: tuple[Problem, ...] = (),
    origin_xy: tuple[float, float] = (100.0, 120.0),
    pitch: float = 80.0,
) -> MapReading:
    """A sheet that lies straight in the photo; doubtful cells may be one cross more."""
    shields = Board.parse(board)
    coat = np.zeros((len(CELLS), len(COATS)))
    crosses = np.zeros((len(CELLS), MAX_CROSSES + 1))
    cells = []
    for n, cell in enumerate(CELLS):
        shield = shields.get(cell)
        held: Marks = (shield.coat, shield.crosses) if shield else (None, 0)
        doubt = cell in doubtful
        coat[n, COATS.index(held[0])] = 1
        crosses[n, held[1]] = 0.7 if doubt else 1
        if doubt:
            crosses[n, held[1] + 1] = 0.3
        sure = 0.7 if doubt else 0.999
        cells.append(CellReading(cell, held, sure, doubt))
    probs = MarkProbs(coat, crosses, 0.9, 0.99)
    slip = logit(confidence) - logit(decode(probs).confidence)
    probs = replace(probs, calibration=np.array([1.0, slip]))  # so that it is read as sure as that
    x, y = np.meshgrid(np.arange(COLS), np.arange(ROWS))
    centers = np.dstack([x, y]) * pitch + np.array(origin_xy) + pitch / 2
    corners = np.array([(0, 0), (COLS, 0), (COLS, ROWS), (0, ROWS)]) * pitch + np.array(origin_xy)
    rectified = RectifiedSheet(
        np.full((ROWS * 16, COLS * 16, 3), 200, np.uint8), centers, corners, pitch, 0.99
    )
    score = score_board(shields)
    return MapReading(
        MapEvidence(rectified, probs, "kdscan-a5"),
        confidence,
        bool(doubtful),
        problems,
        tuple(cells),
        score,
        ((score.domain_points, confidence),),
        board=shields,
        castle_used=castle_used,
        alone=confidence,
    )


KINGDOM = """
w+  w   f   f   l
w   w   f+  l+  l
g   s+  ##  l   .
g++ s   m+  m   .
g   w   w   w   w
"""


def make_kingdom(
    text: str = KINGDOM,
    doubtful: Mapping[tuple[int, int], SquareKind] | None = None,
    *,
    variants: Variants = PLAIN,
    placed: float = 1.0,
    pitch: float = 80.0,
    origin_xy: tuple[float, float] = (100.0, 120.0),
) -> KingdomReading:
    """A kingdom that lies straight in the photo; each of `doubtful` may as well be that kind."""
    said = Kingdom.parse(text)
    rows, cols = said.shape
    probs = np.zeros((rows, cols, len(SQUARE_CLASSES)))
    for row, col in np.ndindex(rows, cols):
        square = said.squares.get((row, col))
        kind = (square.terrain.value, square.crowns) if square else ("empty", 0)
        if (row, col) == said.castle:
            kind = ("castle", 0)
        probs[row, col, SQUARE_CLASSES.index(kind)] = 1
        if doubtful and (row, col) in doubtful:
            probs[row, col, SQUARE_CLASSES.index(kind)] = 0.6
            probs[row, col, SQUARE_CLASSES.index(doubtful[row, col])] = 0.4
    x, y = np.meshgrid(np.arange(cols), np.arange(rows))
    centers = np.dstack([x, y]) * pitch + np.array(origin_xy) + pitch / 2
    corners = np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)]) * pitch + np.array(origin_xy)
    picture = np.full((rows * 16, cols * 16, 3), 200, np.uint8)
    flat = RectifiedSheet(picture, centers, corners, pitch, placed)
    return decode_kingdoms([KingdomEvidence(flat, probs, variants)])[0]


PAGE = np.array([(0.0, 0), (200, 0), (200, 140), (0, 140)])


def make_book(
    book: Spellbook, sure: float = 0.9999, doubtful: Mapping[str, float] | None = None
) -> SpellbookReading:
    """A spellbook as it lies in a photo; doubtful: how sure some marks are, by places as text."""
    marks = []

    def add(place: BookPlace, marked: bool, n: int) -> None:
        p = (doubtful or {}).get(str(place), sure)
        at = ((10.0 + 5 * n, 10.0 + n), (30.0 + 5 * n, 10.0 + n))
        marks.append(BookMark(place, at, 4.0, marked, p, str(place) in (doubtful or {})))

    for side, lines in enumerate(book.lines):
        for n, (coat, line) in enumerate(lines.items()):
            for k in range(max(SQUARES[coat], line.filled)):
                add(BookPlace(side, coat, "square", k), k < line.filled, n + k)
            add(BookPlace(side, coat, "used"), line.used, n)
            add(BookPlace(side, coat, "struck"), line.struck, n)
        for n, coat in enumerate(Coat):
            chosen = coat is book.chosen_by(side)
            add(BookPlace(side, coat, "choice"), chosen, n)
    return interpret(SpellbookEvidence("kdscan-a5-spellbook", PAGE, tuple(marks)))


def paid_game(player: int | None = None, seed: int = 0) -> Game:
    """A game in which the wizard of the filled coat pays that player, or anybody."""
    for game in map(play_game, count(seed)):
        paid = [score.wizard for score in game.scores()]
        if max(paid) if player is None else paid[player]:
            return game
    raise AssertionError("no such game")


def make_table(game: Game, doubtful: Mapping[str, float] | None = None) -> tuple[AnyReading, ...]:
    """Both maps and the spellbook of a game as one photo shows them; doubtful: see `make_book`."""
    maps = [make_sheet(str(board), confidence=0.999) for board in game.maps]
    return apply_spellbook((*maps, make_book(game.spellbook, doubtful=doubtful)), DEFAULT_RISK)


Reading_ = TypeVar("Reading_", MapReading, KingdomReading, SpellbookReading)


def with_evidence(found: Reading_, **changes: Any) -> Reading_:
    """The reading of other evidence, itself unchanged: what was seen is not asked again."""
    evidence: Any = replace(found.evidence, **changes)
    return replace(found, evidence=evidence)
