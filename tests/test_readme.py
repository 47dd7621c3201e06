"""The README and the guides are correct: commands, files, links, the sample of output."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
from pathlib import Path

import pytest
import typer

from kdscan.cli.corrections import parse_corrections
from kdscan.cli.main import COMMANDS, app, load
from kdscan.event.results import COLUMNS
from kdscan.i18n.problems import PROBLEMS
from kdscan.imaging import formats
from kdscan.imaging.photo import load_photos
from kdscan.reader import read_photo
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.duel_map.show import to_text
from kdscan.sheets.terminal import Style

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
GUIDES = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs/guides").glob("*.md")))
ALL = README + "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


PYTHON = [
    code
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for code in re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
]


def typed_commands(text: str) -> list[list[str]]:
    """Each `kdscan ...` in a text or its blocks for a shell, split into words."""
    found = re.findall(r"`kdscan ([^`]+)`", text)
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
        found += re.findall(r"^(?:\$ |.*bin/)?kdscan (.*)", block.replace("\\\n", ""), re.MULTILINE)
    return [shlex.split(words, comments=True) for words in found]


def test_two_commands_do_all_the_setting_up() -> None:
    assert len(SHELL) == 2
    assert all(len(block.splitlines()) == 1 for block in SHELL)
    assert "kdscan score samples/" in SHELL[0]
    assert "nox" in SHELL[1]


def test_ci_runs_what_the_readme_says() -> None:
    _, install, check = SHELL[1].strip().split(" && ")
    script = (ROOT / ".ci/run").read_text("utf-8")
    assert install.removeprefix(".venv/bin/pip install") in script and check in script
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_contributing_sets_up_as_the_readme_does() -> None:
    assert SHELL[1] in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize("code", PYTHON)
def test_examples_in_python_import_what_there_is(code: str) -> None:
    example = ast.parse(code)
    example.body = [one for one in example.body if isinstance(one, ast.Import | ast.ImportFrom)]
    exec(compile(example, "example", "exec"), {})


def test_every_command_is_in_the_guides() -> None:
    assert {words[0] for words in typed_commands(README + GUIDES)} >= set(COMMANDS)


@pytest.mark.parametrize("words", typed_commands(ALL), ids=" ".join)
def test_commands_can_be_typed(words: list[str]) -> None:
    if words[0].startswith("--"):
        command, words = typer.main.get_command(app), ["kdscan", *words]
    else:
        command = load(words[0])
    for word in words[1:]:
        command = getattr(command, "commands", {}).get(word, command)
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} - {"--debug"} <= known


def test_the_sample_of_output_is_what_its_command_prints() -> None:
    (sample,) = re.findall(r"```text\n(.*?)\n```", README, re.DOTALL)
    (name,) = re.findall(r"kdscan score (samples/\S+)", SHELL[0])
    (taken,) = load_photos(ROOT / name)
    (sheet,) = read_photo(taken)
    assert isinstance(sheet, MapReading)
    assert without_percent(sample) == without_percent(to_text(sheet, Style()))


def without_percent(text: str) -> str:
    """Probabilities differ a little from one processor to another."""
    return re.sub(r"\d+%", "%", text)


def test_the_tutorial_corrects_a_shield_to_what_is_drawn() -> None:
    text = (ROOT / "docs/tutorial.md").read_text("utf-8")
    ((name, said),) = re.findall(r"kdscan score (samples/\d+)\.jpg --set (\S+)", text)
    correction = parse_corrections([said])[0].fields["duel_map"]
    assert isinstance(correction, tuple)
    field, marks = correction
    drawn = json.loads((ROOT / f"{name}.json").read_text("utf-8"))["board"]
    assert drawn[field.removeprefix("cell:")] == [marks["coat"], marks["crosses"]]


def test_the_columns_of_a_table_of_results_are_explained() -> None:
    table = (ROOT / "docs/batch.md").read_text("utf-8").partition("| column | meaning |")[2]
    named = re.findall(r"^\| ([a-z_, 0-9]+) \|", table.partition("\n\n")[0], re.MULTILINE)
    assert sorted(", ".join(named).split(", ")) == sorted(COLUMNS)


def test_every_problem_is_explained() -> None:
    assert not [code for code in PROBLEMS if f"`{code}`" not in ALL]


def test_the_limits_are_those_of_the_code() -> None:
    assert f"more than {formats.MAX_PIXELS // 1_000_000} megapixels" in GUIDES
    assert f"more than {formats.MAX_BYTES // 1_000_000} MB" in GUIDES
    assert formats.FORMATS in GUIDES


def test_the_readme_is_read_in_one_go() -> None:
    assert len(README.splitlines()) <= 90


PAGES = ["README.md", "CONTRIBUTING.md", "kdscan/README.md", "lab/training/README.md"]
PAGES += [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
MADE = ("reference/", "pictures/")
"""Made when the site is built; `nox -s docs` checks links to them."""


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for link in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
        target = link.partition("#")[0].removeprefix("../")
        if target and not link.startswith("http") and not target.startswith(MADE):
            assert (path.parent / link.partition("#")[0]).exists(), link


def test_samples_named_in_the_readme_are_there() -> None:
    for name in re.findall(r"samples/\S+", SHELL[0]):
        assert (ROOT / name).is_file(), name
