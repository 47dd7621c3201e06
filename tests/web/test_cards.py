"""The open questions at the desk."""

from __future__ import annotations

from typing import Any

import pytest

from kdscan.web.cards import still_asked

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
