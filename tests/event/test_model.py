"""What an event shows after people have said something, and what may not be said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kdscan.errors import BlankPage, NoSheetFound, UsageError
from kdscan.event import actions as act
from kdscan.event.events import open_event
from kdscan.event.export import columns, event_table, rows_with_sheets
from kdscan.event.log import Author
from kdscan.event.model import Event
from kdscan.event.names import listed_names, players_in, removed_names
from kdscan.event.store import Store
from kdscan.event.store.photos import add_file, add_photo, add_reading, set_pages
from kdscan.event.store.schema import UPLOADED
from kdscan.event.swiss import notes_on
from kdscan.files import Json
from kdscan.paper.ids import check_of
from kdscan.rules import GameName, Problem
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.players import play_game
from kdscan.sheets.duel_map.interpret import interpret
from tests.event.entries import (
    MODELS,
    came_in,
    do,
    entry,
    event_of,
    number_of,
    sqlite_store,
    states,
)
from tests.readings import BOARD, make_book, make_kingdom, make_sheet, paid_game, with_evidence

UNFINISHED = BOARD.replace("d+  d   dd", ".   .   dd", 1)
"""Before the last domino was drawn."""


store = sqlite_store


def statuses(store: Store) -> dict[str, str]:
    return {row.file.name: row.status for row in event_of(store).rows}


def table(store: Store) -> list[Json]:
    with store.read() as db:
        return [columns(row) for row in rows_with_sheets(db, event_of(store))]


def wizards(store: Store) -> dict[str, int]:
    found = states(store, event_of(store))
    return {name: one["score"]["wizard"] for name, one in found.items() if "score" in one}


def players(store: Store, names: str, *more: act.Action) -> Event:
    return do(store, *(act.AddPlayer(name) for name in names), *more)


# Photos and sheets


def test_a_removed_page_hides_no_other_photo_of_its_sheet(store: Store) -> None:
    came_in(store, "sharp.jpg", make_sheet(confidence=0.999))
    came_in(store, "blurred.jpg", make_sheet(confidence=0.99))
    assert statuses(store) == {"blurred.jpg": "same sheet", "sharp.jpg": "ok"}
    assert [(row["same_as"], row["conflicts_with"]) for row in table(store)] == [
        ("sharp.jpg", None),
        (None, None),
    ]
    do(store, act.RemovePhoto("sharp.jpg#1"))
    assert statuses(store) == {"blurred.jpg": "ok"}
    do(store, act.RemovePhoto("sharp.jpg#1", removed=False))
    assert len(statuses(store)) == 2
    with pytest.raises(UsageError, match="was not removed; removed from Cup: –"):
        do(store, act.RemovePhoto("sharp.jpg#1", removed=False))
    with pytest.raises(UsageError, match="no photo of that name"):
        do(store, act.RemovePhoto("other.jpg"))


def test_photos_of_one_sheet_with_different_totals_are_asked_about(store: Store) -> None:
    """The photo before the last domino, surer than that of the finished sheet."""
    whole = make_sheet(confidence=0.99)
    early = make_sheet(UNFINISHED, confidence=0.999)
    for name, sheet in (("early.jpg", early), ("whole.jpg", whole)):
        came_in(store, name, with_evidence(sheet, sheet_id="CUP/1/1/A"))
    assert early.score.total < whole.score.total
    assert statuses(store) == {"early.jpg": "same sheet", "whole.jpg": "ok"}
    event = event_of(store)
    (asked,) = [one for one in event.findings if one.code == "two_sheets"]
    assert asked.values["totals"] == f"{whole.score.total}, {early.score.total}"
    settled = do(store, act.Ignore(number_of(event, "early.jpg")))
    assert not [one for one in settled.findings if one.code == "two_sheets"]


def test_a_board_against_the_rules_is_to_be_settled(store: Store) -> None:
    alone = Problem("odd_shields", "warning", "33 shields", ((2, 0),))
    came_in(store, "odd.jpg", with_evidence(make_sheet(problems=(alone,))))
    assert "unlawful" in [finding.code for finding in event_of(store).findings]


def test_a_photo_that_cannot_be_opened_and_pages_without_a_sheet_are_rows(store: Store) -> None:
    came_in(store, "scan.pdf", make_sheet(confidence=0.999))
    with store.write() as db:
        event = open_event(db, "Cup")
        photo = add_photo(db, event.id, "0" * 64, ".jpg", 1)
        add_file(db, event.id, "broken.jpg", photo.id)
        set_pages(db, photo, None, {"code": "unreadable_image", "message": "it is broken"})
        scan = event.photos[event.sheet(1).photo_id]
        set_pages(db, scan, 3)
        for page, error in ((1, BlankPage("nothing")), (2, NoSheetFound("none"))):
            add_reading(db, scan, page, MODELS, entry(error=error, page=page), [], 0.1)
    rows = [(row.name, row.status) for row in event_of(store).rows]
    assert rows == [
        ("broken.jpg", "failed"),
        ("scan.pdf", "ok"),
        ("scan.pdf#2", "blank"),
        ("scan.pdf#3", "failed"),
    ]
    event = do(store, act.RemovePhoto("broken.jpg"), act.RemovePhoto("scan.pdf#2"))
    assert [row.name for row in event.rows] == ["scan.pdf", "scan.pdf#3"]
    assert removed_names(event) == ["broken.jpg", "scan.pdf#2"]


# Games whose sheets are in several photos


def maps_came_in(store: Store, game: Game, code: str, names: str) -> None:
    for board, name in zip(game.maps, names, strict=True):
        sheet = make_sheet(str(board), confidence=0.999)
        came_in(store, name, with_evidence(sheet, sheet_id=code + name))


def test_the_pairing_says_where_a_sheet_belongs_that_names_its_round_and_player(
    store: Store,
) -> None:
    game = paid_game()
    players(store, "AB", act.PairRound())
    maps_came_in(store, game, "CUP/1//", "12")
    book = with_evidence(make_book(game.spellbook), sheet_id="CUP/1/1/")
    came_in(store, "book", book)
    paid = dict(zip("12", (score.wizard for score in game.scores()), strict=True))
    assert wizards(store) == paid
    places = [event_of(store).assignments[n] for n in sorted(event_of(store).sheets)]
    assert [(one.round, one.table, one.player) for one in places] == [
        (1, 1, "A"),
        (1, 1, "B"),
        (1, 1, None),
    ]
    do(store, act.RemovePhoto("book"))
    came_in(store, "again", book)
    assert not any(wizards(store).values())
    (again,) = (f.sheets[0] for f in event_of(store).findings if "excluded" in f.text)
    do(store, act.AssignSheet(again, None, 1, 1))
    assert wizards(store) == paid


def test_a_spellbook_whose_table_is_unknown_is_asked_for(store: Store) -> None:
    game = paid_game()
    maps_came_in(store, game, "CUP/1/4/", "AB")
    came_in(store, "book", make_book(game.spellbook))
    event = event_of(store)
    (asked,) = [one for one in event.findings if "spellbook" in one.text]
    assert [event.shown_names[n] for n in asked.sheets] == ["book"]
    event = do(store, act.AssignSheet(asked.sheets[0], None, 1, 4))
    assert any(wizards(store).values())
    assert not [one for one in event.findings if "spellbook" in one.text]


def test_a_clipped_sheet_has_no_points_in_its_game(store: Store) -> None:
    for player, clipped in (("A", ()), ("B", ((0, 0),))):
        evidence = make_sheet(confidence=0.999).evidence
        sheet = replace(evidence, sheet_id=f"CUP/1/1/{player}", clipped=clipped)
        came_in(store, f"{player}.jpg", interpret(sheet))
    event = event_of(store)
    (game,) = event.games
    assert [seat.total is None for seat in game.seats] == [False, True]
    assert [finding.code for finding in event.findings] == ["cut_off"]


# Rules


@pytest.mark.parametrize(
    ("game", "rules", "message"),
    [
        ("duel", act.SetRules(great_duel=True), "--great-duel is a rule of Kingdomino"),
        ("duel", act.SetRules(seats=3), "two play Kingdomino Duel"),
        ("kingdomino", act.SetRules(great_duel=True, seats=4), "for 2 players"),
    ],
)
def test_rules_that_the_game_does_not_have_are_refused(
    store: Store, game: GameName, rules: act.SetRules, message: str
) -> None:
    with pytest.raises(UsageError, match=message), store.write() as db:
        open_event(db, "Cup", game, rules)


def test_kingdoms_keep_their_size_once_somebody_looked_at_their_squares(store: Store) -> None:
    came_in(store, "k.jpg", make_kingdom(), game="kingdomino")
    do(store, act.SetRules(great_duel=True))
    assert event_of(store).other_sizes == ["k.jpg"]
    sheet = number_of(event_of(store), "k.jpg")
    event = do(store, act.CorrectSquare(sheet, (1, 1), "wheat", 1))
    with pytest.raises(UsageError, match="corrected or confirmed: 1"):
        do(store, act.SetRules(great_duel=False))
    newest = event.newest()
    assert newest is not None
    do(store, act.Undo(newest.id))
    assert not do(store, act.SetRules(great_duel=False)).rules.great_duel


# Players and rounds


def test_one_person_is_one_player_however_the_name_is_typed(store: Store) -> None:
    do(store, act.AddPlayer("Zoë  Nowak"), act.AddPlayer("\u0639\u0644"))
    for name in ("zoe nowak", "ZOË NOWAK", "Zoe\u0308 Nowak", "\u0639\u200d\u0644"):
        with pytest.raises(UsageError, match="is in the list already"):
            do(store, act.AddPlayer(name))
    event = do(store, act.DropPlayer("zoe nowak"), act.AddPlayer("zoe nowak"))
    assert next((one.name, one.active) for one in event.names.players) == ("Zoë Nowak", True)
    with pytest.raises(UsageError, match="Nowak plays in Cup"):
        do(store, act.DropPlayer("Novak"))


def test_a_renamed_player_keeps_code_table_and_points(store: Store) -> None:
    players(store, "AB", act.PairRound(seed=1), act.EnterResult(1, 1, {"A": 5, "B": 3}))
    with pytest.raises(UsageError, match="round 2 has no tables"):
        do(store, act.EnterResult(2, 1, {}))
    event = do(store, act.RenamePlayer("A", "Ada"))
    assert [line.player for line in event.standings] == ["Ada", "B"]
    event = do(store, act.AddPlayer("A"))
    assert [line.score for line in event.standings if line.player == "A"] == [0]
    with pytest.raises(UsageError, match="Ada: a round has been paired; have the player drop out"):
        do(store, act.RemovePlayer("Ada"))
    assert do(store, act.RemovePlayer("A")).names.player("A") is None


def test_a_code_that_denies_the_name_asks_and_older_codes_are_read(store: Store) -> None:
    players(store, "AB", act.PairRound(seed=1))
    good, wrong = f"CUP/1/1/1.{check_of('A')}", f"CUP/1/1/2.{check_of('Eve')}"
    maps = play_game(0).maps
    for name, board, code in zip(("a", "b"), maps, (good, wrong), strict=True):
        came_in(store, name, with_evidence(make_sheet(str(board)), sheet_id=code))
    event = event_of(store)
    at = {name: event.assignments[number_of(event, name)] for name in "ab"}
    assert (at["a"].player, at["b"].player) == ("A", None)
    assert at["b"].mistaken == wrong.rsplit("/", 1)[1]
    assert any("whom this event does not have" in one.text for one in event.findings)
    came_in(store, "old", with_evidence(make_sheet(str(maps[1])), sheet_id="CUP/1/1/2"))
    event = event_of(store)
    assert event.assignments[number_of(event, "old")].player == "B"


def test_a_list_of_players_gives_each_a_code_of_its_own(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text("name,player\nAda,A\nAbe,A\nBob,2\nCleo,\n")
    event = do(store, *(act.AddPlayer(*row) for row in players_in(path)))
    codes = {player.name: player.code for player in event.names.players}
    assert codes == {"Ada": "A", "Abe": "2", "Bob": "3", "Cleo": "4"}
    for text, why in ("last\nYoung\nyoung\n", "young is in"), ("name,elo\nA,1\n,2\n", "a player "):
        path.write_text(text)
        with pytest.raises(UsageError, match=f"row 3: {why}"):
            players_in(path)
    for text in ("Vorname;Name\nMax;M", "Nombre;Apellidos\nMax;M", "name;player\nMax M;MM"):
        path.write_text(text, "utf-16")  # as on the page
        assert (
            [name for name, _ in players_in(path)] == listed_names(path.read_bytes()) == ["Max M"]
        )


def test_rounds_are_paired_again_only_before_they_are_played(store: Store) -> None:
    players(store, "ABCD", act.SetRules(rounds=2), act.PairRound(seed=1))
    with pytest.raises(UsageError, match=r"missing: 2, the first in round 1, table 1 \(., .\)"):
        do(store, act.PairRound())
    event = do(store, act.PairRound(again=True, seed=2))
    assert event.last_round == 1
    one, other = event.tables[1][1]
    do(store, act.EnterResult(1, 1, {one: 40}))
    with pytest.raises(UsageError, match="has results; withdraw them"):
        do(store, act.PairRound(again=True))
    do(store, act.EnterResult(1, 1, {other: 30}), act.Walkover(1, 2, event.tables[1][2][0]))
    event = do(store, act.PairRound())
    assert event.last_round == 2
    first = next(one for one in event.log if isinstance(one.action, act.PairRound))
    with pytest.raises(UsageError, match="no longer the last one"):
        do(store, act.Undo(first.id))
    newest = event.newest()
    assert newest is not None
    assert do(store, act.Undo(newest.id)).last_round == 1
    do(store, act.PairRound())
    for table in (1, 2):
        do(store, act.Walkover(2, table, None))
    with pytest.raises(UsageError, match="all rounds are paired"):
        do(store, act.PairRound())


def test_who_changes_a_result_hears_which_pairings_rest_on_it(store: Store) -> None:
    players(store, "ABCD", act.PairRound(tables=(("A", "B"), ("C", "D"))))
    first = [act.EnterResult(1, 1, {"A": 40, "B": 30}), act.EnterResult(1, 2, {"C": 20, "D": 10})]
    before = do(store, *first, act.PairRound(tables=(("C", "D"), ("A", "B"))))
    after = do(store, act.EnterResult(1, 1, {"A": 25}))
    ((text, values),) = notes_on(before, after)
    assert (values["round"], values["table"], values["tables"]) == (1, 1, "2/2")
    assert "has changed" in text
    assert notes_on(after, do(store, act.EnterResult(2, 1, {"C": 1, "D": 2}))) == []


@pytest.mark.parametrize(("half", "scores"), [(None, 0.5), (False, 0)])
def test_a_bye_that_was_asked_for_scores_half_a_point_or_nothing(
    store: Store, half: bool | None, scores: float
) -> None:
    players(store, "ABC", act.SetRules(half_byes=half), act.RequestBye("C", 1))
    with pytest.raises(UsageError, match="too few players"):
        do(store, act.DropPlayer("A"), act.DropPlayer("B"), act.PairRound())
    do(store, act.RequestBye("B", 1), act.RequestBye("B", 1, wanted=False), act.PairRound())
    event = do(store, act.EnterResult(1, 1, {"A": 5, "B": 3}))
    assert event.tables[1] == {1: ("A", "B"), 2: ("C",)} or event.tables[1][1] == ("B", "A")
    lines = {line.player: (line.score, line.byes, line.bye_points) for line in event.standings}
    assert lines["C"] == (scores, 1, scores)
    with pytest.raises(UsageError, match="is paired already"):
        do(store, act.RequestBye("B", 1))
    event = do(store, act.PairRound())  # a bye that is drawn is a win; who asked may have one
    assert {game.bye_points for game in event.games if game.round == 2 and game.bye} == {1}


def test_a_closed_event_takes_nothing_from_players_until_it_is_reopened(store: Store) -> None:
    players(store, "AB", act.PairRound())
    sent: Json = {"session": "a"}
    came_in(store, "a.jpg", make_sheet(), source=UPLOADED, details=sent)
    sheet, by = number_of(event_of(store), "a.jpg"), Author("A", "player", "a")
    with pytest.raises(UsageError, match="points are still missing"):
        do(store, act.CloseEvent())
    event = do(store, act.EnterResult(1, 1, {"A": 5, "B": 3}), act.CloseEvent())
    assert event_table(event)["closed"]
    at_desk = (act.PairRound(), act.EnterResult(1, 1, {"A": 9}), act.Undo(event.log[0].id))
    for action, author in (
        (act.AssignSheet(sheet, "A"), by),
        *((a, Author("Zoe")) for a in at_desk),
    ):
        with pytest.raises(UsageError, match="is over"):
            do(store, action, by=author)
    assert do(store, act.Show("pairings")).said.shown == "pairings"
    event = do(store, act.CloseEvent(closed=False))
    assert not event_table(do(store, act.AssignSheet(sheet, "A"), by=by))["closed"]


# Undo


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (act.CorrectShield(1, (2, 3), "dot"), "this sheet cannot hold this"),
        (act.CorrectShield(7, (0, 0), "dot"), "there is no such sheet"),
        (act.CorrectSquare(1, (0, 0), "wheat", 3), "this sheet cannot hold this"),
        (act.CorrectLine(1, 0, "dot", 9), "this sheet cannot hold this"),
        (act.SamePaper(1, 1), "another photo of itself"),
        (act.Approve((99,)), "taken back meanwhile"),
        (act.CorrectShield(1, (0, 0), "dot", 9), "this sheet cannot hold this"),
    ],
)
def test_impossible_actions_are_refused(store: Store, action: act.Action, message: str) -> None:
    came_in(store, "a.jpg", make_sheet(confidence=0.999))
    with pytest.raises(UsageError, match=message):
        do(store, action)
    assert not event_of(store).log
