"""A sheet's current state: its reading with what people said, and where each value comes from.

What the desk said is certain. A player's answer to a doubt counts as well, as long as the total
stays within the range that was read and no rule is broken that was not broken before; everything
else that a player changes waits for the desk, and until then the read value counts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kdscan.document import to_dict
from kdscan.event.corrections import OnField
from kdscan.event.log import AnyEntry, Entry
from kdscan.files import Json
from kdscan.i18n.problems import AGAINST_RULES
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.rules import is_open, known_total, worth
from kdscan.rules.duel.board import CELLS, COATS, MAX_CROSSES
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.base import (
    KINGDOM,
    SPELLBOOK,
    AnyEvidence,
    AnyReading,
    SheetType,
    evidence_from,
    is_player_sheet,
    kind_named,
)
from kdscan.sheets.common import (
    WIZARD,
    cell_values,
    place_of,
)
from kdscan.sheets.table import interpret_table

Source = Literal["desk", "answered", "waits"]
"""Where a value comes from that was not only read: the desk, a player's answer to a doubt, or a
player's change that waits for the desk."""

UNKNOWN = 999
"""More than any map is worth: the end of an unknown range."""

KINGDOM_SIDE = 13
"""Squares along the side of the area that a kingdom of 7 x 7 can reach around its castle."""


# What is known of a sheet


class SheetSaid(Struct, frozen=True):
    """All that was said about a sheet's values, the newest word for each. firm: by the desk, or
    approved by it; claims: by players since then. rules: values that the event's rules set. closed:
    the entry that paired the next round; what players say after it comes too late.
    """

    firm: Mapping[str, Entry[OnField]] = {}
    claims: Mapping[str, Entry[OnField]] = {}
    rules: Mapping[str, Any] = {}
    closed: AnyEntry | None = None

    @property
    def values(self) -> Json:
        """What is certain, by field."""
        return {**self.rules, **_values(self.firm)}

    def is_late(self, entry: Entry[OnField]) -> bool:
        """Whether something was said when the next round had been paired."""
        return self.closed is not None and entry.id > self.closed.id

    def __bool__(self) -> bool:
        return bool(self.firm or self.claims or self.rules)


@dataclass(frozen=True)
class ReadSheet:
    """A sheet as it was read. data: its entry in the JSON; kept: its evidence, None if an older
    version did not store it; current: its entry with what people said."""

    id: int
    photo_id: int
    page: int
    number: int
    kind: str
    data: Json
    kept: Json | None
    current: Json


class Wait(Struct, frozen=True, array_like=True):
    """A player's change that waits for the desk."""

    action: int
    what: str
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


@dataclass(frozen=True)
class Sheet:
    """A sheet of paper in a photo, according to its newest reading. number: its index there.

    code: text of its printed code. basis: what `brief`, its current state, rests on; None if
    nothing but the reading.
    """

    id: int
    photo_id: int
    page: int
    number: int
    reading_id: int
    kind: str
    code: str | None
    basis: str | None
    brief: Brief

    @property
    def type(self) -> SheetType[AnyEvidence, AnyReading] | None:
        """What kind of sheet it is; None for one of a newer version."""
        return kind_named(self.kind)

    @property
    def place(self) -> str:
        """Page and number on it, counted from 1, like 2.1."""
        return f"{self.page + 1}.{self.number + 1}"

    def name_in(self, file: str) -> str:
        """Its name for people: the file's, with the sheet's place unless it is the first."""
        return file if (self.page, self.number) == (0, 0) else f"{file}#{self.place}"


# Its current JSON


