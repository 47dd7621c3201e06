"""One synthetic photo with its ground truth, from one seed: print, play, draw, photograph."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.formats import jpeg
from kdscan.paper.book import BookLayout, load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import PLAIN, render_page
from kdscan.paper.style import LANGUAGES, NO_TICKET, STYLES, PrintStyle, Ticket
from kdscan.rules.duel.board import CELLS, COLS, ROWS, Board, Coat, Shield, score_board
from kdscan.rules.duel.players import MAX_ROUNDS, play_game
from lab.synth.fields import F32, F64, U8, Rng, Size, any_of, f32, plain_random, u8
from lab.synth.hands.hand import draw_board
from lab.synth.hands.preferences import StrokeBank
from lab.synth.hands.sketch import DrawnPage as DrawnPage
from lab.synth.hands.sketch import Hand
from lab.synth.hands.sketch import Page as Page
from lab.synth.hands.surroundings import soil
from lab.synth.photo.camera import Cover, Level, photograph
from lab.synth.sheets.designs import random_layout, random_style
from lab.synth.sheets.grounds.draw import asked_for
from lab.synth.sheets.page import print_page


def own_page(
    px_per_cell: float = 150,
    look: PrintStyle = PLAIN,
    ticket: Ticket = NO_TICKET,
    name: str = "kdscan-a5",
) -> Page:
    """Our own sheet as it comes out of the printer: layout `name`, in any style and language."""
    layout = load_layout(name)
    px_per_mm = px_per_cell / layout.cell_mm[0]
    return layout, render_page(layout, px_per_mm, look, ticket), px_per_mm


def own_book(px_per_mm: float = 6.25) -> tuple[BookLayout, U8, float]:
    """Our own spellbook, as `own_page`."""
    layout = load_book("kdscan-a5-spellbook")
    return layout, render_page(layout, px_per_mm), px_per_mm


def any_look(rng: Rng) -> PrintStyle:
    """A style and a language at random."""
    style = any_of(rng, STYLES)
    return PrintStyle(any_of(rng, LANGUAGES), style)


@dataclass(frozen=True, eq=False)
class InkedPage:
    """A drawn page, and its ink alone.

    page: the filled page and the blank one, in the same frame.
    on_white_bgr: (H, W, 3) uint8, the drawing on white paper, without print, smudges
        and stains.
    """

    page: DrawnPage
    on_white_bgr: U8

    @property
    def ink(self) -> F32:
        """(H, W) float32, 0..1: the share of light that the ink absorbs, in the channel where it
        absorbs most.

        Erased marks are as faint as they look; correction fluid does not count as ink.
        """
        return f32(1 - self.on_white_bgr.min(2) / np.float32(255))

    def flat(self, picture: NDArray[Any], px_per_cell: int, margin: float) -> NDArray[Any]:
        """A picture of the page, (H, W) or (H, W, 3), cropped to its grid.

        Returns (h, w) or (h, w, 3) of the same dtype: `px_per_cell` pixels per cell across and down
        and `margin` cells around the grid, as in rectified sheets.
        """
        (x, y), (cw, ch) = self.page.layout.grid_mm, self.page.layout.cell_mm
        size = (round((COLS + 2 * margin) * px_per_cell), round((ROWS + 2 * margin) * px_per_cell))
        step = np.array([cw, ch]) * self.page.px_per_mm / px_per_cell
        soft = np.maximum(step, 1)  # of what is made smaller, nothing may fall between pixels
        if soft.max() > 1.01:
            picture = cv2.GaussianBlur(picture, (0, 0), 0.35 * soft[0], sigmaY=0.35 * soft[1])
        origin = np.array([x - margin * cw, y - margin * ch]) * self.page.px_per_mm
        at = origin + 0.5 * step - 0.5
        back = np.array([[step[0], 0, at[0]], [0, step[1], at[1]]])
        return np.asarray(
            cv2.warpAffine(
                picture,
                back,
                size,
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
        )


def inked_page(
    rng: Rng,
    *,
    page: Page | None = None,
    wild: bool = False,
    played: tuple[Board, bool] | None = None,
    messiness: float | None = None,
    strokes: StrokeBank | None = None,
) -> InkedPage:
    """Draw a board on a page as `draw_page` does, and again by the same hand on white paper.

    page: a print, possibly shared by many sheets; random if None. All else is as in `draw_page`;
    the same seed gives the same sheet.
    """
    page, played, hand, messiness = chosen(rng, page, wild, played, messiness)
    layout, blank, px_per_mm = page
    again, dirt, white = deepcopy(rng), deepcopy(rng), np.full_like(blank, 255)
    drawn = draw_board(rng, page, played, hand, messiness, strokes)
    alone = draw_board(again, (layout, white, px_per_mm), played, hand, messiness, strokes).bgr
    soil(white, layout.page_mm, dirt, px_per_mm, messiness)  # as `draw_board` begins
    on_white = u8(cv2.divide(alone, np.maximum(white, 1), scale=255))
    return InkedPage(drawn, on_white)


@dataclass(frozen=True, eq=False)
class SynthPhoto:
    """A photo and its ground truth.

    bgr: (H, W, 3) uint8.
    nodes_xy: (11, 15, 2) float64, photo frame: `NODES`; [1::2, 1::2] are the cells' centres.
    board: what is drawn. castle_used: whether the roof is coloured.
    design: the layout's name. level: how hard the photo is.
    crossed: as of the `DrawnPage`.
    """

    bgr: U8
    nodes_xy: F64
    board: Board
    castle_used: bool
    design: str
    level: Level
    crossed: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))

    @property
    def centers_xy(self) -> F64:
        """(5, 7, 2) float64, photo frame: centres of the cells, the castle's too."""
        return self.nodes_xy[1::2, 1::2]

    def truth(self) -> dict[str, Any]:
        """The ground truth to store beside the photo, as plain JSON values."""
        about = {
            "design": self.design,
            "level": self.level,
            "castle_used": self.castle_used,
            "score": score_board(self.board).domain_points,
        }
        size = [self.bgr.shape[1], self.bgr.shape[0]]
        return about | map_truth(self.board, self.centers_xy) | {"size": size}


