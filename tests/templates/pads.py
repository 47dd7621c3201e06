"""Pads from the generator: a blank and filled sheets, photographed once for all tests."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.find import find_maps
from kdscan.files import write_file
from kdscan.imaging.picture import Floats, Network, Photo, resolution
from kdscan.inference.store import default_models
from kdscan.rules.duel.board import CELLS
from kdscan.templates.learn import learn_template
from kdscan.templates.pile import FlatSheet
from kdscan.templates.template import Template
from lab.synth.pads import pad_blank, pad_print, pad_sheet
from lab.synth.scene import SynthPhoto
from tests.conftest import SHARED

PAINTED, ENGRAVED = 70_000_023, 70_000_010
"""Seeds of two pads."""
GROUNDS = {PAINTED: "painted", ENGRAVED: "engraved"}
SIZE = (1600, 1200)

T = TypeVar("T")


_print = cache(pad_print)


def _once(name: str, make: Callable[[], T]) -> T:
    """What is made once for all processes that tests run in."""
    kept = Path(os.environ[SHARED], name)
    if not kept.exists():
        write_file(kept, pickle.dumps(make()))
    made: T = pickle.loads(kept.read_bytes())
    return made


@cache
def blank(seed: int) -> SynthPhoto:
    return _once(
        f"{seed}.blank", lambda: pad_blank(seed, _print(seed, GROUNDS[seed]), "easy", SIZE)
    )


@cache
def sheet(seed: int, number: int) -> SynthPhoto:
    def make() -> SynthPhoto:
        page = _print(seed, GROUNDS[seed])
        return pad_sheet(seed, number, page, "easy", SIZE, messiness=0.0, dice=False)

    return _once(f"{seed}.{number}", make)


@cache
def learned(seed: int) -> Template:
    def make() -> Template:
        photo = Photo(blank(seed).bgr, "blank.jpg")
        return learn_template([photo], f"pad {seed}", default_models())

    return _once(f"{seed}.print", make)


def learned_at_once(
    sheets: Sequence[FlatSheet], name: str, inking: Network, known: Template | None = None
) -> Template:
    """Instead of `learn_from_flat_sheets`, which takes seconds a sheet, in tests of what comes
    before and after it: the painted pad's template. Sheets come in an order of their own."""
    keys = [one.key for one in sheets]
    assert keys == sorted(keys)
    return replace(learned(PAINTED), name=name, sheets=len(sheets))


@cache
def found(seed: int, number: int) -> tuple[Photo, Floats]:
    """A filled sheet's photo and where the finder thinks that its cells lie."""
    models = default_models()
    photo = Photo(sheet(seed, number).bgr, f"{number}.jpg")
    return photo, find_maps(photo, models.locate, models.refine)[0][0].centers_xy


def off(centers_xy: Floats, truth: SynthPhoto) -> NDArray[np.float64]:
    """(34,): how far cells lie from where they should, in cells."""
    true = np.array([truth.centers_xy[at] for at in CELLS])
    mine = np.array([centers_xy[at] for at in CELLS])
    return np.asarray(np.linalg.norm(mine - true, axis=1) / resolution(centers_xy))
