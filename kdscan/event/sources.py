"""The files of a batch: their names for people, where to find them, and their bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kdscan.errors import UnreadableImage, UsageError
from kdscan.event.store.files import filesystem, is_url, open_place
from kdscan.files import escape_control, is_folder
from kdscan.files.photos import (
    PATTERN_SIGNS,
    SUFFIXES,
    expand_patterns,
    no_photos_error,
    photos_in,
    pictures,
)
from kdscan.imaging.formats import check_bytes
from kdscan.imaging.photo import read_bytes


@dataclass(frozen=True)
class Source:
    """A file: `name` stays the same wherever the folder is, `place` is where it is now.

    name can be stored, printed and tabulated anywhere; see `escape_control`.
    """

    name: str
    place: str


def sources(given: Sequence[str]) -> list[Source]:
    """The given files, and those in the given folders, in the order of their names.

    Names start with the folder's own name, or are as given. Raises `UsageError` if a folder does
    not exist or contains no photo, or nothing is left.
    """
    files: dict[str, Source] = {}
    for path in expand_patterns(given):
        if not path:  # a variable that is not set; Path takes it for the folder one is in
            raise _not_there("''")
        for source in _in_url(path) if is_url(path) else _in_path(Path(path)):
            files.setdefault(source.place, source)
    return sorted(files.values(), key=lambda source: (source.name, source.place))


def _in_path(path: Path) -> list[Source]:
    if not is_folder(path):
        photo = path.suffix.lower() in SUFFIXES  # a missing one gets a row; else it is mistyped
        if not os.path.lexists(path) and not (photo and is_folder(path.parent)):
            raise _not_there(path)
        place = os.path.abspath(path)  # noqa: PTH100  # links stay links
        return [Source(escape_control(path.as_posix()), place)]
    top = path.resolve()
    files = [
        Source(escape_control(f"{top.name}/{file.relative_to(top).as_posix()}"), str(file))
        for file in photos_in(top)
    ]
    if not files:
        raise no_photos_error(path)
    return files


def _not_there(path: Path | str) -> UsageError:
    return UsageError(
        "{path}: there is no such file or folder; nothing was read or changed", path=path
    )


def _in_url(url: str) -> list[Source]:
    files, path = filesystem(url)
    try:
        if any(sign in path for sign in PATTERN_SIGNS):
            places = files.glob(path)
        elif files.isdir(path):
            places = pictures(files.find(path))
        else:
            return [Source(url, url)]
    except OSError as error:
        raise UsageError("{url}: it cannot be listed ({error})", url=url, error=error) from error
    if not places:
        raise UsageError("{url}: there is no photo there; name a folder that has some", url=url)
    whole = [str(files.unstrip_protocol(place)) for place in places]
    return [Source(place, place) for place in whole]


def fetch(place: str) -> bytes:
    """The bytes at a path or URL; raise `PhotoError`."""
    if not is_url(place):
        return read_bytes(Path(place))
    try:
        with open_place(place) as source:
            size = getattr(source, "size", None)
            check_bytes(size or 0)
            data: bytes = source.read()
    except FileNotFoundError as error:
        raise UnreadableImage("there is no such file; check the address") from error
    except OSError as error:
        raise UnreadableImage(
            "the file could not be fetched: {why}", why=error.strerror or error
        ) from error
    check_bytes(len(data))
    return data
