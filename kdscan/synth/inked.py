"""Sheets whose every pixel of ink is known: what was drawn, told from what was printed."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.records import COLS, ROWS
from kdscan.synth.hand import Hand, StrokeBank, draw_board
from kdscan.synth.scene import (
    DrawnPage,
    Marks,
    Page,
    crossed_cells,
    played_board,
    random_page,
    wild_board,
)
from kdscan.synth.sketch import Spot
from kdscan.synth.surroundings import soil


@dataclass(frozen=True, eq=False)
class InkedPage:
    """A drawn page with its ink alone.

    page: filled, and blank, of the same print at the same place.
    on_white_bgr: (H, W, 3) uint8, what is drawn as it looks on white paper: without print, smudges
        and stains.
    """

    page: DrawnPage
    on_white_bgr: NDArray[np.uint8]

    @property
    def ink(self) -> NDArray[np.float32]:
        """(H, W) float32, 0..1: the share of light that the ink takes, of the colour it takes most.

        Erased marks are there as faintly as they can be seen; correction fluid is no ink.
        """
        return np.asarray(1 - self.on_white_bgr.min(axis=2) / np.float32(255), np.float32)

    def flat(self, picture: NDArray[Any], px_per_cell: int, margin: float) -> NDArray[Any]:
        """A picture of the page, (H, W) or (H, W, 3), cut to its grid.

        Returns (h, w) or (h, w, 3) of the same depth: `px_per_cell` pixels a cell across and down
        and `margin` cells around the grid, as flattened sheets have them.
        """
        (x, y), (cw, ch) = self.page.layout.grid_mm, self.page.layout.cell_mm
        size = (
            round((COLS + 2 * margin) * px_per_cell),
            round((ROWS + 2 * margin) * px_per_cell),
        )
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
    rng: np.random.Generator,
    *,
    page: Page | None = None,
    wild: bool = False,
    played: tuple[Marks, bool] | None = None,
    mess: float | None = None,
    strokes: StrokeBank | None = None,
    erased: float = 1.0,
    hand: Hand | None = None,
    dice: bool | None = None,
) -> InkedPage:
    """Draw a board on a page as `draw_page` does, and once more by the same hand on white paper.

    page: a print, of which many sheets may be drawn; a random one if None. erased: see
    `draw_board`; the rest as in `draw_page`, and with the same seed the same sheet.
    """
    layout, blank, px_per_mm = page or random_page(rng)
    if played is None:
        played = wild_board(rng, len(layout.circles)) if wild else played_board(rng)
    board, used = played
    mess = float(rng.uniform(0, 1)) if mess is None else mess
    hand, spots = hand or Hand.random(rng, dice=dice), list[Spot]()
    again, dirt = deepcopy(rng), deepcopy(rng)
    options: dict[str, Any] = {
        "px_per_mm": px_per_mm,
        "strokes": strokes,
        "mess": mess,
        "erased": erased,
    }
    drawn = draw_board(blank, layout, board, used, hand, rng, crossed=spots, **options)
    white = np.full_like(blank, 255)
    alone = draw_board(white, layout, board, used, hand, again, **options)
    soil(white, layout.page_mm, dirt, px_per_mm, mess)  # comes first on a page that is drawn on
    alone = np.asarray(cv2.divide(alone, np.maximum(white, 1), scale=255), np.uint8)
    marked = crossed_cells(layout, spots)
    sheet = DrawnPage(layout, drawn, blank, px_per_mm, board, used, marked)
    return InkedPage(sheet, alone)
