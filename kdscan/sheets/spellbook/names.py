"""Names of a spellbook's places for people."""

from __future__ import annotations

from kdscan.i18n import Words
from kdscan.records import BookMark
from kdscan.rules.duel.book_checks import SIDES
from kdscan.sheets.duel_map.names import coat_name


def mark_name(mark: BookMark, words: Words) -> str:
    """The name of a place: "left, line of double dot: square 3"."""
    t, place = words.t, mark.place
    side, coat = t(SIDES[place.player]), coat_name(words, place.coat)
    if place.part == "choice":
        return t("{side}, chosen coat: {coat}", side=side, coat=coat)
    if place.part == "square":
        part = t("square {n}", n=place.square + 1)
    else:
        part = t("power used") if place.part == "used" else t("struck through")
    return t("{side}, line of {coat}: {part}", side=side, coat=coat, part=part)
