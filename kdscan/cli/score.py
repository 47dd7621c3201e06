"""`kdscan score`: photos in, boards and totals out: results on stdout, pictures of them in files,
errors on stderr."""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import cv2
import typer

from kdscan.cli.corrections import Correction, ask_about, corrected, parse_corrections
from kdscan.cli.known_templates import known_templates
from kdscan.cli.shared import (
    CLEAR_LINE,
    NEEDS_REVIEW,
    SOME_FAILED,
    UNLAWFUL,
    AsJson,
    Dynasty,
    GreatDuel,
    Harmony,
    MiddleKingdom,
    attended,
    can_show,
    check_game,
    error_message,
    print_error,
    terminal_words,
    warn,
)
from kdscan.document import DynastyEntry, PhotoReport, dynasty_of, game_of, report_json
from kdscan.errors import BlankPage, Bug, NoSheetFound, PhotoError, UsageError
from kdscan.files import escape_control, is_folder, missing_folder_error, write_file
from kdscan.files.photos import photos_at
from kdscan.i18n import terminal_language, words
from kdscan.i18n.problems import AGAINST_RULES
from kdscan.imaging.formats import DRAWN, MAX_BYTES
from kdscan.imaging.photo import decode, load_photos
from kdscan.imaging.picture import Photo
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.reader import read_page
from kdscan.rules import GameName, cell_name
from kdscan.rules.kingdomino.kingdom import DYNASTY_GAMES, Variants
from kdscan.sheets.base import AnyReading, kind_of, number_in, without_pixels
from kdscan.sheets.board import Style
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_inks, draw_overlay
from kdscan.sheets.table import FusedSheet, Where, fuse_sheets

STDIN = "-"
"""The name under which a photo is read from stdin."""


def score(
    context: typer.Context,
    photos: Annotated[
        list[str],
        typer.Argument(
            metavar="PHOTO...",
            help="JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP, GIF or PDF, or folders of them; each "
            "page is a photo; - for standard input.",
        ),
    ],
    as_json: AsJson = False,
    overlay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the photo with what was read drawn over it; for several photos FILE-1, "
            "FILE-2, ...",
        ),
    ] = None,
    overlay_style: Annotated[
        OverlayStyle | None,
        typer.Option(
            help="What --overlay draws. reading: what was read, over the photo; ink: only what was "
            "drawn by hand, without the printed sheet.",
            show_default="reading",
        ),
    ] = None,
    game: Annotated[GameName | None, typer.Option(help="The game; detected by default.")] = None,
    risk: Annotated[
        float,
        typer.Option(
            metavar="P",
            help="Flag a total for review if it is wrong with more than this probability.",
        ),
    ] = DEFAULT_RISK,
    template: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Recognise sheets by this template (.kdprint), besides the learned ones; can be "
            "repeated.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 5 when something needs review.")
    ] = False,
    corrections: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="CELL=MARKS",
            help="Set what a shield holds: C2=f++ (column C, row 2: filled, two crosses), C2=. "
            "(empty). Coats: d dd l ll f c; Kingdomino's terrains: w f l g s m. In the "
            "second photo: 2:C2=f++. Spellbooks: left.dot=3x (three squares, struck; u: "
            "power used), right=line (chosen coat). Can be repeated.",
        ),
    ] = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Ask about doubtful shields or squares, one at a time.")
    ] = False,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    great_duel: GreatDuel = None,
    dynasty: Dynasty = False,
) -> None:
    """Examples:

    $ kdscan score photo.jpg

    $ kdscan score photo.jpg --ask

    $ kdscan score photo.jpg --set B4=ll+ --overlay scored.png

    $ kdscan score photo.jpg --overlay ink.png --overlay-style ink

    $ kdscan score photos/ --json > scores.json

    $ kdscan score kingdom.jpg --middle-kingdom --harmony

    Exit codes: 0 done; 2 wrong usage; 3 no photo could be read; 4 no sheet was found; 5 something
    needs review (only with --strict); 6 the model is missing or corrupt; 7 done, but some photos
    could not be read; 9 no lawful game leads to a board (only with --strict).
    """
    if game is not None:
        check_game(context, game)
    if not 0 <= risk <= 1:
        raise UsageError("--risk {risk}: a probability lies between 0 and 1, like 0.02", risk=risk)
    if overlay is None and overlay_style is not None:
        raise UsageError("--overlay-style needs --overlay FILE, the picture to write")
    photos = photos_at(photos)
    drawing = None if overlay is None else OverlayFile(overlay, overlay_style or "reading", photos)
    wanted = parse_corrections(corrections or ())
    variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), great_duel)
    options = ReadOptions(risk, game, variants, known_templates(template or ()))
    debug = context.find_root().params["debug"]
    printer = Printer(len(photos), not as_json, debug, terminal_style())

    reports, unknown = [], list[Any]()
    pages = _read_all(photos, wanted, options, printer, ask)
    for number, (report, photo) in enumerate(pages, 1):
        printer.report(report, number)
        several = len(photos) > 1 or report.pages > 1
        if drawing and photo is not None and report.sheets:
            drawing.draw(photo, report, number if several else None)
        if photo is not None and several:
            from kdscan.cli.unknown_templates import add_flat_sheets, note_shared_template

            add_flat_sheets(unknown, photo, report.sheets)
        reports.append(replace(report, sheets=tuple(map(without_pixels, report.sheets))))
    printer.clear()
    if unknown:
        note_shared_template(unknown)

    sheets = {
        (n, k): sheet for n, report in enumerate(reports) for k, sheet in enumerate(report.sheets)
    }
    maps = {where: sheet for where, sheet in sheets.items() if isinstance(sheet, MapReading)}
    fused = fuse_sheets(maps, risk=options.risk)
    printer.answer(reports, fused, dynasty=dynasty)
    _check_all_applied(wanted, len(reports), sheets)
    sheets |= {view: sheet.sheet for sheet in fused for view in sheet.views}
    errors = {report.error.code for report in reports if report.error}
    code = exit_code(errors, sheets.values(), strict)
    if code == 0 and strict and dynasty and dynasty_of(reports).review:
        code = NEEDS_REVIEW
    raise typer.Exit(code)


