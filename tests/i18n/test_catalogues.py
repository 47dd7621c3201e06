"""The catalogues: nothing missing, nothing stale, the right form for each number."""

from __future__ import annotations

import ast
import json
from itertools import combinations
from string import Formatter

import pytest

from kdscan.i18n import (
    FOLDER,
    LANGUAGES,
    Words,
    plural_category,
    preferred_language,
    terminal_language,
    words,
)

babel = pytest.importorskip("babel")

OTHERS = LANGUAGES[1:]


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_missing_and_nothing_stale(language: str) -> None:
    from kdscan.i18n.make import as_json, catalogue, compiled, missing, text_of

    catalog = catalogue(language)
    assert missing(catalog) == []
    assert (FOLDER / f"{language}.po").read_text("utf-8") == text_of(catalog)
    assert (FOLDER / f"{language}.json").read_text("utf-8") == as_json(compiled(catalog))


def test_texts_are_found_in_python_templates_and_scripts() -> None:
    from kdscan.i18n.make import collected

    found = {m.id[0] if isinstance(m.id, tuple) else m.id for m in collected() if m.id}
    assert "This code is not valid. Check it and try again." in found
    assert "Skip to the content" in found
    assert "{n} cross" in found, "inside a template string"


def test_no_text_stands_inside_an_f_string() -> None:
    """Where, before Python 3.12, nothing is looked for, so that it would never be translated."""
    package = FOLDER.parent
    inside = [
        f"{path.relative_to(package)}:{call.lineno}"
        for path in package.rglob("*.py")
        for string in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", getattr(call.func, "id", "")) in ("t", "tn", "mark")
        and isinstance(call.args[0], ast.Constant)
    ]
    assert inside == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("n", [0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 61, 63, 101, 111, 112])
def test_plural_categories_are_those_of_cldr(language: str, n: int) -> None:
    from babel import Locale

    category = Locale(language).plural_form(n)
    assert plural_category(language, n) == category


@pytest.mark.parametrize("language", OTHERS)
def test_every_form_has_the_same_names(language: str) -> None:
    for text, entry in words(language).messages.items():
        forms = [entry] if isinstance(entry, str) else list(entry.values())
        names = [{n for _, n, _, _ in Formatter().parse(one) if n} for one in forms]
        assert all(one == names[0] for one in names), text


def test_words_are_filled_in() -> None:
    assert words("pl").t("{name} wins", name="Mapa 2") == "Wygrywa Mapa 2"
    assert [words("pl").tn("{n} point", "{n} points", n) for n in (1, 3, 5)] == [
        "1 punkt",
        "3 punkty",
        "5 punktów",
    ]
    assert words("fr").tn("{n} point", "{n} points", 0) == "0 point"
    assert words("en").tn("{n} point", "{n} points", 0) == "0 points"
    assert Words("en").t("what nobody translated") == "what nobody translated"
    assert words("xx").language == "en"


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("", "en"),
        ("pl", "pl"),
        ("PL-pl", "pl"),
        ("pl; q=0.9", "pl"),
        ("en; q=0.5, ru ; level=1; q=0.8", "ru"),
        ("it, uk;q=0.8, ru;q=0.9", "ru"),
        ("it", "en"),
        ("de-AT, en;q=0.5", "de"),
        ("es-MX", "es"),
        ("pl;q=0, fr;q=0.1", "fr"),
        ("pl;q=0, *", "en"),
        ("fr;q=0.9, pl;Q=1", "pl"),
        ("pl;q=nonsense,fr", "fr"),
        ("*", "en"),
    ],
)
def test_browsers_get_what_they_ask_for(wish: str, language: str) -> None:
    assert preferred_language(wish) == language


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "pl_PL.UTF-8"}, "pl"),
        ({"LANG": "pl_PL.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "C", "LANGUAGE": "it:uk"}, "uk"),
        ({"LC_MESSAGES": "fr_FR", "LANG": "ru_RU"}, "fr"),
    ],
)
def test_terminals_are_spoken_to_in_their_language(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", environment)
    assert terminal_language() == language


def test_compiled_catalogues_are_plain() -> None:
    for language in OTHERS:
        entries = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
        assert entries and all(isinstance(v, str | dict) for v in entries.values())


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_every_language_stands_in_its_own_catalogue(language: str) -> None:
    """A translation that came into the wrong file is found by its letters."""
    names = {"Kingdomino", "{side}, {coat}", "{where}: {error}", "{error}; {what}"}
    for text, entry in words(language).messages.items():
        said = entry if isinstance(entry, str) else " ".join(entry.values())
        assert text in names or any("а" <= letter <= "ї" for letter in said.lower()), text


LETTERS = {
    "pl": "ąćęłńśźż",
    "fr": "èêàâùûîïçœ",
    "uk": "іїєґ",
    "ru": "ыэъё",
    "de": "äöß",
    "es": "ñ¿¡áí",
}
"""What tells each language from the others."""

ALIKE = {
    "Read as {marks}",
    "Sonneborn-Berger",
    "The print of {name}",
    "board {number}: {error}",
    "domain of {points} points",
    "median {points}",
    "round {round}",
    "total {points}",
    "{error}; {what}",
    "{side}, {coat}",
    "{what} (skipped)",
    "{where}: {error}",
}
"""Longer texts that two languages do have in common."""


def forms(language: str) -> dict[str, list[str]]:
    return {
        text: [entry] if isinstance(entry, str) else list(entry.values())
        for text, entry in words(language).messages.items()
    }


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_is_written_in_its_own_letters(language: str) -> None:
    strange = {letter for other in OTHERS if other != language for letter in LETTERS[other]}
    for text, said in forms(language).items():
        assert not strange & set("".join(said).lower()), text


def test_no_catalogue_holds_anothers_sentences() -> None:
    for one, other in combinations(OTHERS, 2):
        mine, its = forms(one), forms(other)
        same = {text for text in mine if len(text) > 12 and set(mine[text]) & set(its[text])}
        assert same <= ALIKE, (one, other)
