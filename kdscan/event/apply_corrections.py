"""A sheet's current state: its reading with people's corrections."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kdscan.document import to_dict
from kdscan.event.store.records import Sheet
from kdscan.files import Json
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.sheets.base import AnyReading, deserialize, kind_named, kind_of
from kdscan.sheets.table import interpret_table

Overrides = Mapping[str, Any]
"""The current value of each corrected field, as in `corrections.effective`: field → new value."""


def corrected_json(sheet: Sheet, overrides: Overrides) -> Json:
    """The sheet's element of `sheets` in the JSON, with all corrections.

    What a person corrected is certain; the rest, the total and its confidence are computed as if
    the corrections had been known when the sheet was read. A confirmed sheet needs no review. Lists
    and dicts inside are shared: do not change them. The evidence of a spellbook beside it is as it
    was read; `corrected_sheets` updates it.
    """
    return corrected_sheets([sheet], [overrides])[0]


def corrected_sheets(
    sheets: Sequence[Sheet], overrides: Sequence[Overrides], *, one_table: bool = False
) -> list[Json]:
    """The current state of the sheets of one page; overrides: the corrections of each.

    Two maps and a spellbook among them are one game, and kingdoms share a box: a correction of one
    affects the others. one_table: they do, even if they were photographed separately.
    """
    asked = [_asked(one.kind, mine) for one, mine in zip(sheets, overrides, strict=True)]
    found: Sequence[Json | None]
    known = all(one.kept is not None for one in sheets)
    kinds = [one.kind for one in sheets]
    linked = "duel_spellbook" in kinds or kinds.count("kingdom") > 1
    if known and linked and (one_table or any(asked)):
        found = _read_again(tuple(map(_as_text, sheets, asked)))
    else:
        found = [
            _read_again((_as_text(one, mine),))[0] if mine and one.kept is not None else None
            for one, mine in zip(sheets, asked, strict=True)
        ]
    return [_current(*each) for each in zip(sheets, overrides, found, strict=True)]


def _as_text(sheet: Sheet, asked: Json) -> tuple[str, str]:
    """A sheet's stored evidence and its corrections, the oldest first, as a cache key."""
    return json.dumps(sheet.kept), json.dumps(asked)


def current_json(
    here: Sequence[Sheet],
    asked: Callable[[Sheet], Overrides],
    game_of: Callable[[Sheet], Sequence[Sheet]],
) -> list[Json]:
    """The current state of the sheets of one page, each with what the rest of its game implies.

    asked: the corrections of a sheet. game_of: the sheets of its game, including itself, if they
    are in several photos; else none.
    """
    found = corrected_sheets(here, [asked(one) for one in here])
    for n, one in enumerate(here):
        if game := game_of(one):
            now = corrected_sheets(game, [asked(each) for each in game], one_table=True)
            found[n] = now[[each.id for each in game].index(one.id)]
    return found


def corrected(kept: Json, overrides: Overrides) -> AnyReading:
    """A sheet's stored evidence, interpreted again with its corrections."""
    found = deserialize(kept)
    asked = _asked(found.kind, overrides)
    return kind_of(found).correct_fields(found, asked, DEFAULT_RISK) if asked else found


def _asked(kind: str, overrides: Overrides) -> Json:
    """The corrections that change how a sheet of that kind is read."""
    known = kind_named(kind)
    starts = known.fields if known else ()
    return {field: new for field, new in overrides.items() if field.startswith(starts)}


@lru_cache(maxsize=512)
def _read_again(kept: tuple[tuple[str, str], ...]) -> tuple[Json, ...]:
    """Cached: decoding takes a tenth of a second, and a page requests the same sheets
    repeatedly."""
    found: Sequence[AnyReading] = [corrected(json.loads(one), json.loads(a)) for one, a in kept]
    if len(found) > 1:
        found = interpret_table(found, DEFAULT_RISK)
    return tuple(to_dict(one) for one in found)


def _current(sheet: Sheet, overrides: Overrides, again: Json | None) -> Json:
    """A sheet's JSON with its corrections; again: its reading with them, if any."""
    found = dict(sheet.data)
    if again is not None:
        found.pop("wizard_range", None)  # absent if the points are certain
        found |= again  # fields that later versions add to the JSON are kept
    elif overrides.get("confirmed") is True:  # an older version stored no evidence
        found["review"] = False
    return found
