"""Lists of players as spreadsheets save them, and tables as they open them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdscan.errors import UsageError
from kdscan.files.tables import parse_table, read_table, write_table, writing_table

NAMES = ["Łukasz Żółw", "Doe, John", "O'Brien “Pat”", "علی\u200cرضا محمدی"]
COLUMNS = ("name", "player")


def _names(data: bytes) -> list[str]:
    return [row["name"] for _, row in parse_table(data, "p.csv", COLUMNS)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_what_spreadsheets_save_is_read(encoding: str, delimiter: str, newline: str) -> None:
    lines = [f"Name{delimiter}Player", *(f'"{name}"{delimiter}X{name[0]}' for name in NAMES)]
    assert _names((newline.join(lines) + newline).encode(encoding)) == NAMES


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "sep=;,,"])
def test_excels_separator_line_is_used_and_counted(line: str) -> None:
    text = f"{line}\r\nname;player\r\nDoe, John;J\r\n\r\nAda;A;extra\r\n"
    with pytest.raises(UsageError, match="row 5: there are more cells"):
        _names(text.encode("utf-8-sig"))
    assert _names(text.replace(";extra", "").encode("utf-8-sig")) == ["Doe, John", "Ada"]


def test_a_first_line_with_two_separators_is_read_by_its_columns() -> None:
    assert _names(b"name;club,town\nAda;Leeds,York\n") == ["Ada"]
    for text in (b"name,club;town\nAda;Leeds\n", b"name;club,town\nAda,Leeds;York\n"):
        with pytest.raises(UsageError, match=r"row 2: .* may be two cells"):
            _names(text)


@pytest.mark.parametrize("page", ["cp1250", "cp1252", "cp1251"])
def test_a_windows_code_page_is_refused_with_its_row(page: str) -> None:
    name = "Зоя" if page == "cp1251" else "Müller"
    with pytest.raises(UsageError, match=r"row 3.*save the list again as CSV UTF-8"):
        _names(f"name\nAda\n{name}\n".encode(page))


@pytest.mark.parametrize(
    ("inside", "program"),
    [("xl/workbook.xml", "Excel"), ("content.xml", "LibreOffice"), ("Index/a.iwa", "Numbers")],
)
def test_a_workbook_is_named_with_the_remedy(inside: str, program: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(inside, "")
    for data in (out.getvalue(), out.getvalue()[:40], b"\xd0\xcf\x11\xe0"):
        with pytest.raises(UsageError, match="save it as CSV UTF-8"):
            _names(data)
    with pytest.raises(UsageError, match=f"a file of .*{program}"):
        _names(out.getvalue())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must name the columns"),
        ("nom\nAda\n", "it says 'nom'"),
        ("name,name\nA,B\n", "two columns are called"),
        ("name\n\n\n", "no players"),
        ("name\nDoe, John\n", "row 2: there are more cells"),
        ('name\nAda\n"Bob\n', "row 3: this is not a valid line"),
        ("name\n" + "A\n" * 20_001, "too many"),
    ],
)
def test_what_is_no_list_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        _names(text.encode())


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)))
def test_what_is_written_is_read_again(names: list[str]) -> None:
    out = io.StringIO()
    write_table([{"name": name} for name in ["Ada", *names]], ["name"], out)
    unguarded = [
        name[1:] if name[1:2] in tuple("=+-@") and name[0] == "'" else name for name in names
    ]
    assert _names(out.getvalue().encode()) == ["Ada", *unguarded]


def test_a_file_has_a_byte_order_mark_and_a_pipe_none(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "out.csv"
    for target in (path, Path("-")):
        with writing_table(target) as out:
            write_table([{"name": "Ada", "fee": "=1+1"}], ["name", "fee"], out)
    assert path.read_bytes() == b"\xef\xbb\xbfname,fee\nAda,'=1+1\n"
    assert capsysbinary.readouterr().out == b"name,fee\nAda,'=1+1\n"
    assert read_table(path, COLUMNS) == [(2, {"name": "Ada", "fee": "=1+1"})]
