"""Files for other programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from kdscan.event.events import find_event
from kdscan.event.export import columns, rows_with_sheets
from kdscan.event.store import open_store
from kdscan.files.tables import write_table
from tests.event.entries import came_in
from tests.readings import make_sheet, with_evidence


def test_a_row_says_whose_sheet_it_is_and_where_to_look(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "cup.sqlite")) as store:
        doubtful = make_sheet(doubtful=[(0, 1), (2, 2)])
        came_in(store, "a.jpg", with_evidence(doubtful, sheet_id="CUP/1/2/A1"))
        with store.read() as db:
            (row,) = rows_with_sheets(db, find_event(db, "Cup"))
    said = columns(row)
    whose = [said[name] for name in ("code", "round", "table", "player")]
    assert whose == ["CUP/1/2/A1", 1, 2, "A1"]
    assert said["look_at"] == "B1 C3"
    assert (said["file"], said["page"], said["sheet"]) == ("a.jpg", 1, 1)


def test_no_name_is_a_formula_in_a_spreadsheet_and_numbers_stay_numbers() -> None:
    names = ["=1+1", "+1", "-1", "@now()", "\t=1", "Ada = Bob"]
    out = io.StringIO()
    write_table(
        ({"name": name, "spread": -5, "review": True} for name in names),
        ["name", "spread", "review"],
        out,
    )
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["name"] for row in rows] == [*(f"'{name}" for name in names[:5]), "Ada = Bob"]
    assert {(row["spread"], row["review"]) for row in rows} == {("-5", "true")}
