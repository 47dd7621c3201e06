"""Kingdomino. Quotations name their rulebook (seed)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kdscan.rules import TextError, outcome
from kdscan.rules.kingdomino.kingdom import (
    Kingdom,
    Square,
    Terrain,
    Variants,
    score_kingdom,
)
from kdscan.rules.kingdomino.legality import find_problems
from kdscan.rules.kingdomino.play import match_winners, play_game, random_player
from tests.rules.boards import seeds
from tests.rules.kingdoms import variants

TEXT = """\
w   w   f   f+
w+  ##  l   .
.   l   l++ m+++"""


# The box


# Kingdoms as text, and what they are worth


def test_text_round_trip() -> None:
    kingdom = Kingdom.parse(TEXT)
    assert kingdom.castle == (1, 1) and kingdom.shape == (3, 4)
    assert kingdom.squares[2, 3] == Square(Terrain.MINE, 3)
    assert Kingdom.parse(str(kingdom)) == kingdom
    assert hash(Kingdom.parse(str(kingdom))) == hash(kingdom)
    wide = Kingdom.parse(". . .\n. ## .")
    assert str(wide) == ".  .  .\n.  ## ." and wide.extent == (1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the same number"),
        ("w w\n## w w", "the same number"),
        ("w w", "not 0"),
        ("## ##", "not 2"),
        ("## x+", "B1: 'x\\+' is not a terrain"),
    ],
)
def test_what_is_no_kingdom_is_refused(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        Kingdom.parse(text)


def test_domains_are_squares_times_crowns() -> None:
    score = score_kingdom(Kingdom.parse(TEXT))
    assert [(d.terrain.value, len(d.cells), d.crowns, d.points) for d in score.domains] == [
        ("wheat", 3, 1, 3),
        ("forest", 2, 1, 2),
        ("lake", 3, 2, 6),
        ("mine", 1, 3, 3),
    ]
    assert (score.total, score.worth.largest_domain, score.worth.crowns) == (14, 3, 7)
    empty = score_kingdom(Kingdom.parse("##"))
    assert (empty.total, empty.worth.largest_domain, empty.worth.crowns) == (0, 0, 0)


def test_the_examples_of_seed_001() -> None:
    """Five forests with two crowns are 10 points; three lakes without any are none."""
    assert score_kingdom(Kingdom.parse("f+ f f+ f f ##")).total == 10
    assert score_kingdom(Kingdom.parse("l l l ##")).total == 0


FULL = "\n".join(["w w w w w", "f f f f f", "l l ## g g", "s s s s s", "w w w w m"])


def test_middle_kingdom_and_harmony() -> None:
    """Seed 004: ten points for a castle in the very centre, five when nothing was discarded."""
    both = Variants(middle_kingdom=True, harmony=True)
    full = score_kingdom(Kingdom.parse(FULL), both)
    assert (full.middle_kingdom, full.harmony, full.total) == (10, 5, 15)
    gap = Kingdom.parse(FULL.replace("w w w w m", "w w w . ."))
    assert (score_kingdom(gap, both).middle_kingdom, score_kingdom(gap, both).harmony) == (10, 0)
    assert score_kingdom(gap, both, discarded=0).harmony == 5
    for text in (FULL.replace("w w w w m", "w w w w ."), "## " + 24 * "w "):
        assert score_kingdom(Kingdom.parse(text), both).harmony == 0
    assert score_kingdom(Kingdom.parse(FULL), both, discarded=1).harmony == 0
    aside = Kingdom.parse(FULL.replace("l l ## g g", "l ## l g g"))
    assert score_kingdom(aside, both).middle_kingdom == 0
    above = Kingdom.parse("\n".join(FULL.splitlines()[2:] + FULL.splitlines()[:2]))
    assert score_kingdom(above, both).middle_kingdom == 0
    assert score_kingdom(Kingdom.parse(FULL)).total == 0


def test_ties_go_by_the_largest_domain_then_by_crowns_then_are_shared() -> None:
    """Seed 004: the area "regardless of how many crowns", then more crowns, then shared."""

    def score(text: str) -> object:
        return score_kingdom(Kingdom.parse(text))

    two = score_kingdom(Kingdom.parse("w++ ##"))
    long = score_kingdom(Kingdom.parse("w+ w ##"))
    crowns = score_kingdom(Kingdom.parse("## w+ w . m"))
    plenty = score_kingdom(Kingdom.parse("## w+ f+"))
    assert outcome([two, long]).winners == (1,)
    assert outcome([long, crowns]).winners == (0, 1)
    assert outcome([plenty, two]).winners == (0, 1)
    same_area = score_kingdom(Kingdom.parse("## w++ . f f"))
    more = score_kingdom(Kingdom.parse("## w+ l+ f f"))
    assert same_area.total == more.total == 2
    assert outcome([same_area, more]).winners == (0, 1)
    fewer = score_kingdom(Kingdom.parse("w+ w+ . ##"))
    richer = score_kingdom(Kingdom.parse("w++ f++ . ## w ."))
    assert fewer.total == richer.total == 4 and outcome([fewer, richer]).winners == (0,)
    one = score_kingdom(Kingdom.parse("## w+ w l+ . l ."))
    other = score_kingdom(Kingdom.parse("## w+ w . m+ ."))
    assert outcome([one, other]).winners == (0, 1)
    assert outcome([other, score_kingdom(Kingdom.parse("## f+ f g+ . "))]).winners == (0, 1)
    assert match_winners([[two, long], [long, two], [fewer, two]]) == (0,)
    assert match_winners([[two, long], [two, long]]) == (0, 1)
    assert match_winners([[two, long]]) == (1,)  # one game has its tie-breaks
    assert score("##") == score("##")


@given(seeds, variants)
@settings(max_examples=15)
def test_points_do_not_depend_on_how_the_kingdom_is_turned(
    seed: int, how: tuple[int, Variants]
) -> None:
    kingdom = play_game(seed, [random_player] * how[0], how[1]).kingdoms[0]
    turned = Kingdom(
        {(c, kingdom.shape[0] - 1 - r): square for (r, c), square in kingdom.squares.items()},
        (kingdom.castle[1], kingdom.shape[0] - 1 - kingdom.castle[0]),
        (kingdom.shape[1], kingdom.shape[0]),
    )
    assert score_kingdom(turned, how[1]).total == score_kingdom(kingdom, how[1]).total


# Problems of a kingdom


def test_problems() -> None:
    assert find_problems(Kingdom.parse("w w ## f+ f\nw+ . . . .\ns . . . .")) == ()
    codes = [p.code for p in find_problems(Kingdom.parse(TEXT))]
    assert codes == ["odd_squares", "not_in_the_box"]
    assert [p.code for p in find_problems(Kingdom.parse("## w w w w w"))] == [
        "too_large",
        "odd_squares",
    ]
    (mines,) = find_problems(Kingdom.parse("## m m w w"))
    assert (mines.code, mines.cells) == ("not_in_the_box", ((0, 1), (0, 2)))
    assert mines.message == "squares of mine with 0 crowns: 2, where the box holds 1"
    (rich,) = find_problems(Kingdom.parse("m+ w ## w m+"))
    assert rich.message == "squares of mine with 1 crown: 2, where the box holds 1"
    (alone,) = find_problems(Kingdom.parse("w ## w"))
    assert (alone.code, len(alone.cells)) == ("unpaired_squares", 2)
    assert [p.code for p in find_problems(Kingdom.parse("## w w w+++ f f g"))] == [
        "too_large",
        "not_in_the_box",
    ]
    assert not find_problems(Kingdom.parse("## w w f f s s"), Variants(great_duel=True))
