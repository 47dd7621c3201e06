"""Learned prints in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from kdscan.errors import KdscanError, LayoutError, UsageError
from kdscan.templates.file import renamed, to_filed
from kdscan.templates.library import Library, own_library
from kdscan.templates.names import checked_name
from tests.templates.made import made_print


def names(library: Library) -> list[str]:
    return [one.name for one in library.load()]


def test_it_is_in_the_user_s_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert own_library().load() == ()
    assert not list(tmp_path.iterdir())  # looking makes nothing
    own_library().save(made_print("Żubr"))
    assert names(own_library()) == ["Żubr"]
    assert tmp_path in own_library().folder.parents


def test_saved_prints_are_sorted_found_and_forgotten(tmp_path: Path) -> None:
    library = Library(tmp_path / "prints")
    for name in ("moor", "Atlas", "dune"):
        library.save(made_print(name))
    assert names(library) == ["Atlas", "dune", "moor"]
    assert library.get(" ATLAS ").name == "Atlas"
    library.forget("atlas")
    assert names(library) == ["dune", "moor"]
    with pytest.raises(LayoutError, match=r"'atlas'; known: dune, moor"):
        library.forget("atlas")


def test_a_print_of_the_same_name_is_replaced(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.save(made_print("Club", 1))
    library.save(made_print("club", 2))
    (one,) = library.load()
    assert one.name == "club" and one.data == to_filed(made_print("club", 2)).data
    assert len(list(tmp_path.iterdir())) == 1


def test_damaged_files_are_told_and_skipped(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.save(made_print("good"))
    (tmp_path / "bad.kdprint").write_bytes(b"PK\x03\x04 damaged")
    (tmp_path / "notes.txt").write_text("not a print")
    told: list[str] = []
    assert [one.name for one in library.load(lambda e: told.append(str(e)))] == ["good"]
    assert len(told) == 1 and "bad.kdprint" in told[0]
    library.forget("bad")  # by the file's name, as it has no other
    library.load(lambda e: pytest.fail(str(e)))


def test_a_file_under_another_name_goes_by_the_print_s(tmp_path: Path) -> None:
    (tmp_path / "friend (1).kdprint").write_bytes(to_filed(made_print("pad")).data)
    library = Library(tmp_path)
    assert names(library) == ["pad"]
    library.save(renamed(to_filed(made_print("x", 2)), "pad"))
    assert [p.name for p in tmp_path.iterdir()] == ["pad.kdprint"]


def test_where_nothing_can_be_written_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "prints").write_text("in the way")
    library = Library(tmp_path / "prints")
    assert library.load() == ()
    with pytest.raises(UsageError, match=r"prints: this folder cannot be written"):
        library.save(made_print())


@pytest.mark.parametrize(
    "name",
    ["", " ", ".hidden", "a/b", "a\\b", "a:b", "a\nb\0", "x" * 61, "end.", "-o", "unknown",
     "KDSCAN-A5", "CON", "aux.2", "Com¹", "a\x1b[31m", "a\u202eb", "<b>", 'a"b'],
)  # fmt: skip
def test_names_that_no_print_may_have(name: str) -> None:
    with pytest.raises(LayoutError, match="name"):
        checked_name(name)


def test_names_of_all_languages() -> None:
    for name in ("Żubr 2", "Клуб", "Con Brio", "COM10", "d'Or", "国", "Cafe\u0301", "नाव"):
        assert checked_name(f"  {name}  ")
    assert checked_name("Cafe\u0301") == "Café"


def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    folder, said = tmp_path / "prints", list[KdscanError]()
    folder.touch()
    assert Library(folder).load(said.append) == ()
    assert "this folder cannot be read" in str(said[0]) and len(said) == 1
    with pytest.raises(UsageError, match="this folder cannot be read"):
        Library(folder).forget("club")
