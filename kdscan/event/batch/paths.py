"""The files of a batch: their names for people, and where to find them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kdscan.errors import UsageError
from kdscan.event.store.files import filesystem, is_url
from kdscan.files.names import escape_control
from kdscan.files.read import folder_read_error, is_folder

READABLE = frozenset(
    ".jpg .jpeg .jpe .jfif .mpo .png .webp .heic .heif .hif .avif .tif .tiff .bmp .gif .pdf".split()  # noqa: SIM905
)
UNREADABLE = frozenset(
    ".jp2 .jxl .dng .cr2 .cr3 .nef .arw .orf .rw2 .raf".split()  # noqa: SIM905
)
SUFFIXES = READABLE | UNREADABLE
"""Files taken from a folder; a file that is given by name is always taken. Pictures that cannot be
read get a row with the reason, because skipping them silently would lose a sheet. Raw pictures that
cameras store beside each photo are skipped."""


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
    found: dict[str, Source] = {}
    for one in given:
        if not one:  # a variable that is not set; Path takes it for the folder one is in
            raise _not_there("''")
        for source in _in_url(one) if is_url(one) else _in_path(Path(one)):
            found.setdefault(source.place, source)
    return sorted(found.values(), key=lambda source: (source.name, source.place))


def _in_path(path: Path) -> list[Source]:
    if not is_folder(path):
        _check_there(path)
        place = os.path.abspath(path)  # noqa: PTH100  # links stay links
        return [Source(escape_control(path.as_posix()), place)]
    top = path.resolve()
    found = [
        Source(escape_control(f"{top.name}/{file.relative_to(top).as_posix()}"), str(file))
        for file in _walk(top)
    ]
    if not found:
        raise UsageError(
            "{path}: there is no photo in this folder; name one that has some", path=path
        )
    return found


def _check_there(path: Path) -> None:
    """Raise `UsageError` for what looks like a typing mistake; a missing photo gets a row."""
    photo = path.suffix.lower() in SUFFIXES and not any(sign in path.name for sign in "*?[")
    if not os.path.lexists(path) and not (photo and is_folder(path.parent)):
        raise _not_there(path)


def _not_there(path: Path | str) -> UsageError:
    return UsageError(
        "{path}: there is no such file or folder; nothing was read or changed", path=path
    )


def _walk(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in _pictures(names) if not name.startswith("."))


def _pictures(names: Iterable[str]) -> list[str]:
    """The names or paths of pictures; unreadable ones only if no readable file has the same
    stem."""
    pictures = [one for one in names if _suffix(one) in SUFFIXES]
    readable = {_stem(one) for one in pictures if _suffix(one) in READABLE}
    return [one for one in pictures if _suffix(one) in READABLE or _stem(one) not in readable]


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


def _unreadable(error: OSError) -> None:
    """Raise `UsageError`: silently skipping a folder would lose its photos."""
    raise folder_read_error(error.filename, error) from error


def _in_url(url: str) -> list[Source]:
    files, path = filesystem(url)
    try:
        if any(sign in path for sign in "*?["):
            places = files.glob(path)
        elif files.isdir(path):
            places = _pictures(files.find(path))
        else:
            return [Source(url, url)]
    except OSError as error:
        raise UsageError("{url}: it cannot be listed ({error})", url=url, error=error) from error
    if not places:
        raise UsageError("{url}: there is no photo there; name a folder that has some", url=url)
    whole = [str(files.unstrip_protocol(place)) for place in places]
    return [Source(place, place) for place in whole]
