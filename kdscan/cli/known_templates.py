"""The templates with which commands read, and a word on those that should be learned."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence

from kdscan.cli.terminal import error_message, note, terminal_words
from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import KdscanError
from kdscan.imaging.picture import Photo
from kdscan.sheets.base import AnyReading, maps_of
from kdscan.templates.learn import MIN_FILLED, coats_of
from kdscan.templates.library import StoredTemplate, load_template, own_library
from kdscan.templates.pile import FlatSheet, flat_sheet_at, is_suitable, shared_by_some
from kdscan.templates.template import folded


def known_templates(files: Sequence[str] = ()) -> list[StoredTemplate]:
    """This user's templates, preceded by those of `files`.

    Damaged ones of the library are reported and skipped; raises LayoutError for others.
    """
    given = [load_template(file, thoroughly=True) for file in files]
    names = {folded(template.name) for template in given}
    return given + [t for t in own_library().load(damaged) if folded(t.name) not in names]


def damaged(error: KdscanError) -> None:
    """Report that a file is skipped."""
    note(terminal_words(sys.stderr).t("{what} (skipped)", what=error_message(error)))


def flat_sheets(photo: Photo, sheets: Iterable[AnyReading]) -> list[FlatSheet]:
    """The maps of unknown templates in a photo that are suitable for learning; their key is the
    photo's name."""
    return [
        flat_sheet_at(
            photo,
            sheet.rectified.centers_xy,
            coats_of({cell.at: cell.content[0] for cell in sheet.cells}),
            sheet.layout,
            photo.name,
        )
        for sheet in maps_of(sheets)
        if sheet.layout == UNKNOWN_LAYOUT
        and is_suitable((p.code for p in sheet.problems), sheet.rectified.px_per_cell)
    ]


def note_shared_template(sheets: Sequence[FlatSheet]) -> None:
    """Report the photos that are enough to learn a template that they share, if any are, and the
    command for it."""
    if len(sheets) < MIN_FILLED:
        return
    w = terminal_words(sys.stderr)
    photos = list(dict.fromkeys(sheet.key for sheet in shared_by_some(sheets)))
    if len(photos) < MIN_FILLED:
        return
    text = w.t(
        "{n} of these photos show sheets of one pad that kdscan does not know yet. To have them "
        "read better, let it learn what is printed on them:",
        n=len(photos),
    )
    note(f"kdscan: {text} {shlex.join(['kdscan', 'template', 'learn', *photos])} --name NAME")
