"""The registry of the kinds of sheets: each has a folder, and an entry in `KINDS`.

A kind's folder contains modules of these names with functions that take its own reading:

* ``to_json.to_json(found)``: its entry in the JSON ``kdscan/1``
* ``to_text.to_text(found, style)``: the result as text for a terminal
* ``draw.draw(canvas, found, others)``: the overlay; returns tiles of doubtful cells
* ``draw.places(found, words)``: what needs review, as places in the photo
* ``serialize.serialize(found)``, ``serialize.evidence_from(kept)``: evidence in the store
* ``interpret.interpret(evidence, risk)``: the reading computed from evidence
* ``correct.with_fields(evidence, fields)``: the evidence with corrections, given by the store's
  field names, merged with earlier ones

Modules are imported on first use, so that a standings table needs no OpenCV.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.marks.boards import DEFAULT_RISK, check_risk
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.kingdom.model import KingdomReading
from kdscan.sheets.spellbook.model import SpellbookReading

if TYPE_CHECKING:
    from kdscan.files import Json
    from kdscan.i18n import Words
    from kdscan.imaging.pens import Points
    from kdscan.imaging.picture import Bgr
    from kdscan.rules.duel.coats import Coat, Marks
    from kdscan.rules.duel.spellbook import SpellbookLine
    from kdscan.rules.grid import Cell
    from kdscan.rules.kingdomino.tiles import SquareKind
    from kdscan.sheets.board import Canvas
    from kdscan.sheets.common import DoubtfulPlace
    from kdscan.sheets.duel_map.model import MapCorrections, MapReading
    from kdscan.sheets.entries import SheetJson
    from kdscan.sheets.kingdom.model import KingdomCorrections, KingdomReading
    from kdscan.sheets.spellbook.model import SpellbookCorrections, SpellbookReading
    from kdscan.sheets.terminal import Style


@dataclass(frozen=True)
class Kind:
    """One kind of sheet.

    name: in the JSON. folder: its package in `kdscan.sheets`. title: for people, translatable.
    fields: prefixes of the correction fields that change its reading. game: in which it is used.
    most: largest number of such sheets in one game. players: whether each player has one.
    """

    name: str
    folder: str
    title: str
    fields: tuple[str, ...]
    game: str
    most: int
    players: bool = True

    def to_json(self, found: AnyReading) -> SheetJson:
        """An entry of `sheets`."""
        entry: SheetJson = self._module("show").to_json(found)
        return entry

    def to_text(self, found: AnyReading, style: Style) -> str:
        """The result as text for a terminal; ends without a newline."""
        text: str = self._module("show").to_text(found, style)
        return text

    def draw(self, canvas: Canvas, found: AnyReading, others: Sequence[Points]) -> list[Bgr]:
        """Draw over a photo; returns a tile for each doubtful cell.

        others: outlines (4, 2) of the picture's other sheets.
        """
        tiles: list[Bgr] = self._module("show").draw(canvas, found, others)
        return tiles

    def places(self, found: AnyReading, words: Words) -> Iterator[DoubtfulPlace]:
        """What needs review, as named places in the photo."""
        found_places: Iterator[DoubtfulPlace] = self._module("show").places(found, words)
        return found_places

    def serialize(self, found: AnyReading) -> Json:
        """The evidence, without pixels, as JSON values for `deserialize`."""
        kept: Json = self._module("model").serialize(found)
        return kept

    def deserialize(self, kept: Json, risk: float) -> AnyReading:
        """The reading from what `serialize` returned; raises KeyError, TypeError or ValueError for
        anything else."""
        try:
            return self.interpret(self._module("model").evidence_from(kept), risk)
        except (AttributeError, IndexError) as error:  # a number for a list, an empty list
            raise ValueError(f"not the evidence of a sheet: {error}") from error

    def correct_fields(
        self, found: AnyReading, fields: Mapping[str, Any], risk: float
    ) -> AnyReading:
        """The sheet with corrections merged, given by the store's field names."""
        return self.interpret(self._module("model").with_fields(found.evidence, fields), risk)

    def interpret(self, evidence: object, risk: float) -> AnyReading:
        """The reading computed from evidence of this kind; raises ValueError for a risk below 0,
        and for evidence whose numbers give no valid confidence."""
        check_risk(risk)
        found: AnyReading = self._module("interpret").interpret(evidence, risk)
        if not 0 <= found.confidence <= 1 + 1e-9:  # nan would pass for beyond doubt
            raise ValueError(f"not the evidence of a sheet: {found.confidence} sure")
        return found

    def load(self) -> None:
        """Import all of its modules now, so that no later call has to wait."""
        for name in ("read", "interpret", "show", "model"):
            self._module(name)

    def _module(self, name: str) -> Any:
        return import_module(f"kdscan.sheets.{self.folder}.{name}")


