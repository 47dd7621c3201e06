"""The order of the sheets of one photo."""

from __future__ import annotations

from kdscan.reader import in_reading_order
from tests.readings import make_sheet


def test_sheets_are_numbered_row_by_row_whichever_is_larger() -> None:
    at = {"AB": (700, 60), "AA": (100, 120), "BA": (90, 620), "AC": (1300, 90), "BB": (720, 560)}
    sheets = {
        name: make_sheet(origin_xy=xy, pitch=85 if name == "AB" else 80) for name, xy in at.items()
    }
    assert in_reading_order(sheets.values()) == tuple(sheets[name] for name in sorted(sheets))
