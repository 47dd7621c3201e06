"""The kinds of sheets: what each can do, and what can be done with a reading of any kind.

A kind is a folder with `model` (evidence, corrections, reading), `read` (photo → evidence),
`interpret` (evidence → reading, a pure function) and `show` (JSON, text, overlay). Its name as text
stands in its model, and in the JSON. Only evidence is stored: plain JSON of a few kilobytes,
without pixels, from which this version or a later one computes the reading again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar, cast, get_args

import msgspec
import numpy as np

from kdscan.files import Json
from kdscan.i18n import Words, mark
from kdscan.imaging.pens import Points
from kdscan.imaging.picture import Bgr
from kdscan.marks.boards import DEFAULT_RISK, check_risk
from kdscan.rules import GameName
from kdscan.rules.duel.spellbook import BookPlace
from kdscan.sheets.board import Canvas, CellLook, Style, draw_board, places_of
from kdscan.sheets.common import VARIANTS, Doubt, DoubtfulPlace, plain
from kdscan.sheets.duel_map import interpret as map_interpret
from kdscan.sheets.duel_map import model as map_model
from kdscan.sheets.duel_map import show as map_show
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading
from kdscan.sheets.kingdom import interpret as kingdom_interpret
from kdscan.sheets.kingdom import model as kingdom_model
from kdscan.sheets.kingdom import show as kingdom_show
from kdscan.sheets.kingdom.model import KingdomCorrections, KingdomEvidence, KingdomReading
from kdscan.sheets.spellbook import interpret as spellbook_interpret
from kdscan.sheets.spellbook import model as spellbook_model
from kdscan.sheets.spellbook import show as spellbook_show
from kdscan.sheets.spellbook.model import SpellbookCorrections, SpellbookEvidence, SpellbookReading

AnyEvidence = MapEvidence | KingdomEvidence | SpellbookEvidence
AnyReading = MapReading | KingdomReading | SpellbookReading
AnyCorrections = MapCorrections | KingdomCorrections | SpellbookCorrections
E = TypeVar("E", bound=AnyEvidence)
R = TypeVar("R", bound=AnyReading)


@dataclass(frozen=True)
class SheetType(Generic[E, R]):
    """One kind of sheet.

    name: in the JSON. title: for people, translatable. game: in which it is used. max_per_game:
    largest number of such sheets in one game. has_score: whether each has a score and a player.
    fields: prefixes of the correction fields that change its reading. corrections: the record of
    such fields' values, by the store's names; ValueError for what no such sheet can hold.
    draw: draws over a photo, given the outlines (4, 2) of the picture's other sheets; returns a
    tile for each doubtful cell. places: what needs review, as named places in the photo.
    look, questions: of the cells of a board, and which of them to ask for, given the risk; None for
    sheets that are no boards.
    """

    name: str
    title: str
    game: GameName
    max_per_game: int
    fields: tuple[str, ...]
    evidence: type[E]
    interpret: Callable[[E, float], R]
    corrections: Callable[[Mapping[str, Any]], AnyCorrections]
    to_json: Callable[[R], Json]
    to_text: Callable[[R, Style], str]
    draw: Callable[[Canvas, R, Sequence[Points]], list[Bgr]]
    places: Callable[[R, Words], Iterator[DoubtfulPlace]]
    look: CellLook | None = None
    questions: Callable[[R, float], tuple[Doubt, ...]] | None = None
    has_score: bool = True

    def reading_of(self, evidence: E, risk: float = DEFAULT_RISK) -> R:
        """The reading computed from evidence; raises ValueError for a risk below 0, and for
        evidence whose numbers give no valid confidence.

        risk: accepted probability that a total which is not marked for review is wrong.
        """
        check_risk(risk)
        reading = self.interpret(evidence, risk)
        if not 0 <= reading.confidence <= 1 + 1e-9:  # nan would pass for beyond doubt
            raise ValueError(f"not the evidence of a sheet: {reading.confidence} sure")
        return reading

    def with_fields(self, evidence: E, fields: Mapping[str, Any]) -> E:
        """The evidence with corrections merged, given by the store's names of fields."""
        own: Any = evidence
        changes = {"corrections": own.corrections.merge(self.corrections(fields))}
        if extras := fields.get(VARIANTS):
            changes["variants"] = replace(own.variants, **extras)
        corrected: E = replace(own, **changes)
        return corrected

    def correct_fields(
        self, reading: R, fields: Mapping[str, Any], risk: float = DEFAULT_RISK
    ) -> R:
        """The sheet with corrections merged, given by the store's names of fields."""
        return self.reading_of(self.with_fields(cast(E, reading.evidence), fields), risk)


