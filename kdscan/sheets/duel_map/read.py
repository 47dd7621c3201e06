"""The stages from a rectified grid to a map's reading."""

from __future__ import annotations

from collections.abc import Iterator

from kdscan.detection.find import PlacedGrid, has_castle
from kdscan.detection.locate import clipped_cells
from kdscan.detection.markers import UNKNOWN_LAYOUT, detect_layout, is_mirrored
from kdscan.detection.qr import read_code
from kdscan.imaging.picture import Photo, RectifiedSheet, rectify
from kdscan.imaging.quality import BLURRED, DARK, edge_width, is_bilevel, shows_through
from kdscan.inference.store import Models, calibrated_as
from kdscan.marks.network import Logits, covered, refine_crops, to_probs
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.interpret import MIN_PROBABILITY, decoded, interpret
from kdscan.sheets.duel_map.model import MapEvidence, MapReading

RISK_SHARES = {1: 0.5, 2: 1.0}
"""Number of averaged views (test-time augmentation) → share of the accepted risk below which the
total is accepted without further views. Accepting after the first view inflates acceptance, so it
gets half of the error budget."""

MIN_PLACEMENT, MIN_MEAN_CONFIDENCE = 0.98, 0.5
"""A grid of no known layout is rejected if both its placement confidence and the mean confidence of
its shields are lower. Of 1,547 photos of maps one had a mean below 0.5 (0.41, placed with 1.000),
and one whose grid was misplaced (0.34, 0.74). Of 15 grids with a lower mean that were something
else, or a map turned by 90°, none was placed with more than 0.973."""

MIN_MARKED, MIN_MARKED_CONFIDENCE = 5, 0.8
"""A grid whose middle looks like its other cells is a map if at least so many shields are marked,
and read with this mean confidence. The middle of one in 350 photographed maps did; two score pads
that pass for such a grid are read with 0.3 and 0.4."""


def read_map(
    photo: Photo, grid: PlacedGrid, models: Models, options: ReadOptions
) -> MapReading | None:
    """Read one map from its photo and the place of its grid; None if it is no map, or its back."""
    centers_xy = grid.centers_xy
    layout = detect_layout(photo, centers_xy)
    aligned, mirrored = None, False
    if layout == UNKNOWN_LAYOUT and options.prints:
        from kdscan.templates.recognize import recognize, shows_mirrored

        aligned = recognize(photo, centers_xy, options.prints)
        mirrored = shows_mirrored(photo, centers_xy, options.prints, aligned)
    if aligned is None:
        rectified = rectify(photo, centers_xy, grid.confidence)
    else:
        from kdscan.templates.drop_out import drop_out, predict_ink

        dropped = drop_out(photo, aligned)
        rectified = dropped.rectified
    if layout == UNKNOWN_LAYOUT:
        # Thick lines may hide the castle, and overexposure the print. Markers around the grid prove
        # a map all the same: through the paper they would appear mirrored.
        if shows_through(rectified):
            return None
        mirrored = mirrored or (aligned is None and is_mirrored(photo, centers_xy))
    is_proven = layout != UNKNOWN_LAYOUT or aligned is not None or has_castle(rectified)
    if aligned is None:
        rectified, views = refine_crops(photo, rectified, models.marks)
        if layout != UNKNOWN_LAYOUT:
            views = _with_own_ink(views, photo, rectified, layout, models)
    else:
        layout = aligned.template.name
        views = predict_ink(dropped, models.marks, models.ink_reader)
    for (number, share), logits in zip(RISK_SHARES.items(), views, strict=True):
        calibration = models.calibration(calibrated_as(layout, aligned is not None), number)
        probs = to_probs(logits, rectified.confidence, calibration)
        if decoded(probs, (), options.risk).confidence >= 1 - share * options.risk:
            break
    clipped = clipped_cells(photo, rectified)
    over = covered(rectified, models.cover).items()
    evidence = MapEvidence(
        rectified,
        probs,
        layout,
        read_code(photo, rectified, layout),
        clipped=clipped,
        mirrored=mirrored,
        bilevel=is_bilevel(photo, rectified.outline_xy),
        blurred=edge_width(rectified.bgr) > BLURRED,
        dark=float(rectified.bgr.mean()) < DARK,
        ink=dropped.ink if aligned else None,
        covered={at: p for at, p in over if p >= MIN_PROBABILITY and at not in clipped},
    )
    sheet = interpret(evidence, options.risk)
    visible = [cell.confidence for cell in sheet.cells if cell.at not in clipped]
    marked = [cell.confidence for cell in sheet.cells if cell.at in sheet.board]
    if not is_proven and sum(marked) < MIN_MARKED_CONFIDENCE * max(len(marked), MIN_MARKED):
        return None
    is_legible = sum(visible) / len(visible) >= MIN_MEAN_CONFIDENCE
    is_placed = sheet.layout != UNKNOWN_LAYOUT or sheet.rectified.confidence >= MIN_PLACEMENT
    return sheet if options.game or is_placed or is_legible else None


def _with_own_ink(
    views: Iterator[Logits], photo: Photo, sheet: RectifiedSheet, layout: str, models: Models
) -> Iterator[Logits]:
    yield next(views)
    from kdscan.templates.own_print import with_own_ink  # imports what prints, only in doubt

    yield with_own_ink(next(views), photo, sheet, layout, models.ink_reader)
