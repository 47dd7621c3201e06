"""What a person may do in an event: a small frozen record each, together the union `Action`.

The page's `POST /api/actions` takes them, the command line makes them, and `log` stores them; undo,
history and the names of what was done come from them. `prepare` completes a record and checks it
against the event; whatever it returns can be folded by `model`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from kdscan.errors import UsageError
from kdscan.event.assignments import may_give
from kdscan.event.lookup import photo_named, removed_names
from kdscan.event.names import MOST_LISTED, new_code
from kdscan.event.rules import Rules
from kdscan.event.swiss import check_certain, check_finished, check_unpair, next_pairing
from kdscan.files.names import check_name, normalize_name, plain_name
from kdscan.i18n import mark
from kdscan.rules.grid import cell_name
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK, SheetType
from kdscan.sheets.common import VARIANTS, WIZARD, field_of

if TYPE_CHECKING:
    from kdscan.event.log import Author
    from kdscan.event.model import Event

CoatName = Literal["dot", "double_dot", "line", "double_line", "filled", "checked"]
TerrainName = Literal["wheat", "forest", "lake", "grassland", "swamp", "mine", "castle", "empty"]
Shown = Literal["table", "pairings"]
"""What the projector shows."""

SquareIndex = Annotated[int, Meta(ge=0, le=6)]
Side = Annotated[int, Meta(ge=0, le=1)]
Id = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Number = Annotated[int, Meta(ge=0, le=9999)]
Text = Annotated[str, Meta(min_length=1, max_length=200)]
Points = Annotated[int, Meta(ge=0, le=99_999)]

Sentence = tuple[str, Mapping[str, object]]
"""A sentence of the catalogues, and the values for its braces."""

Subject = tuple[object, ...]
"""What an action sets: a later action with the same subject replaces it."""

Read = Annotated[dict[Text, int | None], Meta(max_length=MOST_LISTED)]
"""What players' sheets were worth, as far as known."""


class NotForPlayers(UsageError):
    """The desk has decided this, or must do it; the message says why."""

    code = "ask_desk"


class DeskOnly(NotForPlayers):
    """Players never may do this."""

    code = "desk_only"


def desk_only() -> DeskOnly:
    """The error for what players never may do."""
    return DeskOnly("This is for the desk only: sign in with its code.")


