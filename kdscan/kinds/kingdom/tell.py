"""A kingdom as text: the board with outlined domains, the score's breakdown, the doubtful
squares."""

from __future__ import annotations

from kdscan.game.grid import Cell, cell_name
from kdscan.game.kingdomino.tiles import LETTERS, Terrain
from kdscan.kinds.common.colors import domain_colors
from kdscan.kinds.common.terminal import COLORS, Style, draw_grid, explain_doubts, explain_total
from kdscan.kinds.kingdom.doubts import doubts
from kdscan.kinds.kingdom.names import TERRAIN_NAMES
from kdscan.records import KingdomReading, SquareKind, SquareReading

WIDTH = 12
"""Characters of a square: a name, shortened to `NAME`, and three crowns."""

NAME = 6
"""Letters of a terrain's name at most; what is longer ends in a dot."""


def tell(kingdom: KingdomReading, style: Style) -> str:
    """See `kdscan.kinds`."""
    board, score = draw_kingdom(kingdom, style), explain_kingdom(kingdom, style)
    return "\n\n".join(part for part in (board, score, _explain_doubts(kingdom, style)) if part)


def draw_kingdom(kingdom: KingdomReading, style: Style) -> str:
    """The squares that the kingdom may span; lines separate domains, `?` marks doubtful squares."""
    colors = domain_colors([d.cells for d in kingdom.score.domains if d.points], len(COLORS))
    squares = {s.at: s for s in kingdom.squares}

    def content(cell: Cell) -> str:
        return style.filled(_square(squares[cell], style), colors.get(cell))

    size = kingdom.variants.size
    domains = [d.cells for d in kingdom.score.domains]
    return draw_grid(size, size, domains, content, style, WIDTH)


def _square(square: SquareReading, style: Style) -> str:
    signs = {"castle": "♜" if style.unicode else "##", "empty": "·" if style.unicode else "."}
    name = signs.get(square.terrain) or style.words.t(TERRAIN_NAMES[square.terrain])
    if len(name) > NAME:
        name = name[: NAME - 1] + "."
    doubt = "?" if square.review else " "
    return f" {name:<{NAME}} {_crowns(square.crowns, style):<3}{doubt}"


def _crowns(crowns: int, style: Style) -> str:
    return ("♛" if style.unicode else "+") * crowns


def explain_kingdom(kingdom: KingdomReading, style: Style) -> str:
    """Each scoring domain as squares × crowns = points, the bonuses, then the total."""
    score = kingdom.score
    times = "×" if style.unicode else "x"
    scoring = sorted((d for d in score.domains if d.points), key=lambda d: -d.points)
    t, tn = style.words.t, style.words.tn
    heads = t("from"), t("terrain"), t("squares"), t("crowns"), t("points")
    head = f"   {heads[0]:<5} {heads[1]:<17}{heads[2]:>7}{heads[3]:>10}{heads[4]:>8}"
    lines = [head] if scoring else []
    for domain in scoring:
        first, size = cell_name(domain.cells[0]), len(domain.cells)
        lines.append(
            f"   {first:<5} {t(TERRAIN_NAMES[domain.terrain]):<17}{size:>6}  {times}"
            f"{domain.crowns:>7}  ={domain.points:>6}"
        )
    idle = len(score.domains) - len(scoring)
    if idle:
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

    def as_set(square: SquareReading) -> str:
        return token(square.kind)

    return explain_doubts(kingdom, doubts(kingdom), shown, as_set, style)


def token(kind: SquareKind) -> str:
    """A square in the text form of kingdoms, which is the syntax of `--set`."""
    terrain, crowns = kind
    if terrain in ("castle", "empty"):
        return "##" if terrain == "castle" else "."
    return LETTERS[Terrain(terrain)] + "+" * crowns
