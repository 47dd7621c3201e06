"""A sheet as it stands now: its reading with people's corrections."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kdscan.kinds import kind_named, kind_of
from kdscan.kinds.duel_map.correct import marks_from
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.pipeline.document import sheet_json
from kdscan.pipeline.serialize import deserialize
from kdscan.pipeline.table import apply_spellbook
from kdscan.records import AnyReading, Marks
from kdscan.records.results import Json, SheetJson
from kdscan.tournament.store.records import Sheet

Overrides = Mapping[str, Any]
"""What holds for each corrected field, by `corrections.effective`: field → new value."""


def corrected_json(sheet: Sheet, overrides: Overrides) -> Json:
    """The sheet's element of `sheets` in the JSON, with all corrections in it.

    What a person corrected is certain; the rest, the total and its confidence follow
    exactly as if the reader had known. A confirmed sheet asks for no review. Lists and dicts
    inside are shared: change none. What a spellbook beside it says is as it was read:
    `corrected_sheets` asks it anew.
    """
    return corrected_sheets([sheet], [overrides])[0]


def corrected_sheets(
    sheets: Sequence[Sheet], overrides: Sequence[Overrides], *, one_table: bool = False
) -> list[Json]:
    """The sheets of one page as they stand; overrides: the corrections of each.

    A spellbook among them and two maps are one game: what is corrected in one of them
    counts for the others. one_table: so they are wherever they were photographed.
    """
    asked = [_asked(one.kind, mine) for one, mine in zip(sheets, overrides, strict=True)]
    found: Sequence[SheetJson | None]
    known = all(one.kept is not None for one in sheets)
    books = sum(one.kind == "duel_spellbook" for one in sheets)
    if known and books and (one_table or any(asked)):
        found = _read_again(tuple(map(_as_text, sheets, asked)))
    else:
        found = [
            _read_again((_as_text(one, mine),))[0] if mine and one.kept is not None else None
            for one, mine in zip(sheets, asked, strict=True)
        ]
    return [_current(*each) for each in zip(sheets, overrides, found, strict=True)]


def _as_text(sheet: Sheet, asked: Json) -> tuple[str, str]:
    """What was kept of a sheet and what is asked of it, as a key of what comes of them."""
    return json.dumps(sheet.kept), json.dumps(asked, sort_keys=True)


def as_they_stand(
    here: Sequence[Sheet],
    asked: Callable[[Sheet], Overrides],
    game_of: Callable[[Sheet], Sequence[Sheet]],
) -> list[Json]:
    """The sheets of one page as they stand, each with what the rest of its game says of it.

    asked: the corrections of a sheet. game_of: the sheets of its game if they lie in several
    photos, itself among them; else none.
    """
    found = corrected_sheets(here, [asked(one) for one in here])
    for n, one in enumerate(here):
        if game := game_of(one):
            now = corrected_sheets(game, [asked(each) for each in game], one_table=True)
            found[n] = now[[each.id for each in game].index(one.id)]
    return found


def cells_of(sheet: Mapping[str, Any]) -> dict[tuple[int, int], Marks]:
    """What each shield of a map holds: (row, column) → (coat, crosses)."""
    return {(c["row"], c["col"]): marks_from(c) for c in sheet["cells"]}


def corrected(kept: Json, overrides: Overrides) -> AnyReading:
    """What a store kept of a sheet, interpreted again with its corrections."""
    found = deserialize(kept)
    asked = _asked(found.kind, overrides)
    return kind_of(found).correct_fields(found, asked, DEFAULT_RISK) if asked else found


def _asked(kind: str, overrides: Overrides) -> Json:
    """The corrections that change how a sheet of that kind is read."""
    known = kind_named(kind)
    starts = known.fields if known else ()
    return {field: new for field, new in overrides.items() if field.startswith(starts)}


@lru_cache(maxsize=512)
def _read_again(kept: tuple[tuple[str, str], ...]) -> tuple[SheetJson, ...]:
    """Decoding takes a tenth of a second, and a page asks for the same sheets again and again."""
    found: Sequence[AnyReading] = [corrected(json.loads(one), json.loads(a)) for one, a in kept]
    if any(one.kind == "duel_spellbook" for one in found):
        found = apply_spellbook(found, DEFAULT_RISK)
    return tuple(sheet_json(one) for one in found)


def _current(sheet: Sheet, overrides: Overrides, again: SheetJson | None) -> Json:
    """A sheet's JSON with what people say beside the reading; again: the reading if it is new."""
    found = dict(sheet.data)
    if again is not None:
        found.pop("wizard_range", None)  # there is none where that is sure
        found |= again  # what later versions of the program add to the JSON is kept
    elif overrides.get("confirmed") is True:  # an older version kept no more of it
        found["review"] = False
    values = {f.removeprefix("value:"): v for f, v in overrides.items() if f.startswith("value:")}
    if values:
        found = copy.deepcopy(found)
    for path, value in values.items():
        _set(found, path.split("/"), value)
    return found


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
