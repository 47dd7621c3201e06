"""A word on templates that should be learned, for commands that read several photos."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence

from kdscan.cli.shared import note, terminal_words
from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.imaging.picture import Photo
from kdscan.sheets.base import AnyReading, maps_of
from kdscan.templates.learn import MIN_FILLED, coats_of
from kdscan.templates.pile import (
    MOST_COMPARED,
    FlatSheet,
    flat_sheet_at,
    is_suitable,
    shared_by_some,
)


def add_flat_sheets(collected: list[FlatSheet], photo: Photo, sheets: Iterable[AnyReading]) -> None:
    """Add the maps of unknown templates in a photo that are suitable for learning; their key is the
    photo's name."""
    for sheet in maps_of(sheets) if len(collected) < MOST_COMPARED else ():
        codes = (problem.code for problem in sheet.problems)
        if sheet.layout == UNKNOWN_LAYOUT and is_suitable(codes, sheet.rectified.px_per_cell):
            coats = coats_of({cell.at: cell.content[0] for cell in sheet.cells})
            xy = sheet.rectified.centers_xy
            collected.append(flat_sheet_at(photo, xy, coats, sheet.layout, photo.name))


def note_shared_template(sheets: Sequence[FlatSheet]) -> None:
    """Report the photos that are enough to learn a template that they share, if any are, and the
    command for it."""
    photos = list(dict.fromkeys(sheet.key for sheet in shared_by_some(sheets)))
    if len(photos) < MIN_FILLED:
        return
    text = terminal_words(sys.stderr).t(
        "{n} of these photos show sheets of one pad that kdscan does not know yet. To have them "
        "read better, let it learn what is printed on them:",
        n=len(photos),
    )
    note(f"kdscan: {text} {shlex.join(['kdscan', 'template', 'learn', *photos])} --name NAME")
