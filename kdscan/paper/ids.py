"""Sheet ids: the text of a sheet's QR code, which identifies its event, round, table and player.

`WAW26/3/12/A7` is the sheet of player A7 at table 12 in round 3 of event WAW26. Parts that were
unknown at printing are empty: `WAW26/3//A7`. The characters are those of QR's compact alphanumeric
mode (ISO/IEC 18004).
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from kdscan.errors import UsageError
from kdscan.files import plain_name
from kdscan.i18n import mark

MOST_LETTERS = 38
"""The capacity of a QR code of 25 modules at level M; finer modules blur in phone photos."""

MOST_OF_PLAYER = MOST_LETTERS - len("X/999/9999/")
"""Letters of a player's word that fit beside any round and table."""

_WORD = "[0-9A-Z.-]+"
_TEXT = "([0-9A-Z.-]+)/([0-9]{0,4})/([0-9]{0,4})/([0-9A-Z.-]*)"


@dataclass(frozen=True)
class SheetId:
    """Event, round, table and player of a sheet; None or "" if unknown.

    round, table: 0 to 9999. Raises UsageError for words that a code cannot hold.
    """

    event: str
    round: int | None = None
    table: int | None = None
    player: str = ""

    def __post_init__(self) -> None:
        for what, word in ((mark("event"), self.event), (mark("player"), self.player or "-")):
            if not re.fullmatch(_WORD, word):
                raise UsageError(
                    "{what}: {word!r} cannot be used in a sheet's code; use the letters A to "
                    "Z, digits, points and hyphens.",
                    what=what,
                    word=word,
                )
        if len(str(self)) > MOST_LETTERS:
            raise UsageError(
                "{code!r} is too long for a sheet's code; it may have {most} letters: shorten "
                "the event's or the player's name.",
                code=str(self),
                most=MOST_LETTERS,
            )

    def __str__(self) -> str:
        numbers = ("" if n is None else str(n) for n in (self.round, self.table))
        return "/".join((self.event, *numbers, self.player))

    @classmethod
    def parse(cls, text: str) -> SheetId | None:
        """The inverse of `str`; None for any other text."""
        match = re.fullmatch(_TEXT, text)
        if match is None or len(text) > MOST_LETTERS:
            return None
        round_, table = (int(number) if number else None for number in match.group(2, 3))
        return cls(match[1], round_, table, match[4])


def code_word(text: str) -> str:
    """A name in the characters of codes: upper case, others replaced by hyphens; may be empty."""
    return re.sub(r"[^0-9A-Z.]+", "-", text.upper()).strip("-")


CHECK_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters of a code's check of the name; none is taken for another letter or a digit."""


def check_of(name: str) -> str:
    """Two letters that tell whether a code was made for this name: of 529 other names one has the
    same. Spelling, case and accents do not matter."""
    value = zlib.crc32(plain_name(name).encode())
    return "".join(CHECK_LETTERS[value // n % 23] for n in (1, 23))


def without_check(player: str) -> tuple[str, str]:
    """A code's player without the check of the name, and the check; "" if it has none."""
    word, _, check = player.rpartition(".")
    is_check = bool(word) and len(check) == 2 and set(check) <= set(CHECK_LETTERS)
    return (word, check) if is_check else (player, "")
