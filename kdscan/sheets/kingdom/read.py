"""The stages from a photo to the kingdoms of tiles in it: lattices, squares, windows, readings.

Small kingdoms are detected again in an enlarged window, oblique tables in a rectified view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from kdscan.detection.locate import SIDES, STRIDE, THUMB_PX
from kdscan.detection.qr import read_card_codes
from kdscan.imaging.arrays import quantile
from kdscan.imaging.picture import (
    Floats,
    Network,
    Photo,
    RectifiedSheet,
    cut_out,
    finest_decoded,
    fit_homography,
    flatten,
    inverse,
    lattice_points,
    lies_in,
    mapped,
    overlap,
    project,
    rectify,
    resolution,
)
from kdscan.inference.store import Models
from kdscan.rules.kingdomino.kingdom import EMPTY, Variants
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
from kdscan.sheets.kingdom.lattice import (
    SIDE_PX,
    Lattice,
    VoteMap,
    classify_squares,
    find_regions,
    find_squares,
    grow_lattices,
    lies_on,
    predict_votes,
    unlike_table,
)
from kdscan.sheets.kingdom.model import KingdomEvidence, KingdomReading

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
DARK, BRIGHT = 128, 220
"""A kingdom whose lightest places are darker than the first is brightened until these have the
second value. Of 20 photos with a mean of 4 to 57, 14 were read right without it, one of the others
silently wrong, and all with it."""
MAX_SHARED = 0.3
"""Largest share of a kingdom's squares that may overlap those of another one. Where kingdoms touch
and a lattice is not exact, a column of five, a fifth, may overlap."""
MIN_AGREEMENT = 0.5
"""Least share of a lattice's detected squares that the reading network does not classify as
table."""

DIRECTIONS, SQUEEZE_FACTOR, SQUEEZED_PX = 4, 0.5, 768
"""Number of directions in which the photo is compressed, the factor, and the pixels on its longer
side before."""
MIN_PATCHES = 30
"""Patches on tiles that a whole kingdom has. With fewer likely patches the photo is not compressed;
sure patches may be few on an oblique table."""
BARE_LOGIT = -2.0
"""Logit below which a patch looks like bare table. Of 68 kingdoms in hard photos, two small and
distant ones looked like that on most of their squares."""
MIN_LATTICE = 9
"""Least squares of a lattice, if any has as many; fewer are loose dominoes."""
MAX_WINDOW = 0.8
"""A region is only enlarged if its window is smaller than this share of the photo."""
ZOOM_MARGIN, ZOOM_MARGIN_PATCHES = 0.3, 2.5
"""Margin of an enlarged window, as a share of the region's size, and its minimum in patches of the
first pass: only the middle of a distant kingdom is detected with confidence."""
RECTIFIED_PX, RECTIFIED_MARGIN = 40, 0.5
"""Pixels per square of a rectified lattice, and its margin in squares."""
MIN_MATCHED, MATCH_RADIUS = 0.75, 0.45
"""A detection in the rectified view replaces the earlier one if it contains this share of the
squares detected before, each within this distance in sides."""


class DetectedKingdom(NamedTuple):
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

    Overlapping detections are reduced by non-maximum suppression. If one is doubtful, the photo
    is searched again as if seen from other sides. Lattices that follow a
    pattern of the table are classified as table, and dropped if there are others.

    variants: if these do not say whether it is a great duel, each kingdom's limit is inferred.
    """
    search = KingdomSearch(photo, locating)
    size = None if variants.great_duel is None else variants.size

    def windows(lattices: Iterable[Lattice], *, hidden: bool) -> list[Window]:
        """The windows of the kingdoms on lattices. hidden: whether castles may be hidden."""
        read = [read_lattice(photo, lattice, reading) for lattice in lattices]
        agreed = [each for each in read if each.agreement >= MIN_AGREEMENT]
        return [
            window
            for each in agreed or read
            for window in windows_of(
                each, size, hidden=hidden and not search.looks_bare(each.lattice)
            )
        ]

    straight = windows(search.lattices(), hidden=True)
    best = _suppress_overlaps(straight)
    least = min((window.confidence for window in best if not window.lost), default=0.0)
    if least < DOUBTFUL:
        sure = [window.outline_xy for window in best if window.confidence >= DOUBTFUL]
        best = _suppress_overlaps([*straight, *windows(search.slanted(sure), hidden=False)])
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


def read_lattice(photo: Photo, lattice: Lattice, network: Network) -> ReadLattice:
    """Classify a lattice's squares."""
    flat = _flatten(photo, lattice.centers_xy)
    wh = (photo.width, photo.height)
    visible = in_picture(lattice.centers_xy, wh)
    undetected = visible & ~lattice.detected
    legible = visible | (visible_share(lattice.centers_xy, wh) > MIN_VISIBLE)
    probs = classify_squares(flat, network, legible, undetected)
    empty = probs[..., EMPTY] >= 0.5
    detected = visible & lattice.detected
    return ReadLattice(
        lattice,
        probs,
        unlike_table(probs, flat, undetected, visible & empty),
        int((detected & ~empty).sum()) / max(int(detected.sum()), 1),
        wh,
    )


