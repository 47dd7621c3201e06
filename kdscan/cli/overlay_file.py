"""`--overlay FILE`: files for pictures of what was read."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kdscan.cli.terminal import note, terminal_words
from kdscan.errors import UsageError
from kdscan.files.read import is_folder
from kdscan.files.write import missing_folder_error
from kdscan.i18n import terminal_language, words

if TYPE_CHECKING:
    from kdscan.document import PhotoReport
    from kdscan.imaging.picture import Photo

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
        import cv2

        from kdscan.files.write import write_file

        path = self.path
        if number is not None:
            path = path.with_name(f"{path.stem}-{number}{path.suffix}")
            self._spare_photos(path)
        if self.style == "ink":
            from kdscan.sheets.overlay import draw_inks

            picture = draw_inks(report.sheets)
            if picture is None:
                t = terminal_words(sys.stderr).t
                why = t("--overlay {path}: not written; ink is shown only of maps", path=path)
                note(f"kdscan: {why}")
                return
        else:
            from kdscan.sheets.overlay import draw_overlay

            picture = draw_overlay(photo, report.sheets, words(terminal_language()))
        _, data = cv2.imencode(path.suffix.lower(), picture)
        write_file(path, data.tobytes())

    def _spare_photos(self, path: Path) -> None:
        if os.path.realpath(path) in {os.path.realpath(photo) for photo in self.photos}:
            raise UsageError(
                "--overlay {path}: that is one of the photos; name another file", path=path
            )
