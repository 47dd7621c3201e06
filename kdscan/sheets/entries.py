"""The JSON `kdscan/1` as types: what is written, stored, served and read back.

`kinds` makes the entries of sheets from readings, `pipeline.document` the rest. Fields may be added
at any time, but renamed or removed only with a new schema number. Points in a photo are [x, y] in
pixels, cells are [row, column], sheets are [photo, sheet]; all count from 0.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from kdscan.files import Json
from kdscan.rules.duel.report import DomainJson, MapScoreJson
from kdscan.rules.kingdomino.report import KingdomScoreJson, LandJson
from kdscan.rules.problem import ProblemJson

Pair = list[int]
Point = list[float]


class MarksJson(TypedDict):
    """What a shield holds."""

    coat: str | None
    crosses: int


class OtherMarksJson(MarksJson):
    """What else a shield may hold."""

    probability: float


class JudgedJson(TypedDict):
    """Position and confidence of a shield or square."""

    center: Point
    confidence: float
    review: bool


class CellJson(MarksJson, JudgedJson):
    """A shield as read; seen: the pixels' own most probable marks if they were overruled."""

    row: int
    col: int
    seen: MarksJson | None
    alternatives: list[OtherMarksJson]


class MapJson(TypedDict):
    """A map; range is null and photograph_again true where the picture cuts off shields."""

    kind: Literal["duel_map"]
    layout: str
    sheet_id: str | None
    outline: list[Point]
    castle_bonus_used: bool | None
    cells: list[CellJson]
    domains: list[DomainJson]
    score: MapScoreJson
    chosen_coat: str | None
    range: Pair | None
    photograph_again: bool
    wizard_range: NotRequired[Pair]
    problems: list[ProblemJson]
    confidence: float
    review: bool


class SquareKindJson(TypedDict):
    """What lies on a square: a terrain, "castle" or "empty"."""

    terrain: str
    crowns: int


class OtherSquareJson(SquareKindJson):
    """What else may lie on a square."""

    probability: float


class SquareJson(SquareKindJson, JudgedJson):
    """A square as read; seen: the pixels' own most probable kind if it was overruled."""

    row: int
    col: int
    seen: SquareKindJson | None
    alternatives: list[OtherSquareJson]


class VariantsJson(TypedDict):
    """The extra rules by which a kingdom is scored."""

    middle_kingdom: bool
    harmony: bool


class KingdomJson(TypedDict):
    """A kingdom of tiles."""

    kind: Literal["kingdom"]
    sheet_id: str | None
    size: int
    outline: list[Point]
    cells: list[SquareJson]
    domains: list[LandJson]
    score: KingdomScoreJson
    range: Pair
    variants: VariantsJson
    problems: list[ProblemJson]
    confidence: float
    review: bool


class LineStateJson(TypedDict):
    """One side's progress on a line."""

    filled: int
    struck: bool
    used: bool


class OtherLineJson(LineStateJson):
    """What else a line may be."""

    probability: float


class LineJson(LineStateJson):
    """A line of one side as read, and where its marks lie; reach: half a square's side."""

    confidence: float
    review: bool
    squares: list[bool]
    centers: list[Point]
    used_center: Point | None
    reach: float
    alternatives: list[OtherLineJson]


class OtherChoiceJson(TypedDict):
    """Which other coat a side may have chosen."""

    coat: str | None
    probability: float


class ChoiceJson(TypedDict):
    """The boxes in which a side names its coat, by coat."""

    confidence: float
    review: bool
    marked: dict[str, bool]
    centers: dict[str, Point]
    reach: float
    alternatives: list[OtherChoiceJson]


class SideJson(TypedDict):
    """A player's side of a spellbook."""

    name: str | None
    lines: dict[str, LineJson]
    chosen_coat: str | None
    choice: ChoiceJson


class SpellbookJson(TypedDict):
    """A spellbook."""

    kind: Literal["duel_spellbook"]
    layout: str
    sheet_id: str | None
    outline: list[Point]
    players: list[SideJson]
    problems: list[ProblemJson]
    confidence: float
    review: bool


SheetJson = MapJson | KingdomJson | SpellbookJson


class PhotoJson(TypedDict):
    """A page of a file and its results; error: see `kdscan.i18n.errors.error_json`."""

    photo: str
    page: int
    width: int | None
    height: int | None
    error: Json | None
    sheets: list[SheetJson]


class FusedJson(TypedDict):
    """A map that several photos show, read from all of them."""

    sheets: list[Pair]
    best: Pair
    photograph_again: list[Pair]
    sheet: MapJson


class PlayerJson(TypedDict):
    """A map or kingdom of a game; crowns: of a kingdom."""

    sheet: Pair
    total: int
    largest_domain: int
    crowns: NotRequired[int]


class GameJson(TypedDict):
    """Who won; winner is an index of players, null for a draw."""

    players: list[PlayerJson]
    winner: int | None
    decided_by: str
    spellbook: Pair | None
    confidence: float
    review: bool
    photograph_again: bool


class DynastyJson(TypedDict):
    """A player's kingdoms of several games, added up; repeated: whether one is there twice."""

    kingdoms: list[Pair]
    total: int
    confidence: float
    repeated: bool
    review: bool


class ReportJson(TypedDict):
    """What `kdscan score --json` prints."""

    schema: Literal["kdscan/1"]
    photos: list[PhotoJson]
    fused: list[FusedJson]
    game: GameJson | None
    dynasty: NotRequired[DynastyJson]
