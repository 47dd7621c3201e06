"""Tests of how records are imported."""

from __future__ import annotations

import inspect
import re

import pytest

from kdscan import records
from kdscan.rules.duel.spellbook import OpenBook
from tests.readings import make_book, make_kingdom, make_sheet


def test_every_record_has_its_home() -> None:
    promised = re.findall(r"import (\w+) as \1\b", inspect.getsource(records))
    assert sorted(promised) == sorted(records._HOME_OF)
    for name in promised:
        assert getattr(records, name) is not None


def test_maps_are_told_from_kingdoms_and_spellbooks() -> None:
    sheet = make_sheet()
    found: list[records.AnyReading] = [make_kingdom(), sheet, make_book(OpenBook().closed())]
    assert records.maps_of(found) == (sheet,)


def test_a_name_that_no_record_has() -> None:
    with pytest.raises(ImportError, match="Elephant"):
        from kdscan.records import Elephant  # type: ignore[attr-defined]  # noqa: F401
