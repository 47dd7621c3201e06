"""What a person may do in an event: a small frozen record each, together the union `Action`.

The page's `POST /api/actions` takes them, the command line makes them, and `log` stores them; undo,
history and the names of what was done come from them. `prepare` completes a record and checks it
against the event; whatever it returns can be folded by `model`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from kdscan.errors import UsageError
from kdscan.files.names import check_name, normalize_name, plain_name
from kdscan.i18n import mark
from kdscan.rules.duel.board import CASTLE
from kdscan.rules.duel.coats import SQUARES as LINE_SQUARES
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import cell_name
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.common import VARIANTS, WIZARD, CellField, ChoiceField, LineField

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


class NotForPlayers(UsageError):
    """Only the desk may do this."""

    code = "desk_only"


class Base(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """Common to all actions. The defaults are those of an action of the desk on the event."""

    for_players: ClassVar[bool] = False
    """Whether players may do it, on the photos that they were the first to send."""

    def subjects(self) -> frozenset[Subject]:
        """What it sets."""
        return frozenset()

    def prepare(self, event: Event, author: Author) -> Action:
        """The action as it is stored; raises `UsageError` if it is impossible."""
        return self  # type: ignore[return-value]

    def sentence(self, event: Event) -> Sentence:
        """What it did, as a noun for "Undo: …"."""
        raise NotImplementedError


class OnSheet(Base, frozen=True):
    """An action on one sheet."""

    sheet: Id

    kinds: ClassVar[tuple[str, ...]] = ()
    """The only kinds of sheets that have such a value; none: all."""

    def prepare(self, event: Event, author: Author) -> Action:
        sheet = event.sheet(self.sheet)
        if self.kinds and sheet.kind not in self.kinds:
            raise UsageError("this sheet cannot hold this")
        if self.kinds and not sheet.brief.correctable:
            raise UsageError("an older version read this sheet; photograph it again to correct it")
        return super().prepare(event, author)

    def sentence(self, event: Event) -> Sentence:
        return mark("a change to {name}"), {"name": event.sheet_name(self.sheet)}


class OnField(OnSheet, frozen=True):
    """A true value of a sheet: the path of the value, and the value."""

    for_players: ClassVar[bool] = True

    @property
    def field(self) -> str:
        """The path of the value, as `kdscan.sheets.common.fields` has it."""
        raise NotImplementedError

    @property
    def value(self) -> Any:
        """The true value, as plain JSON."""
        raise NotImplementedError

    def subjects(self) -> frozenset[Subject]:
        return frozenset({(self.sheet, self.field)})


class _OnCell(OnField, frozen=True):
    cell: tuple[SquareIndex, SquareIndex]

    @property
    def field(self) -> str:
        return str(CellField(self.cell))

    def sentence(self, event: Event) -> Sentence:
        values = {"name": event.sheet_name(self.sheet), "cell": cell_name(self.cell)}
        return mark("{cell} on {name}"), values


class CorrectShield(_OnCell, frozen=True, tag="correct_shield"):
    """The true content of a shield of a map. An empty one (coat null) has no crosses."""

    coat: CoatName | None
    crosses: Annotated[int, Meta(ge=0, le=4)] = 0

    kinds: ClassVar[tuple[str, ...]] = ("duel_map",)

    @property
    def value(self) -> Any:
        return {"coat": self.coat, "crosses": self.crosses}

    def prepare(self, event: Event, author: Author) -> Action:
        if self.cell == CASTLE:
            raise UsageError("this sheet cannot hold this")
        if self.cell[0] > 4:
            raise UsageError("this sheet cannot hold this")
        if self.coat is None and self.crosses:
            raise UsageError("this sheet cannot hold this")
        return super().prepare(event, author)


class CorrectSquare(_OnCell, frozen=True, tag="correct_square"):
    """The true content of a kingdom's square: a terrain with crowns, the castle, or nothing."""

    terrain: TerrainName
    crowns: Annotated[int, Meta(ge=0, le=3)] = 0

    kinds: ClassVar[tuple[str, ...]] = ("kingdom",)

    @property
    def value(self) -> Any:
        return {"terrain": self.terrain, "crowns": self.crowns}

    def prepare(self, event: Event, author: Author) -> Action:
        if (self.terrain, self.crowns) not in SQUARE_CLASSES:
            raise UsageError("this sheet cannot hold this")
        action = super().prepare(event, author)
        if max(self.cell) >= (event.sheet(self.sheet).brief.size or 7):
            raise UsageError("this sheet cannot hold this")
        return action


