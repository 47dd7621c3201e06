"""The letters that sheets can show: those of the font that `kdscan.paper.fonts` embeds."""

import unicodedata

from kdscan.i18n import mark

_RANGES = (
    (0x20, 0x7E),  # ASCII
    (0xA0, 0x17F),  # Latin-1 and Latin Extended-A: French, Polish and most of Europe
    (0x218, 0x21B),  # Romanian
    *((c, c) for c in (0x401, 0x404, 0x406, 0x407, 0x40E)),
    (0x410, 0x44F),  # Cyrillic of Russian
    *((c, c) for c in (0x451, 0x454, 0x456, 0x457, 0x45E)),  # and of Ukrainian, Belarusian
    (0x490, 0x491),
    (0x2010, 0x2014),  # dashes
    (0x2018, 0x201A),
    (0x201C, 0x201E),  # quotation marks
    *((c, c) for c in (0x2022, 0x2026, 0x2032, 0x2033, 0x20AC, 0x2116, 0x2212)),
    (0x2190, 0x2193),  # arrows
)

LETTERS = frozenset(chr(c) for first, last in _RANGES for c in range(first, last + 1))
"""Every character that can be printed: the subset of Vollkorn that `kdscan.paper.fonts` embeds."""


def unprintable(text: str) -> str:
    """The characters of a text, in either case, that the font lacks; each once."""
    return "".join(dict.fromkeys(c for c in text + text.upper() if c not in LETTERS))


def printable(text: str) -> str:
    """The text without accents that the font lacks, and with a question mark for each letter that
    it lacks.

    For people's names: a sheet with a gap is better than none.
    """
    return "".join(map(_printable, unicodedata.normalize("NFC", text)))


NOT_PRINTED = mark(
    "the sheets' font lacks letters of these names; sheets show ? for them, or a number: {names}"
)


def _printable(letter: str) -> str:
    if letter in LETTERS:
        return letter
    if letter.isspace():  # a line break in a spreadsheet's cell
        return " "
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # accents, direction marks
        return ""
    plain = unicodedata.normalize("NFKD", letter)
    return "".join(c for c in plain if c in LETTERS) or "?"
