"""The manual page and the completions say what the commands are."""

from __future__ import annotations

import re

from kdscan.cli.main import COMMANDS
from kdscan.cli.man import files, manual


def test_what_lies_in_the_repository_is_not_stale() -> None:
    stale = [path.name for path, text in files().items() if path.read_text("utf-8") != text]
    assert not stale, "python -m kdscan.cli.man"


def test_the_manual_knows_every_command() -> None:
    named = set(re.findall(r"^\.SS kdscan (\w+)", manual(), re.MULTILINE))
    assert named >= set(COMMANDS)
    assert "\n." not in manual().replace("\n.SS", "").replace("\n.PP", "").replace(
        "\n.TP", ""
    ).replace("\n.SH", "").replace("\n.B ", ""), "no text is taken for a command"
