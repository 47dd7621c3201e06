"""`kdscan standings`, `kdscan pair`, `kdscan result`: an event's rounds and its table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kdscan.cli.shared import (
    MOST_ROUNDS,
    MOST_TABLES,
    AsJson,
    Event,
    Game,
    GreatDuel,
    Harmony,
    MiddleKingdom,
    Rounds,
    Seats,
    Store,
    Who,
    aligned,
    check_apart,
    note,
    note_other_sizes,
    same_event,
    terminal_words,
    user,
    warn,
)
from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.events import find_event, find_row, open_event, perform
from kdscan.event.export import event_table
from kdscan.event.games import FindingCode
from kdscan.event.log import Author
from kdscan.event.model import Event as EventState
from kdscan.event.names import players_in
from kdscan.event.standings import byes_text, decided_by, half, signed, so_far, where
from kdscan.event.store import open_store
from kdscan.event.swiss import met_before, notes_on, pairing_rows
from kdscan.files import STDOUT, escape_control
from kdscan.files.tables import write_table, writing_table

WHOSE: tuple[FindingCode, ...] = ("unplaced", "unknown_player", "code_conflict")
"""Findings that are settled by saying whose a sheet is."""


def standings(
    event: Event = None,
    store: Store = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the standings as CSV; - for standard output."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A win scores 1, a draw ½. Ties are broken as at the Mind Sports Olympiad: head to head if one
    player has beaten (or lost to) all others in the tie, then the points spread without the best
    result, then Sonneborn-Berger; otherwise the place is shared.

    Examples:

    $ kdscan standings --event 'Spring cup'

    $ kdscan standings --event 'Spring cup' --csv table.csv
    """
    check_apart({"--csv": csv, "--json": STDOUT if as_json else None})
    with open_store(store, make=False) as opened, opened.read() as db:
        state = find_event(db, event)
    if csv is not None:
        _write_csv(csv, [asdict(line) for line in state.standings], "rank", "player")
    if as_json:
        findings = [
            {name: getattr(finding, name) for name in ("code", "round", "table", "sheets")}
            | {"message": finding.text.format(**finding.values)}
            | {"files": [state.shown_names[key] for key in finding.sheets]}
            for finding in state.findings
        ]
        values = event_table(state) | {"rules": state.rules, "findings": findings}
        print(json.dumps(values, indent=2, default=asdict))
    elif csv != STDOUT:
        print(_table(state))
    w = terminal_words()
    for finding in state.findings:
        at = where(w, finding.round, finding.table) + ": " if finding.table else ""
        files = ", ".join(state.shown_names[key] for key in finding.sheets)
        text = w.t(finding.text, **finding.values) + (f" ({files})" if files else "")
        note(f"kdscan: {at}{text}")
    if any(finding.code in WHOSE for finding in state.findings):
        command = f"kdscan correct FILE {same_event(state.name, store)} --player NAME --round N"
        warn("to say whose sheet it is: {command}", command=command)


def pair(
    event: Event = None,
    store: Store = None,
    players: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Add these players first; columns: name, player."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Drop this player from the event.")
    ] = None,
    back: Annotated[
        list[str] | None,
        typer.Option("--rejoin", metavar="NAME", help="Let this player rejoin the event."),
    ] = None,
    byes: Annotated[
        list[str] | None,
        typer.Option("--bye", metavar="NAME", help="This player asked not to play this round."),
    ] = None,
    half_byes: Annotated[
        bool | None,
        typer.Option(
            "--half-byes/--zero-byes", help="What such a bye scores: half a point, or nothing."
        ),
    ] = None,
    close: Annotated[
        bool | None,
        typer.Option(
            "--close/--reopen", help="Instead of pairing, close the event: its list is final."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed of the random draw among equals, to repeat it."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Pair the last round again, before it is played.")
    ] = False,
    game: Game = None,
    great_duel: GreatDuel = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    seats: Seats = None,
    rounds: Rounds = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the pairings as CSV for `kdscan sheet --players`."
        ),
    ] = None,
) -> None:
    """The first round is drawn at random. Afterwards nobody meets an opponent twice as long as that
    is possible, players meet who have similar scores, and the top half of a group plays against its
    bottom half.

    Examples:

    $ kdscan pair --event 'Spring cup' --players players.csv --csv round1.csv

    $ kdscan sheet --players round1.csv --event 'Spring cup' -o round1.pdf

    $ kdscan pair --event 'Castle cup' --players players.csv --game kingdomino --great-duel
    --middle-kingdom --rounds 5
    """
    with open_store(store, make=players is not None) as opened, opened.write() as db:
        if players is None:
            find_row(db, event)  # raises for an event that would be created
        rules = act.SetRules(great_duel, middle_kingdom, harmony, seats, rounds, half_byes)
        this = open_event(db, event, game, rules)
        author = Author(user())
        if players is not None:
            before, listed = this, players_in(players)
            new = [row for row in listed if before.names.player(row[0]) is None]
            this, _ = perform(db, before, author, *(act.AddPlayer(*row) for row in new))
            spellings = (before.names.spelling(name) for name, _ in listed)
            if other := ", ".join(filter(None, spellings)):
                warn("taken for players of the event: {names}", names=other)
            for text, values in notes_on(before, this):
                note(text, **values)
        changes: list[act.Action] = [*map(act.DropPlayer, drop or ()), *map(act.Rejoin, back or ())]
        if close is None:
            changes.append(act.PairRound(again=again, seed=seed, byes=tuple(byes or ())))
        else:  # a closed event takes no changes
            changes.insert(len(changes) if close else 0, act.CloseEvent(close))
        this, _ = perform(db, this, author, *changes)
        round_ = this.last_round
        if csv is not None and close is None:  # if it cannot be written, no round is paired
            _write_csv(csv, pairing_rows(this, round_))
    if close is not None:
        print(_table(this))
        return
    if csv != STDOUT:
        print(_tables(this, round_))
    elif alone := [seats[0] for seats in this.tables[round_].values() if len(seats) == 1]:
        bye = terminal_words().t("bye")
        note(f"kdscan: {bye}: {', '.join(alone)}")
    for met in met_before(this, round_):
        if len(met) == 1:
            warn("{player} has a bye again; no other pairing was left", player=met[0])
        else:
            warn("{players} have met before; no other pairing was left", players=" – ".join(met))
    note_other_sizes(this.other_sizes, f"kdscan batch PHOTO... {same_event(event, store)}")


