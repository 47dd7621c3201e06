"""`kdscan score`: photos in, boards and totals out."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kdscan.cli.options import AsJson, GreatDuel, Harmony, MiddleKingdom
from kdscan.errors import BlankPage, Bug, NoSheetFound, PhotoError, UsageError
from kdscan.game.names import game_named
from kdscan.locale import of_terminal, words
from kdscan.locale.problems import AGAINST_RULES

if TYPE_CHECKING:
    from kdscan.cli.corrections import Correction
    from kdscan.records.results import FusedJson, PhotoJson
    from kdscan.sheet.parts import Layout

OVERLAY_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")

OverlayStyle = Literal["reading", "ink"]

NEEDS_REVIEW = 5
"""Exit code of --strict, by the contract of the command line."""

SOME_FAILED = 7
"""Exit code when sheets were read, but some photos could not be read as images."""

UNLAWFUL = 9
"""Exit code of --strict when all is read surely, but no lawful game leads to a board."""


def score(
    context: typer.Context,
    photos: Annotated[
        list[str],
        typer.Argument(
            metavar="PHOTO",
            help="JPEG, PNG, WebP, HEIC, TIFF or PDF; each page is a photo; - is stdin.",
        ),
    ],
    as_json: AsJson = False,
    overlay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw what was read over the photo. Several photos: FILE-1, FILE-2, ...",
        ),
    ] = None,
    overlay_style: Annotated[
        OverlayStyle,
        typer.Option(help="reading: what was read, over the photo; ink: what was drawn, alone."),
    ] = "reading",
    game: Annotated[
        str | None,
        typer.Option(metavar="duel|kingdomino", help="Which game; recognised when left out."),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            metavar="P", help="Ask for a look when the total is wrong with more than this chance."
        ),
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A layout or print to know sheets by, besides learned prints; repeat as needed.",
        ),
    ] = None,
    no_learn: Annotated[
        bool, typer.Option("--no-learn", help="Keep no sheet, and learn no pad by itself.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 5 when something needs a look.")
    ] = False,
    corrections: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="CELL=MARKS",
            help="Say what a shield holds: C2=f++ (column C, row 2: filled, two crosses), C2=. "
            "(empty). Coats: d dd l ll f c; Kingdomino's terrains: w f l g s m. In the second "
            "photo: 2:C2=f++. Spellbooks: left.dot=3x (three squares, struck; u: power used), "
            "right=line (chosen coat). Repeat as needed.",
        ),
    ] = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    great_duel: GreatDuel = None,
    dynasty: Annotated[
        bool, typer.Option("--dynasty", help="Kingdomino: add up one player's photos.")
    ] = False,
) -> None:
    """Read the maps or kingdoms in photos: board, domains, total, and what is unsure.

    Sheets of an unknown pad are kept on this machine, small, until four of them have taught what is
    printed on it; see: kdscan layout auto --help

    Examples:

    $ kdscan score photo.jpg

    $ kdscan score photo.jpg --set B4=ll+ --overlay scored.png

    $ kdscan score photo.jpg --overlay ink.png --overlay-style ink

    $ kdscan score *.jpg --json > scores.json

    $ kdscan score kingdom.jpg --middle-kingdom --harmony

    Exit codes: 0 done; 2 wrong usage; 3 no photo could be read; 4 no sheet was found; 5 something
    needs a look (only with --strict); 6 the model is missing or corrupt; 7 done, but some photos
    could not be read; 9 no lawful game leads to a board (only with --strict).
    """
    which = None if game is None else game_named(game)
    if risk is not None and not 0 <= risk <= 1:
        raise UsageError("--risk {risk}: a probability lies between 0 and 1, like 0.02", risk=risk)
    _check_overlay(overlay, photos)
    parsed = _parsed(corrections) if corrections else ()

    # The heavy half: OpenCV, onnxruntime. The networks are opened while the rest is imported.
    import onnxruntime  # noqa: F401

    from kdscan.inference.store import default_models

    default_models().preload(threads=min(2, os.cpu_count() or 1))
    from kdscan.cli.output import Printer
    from kdscan.cli.prints import known_prints
    from kdscan.cli.reading import read_all
    from kdscan.cli.self_teaching import SelfTaught
    from kdscan.game.kingdomino.variants import Variants
    from kdscan.kinds.common.options import ReadOptions
    from kdscan.marks.risk import DEFAULT_RISK
    from kdscan.pipeline.document import photo_json, report_json
    from kdscan.pipeline.fusion import fuse_sheets, maps_by_place

    printer = Printer(len(photos), text=not as_json, debug=context.find_root().params["debug"])
    known = known_prints(layout or ())
    learned = _layouts(layout) if layout else []
    entries: list[PhotoJson] = []
    maps: dict[tuple[int, int], Any] = {}
    variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), bool(great_duel))
    teaching = SelfTaught(known, on=not no_learn)
    accepted = DEFAULT_RISK if risk is None else risk
    options = ReadOptions(accepted, which, variants, learned, known)
    read = read_all(photos, parsed, options, printer.progress)
    for report, photo in read:
        maps |= maps_by_place(len(entries), report.sheets)
        entries.append(photo_json(report))
        printer.report(report, len(entries))
        teaching.see(photo, report.sheets)
        if overlay and photo is not None and report.sheets:
            several = len(photos) > 1 or report.pages > 1
            path = _numbered(overlay, len(entries)) if several else overlay
            _spare_photos(path, photos)
            _write_overlay(path, photo, report, overlay_style)
    fused = fuse_sheets(maps, risk=accepted)
    answer = report_json(entries, fused)
    if dynasty:
        from kdscan.kinds.kingdom.to_json import dynasty_json

        answer["dynasty"] = dynasty_json(entries)
    if as_json:
        print(json.dumps(answer))
    else:
        printer.fused(fused)
        printer.winner(answer["game"])
        printer.dynasty(answer.get("dynasty"))
    teaching.learn()
    _check_all_applied(parsed, entries)
    code = exit_code(entries, strict, answer["fused"])
    unsure = strict and "dynasty" in answer and answer["dynasty"]["review"]
    raise typer.Exit(NEEDS_REVIEW if unsure and code == 0 else code)


def exit_code(photos: Sequence[PhotoJson], strict: bool, fused: Sequence[FusedJson] = ()) -> int:
    """The exit code for the entries of `photos` and `fused` in the JSON."""
    errors = {photo["error"]["code"] for photo in photos if photo["error"]}
    blank = BlankPage.code in errors
    errors.discard(BlankPage.code)  # the backs of scanned sheets: nothing to look at
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


def _parsed(corrections: Sequence[str]) -> tuple[Correction, ...]:
    from kdscan.cli.corrections import parse_corrections

    return parse_corrections(corrections)


def _layouts(files: Sequence[str]) -> list[Layout]:
    from kdscan.prints.names import SUFFIX
    from kdscan.sheet.layout import load_layout

    return [load_layout(file) for file in files if not file.endswith(SUFFIX)]


def _check_overlay(overlay: Path | None, photos: Sequence[str]) -> None:
    """Refuse what cannot be written, or must not be, before anything is read."""
    if overlay is None:
        return
    _spare_photos(overlay, photos)
    if overlay.suffix.lower() not in OVERLAY_SUFFIXES:
        raise UsageError(
            "--overlay {path}: end its name in {known}",
            path=overlay,
            known=", ".join(OVERLAY_SUFFIXES),
        )
    if not overlay.parent.is_dir():
        raise UsageError(
            "--overlay {path}: there is no folder {parent}; make it first",
            path=overlay,
            parent=overlay.parent,
        )
    if os.path.isdir(overlay):  # noqa: PTH112  # says no to a name that is too long; Path raises
        raise UsageError("--overlay {path}: that is a folder; name a file", path=overlay)


def _spare_photos(path: Path, photos: Sequence[str]) -> None:
    if os.path.realpath(path) in {os.path.realpath(photo) for photo in photos}:
        raise UsageError(
            "--overlay {path}: that is one of the photos; name another file", path=path
        )


def _check_all_applied(parsed: Sequence[Correction], photos: Sequence[PhotoJson]) -> None:
    """A correction that met no photo or sheet is a slip of the pen, not to be passed over."""
    for one in parsed:
        number = one.photo or 0
        if number >= len(photos):
            raise UsageError("--set {text}: there is no photo {n}", text=one.text, n=number + 1)
        sheets = photos[number]["sheets"]
        if sheets and one.sheet >= len(sheets):
            raise UsageError(
                "--set {text}: that photo has no sheet {n}", text=one.text, n=one.sheet + 1
            )


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _write_overlay(path: Path, photo: Any, report: Any, style: OverlayStyle) -> None:
    import cv2

    from kdscan.files.write import write_file

    if style == "ink":
        from kdscan.prints.overlay import draw_inks

        picture = draw_inks(report.sheets)
        if picture is None:
            return
    else:
        from kdscan.kinds.overlay import draw_overlay

        picture = draw_overlay(photo, report.sheets, words(of_terminal()))
    _, data = cv2.imencode(path.suffix.lower(), picture)
    write_file(path, data.tobytes())