class Base(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
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

    def prepare(self, event: Event, author: Author) -> Action:
        """The action as it is stored; raises `UsageError` if it is impossible."""
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

    def prepare(self, event: Event, author: Author) -> Action:
        event.sheet(self.sheet)
        return self  # type: ignore[return-value]


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

    def prepare(self, event: Event, author: Author) -> Action:
        sheet = event.sheet(self.sheet)
        if self.sheet_type is not None:
            if sheet.kind != self.sheet_type.name or not self.is_possible(sheet.brief.size or 7):
                raise UsageError("this sheet cannot hold this")
            if not sheet.brief.correctable:
                raise UsageError(
                    "an older version read this sheet; photograph it again to correct it"
                )
        return self  # type: ignore[return-value]


class _OnCell(OnField, frozen=True):
    cell: tuple[SquareIndex, SquareIndex]

    text = mark("{cell} on {name}")

    @property
    def field(self) -> str:
        return field_of("cell", *self.cell)

    def values(self, event: Event) -> Mapping[str, object]:
        return {"name": event.sheet_name(self.sheet), "cell": cell_name(self.cell)}


class CorrectShield(_OnCell, frozen=True, tag="correct_shield"):
    """The true content of a shield of a map. An empty one (coat null) has no crosses."""

    coat: CoatName | None
    crosses: Annotated[int, Meta(ge=0, le=4)] = 0

    sheet_type, parts = DUEL_MAP, ("coat", "crosses")


class CorrectSquare(_OnCell, frozen=True, tag="correct_square"):
    """The true content of a kingdom's square: a terrain with crowns, the castle, or nothing."""

    terrain: TerrainName
    crowns: Annotated[int, Meta(ge=0, le=3)] = 0

    sheet_type, parts = KINGDOM, ("terrain", "crowns")

    def is_possible(self, size: int) -> bool:
        return max(self.cell) < size and super().is_possible(size)


class CorrectLine(OnField, frozen=True, tag="correct_line"):
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


class CorrectChoice(OnField, frozen=True, tag="correct_choice"):
    """The coat that one side of a spellbook chose for the wizard of the filled coat, or null."""

    side: Side
    coat: CoatName | None

    sheet_type, parts = SPELLBOOK, ("coat",)

    @property
    def field(self) -> str:
        return field_of("choice", self.side)


class CorrectWizard(OnField, frozen=True, tag="correct_wizard"):
    """The coat for which the filled coat's wizard pays on this map; null if for none."""

    coat: CoatName | None

    sheet_type, parts, field = DUEL_MAP, ("coat",), WIZARD


class CorrectCastle(OnField, frozen=True, tag="correct_castle"):
    """Whether the castle's roof is coloured."""

    used: bool

    sheet_type, parts, field = DUEL_MAP, ("used",), "castle"


class SetVariants(OnField, frozen=True, tag="set_variants"):
    """The extra rules by which a kingdom is scored."""

    middle_kingdom: bool
    harmony: bool

    sheet_type, parts, field = KINGDOM, ("middle_kingdom", "harmony"), VARIANTS

    def prepare(self, event: Event, author: Author) -> Action:
        if event.rules.game == KINGDOM.game:
            raise UsageError("the event's rules apply to all its kingdoms")
        return super().prepare(event, author)


class ConfirmSheet(OnField, frozen=True, tag="confirm_sheet"):
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
            waiting = {"confirmed", *(wait.field for wait in sheet.brief.waits)}
            claims = event.said_of(sheet).claims.items()
            answers = [entry.id for name, entry in claims if name not in waiting]
        return replace(self, answers=tuple(answers))


class AssignSheet(OnSheet, frozen=True, tag="assign_sheet"):
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
        super().prepare(event, author)
        by_player, before, checked = author.role == "player", event.assignments[self.sheet], self
        if self.keep or by_player:  # who sits where is the desk's
            at = {"round": before.round, "table": before.table}
            checked = replace(self, **at, own=self.own and not by_player, keep=False)
        name = (self.player or "").strip()
        name = name and event.names.named(name, event, checked.round)
        waits = by_player and event.has_players and not may_give(event, author, before, name)
        checked = replace(checked, player=name or None, waits=waits)
        if name and checked.round is None and not waits:  # as it is now, whatever is paired later
            round_, table = event.place_after(author, checked) or (None, checked.table)
            checked = replace(checked, round=round_, table=table)
        return checked


class SamePaper(OnSheet, frozen=True, tag="same_paper"):
    """The sheet of which this one is another photo; null if it is a sheet of its own."""

    of: Id | None

    text, subject = mark("whether {name} is the same sheet as another"), (".sheet", "same_as")
    field = "same_as"

    @property
    def value(self) -> int:
        """The other sheet, 0 for none."""
        return self.of or 0

    def prepare(self, event: Event, author: Author) -> Action:
        if self.of is not None and event.sheet(self.of).id == self.sheet:
            raise UsageError("a sheet cannot be another photo of itself")
        if self.of and event.sheets[self.of].kind != event.sheet(self.sheet).kind:
            raise UsageError("this sheet cannot hold this")
        return super().prepare(event, author)


class Ignore(OnSheet, frozen=True, tag="ignore"):
    """Whether a sheet is excluded from all results."""

    ignored: bool = True

    text, subject = mark("whether {name} counts"), (".sheet", "ignored")
    field, parts = "ignored", ("ignored",)


class Approve(Base, frozen=True, tag="approve"):
    """The desk accepts what players changed: it counts as the desk's own word."""

    actions: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=1_000)]

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("approved", action) for action in self.actions)

    def prepare(self, event: Event, author: Author) -> Action:
        if any(action not in event.entries for action in self.actions):
            raise UsageError("there is nothing to undo")
        return super().prepare(event, author)

    def sentence(self, event: Event) -> Sentence:
        return event.entries[self.actions[0]].action.sentence(event)


