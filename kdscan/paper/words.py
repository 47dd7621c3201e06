"""The texts of sheets, in seven languages.

Texts are looked up by their English form; `words.toml` beside this file has the translations. Terms
are those of the publishers' rulebooks if there are any.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

Language = Literal["en", "pl", "fr", "uk", "ru", "de", "es"]
"""English, Polish, French, Ukrainian, Russian, German, Spanish; ISO 639-1."""

LANGUAGES: tuple[Language, ...] = get_args(Language)


def translate(text: str, language: Language = "en") -> str:
    """Translate an English text; one that `words.toml` lacks stays as it is.

    So a club's own words in its own layout are printed as the club wrote them.
    """
    if language == "en":
        return text
    return dictionary().get(text, {}).get(language, text)


@lru_cache(maxsize=1)
def dictionary() -> dict[str, dict[str, str]]:
    """English text → language → text, all of `words.toml`."""
    import tomllib

    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
