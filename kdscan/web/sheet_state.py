"""A sheet as the page shows it: its current state, with colours, range and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.document import outcome_json
from kdscan.event.apply_corrections import current_json
from kdscan.event.multi_photo_games import GAME
from kdscan.event.places import place_of
from kdscan.event.store.records import Correction, Sheet
from kdscan.files import Json
from kdscan.paper.layout import layouts
from kdscan.rules.winner import decide, worth
from kdscan.sheets.base import is_player_sheet
from kdscan.sheets.board import DOMAIN_COLORS
from kdscan.sheets.common import CellField, ChoiceField, LineField, domain_colors, parse_field
from kdscan.web import schemas
from kdscan.web.loaded import Loaded

UNKNOWN = 999
"""More than any map is worth: the end of an unknown range."""


def standing(here: Sequence[Sheet], loaded: Loaded) -> list[schemas.Sheet]:
    """The current state of the sheets of one page: correcting one may affect others."""

    def game_of(one: Sheet) -> Sequence[Sheet]:
        place = place_of(one.code, loaded.corrected(one))
        # The pairings say where a player sits.
        seated = place.table is not None or place.who is not None
        return loaded.games.of(one) if one.kind in GAME and seated else ()

    return with_facts(here, current_json(here, loaded.asked, game_of), loaded)


def with_facts(here: Sequence[Sheet], found: Sequence[Json], loaded: Loaded) -> list[schemas.Sheet]:
    """The current JSON of sheets, with what the page needs besides."""
    return [_with_facts(now, one, loaded) for now, one in zip(found, here, strict=True)]


def _ink(sheet: Sheet) -> str | None:
    """Address of the picture of a known print's ink; each picture has only one."""
    if sheet.kind != "duel_map" or sheet.data["layout"] in (UNKNOWN_LAYOUT, *layouts()):
        return None
    return f"/api/sheets/{sheet.id}/ink.png?reading={sheet.reading_id}"


def _with_facts(found: Json, sheet: Sheet, loaded: Loaded) -> schemas.Sheet:
    changes = loaded.corrections.get(sheet.id, ())
    decisions = history(changes)
    facts: schemas.SheetFacts = {
        "id": sheet.id,
        "photo": sheet.photo_id,
        "page": sheet.page,
        "ink": _ink(sheet),
        "confirmed": loaded.corrected(sheet).get("confirmed") is True,
        "corrections": decisions,
        "extras_fixed": loaded.rules.game == "kingdomino",
        "can_undo": any(not one["undone"] for one in decisions),
        "player": loaded.names.of(place_of(sheet.code, loaded.corrected(sheet))),
    }
    more = _scored(found) if is_player_sheet(sheet.kind) else {}
    return cast(schemas.Sheet, {**found, **more, **facts})


def _scored(found: Json) -> Json:
    """The range of the total, and a colour for each domain."""
    scoring = [[(row, col) for row, col in d["cells"]] for d in found["domains"] if d["points"]]
    colors = domain_colors(scoring, len(DOMAIN_COLORS))
    domains = [one | {"color": colors.get(tuple(one["cells"][0]))} for one in found["domains"]]
    again = bool(found.get("photograph_again"))
    return {"domains": domains, "range": None if again else range_of(found)}


def range_of(found: Mapping[str, Any]) -> tuple[int, int]:
    """The lowest and the highest possible total of a map or kingdom."""
    if found.get("photograph_again"):
        return 0, UNKNOWN
    total = found["score"]["total"]
    low, high = found.get("range") or (total, total)
    return low, high


def history(changes: Sequence[Correction]) -> list[schemas.Decision]:
    """Who decided what, the oldest first."""
    undone = {row.undoes for row in changes}
    return [_decision(row, row.id in undone) for row in changes if row.undoes is None]


def _decision(row: Correction, undone: bool) -> schemas.Decision:
    told: schemas.Decision = {
        "id": row.id,
        "what": row.field,
        "cell": None,
        "player": None,
        "coat": None,
        "old": row.old,
        "new": row.new,
        "who": row.who,
        "at": row.at.isoformat(),
        "undone": undone,
    }
    match parse_field(row.field):
        case CellField(cell):
            told["what"], told["cell"] = "cell", cell
        case LineField(player, coat):
            told["what"], told["player"], told["coat"] = "line", player, coat.value
        case ChoiceField(player):
            told["what"], told["player"] = "choice", player
    return told


def game_json(sheets: Sequence[schemas.Sheet]) -> schemas.Outcome:
    """Who won, by the current state of two maps or of two to four kingdoms, and all who share the
    win."""
    scored = [(one["id"], one) for one in sheets if one["kind"] != "duel_spellbook"]
    winners = decide([worth(one) for _, one in scored]).winners
    return cast(schemas.Outcome, {**outcome_json(scored), "winners": list(winners)})
