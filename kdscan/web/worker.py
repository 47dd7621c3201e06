"""A child process that decodes and reads pictures, and may die of one.

    python -m kdscan.web.worker MAX_MEMORY_MB

It takes a JSON object a line on stdin (`do`: read, show, look, learn or teach; the others are the
fields of `kdscan.web.pool.Request` and its limits) and answers on stdout with two frames a page,
what was read and pictures of it, or with one, where a map lies or what was learned, and a last one,
`{"end": true}`. What decoders print on stdout goes to stderr. Everything a stranger's file can do
wrong happens here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import cv2

from kdscan.detection.glimpse import glimpse
from kdscan.errors import ImageTooLarge, ModelError, NoSheetFound, PhotoError, UsageError
from kdscan.game.kingdomino.variants import Variants
from kdscan.imaging.photo import Pages, decode
from kdscan.imaging.pyramid import at_most
from kdscan.inference.store import default_models
from kdscan.kinds import KINDS
from kdscan.kinds.common.options import ReadOptions
from kdscan.locale.errors import error_json
from kdscan.pipeline.document import PhotoReport, photo_json
from kdscan.pipeline.pages import read_page
from kdscan.pipeline.serialize import serialize
from kdscan.prints.api import learn_print
from kdscan.prints.drawing import draw_ink
from kdscan.prints.learn import MAX_SHEETS
from kdscan.records import AnyReading, Photo, SheetReading
from kdscan.tournament.batch.tasks import be_the_first_to_go
from kdscan.tournament.pads import PlacedSheet, teach
from kdscan.tournament.store.prints import load_prints
from kdscan.web.frames import write_frame

VIEW_PX, THUMB_PX = 2000, 360
"""Longest sides of the pictures that the page shows: one to look at, one in lists."""

DRAWN_PX_PER_MM = 5.0
"""Of the map that is read before any photo: as large as one in a photo."""

VIEW_QUALITY, THUMB_QUALITY = 80, 70


def answer(request: dict[str, Any], out: BinaryIO) -> None:
    """Read the file that is asked for; write a frame a page, each followed by its pictures."""
    cv2.setNumThreads(request["threads"])
    if request["do"] == "look":
        write_frame(out, {"look": look(Path(request["path"]).read_bytes())})
        return
    if request["do"] == "learn":
        learn(request, out)
        return
    if request["do"] == "teach":
        pile = tuple(PlacedSheet(**one) for one in request["pile"])
        write_frame(out, {"taught": True}, teach(request["photos"], pile, request["prints"]))
        return
    for report, photo in read_file(request):
        if report.error is not None and report.error.__cause__ is not None:
            print(f"kdscan: {report.name}: {report.error.__cause__!r}", file=sys.stderr)
        header = {
            "pages": report.pages,
            "report": photo_json(report),
            "kept": [serialize(sheet) for sheet in report.sheets],
        }
        write_frame(out, header)
        if photo is not None:  # nobody has to wait for them to see the score
            inks = [ink_picture(sheet) for sheet in report.sheets]
            write_frame(out, {"page": report.page}, (*pictures(photo), *inks))


def learn(request: dict[str, Any], out: BinaryIO) -> None:
    """Learn a print; write a frame with its file, or with what is wrong with the photos."""
    problem, data = None, b""
    try:
        files = [Path(path).read_bytes() for path in (request["path"], *request["more"])]
        opened = [decode(data, "photo") for data in files]
        photos = [pages[n] for pages in opened for n in range(min(len(pages), MAX_SHEETS))]
        known = learn_print(photos, request["name"], unmarked=request["unmarked"])
        data = known.data
    except (PhotoError, NoSheetFound, UsageError) as error:
        problem = error_json(error)
    write_frame(out, {"problem": problem}, (data,))


def ink_picture(sheet: AnyReading) -> bytes:
    """What was drawn on a sheet of a known print, as PNG on white; empty for others."""
    if not isinstance(sheet, SheetReading) or sheet.ink is None:
        return b""
    return cv2.imencode(".png", draw_ink(sheet.ink))[1].tobytes()


def look(data: bytes) -> dict[str, Any]:
    """What a camera's live picture shows; corners as shares of its width and height."""
    try:
        photo = decode(data, "")[0]
    except PhotoError:
        return {"hint": "none", "confidence": 0.0, "outline": None}
    seen = glimpse(photo, default_models().locate)
    size = (photo.width, photo.height)
    outline = None if seen.outline_xy is None else (seen.outline_xy / size).round(4).tolist()
    return {"hint": seen.hint, "confidence": seen.confidence, "outline": outline}


