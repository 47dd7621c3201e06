"""A kingdom for people and programs: its JSON, its text in a terminal, its overlay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kdscan.i18n import Words, mark
from kdscan.imaging.pens import Points, draw_square, square_width
from kdscan.imaging.picture import Bgr
from kdscan.rules.kingdomino.report import domains_json, score_json
from kdscan.rules.kingdomino.tiles import Square, SquareKind, Terrain
from kdscan.rules.kingdomino.variants import DYNASTY_GAMES
from kdscan.rules.problem import problems_json
from kdscan.sheets.board import Canvas, CellDrawing, draw_board, places_of
from kdscan.sheets.common import DoubtfulPlace, judged_json, point_json, probability_json
from kdscan.sheets.entries import DynastyJson, KingdomJson, PhotoJson, SquareJson, SquareKindJson
from kdscan.sheets.kingdom.interpret import doubts
from kdscan.sheets.kingdom.model import KingdomReading, SquareReading
from kdscan.sheets.terminal import Style, draw_grid, explain_domains, explain_doubts, explain_total

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


def to_json(kingdom: KingdomReading) -> KingdomJson:
    """One entry of `sheets`, of the kind `kingdom`."""
    others = {d.cell.at: d.others for d in doubts(kingdom)}
    variants = kingdom.variants
    return {
        "kind": kingdom.kind,
        "sheet_id": kingdom.sheet_id,
        "size": variants.size,
        "outline": [point_json(p) for p in kingdom.outline_xy],
        "cells": [_square_json(kingdom, s, others.get(s.at, ())) for s in kingdom.squares],
        "domains": domains_json(kingdom.score),
        "score": score_json(kingdom.score),
        "range": list(kingdom.total_range),
        "variants": {"middle_kingdom": variants.middle_kingdom, "harmony": variants.harmony},
        "problems": problems_json(kingdom.problems),
        "confidence": probability_json(kingdom.confidence),
        "review": kingdom.review,
    }


def dynasty_json(photos: Sequence[PhotoJson]) -> DynastyJson:
    """A player's kingdoms of several games, added up; photos: entries of the JSON.

    A photo without a kingdom leaves a game out; a photo with several also shows other players'.
    Kingdoms of equal domains are one kingdom, photographed twice.
    """
    found = [
        ([n, k], sheet)
        for n, photo in enumerate(photos)
        for k, sheet in enumerate(photo["sheets"])
        if sheet["kind"] == "kingdom"
    ]
    different = {_domains_of(sheet) for _, sheet in found}
    repeated = len(different) < len(found)
    return {
        "kingdoms": [where for where, _ in found],
        "total": sum(sheet["score"]["total"] for _, sheet in found),
        "confidence": probability_json(math.prod(sheet["confidence"] for _, sheet in found)),
        "repeated": repeated,
        "review": repeated
        or len(found) > DYNASTY_GAMES
        or any(sheet["review"] for _, sheet in found)
        or [photo for (photo, _), _ in found] != list(range(len(photos))),
    }


def _domains_of(kingdom: KingdomJson) -> tuple[tuple[str, int, int], ...]:
    """Terrain, squares and crowns of each domain, the same whichever way the kingdom lies."""
    found = ((one["terrain"], len(one["cells"]), one["crowns"]) for one in kingdom["domains"])
    return tuple(sorted(found))


def _square_json(
    kingdom: KingdomReading, square: SquareReading, others: Sequence[SquareReading]
) -> SquareJson:
    center = kingdom.rectified.centers_xy[square.at]
    return {
        "row": square.row,
        "col": square.col,
        **_kind_json(square.kind),
        **judged_json(center, square.confidence, square.review),
        "seen": _kind_json(square.seen) if square.seen else None,
        "alternatives": [
            {**_kind_json(other.kind), "probability": probability_json(other.confidence)}
            for other in others
        ],
    }


def _kind_json(kind: SquareKind) -> SquareKindJson:
    terrain, crowns = kind
    return {"terrain": terrain, "crowns": crowns}


NAME = 6
"""Letters of a terrain's name at most; what is longer ends in a dot."""


def to_text(kingdom: KingdomReading, style: Style) -> str:
    """See `kdscan.sheets.base`."""
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
    if style.narrow:
        return f"{name[:2]:<2}{square.crowns or ' '}{doubt}"
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


def draw(canvas: Canvas, kingdom: KingdomReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.sheets.base`."""
    return draw_board(canvas, kingdom, kingdom.squares, doubts(kingdom), others, _DRAWING)


def places(kingdom: KingdomReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.sheets.base`."""
    return places_of(kingdom, doubts(kingdom), lambda square: square_name(words, *square.kind))


_DRAWING: CellDrawing[SquareReading] = CellDrawing(
    draw=lambda picture, at, one, size: draw_square(picture, at, *one.kind, size),
    width=lambda one, size: square_width(one.crowns, size),
    marked=lambda one: one.crowns > 0,
)
