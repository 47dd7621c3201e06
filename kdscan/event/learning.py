"""The task of learning prints from sheets in stored photos, see `kdscan.event.prints`."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from kdscan.errors import KdscanError, ModelError, StoreError, bug_of
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


@dataclass(frozen=True)
class Learn:
    """A task (see `kdscan.workers.pool`): learn the prints that a pile's sheets share.

    root: see `PhotoFiles`. prints: SHA-256 of the known prints' files. Its result are the files of
    the prints that were learned, usually none.
    """

    root: str
    pile: Pile
    prints: tuple[str, ...]

    @property
    def weight(self) -> float:
        return len(self.pile)

    def perform(self) -> list[bytes]:
        """Learn what a pile teaches; a bug in that costs only the print."""
        try:
            known = load_prints(self.root, self.prints)
            learned = learn_from_pile(_rectified(self.root, self.pile), known, default_models())
            return [to_stored(template).data for template in learned]
        except (ModelError, StoreError):
            raise
        except Exception as cause:
            print(f"kdscan: {bug_of(cause)}", file=sys.stderr)
            return []

    def failed(self, error: KdscanError) -> list[bytes]:
        """The result if it killed its process."""
        return []


def _rectified(root: str, pile: Pile) -> list[FlatSheet]:
    """The sheets of a pile, rectified, photo by photo; those whose photo is missing are omitted."""
    by_page: defaultdict[tuple[str, str, int], list[PlacedSheet]] = defaultdict(list)
    for sheet in pile:
        by_page[sheet.sha256, sheet.suffix, sheet.page].append(sheet)
    rectified = []
    for (sha256, suffix, page), sheets in by_page.items():
        try:
            photo = decode(PhotoFiles(root).get(sha256, suffix))[page]
        except KdscanError:
            continue
        for sheet in sheets:
            centers = np.array(sheet.centers).reshape(5, 7, 2)
            rectified.append(flat_sheet_at(photo, centers, sheet.coats, sheet.layout, sheet.key))
    return rectified
