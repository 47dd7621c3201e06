"""Help and usage errors, in the languages of the terminal."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import typer

import kdscan
from kdscan.cli import main as main_module
from kdscan.cli.help import USAGE_ERRORS, put
from kdscan.cli.main import command_line
from kdscan.errors import KdscanError, LayoutError, UsageError
from kdscan.i18n import LANGUAGES, words
from tests.command import Command

OTHERS = LANGUAGES[1:]

WRONG = (
    ["nonsense"],
    ["scor"],
    ["score"],
    ["score", "--nonsense", "a.jpg"],
    ["score", "--overlai", "x", "a.jpg"],
    ["score", "--risk", "little", "a.jpg"],
    ["score", "--risk"],
    ["score", "--json=3", "a.jpg"],
    ["sheet"],
    ["sheet", "-o", "a.pdf", "--side", "x"],
    ["sheet", "-o", "a.pdf", "--count", "0"],
    ["sheet", "-o", "a.pdf", "--count", "2.5"],
    ["serve", "--port", "70000"],
    ["standings", "--event", "cup", "more"],
)
"""Words that Typer itself refuses, one for each of its complaints."""


def declared() -> list[str]:
    """All that the commands say of themselves."""
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    put(typer.main.get_command(command_line()), keep)
    return texts


def names_of(group: object, *above: str) -> list[list[str]]:
    """All commands of a group, those of the groups in it too."""
    names = []
    for name, command in getattr(group, "commands", {}).items():
        names += [[*above, name], *names_of(command, *above, name)]
    return names


def help_of(arguments: list[str], run: Command) -> str:
    return " ".join(run(*arguments, "--help").out.replace("│", " ").split())


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 2000)


@pytest.mark.parametrize("language", ["en", "uk"])
def test_every_command_speaks_the_language_of_the_terminal(
    language: str, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setenv("LANGUAGE", language)
    t = words(language).t
    group = typer.main.get_command(command_line())
    said = " ".join(help_of(one, run) for one in [[], *names_of(group)])
    texts = declared()
    assert len(texts) > 100
    for text in texts:
        assert " ".join(t(text).split()) in said
    for word in ("Usage:", "Options", "Commands", "Arguments", "[required]"):
        assert t(word) in said
    if language != "en":
        assert "Usage:" not in said
        assert "Show this message" not in said


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_is_told_in_the_language_of_the_terminal(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    def told(language: str) -> list[str]:
        monkeypatch.setenv("LANGUAGE", language)
        return run(*arguments, code=2).err.splitlines()

    english = told("en")
    for language in OTHERS:
        for one, other in zip(told(language), english, strict=True):
            assert one != other, language


def test_what_stands_for_a_file_is_named_in_the_language(
    monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setenv("LANGUAGE", "pl")
    assert "'ZDJĘCIE...'" in run("score", code=2).err
    said = help_of(["score"], run)
    assert "[OPCJE] ZDJĘCIE... " in said and "POLE=ZNAKI" in said and "duel|kingdomino" in said
    assert "<bool>" not in said and "<list" not in said


def test_every_complaint_is_one_that_typer_makes(
    monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    """A text that a newer Typer words in another way would stay English, and be seen here."""
    monkeypatch.setenv("LANGUAGE", "en")
    said = "".join(run(*arguments, code=2).err for arguments in WRONG)
    assert "\nFor help: kdscan --help\n" in said and "\nFor help: kdscan score --help\n" in said
    for text in USAGE_ERRORS:
        start = text.partition("{")[0] if not text.startswith("{") else text.partition("}")[2]
        assert start.partition("{")[0] in said


@pytest.mark.parametrize("language", OTHERS)
def test_an_error_within_an_error_is_translated_too(
    language: str, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    inner = LayoutError(
        "`{where}` must be {what}, not {value!r}.", where="x", what="a number", value="y"
    )
    outer = UsageError("{where}: {error}", where="club.toml", error=inner)
    t = words(language).t

    def fail(*_: object, **__: object) -> None:
        raise outer

    monkeypatch.setenv("LANGUAGE", language)
    monkeypatch.setattr(main_module, "command_line", fail)
    said = run("score", code=2).err
    assert t(inner.text, where="x", what=t("a number"), value="y") in said
    assert "number" not in said


def test_what_a_bug_says_asks_for_a_report_in_the_language(
    monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setenv("LANGUAGE", "pl")
    monkeypatch.setattr(main_module, "command_line", fail)
    assert "błąd w kdscan: ZeroDivisionError" in run("score", code=1).err


def _errors(kind: type[KdscanError]) -> set[str]:
    below = {name for one in kind.__subclasses__() for name in _errors(one)}
    return {kind.__name__} | below


def test_no_error_is_put_together_before_it_can_be_translated() -> None:
    """Texts of errors are constants with {names}; what is formatted already has no key."""
    make = pytest.importorskip("kdscan.i18n.make")
    from kdscan.event import names as of_players  # noqa: F401
    from kdscan.rules.duel import board, book_text  # noqa: F401  # its errors count too
    from kdscan.rules.kingdomino import tiles, variants  # noqa: F401

    names = _errors(KdscanError) - {"KdscanError", "PhotoError", "Bug"}
    assert names == set(make.ERRORS), "the catalogues are made from these"
    package = Path(kdscan.__file__).parent
    wrong, right = [], 0
    for path in package.rglob("*.py"):
        if {"training", "synth"} & set(path.relative_to(package).parts):
            continue  # for who makes models, in English
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id not in names:
                    continue
                right += 1
                if isinstance(node.args[0], ast.JoinedStr | ast.BinOp):
                    wrong.append(f"{path.name}:{node.lineno}")
    assert right > 90
    assert wrong == []


def test_no_option_is_cut_off(monkeypatch: pytest.MonkeyPatch, run: Command) -> None:
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 60)
    group = typer.main.get_command(command_line())
    for one in names_of(group):
        lines = run(*one, "--help").out.splitlines()
        assert not [line for line in lines if re.search(r"[\w-]…", line)], one


def test_every_command_has_an_example_and_several_are_announced_as_such(run: Command) -> None:
    for one in names_of(typer.main.get_command(command_line())):
        said = run(*one, "--help").out
        assert f"$ kdscan {' '.join(one)}" in said
        assert ("Examples:" in said) == (said.count("$ kdscan") > 1), one
