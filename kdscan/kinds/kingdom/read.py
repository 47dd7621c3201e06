"""From a photo to the kingdoms of tiles in it, see `kdscan.pipeline.read`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kdscan.detection.qr import read_card_codes
from kdscan.game.kingdomino.variants import Variants
from kdscan.inference.store import Models
from kdscan.kinds.kingdom.decode import decode_kingdoms
from kdscan.kinds.kingdom.find import (
    HARDLY_KINGDOM,
    SURELY_KINGDOM,
    FoundKingdom,
    find_kingdoms,
)
from kdscan.records import KingdomEvidence, KingdomReading, Photo

ILLEGIBLE = 0.1
"""Squares of something whose squares are less sure than this in the mean are no kingdom's: in 45
photos of kingdoms the least is 0.986, in two sheets of other games it is 0.001."""


def read_kingdoms(
    photo: Photo, models: Models, variants: Variants, risk: float
) -> tuple[tuple[KingdomReading, ...], float]:
    """The kingdoms of tiles in a photo, and how sure it is that one of them is one.

    One whose dominoes can lie so is as sure as its total, however strange its castle looks;
    another counts where it is beyond all doubt. Into 9 of 347 maps of the other game a kingdom
    was read that can lie so, none with a total surer than 0.75. What hardly is a
    kingdom and cannot lie so is none: a yellow table ruled in squares is a field of wheat.
    """
    found = find_kingdoms(photo, models.tiles, models.squares, 7 if variants.great_duel else None)
    read = _decoded(found, variants, risk)
    sure = max(map(_sure, found, read), default=0.0)
    real = [
        one
        for one, reading in zip(found, read, strict=True)
        if (one.sure > HARDLY_KINGDOM or _possible(reading))
        and np.mean([square.confidence for square in reading.squares]) >= ILLEGIBLE
    ]
    return (read if len(real) == len(found) else _decoded(real, variants, risk)), sure


def named(kingdoms: Sequence[KingdomReading], photo: Photo) -> tuple[KingdomReading, ...]:
    """Kingdoms with the codes of the cards beside them: each card's goes to the nearest one."""
    named = list(kingdoms)
    if not named:
        return ()
    middles = [kingdom.outline_xy.mean(0) for kingdom in named]
    tile_px = min(kingdom.rectified.px_per_cell for kingdom in named)
    cards = [(text, quad.mean(0)) for text, quad in read_card_codes(photo, tile_px)]
    gaps = sorted(
        (float(np.hypot(*(at - middle))), n, text)
        for text, at in cards
        for n, middle in enumerate(middles)
    )
    for _, n, text in gaps:
        if named[n].sheet_id is None and all(one.sheet_id != text for one in named):
            evidence = replace(named[n].evidence, sheet_id=text)
            named[n] = replace(named[n], evidence=evidence)
    return tuple(named)


def _decoded(
    found: Sequence[FoundKingdom], variants: Variants, risk: float
) -> tuple[KingdomReading, ...]:
    evidence = [
        KingdomEvidence(
            one.flat, one.probs, replace(variants, great_duel=len(one.probs) == 7), one.beyond
        )
        for one in found
    ]
    return decode_kingdoms(evidence, risk)


def _possible(kingdom: KingdomReading) -> bool:
    """Whether dominoes can lie so."""
    return not any(problem.severity == "error" for problem in kingdom.problems)


def _sure(one: FoundKingdom, reading: KingdomReading) -> float:
    """How sure it is that this is a kingdom, and none that was read into something else."""
    if not _possible(reading):
        return one.sure if one.sure > SURELY_KINGDOM else 0.0
    return max(one.sure, reading.confidence) if one.sure > HARDLY_KINGDOM else one.sure
