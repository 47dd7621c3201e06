"""The stages from a photo to the kingdoms of tiles in it: lattices, squares, windows, readings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np

from kdscan.detection.locate import SIDES
from kdscan.detection.qr import read_card_codes
from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.rectify import RectifiedSheet, overlap, rectify, resolution
from kdscan.inference.store import Models
from kdscan.rules.kingdomino.kingdom import EMPTY
from kdscan.rules.kingdomino.variants import Variants
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.kingdom.extent import (
    MIN_VISIBLE,
    ReadLattice,
    Window,
    in_picture,
    visible_share,
    windows_of,
)
from kdscan.sheets.kingdom.interpret import decode_kingdoms, interpret
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.model import KingdomEvidence, KingdomReading
from kdscan.sheets.kingdom.search import MIN_LATTICE, KingdomSearch
from kdscan.sheets.kingdom.squares import (
    SIDE_PX,
    adjust_for_table,
    classify_squares,
    unlike_table,
)

SURELY_KINGDOM = 0.95
"""A detection with more confidence is a kingdom, not a map of the other game."""
LIKELY_KINGDOM = 0.6
"""A detection with more confidence is a kingdom if dominoes can form it and nothing in the photo is
certainly a map."""
HARDLY_KINGDOM = 0.3
"""A detection with less confidence is dropped if dominoes cannot form it: a printed sudoku has
0.004, a score pad of pink squares 0.26. In 300 photos two detections, with 0.06, were no kingdoms;
one of 350 kingdoms had less than 0.4."""
DOUBTFUL = 0.9
"""A detection with less confidence may be due to an oblique view of the table."""
MIN_MEAN_CONFIDENCE = 0.5
"""Least mean confidence of a kingdom's squares: in 180 kingdoms it is at least 0.849, in 38 of 53
detections on maps and sheets of other games less than 0.5."""
ENOUGH_PX = 36
"""Pixels per square; if a large photo has as many at half its size, it is not decoded in full."""
MAX_SHARED = 0.3
"""Largest share of a kingdom's squares that may overlap those of another one. Where kingdoms touch
and a lattice is not exact, a column of five, a fifth, may overlap."""
MIN_AGREEMENT = 0.5
"""Least share of a lattice's detected squares that the reading network does not classify as
table."""


@dataclass(frozen=True, eq=False)
class DetectedKingdom:
    """What is known of a detected kingdom; confidence and lost are its `Window`'s."""

    evidence: KingdomEvidence
    confidence: float
    lost: bool = False


class Kingdoms(NamedTuple):
    """The kingdoms of tiles in a photo.

    likelihood: confidence that at least one is a kingdom. beyond: sides of the picture beyond which
    one lies with its castle.
    """

    readings: tuple[KingdomReading, ...] = ()
    likelihood: float = 0.0
    beyond: tuple[str, ...] = ()


def read_kingdoms(photo: Photo, models: Models, options: ReadOptions) -> Kingdoms:
    """Find and read the kingdoms of tiles in a photo.

    If the user named the game, a castle without a tile counts as a kingdom too; otherwise it is
    nearly always a map of the other game (51 of 53 detections on such photos, no kingdom of 180). A
    lawful kingdom has at least its total's confidence, however unusual its castle looks; an
    unlawful one counts only if it is detected beyond doubt. In 9 of 347 maps of the other game a
    lawful kingdom was found, none with a confidence above 0.75. Doubtful unlawful detections are
    dropped: a yellow table with a pattern of squares looks like wheat.
    """
    with options.observe("kingdoms"):
        detections = find_kingdoms(photo, models.tiles, models.squares, options.variants)
        lost = {side for each in detections if each.lost for side in each.evidence.cut}
        beside = tuple(side for side in SIDES if side in lost)

        def decode(kingdoms: Sequence[DetectedKingdom]) -> tuple[KingdomReading, ...]:
            """Their readings, the first with the sides beyond which another one lies."""
            evidence = [kingdom.evidence for kingdom in kingdoms]
            first = [replace(each, beside=beside) for each in evidence[:1]]
            return decode_kingdoms([*first, *evidence[1:]], options.risk)

        whole = [detection for detection in detections if not detection.lost]
        readings = decode(whole)
        real = [
            (detection, reading)
            for detection, reading in zip(whole, readings, strict=True)
            if (detection.confidence > HARDLY_KINGDOM or _is_lawful(reading))
            and np.mean([square.confidence for square in reading.cells]) >= MIN_MEAN_CONFIDENCE
            and (options.game or reading.kingdom.squares)
        ]
        if len(real) < len(whole):
            readings = decode([detection for detection, _ in real])
        likelihood = max((_confidence(*pair) for pair in real), default=0.0)
    return Kingdoms(readings, likelihood, beside)


