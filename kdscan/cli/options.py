"""Options that several commands share, each declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from kdscan.errors import UsageError

Store = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="SQLite file or database URL; a file in your data folder if left out."
    ),
]
Event = Annotated[str, typer.Option(metavar="NAME", help="Which event.")]
Photos = Annotated[
    str | None, typer.Option(metavar="PLACE", help="Folder or URL where photos are kept.")
]
Game = Annotated[
    str | None,
    typer.Option(metavar="duel|kingdomino", help="What a new event plays; duel if left out."),
]
GreatDuel = Annotated[
    bool | None,
    typer.Option("--great-duel/--no-great-duel", help="Kingdomino: the great duel, two on 7 x 7."),
]
MiddleKingdom = Annotated[
    bool | None,
    typer.Option(
        "--middle-kingdom/--no-middle-kingdom", help="Kingdomino: 10 for a central castle."
    ),
]
Harmony = Annotated[
    bool | None,
    typer.Option("--harmony/--no-harmony", help="Kingdomino: 5 for a complete kingdom."),
]
Seats = Annotated[
    int | None,
    typer.Option(min=2, max=4, metavar="N", help="Kingdomino: players at a table, 2 to 4."),
]
Rounds = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many rounds the event has.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
OneGame = Annotated[str, typer.Option("--game", metavar="duel|kingdomino", help="Which game.")]
Edition = Annotated[
    str, typer.Option(metavar="english|french|polish", help="The rulebook played by.")
]


def only_for(game: str, **options: object) -> None:
    """Raise UsageError when an option is given that only that game has."""
    for name, value in options.items():
        if value is not None and value is not False:
            option = "--" + name.replace("_", "-")
            raise UsageError("{option} is of {game} alone: --game {game}", option=option, game=game)
