"""Stages: crops → probabilities of what was drawn, and of objects that cover shields.

Registration sees a cell at 32 pixels. On a sheet without lines it mistakes the shields' centres for
the cells', because the thin circles beside them hardly show at that size. The marks network sees
cells at four times the resolution and predicts each one's offset from its crop; if the offsets are
large, the sheet is resampled, and further views use a resampled sheet in any case.

What a finger, a die, a scrap of paper or glare hides cannot be read, but the occlusion itself can
be detected. The network was trained on shapes of any colour, not on these objects; it detects what
is neither print nor ink nor paper. Colours found nowhere else on the sheet are further evidence: a
die within a shield looks like a filled coat, but a sheet is drawn with one or two pens, and nothing
else on it has the colour of the die. `foreign` compares solid areas with everything drawn
elsewhere, `unseen_colors` every pixel of a cell with all pixels of the others. Tape, a label or
correction fluid may have the colour of paper, but hides what is printed alike in every cell:
`printed_shares` compares its edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import edges, median, quantile, sigmoid, softmax
from kdscan.imaging.picture import (
    CENTERS,
    FLAT_MARGIN,
    FLAT_PX,
    Bgr,
    Floats,
    FrozenArrays,
    Network,
    Photo,
    Plane,
    RectifiedSheet,
    rectify,
    shift_cells,
)
from kdscan.marks.crops import (
    COARSE,
    CROP_CELLS,
    CellCrops,
    Pixel,
    crop_cell,
    half_size,
    relative_to_paper,
    segment,
)
from kdscan.rules import Cell
from kdscan.rules.duel.board import CELLS, COATS, COLS, MAX_CROSSES, ROWS


@dataclass(frozen=True, eq=False)
class MarkProbs(FrozenArrays):
    """The marks network's probabilities for each shield, before any rule is applied.

    coat: (34, 7) float64, probabilities in the order of `COATS`, rows sum to 1.
    crosses: (34, 5) float64, probabilities of 0..4 crosses, rows sum to 1.
    castle_used: probability that the castle's roof is coloured.
    placed: probability that every cell is where it should be.
    calibration: (2,) float64, slope and offset that calibrate the log odds of a total (Platt
        scaling); fitted on held-out photos.
    """

    coat: NDArray[np.float64]
    crosses: NDArray[np.float64]
    castle_used: float
    placed: float
    calibration: NDArray[np.float64] = field(default_factory=lambda: np.array([1.0, 0.0]))

    def __post_init__(self) -> None:
        if self.coat.shape != (len(CELLS), len(COATS)):
            raise ValueError(f"coat probabilities have shape {self.coat.shape}")
        if self.crosses.shape != (len(CELLS), MAX_CROSSES + 1):
            raise ValueError(f"cross probabilities have shape {self.crosses.shape}")
        super().__post_init__()


Logits = tuple[NDArray[np.float32], ...]
"""The marks network's outputs for one view: coats, crosses, castle, offsets; see `predict`."""

_TURNED = [*reversed(range(len(CELLS))), len(CELLS)]  # of the crops: shields reversed, castle last


def predict(crops: CellCrops, network: Network, turned: bool = False) -> Logits:
    """Logits of the upright sheet from one run of the marks network.

    network: ink (35, 1, 128, 128) and coarse planes (35, C, 64, 64), the castle last → coat logits
        (1, 34, 7), crosses logits (1, 34, 5), castle logit (1, 1), and the offset of each cell from
        its crop's centre (1, 35, 2), in cells, x before y.
    turned: show it the sheet upside down, where marks mean the same.
    """
    if not turned:
        return network(crops.ink, crops.coarse)
    coat, crosses, castle, offset = network(upside_down(crops.ink), upside_down(crops.coarse))
    return coat[:, ::-1], crosses[:, ::-1], castle, -offset[:, _TURNED]


def upside_down(crops: NDArray[np.float32]) -> NDArray[np.float32]:
    """Crops (35, C, S, S) of the sheet turned by 180°, in the order of its cells: the shields in
    reverse, the castle last."""
    return np.ascontiguousarray(crops[_TURNED][..., ::-1, ::-1])


