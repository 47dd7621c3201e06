"""Tests of how records are imported."""

from __future__ import annotations

import pytest

from kdscan import records


def test_every_record_has_its_home() -> None:
    for name in records.__all__:
        assert getattr(records, name) is not None


def test_a_name_that_no_record_has() -> None:
    with pytest.raises(ImportError, match="Elephant"):
        from kdscan.records import Elephant  # type: ignore[attr-defined]  # noqa: F401
