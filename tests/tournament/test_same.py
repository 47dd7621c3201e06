"""The same sheet twice is noticed, two sheets are not taken for one."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kdscan.game.duel.players import play_game, random_player
from kdscan.records import CELLS, COATS
from kdscan.report import sheet_json
from kdscan.tournament.same import Look, marks_code, same_sheets
from tests.readings import make_sheet


def maps(seed: int, games: int) -> list[np.ndarray]:
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        for board in play_game(rng, (random_player, random_player)).maps:
            held = [board.get(at) for at in CELLS]
            codes = [COATS.index(s.coat) * 5 + s.crosses if s else 0 for s in held]
            found.append(np.array(codes, np.uint8))
    return found


SHEETS = maps(1, 60)


def look(
    key: int,
    marks: np.ndarray | None,
    code: str | None = None,
    said: int | None = None,
    rank: float = 0.5,
) -> Look:
    return Look(key, code, marks, (rank,), said)


def test_the_marks_of_a_sheet_are_numbers() -> None:
    codes = marks_code(sheet_json(make_sheet()))
    assert codes is not None
    assert codes.shape == (34,)
    assert int(codes[0]) == 1 * 5 + 1  # a dot with a cross
    assert marks_code({"kind": "duel_spellbook"}) is None
    rows = ["d d d . . . .", ". . . . . . .", ". . . ## . . .", *[". . . . . . ."] * 2]
    nearly_empty = sheet_json(make_sheet("\n".join(rows)))
    assert marks_code(nearly_empty) is None


def test_no_two_maps_of_many_games_are_taken_for_one() -> None:
    assert same_sheets([look(n, marks) for n, marks in enumerate(SHEETS, 1)]) == {}


@given(
    which=st.integers(0, len(SHEETS) - 1),
    wrong=st.lists(st.integers(0, 33), max_size=8),
    turned=st.booleans(),
    better=st.booleans(),
)
def test_a_second_reading_with_errors_is_the_same_sheet(
    which: int, wrong: list[int], turned: bool, better: bool
) -> None:
    again = SHEETS[which].copy()
    again[wrong] = (again[wrong] + 1) % 35
    if turned:
        again = again[::-1]
    looks = [look(n, marks) for n, marks in enumerate(SHEETS, 1)]
    looks.append(look(999, again, rank=0.9 if better else 0.1))
    assert same_sheets(looks) == ({which + 1: 999} if better else {999: which + 1})


def test_codes_go_before_marks_and_people_before_both() -> None:
    a, b = SHEETS[:2]
    assert same_sheets([look(1, a, "E/1/1/A"), look(2, b, "E/1/1/A")]) == {2: 1}
    assert same_sheets([look(1, a, "E/1/1/A"), look(2, a, "E/1/1/B")]) == {}
    assert same_sheets([look(1, a), look(2, a, said=0)]) == {}
    assert same_sheets([look(1, a, said=2), look(2, b)]) == {1: 2}
    assert same_sheets([look(1, None), look(2, None)]) == {}