def average(views: Sequence[Logits], weights: Sequence[float] | None = None) -> Logits:
    """Mean logits of several views; weights: how much each counts, the same by default."""
    return tuple(np.average(part, 0, weights) for part in zip(*views, strict=True))


def to_probs(logits: Logits, placed: float, calibration: Floats) -> MarkProbs:
    """Probabilities from logits.

    placed: probability that the crops are where the cells are.
    calibration: see `MarkProbs`.
    """
    coat, crosses, castle = (np.asarray(part[0], np.float64) for part in logits[:3])
    return MarkProbs(
        coat=softmax(coat),
        crosses=softmax(crosses),
        castle_used=float(sigmoid(castle[0])),
        placed=placed,
        calibration=calibration,
    )


MAX_OFFSET, TOO_FAR = 0.03, 0.1
"""A sheet whose offsets exceed `MAX_OFFSET` cells (root mean square) is resampled, and its first
view counts half; from `TOO_FAR` on, which none of 115 photos reached, it does not count. Of these
photos 81 boards are right, as many ask for review as if a resampled sheet got a first view anew (82
right, 2.3 runs of the network instead of 1.8), and log losses are equal."""


def refine_crops(
    photo: Photo, sheet: RectifiedSheet, network: Network, retry: bool = True
) -> tuple[RectifiedSheet, Iterator[Logits]]:
    """The realigned sheet, and its logits after one view and, computed lazily, after two.

    network: see `predict`. The second view, only needed in doubt, is upside down, and of the sheet
    resampled by the first one's offsets: small misalignments matter then. Of 229 boards 180 are
    right after the first view, 188 if doubtful ones get the second; a mirrored one gives 185.

    retry: whether a sheet that is `TOO_FAR` off is viewed anew.
    """
    first = predict(segment(sheet.bgr), network)
    offset = np.zeros_like(CENTERS)  # (5, 7, 2), in cells, x before y
    offset[tuple(np.transpose(CROP_CELLS))] = first[3][0]
    off = np.sqrt((offset**2).sum(-1).mean())

    def resampled() -> RectifiedSheet:
        return rectify(photo, shift_cells(sheet.centers_xy, offset), sheet.confidence)

    better = resampled() if off >= MAX_OFFSET else None
    if better and off >= TOO_FAR and retry:
        return refine_crops(photo, better, network, retry=False)

    def views() -> Iterator[Logits]:
        yield first
        second = predict(segment((better or resampled()).bgr), network, turned=True)
        yield average((first, second), (0.5 if better else 1.0, 1.0))

    return better or sheet, views()


# Objects that cover shields

SOLID_PX, STROKE_PX = 9, 2
"""Pixels, of 64 a cell: least width of solid areas, wider than a stroke; and width by which drawn
areas are eroded to drop their blurred edges."""

MIN_AREA = 0.1
"""Least share of a cell that is solid, after erosion by `SOLID_PX`."""

MIN_CONTRAST = 0.35
"""Least distance from the paper's colour, in natural logarithms, of ink and objects."""

OVER_PRINT = 0.15
"""Least distance beyond the print, which is the lower quartile of the shields' distances."""

BLACK = 0.08
"""Share of the paper's light below which colours are noise; darker pixels are clipped to it."""

CHANCE, MIN_PIXELS = 0.02, 20
"""Share of other shields' pixels that may have the colour by chance; least number of pixels drawn
elsewhere for a comparison."""

UNSEEN_PX = 32
"""Pixels per cell at which cells' colours are compared."""

BINS, BIN_WIDTH, DARKEST = 24, 0.16, -2.8
"""Bins of a channel's histogram, their width and the first one's lower end, in natural logarithms.
The bins at both ends stay empty, because `BLACK` lies in the second one."""

MIN_SEEN = 2
"""Least number of pixels of a cell that show a colour."""


PRINTED_SHARE, MIN_EDGE, MIN_PRINTED_PX = 0.15, 1.2, 40
"""Share of a cell's pixels with the strongest common edges; least strength of these, see `edges`,
and their least number."""

