"""Texts of the tournament desk that the report and the terminal share."""

from __future__ import annotations

from kdscan.event.standings import Standing
from kdscan.i18n import Words, mark

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
"""What separated players or decided a game; points need no text."""


def decided_by(w: Words, code: str) -> str:
    """Why a player ranks before another, or won; empty for points."""
    return w.t(DECIDED[code]) if code in DECIDED else ""


def where(w: Words, round_: int | None, table: int | None) -> str:
    """The round and the table of a game, if known."""
    if round_ is None:
        return ""
    if table is None:
        return w.t("round {round}", round=round_)
    return w.t("round {round}, table {table}", round=round_, table=table)


def so_far(w: Words, played: int, over: bool, planned: int | None, closed: bool) -> str:
    """A table's heading: after which round it stands. played: the last round with a finished game,
    0 if there is none; over: whether all games of that round are finished; closed: whether it is
    final."""
    if closed:
        return w.t("final standings")
    if not played:
        return w.t("before round 1")
    if planned is None:
        return w.t("after round {n}", n=played) if over else w.t("during round {n}", n=played)
    if over:
        return w.t("after round {n} of {rounds}", n=played, rounds=planned)
    return w.t("during round {n} of {rounds}", n=played, rounds=planned)


def half(score: float) -> str:
    """Points of the standings: 2, 2½; thirds of a table of four with two digits."""
    whole = int(score)
    if score == whole:
        return str(whole)
    return f"{whole or ''}½" if score == whole + 0.5 else f"{score:.2f}"


def byes_text(line: Standing) -> str:
    """Number of a player's byes, with what they scored unless all did like wins: 2 (1½)."""
    points = "" if line.bye_points == line.byes else f" ({half(line.bye_points)})"
    return f"{line.byes}{points}"


def signed(spread: float) -> str:
    """A spread: +12, −5, 0, or +3.3 if tables of several players make it a mean."""
    if spread == 0:
        return "0"
    text = f"{spread:+d}" if isinstance(spread, int) else f"{spread:+.1f}"
    return text.replace("-", "−")
