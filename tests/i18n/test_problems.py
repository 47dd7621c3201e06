"""Problems are told in the reader's language, whatever their code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import kdscan
from kdscan.i18n import LANGUAGES, words
from kdscan.i18n.problems import PROBLEMS, problem_text
from kdscan.rules import Problem


def codes() -> Iterator[str]:
    """The codes of all problems that the package makes."""
    for path in Path(kdscan.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = node.args[0] if node.args else None
                if node.func.id in ("Problem", "_problem") and isinstance(first, ast.Constant):
                    yield str(first.value)


def test_every_code_has_words() -> None:
    found = set(codes())
    assert len(found) >= 25
    assert found <= set(PROBLEMS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_english_keeps_its_numbers_and_the_others_their_words(language: str) -> None:
    problem = Problem("odd_squares", "error", "23 squares cannot be dominoes of two")
    said = problem_text(problem, words(language))
    assert (said == problem.message) == (language == "en")
    unknown = Problem("from_tomorrow", "error", "something new")
    assert problem_text(unknown, words(language)) == "something new"
