"""What a person may do in an event: a small frozen record each, together the union `Action`.

The page's `POST /api/actions` takes them, the command line makes them, and `log` stores them; undo,
history and the names of what was done come from them. Those on a sheet are in `corrections`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, field
from msgspec.structs import asdict, replace

from kdscan.errors import UsageError
from kdscan.event.corrections import (
    AssignSheet,
    Base,
    ConfirmSheet,
    CorrectCastle,
    CorrectChoice,
    CorrectLine,
    CorrectShield,
    CorrectSquare,
    CorrectWizard,
    Id,
    Ignore,
    NotForPlayers,
    Number,
    OnField,
    OnSheet,
    SamePaper,
    Sentence,
    SetVariants,
    Subject,
    Text,
)
from kdscan.event.names import (
    MOST_LISTED,
    new_code,
    photo_named,
    removed_names,
)
from kdscan.event.swiss import check_certain, check_finished, check_unpair, next_pairing
from kdscan.files import Json, in_list_error, new_name, plain_name
from kdscan.i18n import mark
from kdscan.rules import GameName
from kdscan.rules.kingdomino.kingdom import VariantError, Variants

if TYPE_CHECKING:
    from kdscan.event.log import Author
    from kdscan.event.model import Event

Shown = Literal["table", "pairings", "sign_in"]
"""What the projector shows."""

Points = Annotated[int, Meta(ge=0, le=99_999)]

Read = Annotated[dict[Text, int | None], Meta(max_length=MOST_LISTED)]
"""What players' sheets were worth, as far as known."""


class Approve(Base, frozen=True):
    """The desk accepts what players changed: it counts as the desk's own word."""

    actions: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=1_000)]

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("approved", action) for action in self.actions)

    def check(self, event: Event) -> None:
        if not {*self.actions} <= event.entries.keys() - event.said.undone:
            raise UsageError("this change was taken back meanwhile")

    def sentence(self, event: Event) -> Sentence:
        return event.entries[self.actions[0]].action.sentence(event)


class RemovePhoto(Base, frozen=True):
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


class EnterResult(_OnTable, frozen=True):
    """Points of players at a table, whatever was read; those of others at the table stay.

    read: what their sheets were worth by then, as far as known; filled in when it is stored.
    """

    points: Annotated[dict[Text, Points], Meta(max_length=10)]
    read: Read = field(default_factory=dict)

    def prepare(self, event: Event, author: Author) -> Action:
        points: dict[str, int] = {}
        for name, value in self.points.items():
            seated = event.seated(self.round, self.table, name)
            if seated in points:
                raise UsageError("{name} is named twice; give each player's points once", name=name)
            points[seated] = value
        return replace(self, points=points, read=event.read_totals(self.round, self.table))


class Walkover(_OnTable, frozen=True):
    """Who wins because the opponent did not come; null: neither came, and both lose."""

    winner: Text | None
    read: Read = field(default_factory=dict)

    def prepare(self, event: Event, author: Author) -> Action:
        if len(event.seats_at(self.round, self.table)) != 2:
            raise UsageError(
                "round {round}, table {table}: a walkover needs two players",
                round=self.round,
                table=self.table,
            )
        winner = self.winner and event.seated(self.round, self.table, self.winner)
        return replace(self, winner=winner, read=event.read_totals(self.round, self.table))


class WithdrawResult(_OnTable, frozen=True):
    """Withdraw all that was entered for a table; its sheets count again."""

    def check(self, event: Event) -> None:
        event.seats_at(self.round, self.table)
        if (self.round, self.table) not in event.said.results:
            raise UsageError(
                "round {round}, table {table}: no result has been entered",
                round=self.round,
                table=self.table,
            )


