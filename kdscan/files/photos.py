"""Which files are photos: those of a folder, and those that a pattern such as `*.jpg` names."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from kdscan.errors import UsageError
from kdscan.files.read import folder_read_error, is_folder

READABLE = frozenset(
    ".jpg .jpeg .jpe .jfif .mpo .png .webp .heic .heif .hif .avif .tif .tiff .bmp .gif .pdf".split()  # noqa: SIM905
)
UNREADABLE = frozenset(
    ".jp2 .jxl .dng .cr2 .cr3 .nef .arw .orf .rw2 .raf".split()  # noqa: SIM905
)
SUFFIXES = READABLE | UNREADABLE
"""Files taken from a folder; a file that is given by name is always taken. Pictures that cannot be
read are taken too, to be refused by name, because skipping them silently would lose a sheet. Raw
pictures that cameras store beside each photo are skipped."""

PATTERN_SIGNS = "*?["


def photos_at(paths: Sequence[str]) -> list[str]:
    """Paths of photos, with folders and patterns replaced by the photos in them, by name.

    Raises `UsageError` for a folder without photos, and as `expand_patterns` does.
    """
    photos = []
    for path in expand_patterns(paths):
        if path and is_folder(path):
            inside = sorted(map(str, photos_in(Path(path))))
            if not inside:
                raise no_photos_error(path)
            photos += inside
        else:
            photos.append(path)
    return photos


def expand_patterns(paths: Sequence[str]) -> list[str]:
    """Paths, with patterns replaced by what they match: Windows' shells leave that to programs.

    Raises `UsageError` for a pattern that nothing matches. A file of such a name is no pattern.
    """
    expanded = []
    for path in paths:
        is_pattern = any(sign in path for sign in PATTERN_SIGNS) and "://" not in path
        if not is_pattern or os.path.lexists(path):
            expanded.append(path)
            continue
        matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  # keeps "./" as given
        if not matches:
            raise UsageError("{path}: no file matches this pattern", path=path)
        expanded += matches
    return expanded


def photos_in(folder: Path) -> Iterator[Path]:
    """The photos in a folder and those below it, but nothing hidden; raises `UsageError` for one
    that cannot be listed, because its photos would be lost silently."""

    def unreadable(error: OSError) -> None:
        raise folder_read_error(error.filename, error) from error

    for place, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in pictures(names) if not name.startswith("."))


def pictures(names: Iterable[str]) -> list[str]:
    """The names or paths of pictures; unreadable ones only if no readable file has the same
    stem."""
    paths = [path for path in map(PurePosixPath, names) if path.suffix.lower() in SUFFIXES]
    stems = {path.with_suffix("") for path in paths if path.suffix.lower() in READABLE}
    return [
        str(path)
        for path in paths
        if path.suffix.lower() in READABLE or path.with_suffix("") not in stems
    ]


def no_photos_error(folder: Path | str) -> UsageError:
    """The error for a folder without photos."""
    return UsageError(
        "{path}: there is no photo in this folder; name one that has some", path=folder
    )
