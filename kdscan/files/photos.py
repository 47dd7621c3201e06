"""Which files are photos: their first bytes, those of a folder, those that a pattern names."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from kdscan.errors import UsageError
from kdscan.files import folder_read_error, is_folder

READABLE = frozenset(
    ".jpg .jpeg .jpe .jfif .mpo .png .webp .heic .heif .hif .avif .tif .tiff .bmp .gif .pdf".split()  # noqa: SIM905
)
UNREADABLE = frozenset(
    ".jp2 .jxl .dng .cr2 .cr3 .nef .arw .orf .rw2 .raf .zip .rar .7z .tar .tgz".split()  # noqa: SIM905
)
SUFFIXES = READABLE | UNREADABLE
"""Files taken from a folder, and whatever else begins as a photo does; a file that is given by name
is always taken. Pictures that cannot be read and archives are taken too, to be refused by name,
because skipping them silently would lose a sheet. Raw pictures that cameras store beside each photo
are skipped."""

_BRAND = rb"....ftyp(?:.{8}(?:....)*)?"
"""What precedes a brand in ISO base media (ISO/IEC 14496-12, 4.3)."""

_SIGNS = {
    "JPEG": rb"\xff\xd8\xff",
    "PNG": rb"\x89PNG\r\n\x1a\n",
    "TIFF": rb"II[*+]\0|MM\0[*+]",
    "BMP": rb"BM",
    "GIF": rb"GIF8",
    "WebP": rb"RIFF....WEBP",
    "AVIF": rb"(?!" + _BRAND + rb"he[iv][cxms])" + _BRAND + rb"avi[fs]",
    "HEIC": _BRAND + rb"(?:he[iv][cxms]|m[is]f1)",
    "PDF": rb".*%PDF-",  # PDFium allows other bytes before it
}
"""How files begin, as patterns. Brands of pictures and sequences coded by HEVC (ISO/IEC 23008-12,
annex B.4), by AV1 (AV1 Image File Format, section 6), and by anything (ISO/IEC 23008-12, 10)."""

_STORED = re.compile(r"(?:.*[/\\])?([0-9a-f]{2})[/\\]\1[0-9a-f]{62}(?:-\d+-\w+)?\.\w+")
"""Paths of a store's photos, and of the pictures that the page makes of them: in whatever folder,
they are never photos to read."""

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
    """The photos in a folder, those below it and those that links there lead to, but nothing
    hidden; raises `UsageError` for one that cannot be listed, because its photos would be lost
    silently."""

    def unreadable(error: OSError) -> None:
        raise folder_read_error(error.filename, error) from error

    visited = set()
    for place, folders, names in os.walk(folder, onerror=unreadable, followlinks=True):
        real = os.path.realpath(place)
        if real in visited:  # links may lead in circles
            folders.clear()
            continue
        visited.add(real)
        folders[:] = [name for name in folders if not name.startswith(".")]
        visible = [
            os.path.join(place, name)  # noqa: PTH118
            for name in names
            if not name.startswith(".") and not _STORED.fullmatch(os.path.join(real, name))  # noqa: PTH118
        ]
        named = pictures(visible)
        yield from map(Path, named)
        yield from (Path(path) for path in set(visible) - set(named) if _begins_as_photo(path))


def format_of(data: bytes) -> str | None:
    """The name of a file's format, by its first bytes; None for any other."""
    start = data[:1024]
    if start[4:8] == b"ftyp":  # other brands follow; films and raw photos have it too
        start = start[: max(12, int.from_bytes(start[:4], "big"))]
    signs = _SIGNS.items()
    return next((name for name, sign in signs if re.match(sign, start, re.DOTALL)), None)


def _begins_as_photo(path: str) -> bool:
    """Whether a file without a known suffix is a photo, as programs for messages save them."""
    if PurePath(path).suffix.lower() in SUFFIXES:
        return False
    try:
        with Path(path).open("rb") as file:
            return format_of(file.read(1024)) not in (None, "BMP")  # any text may begin with BM
    except OSError:
        return False


def pictures(paths: Iterable[str]) -> list[str]:
    """The paths of pictures by their suffixes, but for a store's; unreadable ones only if no
    readable file has the same stem."""
    stem_of = {
        path: os.path.splitext(path)[0]  # noqa: PTH122
        for path in paths
        if PurePath(path).suffix.lower() in SUFFIXES and not _STORED.fullmatch(path)
    }
    readable = {path for path in stem_of if PurePath(path).suffix.lower() in READABLE}
    stems = {stem_of[path] for path in readable}
    return [path for path, stem in stem_of.items() if path in readable or stem not in stems]


def no_photos_error(folder: Path | str) -> UsageError:
    """The error for a folder without photos."""
    return UsageError(
        "{path}: there is no photo in this folder; name one that has some", path=folder
    )
