"""A kingdom for people and programs: its JSON, its text in a terminal, its overlay."""

from __future__ import annotations

from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.imaging.pens import draw_square, square_width
from kdscan.rules.kingdomino.kingdom import Square, Terrain
from kdscan.sheets.board import CellLook, Style, explain_board
from kdscan.sheets.common import board_json, extras_json
from kdscan.sheets.kingdom.interpret import doubts
from kdscan.sheets.kingdom.model import KingdomReading

# Names

NAMES = (
    *(mark("wheat"), mark("forest"), mark("lake"), mark("grassland"), mark("swamp"), mark("mine")),
    *(mark("castle"), mark("empty")),
)
"""The names in JSON of what a square holds, which are English."""


def token(terrain: str, crowns: int) -> str:
    """A square in the text form of kingdoms, which is the syntax of `--set`."""
    if terrain in ("castle", "empty"):
        return "##" if terrain == "castle" else "."
    return str(Square(Terrain(terrain), crowns))


LOOK = CellLook(
    heads=(mark("terrain"), mark("squares"), mark("crowns")),
    domain=lambda style, domain: style.words.t(domain.terrain),
    idle=lambda words, count: words.tn(
        "{n} domain without a crown: 0 points", "{n} domains without a crown: 0 points", count
    ),
    doubts=doubts,
    name=lambda words, terrain, crowns: f"{words.t(terrain)} {'♛' * crowns}".rstrip(),
    sign=lambda style, terrain, crowns: f"{style.words.t(terrain)} {style.crown * crowns}".rstrip(),
    token=token,
    draw=draw_square,
    width=square_width,
    marked=lambda kind: kind[1] > 0,
)


# JSON


def to_json(kingdom: KingdomReading) -> Json:
    """A kingdom's JSON."""
    return board_json(
        kingdom,
        ("terrain", "crowns"),
        doubts(kingdom),
        size=kingdom.variants.size,
        range=kingdom.total_range,
        variants=extras_json(kingdom.variants),
    )


# Text

NAME = 6
"""Letters of a terrain's name at most; what is longer ends in a dot."""


def to_text(kingdom: KingdomReading, style: Style) -> str:
    """The board with outlined domains, `?` on doubtful squares, the score's breakdown, the doubtful
    squares; text for a terminal."""
    signs = {"castle": "♜", "empty": "·"} if style.unicode else {"castle": "##", "empty": "."}
    content = {}
    for square in kingdom.cells:
        terrain, crowns = square.content
        name = signs.get(terrain) or style.words.t(terrain)
        if len(name) > NAME:
            name = name[: NAME - 1] + "."
        text = f" {name:<{NAME}} {style.crown * crowns:<3}"
        if style.narrow:
            text = f"{name[:2]:<2}{crowns or ' '}"
        content[square.at] = text + ("?" if square.review else " ")
    score, t, more = kingdom.score, style.words.t, []
    if score.middle_kingdom:
        more.append(t("the castle in the middle: {points}", points=score.middle_kingdom))
    if score.harmony:
        more.append(t("harmony: {points}", points=score.harmony))
    return explain_board(kingdom, LOOK, content, more, style)