def exit_code(errors: Iterable[str], sheets: Collection[AnyReading], strict: bool) -> int:
    """The exit code for the codes of the photos' errors and for all sheets."""
    codes = set(errors)
    if Bug.code in codes:
        return Bug.exit_code
    if not sheets:
        empty = codes & {BlankPage.code, NoSheetFound.code}
        return NoSheetFound.exit_code if empty else PhotoError.exit_code
    codes.discard(BlankPage.code)  # the backs of scanned sheets need no look
    if strict and (codes or any(sheet.review for sheet in sheets)):
        return NEEDS_REVIEW
    problems = {problem.code for sheet in sheets for problem in sheet.problems}
    if strict and problems & AGAINST_RULES:
        return UNLAWFUL
    return SOME_FAILED if codes - {NoSheetFound.code} else 0


def _read_all(
    paths: Sequence[str],
    corrections: Sequence[Correction],
    options: ReadOptions,
    printer: Printer,
    ask: bool,
) -> Iterator[tuple[PhotoReport, Photo | None]]:
    """Yield the report of each photo or page, and its picture if there is one.

    A file that cannot be read becomes a report with its error. Raises `ModelError`, because then no
    photo can be read, and `UsageError`.
    """
    number = 0
    for at, path in enumerate(paths, 1):
        printer.clear(f"[{at}/{len(paths)}] {escape_control(path)}")
        try:
            if path == STDIN and sys.stdin.isatty():
                raise UsageError(
                    "-: the photo comes from standard input, like: kdscan score - < photo.jpg"
                )
            pages = (
                decode(sys.stdin.buffer.read(MAX_BYTES + 1_000_000), path)  # a pipe may be endless
                if path == STDIN
                else load_photos(path)
            )
        except PhotoError as error:
            yield PhotoReport(path, error=error), None
            number += 1
            continue
        if len(paths) > 1 or len(pages) > 1:
            for correction in corrections:
                if correction.photo is None:
                    raise UsageError(
                        "--set {text}: there are several photos; say which, like --set 2:{text}",
                        text=correction.text,
                    )
        for page in range(len(pages)):
            own = [c for c in corrections if (c.photo or 0) == number]

            def change(sheet: AnyReading, place: int, own: list[Correction] = own) -> AnyReading:
                """The sheet with its corrections and answers."""
                sheet = corrected(sheet, [c for c in own if c.sheet == place], options.risk)
                return ask_about(sheet, printer.style, options.risk) if ask else sheet

            yield read_page(pages, page, options, change if own or ask else None)
            number += 1