def _is_lawful(kingdom: KingdomReading) -> bool:
    """Whether dominoes can form it."""
    return not any(problem.severity == "error" for problem in kingdom.problems)


def _confidence(detection: DetectedKingdom, reading: KingdomReading) -> float:
    """Confidence that a detection is a kingdom rather than something else, whatever lies on it."""
    if reading.evidence.covered:
        reading = interpret(replace(reading.evidence, covered={}))
    confidence = detection.confidence
    if not _is_lawful(reading):
        return confidence if confidence > SURELY_KINGDOM else 0.0
    return max(confidence, reading.confidence) if confidence > HARDLY_KINGDOM else confidence


def assign_card_codes(
    kingdoms: Sequence[KingdomReading], photo: Photo
) -> tuple[KingdomReading, ...]:
    """Kingdoms with the codes of cards in the photo, each assigned to the nearest kingdom."""
    coded = list(kingdoms)
    middles = [kingdom.outline_xy.mean(0) for kingdom in coded]
    tile_px = min(kingdom.rectified.px_per_cell for kingdom in coded)
    gaps = sorted(
        (float(np.hypot(*(quad.mean(0) - middle))), n, text)
        for text, quad in read_card_codes(photo, tile_px)
        for n, middle in enumerate(middles)
    )
    for _, n, text in gaps:
        if coded[n].sheet_id is None and all(kingdom.sheet_id != text for kingdom in coded):
            coded[n] = replace(coded[n], evidence=replace(coded[n].evidence, sheet_id=text))
    return tuple(coded)


def find_kingdoms(
    photo: Photo, locating: Network, reading: Network, variants: Variants
) -> tuple[DetectedKingdom, ...]:
    """Find the kingdoms in a photo, the largest first; loose dominoes are not reported.

    Overlapping detections are reduced by non-maximum suppression. Squares beside kingdoms are
    grown into lattices of their own. Lattices that follow a pattern of the table are classified as
    table; they are grown again without those squares.

    variants: if these do not say whether it is a great duel, each kingdom's limit is inferred.
    """
    search = KingdomSearch(photo, locating)
    size = None if variants.great_duel is None else variants.size
    reader = _Reader(photo, search, reading, size)
    windows = reader.windows(search.lattices())
    windows += reader.more(search.regrown(_outlines(_suppress_overlaps(windows)), within=False))
    best = _suppress_overlaps(windows)
    least = min((window.confidence for window in best if not window.lost), default=0.0)
    side = min((resolution(window.centers_xy) for window in best), default=0.0)
    if least < DOUBTFUL or search.many_left(_outlines(best), side):
        sure = _outlines(window for window in best if window.confidence >= DOUBTFUL)
        windows += reader.more((*search.suppressed(sure), *search.slanted(sure)))
        best = _suppress_overlaps(windows)
    return tuple(
        DetectedKingdom(
            KingdomEvidence(
                _flatten(photo, window.centers_xy, min(1.0, window.agreement / MIN_AGREEMENT)),
                window.probs,
                replace(variants, great_duel=len(window.probs) == 7),
                window.beyond,
                cut=window.cut,
                touching=window.touching,
                covered=window.covered,
            ),
            window.confidence,
            window.lost,
        )
        for window in sorted(best, key=lambda window: -int(window.tiles.sum()))
    )


def _outlines(windows: Iterable[Window]) -> list[Floats]:
    return [window.outline_xy for window in windows]


