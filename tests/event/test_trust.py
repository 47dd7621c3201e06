"""Who said what decides what counts: no player raises a total without the desk."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any, get_args

import pytest

from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.corrections import CoatName
from kdscan.event.events import perform
from kdscan.event.log import Author
from kdscan.event.model import Event
from kdscan.event.store import Store, schema
from kdscan.event.store.schema import UPLOADED
from kdscan.rules.duel.players import play_game
from kdscan.sheets.base import AnyReading, deserialize, serialize
from tests.event.entries import ZOE, came_in, do, event_of, number_of, sqlite_store, states
from tests.readings import BOARD, make_book, make_sheet, paid_game, with_evidence

HUGO, EVE = Author("Hugo", "player", "hugo"), Author("eve", "player", "eve")
DOUBTS = ((0, 1), (2, 2))


store = sqlite_store


def read(code: str, doubtful: Collection[tuple[int, int]]) -> AnyReading:
    """A sheet as the reader would have it, with a range that its doubts make."""
    return deserialize(serialize(with_evidence(make_sheet(doubtful=doubtful), sheet_id=code)))


def paired(store: Store, *more: act.Action) -> None:
    do(store, act.AddPlayer("Hugo"), act.AddPlayer("Eve"), act.PairRound(seed=1), *more)


def sent(store: Store, name: str, sheet: AnyReading, by: str = "eve", **more: Any) -> int:
    """A player has sent this; returns the sheet's number."""
    came_in(store, name, sheet, source=UPLOADED, details={"session": by, **more})
    return number_of(event_of(store), name)


def cup(store: Store) -> int:
    """Hugo and Eve play in the first round, and Hugo has sent his sheet; returns its number."""
    paired(store)
    return sent(store, "hugo.jpg", read("CUP/1/1/1", DOUBTS), "hugo")


def codes(event: Event) -> list[str]:
    return [finding.code for finding in event.findings]


def total(event: Event, sheet: int) -> int | None:
    return event.sheets[sheet].brief.total


@pytest.mark.parametrize(
    ("coat", "crosses", "source"),
    [("dot", 0, "answered"), ("dot", 1, "answered"), ("dot", 2, "waits"), ("line", 2, "waits")],
)
def test_an_answer_counts_if_it_was_offered_and_else_waits_though_its_total_was_possible(
    store: Store, coat: CoatName, crosses: int, source: str
) -> None:
    event = do(store, act.CorrectShield(cup(store), (0, 1), coat, crosses), by=HUGO)
    (word,) = states(store, event)["hugo.jpg"]["said"]
    assert (word["source"], word["who"]) == (source, "Hugo")
    assert ("changed" in codes(event)) == (source == "waits")
    assert total(event, 1) == (40 if (source, crosses) == ("answered", 1) else 37)


def test_of_two_desks_the_second_hears_that_the_first_has_changed_the_sheet(store: Store) -> None:
    last, shield = cup(store), act.CorrectShield(1, (0, 1), "dot")
    do(store, shield, by=Author("Ada", session="a"))
    for word in (shield, act.ConfirmSheet(1)):
        with store.write() as db, pytest.raises(UsageError, match="another desk has just decided"):
            perform(db, event_of(store), Author("Bob", session="b"), word, last=last)


@pytest.mark.parametrize("word", [act.Ignore(1), act.RemovePhoto("hugo.jpg")])
@pytest.mark.parametrize("code", ["CUP/1/1/1", None])
def test_a_sheet_that_the_desk_excluded_counts_again_only_when_the_desk_says_so(
    store: Store, word: act.Action, code: str | None
) -> None:
    cup(store)
    do(store, word)
    again = sent(store, "again.jpg", with_evidence(make_sheet(), sheet_id=code), "hugo")
    if not code:
        do(store, act.AssignSheet(again, "Hugo"), by=HUGO)
    event = event_of(store)
    assert [seat.total for game in event.games for seat in game.seats] == [None, None]
    assert [f.sheets for f in event.findings if "excluded" in f.text] == [(again,)]
    event = do(store, act.AssignSheet(again, "Hugo", 1))
    assert again in [seat.sheet and seat.sheet.key for seat in event.games[0].seats]
    assert not [f for f in event.findings if again in f.sheets and f.code == "unplaced"]


