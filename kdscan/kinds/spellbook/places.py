"""A spellbook's doubtful marks as places in the photo."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kdscan.kinds.common.doubt import DoubtfulPlace
from kdscan.kinds.spellbook.names import mark_name
from kdscan.locale import Words
from kdscan.records import BookMark, SpellbookReading
from kdscan.records.arrays import Floats


def places(book: SpellbookReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.kinds`."""
    for mark in book.marks:
        if mark.review:
            yield DoubtfulPlace(mark_name(mark, words), _choices(mark, words), _around(mark))


def _choices(mark: BookMark, words: Words) -> tuple[tuple[str, float], ...]:
    yes, no = words.t("marked"), words.t("blank")
    read, other = (yes, no) if mark.marked else (no, yes)
    return (read, mark.confidence), (other, 1 - mark.confidence)


def _around(mark: BookMark) -> Floats:
    """A square around a place, or around the middle of a line."""
    middle = np.mean(mark.at_xy, axis=0)
    reach = 1.5 * mark.reach_px
    if len(mark.at_xy) > 1:  # a line: its whole length
        long = float(np.linalg.norm(np.subtract(mark.at_xy[0], mark.at_xy[-1])))
        reach = max(reach, long / 2 + mark.reach_px)
    return np.asarray(middle + reach * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]))
