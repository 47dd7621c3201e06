"""Writes the report piece by piece: an event of any size needs the memory of one photo.

`templates/report.html` defines its appearance, and this module its content. Every text goes through
the catalogues, and everything is escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import cv2
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.typing import NDArray

from kdscan.errors import KdscanError
from kdscan.event import standings
from kdscan.event.export import Row
from kdscan.event.games import Game
from kdscan.event.model import Event, SheetResult
from kdscan.event.names import short_name
from kdscan.event.sheets import ReadSheet, corrected, firm_values
from kdscan.event.store import Store
from kdscan.files import Json
from kdscan.i18n import Words
from kdscan.i18n import errors as error_words
from kdscan.i18n.problems import problem_text
from kdscan.imaging.formats import jpeg
from kdscan.imaging.photo import decode
from kdscan.imaging.picture import Photo
from kdscan.rules import cell_name, problem_from
from kdscan.rules.duel.spellbook import SIDES
from kdscan.sheets.base import DUEL_MAP, KINGDOM, AnyReading, evidence_from, kind_of
from kdscan.sheets.common import VARIANTS, WIZARD, DoubtfulPlace, percent, place_of
from kdscan.sheets.overlay import draw_overlay

MOST_DOUBTS = 12
"""Most doubtful places of a sheet that are shown, the least certain first; a sheet with more needs
a better photo."""

STEP, SHOWN = 5, 10
"""Points in each bar of the histogram, and players whose places are followed."""

LONGEST_PX, QUALITY = 1000, 72
"""Size and JPEG quality of a sheet's picture: about 150 KB, readable on a large screen."""

CROP_PX = 144
"""Side of a doubtful place's picture."""

_AROUND = 0.13
"""Paper shown around the grid, as a fraction of its size."""


