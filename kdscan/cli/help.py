"""Help and usage errors in the language of the terminal.

A command's docstring and its options' help are keys of the catalogues: `put` passes each of them to
a translator, and `kdscan.i18n.make` collects them for the translators.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from kdscan.cli.messages import terminal_words
from kdscan.i18n import mark
from kdscan.i18n.legible import legible

Translate = Callable[[str], str]

USAGE_ERRORS = (
    mark("Invalid value for {name}: {why}"),
    mark("{value} is not a valid float."),
    mark("{value} is not a valid int range."),
    mark("{value} is not in the range {limits}."),
    mark("{value} is not one of {known}."),
    mark("Missing option {name}."),
    mark("Missing argument {name}."),
    mark("No such command {name}. Did you mean {known}?"),
    mark("No such command {name}."),
    mark("No such option: {name} (Possible options: {known})"),
    mark("No such option: {name}"),
    mark("Option {name} requires an argument."),
    mark("Option {name} does not take a value."),
    mark("Got unexpected extra argument(s) ({known})"),
)
"""Typer's own usage errors; the first that matches is translated."""

PLACEHOLDERS = (
    mark("ADDRESS"),
    mark("BLANK"),
    mark("CELL"),
    mark("CODE"),
    mark("COAT"),
    mark("FILE"),
    mark("FOLDER"),
    mark("MARKS"),
    mark("NAME"),
    mark("PATH"),
    mark("PHOTO"),
    mark("PLACE"),
    mark("POINTS"),
    mark("SHEET"),
)
"""Placeholders for what users type; literal words, such as 2|3|4, are not translated."""

_PLACEHOLDER = re.compile("|".join(PLACEHOLDERS))


def put(command: Any, t: Translate) -> None:
    """Pass all texts of a command and of its subcommands through `t`."""
    command.help = _paragraphs(command.help, t)
    command.epilog = _paragraphs(command.epilog, t)
    command.options_metavar = t(command.options_metavar)
    if hasattr(command, "subcommand_metavar"):
        command.subcommand_metavar = t(command.subcommand_metavar)
    for param in command.params:
        if getattr(param, "help", None):
            line = " ".join(param.help.split())
            param.help = t(line)
        if param.metavar:
            param.metavar = _placed(param.metavar, t)
    for below in getattr(command, "commands", {}).values():
        put(below, t)


def _placed(name: str, t: Translate) -> str:
    return _PLACEHOLDER.sub(lambda found: t(found[0]), name)


def _paragraphs(text: str | None, t: Translate) -> str | None:
    """Pass each paragraph as one line through `t`; commands to type stay unchanged."""
    if not text:
        return text
    lines = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return "\n\n".join(line if line.startswith("$ ") else t(line) for line in lines)


class _Localized:
    """Makes a Typer command use the terminal's language."""

    def format_usage(self: Any, ctx: Any, formatter: Any) -> None:
        t = terminal_words().t
        pieces = " ".join(self.collect_usage_pieces(ctx))
        usage = t("Usage:")
        bare = pieces.replace("{", "").replace("}", "")  # Typer puts them around required ones
        formatter.write_usage(ctx.command_path, bare, prefix=f"{usage} ")

    def format_help(self: Any, ctx: Any, formatter: Any) -> None:
        from typer import rich_utils

        rich_utils.Table = _unabridged()  # type: ignore[attr-defined]
        t = terminal_words().t
        put(self, t)
        own = self.get_help_option(ctx)
        own.help = t("Show this message and exit.")
        for param in self.params:  # a type such as <str> beside a name helps nobody
            if isinstance(param, TyperArgument):
                param.type = copy(param.type)
                param.type.get_metavar = lambda param, ctx: ""  # type: ignore[method-assign]
        rich_utils.ARGUMENTS_PANEL_TITLE = t("Arguments")
        rich_utils.OPTIONS_PANEL_TITLE = t("Options")
        rich_utils.COMMANDS_PANEL_TITLE = t("Commands")
        rich_utils.DEFAULT_STRING = t("[default: {}]")
        rich_utils.REQUIRED_LONG_STRING = t("[required]")
        super().format_help(ctx, formatter)  # type: ignore[misc]


@cache
def _unabridged() -> Any:
    """Typer's table of options for narrow terminals, changed to wrap long names and words instead
    of truncating them."""
    from rich.columns import Columns
    from rich.table import Table
    from rich.text import Text

    def flowing(cell: Any) -> Any:  # columns truncate on their own
        parts: Any = cell.renderables if isinstance(cell, Columns) else None  # all of them Text
        return cell if parts is None else Text(" ").join(parts)

    class Unabridged(Table):
        def add_row(self, *cells: Any, **options: Any) -> None:
            super().add_row(*map(flowing, cells), **options)
            for column in self.columns:
                column.overflow = "fold"

    return Unabridged


class Command(_Localized, TyperCommand):
    """A command with help in the terminal's language."""


class Group(_Localized, TyperGroup):
    """A group of commands with help in the terminal's language."""


def usage_error_text(error: typer.TyperException, t: Callable[..., str]) -> str:
    """What is wrong with a command line, and where its help is; "" if help was already shown."""
    message = _rephrased(error.format_message(), t)
    context = getattr(error, "ctx", None)
    if not message or context is None:
        return message
    command = f"{context.command_path} --help"
    return message + "\n" + t("For help: {command}", command=command)


def _rephrased(message: str, t: Callable[..., str]) -> str:
    for text in USAGE_ERRORS:
        form = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(text))
        if found := re.fullmatch(form, message, re.DOTALL):
            values = found.groupdict()
            if "name" in values:
                values["name"] = _placed(values["name"], t)
            if "why" in values:
                values["why"] = _rephrased(values["why"], t)
            return t(text, **values)
    return legible(message)
