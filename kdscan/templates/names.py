"""Names of prints: for people, and also a file's name and `layout` in the JSON."""

from __future__ import annotations

import unicodedata

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import LayoutError
from kdscan.files.names import normalize_name
from kdscan.paper.layout import layouts

SUFFIX = ".kdprint"
"""Suffix of a print's file."""

LONGEST_NAME = 60
"""Most characters of a name, which is also a file's name and limited to 255 bytes there."""

_WINDOWS = frozenset(
    ("CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in "123456789¹²³"))
)
"""Names of devices, with any suffix. A print that bears one could not be shared."""

_PUNCTUATION = " -_.,'()&+!"


def checked_name(name: str) -> str:
    """A print's name in its canonical spelling; raises LayoutError for an invalid one."""
    name = normalize_name(name)
    if not 1 <= len(name) <= LONGEST_NAME or not name[0].isalnum() or name[-1] == ".":
        raise LayoutError(
            "a print's name has 1 to {most} characters, starts with a letter or a digit and ends "
            "without a full stop; {name!r} does not",
            most=LONGEST_NAME,
            name=name,
        )
    for letter in name:
        is_accent = unicodedata.category(letter).startswith("M")
        if not (letter.isalnum() or letter in _PUNCTUATION or is_accent):
            raise LayoutError(
                "a print's name cannot contain {letter!r}; use letters, digits, spaces, - and _",
                letter=letter,
            )
    if name.casefold() in {UNKNOWN_LAYOUT, *(built_in.casefold() for built_in in layouts())}:
        raise LayoutError("{name!r} is reserved by kdscan; choose another name", name=name)
    if name.split(".")[0].strip().upper() in _WINDOWS:
        raise LayoutError(
            "{name!r} cannot be a file's name on Windows; choose another name", name=name
        )
    return name


def same_name(one: str, other: str) -> bool:
    """Whether two names mean one print; case is ignored, as on many file systems."""
    return folded(one) == folded(other)


def folded(name: str) -> str:
    """A name in the form in which prints are looked up."""
    return normalize_name(name).casefold()