class RemovePhoto(Base, frozen=True, tag="remove_photo"):
    """Remove a photo, by its file's name or the end of it, or restore it; `NAME#7` is only its
    page 7. It neither counts nor shows, and everything stays stored.

    photo: what is stored: `photo:SHA256`, `page:SHA256#7`, or `file:NAME` for one that could not be
    read at all.
    """

    file: Annotated[str, Meta(min_length=1, max_length=1000)] = ""
    removed: bool = True
    photo: Annotated[str, Meta(max_length=1100)] = ""

    subject = (".photo",)

    def prepare(self, event: Event, author: Author) -> Action:
        name, photo = (self.file, self.photo) if self.photo else photo_named(event, self.file)
        if not self.removed and photo not in event.said.removed:
            raise UsageError(
                "{name} was not removed; removed from {event}: {known}",
                name=self.file,
                event=event.name,
                known=", ".join(removed_names(event)[:5]) or "–",
            )
        return RemovePhoto(name, self.removed, photo)

    def sentence(self, event: Event) -> Sentence:
        return mark("removing a photo") if self.removed else mark("restoring a photo"), {}


class _OnTable(Base, frozen=True):
    round: Number
    table: Number

    text = mark("the result of round {round}, table {table}")
    subject = ("result", ".round", ".table")


class EnterResult(_OnTable, frozen=True, tag="enter_result"):
    """Points of players at a table, whatever was read; those of others at the table stay.

    read: what their sheets were worth by then, as far as known; filled in when it is stored.
    """

    points: Annotated[dict[Text, Points], Meta(max_length=10)]
    read: Read = {}

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("result", self.round, self.table, name) for name in self.points)

    def prepare(self, event: Event, author: Author) -> Action:
        points: dict[str, int] = {}
        for name, value in self.points.items():
            seated = event.seated(self.round, self.table, name)
            if seated in points:
                raise UsageError("{name} is named twice; give each player's points once", name=name)
            points[seated] = value
        return replace(self, points=points, read=event.read_totals(self.round, self.table))


class Walkover(_OnTable, frozen=True, tag="walkover"):
    """Who wins because the opponent did not come; null: neither came, and both lose."""

    winner: Text | None
    read: Read = {}

    def prepare(self, event: Event, author: Author) -> Action:
        if len(event.seats_at(self.round, self.table)) != 2:
            raise UsageError(
                "round {round}, table {table}: a walkover needs two players",
                round=self.round,
                table=self.table,
            )
        winner = self.winner and event.seated(self.round, self.table, self.winner)
        return replace(self, winner=winner, read=event.read_totals(self.round, self.table))


class WithdrawResult(_OnTable, frozen=True, tag="withdraw_result"):
    """Withdraw all that was entered for a table; its sheets count again."""

    def prepare(self, event: Event, author: Author) -> Action:
        event.seats_at(self.round, self.table)
        if (self.round, self.table) not in event.said.results:
            raise UsageError(
                "round {round}, table {table}: no result has been entered",
                round=self.round,
                table=self.table,
            )
        return self


class AddPlayer(Base, frozen=True, tag="add_player"):
    """A player who takes part from now on, perhaps again.

    number: in the event, never given twice; code: the word in the codes of the player's sheets.
    """

    name: Text
    code: Annotated[str, Meta(max_length=40)] = ""
    number: Annotated[int, Meta(ge=0, le=99_999)] = 0

    text, subject = mark("{name} taking part"), ("player", ".number")

    def prepare(self, event: Event, author: Author) -> Action:
        name = normalize_name(self.name)
        if not name:
            raise UsageError("a player needs a name")
        check_name(name)
        said, plain = event.said, plain_name(name)
        known = said.players.get(said.numbers.get(plain, 0))
        if known is not None and plain_name(known.name) == plain:
            if known.active:
                raise _in_list(known.name)
            return Rejoin(known.name)
        number = said.last_number + 1
        return AddPlayer(name, new_code(self.code, number, said.players.values()), number)


