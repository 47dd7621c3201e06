"""A sheet's current state: its reading with what people said, and where each value comes from.

What the desk said is certain. A player's answer to a doubt counts as well, as long as the total
stays within the range that was read and no rule is broken that was not broken before; everything
else that a player changes waits for the desk, and until then the read value counts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from kdscan.document import to_dict
from kdscan.files import Json
from kdscan.i18n.problems import AGAINST_RULES
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.rules.duel.board import CELLS, MAX_CROSSES
from kdscan.rules.duel.coats import COATS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.rules.problem import is_open
from kdscan.rules.winner import known_total, worth
from kdscan.sheets.base import AnyReading, deserialize, is_player_sheet, kind_named, kind_of
from kdscan.sheets.common import WIZARD, CellField, ChoiceField, LineField, parse_field
from kdscan.sheets.table import interpret_table

Source = Literal["desk", "answered", "waits"]
"""Where a value comes from that was not only read: the desk, a player's answer to a doubt, or a
player's change that waits for the desk."""

UNKNOWN = 999
"""More than any map is worth: the end of an unknown range."""

KINGDOM_SIDE = 13
"""Squares along the side of the area that a kingdom of 7 x 7 can reach around its castle."""


@dataclass(frozen=True)
class Word:
    """What a person said about one value of a sheet. action: the id of the log's entry. late: said
    by a player when the next round had been paired."""

    field: str
    new: Any
    who: str
    role: str
    action: int
    late: bool = False


@dataclass(frozen=True)
class SheetSaid:
    """All that was said about a sheet's values, the newest word for each. firm: by the desk, or
    approved by it; claims: by players since then. rules: values that the event's rules set."""

    firm: Mapping[str, Word] = field(default_factory=dict)
    claims: Mapping[str, Word] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> Json:
        """What is certain, by field."""
        return {**self.rules, **{name: word.new for name, word in self.firm.items()}}

    def __bool__(self) -> bool:
        return bool(self.firm or self.claims or self.rules)


NOTHING_SAID = SheetSaid()


@dataclass(frozen=True)
class StoredSheet:
    """A sheet as it was read. data: its entry in the JSON; kept: its evidence, None if an older
    version did not store it."""

    id: int
    kind: str
    data: Json
    kept: Json | None


class Wait(Struct, frozen=True, array_like=True):
    """A player's change that waits for the desk."""

    action: int
    field: str
    old: Any
    new: Any
    who: str


class Brief(Struct, frozen=True, array_like=True):
    """What overviews need of a sheet's current state; stored beside it.

    total: None for a spellbook, or if the photo cuts off shields (`retake`). low, high: the range
    of the total. marks: `marks_code` as hexadecimal digits. illegal: a rule is broken, and nobody
    has looked at the shields concerned. pays: a spellbook's side names a coat. corrected: something
    was said that counts; confirmed: by the desk, as a whole. if_accepted: what it would be worth if
    all changes that wait were accepted.
    """

    total: int | None = None
    largest: int = 0
    crowns: int = 0
    confidence: float = 0.0
    review: bool = False
    retake: bool = False
    low: int = 0
    high: int = 0
    marks: str = ""
    illegal: bool = False
    pays: bool = False
    size: int | None = None
    corrected: bool = False
    confirmed: bool = False
    waits: tuple[Wait, ...] = ()
    if_accepted: int | None = None
    confirmed_by: str = ""
    extras: tuple[bool, bool] | None = None
    correctable: bool = True
    layout: str = ""


def fold_table(
    sheets: Sequence[StoredSheet], said: Sequence[SheetSaid], *, one_table: bool = False
) -> list[Json]:
    """The current JSON of the sheets of one page, each with what the others imply for it.

    Two maps and a spellbook among them are one game, and kingdoms share a box. one_table: they do,
    even if they were photographed separately. Besides what `kdscan score` prints, an entry has
    `said`: who said what, from what to what, and `if_accepted`.
    """
    values = [one.values for one in said]
    sources: list[list[Json]] = [
        [_source(word, sheet.data, "desk") for word in one.firm.values()]
        for sheet, one in zip(sheets, said, strict=True)
    ]
    current = _interpreted(sheets, values, one_table=one_table)
    accepted: list[int | None] = [None] * len(sheets)
    for n, one in enumerate(said):
        waiting, base = dict(one.claims), current[n]
        while answers := {name: w for name, w in waiting.items() if _answers(w, current[n])}:
            trial = list(values)
            trial[n] = values[n] | {name: word.new for name, word in answers.items()}
            outcome = _interpreted(sheets, trial, one_table=one_table)
            if not _is_within(outcome[n], base):
                break
            values, current = trial, outcome
            for name, word in answers.items():
                sources[n].append(_source(word, base, "answered"))
                del waiting[name]
        sources[n] += [_source(word, base, "waits") for word in waiting.values()]
        claimed = {name: word.new for name, word in waiting.items() if name != "confirmed"}
        if claimed:
            trial = list(values)
            trial[n] = values[n] | claimed
            accepted[n] = known_total(_interpreted(sheets, trial, one_table=one_table)[n])
    return [
        {**now, "said": sources[n], "if_accepted": accepted[n]} for n, now in enumerate(current)
    ]


