"""What a person may do to a sheet: a small frozen record each; and what all actions have in common.

`prepare` completes a record and checks it against the event; whatever it returns can be folded by
`record`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from kdscan.errors import UsageError
from kdscan.i18n import mark
from kdscan.rules import cell_name
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK, SheetType
from kdscan.sheets.common import VARIANTS, WIZARD, field_of

if TYPE_CHECKING:
    from kdscan.event.actions import Action
    from kdscan.event.log import Author
    from kdscan.event.model import Event

CoatName = Literal["dot", "double_dot", "line", "double_line", "filled", "checked"]
TerrainName = Literal["wheat", "forest", "lake", "grassland", "swamp", "mine", "castle", "empty"]
SquareIndex = Annotated[int, Meta(ge=0, le=6)]
Side = Annotated[int, Meta(ge=0, le=1)]
Id = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Number = Annotated[int, Meta(ge=0, le=9999)]
Text = Annotated[str, Meta(min_length=1, max_length=200)]

Sentence = tuple[str, Mapping[str, object]]
"""A sentence of the catalogues, and the values for its braces."""

Subject = tuple[object, ...]
"""What an action sets: a later action with the same subject replaces it."""


class NotForPlayers(UsageError):
    """The desk has decided this, or must do it; the message says why."""

    code = "ask_desk"


class NoSuchSheet(UsageError):
    """A sheet that does not exist, or that this person may not see."""

    code = "not_found"


class DeskOnly(NotForPlayers):
    """Players never may do this."""

    code = "desk_only"


def desk_only() -> DeskOnly:
    """The error for what players never may do."""
    return DeskOnly("This is for the desk only: sign in with its code.")


def _tag(name: str) -> str:
    """What an action is called in JSON: CorrectShield → correct_shield."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Base(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="type",
    tag=_tag,
):
    """Common to all actions. The defaults are those of an action of the desk on the event."""

    for_players: ClassVar[bool] = False
    """Whether players may do it, on the photos that they were the first to send."""

    text: ClassVar[str]
    """What it did, as a noun for "Undo: …"; `values` gives what stands in its braces."""

    def values(self, event: Event) -> Mapping[str, object]:
        """The values for the braces of `text`: fields of the action, if it needs no others."""
        names = (name for name in self.__struct_fields__ if f"{{{name}}}" in self.text)
        return {name: getattr(self, name) for name in names}

    def sentence(self, event: Event) -> Sentence:
        """What it did, as a noun for "Undo: …"."""
        return self.text, self.values(event)

    subject: ClassVar[tuple[str, ...]] = ()
    """What it sets; words that begin with a point are its attributes."""

    def subjects(self) -> frozenset[Subject]:
        """What it sets; nothing else is set at the same time, for most."""
        parts = (getattr(self, p[1:]) if p.startswith(".") else p for p in self.subject)
        return frozenset({tuple(parts)} if self.subject else ())

    def check(self, event: Event) -> None:
        """Raise `UsageError` if it is impossible."""

    def prepare(self, event: Event, author: Author) -> Action:
        """The action as it is stored, after `check`."""
        self.check(event)
        return self  # type: ignore[return-value]


class OnSheet(Base, frozen=True):
    """An action on one sheet."""

    sheet: Id

    text = mark("a change to {name}")

    parts: ClassVar[tuple[str, ...]] = ()
    """The fields that make the value; one alone is the value."""

    @property
    def field(self) -> str:
        """The path of the value, as `kdscan.sheets.common.field_of` makes it."""
        raise NotImplementedError

    @property
    def value(self) -> Any:
        """What is set, as plain JSON."""
        value = {name: getattr(self, name) for name in self.parts}
        return value if len(value) > 1 else value.popitem()[1]

    def values(self, event: Event) -> Mapping[str, object]:
        return {"name": event.sheet_name(self.sheet)}

    def subjects(self) -> frozenset[Subject]:
        return super().subjects() | {("sheet", self.sheet)}

    def check(self, event: Event) -> None:
        event.sheet(self.sheet)


class OnField(OnSheet, frozen=True):
    """A true value of a sheet: the path of the value, and the value."""

    for_players, subject = True, (".sheet", ".field")

    sheet_type: ClassVar[SheetType[Any, Any] | None] = None
    """The only kind of sheet that has such a value; None: all."""

    def is_possible(self, size: int) -> bool:
        """Whether such a sheet can hold this. size: squares along a kingdom's side."""
        try:
            return bool(self.sheet_type and self.sheet_type.corrections({self.field: self.value}))
        except ValueError:
            return False

    def check(self, event: Event) -> None:
        sheet = event.sheet(self.sheet)
        if self.sheet_type is not None:
            if sheet.kind != self.sheet_type.name or not self.is_possible(sheet.brief.size or 7):
                raise UsageError("this sheet cannot hold this")
            if not sheet.brief.correctable:
                raise UsageError(
                    "an older version read this sheet; photograph it again to correct it"
                )


class _OnCell(OnField, frozen=True):
    cell: tuple[SquareIndex, SquareIndex]

    text = mark("{cell} on {name}")

    @property
    def field(self) -> str:
        return field_of("cell", *self.cell)

    def values(self, event: Event) -> Mapping[str, object]:
        return {"name": event.sheet_name(self.sheet), "cell": cell_name(self.cell)}