def _flatten(photo: Photo, centers_xy: Floats, confidence: float = 1.0) -> RectifiedSheet:
    """The rectified window, a dark one brightened. Beyond the picture's edge the picture is
    mirrored, so that a cut-off square still looks like tile or table, whichever it is."""
    flat = rectify(photo, centers_xy, confidence, SIDE_PX, ENOUGH_PX, cv2.BORDER_REFLECT_101)
    (white,) = quantile(flat.bgr[::4, ::4].max(-1), 0.99)
    if white < DARK:
        bright = cv2.convertScaleAbs(flat.bgr, alpha=BRIGHT / max(1.0, white))
        flat = replace(flat, bgr=np.asarray(bright, np.uint8))
    return flat


# Lattices


class KingdomSearch:
    """A search for lattices of tiles in a photo.

    Lattices are in the photo's frame, the largest first, and each was detected again in a view
    rectified by its own plane, where it is upright and all squares have one size.
    network: see `predict_votes`.
    """

    def __init__(self, photo: Photo, network: Network) -> None:
        self._photo, self._network = photo, network
        self._votes = predict_votes(photo, network)

    def lattices(self) -> tuple[Lattice, ...]:
        """The lattices in the photo and in enlarged windows."""
        refined = self._rectified(_zoom_in(self._photo, self._votes, self._network))
        return tuple(lattice for lattice in refined if lattice.squares >= MIN_LATTICE) or refined

    def looks_bare(self, lattice: Lattice) -> bool:
        """Whether most squares of a lattice look like bare table in the whole photo, as on a table
        with a pattern of squares."""
        return bool(np.median(self._votes.at(lattice.squares_xy)) < BARE_LOGIT)

    def slanted(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """Lattices outside these outlines in the photo compressed along several directions, which
        counteracts foreshortening; none if hardly any patch looks like tiles."""
        if (self._votes.on_tile > 0).sum() < MIN_PATCHES:
            return ()
        lattices: list[Lattice] = []
        for direction in range(DIRECTIONS):
            angle = np.pi * direction / DIRECTIONS
            along = np.array([np.cos(angle), np.sin(angle)])
            squeezed = np.eye(2) - (1 - SQUEEZE_FACTOR) * np.outer(along, along)
            view, to_photo = mapped(self._photo, squeezed, SQUEEZED_PX)
            votes = predict_votes(view, self._network)
            excluded = [project(inverse(to_photo), outline) for outline in outlines]
            lattices += [
                Lattice(project(to_photo, lattice.centers_xy), lattice.detected)
                for lattice in _zoom_in(view, votes, self._network, excluded)
                if lattice.squares >= MIN_LATTICE
            ]
        return self._rectified(lattices)

    def _rectified(self, lattices: Iterable[Lattice]) -> tuple[Lattice, ...]:
        """Each, but none that lies on a larger one, detected again from above."""
        largest: list[Lattice] = []
        for lattice in sorted(lattices, key=lambda lattice: -lattice.squares):
            if not lies_on(lattice, largest):
                largest.append(lattice)
        return tuple(map(self._rectify, largest))

    def _rectify(self, lattice: Lattice) -> Lattice:
        """Detect a lattice again in a view rectified by its own plane, where all squares have one
        size; unchanged if that finds nothing better."""
        for _ in range(2):
            plane = fit_homography(lattice.centers_xy)
            places = project(plane, lattice_points(*lattice.detected.shape))
            finest = finest_decoded(self._photo)
            flat = flatten(self._photo, places, RECTIFIED_PX, RECTIFIED_MARGIN, finest)
            grown = grow_lattices(find_squares(predict_votes(Photo(flat), self._network)))
            if not grown:
                break
            at = (grown[0].centers_xy + 0.5) / RECTIFIED_PX - 0.5 - RECTIFIED_MARGIN
            above = Lattice(project(plane, at), grown[0].detected)
            fewer = above.squares < MIN_MATCHED * lattice.squares
            if fewer or above.share_of(lattice, MATCH_RADIUS) < MIN_MATCHED:
                break
            before, lattice = lattice, above
            if lattice.squares <= before.squares:
                break
        return lattice


def _zoom_in(
    photo: Photo, votes: VoteMap, network: Network, excluded: Sequence[Floats] = ()
) -> list[Lattice]:
    """The lattices in a photo, those from enlarged windows first.

    Every region is enlarged; then every lattice that was only detected in the whole photo, such as
    one in a region too wide to enlarge. excluded: outlines (4, 2).
    """
    lattices: list[Lattice] = []

    longer = max(photo.width, photo.height)
    least = ZOOM_MARGIN_PATCHES * STRIDE * longer / THUMB_PX

    def is_excluded(xy: Floats) -> bool:
        return any(lies_in(xy, outline) for outline in excluded)

    def enlarge(low: Floats, high: Floats) -> None:
        """Add what an enlarged region shows, if it can be enlarged."""
        margin = max(ZOOM_MARGIN * float(max(high - low)), least)
        part, corner, shrink = cut_out(photo, low - margin, high + margin, THUMB_PX)
        if shrink * max(part.width, part.height) <= MAX_WINDOW * longer:
            in_part = predict_votes(part, network, corner, shrink)
            lattices.extend(grow_lattices(find_squares(in_part)))

    for low, high in find_regions(votes):
        if not is_excluded((low + high) / 2):
            enlarge(low, high)
    squares = find_squares(votes)
    in_whole = grow_lattices(squares[np.array([not is_excluded(xy) for xy in squares.xy], bool)])
    for lattice in in_whole:
        if not lies_on(lattice, lattices):
            xy, side = lattice.squares_xy, lattice.side
            enlarge(xy.min(0) - side, xy.max(0) + side)
    return lattices + in_whole