_templates = Environment(
    loader=PackageLoader("kdscan.event.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def write_report(state: Event, rows: Iterable[Row], album: Album, w: Words) -> Iterator[str]:
    """The report's HTML in pieces; nothing in it is loaded from anywhere.

    rows: the event's results, iterated once. w: the language.
    """
    seats = {
        seat.sheet.key: (game, seat)
        for game in state.games
        for seat in game.seats
        if seat.sheet is not None
    }
    return _templates.get_template("report.html").generate(
        state=state,
        rules=state.rules,
        totals=totals([score.total for score in state.scores]),
        places=places([player.name for player in state.names.players], state.games),
        cards=(
            (row, read.current, album.pictures(row, read), seats.get(row.sheet.id))
            for row, read in rows
            if isinstance(row, SheetResult) and row.counts and read is not None
        ),
        crop=CROP_PX,
        w=w,
        t=w.t,
        tn=w.tn,
        texts=standings,
        error=partial(error_words.error_text, words=w),
        problem_text=lambda problem: problem_text(problem_from(problem), w),
        place_of=place_of,
        cell_name=cell_name,
        sides=SIDES,
        short_name=short_name,
        percent=percent,
    )


def totals(points: Sequence[int]) -> Json | None:
    """The distribution of points, as (lowest, number) for each `step`; None for too few sheets."""
    if len(points) < 3:
        return None
    counts = Counter(total // STEP for total in points)
    bars = [(STEP * k, counts[k]) for k in range(min(counts), max(counts) + 1)]
    return {"step": STEP, "bars": bars, "median": median(points)}


def places(players: Sequence[str], games: Sequence[Game]) -> Json | None:
    """The places, from 0, of the first ten after each round; None before two rounds are played."""
    rounds = sorted({game.round for game in games if game.played})
    if len(rounds) < 2:
        return None
    everybody = {*players, *(seat.player for game in games for seat in game.seats)}
    after = [
        [line.player for line in standings.standings(everybody, [g for g in games if g.round <= r])]
        for r in rounds
    ]
    lines = [(name, [ranked.index(name) for ranked in after]) for name in after[-1][:SHOWN]]
    depth = max(len(lines), 1 + max(rank for _, ranks in lines for rank in ranks))
    return {"rounds": rounds, "lines": lines, "depth": depth}


@dataclass(frozen=True)
class Pictures:
    """sheet: data URI of the whole sheet, None if its photo is lost. doubts: with data URIs; left:
    how many more there are."""

    sheet: str | None = None
    size_wh: tuple[int, int] = (0, 0)
    doubts: Sequence[tuple[DoubtfulPlace, str]] = ()
    left: int = 0


class Album:
    """Opens photos of a store as rows need them; keeps the last one.

    lost: why photos could not be opened; the report is useful without them.
    """

    def __init__(self, store: Store, w: Words) -> None:
        self._store, self._words = store, w
        self.lost: list[KdscanError] = []
        self._last: tuple[str, int] | None = None
        self._photo: Photo | None = None

    def pictures(self, row: SheetResult, sheet: ReadSheet) -> Pictures:
        """The pictures of a sheet."""
        photo = self._open(row) if sheet.data["outline"] else None
        if photo is None:
            return Pictures()
        reading = _reading(sheet)
        drawn, doubtful = photo.bgr, list[DoubtfulPlace]()
        if reading is not None:
            drawn = draw_overlay(photo, [reading], self._words)
            doubtful += kind_of(reading).places(reading, self._words)
        by_doubt = sorted(range(len(doubtful)), key=lambda n: doubtful[n].choices[0][1])
        worst = [doubtful[n] for n in sorted(by_doubt[:MOST_DOUBTS])]
        doubts = [(place, _jpeg(_crop(photo, place.quad_xy))) for place in worst]
        scale = drawn.shape[1] / photo.width
        outline = scale * np.array(sheet.data["outline"])
        low, high = outline.min(axis=0), outline.max(axis=0)
        reach = _AROUND * (high - low).max()
        (x0, y0), (x1, y1) = np.maximum(low - reach, 0).astype(int), (high + reach + 1).astype(int)
        part = drawn[y0 : min(y1, round(scale * photo.height)), x0:x1]
        shrunk = min(1.0, LONGEST_PX / max(part.shape[:2]))
        size = max(1, round(part.shape[1] * shrunk)), max(1, round(part.shape[0] * shrunk))
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
        return Pictures(_jpeg(part), size, doubts, len(doubtful) - len(doubts))

    def _open(self, row: SheetResult) -> Photo | None:
        key = (row.photo.sha256, row.page)
        if key != self._last:
            self._last, self._photo = key, None
            try:
                data = self._store.photos.get(row.photo.sha256, row.photo.suffix)
                self._photo = decode(data, row.file.name)[row.page]
            except KdscanError as error:
                self.lost.append(error)
            except OSError as error:
                self.lost.append(KdscanError(str(error)))
        return self._photo


def _reading(sheet: ReadSheet) -> AnyReading | None:
    """A sheet's current reading; None if an older version did not store it."""
    if sheet.kept is None:
        return None
    values = firm_values(sheet.current)
    if sheet.kind == KINGDOM.name:
        values[VARIANTS] = sheet.current["variants"]
    if sheet.kind == DUEL_MAP.name:  # from corrections, or a spellbook elsewhere
        values[WIZARD] = sheet.current.get("chosen_coat")
    return corrected(*evidence_from(sheet.kept), values)


def _crop(photo: Photo, quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    """(CROP_PX, CROP_PX, 3) uint8 BGR: a place of the photo with some paper around it, upright."""
    wide = quad.mean(0) + 1.1 * (quad - quad.mean(0))
    side = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * CROP_PX - 0.5
    flat = cv2.getPerspectiveTransform(wide.astype(np.float32), side)
    return np.asarray(
        cv2.warpPerspective(photo.bgr, flat, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA), np.uint8
    )


def _jpeg(bgr: NDArray[np.uint8]) -> str:
    return "data:image/jpeg;base64," + b64encode(jpeg(bgr, QUALITY)).decode("ascii")
