"""What an event plays: the game, its variants, the players at a table, the number of rounds.

The rules are set once, when the event is created, and stored in its details. A change takes effect
at once: all kingdoms are scored by the current rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.apply_corrections import Overrides
from kdscan.event.store.corrections import corrections, effective_by_sheet
from kdscan.event.store.events import ensure_event, find_event, set_event_detail
from kdscan.event.store.readings import sheets
from kdscan.event.store.records import Event, Sheet
from kdscan.files import Json
from kdscan.rules import GameName
from kdscan.rules.kingdomino.variants import VariantError, Variants
from kdscan.sheets.common import VARIANTS, cell_values


@dataclass(frozen=True)
class Rules:
    """The rules of an event.

    great_duel: 7 x 7 for two. middle_kingdom, harmony: extra points of Kingdomino.
    seats: players at a table. rounds: number that are played, None for as many as are paired.
    """

    game: GameName = "duel"
    great_duel: bool = False
    middle_kingdom: bool = False
    harmony: bool = False
    seats: int = 2
    rounds: int | None = None

    @property
    def variants(self) -> Variants:
        """The extra rules as the game knows them; those of Duel say nothing of a kingdom's size."""
        great_duel = None if self.game == "duel" else self.great_duel
        return Variants(
            great_duel=great_duel, middle_kingdom=self.middle_kingdom, harmony=self.harmony
        )

    @property
    def extras(self) -> Json:
        """The rules for extra points, which change no square, as the JSON names them."""
        return {"middle_kingdom": self.middle_kingdom, "harmony": self.harmony}

    @property
    def most(self) -> int:
        """The largest number of players at a table."""
        return 2 if self.game == "duel" or self.great_duel else 4

    def name(self, models: str) -> str:
        """The name under which readings with these models are stored; it depends on the size
        limit."""
        return (
            models if self.game == "duel" else f"{models} {self.variants.size}x{self.variants.size}"
        )


@dataclass(frozen=True)
class RuleChanges:
    """Requested changes of an event's rules; None: no change. Fields as in `Rules`."""

    game: GameName | None = None
    great_duel: bool | None = None
    middle_kingdom: bool | None = None
    harmony: bool | None = None
    seats: int | None = None
    rounds: int | None = None


def rules_of(event: Event) -> Rules:
    """The rules of an event; rules unknown to this version are ignored."""
    given: Mapping[str, Any] = event.details.get("rules") or {}
    known = {f.name: given[f.name] for f in fields(Rules) if f.name in given}
    return replace(Rules(**known), game=cast(GameName, event.game))


def ensure_rules(
    db: Connection, name: str | None, changes: RuleChanges, *, make: bool = True
) -> Event:
    """The event of that name, or the only one, with its rules updated.

    make: whether to create it if there is none.

    Raises `UsageError` for an unknown event, another game's, or invalid rules.
    """
    if not make:
        find_event(db, name)  # raises for an event that would be created
    event = ensure_event(db, name, changes.game)
    given = {key: value for key, value in asdict(changes).items() if value is not None}
    given.pop("game", None)
    if not given:
        return event
    before = rules_of(event)
    rules = replace(before, **given)
    _check(rules, given)
    if rules.variants.size != before.variants.size:
        _check_untouched(db, event)
    kept = asdict(rules)
    kept.pop("game")
    set_event_detail(db, event.id, "rules", kept)
    return find_event(db, name)


def _check(rules: Rules, given: Json) -> None:
    if rules.game == "duel":
        alien = [key for key in ("great_duel", "middle_kingdom", "harmony") if given.get(key)]
        if alien:
            option = alien[0].replace("_", "-")
            raise UsageError(
                "--{option} is a rule of Kingdomino, but this is an event of Kingdomino Duel; "
                "create another event with --game kingdomino",
                option=option,
            )
        if rules.seats != 2:
            raise UsageError("--seats {seats}: two play Kingdomino Duel", seats=rules.seats)
        return
    try:
        rules.variants.check_players(rules.seats)
    except VariantError as error:
        raise UsageError("{where}: {error}", where=f"--seats {rules.seats}", error=error) from error


def _check_untouched(db: Connection, event: Event) -> None:
    """Raise UsageError if people looked at kingdoms' squares, which another limit moves."""
    touched = {
        sheet_id
        for sheet_id, fields in effective_by_sheet(corrections(db, event.id)).items()
        if fields.get("confirmed") or cell_values(fields)
    }
    count = sum(one.kind == "kingdom" and one.id in touched for one in sheets(db, event.id))
    if count:
        raise UsageError(
            "kingdoms that were corrected or confirmed: {n}; these corrections do not fit another "
            "size. Create another event, or undo them first: kdscan correct SHEET --undo",
            n=count,
        )


def overrides_of(sheet: Sheet, given: Overrides, rules: Rules) -> Overrides:
    """The corrections of a sheet; for a kingdom also the event's rules, if it was read with
    others. An event of Kingdomino says them for all its kingdoms."""
    if sheet.kind != "kingdom":
        return given
    if rules.game == "kingdomino":
        given = {field: new for field, new in given.items() if field != VARIANTS}
    if sheet.data.get("variants") == rules.extras:
        return given
    return {VARIANTS: rules.extras, **given}