def result(
    round: Annotated[
        int, typer.Option(min=1, max=MOST_ROUNDS, metavar="N", help="Number of the round.")
    ],
    table: Annotated[
        int, typer.Option(min=1, max=MOST_TABLES, metavar="N", help="Number of the table.")
    ],
    event: Event = None,
    points: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=POINTS...", help="Each player's points.")
    ] = None,
    walkover: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="The player who wins because the opponent did not come."),
    ] = None,
    forfeit: Annotated[
        bool, typer.Option("--forfeit", help="Neither player came; both lose.")
    ] = False,
    withdraw: Annotated[
        bool,
        typer.Option("--withdraw", help="Withdraw what was entered; the sheets count again."),
    ] = False,
    store: Store = None,
    who: Who = None,
) -> None:
    """It is kept as a correction next to what was read; nothing is overwritten.

    Examples:

    $ kdscan result --event 'Spring cup' --round 2 --table 4 Ada=51 Bob=48

    $ kdscan result --event 'Spring cup' --round 2 --table 5 --walkover Cleo

    $ kdscan result --event 'Spring cup' --round 2 --table 4 --withdraw
    """
    winners = walkover or []
    if sum((bool(points), len(winners), forfeit, withdraw)) != 1:
        raise UsageError("give points, like Ada=51, or --walkover NAME, --forfeit or --withdraw")
    entered: act.Action = act.WithdrawResult(round, table)
    if points:
        scores: dict[str, int] = {}
        for name, value in map(_points, points):
            if name in scores:
                raise UsageError("{name} is named twice; give each player's points once", name=name)
            scores[name] = value
        entered = act.EnterResult(round, table, scores)
    elif not withdraw:
        entered = act.Walkover(round, table, winners[0] if winners else None)
    with open_store(store, make=False) as opened, opened.write() as db:
        before = find_event(db, event)
        this, _ = perform(db, before, Author(who or user()), entered)
        game = this.game_at(round, table)
    w = terminal_words()
    for text, values in notes_on(before, this):
        note(text, **values)
    if game.forfeit:
        outcome = w.t("Both absent: both lose")
    elif game.walkover:
        outcome = w.t("{name} wins by walkover", name=game.walkover)
    else:
        outcome = ", ".join(
            f"{seat.player} {'?' if seat.total is None else seat.total}" for seat in game.seats
        )
    print(f"{where(w, round, table)}: {outcome}")


def _table(state: EventState) -> str:
    w = terminal_words()
    t = w.t
    players = w.tn("{n} player", "{n} players", len(state.standings))
    heads = [t("score"), t("won"), t("drawn"), t("lost"), t("byes"), t("spread"), "SB"]
    rows = [["", t("player"), *heads, ""]]
    before = None
    for line in state.standings:
        rank = "" if line.rank == before else f"{line.rank}."
        before = line.rank
        numbers = map(str, (line.wins, line.draws, line.losses, byes_text(line)))
        values = [half(line.score), *numbers, signed(line.spread), f"{line.sonneborn_berger:.3g}"]
        rows.append([rank, escape_control(line.player), *values, decided_by(w, line.decided_by)])
    lines = aligned(rows, left=(1, len(heads) + 2), least=(4, 0, 5, 3, 5, 4, 4, 6, 5))
    return "\n".join([f"{escape_control(state.name)}: {so_far(w, state)}, {players}", *lines])


def _tables(state: EventState, round_: int) -> str:
    w = terminal_words()
    rows = [
        [
            str(number) if len(names) > 1 else w.t("bye"),
            *[part for name in names for part in ("–", name)][1:],
        ]
        for number, names in state.tables[round_].items()
    ]
    most = max(map(len, rows))
    even = [row + [""] * (most - len(row)) for row in rows]
    lines = aligned(even, left=range(1, most), least=(4,))
    return "\n".join([f"{state.name}: " + w.t("round {round}", round=round_), *lines])


def _points(text: str) -> tuple[str, int]:
    match = re.fullmatch("(.+)=([0-9]{1,5})", text)
    if match is None:
        raise UsageError("{text!r}: give a name and points, like Ada=51.", text=text)
    return match[1], int(match[2])


def _write_csv(path: Path, rows: Sequence[dict[str, object]], *columns: str) -> None:

    with writing_table(path) as out:
        write_table(rows, list(rows[0]) if rows else columns, out)
