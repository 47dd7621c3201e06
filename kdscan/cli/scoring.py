"""The work of `kdscan score` after parsing its options: read, show, draw, learn, fuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from kdscan.cli.options import NEEDS_REVIEW, SOME_FAILED, UNLAWFUL
from kdscan.cli.reading import read_all, read_stdin
from kdscan.detection.layout import UNKNOWN_LAYOUT
from kdscan.document import photo_json, report_json
from kdscan.errors import BlankPage, Bug, NoSheetFound, PhotoError, UsageError
from kdscan.i18n.problems import AGAINST_RULES
from kdscan.sheets.fusion import fuse_sheets, maps_by_place

if TYPE_CHECKING:
    from kdscan.cli.auto_learning import AutoLearner
    from kdscan.cli.corrections import Correction
    from kdscan.cli.output import Printer
    from kdscan.cli.overlay_file import OverlayFile
    from kdscan.sheets.common import ReadOptions
    from kdscan.sheets.duel_map.model import MapReading
    from kdscan.sheets.entries import FusedJson, PhotoJson
    from kdscan.sheets.fusion import Where

    Read = tuple[PhotoJson, dict[Where, MapReading]]
    """A photo or page that was read: its entry in the JSON, and its maps."""


def score_photos(
    photos: Sequence[str],
    corrections: Sequence[Correction],
    options: ReadOptions,
    *,
    printer: Printer,
    learner: AutoLearner,
    overlay: OverlayFile | None,
    strict: bool,
) -> int:
    """Read the photos, show what was found, and return the exit code.

    Sheets of a pad that they taught are read again with it. Only a limited number of sheets teach
    at once, so the others then have another turn. Raises ModelError, because then no photo can be
    read, and UsageError.
    """
    read = _read_and_learn(photos, corrections, options, printer, learner, overlay)
    entries = [entry for entry, _ in read]
    together = {where: one for _, maps in read for where, one in maps.items()}
    fused = fuse_sheets(together, risk=options.risk)
    answer = report_json(entries, fused)
    if options.variants.dynasty:
        from kdscan.sheets.kingdom.show import dynasty_json

        answer["dynasty"] = dynasty_json(entries)
    printer.answer(answer, fused)
    _check_all_applied(corrections, entries)
    code = exit_code(entries, strict, answer["fused"])
    unsure = strict and "dynasty" in answer and answer["dynasty"]["review"]
    return NEEDS_REVIEW if unsure and code == 0 else code


def _read_and_learn(
    photos: Sequence[str],
    corrections: Sequence[Correction],
    options: ReadOptions,
    printer: Printer,
    learner: AutoLearner,
    overlay: OverlayFile | None,
) -> list[Read]:
    """Read and show all photos and pages, and those with sheets of unknown pads again as often as
    the sheets have taught some."""
    read: dict[int, Read] = {}
    wanted: set[int] | None = None  # None: all
    names: set[str] = set()
    stdin = cache(read_stdin)  # a pipe can be read only once
    while True:
        for number, report, photo in read_all(
            photos, corrections, options, printer.progress, wanted, stdin
        ):
            entry, maps = photo_json(report), maps_by_place(number, report.sheets)
            better = _layouts(maps) & names and _same(entry, read[number][0])
            if wanted is None or better:
                read[number] = entry, maps
                printer.report(report, number + 1)
                if overlay and photo is not None and report.sheets:
                    several = len(photos) > 1 or report.pages > 1
                    overlay.draw(photo, report, number + 1 if several else None)
            if not better:
                learner.add(photo, report.sheets)
        printer.clear()
        taught = learner.learn()
        if not taught:
            return list(read.values())
        wanted = {number for number, (_, maps) in read.items() if UNKNOWN_LAYOUT in _layouts(maps)}
        names = {one.name for one in taught}
        options = replace(options, prints=(*options.prints, *taught))
        printer.again()


def exit_code(photos: Sequence[PhotoJson], strict: bool, fused: Sequence[FusedJson] = ()) -> int:
    """The exit code for the entries of `photos` and `fused` in the JSON."""
    errors = {photo["error"]["code"] for photo in photos if photo["error"]}
    blank = BlankPage.code in errors
    errors.discard(BlankPage.code)  # the backs of scanned sheets need no look
    together = {(n, k): one["sheet"] for one in fused for n, k in one["sheets"]}
    sheets = [
        together.get((n, k), sheet)
        for n, photo in enumerate(photos)
        for k, sheet in enumerate(photo["sheets"])
    ]
    if Bug.code in errors:
        return Bug.exit_code
    if sheets:
        if strict and (errors or any(sheet["review"] for sheet in sheets)):
            return NEEDS_REVIEW
        if strict and any(p["code"] in AGAINST_RULES for s in sheets for p in s["problems"]):
            return UNLAWFUL
        return SOME_FAILED if errors - {NoSheetFound.code} else 0
    return NoSheetFound.exit_code if blank or NoSheetFound.code in errors else PhotoError.exit_code


def _layouts(maps: Mapping[Where, MapReading]) -> set[str]:
    return {sheet.layout for sheet in maps.values()}


def _same(one: PhotoJson, other: PhotoJson) -> bool:
    """Whether both are of one page: page numbers change if a file was deleted meanwhile."""
    return (one["photo"], one["page"]) == (other["photo"], other["page"])


def _check_all_applied(corrections: Sequence[Correction], photos: Sequence[PhotoJson]) -> None:
    """Raise UsageError for a correction that fits no photo or sheet, which must be a mistake."""
    for one in corrections:
        number = one.photo or 0
        if number >= len(photos):
            raise UsageError("--set {text}: there is no photo {n}", text=one.text, n=number + 1)
        sheets = photos[number]["sheets"]
        if sheets and one.sheet >= len(sheets):
            raise UsageError(
                "--set {text}: that photo has no sheet {n}", text=one.text, n=one.sheet + 1
            )
