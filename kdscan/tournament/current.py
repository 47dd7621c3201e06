"""A sheet as it stands now: what was read, and what people said since."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.kinds.kingdom.read import correct_kingdom
from kdscan.marks.decode import DEFAULT_RISK, Marks, board_of
from kdscan.pipeline.document import sheet_json
from kdscan.pipeline.read import correct, correct_book
from kdscan.pipeline.serialize import recall
from kdscan.pipeline.table import share
from kdscan.records import AnyReading, KingdomReading, SpellbookReading
from kdscan.tournament.store.records import Json, Sheet

WIZARD = "value:chosen_coat"
"""The field that says for which coat the filled coat's wizard pays."""

VARIANTS = "variants"
"""The field that says which extra rules a kingdom is scored by."""

Said = Mapping[str, Any]
"""What holds for each corrected field, by `corrections.in_force`: field → new value."""


def current_json(sheet: Sheet, said: Said) -> Json:
    """The sheet's element of `sheets` in the JSON, with all corrections in it.

    What a person corrected is certain; the rest, the total and its confidence follow
    exactly as if the reader had known. A confirmed sheet asks for no review. What nobody
    spoke of may be shared with `sheet.data`: change no list or dict inside. What a
    spellbook beside it says is as it was read: `current_sheets` asks it anew.
    """
    return current_sheets([sheet], [said])[0]


def current_sheets(
    sheets: Sequence[Sheet], said: Sequence[Said], *, one_table: bool = False
) -> list[Json]:
    """The sheets of one page as they stand; said: what people said of each.

    A spellbook among them and two maps are one game: what is corrected in one of them
    counts for the others. one_table: so they are wherever they were photographed.
    """
    asked = [_asked(one, mine) for one, mine in zip(sheets, said, strict=True)]
    found: list[Json | None]
    known = all(one.kept is not None for one in sheets)
    books = sum(one.kind == "duel_spellbook" for one in sheets)
    if known and books and (one_table or any(asked)):
        kept = tuple((json.dumps(s.kept), a) for s, a in zip(sheets, asked, strict=True))
        found = list(json.loads(_read_again(kept)))
    else:
        found = [
            json.loads(_read_again(((json.dumps(one.kept), mine),)))[0]
            if mine and one.kept is not None
            else None
            for one, mine in zip(sheets, asked, strict=True)
        ]
    return [_current(*each) for each in zip(sheets, said, found, strict=True)]


def marks_of(sheet: Json) -> dict[tuple[int, int], Marks]:
    """What each shield of a map holds: (row, column) → (coat, crosses)."""
    return {(c["row"], c["col"]): _marks(c) for c in sheet["cells"]}


def cell_of(field: str) -> tuple[int, int]:
    """(row, column) of a correction's field `cell:R,C`."""
    row, col = field.removeprefix("cell:").split(",")
    return int(row), int(col)


def corrected(found: AnyReading, said: Said) -> AnyReading:
    """A reading with what people said of it; what they say beside the reading is passed by."""
    cells = {cell_of(f): new for f, new in said.items() if f.startswith("cell:")}
    if isinstance(found, KingdomReading):
        kinds = {cell: (new["terrain"], int(new["crowns"])) for cell, new in cells.items()}
        given = said.get(VARIANTS)
        rules = found.variants if given is None else found.variants.with_extras(**given)
        return correct_kingdom(found, kinds, variants=rules)
    if isinstance(found, SpellbookReading):
        lines = {_line(f): SpellbookLine(**v) for f, v in said.items() if f.startswith("line:")}
        choices = {
            int(f.removeprefix("choice:")): Coat(coat) if coat else None
            for f, coat in said.items()
            if f.startswith("choice:")
        }
        return correct_book(found, lines, choices)
    return correct(found, {cell: _marks(new) for cell, new in cells.items()})


def _line(field: str) -> tuple[int, Coat]:
    player, coat = field.removeprefix("line:").split(",")
    return int(player), Coat(coat)


_OF_READINGS = {
    "duel_map": ("cell:",),
    "kingdom": ("cell:", VARIANTS),
    "duel_spellbook": ("line:", "choice:"),
}
"""How fields begin that change what a reading of that kind says."""


def _asked(sheet: Sheet, said: Said) -> str:
    """What people said that changes the reading, as JSON; empty if there is nothing."""
    starts = _OF_READINGS.get(sheet.kind, ())
    mine = {field: new for field, new in said.items() if field.startswith(starts)}
    return json.dumps(mine, sort_keys=True) if mine else ""


@lru_cache(maxsize=512)
def _read_again(kept: tuple[tuple[str, str], ...]) -> str:
    """Decoding takes a tenth of a second, and a page asks for the same sheets again and again."""
    found = [recall(json.loads(one)) for one, _ in kept]
    for n, (_, asked) in enumerate(kept):
        if asked:
            found[n] = corrected(found[n], json.loads(asked))
    if any(isinstance(one, SpellbookReading) for one in found):
        found = list(share(found, DEFAULT_RISK))
    return json.dumps([sheet_json(one) for one in found])


def _current(sheet: Sheet, said: Said, again: Json | None) -> Json:
    """A sheet's JSON with what people say beside the reading; again: the reading if it is new."""
    if not said and again is None:
        return dict(sheet.data)
    # What later versions of the program add to the JSON when they read is kept.
    found = copy.deepcopy(sheet.data) | (again or {})
    for field, value in said.items():
        if field.startswith("value:"):
            _set(found, field.removeprefix("value:").split("/"), value)
    if "castle" in said:
        found["castle_bonus_used"] = said["castle"]
    if WIZARD in said and sheet.kind == "duel_map":
        coat = Coat(said[WIZARD]) if said[WIZARD] else None
        score = score_board(board_of(marks_of(found)), coat)
        before = found.get("wizard_range", [found["score"]["wizard"]] * 2)
        found["score"] |= {"wizard": score.wizard, "total": score.total}
        if found.get("range"):
            ends = zip(found["range"], before, strict=True)
            found["range"] = [total - paid + score.wizard for total, paid in ends]
            found.pop("wizard_range", None)
    if said.get("confirmed") is True:
        _settle(found)
    return found


def _settle(found: Json) -> None:
    """Nothing asks for a look any more."""
    parts = [found, *found.get("cells", ())]
    for player in found.get("players", ()):
        parts += [*player["lines"].values(), *([player["choice"]] if "choice" in player else [])]
    for part in parts:
        part["review"] = False
    if "range" in found:
        found["range"] = [found["score"]["total"]] * 2
    if "photograph_again" in found:
        found["photograph_again"] = False
    found.pop("wizard_range", None)


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