def fold_table(
    sheets: Sequence[ReadSheet], said: Sequence[SheetSaid], *, one_table: bool = False
) -> list[Json]:
    """The current JSON of the sheets of one page, each with what the others imply for it.

    Two maps and a spellbook among them are one game, and kingdoms share a box. one_table: they do,
    even if they were photographed separately. Besides what `kdscan score` prints, an entry has
    `said`: who said what, from what to what, and `if_accepted`.
    """
    evidence = [evidence_from(sheet.kept) if sheet.kept else None for sheet in sheets]
    linked = is_linked([sheet.kind for sheet in sheets]) and None not in evidence

    def interpreted(n: int, words: Mapping[str, Entry[OnField]]) -> tuple[list[Json], list[Json]]:
        """What is certain if this is certain too of sheet n, and the JSON that follows."""
        known = [*values[:n], values[n] | _values(words), *values[n + 1 :]]
        read = list(zip(evidence, known, strict=True))
        together = linked and (one_table or any(_of_kind(e[0], own) for e, own in read if e))
        readings = [
            corrected(*e, own) if e and (together or _of_kind(e[0], own)) else None
            for e, own in read
        ]
        if together:
            readings = list(interpret_table([r for r in readings if r is not None], DEFAULT_RISK))
        entries = []
        for sheet, own, reading in zip(sheets, known, readings, strict=True):
            entry = dict(sheet.data)
            if reading is not None:
                entry.pop("wizard_range", None)  # absent if the points are certain
                entry |= to_dict(reading)  # fields that later versions add to the JSON are kept
            elif own.get("confirmed") is True:  # an older version stored no evidence
                entry["review"] = False
            entries.append(entry)
        return known, entries

    values = [words.values for words in said]
    sources: list[list[Json]] = [
        [_source(entry, sheet.data, "desk") for entry in words.firm.values()]
        for sheet, words in zip(sheets, said, strict=True)
    ]
    _, current = interpreted(0, {})
    accepted: list[int | None] = [None] * len(sheets)
    for n, words in enumerate(said):
        waiting, base = dict(words.claims), current[n]
        while answers := {
            name: entry
            for name, entry in waiting.items()
            if not words.is_late(entry) and entry.action.value in value_of(current[n], name)[1]
        }:
            trial, outcome = interpreted(n, answers)
            if not _is_within(outcome[n], base):
                break
            values, current = trial, outcome
            sources[n] += [_source(entry, base, "answered") for entry in answers.values()]
            waiting = {name: entry for name, entry in waiting.items() if name not in answers}
        sources[n] += [_source(entry, base, "waits") for entry in waiting.values()]
        waiting.pop("confirmed", None)
        if waiting:
            accepted[n] = known_total(interpreted(n, waiting)[1][n])
    return [
        {**entry, "said": sources[n], "if_accepted": accepted[n]} for n, entry in enumerate(current)
    ]


def _values(words: Mapping[str, Entry[OnField]]) -> Json:
    return {name: entry.action.value for name, entry in words.items()}


def _is_within(after: Json, before: Json) -> bool:
    """Whether answers lead to a total that was said to be possible, and break no further rule."""
    if not is_player_sheet(before["kind"]):
        return True
    low, high = range_of(before)
    broken, new = ({p["code"] for p in e.get("problems", ())} for e in (before, after))
    fits = low <= after["score"]["total"] <= high and not before.get("photograph_again")
    return fits and not (new - broken) & AGAINST_RULES


def _source(entry: Entry[OnField], before: Json, source: Source) -> Json:
    action = entry.action
    return {
        "field": action.field,
        "old": value_of(before, action.field)[0],
        "new": action.value,
        "source": source,
        "who": entry.who,
        "role": entry.role,
        "action": entry.id,
    }


def value_of(shown: Mapping[str, Any], path: str) -> tuple[Any, Sequence[Any]]:
    """The value at a path in a sheet's JSON, and the answers that are offered if it is doubtful;
    (None, ()) if the sheet has no such place."""
    asked: list[Json] = []
    try:
        match place_of(path):
            case "cell", at:
                place = next(c for c in shown["cells"] if (c["row"], c["col"]) == at)
                names = ["coat", "crosses"] if "coat" in place else ["terrain", "crowns"]
                questions = shown.get("questions", ())
                asked = [o for q in questions if (q["row"], q["col"]) == at for o in q["options"]]
            case "line", (player, coat):
                place = shown["players"][player]["lines"][coat]
                names = ["filled", "struck", "used"]
            case "choice", (player,):
                side = shown["players"][player]
                place, names = {**side["choice"], "coat": side["chosen_coat"]}, ["coat"]
            case _:  # the points of the filled coat's wizard have a range until it is known
                doubtful = path == WIZARD and "wizard_range" in shown
                name = {WIZARD: "chosen_coat", "castle": "castle_bonus_used"}.get(path, path)
                return shown.get(name), [*_COAT] * doubtful
    except (LookupError, TypeError, StopIteration):
        return None, ()
    if place["review"]:
        asked += [place, *place.get("alternatives", ())]
    value, *offered = (
        {name: content[name] for name in names} if names[1:] else content[names[0]]
        for content in (place, *asked)
    )
    return value, offered


def is_linked(kinds: Sequence[str]) -> bool:
    """Whether sheets of these kinds on one page imply something for each other."""
    return SPELLBOOK.name in kinds or kinds.count(KINGDOM.name) > 1