def test_an_answer_does_not_settle_which_of_two_photos_is_right(store: Store) -> None:
    cup(store)
    early = make_sheet(BOARD.replace("d+  d ", ".   . ", 1))
    sent(store, "early.jpg", with_evidence(early, sheet_id="CUP/1/1/2"))
    later = sent(store, "later.jpg", read("CUP/1/1/2", [(0, 1)]))
    for said, by, asked in (
        (act.CorrectShield(later, (0, 1), "dot", 0), EVE, 1),
        (act.ConfirmSheet(later), ZOE, 0),
        (act.AddPlayer("Ann"), ZOE, 1),
        (act.ConfirmSheet(later), ZOE, 0),
    ):
        event = do(store, said, by=by)
        assert codes(event).count("two_sheets") == asked
        if (by, asked) == (ZOE, 0):
            came_in(store, f"{event.version}.jpg", with_evidence(early, sheet_id="CUP/1/1/2"))


def test_a_change_of_what_was_read_surely_waits_for_the_desk(store: Store) -> None:
    sheet = cup(store)
    read = total(event_of(store), sheet)
    event = do(store, act.CorrectShield(sheet, (0, 0), "dot", 4), by=HUGO)
    assert total(event, sheet) == read
    (asked,) = [one for one in event.findings if one.code == "changed"]
    assert asked.values["who"] == "Hugo"
    (wait,) = event.sheets[sheet].brief.waits
    assert (wait.old, wait.new) == ({"coat": "dot", "crosses": 1}, {"coat": "dot", "crosses": 4})
    accepted = do(store, act.Approve((wait.action,)))
    assert total(accepted, sheet) == asked.values["claimed"]
    assert "changed" not in codes(accepted)
    restored = do(store, act.Undo(wait.action))
    assert total(restored, sheet) == read and not restored.sheets[sheet].brief.waits
    with pytest.raises(UsageError, match="taken back meanwhile"):
        do(store, act.Approve((wait.action,)))


def test_a_change_of_a_spellbook_waits_for_the_desk_as_well(store: Store) -> None:
    paired(store)
    book = sent(store, "book.jpg", with_evidence(make_book(paid_game().spellbook), sheet_id=None))
    event = do(store, act.CorrectChoice(book, 0, None), by=EVE)
    assert [f.sheets for f in event.findings if f.code == "changed"] == [(book,)]


def test_a_players_confirmation_settles_nothing(store: Store) -> None:
    sheet = cup(store)
    event = do(store, act.ConfirmSheet(sheet), by=HUGO)
    brief = event.sheets[sheet].brief
    assert (brief.confirmed, brief.review, brief.confirmed_by) == (False, True, "Hugo")
    assert do(store, act.ConfirmSheet(sheet)).sheets[sheet].brief.confirmed


def test_the_desk_confirms_what_it_sees_with_the_answers_that_count(store: Store) -> None:
    sheet = cup(store)
    came = total(event_of(store), sheet)
    answer, claim = (act.CorrectShield(sheet, at, "dot", n) for at, n in (((0, 1), 1), ((0, 0), 4)))
    answered = do(store, answer, claim, by=HUGO)
    event = do(store, act.ConfirmSheet(sheet))
    brief = event.sheets[sheet].brief
    assert (brief.confirmed, brief.waits) == (True, ())
    assert came != brief.total == total(answered, sheet)
    sources = {word["field"]: word["source"] for word in states(store, event)["hugo.jpg"]["said"]}
    assert sources == {"confirmed": "desk", answer.field: "desk"}
    with pytest.raises(UsageError, match="the desk has decided this"):
        do(store, act.Undo(answered.log[-2].id), by=HUGO)
    assert total(do(store, act.ConfirmSheet(sheet)), sheet) == brief.total
    corrected = do(store, act.CorrectShield(sheet, (0, 1), "dot", 0))
    assert total(corrected, sheet) == came


@pytest.mark.parametrize(
    "said", [act.ConfirmSheet(1), act.CorrectShield(1, (0, 1), "dot", 0), act.AssignSheet(1, "Eve")]
)
def test_what_the_desk_said_is_final_for_players(store: Store, said: act.Action) -> None:
    sheet = cup(store)
    assert sheet == 1
    event = do(store, said)
    changes = [act.CorrectShield(1, (0, 1), "dot", 1), act.AssignSheet(1, "Hugo")]
    for change in changes:
        if isinstance(change, act.OnField) and not isinstance(said, act.OnField):
            continue
        with pytest.raises(UsageError):
            do(store, change, by=HUGO)  # type: ignore[arg-type]
    newest = event.newest()
    assert newest is not None
    with pytest.raises(act.NotForPlayers):
        do(store, act.Undo(newest.id), by=HUGO)


