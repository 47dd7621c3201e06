"""A sheet as it stands now: what was read, and what people said since."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.keeping import recall
from kdscan.pipeline import correct
from kdscan.report import sheet_json
from kdscan.tournament.store.records import Json, Sheet
from kdscan.vision.decode import Marks, board_of

WIZARD = "value:chosen_coat"
"""The field that says for which coat the filled coat's wizard pays."""

Said = Mapping[str, Any]
"""What holds for each corrected field, by `corrections.in_force`: field → new value."""


def current_json(sheet: Sheet, said: Said) -> Json:
    """The sheet's element of `sheets` in the JSON, with all corrections in it.

    Shields that a person corrected are certain; the others, the total and its confidence
    follow exactly as if the reader had known. A confirmed sheet asks for no review. What
    nobody spoke of may be shared with `sheet.data`: change no list or dict inside.
    """
    if not said:
        return dict(sheet.data)
    found = _with_cells(sheet, said)
    for field, value in said.items():
        if field.startswith("value:"):
            _set(found, field.removeprefix("value:").split("/"), value)
    if "castle" in said:
        found["castle_bonus_used"] = said["castle"]
    if said.get(WIZARD) and sheet.kind == "duel_map":
        score = score_board(board_of(marks_of(found)), Coat(said[WIZARD]))
        found["score"] |= {"wizard": score.wizard, "total": score.total}
    if said.get("confirmed") is True:
        found["review"] = False
        for cell in found.get("cells", ()):
            cell["review"] = False
    return found


def marks_of(sheet: Json) -> dict[tuple[int, int], Marks]:
    """What each shield of a map holds: (row, column) → (coat, crosses)."""
    return {(c["row"], c["col"]): _marks(c) for c in sheet["cells"]}


def cell_of(field: str) -> tuple[int, int]:
    """(row, column) of a correction's field `cell:R,C`."""
    row, col = field.removeprefix("cell:").split(",")
    return int(row), int(col)


def _with_cells(sheet: Sheet, said: Said) -> Json:
    cells = {cell_of(f): _marks(new) for f, new in said.items() if f.startswith("cell:")}
    if not cells or sheet.kept is None or sheet.kind != "duel_map":
        return copy.deepcopy(sheet.data)
    found: Json = json.loads(
        _corrected(json.dumps(sheet.kept), tuple(sorted(cells.items(), key=str)))
    )
    # What later versions of the program add to the JSON when they read is kept.
    return copy.deepcopy(sheet.data) | found


@lru_cache(maxsize=512)
def _corrected(kept: str, cells: tuple[tuple[tuple[int, int], Marks], ...]) -> str:
    """Decoding takes a tenth of a second, and a page asks for the same sheet again and again."""
    return json.dumps(sheet_json(correct(recall(json.loads(kept)), dict(cells))))


def _marks(value: Json) -> Marks:
    return (Coat(value["coat"]) if value["coat"] else None), int(value["crosses"])


def _set(found: Any, path: list[str], value: Any) -> None:
    """Set a value by its path; a path that leads nowhere (the sheet was read anew) is passed by."""
    for step in path[:-1]:
        if isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, dict) and step in found:
            found = found[step]
        else:
            return
    last = path[-1]
    if isinstance(found, dict):
        found[last] = value
    elif isinstance(found, list) and last.isdigit() and int(last) < len(found):
        found[int(last)] = value
