"""Sheets in stored photos, and the prints that a worker learns from them: see `tournament.pads`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kdscan.errors import KdscanError
from kdscan.event.store.files import PhotoFiles, load_prints
from kdscan.imaging.photo import decode
from kdscan.inference.store import default_models
from kdscan.templates.library import to_stored
from kdscan.templates.pile import FlatSheet, flat_sheet_at, learn_from_pile


@dataclass(frozen=True)
class PlacedSheet:
    """A sheet in a stored photo. centers: x and y of its 35 cells in the photo, row by row. coats,
    layout: see `FlatSheet`."""

    sha256: str
    suffix: str
    page: int
    number: int
    centers: tuple[float, ...]
    coats: str
    layout: str

    @property
    def key(self) -> str:
        return f"{self.sha256}-{self.page}-{self.number}"


Pile = tuple[PlacedSheet, ...]
"""Sheets in the order of their keys."""


def teach(root: str, pile: Pile, prints: Iterable[str]) -> tuple[bytes, ...]:
    """Files of the prints that a pile teaches; runs in a process that may crash.

    root: see `PhotoFiles`. prints: SHA-256 of the known prints' files.
    """
    learned = learn_from_pile(_flat(root, pile), load_prints(root, prints), default_models().ink)
    return tuple(to_stored(result.template).data for result in learned)


def _flat(root: str, pile: Pile) -> list[FlatSheet]:
    """The sheets of a pile, rectified, photo by photo; those whose photo is missing are omitted."""
    by_page: defaultdict[tuple[str, str, int], list[PlacedSheet]] = defaultdict(list)
    for sheet in pile:
        by_page[sheet.sha256, sheet.suffix, sheet.page].append(sheet)
    flat = []
    for (sha256, suffix, page), sheets in by_page.items():
        try:
            photo = decode(PhotoFiles(root).get(sha256, suffix))[page]
        except KdscanError:
            continue
        for sheet in sheets:
            centers = np.array(sheet.centers).reshape(5, 7, 2)
            flat.append(flat_sheet_at(photo, centers, sheet.coats, sheet.layout, sheet.key))
    return flat
