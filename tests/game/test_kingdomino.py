"""Kingdomino. Quotations name the rulebook (seed) that they come from."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdscan.game.kingdomino.checks import find_problems
from kdscan.game.kingdomino.kingdom import Kingdom
from kdscan.game.kingdomino.play import (
    Choose,
    Discard,
    Game,
    IllegalMoveError,
    Lay,
    Move,
    Phase,
    Rule,
    dynasty_winners,
)
from kdscan.game.kingdomino.players import greedy_player, play_game, play_match, random_player
from kdscan.game.kingdomino.scoring import score_kingdom, winners
from kdscan.game.kingdomino.tiles import SQUARES, TILES, KingdomTextError, Square, Terrain, Tile
from kdscan.game.kingdomino.variants import PLAIN, VariantError, Variants

seeds = st.integers(0, 2**32)
variants = st.sampled_from(
    [
        (2, PLAIN),
        (3, Variants(harmony=True)),
        (4, Variants(middle_kingdom=True, harmony=True)),
        (2, Variants(great_duel=True, middle_kingdom=True)),
        (2, Variants(demo=True)),
    ]
)

TEXT = """\
w   w   f   f+
w+  ##  l   .
.   l   l++ m+++"""


# The box


def test_the_squares_agree_with_the_table_of_seed_004() -> None:
    """The table's counts in its order: "x 21 x 12 x 5 x 6 x 10 x 6 x 2 x 2 x 2 x 2 x 16 x 6
    x 1 x 1 x 3 x 1"."""
    table = [21, 12, 5, 6, 10, 6, 2, 2, 2, 2, 16, 6, 1, 1, 3, 1]
    assert sorted(SQUARES.values()) == sorted(table)
    assert sum(table) == 2 * len(TILES) == 96
    assert [tile.number for tile in TILES] == list(range(1, 49))
    plain = Counter({square.terrain: n for square, n in SQUARES.items() if not square.crowns})
    assert [plain[terrain] for terrain in Terrain] == [21, 16, 12, 10, 6, 1]
    crowned = {str(square): n for square, n in SQUARES.items() if square.crowns}
    assert crowned == {
        **{"w+": 5, "f+": 6, "l+": 6, "g+": 2, "g++": 2, "s+": 2, "s++": 2},
        **{"m+": 1, "m++": 3, "m+++": 1},
    }


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
        ("", "equally many"),
        ("w w\n## w w", "equally many"),
        ("w w", "not 0"),
        ("## ##", "not 2"),
        ("## x+", "B1: 'x\\+' is no terrain"),
    ],
)
def test_what_is_no_kingdom_is_refused(text: str, message: str) -> None:
    with pytest.raises(KingdomTextError, match=message):
        Kingdom.parse(text)


def test_kingdoms_stay_on_their_grid() -> None:
    with pytest.raises(ValueError, match="outside"):
        Kingdom({(0, 2): Square(Terrain.LAKE)}, (0, 0), (1, 2))
    with pytest.raises(ValueError, match="castle"):
        Kingdom({(0, 0): Square(Terrain.LAKE)}, (0, 0), (1, 2))


def test_domains_are_squares_times_crowns() -> None:
    score = score_kingdom(Kingdom.parse(TEXT))
    assert [(d.terrain.value, len(d.cells), d.crowns, d.points) for d in score.domains] == [
        ("wheat", 3, 1, 3),
        ("forest", 2, 1, 2),
        ("lake", 3, 2, 6),
        ("mine", 1, 3, 3),
    ]
    assert (score.total, score.largest_domain, score.crowns) == (14, 3, 7)
    empty = score_kingdom(Kingdom.parse("##"))
    assert (empty.total, empty.largest_domain, empty.crowns) == (0, 0, 0)


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
    assert winners([two, long]) == (1,)
    assert winners([long, crowns]) == (0, 1)
    assert winners([plenty, two]) == (0, 1)
    same_area = score_kingdom(Kingdom.parse("## w++ . f f"))
    more = score_kingdom(Kingdom.parse("## w+ l+ f f"))
    assert same_area.total == more.total == 2
    assert winners([same_area, more]) == (0, 1)
    fewer = score_kingdom(Kingdom.parse("w+ w+ . ##"))
    richer = score_kingdom(Kingdom.parse("w++ f++ . ## w ."))
    assert fewer.total == richer.total == 4 and winners([fewer, richer]) == (0,)
    one = score_kingdom(Kingdom.parse("## w+ w l+ . l ."))
    other = score_kingdom(Kingdom.parse("## w+ w . m+ ."))
    assert winners([one, other]) == (0, 1)
    assert winners([other, score_kingdom(Kingdom.parse("## f+ f g+ . "))]) == (0, 1)
    assert dynasty_winners([[two, long], [long, two], [fewer, two]]) == (0,)
    assert dynasty_winners([[two, long]]) == (0, 1)
    assert score("##") == score("##")


