"""Learned prints in the user's data folder, one file each.

All front ends use this library; only an event's own prints are in its store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from kdscan.errors import KdscanError, LayoutError, UsageError
from kdscan.files.read import folder_read_error
from kdscan.files.write import default_folder, keep_file, remove_file
from kdscan.templates.names import SUFFIX, folded, same_name

if TYPE_CHECKING:
    from kdscan.templates.file import FiledPrint
    from kdscan.templates.known import KnownPrint

Damaged = Callable[[KdscanError], None]
"""Called with the error of each file that is skipped."""


@dataclass(frozen=True)
class Library:
    """The prints in a folder; it need not exist."""

    folder: Path

    def load(self, damaged: Damaged = lambda _: None) -> tuple[FiledPrint, ...]:
        """All prints, sorted by name; what cannot be read is reported to `damaged` and skipped.

        Of several files with a print of the same name the first one counts.
        """
        try:
            files = self._files()
        except UsageError as error:
            damaged(error)
            return ()
        if not files:
            return ()
        from kdscan.templates.file import load_print  # most users have no prints

        found: dict[str, FiledPrint] = {}
        for path in files:
            try:
                one = load_print(path)
                found.setdefault(folded(one.name), one)
            except LayoutError as error:
                damaged(error)
        return tuple(one for _, one in sorted(found.items()))

    def get(self, name: str) -> FiledPrint:
        """The print of a name, ignoring case; raises LayoutError if there is none."""
        return named(self.load(), name)

    def save(self, known: KnownPrint) -> FiledPrint:
        """Save a print, replacing one of the same name.

        Raises LayoutError for an invalid name, UsageError if it cannot be written.
        """
        from kdscan.templates.file import to_filed

        one = to_filed(known)
        path = self.folder / f"{one.name}{SUFFIX}"
        keep_file(path, one.data)
        self._remove(one.name, but=path)
        return one

    def forget(self, *names: str) -> None:
        """Remove prints, and damaged files of these names; raises LayoutError, and removes none, if
        there is none of one name."""
        there = [_name_in(path) for path in self._files()]
        for name in names:
            if not any(same_name(one, name) for one in there):
                self.get(name)
        for name in names:
            self._remove(name)

    def _remove(self, name: str, but: Path | None = None) -> None:
        """Remove the files with a print of a name, except `but`."""
        for path in self._files():
            if (but is None or not path.samefile(but)) and same_name(_name_in(path), name):
                remove_file(path)

    def _files(self) -> list[Path]:
        try:
            return sorted(p for p in self.folder.iterdir() if p.suffix == SUFFIX and p.is_file())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise folder_read_error(self.folder, error) from error


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


def named(known: Sequence[N], name: str) -> N:
    """The print of a name, ignoring case; raises LayoutError if there is none."""
    for one in known:
        if same_name(one.name, name):
            return one
    if not known:
        raise LayoutError("no print is known yet; see: kdscan layout learn --help")
    raise LayoutError(
        "no print is called {name!r}; known: {known}",
        name=name,
        known=", ".join(one.name for one in known),
    )


def own_library() -> Library:
    """This user's prints."""
    return Library(default_folder() / "prints")


def known_prints() -> tuple[FiledPrint, ...]:
    """The prints that this user has learned; damaged files are skipped."""
    return own_library().load()


def _name_in(path: Path) -> str:
    """The name of the print in a file; the file's own name if that cannot be read."""
    from kdscan.templates.file import load_print

    try:
        return load_print(path).name
    except LayoutError:
        return path.stem