def _check_all_applied(
    corrections: Sequence[Correction], photos: int, sheets: Collection[Where]
) -> None:
    """Raise UsageError for a correction that fits no photo or sheet, which must be a mistake."""
    with_sheets = {photo for photo, _ in sheets}
    for correction in corrections:
        number, text = correction.photo or 0, correction.text
        if number >= photos:
            raise UsageError("--set {text}: there is no photo {n}", text=text, n=number + 1)
        if number in with_sheets and (number, correction.sheet) not in sheets:
            raise UsageError(
                "--set {text}: that photo has no sheet {n}", text=text, n=correction.sheet + 1
            )


# Results in the terminal


@dataclass
class Printer:
    """Prints reports as they come.

    photos: number requested. text: whether stdout is for people; with JSON only errors are printed.
    debug: whether to show where errors arose.
    """

    photos: int
    text: bool
    debug: bool
    style: Style

    def clear(self, text: str = "") -> None:
        """Erase the progress line, and print another."""
        if self.photos > 1 and attended():
            print(CLEAR_LINE + text, end="", file=sys.stderr, flush=True)

    def report(self, report: PhotoReport, number: int) -> None:
        """Print one photo's answer; `number` counts photos and pages from 1."""
        self.clear()
        t = self.style.words.t
        name = escape_control(report.name)
        if report.pages > 1:
            name = t("{name}, page {n}", name=name, n=report.page + 1)
        if report.error:
            if self.debug:
                traceback.print_exception(report.error)
            print_error(f"kdscan: {name}: {error_message(report.error)}")
        if not self.text:
            return
        several = self.photos > 1 or report.pages > 1
        for at, sheet in enumerate(report.sheets):
            title = f"{number}: {name}" if several else name
            address = f"{number}:" if several else ""
            if len(report.sheets) > 1:
                address = f"{number}.{at + 1}:"
                title += f", {t(kind_of(sheet).title)} {number_in(report.sheets, at)}".rstrip()
            style = replace(self.style, address=address)
            print(f"{style.bold(title)}\n\n{kind_of(sheet).to_text(sheet, style)}\n", flush=True)

    def answer(
        self, reports: Sequence[PhotoReport], fused: Sequence[FusedSheet], *, dynasty: bool
    ) -> None:
        """Print the result of all photos together, or the JSON of all. dynasty: whether kingdoms
        are added up."""
        if not self.text:
            print(json.dumps(report_json(reports, fused, dynasty=dynasty)))
            return
        t = self.style.words.t
        same: dict[str, None] = {}  # printed once, however many sheets a photo shows
        for sheet in fused:
            *numbers, last = (str(photo + 1) for photo, _ in sheet.views)
            values = {"numbers": ", ".join(numbers), "last": last}
            if sheet.one_photo:
                same[t("Photos {numbers} and {last} are the same photo.", **values)] = None
                continue
            title = t("Photos {numbers} and {last} show the same sheet; combined:", **values)
            photo, at = sheet.best  # corrections of any view count for all
            address = f"{photo + 1}.{at + 1}:" if at else f"{photo + 1}:"
            style = replace(self.style, address=address)
            text = kind_of(sheet.sheet).to_text(sheet.sheet, style)
            print(f"{style.bold(title)}\n\n{text}\n")
            if sheet.photograph_again:
                cells = " ".join(map(cell_name, sheet.photograph_again))
                why = t("No photo shows these well enough; take a close-up: {cells}", cells=cells)
                print(f" {why}\n")
        for text in same:
            print(text)

        game = game_of(reports, fused)
        if game and game.photograph_again:
            print(t("The winner cannot be determined: photograph the map again."))
        elif game:
            totals = " : ".join(str(player.total) for player in game.players)
            check = " (" + t("please check") + ")" if game.review else ""
            because = ", " + t("by the largest domain") if game.decided_by != "score" else ""
            won = t("A draw, {totals}, with equally large domains", totals=totals)
            if game.winner is not None:
                won = t("Map {n} wins, {totals}", n=game.winner + 1, totals=totals) + because
            print(won + check)
        if dynasty:
            self._dynasty(dynasty_of(reports), len(reports))

    def _dynasty(self, dynasty: DynastyEntry, photos: int) -> None:
        """Print the sum of a player's kingdoms (`dynasty` of the JSON) in that many photos."""
        t, tn = self.style.words.t, self.style.words.tn
        kingdoms = dynasty.kingdoms
        if not kingdoms:
            print(t("No kingdom was found that --dynasty could add up."))
            return
        check = ", " + t("please check") if dynasty.review else ""
        total = self.style.bold(tn("{n} point", "{n} points", dynasty.total))
        title = tn("Dynasty of {n} kingdom", "Dynasty of {n} kingdoms", len(kingdoms))
        print(f"{title}: {total}{check}")
        pictured = len({photo for photo, _ in kingdoms})
        if pictured < photos:
            print(t("A photo shows no kingdom; its game is missing from the sum."))
        if pictured < len(kingdoms):
            print(t("A photo shows several kingdoms, but a dynasty belongs to one player."))
        if dynasty.repeated:
            print(t("Two photos show the same kingdom; leave one out."))
        elif len(kingdoms) > DYNASTY_GAMES:
            print(t("A dynasty is three games."))


