"""From a grid laid flat to a map that was read: a line a stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from kdscan.detection.clipping import unseen_cells
from kdscan.detection.layout import UNKNOWN, detect_layout, is_mirrored
from kdscan.detection.qr import read_code
from kdscan.inference.store import Models
from kdscan.kinds.common.options import ReadOptions
from kdscan.kinds.duel_map.covered import LEAST
from kdscan.kinds.duel_map.interpret import decoded, interpret
from kdscan.marks.classify import Logits, weigh
from kdscan.marks.covered import covered
from kdscan.marks.refine_crops import refine_crops
from kdscan.prints.recognize import recognize, shows_mirrored
from kdscan.prints.recognize_layout import recognized
from kdscan.records import Ink, MapEvidence, MarkProbs, Photo, RectifiedSheet, SheetReading

RISK_SHARES = {1: 0.5, 4: 1.0}
"""A sheet is looked at so often in all, again as long as its total may be wrong with more than such
a share of the accepted risk: accepting after the first look inflates acceptance, so it gets half
of the error budget."""

ILL_PLACED, ILLEGIBLE = 0.92, 0.5
"""What lies less surely than the one and whose shields are less sure in the mean than the other is
no map: 168 photos of maps have nothing below 0.92, and one in fifty of them less than 0.5; two
sheets of other games have 0.91 and 0.27, 0.82 and 0.48."""


def read_map(
    photo: Photo, rectified: RectifiedSheet, models: Models, options: ReadOptions
) -> SheetReading:
    """Read one map that was found in a photo."""
    observe = options.observe
    with observe("layout"):
        layout = detect_layout(photo, rectified)
    with observe("print"):
        known = (
            recognize(photo, rectified.centers_xy, options.prints) if layout == UNKNOWN else None
        )
    mirrored = layout == UNKNOWN and (
        (known is None and is_mirrored(photo, rectified))
        or shows_mirrored(photo, rectified.centers_xy, options.prints, known)
    )
    ink: Ink | None = None
    if known is not None:
        from kdscan.prints.dropout import drop_out, predict_ink

        with observe("ink"):
            dropped = drop_out(photo, known)
        layout, ink, rectified = known.known.name, dropped.ink, dropped.rectified
        views = predict_ink(dropped, models.marks)
    else:
        with observe("marks"):
            rectified, views = refine_crops(photo, rectified, models.marks)
    with observe("marks"):
        probs = _probabilities(views, rectified, models, layout, options.risk)
    clipped = unseen_cells(photo, rectified)
    with observe("covers"):
        over = covered(rectified, models.cover)
    evidence = MapEvidence(
        rectified,
        probs,
        layout,
        clipped=clipped,
        mirrored=mirrored,
        ink=ink,
        covered={at: p for at, p in over.items() if p >= LEAST and at not in clipped},
    )
    with observe("code"):
        evidence = replace(evidence, sheet_id=read_code(photo, rectified, layout))
    if layout == UNKNOWN and options.layouts:
        name = recognized(rectified, options.layouts)
        evidence = replace(evidence, layout=name or UNKNOWN)
    with observe("interpret"):
        return interpret(evidence, options.risk)


def is_legible(sheet: SheetReading) -> bool:
    """Whether what was read may be a map at all, rather than something else that is ruled."""
    sure = sum(cell.confidence for cell in sheet.reading.cells) / len(sheet.reading.cells)
    return sheet.rectified.confidence >= ILL_PLACED or sure >= ILLEGIBLE


def _probabilities(
    views: Iterator[Logits], sheet: RectifiedSheet, models: Models, layout: str, risk: float
) -> MarkProbs:
    """What a sheet's shields hold; one that leaves doubts is looked at again, see `RISK_SHARES`."""
    for taken in accumulated(views):
        probs = weigh(taken, sheet.confidence, models.calibration(layout, len(taken)))
        if decoded(probs, (), risk).confidence >= 1 - RISK_SHARES[len(taken)] * risk:
            break
    return probs


def accumulated(views: Iterator[Logits]) -> Iterator[list[Logits]]:
    """All looks taken so far, for each number of them in `RISK_SHARES` that there are."""
    taken: list[Logits] = []
    for number in RISK_SHARES:
        taken += islice(views, number - len(taken))
        if len(taken) == number:
            yield taken