def check_possible(before: Event, after: Event) -> None:
    """Raise `UsageError` if what was done or undone leaves two players of one name, or corrections
    of kingdoms whose squares have moved."""
    for player in after.names.players if after.names is not before.names else ():
        if after.names.player(player.name) is not player:
            raise _in_list(player.name)
    if after.rules.variants.size != before.rules.variants.size:
        entries = itertools.chain(*before.said.fields.values())
        actions = (entry.action for entry in entries)
        touched = {a.sheet for a in actions if isinstance(a, CorrectSquare | ConfirmSheet)}
        if touched:
            raise UsageError(
                "kingdoms that were corrected or confirmed: {n}; these corrections do not fit "
                "another size. Create another event, or undo them first: kdscan correct SHEET "
                "--undo",
                n=len(touched),
            )


def _in_list(name: str) -> UsageError:
    return UsageError(
        "{name} is in the list already; tell two of one name apart by a letter or a town.",
        name=name,
    )


class _OnPlayer(Base, frozen=True):
    name: Text

    def subjects(self) -> frozenset[Subject]:
        name = plain_name(self.name)
        return frozenset({("player", name, isinstance(self, RenamePlayer))})

    def prepare(self, event: Event, author: Author) -> Action:
        name = event.names.named(self.name, event, None)
        if event.names.player(name) is None:
            raise UsageError(
                "{name}: there is no such player in {event}.", name=self.name, event=event.name
            )
        return replace(self, name=name)  # type: ignore[return-value]


class DropPlayer(_OnPlayer, frozen=True, tag="drop_player"):
    """A player leaves the event."""

    text = mark("{name} dropping out")


class Rejoin(_OnPlayer, frozen=True, tag="rejoin"):
    """A player who left takes part again."""

    text = mark("{name} taking part")


class RenamePlayer(_OnPlayer, frozen=True, tag="rename_player"):
    """A player's name was spelled wrongly, or is another; codes and results stay the player's."""

    to: Text

    text = mark("the name of {name}")

    def values(self, event: Event) -> Mapping[str, object]:
        return {"name": self.to}

    def prepare(self, event: Event, author: Author) -> Action:
        to = normalize_name(self.to)
        check_name(to)
        prepared = super().prepare(event, author)
        assert isinstance(prepared, RenamePlayer)
        known = event.names.player(to)
        if not to or (known is not None and known.name != prepared.name):
            raise _in_list(to)
        return replace(prepared, to=to)


class RemovePlayer(_OnPlayer, frozen=True, tag="remove_player"):
    """Delete a player who was entered by mistake, before the first round is paired."""

    text = mark("{name} dropping out")

    def prepare(self, event: Event, author: Author) -> Action:
        if event.said.rounds:
            raise UsageError(
                "{name}: a round has been paired; have the player drop out", name=self.name
            )
        return super().prepare(event, author)


class RequestBye(_OnPlayer, frozen=True, tag="request_bye"):
    """Whether a player asks for a bye in a round that is not paired yet; see `Rules.half_byes`."""

    round: Number
    wanted: bool = True

    text, subject, subjects = mark("a bye of {name}"), ("bye", ".name", ".round"), Base.subjects

    def prepare(self, event: Event, author: Author) -> Action:
        if self.round <= event.last_round:
            raise UsageError("round {round} is paired already", round=self.round)
        return super().prepare(event, author)


class PairRound(Base, frozen=True, tag="pair_round"):
    """Pair the next round, or the last one again before it is played.

    tables: names in the order of the seats, one alone for a bye; null: found by the Swiss system,
    where `seed` draws among equals. byes: who asked for one besides `RequestBye`; all of them when
    it is stored. round: filled in then.
    """

    again: bool = False
    tables: (
        Annotated[
            tuple[Annotated[tuple[Text, ...], Meta(max_length=10)], ...],
            Meta(max_length=MOST_LISTED),
        ]
        | None
    ) = None
    byes: Annotated[tuple[Text, ...], Meta(max_length=MOST_LISTED)] = ()
    seed: int | None = None
    round: Annotated[int, Meta(ge=0, le=999)] = 0

    text, subject = mark("the pairing of round {n}"), ("round", ".round")

    def values(self, event: Event) -> Mapping[str, object]:
        return {"n": self.round}

    def prepare(self, event: Event, author: Author) -> Action:
        return next_pairing(event, self)


