"""The catalogues: nothing missing, nothing stale, the right form for each number."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from string import Formatter

import pytest

import noxfile
from kdscan.errors import KdscanError
from kdscan.i18n import (
    FOLDER,
    LANGUAGES,
    Words,
    plural_category,
    preferred_language,
    read_catalogue,
    terminal_language,
    words,
)

babel = pytest.importorskip("babel")

OTHERS = LANGUAGES[1:]
PACKAGE = FOLDER.parent


@pytest.fixture(scope="module")
def in_sources(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The texts to translate, as `nox -s messages` finds them."""
    out = tmp_path_factory.mktemp("texts") / "texts.pot"
    command = [sys.executable, "-m", "babel.messages.frontend", "-q", "extract", *noxfile.LISTED]
    subprocess.run([*command, "-o", out, "kdscan"], cwd=PACKAGE.parent, check=True)
    text = out.read_text("utf-8").replace('msgstr ""', 'msgstr "."').replace('] ""', '] "."')
    return set(read_catalogue(text))


def test_texts_are_collected_from_python_templates_and_scripts(in_sources: set[str]) -> None:
    assert "This code is not valid. Check it and try again." in in_sources
    assert "Skip to the content" in in_sources
    assert "{n} cross" in in_sources, "inside a template string"


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_missing_or_stale(language: str, in_sources: set[str]) -> None:
    translated = set(words(language).messages)
    assert in_sources - translated == set(), "not translated"
    assert translated - in_sources == set(), "nox -s messages"


@pytest.mark.parametrize("language", OTHERS)
def test_translations_have_the_values_of_the_text(language: str) -> None:
    def values(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in Formatter().parse(text) if name and name != "n")

    for text, entry in words(language).messages.items():
        for form in [entry] if isinstance(entry, str) else entry.values():
            assert values(form) == values(text), text


def test_errors_are_constants_that_the_catalogues_collect() -> None:
    """A text that is put together before it can be translated is no key of a catalogue."""

    def below(kind: type[KdscanError]) -> set[str]:
        return {kind.__name__}.union(*map(below, kind.__subclasses__()))

    errors = below(KdscanError) - {"KdscanError", "PhotoError", "Bug"}
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):  # Babel looks for nothing in it before Python 3.12
                assert not [n for n in ast.walk(node) if _first_text(n, "t", "tn", "mark")], path
            name = node.func if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and isinstance(name, ast.Name) and name.id in errors:
                assert name.id in noxfile.TEXTS.split(), path
                assert not isinstance(node.args[0], ast.JoinedStr | ast.BinOp), path


def _first_text(node: ast.AST, *names: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in names
        and isinstance(node.args[0], ast.Constant)
    )


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("n", [0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 61, 63, 101, 111, 112])
def test_plural_categories_are_those_of_cldr(language: str, n: int) -> None:
    assert plural_category(language, n) == babel.Locale(language).plural_form(n)


def test_words_are_filled_in() -> None:
    assert words("pl").t("{name} wins", name="Mapa 2") == "Wygrywa Mapa 2"
    points = [words("pl").tn("{n} point", "{n} points", n) for n in (1, 3, 5)]
    assert points == ["1 punkt", "3 punkty", "5 punktów"]
    assert words("fr").tn("{n} point", "{n} points", 0) == "0 point"
    assert words("en").tn("{n} point", "{n} points", 0) == "0 points"
    assert Words("en").t("what nobody translated") == "what nobody translated"
    assert words("xx").language == "en"


def test_po_files_are_read_with_their_escapes_and_plurals() -> None:
    po = 'msgid ""\nmsgstr "x"\n\nmsgid "a"\n"b\\n\\"c\\\\"\nmsgstr "d"\n\n'
    po += 'msgid "1"\nmsgid_plural "n"\nmsgstr[0] "i"\nmsgstr[1] "ii"\n\nmsgid "no"\nmsgstr ""\n'
    assert read_catalogue(po) == {'ab\n"c\\': "d", "1": {"one": "i", "other": "ii"}}


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("", "en"),
        ("PL-pl", "pl"),
        ("en; q=0.5, ru ; level=1; q=0.8", "ru"),
        ("it, uk;q=0.8, ru;q=0.9", "ru"),
        ("it", "en"),
        ("de-AT, en;q=0.5", "de"),
        ("pl;q=0, fr;q=0.1", "fr"),
        ("fr;q=0.9, pl;Q=1", "pl"),
        ("pl;q=nonsense,fr", "fr"),
        ("*", "en"),
    ],
)
def test_accept_language_chooses_the_best(wish: str, language: str) -> None:
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
def test_the_environment_chooses_the_terminals_language(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", environment)
    assert terminal_language() == language


LETTERS = {
    "pl": "ąćęłńśźż",
    "fr": "êàâùûîïçœ",
    "uk": "іїєґ",
    "ru": "ыэъё",
    "de": "äöß",
    "es": "ñ¿¡",
}
"""Letters that tell each language from the others."""


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_is_written_in_its_languages_letters(language: str) -> None:
    strange = {letter for other in OTHERS if other != language for letter in LETTERS[other]}
    text = str(list(words(language).messages.values())).lower()
    assert not strange & set(text)
    assert ("ж" in text) == (language in ("uk", "ru"))


def test_no_compiled_catalogue_lies_beside_the_sources() -> None:
    assert {path.suffix for path in Path(FOLDER).iterdir() if path.is_file()} == {".py", ".po"}
