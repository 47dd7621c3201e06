"""A picture for each stage of reading a map.

    PYTHONPATH=. python docs/stages.py samples/01.jpg --folder pictures

Each shows a stage's result: the grid's place, the rectified sheet, the
ink of each shield beside the print that all share, the content and confidence of each shield, the
score.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import typer

from kdscan.imaging.picture import Photo
from kdscan.marks.crops import segment
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CASTLE, CELLS, COLS, LETTERS, ROWS
from kdscan.sheets.base import maps_of
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_overlay
from lab.benchmarks.shared import file_with_map, photo_in
from lab.synth.fields import F32, U8, scaled, u8
from lab.synth.tool import run

WIDTH = 900
"""Width of a picture in pixels."""

GREEN = (60, 160, 60)
ORANGE = (0, 110, 230)


def pictures(path: Path) -> dict[str, U8]:
    """The stages of the first map in a photo, in order, by name."""
    photo = photo_in(path)
    sheets = read_photo(photo)
    sheet = maps_of(sheets)[0]
    found = {
        "1-found": grid(photo, sheet),
        "2-flat": np.asarray(sheet.rectified.bgr),
        "3-ink": ink(sheet),
        "4-marks": marks(sheet),
        "5-scored": draw_overlay(photo, sheets),
    }
    return {name: shrunk(picture) for name, picture in found.items()}


def shrunk(picture: U8, width: int = WIDTH) -> U8:
    """The picture, at most that wide."""
    scale = min(1.0, width / picture.shape[1])
    small = scaled(picture, scale)
    return u8(small)


def grid(photo: Photo, sheet: MapReading) -> U8:
    """The photo with the grid's outline and the middle of each cell."""
    picture = photo.bgr.copy()
    thick = max(2, picture.shape[1] // 300)
    outline = np.round(sheet.outline_xy).astype(np.int32)
    cv2.polylines(picture, [outline], True, GREEN, thick, cv2.LINE_AA)
    for x, y in sheet.rectified.centers_xy.reshape(-1, 2):
        cv2.circle(picture, (round(x), round(y)), 2 * thick, ORANGE, -1, cv2.LINE_AA)
    return picture


def ink(sheet: MapReading) -> U8:
    """What the marks network sees: the ink of each shield, and the print that they share."""
    crops = segment(sheet.rectified.bgr)
    grey = tiles([255 * (1 - np.clip(crop[0], 0, 1)) for crop in crops.ink])
    common = cv2.cvtColor(u8(255 * (1 - np.clip(crops.coarse[0][1], 0, 1))), cv2.COLOR_GRAY2BGR)
    side = np.full((grey.shape[0], common.shape[1] + 20, 3), 255, np.uint8)
    side[: common.shape[0], 20:] = common
    return np.hstack([grey, side])


def tiles(crops: Sequence[F32]) -> U8:
    """Crops in the order of the cells, the castle's last, arranged as on the map."""
    size = len(crops[0])
    whole = np.full((ROWS * (size + 4), COLS * (size + 4)), 255, np.uint8)
    for (row, col), crop in zip((*CELLS, CASTLE), crops, strict=True):
        y, x = row * (size + 4), col * (size + 4)
        whole[y : y + size, x : x + size] = crop
    return u8(cv2.cvtColor(whole, cv2.COLOR_GRAY2BGR))


def marks(sheet: MapReading) -> U8:
    """The rectified sheet with the content of each shield, and its probability."""
    flat = cv2.addWeighted(
        sheet.rectified.bgr, 0.45, np.full_like(sheet.rectified.bgr, 255), 0.55, 0
    )
    px = flat.shape[1] / (COLS + 0.25)
    for cell in sheet.cells:
        (row, col), (coat, crosses) = cell.at, cell.content
        text = "." if coat is None else LETTERS[coat] + "+" * crosses
        at = round((col + 0.2) * px), round((row + 0.6) * px)
        color = ORANGE if cell.review else (120, 60, 0)
        cv2.putText(flat, text, at, cv2.FONT_HERSHEY_DUPLEX, px / 90, color, 2, cv2.LINE_AA)
        at = at[0], round((row + 0.9) * px)
        sure = f"{100 * cell.confidence:.1f}%"
        cv2.putText(flat, sure, at, cv2.FONT_HERSHEY_DUPLEX, px / 190, color, 1, cv2.LINE_AA)
    return u8(flat)


def main(photo: Path, folder: Path = Path("pictures")) -> None:
    """Write the pictures into a folder."""
    found = pictures(file_with_map(photo))
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in found.items():
        cv2.imwrite(str(folder / f"{name}.png"), picture)


if __name__ == "__main__":
    run(lambda: typer.run(main))
