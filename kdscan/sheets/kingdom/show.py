"""A kingdom for people and programs: its JSON, its text in a terminal, its overlay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from kdscan.i18n import Words, mark
from kdscan.imaging.pens import Points, draw_square, square_width
from kdscan.imaging.picture import Bgr
from kdscan.rules.kingdomino.kingdom import Square, SquareKind, Terrain
from kdscan.rules.kingdomino.scoring import Domain
from kdscan.rules.problem import Problem
from kdscan.sheets import terminal
from kdscan.sheets.board import Canvas, CellDrawing, draw_board, places_of
from kdscan.sheets.common import DoubtfulPlace, Point, point, probability
from kdscan.sheets.kingdom.interpret import doubts
from kdscan.sheets.kingdom.model import KingdomReading, SquareReading
from kdscan.sheets.terminal import Style, draw_grid, explain_doubts

# Names

TERRAIN_NAMES = {
    "wheat": mark("wheat"),
    "forest": mark("forest"),
    "lake": mark("lake"),
    "grassland": mark("grassland"),
    "swamp": mark("swamp"),
    "mine": mark("mine"),
    "castle": mark("castle"),
    "empty": mark("empty"),
}


def square_name(words: Words, terrain: str, crowns: int) -> str:
    """A square with its crowns."""
    return f"{words.t(TERRAIN_NAMES[terrain])} {'♛' * crowns}".rstrip()


# JSON


class SquareKindEntry(Struct):
    """What lies on a square: a terrain, "castle" or "empty"."""

    terrain: str
    crowns: int


class OtherSquareEntry(SquareKindEntry):
    """What else may lie on a square."""

    probability: float


class SquareEntry(Struct):
    """A square as read; seen: the pixels' own most probable kind if it was overruled."""

    row: int
    col: int
    terrain: str
    crowns: int
    center: Point
    confidence: float
    review: bool
    seen: SquareKindEntry | None
    alternatives: list[OtherSquareEntry]


class VariantsEntry(Struct):
    """The extra rules by which a kingdom is scored."""

    middle_kingdom: bool
    harmony: bool


class KingdomEntry(Struct, tag_field="kind", tag=KingdomReading.kind):
    """A kingdom of tiles."""

    sheet_id: str | None
    size: int
    outline: list[Point]
    cells: list[SquareEntry]
    domains: tuple[Domain, ...]
    score: dict[str, int]
    range: tuple[int, int]
    variants: VariantsEntry
    problems: tuple[Problem, ...]
    confidence: float
    review: bool


def to_entry(kingdom: KingdomReading) -> KingdomEntry:
    """A kingdom's entry in the JSON."""
    others = {doubt.cell.at: doubt.others for doubt in doubts(kingdom)}
    variants = kingdom.variants
    return KingdomEntry(
        sheet_id=kingdom.sheet_id,
        size=variants.size,
        outline=[point(xy) for xy in kingdom.outline_xy],
        cells=[
            SquareEntry(
                *square.at,
                *square.kind,
                center=point(kingdom.rectified.centers_xy[square.at]),
                confidence=probability(square.confidence),
                review=square.review,
                seen=SquareKindEntry(*square.seen) if square.seen else None,
                alternatives=[
                    OtherSquareEntry(*other.kind, probability(other.confidence))
                    for other in others.get(square.at, ())
                ],
            )
            for square in kingdom.squares
        ],
        domains=kingdom.score.domains,
        score=kingdom.score.points,
        range=kingdom.total_range,
        variants=VariantsEntry(variants.middle_kingdom, variants.harmony),
        problems=kingdom.problems,
        confidence=probability(kingdom.confidence),
        review=kingdom.review,
    )


# Text

NAME = 6
"""Letters of a terrain's name at most; what is longer ends in a dot."""


def to_text(kingdom: KingdomReading, style: Style) -> str:
    """The board with outlined domains, `?` on doubtful squares, the score's breakdown, the doubtful
    squares; text for a terminal."""
    crown, castle, empty = ("♛", "♜", "·") if style.unicode else ("+", "##", ".")

    def describe(square: SquareReading) -> str:
        terrain = style.words.t(TERRAIN_NAMES[square.terrain])
        return f"{terrain} {crown * square.crowns}".rstrip()

    content = {}
    for square in kingdom.squares:
        signs = {"castle": castle, "empty": empty}
        name = signs.get(square.terrain) or style.words.t(TERRAIN_NAMES[square.terrain])
        if len(name) > NAME:
            name = name[: NAME - 1] + "."
        text = f" {name:<{NAME}} {crown * square.crowns:<3}"
        if style.narrow:
            text = f"{name[:2]:<2}{square.crowns or ' '}"
        content[square.at] = text + ("?" if square.review else " ")
    board = draw_grid(content, kingdom.score.domains, style)
    unsure = explain_doubts(kingdom, doubts(kingdom), describe, lambda s: token(s.kind), style)
    return "\n\n".join(filter(None, [board, explain_score(kingdom, style), unsure]))


def explain_score(kingdom: KingdomReading, style: Style) -> str:
    """Each scoring domain as squares × crowns = points, the bonuses, then the total."""
    score, t, tn = kingdom.score, style.words.t, style.words.tn
    names = [t(TERRAIN_NAMES[domain.terrain]) for domain in score.domains]
    heads = t("from"), t("terrain"), t("squares"), t("crowns"), t("points")
    more = []
    if idle := sum(not domain.points for domain in score.domains):
        more.append(
            tn(
                "{n} domain without a crown: 0 points",
                "{n} domains without a crown: 0 points",
                idle,
            )
        )
    if score.middle_kingdom:
        more.append(t("the castle in the middle: {points}", points=score.middle_kingdom))
    if score.harmony:
        more.append(t("harmony: {points}", points=score.harmony))
    return terminal.explain_score(kingdom, names, heads, more, style)


def token(kind: SquareKind) -> str:
    """A square in the text form of kingdoms, which is the syntax of `--set`."""
    terrain, crowns = kind
    if terrain in ("castle", "empty"):
        return "##" if terrain == "castle" else "."
    return str(Square(Terrain(terrain), crowns))


# Pictures


def draw(canvas: Canvas, kingdom: KingdomReading, others: Sequence[Points]) -> list[Bgr]:
    """The overlay over a photo; returns a tile for each doubtful square. others: outlines (4, 2) of
    the picture's other sheets."""
    return draw_board(canvas, kingdom, kingdom.squares, doubts(kingdom), others, _DRAWING)


def places(kingdom: KingdomReading, words: Words) -> Iterator[DoubtfulPlace]:
    """What needs review, as named places in the photo."""
    return places_of(kingdom, doubts(kingdom), lambda square: square_name(words, *square.kind))


_DRAWING: CellDrawing[SquareReading] = CellDrawing(
    draw=lambda picture, at, square, size: draw_square(picture, at, *square.kind, size),
    width=lambda square, size: square_width(square.crowns, size),
    marked=lambda square: square.crowns > 0,
)
