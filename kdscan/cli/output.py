"""The output of `kdscan score`: results on stdout, pictures of them in files, errors on stderr."""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import cv2

from kdscan.cli.shared import (
    CLEAR_LINE,
    attended,
    can_show,
    error_message,
    print_error,
    terminal_words,
    warn,
)
from kdscan.document import DynastyEntry, PhotoReport, dynasty_of, game_of, report_json
from kdscan.errors import UsageError
from kdscan.files.names import escape_control
from kdscan.files.read import is_folder
from kdscan.files.write import missing_folder_error, write_file
from kdscan.i18n import terminal_language, words
from kdscan.imaging.picture import Photo
from kdscan.rules.grid import cell_name
from kdscan.rules.kingdomino.kingdom import DYNASTY_GAMES
from kdscan.sheets.base import kind_of, number_in
from kdscan.sheets.board import Style
from kdscan.sheets.overlay import draw_inks, draw_overlay
from kdscan.sheets.table import FusedSheet


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

    def progress(self, number: int, name: str) -> None:
        self.clear(f"[{number}/{self.photos}] {escape_control(name)}")

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
        write_file(path, data.tobytes())

    def _spare_photos(self, path: Path) -> None:
        if os.path.realpath(path) in {os.path.realpath(photo) for photo in self.photos}:
            raise UsageError(
                "--overlay {path}: that is one of the photos; name another file", path=path
            )
