"""Names in one spelling, and safe for terminals."""

from __future__ import annotations

import pytest

from kdscan.files import escape_control, hide_password, normalize_name

PERSIAN = "علی\u200cرضا"
FAMILY = "👨\u200d👩"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Zoe\u0308  Lu\u00a0", "Zo\u00eb Lu"),
        ("\u2068Ada\u2069 \u200eLove\u200f", "Ada Love"),  # as phones copy it
        ("\ufeffAda", "Ada"),
        ("Ad\u200da", "Ada"),  # a joiner shapes no Latin letter
        (PERSIAN, PERSIAN),
        (FAMILY, FAMILY),
    ],
)
def test_a_name_has_one_spelling_without_invisible_marks(typed: str, name: str) -> None:
    assert normalize_name(typed) == name
    assert escape_control(name) == name


def test_what_steers_a_terminal_is_escaped() -> None:
    assert escape_control("a\x1b[2J\u202eb\n\udcff") == r"a\x1b[2J\u202eb\n\xff"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@db/club", "postgresql://me:***@db/club"),
        ("postgresql:///club?password=secret&x=1", "postgresql:///club?password=***&x=1"),
        ("a.sqlite", "a.sqlite"),
    ],
)
def test_passwords_are_hidden(url: str, shown: str) -> None:
    assert hide_password(url) == shown
