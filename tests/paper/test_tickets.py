"""What is printed on each player's sheets, and the text of their codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdscan.errors import UsageError
from kdscan.paper.ids import SheetId, without_check
from kdscan.paper.style import NO_TICKET
from kdscan.paper.tickets import book_tickets_for, each_once, places_in, rounds_of, tickets_for

WORDS = st.from_regex(r"[0-9A-Z.-]{1,9}", fullmatch=True)
NUMBERS = st.none() | st.integers(0, 9999)


def unchecked(code: str) -> str:
    """A code without the check of the player's name."""
    head, _, player = code.rpartition("/")
    return f"{head}/{without_check(player)[0]}" if head else code


@given(WORDS, NUMBERS, NUMBERS, WORDS | st.just(""))
def test_ids_survive_their_text(
    event: str, round_: int | None, table: int | None, player: str
) -> None:
    sheet = SheetId(event, round_, table, player)
    assert SheetId.parse(str(sheet)) == sheet


@given(st.text())
def test_any_text_is_an_id_or_none(text: str) -> None:
    found = SheetId.parse(text)
    assert found is None or found.event


@pytest.mark.parametrize(
    "text",
    [
        *("https://example.org/1/2/3", "E/-1/2/A", "E/1/2/A\n", "/1/2/A", "E/1/2"),
        *("E/\u0663/2/A", "E/10000/2/A", "E/1/10000/A", "E/1/2/" + "A" * 33),
    ],
)
def test_what_no_sheet_bears_is_no_id(text: str) -> None:
    assert SheetId.parse(text) is None


def _csv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "players.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_ticket_for_each_player_and_round(tmp_path: Path) -> None:
    path = _csv(tmp_path, "\ufeffName;Player;Table\nZażółć Gęślą;A1;7\n\nЇжак;a2;\n")
    tickets = tickets_for(places_in(path), "Waw 26", (1, 2), "pl")
    assert [unchecked(ticket.code) for ticket in tickets] == [
        "WAW-26/1/7/A1",
        "WAW-26/2/7/A1",
        "WAW-26/1//A2",
        "WAW-26/2//A2",
    ]
    assert tickets[0].name == "Zażółć Gęślą"
    assert tickets[0].caption == "Waw 26 · runda 1 · stół 7"
    assert tickets[2].caption == "Waw 26 · runda 1"


@pytest.mark.parametrize("between", ",;\t")
def test_columns_are_separated_as_spreadsheets_do(between: str, tmp_path: Path) -> None:
    path = _csv(tmp_path, "First name,Name,table\nAnn,Lee,7\n".replace(",", between))
    assert [(one.name, unchecked(one.code)) for one in tickets_for(places_in(path), "E", ())] == [
        ("Ann Lee", "E//7/1")
    ]


def test_rows_without_a_name_are_players_of_their_own(tmp_path: Path) -> None:
    tickets = tickets_for(places_in(_csv(tmp_path, "name,table\n,1\n,9999\n")), "E", ())
    assert [unchecked(ticket.code) for ticket in tickets] == ["E//1/1", "E//9999/2"]
    assert [ticket.name for ticket in tickets] == ["", ""]  # a line to write on


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ("Spring cup", "SPRING-CUP/12/103/A7"),
        ("Весняний кубок", "X/12/103/A7"),
        ("Mistrzostwa Polski w Kingdomino Duel", "MISTRZOSTWA-POLSKI-W-KINGDOM/12/103/A7"),
        ("Mistrzostwa Polski w Królestwo-Duelu", "MISTRZOSTWA-POLSKI-W-KR-LEST/12/103/A7"),
        ("Mistrzostwa Polski Kingdoms Duel", "MISTRZOSTWA-POLSKI-KINGDOMS/12/103/A7"),
    ],
)
def test_any_event_has_codes(event: str, code: str, tmp_path: Path) -> None:
    (ticket,) = tickets_for(places_in(_csv(tmp_path, "player,table,round\nA7,103,12\n")), event, ())
    assert (unchecked(ticket.code), ticket.caption.startswith(event)) == (code, True)
    assert SheetId.parse(code) is not None


