"""Synthetic sheets with masks of their ink."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.rules.duel.board import COLS, ROWS, Board
from lab.synth.fields import F32, U8, Rng, f32, u8
from lab.synth.hands.bank import StrokeBank
from lab.synth.hands.surroundings import soil
from lab.synth.scene import DrawnPage, Page, chosen, fill_in


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
        return f32(1 - self.on_white_bgr.min(axis=2) / np.float32(255))

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
    drawn = fill_in(rng, page, played, hand, messiness, strokes)
    alone = fill_in(again, (layout, white, px_per_mm), played, hand, messiness, strokes).bgr
    soil(white, layout.page_mm, dirt, px_per_mm, messiness)  # as `draw_board` begins
    on_white = u8(cv2.divide(alone, np.maximum(white, 1), scale=255))
    return InkedPage(drawn, on_white)
