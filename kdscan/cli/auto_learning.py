"""Automatic learning of pads by the sheets that a command reads."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kdscan.cli.terminal import error_message, note, terminal_words, working
from kdscan.errors import UsageError, bug_of

if TYPE_CHECKING:
    from kdscan.imaging.picture import Photo
    from kdscan.sheets.base import AnyReading
    from kdscan.sheets.duel_map.model import MapReading
    from kdscan.templates.flat import FlatSheet
    from kdscan.templates.known import KnownPrint


class AutoLearner:
    """Learns prints from the sheets of one command. known: the prints with which they are read."""

    def __init__(self, known: Sequence[KnownPrint], on: bool = True) -> None:
        self._known, self._on = known, on
        self._sheets: list[FlatSheet] = []

    def add(self, photo: Photo | None, sheets: Iterable[AnyReading]) -> None:
        """Rectify sheets from which a print may be learned, as many as can be kept."""
        from kdscan.paper.layout import layouts
        from kdscan.sheets.duel_map.model import MapReading

        if not self._on or photo is None:
            return
        for sheet in sheets:
            if isinstance(sheet, MapReading) and sheet.layout not in layouts():
                self._add(photo, sheet)

    def _add(self, photo: Photo, sheet: MapReading) -> None:
        from kdscan.templates.pile import may_teach
        from kdscan.templates.pool import MAX_KEPT, own_pool

        room = len(self._sheets) < MAX_KEPT
        if room and may_teach(sheet.layout, self._known) and own_pool().learns():
            flat = flat_sheet(photo, sheet)
            if flat is not None:
                self._sheets.append(flat)

    def learn(self) -> list[KnownPrint]:
        """Store the collected sheets, learn from them, and report it; failures have no other
        effect. Returns the prints that were not known before."""
        sheets, self._sheets = self._sheets, []
        if not sheets:
            return []
        from kdscan.inference.store import default_models
        from kdscan.templates.pool import own_pool

        w, pool = terminal_words(sys.stderr), own_pool()
        try:
            pool.add(sheets)
            with working(w.t("comparing what is printed on these sheets …")):
                found = pool.learn(self._known, default_models().ink)
        except UsageError as error:
            why = error_message(error)
            text = w.t("no pad can be learned from these sheets: {why}", why=why)
            note(f"kdscan: {text}")
            return []
        except Exception as cause:  # the readings must still be reported
            note(f"kdscan: {error_message(bug_of(cause))}")
            return []
        for one in found:
            text = w.t(
                "a pad was learned from {n} of its sheets and is recognised from now on: {name}",
                n=one.sheets,
                name=one.name,
            )
            note(f"kdscan: {text}")
        before, now = {one.name for one in self._known}, {one.name for one in found}
        self._known = [*found, *(one for one in self._known if one.name not in now)]
        return [one for one in found if one.name not in before]


def flat_sheet(photo: Photo, sheet: MapReading) -> FlatSheet | None:
    """A rectified sheet from a reading; None if it is unsuitable: cut off, too small, or not
    located confidently. Its key is a hash of the picture."""
    from kdscan.templates.flat import coats_of, flat_sheet_at, is_suitable

    if not is_suitable((problem.code for problem in sheet.problems), sheet.rectified.px_per_cell):
        return None
    coats = coats_of({c.at: c.coat for c in sheet.reading.cells})
    return flat_sheet_at(photo, sheet.rectified.centers_xy, coats, sheet.layout)
