"""The manual page and the completions agree with the commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kdscan.cli.main import COMMANDS
from kdscan.cli.man import SHARE, files, manual


def test_what_lies_in_the_repository_is_not_stale() -> None:
    stale = [path.name for path, text in files().items() if path.read_text("utf-8") != text]
    assert not stale, "python -m kdscan.cli.man"


def test_the_manual_knows_every_command() -> None:
    named = set(re.findall(r"^\.SS kdscan (\w+)", manual(), re.MULTILINE))
    assert named >= set(COMMANDS)
    commands = set(re.findall(r"^\.(\w*)", manual(), re.MULTILINE))
    assert commands == {"TH", "ad", "nh", "SH", "SS", "PP", "TP", "B"}, "no text is taken for one"


def test_the_manual_says_what_an_option_takes() -> None:
    said = re.sub(r"\\(f[BR])?", "", manual())
    for words in (
        "--paper a4|letter|a5",
        "[default: 8000]",
        "[default: 0]",
        "--version",
        "PHOTO...",
    ):
        assert words in said


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_at_the_first_key(tmp_path: Path) -> None:
    """What the file of completions does when zsh runs it as a function."""
    (tmp_path / "kdscan").write_text("#!/bin/sh\necho completed=${_TYPER_COMPLETE_ARGS#kdscan }\n")
    (tmp_path / "kdscan").chmod(0o755)
    line = f"fpath=({SHARE}/zsh/site-functions); path=({tmp_path} $path); autoload -Uz _kdscan; "
    line += "words=(kdscan sc); CURRENT=2; _kdscan; print $completed"
    told = subprocess.run(["zsh", "-fc", line], capture_output=True, text=True)
    assert told.stdout == "sc\n", told.stderr
