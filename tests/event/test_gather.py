"""Sheets find their tables, and problems are reported."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

import pytest

from kdscan.errors import UsageError
from kdscan.event.games import Game, Seat, SheetScore, Table, gather
from kdscan.event.names import Assignment
from kdscan.event.sheets import Brief
from kdscan.event.swiss import check_certain, check_finished
from kdscan.rules import Outcome


def sheet(
    key: int,
    player: str | None,
    total: int,
    *,
    at: tuple[int | None, int | None] = (1, 1),
    largest: int = 5,
    review: bool = False,
) -> SheetScore:
    brief = Brief(total=total, largest=largest, review=review)
    return SheetScore(key, Assignment(*at, player), brief)


def paired(
    players: str,
    points: Mapping[str, int] = {},
    seen: Mapping[str, int | None] = {},
    at: Table = (1, 1),
) -> dict[Table, Game]:
    seats = (Seat(name, None, points.get(name), seen.get(name)) for name in players)
    return {at: Game(*at, tuple(seats))}


def test_codes_alone_make_games() -> None:
    games, findings = gather(
        [
            sheet(1, "A", 50, at=(1, 7)),
            sheet(2, "B", 40, at=(1, 7)),
            sheet(3, "A", 20, at=(2, 1)),
            sheet(4, "C", 20, at=(2, 1)),
        ]
    )
    assert [(g.round, g.table, [s.player for s in g.seats]) for g in games] == [
        (1, 7, ["A", "B"]),
        (2, 1, ["A", "C"]),
    ]
    assert findings == ()


def test_blank_sheets_finish_no_game_and_doubtful_ones_no_event() -> None:
    blank = [sheet(n, name, 0, review=True) for n, name in ((1, "A"), (2, "B"))]
    ((game,), findings) = gather(blank, TABLE)
    assert not game.finished and [f.code for f in findings] == ["needs_look", "needs_look"]
    doubtful = [sheet(n, name, 50, review=True) for n, name in ((1, "A"), (2, "B"))]
    for sheets, refused in ((doubtful, True), ([doubtful[0], sheet(2, "B", 40)], False)):
        games, _ = gather(sheets, TABLE)
        check_finished(games)
        with pytest.raises(UsageError, match="1/1") if refused else nullcontext():
            check_certain(games)


TABLE = paired("AB")
PLAN = TABLE | paired("CD", at=(1, 2)) | paired("E", at=(1, 3))


def test_a_player_sits_where_the_plan_says() -> None:
    # No table on A's sheet, a wrong one on C's: the round and the name are enough.
    games, findings = gather(
        [
            sheet(1, "A", 50, at=(1, None)),
            sheet(2, "B", 40),
            sheet(3, "C", 30, at=(1, 9)),
            sheet(4, "D", 31, at=(1, 2)),
        ],
        PLAN,
    )
    assert findings == ()
    assert [[seat.total for seat in game.seats] for game in games] == [[50, 40], [30, 31], [None]]
    assert [game.finished for game in games] == [True, True, True]
    assert games[2].outcome == Outcome((0,), "bye")


def test_a_round_of_which_nothing_has_come_in_is_told_once() -> None:
    first = TABLE | paired("CD", at=(1, 2))
    second = paired("BD", at=(2, 2)) | paired("E", at=(2, 3))
    planned = first | paired("AC", at=(2, 1)) | second
    sheets = [sheet(n, player, 40 + n) for n, player in enumerate("ABC")]
    _, findings = gather(sheets, planned)
    assert [(f.round, f.table, f.text.format(**f.values)) for f in findings] == [
        (1, 2, "the sheet of D is missing"),
        (2, None, "no sheet of round 2 has come in yet"),
    ]
    _, findings = gather(sheets, planned | paired("AC", {"A": 40}, at=(2, 1)))
    assert [(f.round, f.table) for f in findings] == [(1, 2), (2, 1), (2, 2), (2, 2)]


def test_two_sheets_that_differ_wait_for_a_person() -> None:
    games, findings = gather([sheet(1, "A", 50), sheet(2, "A", 51), sheet(3, "B", 40)], TABLE)
    assert games[0].seats[0].total is None
    assert [(f.code, f.sheets) for f in findings] == [("two_sheets", (1, 2))]
    games, _ = gather([sheet(1, "A", 50), sheet(2, "A", 50, largest=6)], TABLE)
    assert games[0].seats[0].total is None  # the domains could decide
    games, findings = gather(
        [sheet(1, "A", 50), sheet(2, "A", 51), sheet(3, "B", 40)], paired("AB", {"A": 51})
    )
    assert games[0].outcome == Outcome((0,), "score")
    assert findings == ()


def test_sheets_that_claim_one_code_count_for_nothing_even_if_their_totals_are_equal() -> None:
    rivals = [sheet(1, "A", 50)._replace(rivals=(2,)), sheet(2, "A", 50)._replace(rivals=(1,))]
    games, findings = gather([*rivals, sheet(3, "B", 40)], TABLE)
    assert not games[0].finished
    assert [(f.code, f.sheets) for f in findings] == [("code_conflict", (1, 2))]


def test_points_entered_before_the_sheet_came_are_compared_with_it() -> None:
    plan, seen = (paired("AB", {"A": 30}, {"A": n}) for n in (None, 40))
    came = [sheet(1, "A", 40), sheet(2, "B", 35)]
    games, findings = gather(came, plan)
    assert games[0].seats[0].total == 30
    assert [(f.code, f.round, f.table, f.sheets) for f in findings] == [
        ("points_differ", 1, 1, (1,))
    ]
    assert (
        findings[0].text.format(**findings[0].values)
        == "the sheet of A is worth 40, but 30 points were entered"
    )
    agreed = [sheet(1, "A", 30), came[1]]
    looked_at = [sheet(1, "A", 40, review=True), came[1]]
    for sheets, planned in ((came, seen), (agreed, plan), (looked_at, plan)):
        assert gather(sheets, planned)[1] == ()
    corrected = [sheet(1, "A", 46), came[1]]  # or its spellbook came in
    assert [f.code for f in gather(corrected, seen)[1]] == ["points_differ"]


def test_a_walkover_against_sheets_is_asked_about_until_it_is_entered_again() -> None:
    come = [sheet(1, "A", 40), sheet(2, "B", 35)]
    for seen, sheets, keys in (
        ({}, come, (1, 2)),
        ({}, come[1:], (2,)),
        ({"A": 40, "B": 35}, come, None),
        ({"A": 40, "B": 30}, come, (2,)),
        ({}, [sheet(1, "A", 0, review=True)], None),
    ):
        seats = tuple(Seat(name, seen=seen.get(name)) for name in "AB")
        _, findings = gather(sheets, {(1, 1): Game(1, 1, seats, walkover="A")})
        assert [(f.code, f.sheets) for f in findings] == [("points_differ", keys)] * bool(keys)


def test_a_sheet_of_a_player_with_a_bye_is_asked_about() -> None:
    games, findings = gather([sheet(1, "E", 40, at=(1, None))], PLAN)
    assert games[2].bye and games[2].seats[0].total is None
    assert ("unplaced", (1,)) in [(f.code, f.sheets) for f in findings]
    assert "has a bye in this round" in findings[-1].text


def test_sheets_that_need_a_look_count_and_are_named() -> None:
    games, findings = gather([sheet(1, "A", 50, review=True), sheet(2, "B", 40)], TABLE)
    assert games[0].finished
    assert [(f.code, f.sheets) for f in findings] == [("needs_look", (1,))]


def test_a_sheet_whose_code_names_another_event_than_most_is_nobodys() -> None:
    def printed(key: int, player: str, event: str | None) -> SheetScore:
        own = sheet(key, player, 40 + key)
        return own._replace(at=Assignment(1, key, player, event))

    plan = TABLE | paired("CD", at=(1, 2))
    ours = [printed(1, "A", "SPRING-CUP"), printed(2, "B", "SPRING-CU…"), printed(3, "C", None)]
    games, findings = gather([*ours, printed(4, "D", "WINTER")], plan)
    assert [seat.total for game in games for seat in game.seats] == [41, 42, 43, None]
    assert [f.sheets for f in findings if f.code == "unplaced"] == [(4,)]
    for meant in (None, "SPRING-CUP"):  # a person said whose it is; it was printed for this event
        games, findings = gather([*ours, printed(4, "D", meant)], plan)
        assert all(game.finished for game in games) and findings == ()
    _, findings = gather([*ours[:1], printed(2, "B", "WINTER")], plan)
    assert [f.sheets for f in findings if f.code == "unplaced"] == [(1,), (2,)]  # which one is?


def test_strangers_at_a_table() -> None:
    games, findings = gather([sheet(1, "A", 50), sheet(2, "B", 40), sheet(3, "X", 99)], TABLE)
    assert games[0].finished
    assert [(f.code, f.sheets) for f in findings] == [("unknown_player", (3,))]
    games, findings = gather([sheet(1, "A", 50), sheet(3, "X", 99)], TABLE)
    assert [seat.total for seat in games[0].seats] == [50, None]  # X's sheet is not B's
    assert [f.code for f in findings] == ["unknown_player", "missing_sheet"]
    games, findings = gather([sheet(1, "A", 50)])
    assert (
        games == ()
        and findings[0].text.format(**findings[0].values)
        == "a game needs two players; here are 1: A"
    )
