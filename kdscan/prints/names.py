"""What a print may be called: a name for people that is also a file's name and `layout` in JSON."""

from __future__ import annotations

import unicodedata

from kdscan.detection.layout import UNKNOWN
from kdscan.errors import LayoutError
from kdscan.sheet.layout import layouts

SUFFIX = ".kdprint"
"""What the name of a print's file ends with."""

LONGEST_NAME = 60
"""Characters of a name at most: it is a file's name too, which may have 255 bytes."""

_PUNCTUATION = " -_.,'()&+!"


def checked_name(name: str) -> str:
    """A print's name in its one spelling; raises LayoutError for one that no print may have."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
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
                "a print's name cannot hold {letter!r}; take letters, digits, spaces, - and _",
                letter=letter,
            )
    if name.casefold() in {UNKNOWN, *(built_in.casefold() for built_in in layouts())}:
        raise LayoutError("{name!r} is a name that kdscan uses itself; take another", name=name)
    return name


def same_name(one: str, other: str) -> bool:
    """Whether two names mean one print: upper and lower case are alike, as for many disks."""
    return folded(one) == folded(other)


def folded(name: str) -> str:
    """A name by which prints are looked up."""
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()
