"""Sheets of unknown prints in the user's data folder, kept until their print is known.

At most `MAX_KEPT` sheets of about 200 kB each; the oldest are deleted first. Switching learning off
deletes all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from kdscan.files.write import (
    default_folder,
    make_folder,
    undeletable,
    unwritable,
    write_file,
)
from kdscan.prints.flat import FlatSheet, Head, from_bytes, head_of, same_sheet, to_bytes
from kdscan.prints.known import KnownPrint
from kdscan.prints.learn import MAX_SHEETS
from kdscan.prints.library import Library, own_library
from kdscan.prints.names import folded
from kdscan.prints.pile import LearnedPrint, learn_from_pile, may_learn
from kdscan.records.arrays import Network

MAX_KEPT = 40
"""Most sheets kept: four pads with ten games each, 8 MB."""
SUFFIX = ".kdflat"

_OFF = "off"

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class SheetPool:
    """The sheets in a folder, which need not exist. library: where the prints learned from them are
    kept."""

    folder: Path
    library: Library

    @property
    def is_on(self) -> bool:
        """Whether sheets are kept and prints learned from them."""
        return not os.path.exists(self.folder / _OFF)  # noqa: PTH110  # Path raises PermissionError

    def switch(self, on: bool) -> None:
        """Switch learning on, or switch it off and delete everything that was kept."""
        if not on:
            self.remove(path.stem for path in self._files())
        try:
            make_folder(self.folder)
            if on:
                (self.folder / _OFF).unlink(missing_ok=True)
            else:
                (self.folder / _OFF).touch()
        except OSError as error:
            raise unwritable(self.folder / _OFF, error) from error

    @property
    def size(self) -> tuple[int, int]:
        """Number of sheets kept, and their total bytes."""
        sizes = [path.stat().st_size for path in self._files()]
        return len(sizes), sum(sizes)

    def load(self) -> list[FlatSheet]:
        """All sheets; files that cannot be read are deleted."""
        return self._each(from_bytes)

    def heads(self) -> list[Head]:
        """All sheets without their pictures, the oldest first."""
        return self._each(head_of)

    def add(self, sheets: Iterable[FlatSheet]) -> set[str]:
        """Keep sheets, deleting the oldest ones if there are too many. Of several photos of a sheet
        the one with the most coats is kept. Returns the keys of those that were added; raises
        UsageError if they cannot be written."""
        fresh = set()
        for sheet in sheets:
            path, same = self._path(sheet.key), [h for h in self.heads() if same_sheet(h, sheet)]
            if any(head.marked >= sheet.marked for head in same):
                continue
            try:
                make_folder(self.folder)
            except OSError as error:
                raise unwritable(path, error) from error
            write_file(path, to_bytes(sheet))
            fresh.add(sheet.key)
            self.remove(head.key for head in same)
        self.remove(path.stem for path in self._files()[:-MAX_KEPT])
        return fresh

    def remove(self, keys: Iterable[str]) -> None:
        """Delete sheets; raises UsageError if the system does not allow it."""
        for key in keys:
            path = self._path(key)
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise undeletable(path, error) from error

    def learn(
        self, prints: Iterable[KnownPrint], inking: Network, fresh: Set[str]
    ) -> list[KnownPrint]:
        """Learn prints from the sheets just added, save them in the library, and return them.

        If the library has others because another program has just saved them, perhaps of the same
        pad, these are returned instead and the sheets are forgotten: read them with these prints,
        and add those that are still unknown again.

        prints: all known prints. inking: see `learn_print`. fresh: as returned by `add`. Sheets
        that can teach nothing more are deleted. Raises UsageError if something cannot be written.
        """
        known = tuple(prints)
        if not fresh or not may_learn([head.layout for head in self.heads()], known):
            return []
        pile = self.load()
        try:
            found = [] if self._others(known) else learn_from_pile(pile, known, inking, fresh)
            others = self._others(known)  # once more, because learning takes seconds
            for taught in () if others else found:
                self.library.save(taught.known)
                self._note(taught, pile)
        except BaseException:  # after an interruption, adding the sheets again compares them again
            self.remove(fresh)
            raise
        if others:
            self.remove(fresh)
        return others or [taught.known for taught in found]

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
                    write_file(
                        self._path(sheet.key), to_bytes(replace(sheet, layout=taught.known.name))
                    )

    def _each(self, read: Callable[[bytes, str], Kept | None]) -> list[Kept]:
        found = []
        for path in self._files():
            try:
                sheet = read(path.read_bytes(), path.stem)
            except OSError:  # another program was faster, or it belongs to another user
                continue
            if sheet is None:
                self.remove([path.stem])
            else:
                found.append(sheet)
        return found

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def _files(self) -> list[Path]:
        """The files of sheets, the oldest first."""
        found = []
        with suppress(OSError):
            for path in self.folder.iterdir():
                if path.suffix == SUFFIX:
                    found.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found)]


def own_pool() -> SheetPool:
    """This user's sheets."""
    return SheetPool(default_folder() / "sheets", own_library())