def test_who_has_a_name_that_cannot_be_printed_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text("name,player\n山田,\n山本,\nשרה 2,SL\n😀 Ann,\nBo,SL\n", "utf-8")
    found = tickets_for(places_in(path), "CUP", (1,))
    assert [one.name for one in found] == ["1", "2", "SL", "? Ann", "Bo"]
    assert found[4].code.startswith("CUP/1//5.")  # the other one has the word


def test_without_an_event_there_are_names_and_no_codes(tmp_path: Path) -> None:
    (ticket,) = tickets_for(places_in(_csv(tmp_path, "name\nAnn\n")), None, ())
    assert (ticket.name, ticket.code, ticket.caption) == ("Ann", "", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the first line must name the columns"),
        ("Ann\nBob\n", "the first line must name the columns, .* it says 'Ann'"),
        ("name,round,Name\nAnn,1,Bob\n", "two columns are called .name.; rename one"),
        ("name\n\n", "there are no players below"),
        ("name\nAnn\nDoe, John\n", "row 3: there are more cells than columns"),
        ('name\nAnn\n"Doe, John\nBob\n', "row 3: this is not a valid line of CSV"),
        ('name\n"Doe, John\nBob\n"Cleo"\n', "row 2: this is not a valid line of CSV"),
        ("name,table\nAnn,x\n", "row 2: the table must be a whole number, not 'x'"),
        ("name,table\nAnn,10000\n", "row 2: the table must be a whole number, not '10000'"),
        ("name,table\nAnn,²\n", "row 2: the table must be a whole number"),
        ("name\nAda\nBob\nÁDA\n", "row 4: ÁDA is in the list already"),
        ("name,round\nAda,1\n,1\n", "row 3: a player needs a name"),
        ("name\nAda\nB\u202eob\x07\n", "row 3: .*: a name cannot contain invisible"),
        ("player\n" + "A" * 50 + "\n", "row 2: .* too long"),
        ("name\n" + "A" * 201 + "\n", "row 2: .*: a name can have at most 200 letters"),
    ],
)
def test_lists_that_cannot_be_printed(tmp_path: Path, text: str, message: str) -> None:
    path = _csv(tmp_path, text)
    with pytest.raises(UsageError, match=message) as caught:
        tickets_for(places_in(path), "E", ())
    assert str(caught.value).startswith(str(path))


def test_a_round_that_every_row_contradicts_is_refused(tmp_path: Path) -> None:
    path = _csv(tmp_path, "round,name\n1,Ada\n1,Bob\n")
    with pytest.raises(UsageError, match="its rows are of round 1"):
        tickets_for(places_in(path), "Cup", (2,))
    assert len(tickets_for(places_in(path), "Cup", (1,))) == 2


def test_rounds() -> None:
    assert rounds_of(None) == ()
    assert rounds_of("3") == (3,)
    assert rounds_of("1-5") == (1, 2, 3, 4, 5)
    for wrong in ("0", "5-1", "x", "1-", "-2", "1-100", ""):
        with pytest.raises(UsageError):
            rounds_of(wrong)


def test_spellbooks_belong_to_tables(tmp_path: Path) -> None:
    rows = "round,table,name\n2,1,Ada\n2,2,Cleo\n2,1,Bob\n2,2,Dan\n2,3,Eve\n2,,Flo\n"
    found = book_tickets_for(places_in(_csv(tmp_path, rows)), "Cup", ())
    said = [(ticket.name, ticket.second, unchecked(ticket.code)) for ticket in found]
    first, second = ("Ada", "Bob", "CUP/2/1/"), ("Cleo", "Dan", "CUP/2/2/")
    assert said[:5] == [first, second, first, second, ("Eve", "", "CUP/2/3/")]
    assert found[5] == NO_TICKET
    assert len(each_once(found)) == 3
