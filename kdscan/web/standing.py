"""A sheet as the page shows it: as it stands now, with colours, range and history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kdscan.report
from kdscan.game.duel.scoring import score_board
from kdscan.overlay import DOMAIN_COLORS
from kdscan.report import domain_colors
from kdscan.tournament.current import WIZARD, cell_of, current_json, marks_of
from kdscan.tournament.store.corrections import in_force
from kdscan.tournament.store.records import Correction, Sheet
from kdscan.vision.decode import board_of

Json = dict[str, Any]


def standing_json(sheet: Sheet, said: Sequence[Correction]) -> Json:
    """The sheet's JSON of the contract as it stands, and what the page needs beside it."""
    held = {field: row.new for field, row in in_force(said).items()}
    decisions = history(said)
    found = current_json(sheet, held)
    if sheet.kind == "duel_map":
        found |= _map_extras(sheet, held, found)
    return found | {
        "id": sheet.id,
        "photo": sheet.photo_id,
        "page": sheet.page,
        "confirmed": held.get("confirmed") is True,
        "corrections": decisions,
        "can_undo": any(not one["undone"] for one in decisions),
    }


def _map_extras(sheet: Sheet, held: Json, found: Json) -> Json:
    """Whom the wizard pays, how far the total may move, and a colour for each domain."""
    colors = domain_colors(score_board(board_of(marks_of(found))), len(DOMAIN_COLORS))
    domains = [one | {"color": colors.get(tuple(one["cells"][0]))} for one in found["domains"]]
    total = found["score"]["total"]
    unpaid = current_json(sheet, {k: v for k, v in held.items() if k != WIZARD})
    paid = total - unpaid["score"]["total"]
    spread = unpaid.get("range") or [unpaid["score"]["total"]] * 2
    return {
        "domains": domains,
        "chosen_coat": found.get("chosen_coat"),
        "range": [total] * 2 if held.get("confirmed") is True else [n + paid for n in spread],
    }


def history(said: Sequence[Correction]) -> list[Json]:
    """Who decided what, the oldest first."""
    undone = {row.undoes for row in said}
    return [
        {
            "what": "cell" if row.field.startswith("cell:") else row.field,
            "cell": list(cell_of(row.field)) if row.field.startswith("cell:") else None,
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