def terminal_style() -> Style:
    """Symbols if stdout's encoding has them; colours on a terminal unless NO_COLOR is set."""
    color = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    columns = shutil.get_terminal_size().columns  # COLUMNS, else the terminal's, else 80
    return Style(can_show("┼●══██▚×♜♛"), color, terminal_words(), columns=columns)


# Pictures in files

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")

OverlayStyle = Literal["reading", "ink"]


@dataclass(frozen=True)
class OverlayFile:
    """The file to draw into, or one per photo if there are several.

    photos: paths that are read, which must not be overwritten. Raises UsageError for a path that
    cannot or must not be written.
    """

    path: Path
    style: OverlayStyle
    photos: Sequence[str]

    def __post_init__(self) -> None:
        path, folder = self.path, self.path.parent
        self._spare_photos(path)
        if path.suffix.lower() not in SUFFIXES:
            raise UsageError(
                "--overlay {path}: the name must end in one of {known}",
                path=path,
                known=", ".join(SUFFIXES),
            )
        if not is_folder(folder):
            raise missing_folder_error(f"--overlay {path}", folder)
        if is_folder(path):
            raise UsageError("--overlay {path}: that is a folder; name a file", path=path)

    def draw(self, photo: Photo, report: PhotoReport, number: int | None) -> None:
        """Draw what was read in a photo; number: from 1, None if it is the only photo."""
        path = self.path
        if number is not None:
            path = path.with_name(f"{path.stem}-{number}{path.suffix}")
            self._spare_photos(path)
        if self.style == "ink":
            picture = draw_inks(report.sheets)
            if picture is None:
                warn("--overlay {path}: not written; ink is shown only of maps", path=path)
                return
        else:
            picture = draw_overlay(photo, report.sheets, words(terminal_language()))
        _, data = cv2.imencode(path.suffix.lower(), picture)
        write_file(path, data.tobytes() + DRAWN)

    def _spare_photos(self, path: Path) -> None:
        if os.path.realpath(path) in {os.path.realpath(photo) for photo in self.photos}:
            raise UsageError(
                "--overlay {path}: that is one of the photos; name another file", path=path
            )
