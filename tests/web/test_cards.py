"""The open questions at the desk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kdscan.errors import ImageTooLarge
from kdscan.event.store import open_store
from kdscan.event.store.events import ensure_event
from kdscan.event.store.photos import add_file
from kdscan.i18n.errors import error_json
from kdscan.web.cards import still_asked
from tests.web.test_desk import CUP, at_desk

BROKEN = {"code": "bonus_crosses", "cells": [[2, 1], [3, 1]]}


@pytest.mark.parametrize(
    ("problem", "overrides", "asked"),
    [
        (BROKEN, {}, True),
        (BROKEN, {"cell:2,1": None}, True),
        (BROKEN, {"cell:2,1": None, "cell:3,1": None, "place": None}, False),
        (BROKEN | {"cells": []}, {"cell:2,1": None}, True),
        (BROKEN | {"code": "unsure_place"}, {}, False),
    ],
)
def test_a_broken_rule_is_no_question_where_a_person_has_looked(
    problem: dict[str, Any], overrides: dict[str, Any], asked: bool
) -> None:
    assert still_asked(problem, overrides) == asked


def test_why_a_photo_could_not_be_read_is_told_in_full_and_in_any_language(tmp_path: Path) -> None:
    text = (
        "the file has {pages} pages, but this page takes at most {most}; split it, or "
        "read it with kdscan batch"
    )
    error = error_json(ImageTooLarge(text, pages=25, most=20))
    with open_store(str(tmp_path / "cup.sqlite")) as cup:
        with cup.write() as db:
            add_file(db, ensure_event(db, CUP).id, "scan.pdf", None, error=error)
        with at_desk(cup) as desk:
            desk.client.cookies["language"] = "de"
            (card,) = desk.see()["cards"]
    assert card["problem"]["message"].startswith("die Datei hat 25 Seiten")
