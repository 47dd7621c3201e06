"""Whether the box's dominoes can form a kingdom."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdscan.rules import neighbours
from kdscan.rules.kingdomino.kingdom import TILES, Kingdom, Square, Variants
from kdscan.rules.kingdomino.legality import audit_kingdom, one_box_holds
from kdscan.rules.kingdomino.play import greedy_player, play_game, random_player


def box() -> list[frozenset[str]]:
    return [frozenset(enumerate_pair(str(a), str(b))) for a, b in (t.squares for t in TILES)]


def enumerate_pair(one: str, two: str) -> list[str]:
    return [one, two] if one != two else [one, one + "'"]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_what_was_played_is_lawful_and_the_order_is_a_proof(
    seed: int, great: bool, greedy: bool
) -> None:
    variants = Variants(great_duel=great)
    player = greedy_player if greedy and not great else random_player
    for kingdom in play_game(seed, [player] * 2, variants).kingdoms:
        audit = audit_kingdom(kingdom, variants.size)
        assert audit.lawful
        check_proof(kingdom, audit.order)


def check_proof(
    kingdom: Kingdom, order: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
) -> None:
    """Each domino is one of the box's, each square is covered once, each domino connects."""
    left = box()
    lying: dict[tuple[int, int], Square] = {}
    for one, two in order:
        assert two in neighbours(one)
        left.remove(frozenset(enumerate_pair(str(kingdom.squares[one]), str(kingdom.squares[two]))))
        assert any(
            near == kingdom.castle
            or (near in lying and lying[near].terrain is kingdom.squares[cell].terrain)
            for cell in (one, two)
            for near in neighbours(cell)
        )
        lying |= {one: kingdom.squares[one], two: kingdom.squares[two]}
    assert lying == dict(kingdom.squares)


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("no domino has two mines", "## m+ m++"),
        ("a domino of one square", "## w"),
        ("only one domino is w+ l", "w+ l ## l w+"),
        ("only one domino is w g, and without a second there is no order", "## g g g\n. w f w"),
        ("there are no lakes with two crowns", "## w l++"),
        ("it touches neither the castle nor its like", "## w w\n.  . l\n.  . l"),
        ("seven in a row", "## w w w f f f"),
    ],
)
def test_what_cannot_be(why: str, text: str) -> None:
    kingdom = Kingdom.parse(text)
    assert audit_kingdom(kingdom).lawful is False, why


def test_a_domino_may_join_later_than_its_neighbours() -> None:
    assert audit_kingdom(Kingdom.parse("## w f\n.  . f\n.  . f")).lawful


def test_a_search_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    kingdoms = play_game(3, [random_player] * 2, Variants(great_duel=True)).kingdoms
    assert one_box_holds(kingdoms) is not False
    monkeypatch.setattr("kdscan.rules.kingdomino.legality.MAX_TRIES", 2)
    assert audit_kingdom(kingdoms[0], 7).lawful is None
    assert one_box_holds(kingdoms) is None


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.booleans())
def test_both_kingdoms_of_a_game_come_from_one_box(seed: int, great: bool) -> None:
    kingdoms = play_game(seed, [random_player] * 2, Variants(great_duel=great)).kingdoms
    assert one_box_holds(kingdoms) is not False


def test_a_domino_that_exists_once_cannot_lie_in_two_kingdoms() -> None:
    """The only mine of three crowns lies beside wheat; there are three of two crowns."""
    mine = Kingdom.parse("## w m+++")
    assert audit_kingdom(mine).lawful
    assert one_box_holds([mine, Kingdom.parse("## w f")])
    assert one_box_holds([mine, mine]) is False
    two = Kingdom.parse("## w m+")
    assert one_box_holds([two, two]) is False
