"""A sheet as it stands: what was read, and what people said since."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import kdscan.report
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.keeping import recall
from kdscan.overlay import DOMAIN_COLORS
from kdscan.pipeline import correct
from kdscan.report import domain_colors, sheet_json
from kdscan.tournament.store.corrections import in_force
from kdscan.tournament.store.records import Correction, Sheet
from kdscan.vision.decode import Marks, board_of

Json = dict[str, Any]

WIZARD = "value:chosen_coat"
"""The field that says for which coat the filled coat's wizard pays."""


def standing_json(sheet: Sheet, said: Sequence[Correction]) -> Json:
    """The sheet's JSON of the contract as it stands, and what the page needs beside it."""
    held = {field: row.new for field, row in in_force(said).items()}
    more = {
        "id": sheet.id,
        "photo": sheet.photo_id,
        "page": sheet.page,
        "confirmed": held.get("confirmed") is True,
        "corrections": history(said),
        "can_undo": any(not one["undone"] for one in history(said)),
    }
    if sheet.kind != "duel_map" or sheet.kept is None:
        return sheet.data | more
    return _map_json(sheet, held) | more


def _map_json(sheet: Sheet, held: Json) -> Json:
    said = tuple((_cell(f), _marks(new)) for f, new in held.items() if f.startswith("cell:"))
    answer = _corrected(json.dumps(sheet.kept), said) if said else json.dumps(sheet.data)
    found: Json = json.loads(answer)
    chosen = Coat(held[WIZARD]) if held.get(WIZARD) else None
    score = score_board(_board(found), chosen)
    colors = domain_colors(score, len(DOMAIN_COLORS))
    for domain in found["domains"]:
        domain["color"] = colors.get(tuple(domain["cells"][0]))
    if held.get("confirmed") is True:
        found["review"] = False
        for cell in found["cells"]:
            cell["review"] = False
        found.pop("range", None)
    paid = score.wizard - found["score"]["wizard"]
    low, high = found.get("range") or [found["score"]["total"]] * 2
    found["score"] |= {"wizard": score.wizard, "total": score.total}
    return found | {"chosen_coat": chosen and chosen.value, "range": [low + paid, high + paid]}


@lru_cache(maxsize=512)
def _corrected(kept: str, said: tuple[tuple[tuple[int, int], Marks], ...]) -> str:
    """The sheet's JSON with what people said of its shields; decoding takes a while."""
    return json.dumps(sheet_json(correct(recall(json.loads(kept)), dict(said))))


def history(said: Sequence[Correction]) -> list[Json]:
    """Who decided what, the oldest first."""
    undone = {row.undoes for row in said}
    return [
        {
            "what": "cell" if row.field.startswith("cell:") else row.field,
            "cell": list(_cell(row.field)) if row.field.startswith("cell:") else None,
            "old": row.old,
            "new": row.new,
            "who": row.who,
            "at": row.at.isoformat(),
            "undone": row.id in undone,
        }
        for row in said
        if row.undoes is None
    ]


def game_json(sheets: Sequence[Json]) -> Json:
    """Who won, of two maps as they stand."""
    game = kdscan.report.game_json([{"sheets": list(sheets)}])
    assert game is not None
    for player, sheet in zip(game["players"], sheets, strict=True):
        player["sheet"] = sheet["id"]
    return game


def _board(sheet: Json) -> Any:
    return board_of({(c["row"], c["col"]): _marks(c) for c in sheet["cells"]})


def _marks(cell: Json) -> Marks:
    return (Coat(cell["coat"]) if cell["coat"] else None), int(cell["crosses"])


def _cell(field: str) -> tuple[int, int]:
    row, col = field.removeprefix("cell:").split(",")
    return int(row), int(col)
