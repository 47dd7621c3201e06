"""The README and the guides are correct: commands, links, the sample of output, tables of names."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
from pathlib import Path

import pytest
import typer

from kdscan.cli.corrections import meaning_of, parse_corrections
from kdscan.cli.main import COMMANDS, RENAMED, app, load
from kdscan.event.export import COLUMNS
from kdscan.i18n.problems import PROBLEMS
from kdscan.imaging import formats
from tests.command import Command

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "kdscan/README.md"]
PAGES += [ROOT / "lab/training/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text("utf-8") for page in PAGES}
README, ALL = TEXTS["README.md"], "\n".join(TEXTS.values())
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def typed_commands(text: str) -> list[list[str]]:
    """Each `kdscan ...` in a text or its blocks for a shell, split into words."""
    lines = re.findall(r"`kdscan ([^`]+)`", text)
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
        lines += re.findall(r"^(?:\$ |.*bin/)?kdscan (.*)", block.replace("\\\n", ""), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def test_two_commands_do_all_the_setting_up() -> None:
    score, check = SHELL
    assert "kdscan score samples/" in score and "nox" in check
    script = (ROOT / ".ci/run").read_text("utf-8")
    _, install, session = check.strip().split(" && ")
    assert install.removeprefix(".venv/bin/pip install") in script and session in script
    assert check in TEXTS["CONTRIBUTING.md"] and os.access(ROOT / ".ci/run", os.X_OK)


def test_examples_in_python_import_what_there_is() -> None:
    for code in re.findall(r"```python\n(.*?)```", ALL, re.DOTALL):
        example = ast.parse(code)
        example.body = [n for n in example.body if isinstance(n, ast.Import | ast.ImportFrom)]
        exec(compile(example, "example", "exec"), {})


def test_commands_can_be_typed_and_none_is_left_out() -> None:
    typed = typed_commands(ALL)
    for words in typed:
        if words[0].startswith("--"):
            command, words = typer.main.get_command(app), ["kdscan", *words]
        else:
            command = load(words[0])
        for word in words[1:]:
            command = getattr(command, "commands", {}).get(word, command)
        options = {name for each in command.params for name in each.opts + each.secondary_opts}
        given = {word for word in words if word.startswith("-")} - {"-", "--debug", "--quiet"}
        assert given <= options, words
        assert given.isdisjoint(RENAMED), words
    assert {words[0] for words in typed} >= set(COMMANDS)


def test_the_sample_of_output_is_what_its_command_prints(run: Command) -> None:
    """`nox -s sample` prints it again. Processors differ in the last digits of probabilities."""
    (sample,) = re.findall(r"```text\n(.*?)\n```", README, re.DOTALL)
    (name,) = re.findall(r"kdscan score (samples/\S+)", SHELL[0])
    printed = run("score", ROOT / name).out.partition("\n\n")[2].rstrip()
    percent = re.compile(r"(\d+)%")
    assert percent.sub("%", sample) == percent.sub("%", printed)
    expected, actual = ([*map(int, percent.findall(text))] for text in (sample, printed))
    assert actual == pytest.approx(expected, abs=2)


def test_the_tutorial_corrects_a_shield_to_what_is_drawn() -> None:
    ((name, text),) = re.findall(
        r"kdscan score (samples/\d+)\.jpg --set (\S+)", TEXTS["docs/tutorial.md"]
    )
    field = meaning_of(parse_corrections([text])[0], "duel_map")
    drawn = json.loads((ROOT / f"{name}.json").read_text("utf-8"))["board"]
    assert drawn[field[0].removeprefix("cell:")] == [field[1]["coat"], field[1]["crosses"]]


def test_columns_problems_and_limits_are_explained() -> None:
    table = TEXTS["docs/batch.md"].partition("| column | meaning |")[2].partition("\n\n")[0]
    columns = re.findall(r"^\| ([a-z_, 0-9]+) \|", table, re.MULTILINE)
    assert sorted(", ".join(columns).split(", ")) == sorted(COLUMNS)
    assert not [code for code in PROBLEMS if f"`{code}`" not in ALL]
    assert f"more than {formats.MAX_PIXELS // 1_000_000} megapixels" in ALL
    assert f"more than {formats.MAX_BYTES // 1_000_000} MB" in ALL and formats.FORMATS in ALL


@pytest.mark.parametrize("page", sorted(TEXTS))
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXTS[page]):
        target = link.partition("#")[0]
        # References and pictures are made with the site.
        elsewhere = target.removeprefix("../").startswith(("http", "reference/", "pictures/"))
        if target and not elsewhere:
            assert ((ROOT / page).parent / target).exists(), link
