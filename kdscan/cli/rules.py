"""Options by which the commands of the tournament desk say an event's rules."""

from __future__ import annotations

from typing import Annotated

import typer

Game = Annotated[
    str | None,
    typer.Option(metavar="duel|kingdomino", help="What a new event plays; duel if left out."),
]
GreatDuel = Annotated[
    bool | None,
    typer.Option("--great-duel/--no-great-duel", help="Kingdomino: 7 x 7 for two."),
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