def read_file(request: dict[str, Any]) -> Iterator[tuple[PhotoReport, Photo | None]]:
    """Every page with what came of it; errors are reports too."""
    name = str(request["name"])
    try:
        pages = decode(Path(request["path"]).read_bytes(), name)
        if len(pages) > request["max_pages"]:
            raise ImageTooLarge(
                "the file has {pages} pages, {most} at most on this page; split it, or read it "
                "with kdscan batch",
                pages=len(pages),
                most=request["max_pages"],
            )
    except PhotoError as error:
        yield PhotoReport(name, error=error), None
        return
    for page in range(len(pages)):
        if request["do"] == "show":
            yield _shown(pages, page)
        else:
            options = ReadOptions(
                risk=float(request["risk"]),
                game=request["game"],
                variants=Variants(**request["variants"]),
                prints=load_prints(request["photos"], request["prints"]),
            )
            yield read_page(pages, page, options)


def _shown(pages: Pages, page: int) -> tuple[PhotoReport, Photo | None]:
    """A page's picture alone."""
    try:
        photo = pages[page]
    except PhotoError as error:
        return PhotoReport(pages.name, page, len(pages), error=error), None
    return PhotoReport(pages.name, page, len(pages), (photo.width, photo.height)), photo


def pictures(photo: Photo) -> tuple[bytes, bytes]:
    """JPEGs to look at and for lists, without any of the file's metadata."""
    view, thumb = (at_most(photo, longer)[0] for longer in (VIEW_PX, THUMB_PX))
    return _jpeg(view, VIEW_QUALITY), _jpeg(thumb, THUMB_QUALITY)


def _jpeg(bgr: Any, quality: int) -> bytes:
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()


def limit_memory(megabytes: int) -> None:
    """No more address space than that for this process, where the system can tell."""
    try:
        import resource
    except ImportError:  # Windows has none; the time limit is left
        return
    most = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def warm_up() -> None:
    """Load the models, read a drawn map and draw what spellbooks are compared with, so that no
    photo waits for what only the first one costs: half as long again, and on each worker."""
    import numpy.ma  # noqa: F401  numpy's median imports it when it is first used

    from kdscan.kinds.spellbook.place import draw_blanks
    from kdscan.sheet.book import load_book
    from kdscan.sheet.layout import load_layout
    from kdscan.sheet.raster import render_page

    for kind in KINDS:
        kind.load()
    models = default_models()
    _ = models.spellbook, models.struck_by, models.tiles, models.squares  # a map needs the others
    _, png = cv2.imencode(".png", render_page(load_layout("kdscan-a5"), DRAWN_PX_PER_MM))
    read_page(decode(png.tobytes(), "a drawn map"), 0)
    draw_blanks(load_book("kdscan-a5-spellbook"))


def main() -> None:
    """Serve until stdin ends; nothing but frames reaches the real stdout."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    be_the_first_to_go()
    try:
        warm_up()
        write_frame(out, {"ready": True})
    except ModelError as error:
        write_frame(out, {"ready": False, "message": str(error)})
        return
    for line in sys.stdin.buffer:
        answer(json.loads(line), out)
        write_frame(out, {"end": True})


if __name__ == "__main__":
    main()
