"""Pads of the generator: a blank and filled sheets, photographed once for all tests."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.find import find
from kdscan.imaging.rectify import resolution
from kdscan.inference.store import default_models
from kdscan.prints.known import KnownPrint
from kdscan.prints.learn import learn_print
from kdscan.records import CELLS, Photo
from kdscan.records.arrays import Floats
from kdscan.synth.pads import pad_blank, pad_print, pad_sheet
from kdscan.synth.scene import SynthPhoto

PAINTED, ENGRAVED = 70_000_023, 70_000_010
"""Seeds of two pads."""
GROUNDS = {PAINTED: "painted", ENGRAVED: "engraved"}
SIZE = (1600, 1200)


_print = cache(pad_print)


@cache
def blank(seed: int) -> SynthPhoto:
    return pad_blank(seed, _print(seed, GROUNDS[seed]), "easy", SIZE)


@cache
def sheet(seed: int, number: int) -> SynthPhoto:
    page = _print(seed, GROUNDS[seed])
    return pad_sheet(seed, number, page, "easy", SIZE, mess=0.0, dice=False)


@cache
def learned(seed: int) -> KnownPrint:
    models = default_models()
    photo = Photo(blank(seed).bgr, "blank.jpg")
    return learn_print([photo], f"pad {seed}", models.locate, models.refine, models.marks)


@cache
def found(seed: int, number: int) -> tuple[Photo, Floats]:
    """A filled sheet's photo and where the finder thinks that its cells lie."""
    models = default_models()
    photo = Photo(sheet(seed, number).bgr, f"{number}.jpg")
    return photo, find(photo, models.locate, models.refine)[0].centers_xy


def off(centers_xy: Floats, truth: SynthPhoto) -> NDArray[np.float64]:
    """(34,): how far cells lie from where they should, in cells."""
    true = np.array([truth.centers_xy[at] for at in CELLS])
    mine = np.array([centers_xy[at] for at in CELLS])
    return np.asarray(np.linalg.norm(mine - true, axis=1) / resolution(centers_xy))