DUEL_MAP = SheetType(
    name=MapReading.kind,
    title=mark("map"),
    game="duel",
    max_per_game=2,
    fields=("cell:", "castle", "value:chosen_coat", "confirmed"),
    evidence=MapEvidence,
    interpret=map_interpret.interpret,
    corrections=map_model.corrections_of,
    to_json=map_show.to_json,
    to_text=map_show.to_text,
    draw=partial(draw_board, map_show.LOOK),
    places=partial(places_of, map_show.LOOK),
    look=map_show.LOOK,
    questions=map_interpret.questions,
)
KINGDOM = SheetType(
    name=KingdomReading.kind,
    title=mark("kingdom"),
    game="kingdomino",
    max_per_game=4,
    fields=("cell:", "variants", "confirmed"),
    evidence=KingdomEvidence,
    interpret=kingdom_interpret.interpret,
    corrections=kingdom_model.corrections_of,
    to_json=kingdom_show.to_json,
    to_text=kingdom_show.to_text,
    draw=partial(draw_board, kingdom_show.LOOK),
    places=partial(places_of, kingdom_show.LOOK),
    look=kingdom_show.LOOK,
    questions=kingdom_interpret.questions,
)
SPELLBOOK = SheetType(
    name=SpellbookReading.kind,
    title=mark("spellbook"),
    game="duel",
    max_per_game=1,
    fields=("line:", "choice:", "confirmed"),
    evidence=SpellbookEvidence,
    interpret=spellbook_interpret.interpret,
    corrections=spellbook_model.corrections_of,
    to_json=spellbook_show.to_json,
    to_text=spellbook_show.to_text,
    draw=spellbook_show.draw,
    places=spellbook_show.places,
    has_score=False,
)
SHEET_TYPES = (DUEL_MAP, KINGDOM, SPELLBOOK)
_BY_NAME: dict[str, SheetType[Any, Any]] = {kind.name: kind for kind in SHEET_TYPES}


def kind_named(name: str) -> SheetType[Any, AnyReading] | None:
    """The kind of that name; None for an unknown one, which a newer version may have stored."""
    return _BY_NAME.get(name)


def kind_of(reading: R) -> SheetType[Any, R]:
    """The kind of a reading."""
    return _BY_NAME[reading.kind]


def maps_of(readings: Iterable[AnyReading]) -> tuple[MapReading, ...]:
    """The maps of Kingdomino Duel among readings."""
    return tuple(reading for reading in readings if isinstance(reading, MapReading))


def number_in(sheets: Sequence[AnyReading], at: int) -> str:
    """The number, from 1, that tells a sheet from others of its kind in one picture; "" if it is
    the only one."""
    alike = sum(sheet.kind == sheets[at].kind for sheet in sheets)
    return str(at + 1) if alike > 1 else ""


# Games, from the names of kinds


def is_player_sheet(name: str) -> bool:
    """Whether sheets of the kind of that name each have a score and a player."""
    return (kind := kind_named(name)) is not None and kind.has_score


def games_of(names: Iterable[str]) -> set[str]:
    """The games to which sheets of these kinds belong; "" for unknown kinds."""
    return {kind.game if (kind := kind_named(name)) else "" for name in names}


def fits_one_game(names: Collection[str]) -> bool:
    """Whether all these sheets can belong to one game."""
    return all(
        (kind := kind_named(name)) and number <= kind.max_per_game
        for name, number in Counter(names).items()
    )


def decides_game(names: Collection[str]) -> bool:
    """Whether sheets of these kinds together decide who won a game."""
    return (
        len(games_of(names)) == 1 and fits_one_game(names) and sum(map(is_player_sheet, names)) > 1
    )


# Corrections


def correct(
    reading: R, corrections: AnyCorrections | Mapping[Any, Any], *, risk: float = DEFAULT_RISK
) -> R:
    """The sheet with a person's corrections; score, problems and review are computed anew.

    Earlier corrections remain unless these override them.

    corrections: the record of the sheet's kind (`MapCorrections`, `KingdomCorrections`,
    `SpellbookCorrections`), or just a mapping for its first field: the true content of some cells
    of a map or kingdom, or of lines of a spellbook. risk: as in `read_photo`.
    Raises ValueError for what no such sheet can hold, TypeError for corrections of another kind.
    """
    evidence: Any = reading.evidence
    own = type(evidence.corrections)
    if isinstance(corrections, Mapping):
        corrections = own(corrections)
    if not isinstance(corrections, own):
        given = type(corrections).__name__
        raise TypeError(f"a {reading.kind} is corrected by {own.__name__}, not {given}")
    merged = evidence.corrections.merge(corrections)
    return kind_of(reading).reading_of(replace(evidence, corrections=merged), risk)