def _answers(word: Word, shown: Json) -> bool:
    """Whether a player's word answers a doubt about what is shown."""
    return not word.late and word.field != "confirmed" and value_of(shown, word.field)[1]


def _is_within(after: Json, before: Json) -> bool:
    """Whether answers lead to a total that was said to be possible, and break no further rule."""
    if not is_player_sheet(before["kind"]):
        return True
    low, high = range_of(before)
    broken = {one["code"] for one in before.get("problems", ())}
    new = {one["code"] for one in after.get("problems", ())} - broken
    fits = low <= after["score"]["total"] <= high and not before.get("photograph_again")
    return fits and not new & AGAINST_RULES


def _source(word: Word, before: Json, source: Source) -> Json:
    old = None if word.field == "confirmed" else value_of(before, word.field)[0]
    return {
        "field": word.field,
        "old": old,
        "new": word.new,
        "source": source,
        "who": word.who,
        "role": word.role,
        "action": word.action,
    }


def value_of(shown: Mapping[str, Any], path: str) -> tuple[Any, bool]:
    """The value at a path in a sheet's JSON, and whether it is doubtful; (None, False) if the sheet
    has no such place."""
    try:
        match parse_field(path):
            case CellField(at):
                cell = {(c["row"], c["col"]): c for c in shown["cells"]}[at]
                names = ("terrain", "crowns") if shown["kind"] == "kingdom" else ("coat", "crosses")
                return {name: cell[name] for name in names}, cell["review"]
            case LineField(player, coat):
                line = shown["players"][player]["lines"][coat]
                return {name: line[name] for name in ("filled", "struck", "used")}, line["review"]
            case ChoiceField(player):
                side = shown["players"][player]
                return side["chosen_coat"], side["choice"]["review"]
    except (LookupError, TypeError):
        return None, False
    if path == WIZARD:  # the points of the filled coat's wizard have a range until it is known
        return shown.get("chosen_coat"), "wizard_range" in shown
    name = "castle_bonus_used" if path == "castle" else path
    return shown.get(name), False


def _interpreted(
    sheets: Sequence[StoredSheet], values: Sequence[Json], *, one_table: bool
) -> list[Json]:
    """The JSON of the sheets of a page, with values that are certain."""
    asked = [_of_kind(one.kind, own) for one, own in zip(sheets, values, strict=True)]
    kinds = [one.kind for one in sheets]
    linked = "duel_spellbook" in kinds or kinds.count("kingdom") > 1
    found: Sequence[Json | None]
    if all(one.kept is not None for one in sheets) and linked and (one_table or any(asked)):
        found = _read_again([(one.kept, own) for one, own in zip(sheets, asked, strict=True)])
    else:
        found = [
            _read_again([(one.kept, own)])[0] if own and one.kept is not None else None
            for one, own in zip(sheets, asked, strict=True)
        ]
    current = []
    for sheet, own, again in zip(sheets, values, found, strict=True):
        now = dict(sheet.data)
        if again is not None:
            now.pop("wizard_range", None)  # absent if the points are certain
            now |= again  # fields that later versions add to the JSON are kept
        elif own.get("confirmed") is True:  # an older version stored no evidence
            now["review"] = False
        current.append(now)
    return current


def _read_again(sheets: Sequence[tuple[Any, Json]]) -> list[Json]:
    readings = [corrected(kept, values) for kept, values in sheets]
    if len(readings) > 1:
        readings = list(interpret_table(readings, DEFAULT_RISK))
    return [dict(to_dict(one)) for one in readings]


def corrected(kept: Json, values: Mapping[str, Any]) -> AnyReading:
    """A sheet's stored evidence, interpreted with values that are certain."""
    found = deserialize(kept)
    asked = _of_kind(found.kind, values)
    return kind_of(found).correct_fields(found, asked, DEFAULT_RISK) if asked else found


def _of_kind(kind: str, values: Mapping[str, Any]) -> Json:
    """The values that change how a sheet of that kind is read."""
    known = kind_named(kind)
    starts = known.fields if known else ()
    return {name: new for name, new in values.items() if name.startswith(starts)}