def test_only_who_sent_a_photo_first_may_correct_it_whatever_the_name(store: Store) -> None:
    sheet = cup(store)
    for by in (EVE, Author("Hugo", "player", "other")):
        with pytest.raises(UsageError, match="there is no such sheet"):
            do(store, act.CorrectShield(sheet, (0, 1), "dot", 1), by=by)
    came_in(store, "batch.jpg", with_evidence(make_sheet(), sheet_id="CUP/1/1/2"), picture=b"x")
    details = {"session": "eve"}
    came_in(store, "again.jpg", make_sheet(), picture=b"x", source=UPLOADED, details=details)
    with pytest.raises(UsageError, match="somebody else has sent this photo before"):
        do(store, act.CorrectShield(2, (0, 0), "dot", 4), by=EVE)


def test_players_answer_and_change_sheets_and_undo_and_nothing_else() -> None:
    may = {action.__name__ for action in get_args(act.Action) if action.for_players}
    kinds = ["Shield", "Square", "Line", "Choice", "Wizard", "Castle"]
    others = {"SetVariants", "ConfirmSheet", "AssignSheet", "Undo"}
    assert may == others | {f"Correct{kind}" for kind in kinds}


def test_a_game_of_an_earlier_round_is_the_desks(store: Store) -> None:
    sheet = cup(store)
    do(store, act.EnterResult(1, 1, {"Hugo": 30, "Eve": 20}), act.PairRound())
    event = do(store, act.CorrectShield(sheet, (0, 1), "dot", 1), by=HUGO)
    assert event.sheets[sheet].brief.waits


OTHER = str(play_game(3).maps[0])


@pytest.mark.parametrize(
    ("board", "code", "asked"),
    [(BOARD, "CUP/1/1/2", "two_sheets"), (OTHER, "CUP/1/1/2", "code_conflict")]
    + [(OTHER, None, "unplaced"), (OTHER, "CUP/1//2", "two_sheets")],
)
def test_what_comes_when_its_round_is_over_changes_nothing_before_the_desk_accepts(
    store: Store, board: str, code: str | None, asked: str
) -> None:
    cup(store)
    early = with_evidence(make_sheet(BOARD.replace("d+  d ", ".   . ", 1)), sheet_id="CUP/1/1/2")
    first = sent(store, "early.jpg", early, round=1)
    before = do(store, act.ConfirmSheet(1), act.PairRound())
    late = sent(store, "late.jpg", with_evidence(make_sheet(board), sheet_id=code), round=1)
    event = event_of(store) if code else do(store, act.AssignSheet(late, "Eve"), by=EVE)
    assert (event.standings, event.games[0].played) == (before.standings, True)
    assert asked in [finding.code for finding in event.findings if late in finding.sheets]
    accepted = do(store, act.Ignore(first), *[] if code else [act.AssignSheet(late, "Eve", 1)])
    assert [s.sheet and s.sheet.key for s in accepted.games[0].seats].count(late) == 1
    assert not [finding for finding in accepted.findings if late in finding.sheets]


def test_a_player_gives_a_sheet_to_himself_or_his_opponent_and_else_the_desk_decides(
    store: Store,
) -> None:
    cup(store)
    do(store, act.AddPlayer("Ann"))
    boards = (str(play_game(seed).maps[0]) for seed in (102, 103))
    hers, other = (sent(store, f"{n}.jpg", make_sheet(b)) for n, b in enumerate(boards))
    assert do(store, act.AssignSheet(hers, "Eve"), by=EVE).assignments[hers].player == "Eve"
    for sheet, name, whose in ((hers, "Hugo", "Eve"), (other, "Ann", None)):
        event = do(store, act.AssignSheet(sheet, name), by=EVE)
        assert event.assignments[sheet].player == whose
        (asked,) = [f for f in event.findings if f.sheets == (sheet,) and "who" in f.values]
        assert (asked.code, asked.values["player"]) == ("unplaced", name)
        settled = do(store, act.AssignSheet(sheet, whose or name))
        assert not [f for f in settled.findings if "who" in f.values]
    assert do(store, act.RemovePhoto("1.jpg")).assignments[other].player == "Ann"


def test_a_photo_that_comes_after_the_desk_joined_two_and_differs_is_asked_about(
    store: Store,
) -> None:
    cup(store)
    boards = [BOARD, *(BOARD.replace("d+  d ", start, 1) for start in (".   . ", ".   d "))]
    photos = [with_evidence(make_sheet(b), sheet_id=None) for b in boards[:2]]
    numbers = [sent(store, f"{n}.jpg", photo) for n, photo in enumerate(photos)]
    assert not do(store, act.SamePaper(*numbers)).compared.differs
    sent(store, "three.jpg", with_evidence(make_sheet(boards[2]), sheet_id="CUP/1/1/2"))
    assert "two_sheets" in codes(event_of(store))


