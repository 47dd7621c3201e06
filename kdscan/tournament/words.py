"""What the tournament desk says in words: the parts that the report and the terminal share."""

from __future__ import annotations

from kdscan.game.duel.coats import Coat
from kdscan.kinds.kingdom.doubts import TERRAIN_NAMES
from kdscan.locale import Words, mark

DECIDED = {
    "head_to_head": mark("head to head"),
    "spread": mark("spread"),
    "sonneborn_berger": mark("Sonneborn-Berger"),
    "shared": mark("shared"),
    "largest_domain": mark("larger domain"),
    "crowns": mark("more crowns"),
    "draw": mark("draw"),
    "bye": mark("bye"),
    "walkover": mark("walkover"),
}
"""What separated players, or decided a game; points are not worth a word."""

_COATS = {
    Coat.DOT: mark("dot"),
    Coat.LINE: mark("line"),
    Coat.DOUBLE_DOT: mark("double dot"),
    Coat.DOUBLE_LINE: mark("double line"),
    Coat.FILLED: mark("filled"),
    Coat.CHECKED: mark("checked"),
}


def decided_by(w: Words, code: str) -> str:
    """Why a player stands before another, or won; empty for points."""
    return w.t(DECIDED[code]) if code in DECIDED else ""


def coat_name(w: Words, coat: Coat | None) -> str:
    """A coat of arms, or an empty shield."""
    return w.t("empty") if coat is None else w.t(_COATS[coat])


def shield_name(w: Words, coat: Coat | None, crosses: int) -> str:
    """A shield with its crosses."""
    return f"{coat_name(w, coat)} {'×' * crosses}".rstrip()


def square_name(w: Words, terrain: str, crowns: int) -> str:
    """A square with its crowns."""
    return f"{w.t(TERRAIN_NAMES[terrain])} {'♛' * crowns}".rstrip()


def book_place(w: Words, key: str) -> str:
    """A place of a spellbook by its key, as `kdscan.sheet.book.marked_places` calls it."""
    side = w.t("left") if key.startswith("players[0]") else w.t("right")
    _, what, coat, *place = key.split(".")
    name = coat_name(w, Coat(coat))
    if what == "choices":
        return w.t("{side}, chosen coat: {coat}", side=side, coat=name)
    if place[0] == "struck":
        return w.t("{side}, {coat}: struck through", side=side, coat=name)
    if place[0] == "used":
        return w.t("{side}, {coat}: power used", side=side, coat=name)
    number = int(place[0].removeprefix("squares[").removesuffix("]")) + 1
    return w.t("{side}, {coat}: square {n}", side=side, coat=name, n=number)


def so_far(w: Words, played: int, planned: int | None = None) -> str:
    """What a table heads: after which round it stands. played: the latest of which a game is
    finished, 0 before the first."""
    if not played:
        return w.t("before round 1")
    if planned is None:
        return w.t("after round {n}", n=played)
    return w.t("after round {n} of {rounds}", n=played, rounds=planned)


def half(score: float) -> str:
    """Points of the standings: 2, 2½; thirds of a table of four to two digits."""
    whole = int(score)
    if score == whole:
        return str(whole)
    return f"{whole or ''}½" if score == whole + 0.5 else f"{score:.2f}"


def signed(spread: float) -> str:
    """A spread: +12, −5, 0, or +3.3 where tables of several make a mean of it."""
    if spread == 0:
        return "0"
    text = f"{spread:+d}" if isinstance(spread, int) else f"{spread:+.1f}"
    return text.replace("-", "−")