LINES_PX, SLIP_PX = 4, 2
"""Pixels, of 64 a cell, at a cell's sides that are ignored, with the lines between cells; and by
which an edge may be out of place."""


def foreign(tone: Plane) -> dict[Cell, float]:
    """For shields with a solid area: the distance of its colour from everything drawn in others.

    tone: (336, 464, 3), see `tones`. Distances are Euclidean in the natural logarithms of the three
    channels.
    """
    cells = _cells(tone)
    far = np.sqrt(np.einsum("nyxc,nyxc->nyx", cells, cells))
    printed = np.partition(far, len(CELLS) // 4, axis=0)[len(CELLS) // 4]
    drawn = ((far > MIN_CONTRAST) & (far > printed + OVER_PRINT)).astype(np.uint8)
    solid = [cv2.erode(cell, np.ones((SOLID_PX, SOLID_PX), np.uint8)) > 0 for cell in drawn]
    large = [i for i, cell in enumerate(solid) if cell.mean() >= MIN_AREA]
    if not large:
        return {}
    stroke = np.ones((STROKE_PX, STROKE_PX), np.uint8)
    colors = [cells[i][cv2.erode(cell, stroke) > 0][::2] for i, cell in enumerate(drawn)]
    ends = np.cumsum([0, *map(len, colors)])
    everything = np.ascontiguousarray(np.concatenate(colors).T)  # a fast axis is a long one
    distances = {}
    for i in large:
        away = everything - median(cells[i][solid[i]])[:, None]
        others = np.delete((away * away).sum(0), np.s_[ends[i] : ends[i + 1]])
        enough = len(others) >= MIN_PIXELS
        distances[CELLS[i]] = quantile(np.sqrt(others), CHANCE)[0] if enough else 0.0
    return distances


def unseen_colors(tone: Plane) -> dict[Cell, float]:
    """For each shield: the share of its cell, 0..1, in colours that no other shield's cell shows.

    tone: (336, 464, 3), see `tones`. A colour is shown by pixels in its bin or one beside it. Areas
    less than two pixels (of `UNSEEN_PX` a cell) wide do not count.
    """
    scale = UNSEEN_PX * COARSE / FLAT_PX
    small = cv2.resize(tone, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    bins = np.clip(((small - DARKEST) / BIN_WIDTH).astype(int), 1, BINS - 2)
    cells = _cells(np.ravel_multi_index(tuple(np.moveaxis(bins, -1, 0)), (BINS,) * 3))
    counts = np.stack([np.bincount(cell.ravel(), minlength=BINS**3) for cell in cells])
    shows = (counts >= MIN_SEEN).astype(np.uint8)
    for step in (1, BINS, BINS**2):
        shows = shows | np.roll(shows, step, 1) | np.roll(shows, -step, 1)
    times = shows.sum(0, dtype=np.uint8)
    shares = {}
    for at, cell, own in zip(CELLS, cells, shows, strict=True):
        unseen = (times[cell] == own[cell]).astype(np.uint8)
        wide = cv2.morphologyEx(unseen, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        shares[at] = float(wide.mean())
    return shares


def printed_shares(bgr: Bgr) -> dict[Cell, float]:
    """For each shield: how much of the edges that all cells share its cell shows, relative to the
    median of the shields; {} if the cells hardly share any.

    bgr: (336, 464, 3) uint8, a rectified sheet at half its size (`crops.half_size`).
    """
    cells = _cells(edges(bgr, COVER_PX))
    common = median(cells)
    inner = np.zeros(common.shape, bool)
    inner[LINES_PX:-LINES_PX, LINES_PX:-LINES_PX] = True
    printed = inner & (common > max(quantile(common[inner], 1 - PRINTED_SHARE)[0], MIN_EDGE))
    if printed.sum() < MIN_PRINTED_PX:
        return {}
    window = np.ones((2 * SLIP_PX + 1,) * 2, np.uint8)
    near = np.stack([cv2.dilate(cell, window)[printed] for cell in cells])
    shares = np.minimum(near / common[printed], 1).mean(1)
    return dict(zip(CELLS, (shares / median(shares)).tolist(), strict=True))


def _cells(plane: NDArray[Pixel]) -> NDArray[Pixel]:
    """(34, S, S, ...): the shields' cells without the margins of their crops, from a plane of a
    rectified sheet with S pixels a cell."""
    margin = round(FLAT_MARGIN * plane.shape[1] / (COLS + 2 * FLAT_MARGIN))
    return np.stack([crop_cell(plane, *at)[margin:-margin, margin:-margin] for at in CELLS])


def tones(bgr: Bgr) -> Plane:
    """(H, W, 3): natural logarithms of the colours of a rectified sheet at half its size
    (`crops.half_size`), relative to the paper nearby."""
    return np.asarray(cv2.log(np.maximum(relative_to_paper(bgr), np.float32(BLACK))), np.float32)


COVER_PX = FLAT_PX // COARSE
"""Pixels per cell of the network's input."""

COVER_HW = round((ROWS + 2 * FLAT_MARGIN) * COVER_PX), round((COLS + 2 * FLAT_MARGIN) * COVER_PX)
"""Height and width of the network's input: 336 × 464 pixels."""

MIRROR_FROM = 0.2
"""If some shield is covered with at least this probability, the mirrored sheet is evaluated too."""

FOREIGN_WEIGHT = 10.0
"""A solid area whose colour occurs nowhere else adds this to the natural log odds of an object for
each unit of `foreign` distance beyond `FOREIGN_OFFSET`, up to `MAX_FOREIGN`. The limit is low
because a pen used for a single coat has the same effect."""

FOREIGN_OFFSET, MAX_FOREIGN = 0.05, 4.0

UNSEEN_WEIGHT, UNSEEN_OFFSET, MAX_UNSEEN = 400.0, 0.05, 12.0
"""The same for the share of a cell in colours that no other cell shows (`unseen_colors`). The limit
outweighs the network, because ink hardly ever looks like this: of 286 photos without an object on
the sheet, painted ones among them, the largest share is 0.043, a red sail painted on the map."""


UNPRINTED_WEIGHT, UNPRINTED_OFFSET, MAX_UNPRINTED = -100.0, 0.6, 24.0
"""The same for a share of the print below the offset. Of 52 photos without patches, marks and all,
one shield in a blurred photo has a share below 0.6 (0.35); of 104 shields covered by paper, tape,
fluid or a label 95% have less than 0.36."""


def covered(sheet: RectifiedSheet, network: Network) -> dict[Cell, float]:
    """Probability, 0..1, that an object covers each shield.

    network: rectified sheets (1, 3, 336, 464) BGR 0..1 → logits (1, 5, 7). Doubtful sheets are
    averaged with their mirror image, which repeats true detections more often than false ones.
    """
    bgr = half_size(sheet.bgr)
    tone, by_features = tones(bgr), np.zeros((ROWS, COLS))
    for values, weight, offset, most in (
        (foreign(tone), FOREIGN_WEIGHT, FOREIGN_OFFSET, MAX_FOREIGN),
        (unseen_colors(tone), UNSEEN_WEIGHT, UNSEEN_OFFSET, MAX_UNSEEN),
        (printed_shares(bgr), UNPRINTED_WEIGHT, UNPRINTED_OFFSET, MAX_UNPRINTED),
    ):
        for at, value in values.items():
            by_features[at] += np.clip(weight * (value - offset), 0, most)

    def logits(view: Bgr) -> Floats:
        batch = view.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)
        return np.asarray(network(np.ascontiguousarray(batch))[0][0], np.float64)

    by_network = logits(bgr)
    if max(sigmoid(by_network + by_features)[at] for at in CELLS) >= MIRROR_FROM:
        by_network = (by_network + logits(bgr[:, ::-1])[:, ::-1]) / 2
    probabilities = sigmoid(by_network + by_features)
    return {at: float(probabilities[at]) for at in CELLS}
