"""A kingdom as text: the board with outlined domains, the score's breakdown, the doubtful
squares."""

from __future__ import annotations

from kdscan.records import KingdomReading, SquareKind, SquareReading
from kdscan.rules.kingdomino.tiles import Square, Terrain
from kdscan.sheets.common.terminal import (
    Style,
    draw_grid,
    explain_domains,
    explain_doubts,
    explain_total,
)
from kdscan.sheets.kingdom.doubts import doubts
from kdscan.sheets.kingdom.names import TERRAIN_NAMES

NAME = 6
"""Letters of a terrain's name at most; what is longer ends in a dot."""


def to_text(kingdom: KingdomReading, style: Style) -> str:
    """See `kdscan.sheets`."""
    board, score = board_text(kingdom, style), explain_score(kingdom, style)
    return "\n\n".join(part for part in (board, score, _explain_doubts(kingdom, style)) if part)


def board_text(kingdom: KingdomReading, style: Style) -> str:
    """The squares that the kingdom may span; lines separate domains, `?` marks doubtful squares."""
    content = {square.at: _square(square, style) for square in kingdom.squares}
    return draw_grid(content, kingdom.score.domains, style)


def _square(square: SquareReading, style: Style) -> str:
    signs = {"castle": "♜" if style.unicode else "##", "empty": "·" if style.unicode else "."}
    name = signs.get(square.terrain) or style.words.t(TERRAIN_NAMES[square.terrain])
    if len(name) > NAME:
        name = name[: NAME - 1] + "."
    doubt = "?" if square.review else " "
    return f" {name:<{NAME}} {_crowns(square.crowns, style):<3}{doubt}"


def _crowns(crowns: int, style: Style) -> str:
    return ("♛" if style.unicode else "+") * crowns


def explain_score(kingdom: KingdomReading, style: Style) -> str:
    """Each scoring domain as squares × crowns = points, the bonuses, then the total."""
    score, t, tn = kingdom.score, style.words.t, style.words.tn
    heads = t("from"), t("terrain"), t("squares"), t("crowns"), t("points")
    names = [t(TERRAIN_NAMES[domain.terrain]) for domain in score.domains]
    lines = explain_domains(score.domains, names, heads, style)
    if idle := sum(not domain.points for domain in score.domains):
        none = tn(
            "{n} domain without a crown: 0 points", "{n} domains without a crown: 0 points", idle
        )
        lines.append(f"   {none}")
    if score.middle_kingdom:
        lines.append("   " + t("the castle in the middle: {points}", points=score.middle_kingdom))
    if score.harmony:
        lines.append("   " + t("harmony: {points}", points=score.harmony))
    return "\n".join([*lines, explain_total(kingdom, score.total, style)])


def _explain_doubts(kingdom: KingdomReading, style: Style) -> str:
    def shown(square: SquareReading) -> str:
        terrain = style.words.t(TERRAIN_NAMES[square.terrain])
        return f"{terrain} {_crowns(square.crowns, style)}".rstrip()

    return explain_doubts(kingdom, doubts(kingdom), shown, lambda one: token(one.kind), style)


def token(kind: SquareKind) -> str:
    """A square in the text form of kingdoms, which is the syntax of `--set`."""
    terrain, crowns = kind
    if terrain in ("castle", "empty"):
        return "##" if terrain == "castle" else "."
    return str(Square(Terrain(terrain), crowns))
