"""The manual page and the shells' completions, generated from the commands.

    python -m kdscan.cli.man    write them into share/

The wheel installs them where `man` and the shells look for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from kdscan.cli.main import command_line

SHARE = Path(__file__).parent.parent.parent / "share"

SHELLS = {
    "bash": "bash-completion/completions/kdscan",
    "zsh": "zsh/site-functions/_kdscan",
    "fish": "fish/vendor_completions.d/kdscan.fish",
}

CODES = (
    ("0", "done; with --strict also: nothing needs review"),
    ("1", "a bug in kdscan"),
    ("2", "wrong usage"),
    ("3", "no photo could be read as an image"),
    ("4", "photos were read, but none holds a sheet"),
    ("5", "with --strict: something needs review"),
    ("6", "the model is missing or corrupt"),
    ("7", "done, but some photos could not be read, or in a batch hold no sheet"),
    ("8", "the store of an event cannot be used"),
    ("9", "with --strict: no lawful game leads to a board"),
    ("130", "interrupted; what was finished is kept"),
    ("141", "the program that reads the output closed the pipe"),
)
"""Exit codes and their meanings."""


def files() -> dict[Path, str]:
    """The text of every file, by path."""
    from typer._completion_shared import get_completion_script

    found = {SHARE / "man/man1/kdscan.1": manual()}
    for shell, place in SHELLS.items():
        script = get_completion_script(
            prog_name="kdscan", complete_var="_KDSCAN_COMPLETE", shell=shell
        )
        # zsh runs this file as the function; one that only registers another would complete nothing
        # at first
        own = script.replace("compdef _kdscan_completion kdscan", "_kdscan_completion")
        found[SHARE / place] = own + "\n"
    return found


def manual() -> str:
    """The manual page in the markup of man(7)."""
    group = typer.main.get_command(command_line())
    lines = [
        '.TH KDSCAN 1 "" kdscan "User Commands"',
        ".ad l",
        ".nh",
        ".SH NAME",
        r"kdscan \- scores of photographed sheets of Kingdomino Duel",
        ".SH SYNOPSIS",
        ".B kdscan",
        "[OPTIONS] COMMAND ...",
        ".SH DESCRIPTION",
        _text(group.help or ""),
        ".SH OPTIONS",
        *_params(group),
        ".SH COMMANDS",
        *_commands(group, "kdscan"),
        ".SH EXIT STATUS",
    ]
    for code, text in CODES:
        lines += [".TP", f".B {code}", _text(text)]
    lines += [".SH ENVIRONMENT", ".TP", ".B KDSCAN_STORE", "The store, unless --store is given."]
    return "\n".join(lines) + "\n"


def _commands(group: Any, path: str) -> Iterator[str]:
    for name, command in getattr(group, "commands", {}).items():
        here = f"{path} {name}"
        yield f".SS {_text(here)}"
        for paragraph in (command.help or "").split("\n\n"):
            text = " ".join(paragraph.split())
            yield ".PP"
            yield rf"\fB{_text(text)}\fR" if text.startswith("$ ") else _text(text)
        yield from _params(command)
        yield from _commands(command, here)


def _params(command: Any) -> Iterator[str]:
    for param in command.params:
        names = [*param.opts, *param.secondary_opts] if param.param_type_name == "option" else []
        shown = ", ".join(names) or (param.metavar or param.name.upper())
        value = param.metavar or "|".join(getattr(param.type, "choices", ()))
        named = getattr(param, "show_default", None)  # the word for a default that is not given
        value_if_omitted = named if isinstance(named, str) else param.default
        wanted = not isinstance(value_if_omitted, bool) and value_if_omitted not in (None, "")
        default = f" [default: {value_if_omitted}]" if wanted else ""
        yield ".TP"
        yield rf"\fB{_text(shown)}\fR {_text(value if names else '')}".rstrip()
        yield _text(" ".join((getattr(param, "help", "") or "").split()) + default)


def _text(text: str) -> str:
    """A line of text, escaped for man(7)."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain


def main() -> None:
    """Write all files."""
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
