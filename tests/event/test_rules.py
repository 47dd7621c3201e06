"""The rules of an event are set once, may be corrected, and are validated."""

from __future__ import annotations

import pytest

from kdscan.errors import UsageError
from kdscan.event.rules import RuleChanges, Rules, ensure_rules, rules_of
from kdscan.event.store import Store
from kdscan.event.store.corrections import add_correction, undo
from kdscan.event.store.readings import sheets
from kdscan.rules import GameName
from tests.event.entries import came_in
from tests.readings import make_kingdom


def test_an_event_keeps_its_rules_and_they_can_be_set_right(store: Store) -> None:
    with store.write() as db:
        asked = RuleChanges("kingdomino", great_duel=True, middle_kingdom=True, rounds=5)
        event = ensure_rules(db, "Castle cup", asked)
        first = rules_of(event)
        assert first == Rules("kingdomino", great_duel=True, middle_kingdom=True, rounds=5)
        assert (first.variants.size, first.most) == (7, 2)
        assert ensure_rules(db, "Castle cup", RuleChanges()) == event
        again = ensure_rules(db, "Castle cup", RuleChanges(middle_kingdom=False, harmony=True))
    assert rules_of(again) == Rules("kingdomino", great_duel=True, harmony=True, rounds=5)


def test_without_a_word_it_is_duel_for_two(store: Store) -> None:
    with store.write() as db:
        assert rules_of(ensure_rules(db, "Cup", RuleChanges())) == Rules()


@pytest.mark.parametrize(
    ("game", "asked", "message"),
    [
        (None, RuleChanges(great_duel=True), "--great-duel is a rule of Kingdomino"),
        (None, RuleChanges(seats=3), "two play Kingdomino Duel"),
        ("kingdomino", RuleChanges(great_duel=True, seats=4), "for 2 players"),
        ("kingdomino", RuleChanges("duel"), "an event of kingdomino, not duel"),
    ],
)
def test_what_cannot_be_is_refused(
    store: Store, game: GameName | None, asked: RuleChanges, message: str
) -> None:
    with store.write() as db:
        ensure_rules(db, "Cup", RuleChanges(game))
    with pytest.raises(UsageError, match=message), store.write() as db:
        ensure_rules(db, "Cup", asked)


def test_readings_of_other_limits_are_other_readings() -> None:
    small, large = Rules("kingdomino"), Rules("kingdomino", great_duel=True)
    assert len({Rules().name("m"), small.name("m"), large.name("m")}) == 3
    assert Rules().name("m") == "m"


def test_only_an_event_of_kingdomino_says_how_large_kingdoms_are() -> None:
    sizes = [rules.variants.great_duel for rules in (Rules(), Rules("kingdomino"))]
    assert sizes == [None, False]


@pytest.mark.parametrize(
    ("field", "new"), [("cell:1,1", {"terrain": "wheat", "crowns": 1}), ("confirmed", True)]
)
def test_kingdoms_keep_their_size_once_somebody_looked_at_their_squares(
    field: str, new: object, store: Store
) -> None:
    """A corrected square of 7 x 7 would be another one of 5 x 5."""
    came_in(store, "k.jpg", make_kingdom(), asked=RuleChanges("kingdomino"))
    with store.write() as db:
        event = ensure_rules(db, "Cup", RuleChanges(harmony=True))
        (sheet,) = sheets(db, event.id)
        add_correction(db, event.id, "place", {"player": "Ada"}, "Zoe", sheet_id=sheet.id)
        ensure_rules(db, "Cup", RuleChanges(great_duel=True))
        said = add_correction(db, event.id, field, new, "Zoe", sheet_id=sheet.id)
        with pytest.raises(UsageError, match="corrected or confirmed: 1"):
            ensure_rules(db, "Cup", RuleChanges(great_duel=False))
        assert rules_of(ensure_rules(db, "Cup", RuleChanges(harmony=False))).great_duel
        undo(db, said.id, "Zoe")
        assert not rules_of(ensure_rules(db, "Cup", RuleChanges(great_duel=False))).great_duel