def corrected(
    kind: SheetType[AnyEvidence, AnyReading], evidence: AnyEvidence, values: Json
) -> AnyReading:
    """Evidence, interpreted with values that are certain."""
    fields = _of_kind(kind, values)
    return kind.reading_of(kind.with_fields(evidence, fields) if fields else evidence)


def _of_kind(kind: SheetType[AnyEvidence, AnyReading], values: Json) -> Json:
    """The values that change how a sheet of that kind is read."""
    return {field: new for field, new in values.items() if field.startswith(kind.fields)}


# In brief


def firm_values(current: Mapping[str, Any]) -> Json:
    """The values of a sheet's current JSON that people set and that count, by field."""
    counting = (source for source in current.get("said", ()) if source["source"] != "waits")
    return {source["field"]: source["new"] for source in counting}


def range_of(current: Mapping[str, Any]) -> tuple[int, int]:
    """The lowest and the highest possible total of a map or kingdom."""
    if current.get("photograph_again"):
        return 0, UNKNOWN
    total = current["score"]["total"]
    low, high = current.get("range") or (total, total)
    return low, high


def brief_of(current: Mapping[str, Any], read: Mapping[str, Any], kept: Json | None) -> Brief:
    """See `Brief`; read, kept: as `data` and `kept` of `ReadSheet`."""
    said, extras, values = current.get("said", ()), read.get("variants"), firm_values(current)
    common: Json = {
        "confidence": current["confidence"],
        "review": current["review"],
        "corrected": bool(values),
        "confirmed": values.get("confirmed") is True,
        "confirmed_by": next((s["who"] for s in said[::-1] if s["field"] == "confirmed"), ""),
        "waits": tuple(
            Wait(s["action"], s["field"], s["old"], s["new"], s["who"])
            for s in said
            if s["source"] == "waits" and s["field"] != "confirmed"
        ),
        "if_accepted": current.get("if_accepted"),
        "extras": extras and (extras["middle_kingdom"], extras["harmony"]),
        "correctable": kept is not None,
        "layout": read.get("layout") or "",
    }
    if not is_player_sheet(current["kind"]):
        sides = current.get("players", ())
        return Brief(**common, pays=any(side["chosen_coat"] for side in sides))
    numbers, (low, high), marks = worth(current), range_of(current), marks_code(current)
    return Brief(
        **common,
        total=numbers.total,
        largest=numbers.largest_domain,
        crowns=numbers.crowns,
        retake=bool(current.get("photograph_again")),
        low=low,
        high=high,
        marks="" if marks is None else marks.tobytes().hex(),
        illegal=any(
            problem["code"] in AGAINST_RULES
            and is_open(((r, c) for r, c in problem["cells"]), set(cell_values(values)))
            for problem in current.get("problems", ())
        ),
        size=current.get("size"),
    )


def marks_code(current: Mapping[str, Any]) -> NDArray[np.uint8] | None:
    """The content of each cell as one number, 0 for empty ones; None for a spellbook.

    Map: (34,) uint8, coat and crosses. Kingdom: (169,) uint8, terrain and crowns, with its castle
    in the middle of 13 x 13 squares.
    """
    cells = {(cell["row"], cell["col"]): cell for cell in current.get("cells") or ()}
    if not cells:
        return None
    if current["kind"] != KINGDOM.name:
        marks = ((cells[at]["coat"], cells[at]["crosses"]) for at in CELLS)
        codes = [_COAT[coat] * (MAX_CROSSES + 1) + crosses for coat, crosses in marks]
        return np.array(codes, np.uint8)
    around = np.zeros((KINGDOM_SIDE, KINGDOM_SIDE), np.uint8)
    castle = next((at for at, cell in cells.items() if cell["terrain"] == "castle"), None)
    for (row, col), cell in cells.items():
        if castle is not None and cell["terrain"] not in ("castle", "empty"):
            at = row - castle[0] + KINGDOM_SIDE // 2, col - castle[1] + KINGDOM_SIDE // 2
            around[at] = SQUARE_CLASSES.index((cell["terrain"], cell["crowns"]))
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
        [[name, e.id, own.is_late(e)] for name, e in (*own.firm.items(), *own.claims.items())]
        + [[name, value] for name, value in own.rules.items()]
        + [len(own.firm)]
        for own in said
    ]
    text = json.dumps([list(sheets), words, one_table], default=list)
    return f"{zlib.crc32(text.encode()):08x}{len(text):x}"