def firm_values(current: Mapping[str, Any]) -> Json:
    """The values of a sheet's current JSON that people set and that count, by field."""
    counting = (one for one in current.get("said", ()) if one["source"] != "waits")
    return {one["field"]: one["new"] for one in counting}


def range_of(current: Mapping[str, Any]) -> tuple[int, int]:
    """The lowest and the highest possible total of a map or kingdom."""
    if current.get("photograph_again"):
        return 0, UNKNOWN
    total = current["score"]["total"]
    low, high = current.get("range") or (total, total)
    return low, high


def brief_of(current: Mapping[str, Any], read: Mapping[str, Any], kept: Json | None) -> Brief:
    """See `Brief`; read, kept: as in `StoredSheet`."""
    kind, said = current["kind"], current.get("said", ())
    extras = read.get("variants")
    values = firm_values(current)
    waits = tuple(
        Wait(one["action"], one["field"], one["old"], one["new"], one["who"])
        for one in said
        if one["source"] == "waits" and one["field"] != "confirmed"
    )
    by = [one["who"] for one in said if one["field"] == "confirmed"]
    common = Brief(
        confidence=current["confidence"],
        review=current["review"],
        corrected=bool(values),
        confirmed=values.get("confirmed") is True,
        confirmed_by=by[-1] if by else "",
        waits=waits,
        if_accepted=current.get("if_accepted"),
        extras=extras and (extras["middle_kingdom"], extras["harmony"]),
        correctable=kept is not None,
        layout=read.get("layout") or "",
    )
    if not is_player_sheet(kind):
        sides = current.get("players", ())
        return replace(common, pays=any(side["chosen_coat"] for side in sides))
    numbers, (low, high) = worth(current), range_of(current)
    checked = _checked_cells(values)
    illegal = any(
        one["code"] in AGAINST_RULES and is_open(((r, c) for r, c in one["cells"]), checked)
        for one in current.get("problems", ())
    )
    marks = marks_code(current)
    return replace(
        common,
        total=numbers.total,
        largest=numbers.largest_domain,
        crowns=numbers.crowns,
        retake=bool(current.get("photograph_again")),
        low=low,
        high=high,
        marks="" if marks is None else marks.tobytes().hex(),
        illegal=illegal,
        size=current.get("size"),
    )


def _checked_cells(values: Mapping[str, Any]) -> set[tuple[int, int]]:
    fields = (parse_field(name) for name in values)
    return {one.cell for one in fields if isinstance(one, CellField)}


def marks_code(current: Mapping[str, Any]) -> NDArray[np.uint8] | None:
    """The content of each cell as one number, 0 for empty ones; None for a spellbook.

    Map: (34,) uint8, coat and crosses. Kingdom: (169,) uint8, terrain and crowns, with its castle
    in the middle of 13 x 13 squares.
    """
    if current["kind"] == "duel_map":
        marks = {(c["row"], c["col"]): (c["coat"], c["crosses"]) for c in current["cells"]}
        codes = [
            0 if coat is None else _COAT[coat] * (MAX_CROSSES + 1) + crosses
            for coat, crosses in (marks[at] for at in CELLS)
        ]
        return np.array(codes, np.uint8)
    if current["kind"] != "kingdom":
        return None
    around = np.zeros((KINGDOM_SIDE, KINGDOM_SIDE), np.uint8)
    cells = {(c["row"], c["col"]): (c["terrain"], c["crowns"]) for c in current["cells"]}
    castle = next((at for at, kind in cells.items() if kind == ("castle", 0)), None)
    for (row, col), kind in cells.items():
        if castle is not None and kind[0] not in ("castle", "empty"):
            middle = KINGDOM_SIDE // 2
            around[row - castle[0] + middle, col - castle[1] + middle] = SQUARE_CLASSES.index(kind)
    return around.ravel()


_COAT = {None if coat is None else coat.value: n for n, coat in enumerate(COATS)}


@lru_cache(maxsize=4096)
def marks_from(digits: str) -> NDArray[np.uint8] | None:
    """The inverse of `Brief.marks`."""
    return np.frombuffer(bytes.fromhex(digits), np.uint8) if digits else None


def basis_of(sheets: Sequence[tuple[int, int]], said: Sequence[SheetSaid], one_table: bool) -> str:
    """What a current state rests on, as a short text; it changes when the state has to be computed
    anew. sheets: id and reading of each."""
    words = [
        [[one.field, one.action, one.late] for one in (*own.firm.values(), *own.claims.values())]
        + [[name, value] for name, value in own.rules.items()]
        + [len(own.firm)]
        for own in said
    ]
    text = json.dumps([list(sheets), words, one_table], default=list)
    return f"{zlib.crc32(text.encode()):08x}{len(text):x}"