def test_another_photo_of_a_sheet_makes_it_nobody_elses(store: Store) -> None:
    paired(store)
    hugos = sent(store, "hugo.jpg", make_sheet(confidence=0.9), "hugo")
    do(store, act.AssignSheet(hugos, "Hugo"), by=HUGO)
    surer = sent(store, "eve.jpg", make_sheet(confidence=0.99))
    event = do(store, act.AssignSheet(surer, "Eve"), by=EVE)
    for whose in ("Hugo", "Eve"):
        assert {s.player: s.sheet and s.sheet.key for s in event.games[0].seats}[whose] == surer
        claims = [finding.values.get("who") for finding in event.findings]
        assert ("eve" in claims) == (whose == "Hugo")
        event = do(store, act.AssignSheet(hugos, "Eve"))
    sent(store, "code.jpg", with_evidence(make_sheet(), sheet_id="CUP/1/1/1"), "hugo")
    assert event_of(store).assignments[surer].player == "Eve"


def test_undoing_and_renaming_leave_no_two_of_one_name(store: Store) -> None:
    paired(store)
    printed = {player.name: player.printed for player in event_of(store).names.players}
    names = [("Hugo", "Ann"), ("Eve", "Hugo"), ("Ann", "Eve")]
    event = do(store, *(act.RenamePlayer(*pair) for pair in names[:2]))
    last = event.log[-1].id
    do(store, act.RenamePlayer(*names[2]))
    for action in (act.Undo(last), act.AddPlayer("e\u200dve"), act.AddPlayer("Hu\u200dgo")):
        with pytest.raises(UsageError, match="in the list already"):
            do(store, action)
    paper = sent(store, "a.jpg", with_evidence(make_sheet(), sheet_id=f"CUP/1/1/{printed['Hugo']}"))
    assert event_of(store).assignments[paper].mistaken == printed["Hugo"]


def test_at_home_everybodys_word_counts(store: Store) -> None:
    sent(store, "a.jpg", make_sheet(), "hugo")
    event = do(store, act.CorrectShield(1, (0, 0), "dot", 4), act.ConfirmSheet(1), by=HUGO)
    assert event.sheets[1].brief.confirmed
    assert total(event, 1) != make_sheet().score.total


def test_a_player_takes_back_neither_what_the_desk_approved_nor_a_round_that_is_over(
    store: Store,
) -> None:
    sheet = cup(store)
    answer = act.CorrectShield(sheet, (0, 1), "dot", 1)
    first = do(store, answer, by=HUGO).log[-1].id
    do(store, act.Approve((first,)))
    with pytest.raises(act.NotForPlayers):
        do(store, act.Undo(first), by=HUGO)
    second = do(store, act.CorrectShield(sheet, (2, 2), "dot", 1), by=HUGO).log[-1].id
    do(store, act.EnterResult(1, 1, {"Hugo": 20, "Eve": 10}), act.PairRound())
    with pytest.raises(act.NotForPlayers):
        do(store, act.Undo(second), by=HUGO)


def test_a_sheet_stays_in_the_round_in_which_it_was_assigned(store: Store) -> None:
    paired(store)
    sheet = sent(store, "eve.jpg", make_sheet())
    do(store, act.AssignSheet(sheet, "Eve"), by=EVE)
    event = do(store, act.EnterResult(1, 1, {"Hugo": 20, "Eve": 10}), act.PairRound())
    assert event.assignments[sheet].round == 1
    assert {seat.player: seat.total for seat in event.games[-1].seats} == {
        "Hugo": None,
        "Eve": None,
    }


def test_a_sheet_without_a_code_that_comes_after_the_clock_waits_for_the_desk(store: Store) -> None:
    paired(store, act.StartClock(1))
    sent(store, "b.jpg", make_sheet(OTHER))
    with store.write() as db:
        db.execute(schema.photo.update().values(added_at=schema.now() + timedelta(minutes=2)))
    came_in(store, "a.jpg", with_evidence(make_sheet(), sheet_id="CUP/1/1/1"))
    event = do(store, act.AssignSheet(1, "Eve"), by=EVE)
    assert any(finding.sheets == (1,) for finding in event.findings)
    assert do(store, act.AssignSheet(1, "Eve")).games[0].finished