class CorrectShield(_OnCell, frozen=True):
    """The true content of a shield of a map. An empty one (coat null) has no crosses."""

    coat: CoatName | None
    crosses: Annotated[int, Meta(ge=0, le=4)] = 0

    sheet_type, parts = DUEL_MAP, ("coat", "crosses")


class CorrectSquare(_OnCell, frozen=True):
    """The true content of a kingdom's square: a terrain with crowns, the castle, or nothing."""

    terrain: TerrainName
    crowns: Annotated[int, Meta(ge=0, le=3)] = 0

    sheet_type, parts = KINGDOM, ("terrain", "crowns")

    def is_possible(self, size: int) -> bool:
        return max(self.cell) < size and super().is_possible(size)


class CorrectLine(OnField, frozen=True):
    """The true state of one side's line of a spellbook."""

    side: Side
    coat: CoatName
    filled: Annotated[int, Meta(ge=0, le=5)]
    struck: bool = False
    used: bool = False

    sheet_type, parts = SPELLBOOK, ("filled", "struck", "used")

    @property
    def field(self) -> str:
        return field_of("line", self.side, self.coat)


class CorrectChoice(OnField, frozen=True):
    """The coat that one side of a spellbook chose for the wizard of the filled coat, or null."""

    side: Side
    coat: CoatName | None

    sheet_type, parts = SPELLBOOK, ("coat",)

    @property
    def field(self) -> str:
        return field_of("choice", self.side)


class CorrectWizard(OnField, frozen=True):
    """The coat for which the filled coat's wizard pays on this map; null if for none."""

    coat: CoatName | None

    sheet_type, parts, field = DUEL_MAP, ("coat",), WIZARD


class CorrectCastle(OnField, frozen=True):
    """Whether the castle's roof is coloured."""

    used: bool

    sheet_type, parts, field = DUEL_MAP, ("used",), "castle"


class SetVariants(OnField, frozen=True):
    """The extra rules by which a kingdom is scored."""

    middle_kingdom: bool
    harmony: bool

    sheet_type, parts, field = KINGDOM, ("middle_kingdom", "harmony"), VARIANTS

    def check(self, event: Event) -> None:
        if event.rules.game == KINGDOM.game:
            raise UsageError("the event's rules apply to all its kingdoms")
        super().check(event)


class ConfirmSheet(OnField, frozen=True):
    """A person has compared the whole sheet with the paper.

    answers: players' answers that counted when the desk did, which are its own since; filled in
    when it is stored.
    """

    answers: tuple[Id, ...] = ()

    text = mark("confirming {name}")
    field, value = "confirmed", True

    def prepare(self, event: Event, author: Author) -> Action:
        sheet, answers = event.sheet(self.sheet), list[int]()
        if author.role == "desk" and event.has_players:
            waiting = {"confirmed", *(wait.what for wait in sheet.brief.waits)}
            claims = event.said_of(sheet).claims.items()
            answers = [entry.id for name, entry in claims if name not in waiting]
        return replace(self, answers=tuple(answers))


class AssignSheet(OnSheet, frozen=True):
    """Whose a sheet is, and where it was played; null for what is unknown.

    own: it is a separate sheet, although another one bears its code. keep: the round and the table
    stay as they are. waits: the desk has to accept it; filled in when it is stored.
    """

    player: Text | None = None
    round: Number | None = None
    table: Number | None = None
    own: bool = False
    keep: bool = False
    waits: bool = False

    for_players, text, subject = True, mark("the player of {name}"), (".sheet", "assigned")
    field, parts = "place", ("player", "round", "table")

    def prepare(self, event: Event, author: Author) -> Action:
        self.check(event)
        by_player, before, checked = author.role == "player", event.assignments[self.sheet], self
        if self.keep or by_player:  # who sits where is the desk's
            at = {"round": before.round, "table": before.table}
            checked = replace(self, **at, own=self.own and not by_player, keep=False)
        name = (self.player or "").strip()
        name = name and event.names.named(name, event, checked.round)
        waits = by_player and event.has_players and not event.may_give(author, before, name)
        checked = replace(checked, player=name or None, waits=waits)
        if name and checked.round is None and not waits:  # as it is now, whatever is paired later
            round_, table = event.place_after(author, checked) or (None, checked.table)
            checked = replace(checked, round=round_, table=table)
        return checked


class SamePaper(OnSheet, frozen=True):
    """The sheet of which this one is another photo; null if it is a sheet of its own."""

    of: Id | None

    text, subject = mark("whether {name} is the same sheet as another"), (".sheet", "same_as")
    field = "same_as"

    @property
    def value(self) -> int:
        """The other sheet, 0 for none."""
        return self.of or 0

    def check(self, event: Event) -> None:
        if self.of is not None and event.sheet(self.of).id == self.sheet:
            raise UsageError("a sheet cannot be another photo of itself")
        if self.of and event.sheets[self.of].kind != event.sheet(self.sheet).kind:
            raise UsageError("this sheet cannot hold this")
        super().check(event)


class Ignore(OnSheet, frozen=True):
    """Whether a sheet is excluded from all results."""

    ignored: bool = True

    text, subject = mark("whether {name} counts"), (".sheet", "ignored")
    field, parts = "ignored", ("ignored",)
