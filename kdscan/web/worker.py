"""The work of the page's workers: decode, read and draw pictures, any of which may crash them.

See `kdscan.workers.serve`. For each page of a file that is read there are two frames, the reading
and the pictures; otherwise one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import cv2

from kdscan.detection.preview import camera_hint
from kdscan.document import PhotoReport, photo_json
from kdscan.errors import ImageTooLarge, NoSheetFound, PhotoError, UsageError
from kdscan.event.batch.tasks import Learn
from kdscan.event.store.files import load_prints
from kdscan.i18n.errors import error_json
from kdscan.imaging.formats import jpeg, png
from kdscan.imaging.photo import Pages, decode
from kdscan.imaging.picture import Photo
from kdscan.imaging.pyramid import at_most
from kdscan.inference.store import default_models
from kdscan.reader import read_page
from kdscan.sheets.base import AnyReading, serialize
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.model import MapReading
from kdscan.templates.drawing import draw_ink
from kdscan.templates.learn import MAX_SHEETS, learn_template
from kdscan.templates.library import to_stored
from kdscan.web import schemas
from kdscan.web.tasks import Allowed, LearnPrint, Look, Read, Show
from kdscan.workers.frames import Frame
from kdscan.workers.pool import cores

VIEW_PX, THUMB_PX = 2000, 360
"""Longest sides of the page's pictures: one to look at, one for lists."""

DRAWN_PX_PER_MM = 5.0
"""Resolution of the map that is read before any photo: as large as one in a photo."""

VIEW_QUALITY, THUMB_QUALITY = 80, 70


def answer(allowed: Allowed) -> Iterator[Frame]:
    """Perform a task."""
    cv2.setNumThreads(allowed.threads)
    task = allowed.task
    if isinstance(task, Look):
        yield Frame({"look": look(task.path.read_bytes())})
    elif isinstance(task, LearnPrint):
        yield learn(task)
    elif isinstance(task, Learn):
        yield task.perform().to_frame()
    else:
        for report, photo in read_file(task, allowed.max_pages):
            if report.error is not None and report.error.__cause__ is not None:
                print(f"kdscan: {report.name}: {report.error.__cause__!r}", file=sys.stderr)
            kept = [serialize(sheet) for sheet in report.sheets]
            yield Frame({"pages": report.pages, "report": photo_json(report), "kept": kept})
            if photo is not None:  # sent later, so that nobody waits for them to see the score
                inks = [ink_picture(sheet) for sheet in report.sheets]
                yield Frame({"page": report.page}, (*pictures(photo), *inks))


def learn(task: LearnPrint) -> Frame:
    """Learn a print: its file, or what is wrong with the photos."""
    try:
        files = [path.read_bytes() for path in task.paths]
        opened = [decode(data, "photo") for data in files]
        photos = [pages[n] for pages in opened for n in range(min(len(pages), MAX_SHEETS))]
        known = to_stored(learn_template(photos, task.name, unmarked=task.unmarked))
    except (PhotoError, NoSheetFound, UsageError) as error:
        return Frame({"problem": error_json(error)})
    return Frame({"problem": None}, (known.data,))


def ink_picture(sheet: AnyReading) -> bytes:
    """The ink of a sheet of a known print, as PNG on white; empty for others."""
    if not isinstance(sheet, MapReading) or sheet.ink is None:
        return b""
    return png(draw_ink(sheet.ink))


def look(data: bytes) -> schemas.Look:
    """What a camera's live picture shows; corners as fractions of its width and height."""
    try:
        photo = decode(data, "")[0]
    except PhotoError:
        return {"hint": "none", "confidence": 0.0, "outline": None}
    seen = camera_hint(photo, default_models().locate)
    size = (photo.width, photo.height)
    outline = None if seen.outline_xy is None else (seen.outline_xy / size).round(4).tolist()
    return {"hint": seen.hint, "confidence": seen.confidence, "outline": outline}


def read_file(task: Read | Show, max_pages: int) -> Iterator[tuple[PhotoReport, Photo | None]]:
    """Every page with its result; errors are reports too."""
    name = task.name if isinstance(task, Read) else ""
    try:
        pages = decode(task.path.read_bytes(), name)
        if len(pages) > max_pages:
            raise ImageTooLarge(
                "the file has {pages} pages, but this page takes at most {most}; split it, or "
                "read it with kdscan batch",
                pages=len(pages),
                most=max_pages,
            )
    except PhotoError as error:
        yield PhotoReport(name, error=error), None
        return
    for page in range(len(pages)):
        if isinstance(task, Show):
            yield _shown(pages, page)
        else:
            prints = load_prints(task.photos, task.prints)
            options = ReadOptions(game=task.game, variants=task.variants, prints=prints)
            yield read_page(pages, page, options)


def _shown(pages: Pages, page: int) -> tuple[PhotoReport, Photo | None]:
    """A page's picture, without reading it."""
    try:
        photo = pages[page]
    except PhotoError as error:
        return PhotoReport(pages.name, page, len(pages), error=error), None
    return PhotoReport(pages.name, page, len(pages), (photo.width, photo.height)), photo


def pictures(photo: Photo) -> tuple[bytes, bytes]:
    """JPEGs to look at and for lists, without any of the file's metadata."""
    view, thumb = (at_most(photo, longer)[0] for longer in (VIEW_PX, THUMB_PX))
    return jpeg(view, VIEW_QUALITY), jpeg(thumb, THUMB_QUALITY)


def prepare() -> None:
    """Load the models, read a rendered map and render the blank spellbook pages. Otherwise the
    first photo would take half as long again on each worker."""
    import numpy.ma  # noqa: F401  numpy's median imports it when it is first used

    from kdscan.paper.book import load_book
    from kdscan.paper.layout import load_layout
    from kdscan.paper.printing import render_page
    from kdscan.sheets.spellbook.read import draw_blanks

    models = default_models()
    models.preload(threads=min(2, cores()))  # somebody waits, mostly for one photo
    _ = models.spellbook, models.struck_by, models.tiles, models.squares  # a map needs the others
    drawn = png(render_page(load_layout("kdscan-a5"), DRAWN_PX_PER_MM))
    read_page(decode(drawn, "a drawn map"), 0)
    draw_blanks(load_book("kdscan-a5-spellbook"))
