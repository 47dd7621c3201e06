"""The program's texts in seven languages; English is the key.

Translators edit `LANGUAGE.po`, the format of gettext, which is read here as it is: in a hundredth
of a second, and no compiled copy can be stale. `nox -s messages` brings them up to date with the
texts in the sources. A message has one translation, or one for each plural category of Unicode's
CLDR.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from kdscan.files import escape_control

NAMES = {
    "en": "English",
    "de": "Deutsch",
    "es": "español",
    "fr": "français",
    "pl": "polski",
    "uk": "українська",
    "ru": "русский",
}
"""Every language with its own name for itself."""

LANGUAGES = tuple(NAMES)
"""The first is used if none of the others is requested."""

Entry = str | Mapping[str, str]

FOLDER = Path(__file__).parent


def plural_category(language: str, n: int) -> str:
    """CLDR's plural category of a whole number: one, few, many or other."""
    n = abs(n)
    if language == "fr":
        return "one" if n < 2 else "other"
    if language in ("en", "de", "es"):
        return "one" if n == 1 else "other"
    few = 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14
    if language == "pl":
        return "one" if n == 1 else "few" if few else "many"
    return "one" if n % 10 == 1 and n % 100 != 11 else "few" if few else "many"


@dataclass(frozen=True)
class Words:
    """One language. messages: English text → its translation or plural forms."""

    language: str
    messages: Mapping[str, Entry] = field(default_factory=dict)

    def t(self, text: str, /, **values: Any) -> str:
        """The text in this language, with {names} filled in."""
        translation = self.messages.get(text, text)
        return _put(translation if isinstance(translation, str) else text, values)

    def tn(self, singular: str, plural: str, n: int, **values: Any) -> str:
        """The form for a number, with {n} and other {names} filled in."""
        forms = self.messages.get(singular)
        if isinstance(forms, Mapping):
            text = forms[plural_category(self.language, n)]
        else:
            text = singular if n == 1 else plural
        return _put(text, {"n": n, **values})


ENGLISH = Words("en")


def mark(text: str) -> str:
    """The unchanged text, marked for translation where it is shown."""
    return text


def _put(text: str, values: Mapping[str, Any]) -> str:
    """Fill in names in braces. They may come from strangers, so they are made safe for
    terminals."""
    return text.format(**{k: _harmless(v) for k, v in values.items()}) if values else text


def _harmless(value: Any) -> Any:
    return escape_control(str(value)) if isinstance(value, str | PurePath) else value


@cache
def words(language: str) -> Words:
    """The texts of a language; English for an unknown one."""
    if language not in LANGUAGES[1:]:
        return ENGLISH
    return Words(language, read_catalogue((FOLDER / f"{language}.po").read_text("utf-8")))


_FIELD = re.compile(r'^(msgid|msgstr)(?:\[\d\])? ((?:"[^\n]*"\n)+)', re.MULTILINE)
_CATEGORIES = {2: ("one", "other"), 3: ("one", "few", "many")}
"""Plural categories in the order of a catalogue's forms, by their number."""


def read_catalogue(po: str) -> dict[str, Entry]:
    """English text → translation or plural forms, from a .po file; what is not translated is left
    out."""
    entries: dict[str, list[str]] = {}
    for name, lines in _FIELD.findall(po):
        text = "".join(line[1:-1] for line in lines.splitlines())
        text = re.sub(
            r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), text
        )
        if name == "msgid":
            forms = entries.setdefault(text, [])
        else:
            forms.append(text)
    return {
        text: forms[0]
        if len(forms) == 1
        else dict(zip(_CATEGORIES[len(forms)], forms, strict=True))
        for text, forms in entries.items()
        if text and all(forms)
    }


def preferred_language(accept_language: str) -> str:
    """The best available language for a browser's `Accept-Language`."""
    wishes = []
    for place, part in enumerate(accept_language.split(",")):
        name, *parameters = (word.strip() for word in part.split(";"))
        quality = next((word[2:] for word in parameters if word.lower().startswith("q=")), "1")
        try:
            weight = float(quality)
        except ValueError:
            weight = 0.0
        wishes.append((-weight, place, name.lower().split("-")[0]))
    for weight, _, name in sorted(wishes):
        if name in LANGUAGES and weight < 0:
            return name
    return LANGUAGES[0]


def terminal_language() -> str:
    """The language of the environment, found in the order of gettext."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for wish in os.environ.get(name, "").split(":"):
            language = wish.lower().split(".")[0].split("_")[0]
            if language in LANGUAGES:
                return language
        if os.environ.get(name) and name != "LANGUAGE":
            return LANGUAGES[0]
    return LANGUAGES[0]