class AddPlayer(Base, frozen=True):
    """A player who takes part from now on, perhaps again.

    number: in the event, never given twice; code: the word in the codes of the player's sheets.
    """

    name: Text
    code: Annotated[str, Meta(max_length=40)] = ""
    number: Annotated[int, Meta(ge=0, le=99_999)] = 0

    text, subject = mark("{name} taking part"), ("player", ".number")

    def prepare(self, event: Event, author: Author) -> Action:
        name = new_name(self.name)
        known, number = event.names.player(name), event.said.last_number + 1
        if known is None:
            return AddPlayer(name, new_code(self.code, number, event.names.players), number)
        if known.active:
            raise in_list_error(known.name)
        return Rejoin(known.name)


def check_possible(before: Event, after: Event) -> None:
    """Raise `UsageError` if what was done or undone leaves two players of one name, a seat without
    its player, or corrections of kingdoms whose squares have moved."""
    for number in before.said.players.keys() - after.said.players.keys():
        if any(number in table for tables in after.said.rounds.values() for table in tables):
            raise UsageError(
                "{name}: a round has been paired; have the player drop out",
                name=before.said.players[number].name,
            )
    for player in after.names.players if after.names is not before.names else ():
        if after.names.player(player.name) is not player:
            raise in_list_error(player.name)
    if after.rules.variants.size != before.rules.variants.size:
        touched = {
            entry.action.sheet
            for words in before.said.fields.values()
            for entry in words
            if isinstance(entry.action, CorrectSquare | ConfirmSheet)
        }
        if touched:
            raise UsageError(
                "kingdoms that were corrected or confirmed: {n}; these corrections do not fit "
                "another size. Create another event, or undo them first: kdscan correct SHEET "
                "--undo",
                n=len(touched),
            )


class _OnPlayer(Base, frozen=True):
    name: Text

    def subjects(self) -> frozenset[Subject]:
        name = plain_name(self.name)
        return frozenset({("player", name, isinstance(self, RenamePlayer))})

    def prepare(self, event: Event, author: Author) -> Action:
        self.check(event)
        name = event.names.named(self.name, event)
        if event.names.player(name) is None:
            raise UsageError(
                "{name}: there is no such player in {event}.", name=self.name, event=event.name
            )
        return replace(self, name=name)  # type: ignore[return-value]


class DropPlayer(_OnPlayer, frozen=True):
    """A player leaves the event."""

    text = mark("{name} dropping out")


class Rejoin(_OnPlayer, frozen=True):
    """A player who left takes part again."""

    text = mark("{name} taking part")


class RenamePlayer(_OnPlayer, frozen=True):
    """A player's name was spelled wrongly, or is another; codes and results stay the player's."""

    to: Text

    text = mark("the name of {name}")

    def values(self, event: Event) -> Mapping[str, object]:
        return {"name": self.to}

    def prepare(self, event: Event, author: Author) -> Action:
        to = new_name(self.to)
        prepared = super().prepare(event, author)
        if event.names.player(to) not in (None, event.names.called(self.name)):
            raise in_list_error(to)
        return replace(prepared, to=to)


class RemovePlayer(_OnPlayer, frozen=True):
    """Delete a player who was entered by mistake, who has not been paired."""

    text = mark("{name} dropping out")


class RequestBye(_OnPlayer, frozen=True):
    """Whether a player asks for a bye in a round that is not paired yet; see `Rules.half_byes`."""

    round: Number
    wanted: bool = True

    text, subject, subjects = mark("a bye of {name}"), ("bye", ".name", ".round"), Base.subjects

    def check(self, event: Event) -> None:
        if self.round <= event.last_round:
            raise UsageError("round {round} is paired already", round=self.round)


class PairRound(Base, frozen=True):
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


