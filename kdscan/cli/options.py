"""Options that several commands share, each declared once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from kdscan.errors import UsageError
from kdscan.files.names import hide_password
from kdscan.files.write import STDOUT
from kdscan.rules import GameName

NEEDS_REVIEW, SOME_FAILED, UNLAWFUL = 5, 7, 9
"""Exit codes of what is no error: with --strict something needs review; some photos could not be
read; with --strict no lawful game leads to a board that was read with certainty."""

MOST_ROUNDS, MOST_TABLES = 999, 9999
"""Larger numbers are typing mistakes."""

Store = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="SQLite file or database URL; a file in your data folder by default."
    ),
]
Event = Annotated[
    str | None, typer.Option(metavar="NAME", help="The event; can be omitted if there is only one.")
]
TemplatesStore = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The event's store; without --event, the only event in it."),
]
TemplatesEvent = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Use the templates of this event instead of your own."),
]
Photos = Annotated[
    str | None, typer.Option(metavar="PLACE", help="Folder or URL where photos are kept.")
]
Game = Annotated[GameName | None, typer.Option(help="The game of a new event; duel by default.")]
GreatDuel = Annotated[
    bool | None,
    typer.Option(
        "--great-duel/--no-great-duel", help="Kingdomino: the great duel, two players on 7 x 7."
    ),
]
MiddleKingdom = Annotated[
    bool | None,
    typer.Option(
        "--middle-kingdom/--no-middle-kingdom", help="Kingdomino: 10 points for a central castle."
    ),
]
Harmony = Annotated[
    bool | None,
    typer.Option("--harmony/--no-harmony", help="Kingdomino: 5 points for a complete kingdom."),
]
Dynasty = Annotated[
    bool, typer.Option("--dynasty", help="Kingdomino: add up three games of the same players.")
]
Demo = Annotated[
    bool, typer.Option("--demo", help="Kingdomino: the two-player demo, with its own dominoes.")
]
Seats = Annotated[
    int | None,
    typer.Option(min=2, max=4, metavar="N", help="Kingdomino: players per table, 2 to 4."),
]
Rounds = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_ROUNDS, metavar="N", help="Number of rounds in the event."),
]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, metavar="N", help="Processes that read photos; one per core by default."
    ),
]
Who = Annotated[
    str | None,
    typer.Option(
        "--author", metavar="NAME", help="Name recorded with the change; by default your user name."
    ),
]
Csv = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the event's results as CSV.")]
JsonLines = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the event's results as JSON, one object per line."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
OneGame = Annotated[GameName, typer.Option("--game", help="The game.")]
Edition = Annotated[
    Literal["english", "french", "polish"], typer.Option(help="Edition of the rulebook.")
]


def check_apart(outputs: Mapping[str, Path | None]) -> None:
    """Raise UsageError if two of these options write to one file, or to stdout (`-`)."""
    options: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        place = str(path) if path == STDOUT else os.path.realpath(path)
        other = options.setdefault(place, option)
        if other != option:
            raise UsageError(
                "{option} and {other} would both write to {path}; name another file for one of "
                "them",
                option=other,
                other=option,
                path=path,
            )


def same_event(event: str | None, store: str | None) -> str:
    """The options for an event and its store, for commands to copy."""
    url = "URL" if store and hide_password(store) != store else store
    given = (("--event", event), ("--store", url))
    return shlex.join(word for option, value in given if value for word in (option, value))


OF_ONE_GAME = {
    "duel": ("edition", "chosen_coat", "castle_used", "spellbook"),
    "kingdomino": ("players", "great_duel", "middle_kingdom", "harmony", "dynasty", "demo"),
}
"""The games, and the options of `board`, `simulate` and `score` that only one of them has."""


def check_game(context: typer.Context, game: GameName) -> None:
    """Raise UsageError for an option that a game does not have."""
    foreign = {
        name: other for other, names in OF_ONE_GAME.items() if other != game for name in names
    }
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.name in foreign and value != option.default:
            spelled = option.secondary_opts if value is False else option.opts
            raise UsageError(
                "{option} only applies to {game}: add --game {game}",
                option=spelled[0],
                game=foreign[option.name],
            )