KINDS = (
    Kind(
        "duel_map",
        "duel_map",
        mark("map"),
        ("cell:", "castle", "value:chosen_coat", "confirmed"),
        game="duel",
        most=2,
    ),
    Kind(
        "kingdom",
        "kingdom",
        mark("kingdom"),
        ("cell:", "variants", "confirmed"),
        game="kingdomino",
        most=4,
    ),
    Kind(
        "duel_spellbook",
        "spellbook",
        mark("spellbook"),
        ("line:", "choice:", "confirmed"),
        game="duel",
        most=1,
        players=False,
    ),
)

_BY_NAME = {kind.name: kind for kind in KINDS}


def kind_named(name: str) -> Kind | None:
    """The kind of that name; None for an unknown one, which a newer version may have stored."""
    return _BY_NAME.get(name)


def kind_of(found: AnyReading) -> Kind:
    """The kind of a reading."""
    return _BY_NAME[found.kind]


def number_in(sheets: Sequence[AnyReading], at: int) -> str:
    """The number, from 1, that tells a sheet from others of its kind in one picture; "" if it is
    the only one."""
    alike = sum(one.kind == sheets[at].kind for one in sheets)
    return str(at + 1) if alike > 1 else ""


def is_player_sheet(name: str) -> bool:
    """Whether sheets of the kind of that name each have a score and a player."""
    return (kind := kind_named(name)) is not None and kind.players


def games_of(names: Iterable[str]) -> set[str]:
    """The games to which sheets of these kinds belong; "" for unknown kinds."""
    return {kind.game if (kind := kind_named(name)) else "" for name in names}


def fits_one_game(names: Collection[str]) -> bool:
    """Whether all these sheets can belong to one game."""
    each = Counter(names).items()
    return all((kind := kind_named(name)) and number <= kind.most for name, number in each)


def decides_game(names: Collection[str]) -> bool:
    """Whether sheets of these kinds together decide who won a game."""
    return (
        len(games_of(names)) == 1 and fits_one_game(names) and sum(map(is_player_sheet, names)) > 1
    )


@overload
def correct(
    found: MapReading, corrections: MapCorrections | Mapping[Cell, Marks], *, risk: float = ...
) -> MapReading: ...
@overload
def correct(
    found: KingdomReading,
    corrections: KingdomCorrections | Mapping[Cell, SquareKind],
    *,
    risk: float = ...,
) -> KingdomReading: ...
@overload
def correct(
    found: SpellbookReading,
    corrections: SpellbookCorrections | Mapping[tuple[int, Coat], SpellbookLine],
    *,
    risk: float = ...,
) -> SpellbookReading: ...
def correct(found: AnyReading, corrections: object, *, risk: float = DEFAULT_RISK) -> AnyReading:
    """The sheet with a person's corrections; score, problems and review are computed anew.

    Earlier corrections remain unless these override them.

    corrections: the record of the sheet's kind (`MapCorrections`, `KingdomCorrections`,
    `SpellbookCorrections`), or just a mapping for its first field: the true content of some cells
    of a map or kingdom, or of lines of a spellbook. risk: as in `read_photo`.
    Raises ValueError for what no such sheet can hold, TypeError for corrections of another kind.
    """
    evidence: Any = found.evidence
    own = type(evidence.corrections)
    if isinstance(corrections, Mapping):
        corrections = own(corrections)
    if not isinstance(corrections, own):
        given = type(corrections).__name__
        raise TypeError(f"a {found.kind} is corrected by {own.__name__}, not {given}")
    after = replace(evidence, corrections=evidence.corrections.merge(corrections))
    return kind_of(found).interpret(after, risk)


AnyReading = MapReading | KingdomReading | SpellbookReading
"""The readings that `kdscan.reader.read_photo` returns.

All have: kind: as in the JSON. outline_xy: (4, 2) float64, photo frame, corners from its reader's
top left. confidence: calibrated probability that the score is right. review: whether a person
should check it. problems: impossible or suspicious findings.
"""


def maps_of(found: Iterable[AnyReading]) -> tuple[MapReading, ...]:
    """The maps of Kingdomino Duel among readings."""
    return tuple(one for one in found if isinstance(one, MapReading))


def serialize(found: AnyReading) -> Json:
    """The evidence of a reading, without pixels, as JSON values for `deserialize`."""
    return kind_of(found).serialize(found)


def deserialize(kept: Json, *, risk: float = DEFAULT_RISK) -> AnyReading:
    """The reading from what `serialize` returned; a single black pixel replaces its pixels.

    risk: see `kdscan.read_photo`. Raises KeyError, TypeError or ValueError for other values.
    """
    if not isinstance(kept, dict):
        raise TypeError(f"a reading is kept as a dictionary, not as {type(kept).__name__}")
    name = kept.get("kind", "duel_map")  # older stores omit it: it was the only kind
    kind = kind_named(name)
    if kind is None:
        raise ValueError(f"there is no kind of sheet called {name!r}")
    return kind.deserialize(kept, risk)