# JSON

DIGITS = 7
"""Significant digits of stored arrays, more than any probability's precision."""


def without_pixels(reading: R) -> R:
    """The reading with a single black pixel for its picture, so that many fit in memory."""
    evidence: Any = reading.evidence
    if isinstance(evidence, SpellbookEvidence):
        return reading
    bare = {"rectified": replace(evidence.rectified, bgr=np.zeros((1, 1, 3), np.uint8))}
    if isinstance(evidence, MapEvidence):
        bare["ink"] = None
    return replace(reading, evidence=replace(evidence, **bare))


def serialize(reading: AnyReading) -> Json:
    """The evidence of a reading, without pixels, as JSON values for `deserialize`."""
    stored = msgspec.to_builtins(
        without_pixels(reading).evidence,
        enc_hook=lambda array: np.char.mod(f"%.{DIGITS}g", array).astype(np.float64).tolist(),
    )
    return plain({"kind": reading.kind, **_with_text_keys(stored)})


def deserialize(stored: Json, *, risk: float = DEFAULT_RISK) -> AnyReading:
    """The reading from what `serialize` returned; a single black pixel replaces its pixels.

    risk: see `kdscan.read_photo`. Raises TypeError or ValueError for other values.
    """
    kind, evidence = evidence_from(stored)
    try:
        return kind.reading_of(evidence, risk)
    except (AttributeError, LookupError) as error:  # a number for a list, an empty list
        raise ValueError(f"not the evidence of a sheet: {error}") from error


def evidence_from(stored: Json) -> tuple[SheetType[Any, AnyReading], AnyEvidence]:
    """The kind of a sheet, and its evidence, from what `serialize` returned; raises TypeError or
    ValueError for other values."""
    if not isinstance(stored, dict):
        raise TypeError(f"evidence is stored as a dictionary, not as {type(stored).__name__}")
    name = stored.get("kind", DUEL_MAP.name)  # older stores omit it: it was the only kind
    kind = kind_named(name)
    if kind is None:
        raise ValueError(f"there is no kind of sheet called {name!r}")
    try:
        values = _with_tuple_keys(stored)
        if "place" in values or "page" in values:
            values = _upgraded(values)
        return kind, msgspec.convert(
            values,
            kind.evidence,
            str_keys=True,
            dec_hook=lambda array, value: np.array(value, *get_args(get_args(array)[1])),
        )
    except (AttributeError, LookupError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise ValueError(f"not the evidence of a sheet: {error}") from error


def _upgraded(stored: Json) -> Json:
    """Evidence of any kind as version 0.1 stored it, in the names of today's records."""
    new, corrections = dict(stored), dict(stored.get("corrections") or {})
    if "place" in stored:
        place = stored["place"]
        new["rectified"] = {**place, "bgr": [[[0, 0, 0]]]}
        new["rectified"] |= {f"{name}_xy": place[name] for name in ("centers", "outline")}
        new["covered"] = {(row, col): p for row, col, p in stored.get("covered", ())}
        for name in corrections.keys() & {"cells", "squares"}:
            corrections[name] = {(row, col): what for row, col, *what in corrections[name]}
        if "squares" not in corrections:
            new |= {"clipped": stored.get("hidden", ()), "wizard": stored.get("wizard") or {}}
        if isinstance(stored["probs"], dict) and "trust" in stored["probs"]:
            new["probs"] = {**stored["probs"], "calibration": stored["probs"]["trust"]}
    else:
        new["page_xy"] = stored["page"]
        new["marks"] = [[vars(BookPlace.parse(at)), *mark] for at, *mark in stored["marks"]]
        corrections["lines"] = {
            (side, coat): {"filled": filled, "struck": struck, "used": used}
            for side, coat, filled, struck, used in corrections.get("lines", ())
        }
        corrections["choices"] = dict(corrections.get("choices", ()))
    return {**new, "corrections": corrections}


def _with_text_keys(value: Any) -> Any:
    """JSON values, in which the tuples that are keys become texts: (0, 6) becomes "0,6"."""
    if isinstance(value, dict):
        return {
            ",".join(map(str, key)) if isinstance(key, tuple) else key: _with_text_keys(item)
            for key, item in value.items()
        }
    return value


def _with_tuple_keys(value: Any) -> Any:
    """The inverse of `_with_text_keys`."""
    if isinstance(value, dict):
        return {
            tuple(int(part) if part.isdigit() else part for part in key.split(","))
            if "," in key
            else key: _with_tuple_keys(item)
            for key, item in value.items()
        }
    return value
