"""The stages from a photo to the kingdoms of tiles in it; see `kdscan.reader`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kdscan.detection.clipping import SIDES
from kdscan.detection.qr import read_card_codes
from kdscan.imaging.picture import Photo
from kdscan.inference.store import Models
from kdscan.rules.kingdomino.variants import Variants
from kdscan.sheets.kingdom.find import HARDLY_KINGDOM, SURELY_KINGDOM, FoundKingdom, find_kingdoms
from kdscan.sheets.kingdom.interpret import decode_kingdoms, interpret
from kdscan.sheets.kingdom.model import KingdomReading

MIN_MEAN_CONFIDENCE = 0.5
"""Least mean confidence of a kingdom's squares: in 180 kingdoms it is at least 0.849, in 38 of 53
detections on maps and sheets of other games less than 0.5."""


def read_kingdoms(
    photo: Photo, models: Models, variants: Variants, risk: float, *, named: bool
) -> tuple[tuple[KingdomReading, ...], float, tuple[str, ...]]:
    """The kingdoms of tiles in a photo, the confidence that at least one is a kingdom, and the
    sides of the picture beyond which one lies with its castle.

    named: whether the user says that the photo shows kingdoms. Then a castle without a tile counts
    as one too; otherwise it is nearly always a map of the other game (51 of 53 detections on such
    photos, no kingdom of 180). A lawful kingdom has at least its total's confidence, however
    unusual its castle looks; an unlawful one counts only if it is detected beyond doubt. In 9 of
    347 maps of the other game a lawful kingdom was found, none with a confidence above 0.75.
    Doubtful unlawful detections are dropped: a yellow table with a pattern of squares looks like
    wheat.
    """
    every = find_kingdoms(photo, models.tiles, models.squares, variants)
    found = [one for one in every if not one.lost]
    lost = {side for one in every if one.lost for side in one.evidence.cut}
    beside = tuple(side for side in SIDES if side in lost)
    read = _decode(found, risk, beside)
    real = [
        (one, reading)
        for one, reading in zip(found, read, strict=True)
        if (one.confidence > HARDLY_KINGDOM or _is_lawful(reading))
        and np.mean([square.confidence for square in reading.squares]) >= MIN_MEAN_CONFIDENCE
        and (named or reading.kingdom.squares)
    ]
    if len(real) < len(found):
        read = _decode([one for one, _ in real], risk, beside)
    return read, max((_confidence(*one) for one in real), default=0.0), beside


def assign_card_codes(
    kingdoms: Sequence[KingdomReading], photo: Photo
) -> tuple[KingdomReading, ...]:
    """Kingdoms with the codes of cards in the photo, each assigned to the nearest kingdom."""
    coded = list(kingdoms)
    middles = [kingdom.outline_xy.mean(0) for kingdom in coded]
    tile_px = min(kingdom.rectified.px_per_cell for kingdom in coded)
    cards = [(text, quad.mean(0)) for text, quad in read_card_codes(photo, tile_px)]
    gaps = sorted(
        (float(np.hypot(*(at - middle))), n, text)
        for text, at in cards
        for n, middle in enumerate(middles)
    )
    for _, n, text in gaps:
        if coded[n].sheet_id is None and all(one.sheet_id != text for one in coded):
            coded[n] = replace(coded[n], evidence=replace(coded[n].evidence, sheet_id=text))
    return tuple(coded)


def _decode(
    found: Sequence[FoundKingdom], risk: float, beside: tuple[str, ...]
) -> tuple[KingdomReading, ...]:
    """The readings of kingdoms; beside: see `KingdomEvidence`, of the first of them."""
    evidence = [replace(one.evidence, beside=() if n else beside) for n, one in enumerate(found)]
    return decode_kingdoms(evidence, risk)


def _is_lawful(kingdom: KingdomReading) -> bool:
    """Whether dominoes can form it."""
    return not any(problem.severity == "error" for problem in kingdom.problems)


def _confidence(one: FoundKingdom, reading: KingdomReading) -> float:
    """Confidence that a detection is a kingdom rather than something else, whatever lies on it."""
    if reading.evidence.covered:
        reading = interpret(replace(reading.evidence, covered={}))
    if not _is_lawful(reading):
        return one.confidence if one.confidence > SURELY_KINGDOM else 0.0
    return (
        max(one.confidence, reading.confidence)
        if one.confidence > HARDLY_KINGDOM
        else one.confidence
    )