def map_truth(board: Board, centers_xy: F64) -> dict[str, Any]:
    """Ground truth of each shield of a map: its marks and its place."""
    return {
        "board": {f"{r},{c}": [str(s.coat), s.crosses] for (r, c), s in board.items()},
        "pixels": {f"{r},{c}": [round(float(v), 1) for v in centers_xy[r, c]] for r, c in CELLS},
    }


def save_photo(path: Path, bgr: U8, truth: Mapping[str, Any], quality: int = 90) -> None:
    """Write a photo (H, W, 3) as JPEG and its ground truth beside it as JSON; makes the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jpeg(bgr, quality))
    path.with_suffix(".json").write_text(json.dumps(truth) + "\n", "utf-8")


def random_board(rng: random.Random) -> tuple[Board, bool]:
    """A map and whether its roof is coloured; three in four are finished, the others mid-game."""
    rounds = MAX_ROUNDS if rng.random() < 0.75 else rng.randint(1, 16)
    game = play_game(rng, rounds=rounds)
    which = rng.randrange(2)
    return game.drawings[which].board(), game.castle_used[which]


def played_board(rng: Rng) -> tuple[Board, bool]:
    """The board of a random legal game, and whether its castle bonus was used."""
    return random_board(plain_random(rng))


BEYOND = 0.4
"""Factor for the probability, on wild boards, of more crosses than there are circles."""


def wild_board(rng: Rng, circles: int) -> tuple[Board, bool]:
    """Random coats with random crosses, for training, so that rare marks occur often enough. There
    may be more crosses than circles; the rest are drawn beside them."""
    coats = list(Coat)
    weight = rng.dirichlet(np.full(len(coats), 2.0))
    empty = rng.choice([0.0, 0.1, 0.4])
    crosses = np.array([0.35, 0.24, 0.18, 0.13, 0.1])
    crosses *= np.where(np.arange(len(crosses)) > circles, BEYOND, 1.0)
    board = {
        at: Shield(
            coats[int(rng.choice(len(coats), p=weight))],
            int(rng.choice(len(crosses), p=crosses / crosses.sum())),
        )
        for at in CELLS
        if rng.random() >= empty
    }
    return Board(board), rng.random() < 0.5


def random_page(rng: Rng, ground: str | None = None) -> Page:
    """Print a random design; ground: a group (`GROUPS`) or family, at random if None."""
    family, colours = asked_for(rng, ground)
    layout = random_layout(rng)
    px_per_mm = rng.uniform(110, 180) / layout.cell_mm[0]
    style = random_style(rng, family, colours)
    return layout, print_page(layout, style, px_per_mm), px_per_mm


def draw_page(
    rng: Rng,
    *,
    page: Page | None = None,
    wild: bool = False,
    played: tuple[Board, bool] | None = None,
    messiness: float | None = None,
    strokes: StrokeBank | None = None,
    hand: Hand | None = None,
    dice: bool | None = None,
) -> DrawnPage:
    """Print a page and draw a board on it; see `make_photo`.

    played: what to draw, and whether the castle's bonus was used. hand: who draws. dice: whether a
        random hand copies the coats of the dice. Each is random if None.
    """
    return draw_board(rng, *chosen(rng, page, wild, played, messiness, hand, dice), strokes)


def chosen(
    rng: Rng,
    page: Page | None = None,
    wild: bool = False,
    played: tuple[Board, bool] | None = None,
    messiness: float | None = None,
    hand: Hand | None = None,
    dice: bool | None = None,
) -> tuple[Page, tuple[Board, bool], Hand, float]:
    """Page, board and castle, hand, messiness: as given, else at random; see `draw_page`."""
    page = page or random_page(rng)
    if played is None:
        played = wild_board(rng, len(page[0].circles)) if wild else played_board(rng)
    messiness = rng.uniform(0, 1) if messiness is None else messiness
    return page, played, hand or Hand.random(rng, dice=dice), messiness


def shoot(
    rng: Rng,
    page: DrawnPage,
    level: Level,
    *,
    size_wh: Size,
    surfaces: Sequence[U8] = (),
    cover: Cover | None = None,
    table: bool = True,
) -> SynthPhoto:
    """Photograph a drawn page; different generators give different photos of the same sheet."""
    shot = photograph(
        page.bgr,
        page.layout.page_mm,
        rng,
        level=level,
        size_wh=size_wh,
        grid_mm=page.layout.grid_rect,
        surfaces=surfaces,
        cover=cover,
        table=table,
    )
    nodes = shot.page_to_photo(page.nodes_mm)
    about = (page.board, page.castle_used, page.layout.name, level, page.crossed)
    return SynthPhoto(shot.bgr, nodes, *about)


def make_photo(
    seed: int,
    level: Level,
    *,
    size_wh: Size,
    page: Page | None = None,
    wild: bool = False,
    messiness: float | None = None,
    strokes: StrokeBank | None = None,
    surfaces: Sequence[U8] = (),
) -> SynthPhoto:
    """Make the photo of `seed`; the same arguments give the same bytes.

    page: a layout, its print (H, W, 3) uint8 and pixels per mm; None for a random design.
    wild: draw random marks instead of a legally played board.
    messiness: 0 clean .. 1 very messy hands; None for a random one.
    """
    rng = np.random.default_rng(seed)
    drawn = draw_page(rng, page=page, wild=wild, messiness=messiness, strokes=strokes)
    return shoot(rng, drawn, level, size_wh=size_wh, surfaces=surfaces)