class SetRules(Base, frozen=True, tag="set_rules"):
    """What the event plays besides its game; null for what stays as it is."""

    great_duel: bool | None = None
    middle_kingdom: bool | None = None
    harmony: bool | None = None
    seats: Annotated[int, Meta(ge=2, le=4)] | None = None
    rounds: Annotated[int, Meta(ge=1, le=99)] | None = None
    half_byes: bool | None = None

    text = mark("the rules of the event")

    @property
    def given(self) -> Mapping[str, object]:
        """The rules that change, by name."""
        rules = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in rules.items() if value is not None}

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("rule", name) for name, value in self.given.items() if value)

    def prepare(self, event: Event, author: Author) -> Action:
        after = Rules.of(event.game, {**event.said.rules, **self.given})
        after.check(self.given)
        return self


class StartClock(Base, frozen=True, tag="start_clock"):
    """Start the round's clock; minutes null: remove it. ends: filled in when it is stored."""

    minutes: Annotated[int, Meta(ge=1, le=600)] | None
    ends: Annotated[str, Meta(max_length=40)] | None = None

    text, subject = mark("the round's clock"), ("clock",)

    def prepare(self, event: Event, author: Author) -> Action:
        now = datetime.now(UTC)
        ends = self.minutes and (now + timedelta(minutes=self.minutes)).isoformat()
        return replace(self, ends=ends or None)


class Show(Base, frozen=True, tag="show"):
    """What the projector shows."""

    what: Shown

    text, subject = mark("what the projector shows"), ("shown",)


class CloseEvent(Base, frozen=True, tag="close_event"):
    """The event is over: its list is final and players change nothing any more; or it goes on."""

    closed: bool = True

    text, subject = mark("the end of the event"), ("closed",)

    def prepare(self, event: Event, author: Author) -> Action:
        if self.closed:
            check_finished(event.games)
            check_certain(event.games)
        return self


class Undo(Base, frozen=True, tag="undo"):
    """Undo an action, together with those that were made with it. Undone twice is undone once."""

    action: Id

    for_players, subject = True, ("undo", ".action")

    def prepare(self, event: Event, author: Author) -> Action:
        entry = event.entries.get(self.action)
        if entry is None or isinstance(entry.action, Undo):
            raise UsageError("there is nothing to undo")
        if author.role == "player" and event.has_players and not entry.is_of(author):
            raise NotForPlayers("only the desk can undo what others did")
        undone = event.said.undone
        together = [other.action for other in event.together(entry) if other.id not in undone]
        seated = {n for tables in event.said.rounds.values() for table in tables for n in table}
        pairings = [action for action in together if isinstance(action, PairRound)]
        for pairing in pairings:
            check_unpair(event, pairing.round)
        for action in () if pairings else together:
            if isinstance(action, AddPlayer) and action.number in seated:
                raise UsageError(
                    "{name}: a round has been paired; have the player drop out", name=action.name
                )
        return self

    def sentence(self, event: Event) -> Sentence:
        return event.entries[self.action].action.sentence(event)


Action = (
    CorrectShield
    | CorrectSquare
    | CorrectLine
    | CorrectChoice
    | CorrectWizard
    | CorrectCastle
    | SetVariants
    | ConfirmSheet
    | AssignSheet
    | SamePaper
    | Ignore
    | Approve
    | RemovePhoto
    | EnterResult
    | Walkover
    | WithdrawResult
    | AddPlayer
    | DropPlayer
    | Rejoin
    | RenamePlayer
    | RemovePlayer
    | RequestBye
    | PairRound
    | SetRules
    | StartClock
    | Show
    | CloseEvent
    | Undo
)
