"""Stage: rectified sheet → the same sheet, realigned, and the marks network's logits.

Registration sees a cell at 32 pixels. On a sheet without lines it mistakes the shields' centres for
the cells', because the thin circles beside them hardly show at that size. The marks network sees
cells at four times the resolution and predicts each one's offset from its crop; if the offsets are
large, the sheet is resampled, and further views use a resampled sheet in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from kdscan.imaging.rectify import CENTERS, rectify, shift_cells
from kdscan.marks.classify import TURNS, Logits, predict
from kdscan.marks.crops import CROP_CELLS, segment
from kdscan.records import Photo, RectifiedSheet
from kdscan.records.arrays import Floats, Network

MAX_OFFSET, MAX_RESAMPLES = 0.03, 2
"""A sheet whose offsets exceed `MAX_OFFSET` cells (root mean square) is resampled, at most
`MAX_RESAMPLES` times.
On 300 photos this lowers the log loss of totals from 0.183 to 0.174. A limit of 0.02 gains another
0.004, but each resampled sheet needs another pass of the network."""


def refine_crops(
    photo: Photo, sheet: RectifiedSheet, network: Network
) -> tuple[RectifiedSheet, Iterator[Logits]]:
    """The realigned sheet, and the logits of its views (`TURNS`), the second computed lazily.

    network: see `predict`. The first view is of the returned sheet. The second is only needed in
    doubt, where small misalignments matter: it uses the sheet resampled by the first one's offsets.
    """
    for more in reversed(range(MAX_RESAMPLES + 1)):
        (first,) = predict(segment(sheet.bgr), network, TURNS[:1])
        offset = cell_offsets(first)
        if not more or np.sqrt(np.square(offset).sum(-1).mean()) < MAX_OFFSET:
            break
        sheet = _resampled(photo, sheet, offset)
    return sheet, chain((first,), _second_view(photo, sheet, offset, network))


def _second_view(
    photo: Photo, sheet: RectifiedSheet, offset: Floats, network: Network
) -> Iterator[Logits]:
    closer = _resampled(photo, sheet, offset)
    yield from predict(segment(closer.bgr), network, TURNS[1:])


def _resampled(photo: Photo, sheet: RectifiedSheet, offset: Floats) -> RectifiedSheet:
    return rectify(photo, shift_cells(sheet.centers_xy, offset), sheet.confidence)


def cell_offsets(logits: Logits) -> Floats:
    """(5, 7, 2) float64: each cell's offset from its crop's centre, in cells, x before y."""
    out = np.zeros_like(CENTERS)
    for at, xy in zip(CROP_CELLS, logits[3][0], strict=True):
        out[at] = xy
    return out