def test_more_crowns_settle_what_area_does_not() -> None:
    lean = score_kingdom(Kingdom.parse("## w+++ w ."))
    rich = score_kingdom(Kingdom.parse("## w++ w f+ l+"))
    assert lean.total == rich.total == 6
    assert lean.largest_domain == rich.largest_domain == 2
    assert winners([lean, rich]) == (1,)


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
    (mines,) = find_problems(Kingdom.parse("## m m ."))
    assert (mines.code, mines.cells) == ("not_in_the_box", ((0, 1), (0, 2)))
    assert "holds 1" in mines.message
    (alone,) = find_problems(Kingdom.parse("w ## w"))
    assert (alone.code, len(alone.cells)) == ("unpaired_squares", 2)
    assert [p.code for p in find_problems(Kingdom.parse("## w w w+++ f f g"))] == [
        "too_large",
        "not_in_the_box",
    ]
    assert not find_problems(Kingdom.parse("## w w f f s s"), Variants(great_duel=True))


# Play


def tile(number: int) -> Tile:
    return TILES[number - 1]


def two_players(*first: int) -> Game:
    """A game of two whose first lines hold those dominoes; kings come out 0, 1, 1, 0."""
    rest = [t for t in TILES if t.number not in first][: 24 - len(first)]
    return Game(2, deck=[tile(n) for n in first] + rest, kings=(0, 1, 1, 0))


def refused(game: Game, move: Move, rule: Rule, message: str) -> None:
    before = (game.phase, game.kingdoms, tuple(game.discarded), len(game.history))
    with pytest.raises(IllegalMoveError) as caught:
        game.play(move)
    assert caught.value.rule is rule
    assert message in str(caught.value)
    assert (game.phase, game.kingdoms, tuple(game.discarded), len(game.history)) == before


def test_kings_settle_the_order() -> None:
    """Seed 004: the turn order is the order of the kings on the dominoes, lowest number first."""
    game = two_players(9, 1, 48, 20)
    assert [t.number for t in game.choices] == [1, 9, 20, 48]
    refused(game, Lay(((0, 1), (0, 2))), Rule.ORDER, "phase 'choose'")
    refused(game, Choose(2), Rule.LINE, "not in the new line")
    assert game.to_move == 0
    game.play(Choose(48))
    assert game.to_move == 1
    refused(game, Choose(48), Rule.LINE, "a king stands on")
    game.play(Choose(9))
    game.play(Choose(1))
    game.play(Choose(20))
    assert game.rounds == 1 and game.phase is Phase.LAY
    order = []
    for _ in range(4):
        order.append((game.to_move, game.tile.number))
        game.play(Lay(game.places()[0]))
        game.play(Choose(game.choices[0].number))
    assert order == [(1, 1), (1, 9), (0, 20), (0, 48)]
    assert game.rounds == 2 and game.to_move == 1


def laying(number: int) -> Game:
    """The first player is about to lay that domino."""
    others = [n for n in (45, 46, 47, 48, 44) if n != number][:3]
    game = two_players(number, *others)
    for choice in (number, *others):
        game.play(Choose(choice))
    assert game.tile.number == number
    return game


def test_dominoes_join_the_castle_or_their_terrain() -> None:
    game = laying(13)
    refused(game, Choose(1), Rule.ORDER, "phase 'lay'")
    refused(game, Discard(), Rule.DISCARD, "fits your kingdom")
    refused(game, Lay(((0, 0), (0, 1))), Rule.PLACE, "free squares")
    refused(game, Lay(((0, 1), (0, 3))), Rule.PLACE, "side by side")
    refused(game, Lay(((1, 1), (1, 2))), Rule.CONNECTION, "touches the castle")
    refused(game, Lay(((0, 4), (0, 5))), Rule.LIMIT, "more than 5")
    game.play(Lay(((0, 1), (0, 2))))
    assert str(game.kingdoms[0]) == "## w  f"
    land = game.lands[0]
    assert land.joins((0, 3), Terrain.FOREST) and not land.joins((0, 3), Terrain.WHEAT)
    assert not land.fits(((0, 1), (1, 1)))