class CorrectLine(OnField, frozen=True, tag="correct_line"):
    """The true state of one side's line of a spellbook."""

    side: Side
    coat: CoatName
    filled: Annotated[int, Meta(ge=0, le=5)]
    struck: bool = False
    used: bool = False

    kinds: ClassVar[tuple[str, ...]] = ("duel_spellbook",)

    @property
    def field(self) -> str:
        return str(LineField(self.side, Coat(self.coat)))

    @property
    def value(self) -> Any:
        return {"filled": self.filled, "struck": self.struck, "used": self.used}

    def prepare(self, event: Event, author: Author) -> Action:
        most = LINE_SQUARES[Coat(self.coat)]
        if self.filled > most:
            raise UsageError("this sheet cannot hold this")
        return super().prepare(event, author)


class CorrectChoice(OnField, frozen=True, tag="correct_choice"):
    """The coat that one side of a spellbook chose for the wizard of the filled coat, or null."""

    side: Side
    coat: CoatName | None

    kinds: ClassVar[tuple[str, ...]] = ("duel_spellbook",)

    @property
    def field(self) -> str:
        return str(ChoiceField(self.side))

    @property
    def value(self) -> Any:
        return self.coat


class CorrectWizard(OnField, frozen=True, tag="correct_wizard"):
    """The coat for which the filled coat's wizard pays on this map; null if for none."""

    coat: CoatName | None

    kinds: ClassVar[tuple[str, ...]] = ("duel_map",)

    @property
    def field(self) -> str:
        return WIZARD

    @property
    def value(self) -> Any:
        return self.coat


class CorrectCastle(OnField, frozen=True, tag="correct_castle"):
    """Whether the castle's roof is coloured."""

    used: bool

    kinds: ClassVar[tuple[str, ...]] = ("duel_map",)

    @property
    def field(self) -> str:
        return "castle"

    @property
    def value(self) -> Any:
        return self.used


class SetVariants(OnField, frozen=True, tag="set_variants"):
    """The extra rules by which a kingdom is scored."""

    middle_kingdom: bool
    harmony: bool

    kinds: ClassVar[tuple[str, ...]] = ("kingdom",)

    @property
    def field(self) -> str:
        return VARIANTS

    @property
    def value(self) -> Any:
        return {"middle_kingdom": self.middle_kingdom, "harmony": self.harmony}

    def prepare(self, event: Event, author: Author) -> Action:
        if event.rules.game == "kingdomino":
            raise UsageError("the event's rules apply to all its kingdoms")
        return super().prepare(event, author)


class ConfirmSheet(OnField, frozen=True, tag="confirm_sheet"):
    """A person has compared the whole sheet with the paper."""

    @property
    def field(self) -> str:
        return "confirmed"

    @property
    def value(self) -> Any:
        return True

    def sentence(self, event: Event) -> Sentence:
        return mark("confirming {name}"), {"name": event.sheet_name(self.sheet)}


class AssignSheet(OnSheet, frozen=True, tag="assign_sheet"):
    """Whose a sheet is, and where it was played; null for what is unknown.

    own: it is a separate sheet, although another one bears its code. keep: the round and the table
    stay as they are.
    """

    player: Text | None = None
    round: Number | None = None
    table: Number | None = None
    own: bool = False
    keep: bool = False

    for_players: ClassVar[bool] = True

    def subjects(self) -> frozenset[Subject]:
        return frozenset({(self.sheet, "assigned")})

    def prepare(self, event: Event, author: Author) -> Action:
        checked = super().prepare(event, author)
        assert isinstance(checked, AssignSheet)
        if self.keep or author.role == "player":  # who sits where is the desk's
            before, own = event.assignment(self.sheet), self.own and author.role == "desk"
            at = {"round": before.round, "table": before.table}
            checked = replace(checked, **at, own=own, keep=False)
        if checked.player and checked.player.strip():
            name = event.names.named(checked.player, event, checked.round)
            return replace(checked, player=name)
        return replace(checked, player=None)

    def sentence(self, event: Event) -> Sentence:
        return mark("the player of {name}"), {"name": event.sheet_name(self.sheet)}


class SamePaper(OnSheet, frozen=True, tag="same_paper"):
    """The sheet of which this one is another photo; null if it is a sheet of its own."""

    of: Id | None

    def subjects(self) -> frozenset[Subject]:
        return frozenset({(self.sheet, "same_as")})

    def prepare(self, event: Event, author: Author) -> Action:
        if self.of is not None and event.sheet(self.of).id == self.sheet:
            raise UsageError("a sheet cannot be another photo of itself")
        return super().prepare(event, author)

    def sentence(self, event: Event) -> Sentence:
        text = mark("whether {name} is the same sheet as another")
        return text, {"name": event.sheet_name(self.sheet)}


