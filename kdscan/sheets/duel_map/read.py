"""The stages from a rectified grid to a map's reading."""

from __future__ import annotations

from kdscan.detection.locate import clipped_cells
from kdscan.detection.markers import UNKNOWN_LAYOUT, detect_layout, is_mirrored
from kdscan.detection.qr import read_code
from kdscan.imaging.picture import Photo
from kdscan.imaging.quality import BLURRED, DARK, edge_width, is_bilevel
from kdscan.imaging.rectify import Ink, RectifiedSheet
from kdscan.inference.store import Models, calibrated_as
from kdscan.marks.network import covered, refine_crops, to_probs
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


def read_map(
    photo: Photo, rectified: RectifiedSheet, models: Models, options: ReadOptions
) -> MapReading:
    """Read one map from its photo and rectified grid."""
    layout = detect_layout(photo, rectified)
    aligned, mirrored = None, False
    if layout == UNKNOWN_LAYOUT:
        if options.prints:
            from kdscan.templates.recognize import recognize, shows_mirrored

            xy = rectified.centers_xy
            aligned = recognize(photo, xy, options.prints)
            mirrored = shows_mirrored(photo, xy, options.prints, aligned)
        mirrored = mirrored or (aligned is None and is_mirrored(photo, rectified))
    ink: Ink | None = None
    if aligned is not None:
        from kdscan.templates.drop_out import drop_out, predict_ink

        dropped = drop_out(photo, aligned)
        layout, ink, rectified = aligned.template.name, dropped.ink, dropped.rectified
        views = predict_ink(dropped, models.marks, models.ink_reader)
    else:
        rectified, views = refine_crops(photo, rectified, models.marks)
    group = calibrated_as(layout, template=aligned is not None)
    for (number, share), logits in zip(RISK_SHARES.items(), views, strict=True):
        calibration = models.calibration(group, number)
        probs = to_probs(logits, rectified.confidence, calibration)
        if decoded(probs, (), options.risk).confidence >= 1 - share * options.risk:
            break
    clipped = clipped_cells(photo, rectified)
    over = covered(rectified, models.cover)
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
        ink=ink,
        covered={at: p for at, p in over.items() if p >= MIN_PROBABILITY and at not in clipped},
    )
    return interpret(evidence, options.risk)


def is_legible(sheet: MapReading) -> bool:
    """Whether a reading is plausibly of a map, rather than of another printed grid."""
    visible = [c.confidence for c in sheet.cells if c.at not in sheet.clipped]
    mean = sum(visible) / len(visible)
    return (
        sheet.layout != UNKNOWN_LAYOUT
        or sheet.rectified.confidence >= MIN_PLACEMENT
        or mean >= MIN_MEAN_CONFIDENCE
    )