def test_the_castle_may_lie_anywhere_within_the_limit() -> None:
    game = laying(1)
    land = game.lands[0]
    for col in (1, 3):
        land.lay(tile(1).squares, ((0, col), (0, col + 1)))
    assert not land.fits(((0, -2), (0, -1)))
    assert land.fits(((1, 4), (2, 4))) and land.fits(((-1, 4), (-2, 4)))
    land.lay(tile(1).squares, ((1, 4), (2, 4)))
    assert not land.fits(((-1, 0), (-1, -1)))
    assert land.fits(((-1, 0), (-2, 0)))
    assert not land.fits(((3, 0), (-3, 0)))


def test_what_fits_nowhere_is_discarded() -> None:
    game = laying(13)
    land = game.lands[0]
    for row in range(-2, 3):
        for col in range(-2, 3):
            if (row, col) not in ((0, 0), (2, 2)):
                land.squares[row, col] = Square(Terrain.MINE)
    corner = Square(Terrain.MINE)
    land.lay((corner, corner), ((2, 1), (2, 0)))
    assert game.places() == []
    refused(game, Lay(((2, 2), (2, 3))), Rule.CONNECTION, "touches the castle")
    game.play(Discard())
    assert game.discarded == [1, 0] and game.phase is Phase.CHOOSE


def test_the_last_round_only_lays() -> None:
    """Seed 004: in the last round players do only the first of the two actions."""
    game = play_game(3, [random_player] * 2)
    assert game.rounds == 6 and len(game.history) == 4 + 4 * 5 * 2 + 4
    assert not any(isinstance(move, Choose) for _, move in game.history[-4:])
    refused(game, Choose(1), Rule.ORDER, "phase 'over'")


@given(seeds, variants)
@settings(max_examples=25)
def test_players_finish_lawful_games(seed: int, how: tuple[int, Variants]) -> None:
    count, rules = how
    game = play_game(seed, [random_player] * count, rules)
    assert game.rounds == (6 if count == 2 and not rules.great_duel else 12)
    each = 24 if rules.great_duel else 12
    for kingdom, gone, score in zip(game.kingdoms, game.discarded, game.scores(), strict=True):
        assert len(kingdom.squares) == 2 * (each - gone)
        assert max(kingdom.extent) <= rules.size
        assert not find_problems(kingdom, rules)
        assert Kingdom.parse(str(kingdom)) == kingdom
        assert score == score_kingdom(kingdom, rules)
        assert score.harmony == (5 if rules.harmony and not gone else 0)
    assert game.winners()


def test_equal_seeds_play_equal_matches() -> None:
    dynasty = Variants(dynasty=True, harmony=True)
    one, two = (play_match(9, [random_player] * 2, dynasty) for _ in range(2))
    assert [g.history for g in one] == [g.history for g in two] and len(one) == 3
    assert len(play_match(9, [random_player] * 2)) == 1


def test_greed_beats_chance() -> None:
    won = 0
    for seed in range(8):
        won += play_game(random.Random(seed), [greedy_player, random_player]).winners() == (0,)
    assert won >= 6


def test_scores_during_a_game() -> None:
    game = Game(2, Variants(harmony=True), random.Random(1))
    assert [score.harmony for score in game.scores()] == [0, 0]


def test_rules_that_cannot_go_together() -> None:
    with pytest.raises(VariantError, match="too few"):
        Variants(great_duel=True, demo=True)
    for players in (1, 5):
        with pytest.raises(VariantError, match="2 to 4"):
            Game(players)
    with pytest.raises(VariantError, match="for 2 players"):
        Game(3, Variants(great_duel=True))
    with pytest.raises(VariantError, match="24 dominoes"):
        Game(2, deck=TILES)
    with pytest.raises(VariantError, match="kings"):
        Game(2, kings=(0, 0, 0, 1))
    assert Variants(great_duel=True).dominoes(2) == 48
    central = Variants(great_duel=True, harmony=True)
    assert central.with_extras(middle_kingdom=True, harmony=False) == Variants(
        great_duel=True, middle_kingdom=True
    )
    assert [PLAIN.dominoes(n) for n in (2, 3, 4)] == [24, 36, 48]