class Ignore(OnSheet, frozen=True, tag="ignore"):
    """Whether a sheet is excluded from all results."""

    ignored: bool = True

    def subjects(self) -> frozenset[Subject]:
        return frozenset({(self.sheet, "ignored")})

    def sentence(self, event: Event) -> Sentence:
        return mark("whether {name} counts"), {"name": event.sheet_name(self.sheet)}


class Approve(Base, frozen=True, tag="approve"):
    """The desk accepts what players changed: it counts as the desk's own word."""

    actions: tuple[Id, ...]

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("approved", one) for one in self.actions)

    def prepare(self, event: Event, author: Author) -> Action:
        if not self.actions or any(one not in event.entries for one in self.actions):
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

    def subjects(self) -> frozenset[Subject]:
        return frozenset({(self.photo,)})

    def prepare(self, event: Event, author: Author) -> Action:
        name, photo = (self.file, self.photo) if self.photo else event.photo_named(self.file)
        if not self.removed and photo not in event.said.removed:
            raise UsageError(
                "{name} was not removed; removed from {event}: {known}",
                name=self.file,
                event=event.name,
                known=", ".join(event.removed_names[:5]) or "–",
            )
        return RemovePhoto(name, self.removed, photo)

    def sentence(self, event: Event) -> Sentence:
        return mark("removing a photo") if self.removed else mark("restoring a photo"), {}


class _OnTable(Base, frozen=True):
    round: Number
    table: Number

    def subjects(self) -> frozenset[Subject]:
        return frozenset({("result", self.round, self.table)})

    def sentence(self, event: Event) -> Sentence:
        text = mark("the result of round {round}, table {table}")
        return text, {"round": self.round, "table": self.table}


class EnterResult(_OnTable, frozen=True, tag="enter_result"):
    """Points of players at a table, whatever was read; those of others at the table stay.

    read: what their sheets were worth by then, as far as known; filled in when it is stored.
    """

    points: dict[Text, Points]
    read: dict[str, int | None] = {}

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
    read: dict[str, int | None] = {}

    def prepare(self, event: Event, author: Author) -> Action:
        if len(event.seats_at(self.round, self.table)) != 2:
            raise UsageError(
                "round {round}, table {table}: a walkover needs two players",
                round=self.round,
                table=self.table,
            )
        winner = self.winner and event.seated(self.round, self.table, self.winner)
        read = event.read_totals(self.round, self.table)
        return replace(self, winner=winner, read=read)


class WithdrawResult(_OnTable, frozen=True, tag="withdraw_result"):
    """Withdraw what was last entered for a table; its sheets count again."""

    def prepare(self, event: Event, author: Author) -> Action:
        event.seats_at(self.round, self.table)
        if not event.said.results.get((self.round, self.table)):
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

    def subjects(self) -> frozenset[Subject]:
        return frozenset({("player", self.number)})

    def prepare(self, event: Event, author: Author) -> Action:
        name = normalize_name(self.name)
        if not name:
            raise UsageError("a player needs a name")
        check_name(name)
        known = event.names.player(name)
        if known is not None and not known.active:
            return Rejoin(known.name)
        if known is not None:
            raise UsageError(
                "{name} is in the list already; tell two of one name apart by a letter or a town.",
                name=known.name,
            )
        return AddPlayer(name, event.names.code_for(self.code), event.names.next_number)

    def sentence(self, event: Event) -> Sentence:
        return mark("{name} taking part"), {"name": self.name}


class _OnPlayer(Base, frozen=True):
    name: Text

    def subjects(self) -> frozenset[Subject]:
        name = plain_name(self.name)
        return frozenset({("player", name, isinstance(self, RenamePlayer))})

    def prepare(self, event: Event, author: Author) -> Action:
        if event.names.player(event.names.named(self.name, event, None)) is None:
            raise UsageError(
                "{name}: there is no such player in {event}.", name=self.name, event=event.name
            )
        return replace(self, name=event.names.named(self.name, event, None))  # type: ignore[return-value]


class DropPlayer(_OnPlayer, frozen=True, tag="drop_player"):
    """A player leaves the event."""

    def sentence(self, event: Event) -> Sentence:
        return mark("{name} dropping out"), {"name": self.name}


class Rejoin(_OnPlayer, frozen=True, tag="rejoin"):
    """A player who left takes part again."""

    def sentence(self, event: Event) -> Sentence:
        return mark("{name} taking part"), {"name": self.name}


