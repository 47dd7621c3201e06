"""Sheets of unknown prints in the user's data folder, kept until their print is known.

At most `MAX_KEPT` sheets of about 200 kB each; the oldest are deleted first. Switching learning off
deletes all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from kdscan.files.write import (
    default_folder,
    folder_write_error,
    keep_file,
    make_folder,
    remove_file,
    write_file,
)
from kdscan.imaging.picture import Network
from kdscan.templates.flat import (
    FlatSheet,
    FlatSheetHead,
    from_bytes,
    head_of,
    same_sheet,
    to_bytes,
)
from kdscan.templates.known import KnownPrint
from kdscan.templates.learn import MAX_SHEETS
from kdscan.templates.library import Library, own_library
from kdscan.templates.names import folded
from kdscan.templates.pile import LearnedPrint, learn_from_pile, may_learn

MAX_KEPT = 40
"""Most sheets kept: four pads with ten games each, 8 MB."""
SUFFIX = ".kdflat"
NEW = f".new{SUFFIX}"
"""Ends the names of sheets that were not compared with the others yet."""

_OFF = "off"

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class SheetPool:
    """The sheets in a folder, which need not exist. library: where the prints learned from them are
    kept."""

    folder: Path
    library: Library

    def learns(self) -> bool:
        """Whether sheets are kept and prints learned from them."""
        return not os.path.exists(self.folder / _OFF)  # noqa: PTH110  # Path raises PermissionError

    def switch(self, on: bool) -> None:
        """Switch learning on, or switch it off and delete everything that was kept."""
        if not on:
            self.remove(_key(path) for path in self._files())
        try:
            make_folder(self.folder)
            if on:
                (self.folder / _OFF).unlink(missing_ok=True)
            else:
                (self.folder / _OFF).touch()
        except OSError as error:
            raise folder_write_error(self.folder, error) from error

    @property
    def size(self) -> tuple[int, int]:
        """Number of sheets kept, and their total bytes."""
        sizes = [path.stat().st_size for path in self._files()]
        return len(sizes), sum(sizes)

    def load(self) -> list[FlatSheet]:
        """All sheets; files that cannot be read are deleted."""
        return self._each(from_bytes)

    def heads(self) -> list[FlatSheetHead]:
        """All sheets without their pictures, the oldest first."""
        return self._each(head_of)

    def add(self, sheets: Iterable[FlatSheet]) -> None:
        """Keep sheets, deleting the oldest ones if there are too many. Of several photos of a sheet
        the one with the most coats is kept. Raises UsageError if they cannot be written."""
        for sheet in sheets:
            path = self.folder / f"{sheet.key}{NEW}"
            same = [head for head in self.heads() if same_sheet(head, sheet)]
            if any(head.marked >= sheet.marked for head in same):
                continue
            keep_file(path, to_bytes(sheet))
            self.remove(head.key for head in same if head.key != sheet.key)
        self.remove(_key(path) for path in self._files()[:-MAX_KEPT])

    def remove(self, keys: Iterable[str]) -> None:
        """Delete sheets; raises UsageError if the system does not allow it."""
        for key in keys:
            for path in (self.folder / f"{key}{SUFFIX}", self.folder / f"{key}{NEW}"):
                remove_file(path)

    def learn(self, prints: Iterable[KnownPrint], inking: Network) -> list[KnownPrint]:
        """Learn prints from the new sheets and the others, save them in the library, and return
        them.

        If the library has others because another program has just saved them, perhaps of the same
        pad, these are returned instead and the new sheets are forgotten: read them with these
        prints, and add those that are still unknown again.

        prints: all known prints. inking: see `learn_flat_sheets`. Sheets that can teach nothing
        more are deleted. Raises UsageError if something cannot be written.
        """
        known, new = tuple(prints), self._new()
        if not new or not may_learn([head.layout for head in self.heads()], known):
            self._settle(new)
            return []
        pile = self.load()
        try:
            found = [] if self._others(known) else learn_from_pile(pile, known, inking, new)
        except Exception:  # a bug must not come back with every later sheet
            self._settle(new)
            raise
        if others := self._others(known):  # asked once more, because learning takes seconds
            self.remove(self._new())
            return others
        for taught in found:
            self.library.save(taught.known)
            self._note(taught, pile)
        self._settle(new)
        return [taught.known for taught in found]

    def _new(self) -> set[str]:
        """Keys of the sheets that were not compared with the others yet. They stay new if a program
        ends meanwhile."""
        return {_key(path) for path in self._files() if path.name.endswith(NEW)}

    def _settle(self, keys: Iterable[str]) -> None:
        """Note that these sheets were compared with the others."""
        for key in keys:
            with suppress(FileNotFoundError):  # another program was faster
                (self.folder / f"{key}{NEW}").replace(self.folder / f"{key}{SUFFIX}")

    def _others(self, known: Iterable[KnownPrint]) -> list[KnownPrint]:
        """The prints of the library that are not known."""
        names = {folded(one.name) for one in known}
        return [one for one in self.library.load() if folded(one.name) not in names]

    def _note(self, taught: LearnedPrint, pile: Iterable[FlatSheet]) -> None:
        """Keep a print's sheets under its name if it can still improve; delete them otherwise."""
        for sheet in pile:
            if sheet.key in taught.keys:
                if taught.known.sheets >= MAX_SHEETS:
                    self.remove([sheet.key])
                else:
                    noted = replace(sheet, layout=taught.known.name)
                    write_file(self.folder / f"{sheet.key}{SUFFIX}", to_bytes(noted))
                    (self.folder / f"{sheet.key}{NEW}").unlink(missing_ok=True)

    def _each(self, read: Callable[[bytes, str], Kept | None]) -> list[Kept]:
        found = []
        for path in self._files():
            try:
                sheet = read(path.read_bytes(), _key(path))
            except OSError:  # another program was faster, or it belongs to another user
                continue
            if sheet is None:
                self.remove([_key(path)])
            else:
                found.append(sheet)
        return found

    def _files(self) -> list[Path]:
        """The files of sheets, the oldest first."""
        found = []
        with suppress(OSError):
            for path in self.folder.iterdir():
                if path.suffix == SUFFIX:
                    found.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found)]


def _key(path: Path) -> str:
    return path.name.partition(".")[0]


def own_pool() -> SheetPool:
    """This user's sheets."""
    return SheetPool(default_folder() / "sheets", own_library())
