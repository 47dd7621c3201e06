"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Command


@pytest.mark.parametrize(
    "words",
    [
        "batch {samples} --event cup --csv - --json-lines -",
        "batch {samples} --event cup --csv {folder}/a --json-lines {folder}/../{name}/a",
        "export --csv - --json-lines -",
        "export --json-lines - --archive -",
        "standings --csv - --json",
        "layout show club -o - --json",
        "layout learn blank.jpg -o {folder}/club.toml --overlay {folder}/club.toml",
    ],
)
def test_two_outputs_never_go_to_one_place(words: str, tmp_path: Path, run: Command) -> None:
    samples = Path(__file__).parents[2] / "samples"
    given = words.format(samples=samples, folder=tmp_path, name=tmp_path.name).split()
    said = run(*given, "--store", tmp_path / "s.sqlite", code=2)
    assert said.out == "" and "would both write to" in said.err
    assert list(tmp_path.iterdir()) == []