class RenamePlayer(_OnPlayer, frozen=True, tag="rename_player"):
    """A player's name was spelled wrongly, or is another; codes and results stay the player's."""

    to: Text

    def prepare(self, event: Event, author: Author) -> Action:
        to = normalize_name(self.to)
        check_name(to)
        prepared = super().prepare(event, author)
        assert isinstance(prepared, RenamePlayer)
        known = event.names.player(to)
        if not to or (known is not None and known.name != prepared.name):
            raise UsageError(
                "{name} is in the list already; tell two of one name apart by a letter or a town.",
                name=to,
            )
        return replace(prepared, to=to)

    def sentence(self, event: Event) -> Sentence:
        return mark("the name of {name}"), {"name": self.to}


class RemovePlayer(_OnPlayer, frozen=True, tag="remove_player"):
    """Delete a player who was entered by mistake, before the first round is paired."""

    def prepare(self, event: Event, author: Author) -> Action:
        if event.said.rounds:
            raise UsageError(
                "{name}: a round has been paired; have the player drop out", name=self.name
            )
        return super().prepare(event, author)

    def sentence(self, event: Event) -> Sentence:
        return mark("{name} dropping out"), {"name": self.name}


class PairRound(Base, frozen=True, tag="pair_round"):
    """Pair the next round, or the last one again before it is played.

    tables: names in the order of the seats, one alone for a bye; null: found by the Swiss system,
    where `seed` draws among equals. byes: who asked for one. round: filled in when it is stored.
    """

    again: bool = False
    tables: tuple[tuple[Text, ...], ...] | None = None
    byes: tuple[Text, ...] = ()
    seed: int | None = None
    round: Annotated[int, Meta(ge=0, le=999)] = 0

    def subjects(self) -> frozenset[Subject]:
        return frozenset({("round", self.round)})

    def prepare(self, event: Event, author: Author) -> Action:
        round_, tables = event.next_pairing(self)
        return PairRound(again=self.again, tables=tables, seed=self.seed, round=round_)

    def sentence(self, event: Event) -> Sentence:
        return mark("the pairing of round {n}"), {"n": self.round}


class SetRules(Base, frozen=True, tag="set_rules"):
    """What the event plays besides its game; null for what stays as it is."""

    great_duel: bool | None = None
    middle_kingdom: bool | None = None
    harmony: bool | None = None
    seats: Annotated[int, Meta(ge=2, le=4)] | None = None
    rounds: Annotated[int, Meta(ge=1, le=99)] | None = None

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("rule", name) for name in self.__struct_fields__ if getattr(self, name))

    def prepare(self, event: Event, author: Author) -> Action:
        event.check_rules(self)
        return self

    def sentence(self, event: Event) -> Sentence:
        return mark("the rules of the event"), {}


class StartClock(Base, frozen=True, tag="start_clock"):
    """Start the round's clock; minutes null: remove it. ends: filled in when it is stored."""

    minutes: Annotated[int, Meta(ge=1, le=600)] | None
    ends: Annotated[str, Meta(max_length=40)] | None = None

    def subjects(self) -> frozenset[Subject]:
        return frozenset({("clock",)})

    def prepare(self, event: Event, author: Author) -> Action:
        now = datetime.now(UTC)
        ends = self.minutes and (now + timedelta(minutes=self.minutes)).isoformat()
        return replace(self, ends=ends or None)

    def sentence(self, event: Event) -> Sentence:
        return mark("the round's clock"), {}


class Show(Base, frozen=True, tag="show"):
    """What the projector shows."""

    what: Shown

    def subjects(self) -> frozenset[Subject]:
        return frozenset({("shown",)})

    def sentence(self, event: Event) -> Sentence:
        return mark("what the projector shows"), {}


class Undo(Base, frozen=True, tag="undo"):
    """Undo an action, together with those that were made with it. Undone twice is undone once."""

    action: Id

    for_players: ClassVar[bool] = True

    def subjects(self) -> frozenset[Subject]:
        return frozenset({("undo", self.action)})

    def prepare(self, event: Event, author: Author) -> Action:
        entry = event.entries.get(self.action)
        if entry is None or isinstance(entry.action, Undo):
            raise UsageError("there is nothing to undo")
        if author.role == "player" and event.has_players and not entry.is_of(author):
            raise NotForPlayers("only the desk can undo what others did")
        for one in event.made_together(entry):
            if isinstance(one.action, PairRound) and one.id not in event.said.undone:
                event.check_unpair(one.action.round)
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
    | PairRound
    | SetRules
    | StartClock
    | Show
    | Undo
)


def draw_seed(round_: int, seed: int | None) -> int | None:
    """The seed of a pairing: the first round is drawn at random."""
    return secrets.randbelow(2**32) if seed is None and round_ == 1 else seed
