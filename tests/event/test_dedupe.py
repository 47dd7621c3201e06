"""The same sheet photographed twice is noticed; two sheets are not taken for one."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kdscan.document import to_dict
from kdscan.event import dedupe
from kdscan.event.dedupe import Alike, Compared, Entry
from kdscan.event.sheets import Brief, marks_code
from kdscan.rules.duel.board import CELLS, COATS
from kdscan.rules.duel.players import play_game, random_player
from tests.readings import KINGDOM, make_kingdom


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


def entry(
    key: int,
    marks: np.ndarray | None,
    code: str | None = None,
    same_as: int | None = None,
    rank: float = 0.5,
) -> Entry:
    """rank: how sure; two readings of one sheet differ here by nothing that must be asked."""
    digits = "" if marks is None else marks.tobytes().hex()
    return Entry(key, code, Brief(0, marks=digits, confidence=rank, high=99), same_as, came=rank)


def same_sheets(entries: list[Entry]) -> Compared:
    alike = Alike()
    for each in entries:
        if each.same_as is None:
            alike.add(each.marks, coded=bool(each.code))
    return dedupe.same_sheets(entries, alike)


def test_no_two_maps_of_many_games_are_taken_for_one() -> None:
    assert same_sheets([entry(n, marks) for n, marks in enumerate(SHEETS, 1)]).same == {}


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
    entries = [entry(n, marks) for n, marks in enumerate(SHEETS, 1)]
    entries.append(entry(999, again, rank=0.9 if better else 0.1))
    (pair,) = same_sheets(entries).same.items()
    assert set(pair) == {which + 1, 999}


def test_codes_go_before_marks_and_people_before_both() -> None:
    a, b = SHEETS[:2]
    code = "E/1/1/A"
    spoilt = a.copy()
    spoilt[:12] = (spoilt[:12] + 1) % 35
    assert same_sheets([entry(1, a, code), entry(2, spoilt, code)]).same == {2: 1}
    assert same_sheets([entry(1, a, code), entry(2, a, "E/1/1/B")]).same == {}
    assert same_sheets([entry(1, a), entry(2, a, same_as=0)]).same == {}
    assert same_sheets([entry(1, a, same_as=0), entry(2, a)]).same == {}
    assert same_sheets([entry(1, a, code), entry(2, a)]).same == {2: 1}
    assert same_sheets([entry(1, a, same_as=2), entry(2, b)]).same == {1: 2}
    chain = [entry(1, a, same_as=2), entry(2, a, same_as=3), entry(3, a, same_as=0, rank=0.9)]
    assert same_sheets(chain).same == {1: 3, 2: 3}
    assert same_sheets([entry(1, a, same_as=2), entry(2, b, same_as=1)]).same == {2: 1}
    assert same_sheets([entry(1, None), entry(2, None)]).same == {}
    assert same_sheets([entry(1, None, code), entry(2, None, code)]).same == {2: 1}


def test_a_kingdom_photographed_from_another_side_is_the_same() -> None:
    one = KINGDOM.split()
    castle = one.index("##")
    one[8], one[castle] = one[castle], one[8]  # not in the middle
    turns = [np.rot90(np.array(one).reshape(5, 5), n).ravel().tolist() for n in (1, 2, 3)]
    other = [*one[:-7], *reversed(one[-7:])]
    other[:7] = ["l", "l", "w", "g", "g", "f", "f"]

    def kingdom(key: int, squares: list[str]) -> Entry:
        text = "\n".join(" ".join(squares[5 * row :][:5]) for row in range(5))
        marks = marks_code(to_dict(make_kingdom(text)))
        assert marks is not None
        return Entry(key, None, Brief(0, marks=marks.tobytes().hex()), kind="kingdom")

    entries = [kingdom(n, squares) for n, squares in enumerate((one, *turns, other), 1)]
    assert same_sheets(entries).same == {2: 1, 3: 1, 4: 1}


def test_different_sheets_with_one_code_are_a_conflict_until_a_person_settles_it() -> None:
    a, b, code = SHEETS[0], SHEETS[1], "E/1/1/A"
    both = [entry(1, a, code), entry(2, b, code)]
    assert same_sheets(both) == Compared({}, {1: (2,), 2: (1,)})
    again = entry(3, b, code, rank=0.9)
    assert same_sheets([*both, again]) == Compared({2: 3}, {1: (3,), 3: (1,)})
    assert same_sheets([entry(1, a, code), entry(2, b, code, same_as=1)]) == Compared({2: 1}, {})
    assert same_sheets([entry(1, a, code), entry(2, b, code, same_as=0)]) == Compared({}, {})


@given(which=st.integers(0, len(SHEETS) - 1), row=st.booleans())
def test_a_mirrored_photo_shows_the_same_sheet(which: int, row: bool) -> None:
    grid = np.zeros((5, 7), np.uint8)
    for (r, c), code in zip(CELLS, SHEETS[which], strict=True):
        grid[r, c] = code
    mirrored = grid[:, ::-1] if row else grid[::-1]
    again = np.array([mirrored[at] for at in CELLS], np.uint8)
    entries = [entry(n, marks) for n, marks in enumerate(SHEETS, 1)]
    assert same_sheets([*entries, entry(999, again, rank=0.1)]).same == {999: which + 1}


def test_of_different_readings_the_fuller_counts_and_others_are_asked_about() -> None:
    whole, early = SHEETS[0], SHEETS[0].copy()
    early[np.flatnonzero(early)[:2]] = 0
    first = Entry(1, None, Brief(47, confidence=0.99, low=47, high=47, marks=early.tobytes().hex()))
    last = Entry(2, None, Brief(54, confidence=0.9, low=54, high=54, marks=whole.tobytes().hex()))
    for entries in ([first, last], [last, first]):
        compared = same_sheets(entries)
        assert (compared.same, compared.differs) == ({1: 2}, {2: ((1, 47),)})
    confirmed = replace(first, said=(True, False), judged=0)
    assert same_sheets([confirmed, last]) == Compared({2: 1}, {})
    after = replace(last, came=1.0)
    assert same_sheets([confirmed, after]) == Compared({2: 1}, {}, {1: ((2, 54),)})
    assert same_sheets([replace(confirmed, judged=2.0), after]) == Compared({2: 1}, {})