def _suppress_overlaps(windows: Iterable[Window]) -> list[Window]:
    """Non-maximum suppression by `Window.score`, windows whose castle is visible come first; a
    square is part of one kingdom only."""

    def overlaps(window: Window, other: Window) -> bool:
        if overlap(window.outline_xy, other.outline_xy):
            return True
        xy, other_xy = (each.centers_xy[each.tiles] for each in (window, other))
        away = np.linalg.norm(xy[:, None] - other_xy[None], axis=-1).min(1, initial=np.inf)
        shared = away < 0.5 * resolution(other.centers_xy)
        return bool(len(xy) and shared.mean() > MAX_SHARED)

    best: list[Window] = []
    for window in sorted(windows, key=lambda window: (window.lost, -window.score)):
        if not any(overlaps(window, other) for other in best):
            best.append(window)
    return best


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads the squares of a photo's lattices. size: see `windows_of`."""

    photo: Photo
    search: KingdomSearch
    network: Network
    size: int | None

    def windows(self, lattices: Iterable[Lattice]) -> list[Window]:
        """The windows of the kingdoms on lattices.

        Adjacent kingdoms that were merged into one lattice do not fit it well: if a lattice extends
        beyond a window, the squares inside the window are grown by themselves too.
        """
        windows: list[Window] = []
        for lattice in map(self._read, lattices):
            on_it = windows_of(
                lattice, self.size, hidden=not self.search.looks_bare(lattice.lattice)
            )
            windows += on_it
            squares = lattice.lattice.squares
            if any(squares - window.detected.sum() >= MIN_LATTICE for window in on_it):
                for window in on_it:
                    edge = window.outline_xy
                    alone = self.more(
                        self.search.regrown([edge], within=True), edge if window.divided else None
                    )
                    windows += [replace(part, touching=window.touching) for part in alone]
        return windows

    def more(self, lattices: Iterable[Lattice], outline: Floats | None = None) -> list[Window]:
        """The windows of further kingdoms, none of them with a hidden castle. outline: (4, 2);
        everything outside is of another kingdom."""
        read = map(self._read, lattices)
        return [window for lattice in read for window in windows_of(lattice, self.size, outline)]

    def _read(self, lattice: Lattice) -> ReadLattice:
        """A lattice; if it follows a pattern of the table, the best that is grown without it."""
        first = read_lattice(self.photo, lattice, self.network)
        if first.agreement >= MIN_AGREEMENT:
            return first
        others = self.search.without(first.rejected_xy)
        rivals = [read_lattice(self.photo, other, self.network) for other in others]
        return max(
            [first, *rivals], key=lambda read: (min(read.agreement, MIN_AGREEMENT), read.tiles)
        )


def read_lattice(photo: Photo, lattice: Lattice, network: Network) -> ReadLattice:
    """Classify a lattice's squares."""
    flat = _flatten(photo, lattice.centers_xy)
    wh = (photo.width, photo.height)
    visible = in_picture(lattice.centers_xy, wh)
    undetected = visible & ~lattice.detected
    legible = visible | (visible_share(lattice.centers_xy, wh) > MIN_VISIBLE)
    probs = classify_squares(
        flat, network, legible, lambda probs: adjust_for_table(probs, flat, undetected)
    )
    empty = probs[..., EMPTY] >= 0.5
    detected = visible & lattice.detected
    tiles = int((detected & ~empty).sum())
    return ReadLattice(
        lattice,
        probs,
        unlike_table(probs, flat, undetected, visible & empty),
        tiles / max(int(detected.sum()), 1),
        tiles,
        lattice.centers_xy[lattice.detected & empty],
        wh,
    )


def _flatten(photo: Photo, centers_xy: Floats, confidence: float = 1.0) -> RectifiedSheet:
    """The rectified window. Beyond the picture's edge the picture is mirrored, so that a cut-off
    square still looks like tile or table, whichever it is."""
    return rectify(photo, centers_xy, confidence, SIDE_PX, ENOUGH_PX, cv2.BORDER_REFLECT_101)
