"""Places of a spellbook, in words."""

from __future__ import annotations

from kdscan.game.duel.book_checks import SIDES
from kdscan.game.duel.coats import Coat
from kdscan.kinds.duel_map.names import coat_name
from kdscan.locale import Words
from kdscan.records import BookMark


def mark_name(mark: BookMark, words: Words) -> str:
    """A place in words: "left, line of double dot: square 3"."""
    t = words.t
    side = t(SIDES[0 if mark.key.startswith("players[0]") else 1])
    what = mark.key.split(".")
    coat = coat_name(words, Coat(what[2]))
    if what[1] == "choices":
        return t("{side}, chosen coat: {coat}", side=side, coat=coat)
    if what[3].startswith("squares["):
        part = t("square {n}", n=int(what[3][8:-1]) + 1)
    else:
        part = t("power used") if what[3] == "used" else t("struck through")
    return t("{side}, line of {coat}: {part}", side=side, coat=coat, part=part)
