"""Names in one spelling, and sanitised for stores, terminals and other programs: no control or
misleading characters."""

from __future__ import annotations

import os
import re
from unicodedata import category, normalize

from kdscan.errors import UsageError

MAX_LETTERS = 200
"""Most letters of a name; three times the longest that any table shows."""

STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of invisible characters with an effect: new lines, right to left, …"""

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of the spelling in Persian, Hindi, and many emoji."""

_IDLE = f"(?<![\u0590-\U0010ffff])[{JOINERS}]|[{JOINERS}](?![\u0590-\U0010ffff])"
"""Joiners in Latin, Greek, Cyrillic and Armenian, the scripts before U+0590: they do nothing. (A
pattern that is compiled on use; it takes 4 ms.)"""


def escape_control(name: str) -> str:
    """A name with escapes for bytes that are not text and for control characters."""
    if name.isprintable():
        return name
    try:
        text = os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        text = name.encode("utf-8", "backslashreplace").decode()
    return "".join(
        c.encode("unicode_escape").decode("ascii")
        if category(c) in STEERING and c not in JOINERS
        else c
        for c in text
    )


def normalize_name(name: str) -> str:
    """A name in one spelling: accents as one letter each (Unicode's form NFC), as most keyboards
    type them, single spaces between its words, and none of the invisible marks that phones and
    spreadsheets put around what is copied; joiners stay where they shape letters."""
    letters = "".join(c for c in name if category(c) != "Cf" or c in JOINERS)
    return normalize("NFC", " ".join(re.sub(_IDLE, "", letters).split()))


def hide_password(word: str) -> str:
    """A URL, or any other word, without anything that may be a password."""
    return re.sub("(://[^:@]*:).*(?=@)|(password=)[^&]*", r"\1\2***", word)


def plain_name(name: str) -> str:
    """A name for comparison: without case, accents and joiners, with single spaces between its
    words."""
    letters = normalize("NFKD", normalize_name(name).casefold())
    return "".join(c for c in letters if category(c) not in "Mn Cf")


def by_surname(name: str) -> tuple[str, str]:
    """A key that sorts names by surname, however they are spelled: "Doe, John", "John Doe", and
    "John Doe B" or "John Doe (Leeds)", as two of one name are told apart."""
    plain = plain_name(name)
    surname, comma, _ = plain.partition(",")
    if not comma:
        words = re.sub(r"\s*\(.*\)$", "", plain).split() or [plain]
        alone = len(words) > 2 and len(words[-1].rstrip(".")) == 1
        surname = words[-2] if alone else words[-1]
    return surname.strip(), plain


def check_name(name: str) -> None:
    """Raise `UsageError` for a name that should not be stored: too long, or with invisible or
    invalid characters."""
    if len(name) > MAX_LETTERS:
        raise UsageError(
            "{name}…: a name can have at most {most} letters; shorten it",
            name=name[:40],
            most=MAX_LETTERS,
        )
    if escape_control(name) != name:
        raise UsageError(
            "{name}: a name cannot contain invisible or invalid characters; type it again",
            name=name,
        )