@dataclass(frozen=True)
class Rules:
    """The rules of an event. A change takes effect at once, for all kingdoms.

    great_duel: 7 x 7 for two. middle_kingdom, harmony: extra points of Kingdomino.
    seats: players at a table. rounds: number that are played, None for as many as are paired.
    half_byes: whether a bye that a player asked for scores half a point, or nothing.
    """

    game: GameName = "duel"
    great_duel: bool = False
    middle_kingdom: bool = False
    harmony: bool = False
    seats: int = 2
    rounds: int | None = None
    half_byes: bool = True

    @property
    def variants(self) -> Variants:
        """The extra rules as the game knows them; those of Duel say nothing of a kingdom's size."""
        great_duel = None if self.game == "duel" else self.great_duel
        return Variants(
            great_duel=great_duel, middle_kingdom=self.middle_kingdom, harmony=self.harmony
        )

    @property
    def most(self) -> int:
        """The largest number of players at a table."""
        return 2 if self.game == "duel" or self.great_duel else 4

    def name(self, models: str) -> str:
        """The name under which readings with these models are stored; it depends on the size
        limit."""
        size = self.variants.size
        return models if self.game == "duel" else f"{models} {size}x{size}"

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise `UsageError` for rules that the game does not have. given: those that change."""
        if self.game != "duel":
            try:
                self.variants.check_players(self.seats)
            except VariantError as error:
                where = f"--seats {self.seats}"
                raise UsageError("{where}: {error}", where=where, error=error) from error
            return
        alien = [name for name in ("great_duel", "middle_kingdom", "harmony") if given.get(name)]
        if alien:
            raise UsageError(
                "--{option} is a rule of Kingdomino, but this is an event of Kingdomino Duel; "
                "create another event with --game kingdomino",
                option=alien[0].replace("_", "-"),
            )
        if self.seats != 2:
            raise UsageError("--seats {seats}: two play Kingdomino Duel", seats=self.seats)


class SetRules(Base, frozen=True):
    """What the event plays besides its game; null for what stays as it is."""

    great_duel: bool | None = None
    middle_kingdom: bool | None = None
    harmony: bool | None = None
    seats: Annotated[int, Meta(ge=2, le=4)] | None = None
    rounds: Annotated[int, Meta(ge=1, le=99)] | None = None
    half_byes: bool | None = None

    text = mark("the rules of the event")

    @property
    def given(self) -> Json:
        """The rules that change, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def subjects(self) -> frozenset[Subject]:
        return frozenset(("rule", name) for name, value in self.given.items() if value)

    def check(self, event: Event) -> None:
        Rules(event.game, **{**event.said.rules, **self.given}).check(self.given)


class StartClock(Base, frozen=True):
    """Start the round's clock; minutes null: remove it. ends: filled in when it is stored."""

    minutes: Annotated[int, Meta(ge=1, le=600)] | None
    ends: Annotated[str, Meta(max_length=40)] | None = None

    text, subject = mark("the round's clock"), ("clock",)

    def prepare(self, event: Event, author: Author) -> Action:
        last = self.minutes and datetime.now(UTC) + timedelta(minutes=self.minutes)
        return replace(self, ends=last and last.isoformat())


class Show(Base, frozen=True):
    """What the projector shows."""

    what: Shown

    text, subject = mark("what the projector shows"), ("shown",)


class CloseEvent(Base, frozen=True):
    """The event is over: its list is final and players change nothing any more; or it goes on."""

    closed: bool = True

    text, subject = mark("the end of the event"), ("closed",)

    def check(self, event: Event) -> None:
        if self.closed:
            check_finished(event.games)
            check_certain(event.games)


class Undo(Base, frozen=True):
    """Undo an action, together with those that were made with it. Undone twice is undone once."""

    action: Id

    for_players, subject = True, ("approved", ".action")

    def prepare(self, event: Event, author: Author) -> Action:
        entry = event.entries.get(self.action)
        if entry is None or isinstance(entry.action, Undo):
            raise UsageError("there is nothing to undo")
        if author.role == "player" and event.has_players and not entry.is_of(author):
            raise NotForPlayers("only the desk can undo what others did")
        for other in event.together(entry):
            if isinstance(other.action, PairRound) and other.id not in event.said.undone:
                check_unpair(event, other.action.round)
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
