"""`kdscan correct`, `remove`: what a person says of an event's sheets and photos."""

from __future__ import annotations

from typing import Annotated

import typer

from kdscan.cli.corrections import Correction, meaning_of, parse_corrections
from kdscan.cli.shared import (
    MOST_ROUNDS,
    MOST_TABLES,
    Event,
    Store,
    Who,
    note,
    terminal_words,
    user,
)
from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.events import find_event, perform
from kdscan.event.log import Author
from kdscan.event.model import CONFLICT, SheetResult
from kdscan.event.names import photo_keys, sheet_named
from kdscan.event.store import open_store
from kdscan.event.swiss import notes_on
from kdscan.files import escape_control
from kdscan.sheets.base import KINGDOM
from kdscan.sheets.common import place_of


def correct(
    sheet: Annotated[
        str,
        typer.Argument(
            metavar="SHEET", help="The sheet's file name or code; #2.1: page 2, sheet 1."
        ),
    ],
    event: Event = None,
    store: Store = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="CELL=MARKS",
            help="Set what a shield or square holds, as in kdscan score. Can be repeated.",
        ),
    ] = None,
    player: Annotated[
        str | None, typer.Option(metavar="NAME", help="The player of the sheet.")
    ] = None,
    round: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_ROUNDS, metavar="N", help="The round of the sheet."),
    ] = None,
    table: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_TABLES, metavar="N", help="The table it was played at."),
    ] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Confirm the sheet as it is read now.")
    ] = False,
    ignore: Annotated[
        bool | None,
        typer.Option("--ignore/--count", help="Do not count the sheet, or count it again."),
    ] = None,
    same_as: Annotated[
        str | None,
        typer.Option(
            metavar="SHEET", help="Treat it as another photo of that sheet; the better one counts."
        ),
    ] = None,
    own: Annotated[
        bool,
        typer.Option("--distinct", help="Treat it as a separate sheet, whatever its code says."),
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Undo the last change to the sheet.")
    ] = False,
    who: Who = None,
) -> None:
    """Examples:

    $ kdscan correct IMG_0412.jpg --event 'Spring cup' --set C2=f++ --set D1=.

    $ kdscan correct kingdom7.jpg --event 'Castle cup' --set B4=l+ --player Ada --round 2

    $ kdscan correct SPRING-CUP/2/4/A7 --event 'Spring cup' --confirm

    $ kdscan correct IMG_0413.jpg --event 'Spring cup' --distinct --player Bob
    """
    cells = parse_corrections(sets or ())
    if own and same_as is not None:
        raise UsageError("--distinct and --same-as cannot be combined")
    with open_store(store, make=False) as opened, opened.write() as db:
        this, author = find_event(db, event), Author(who or user())
        row = sheet_named(this, sheet)
        number = row.sheet.id
        if undo:
            newest = this.newest(sheet=number)
            if newest is None:
                raise UsageError("{name}: there is nothing to undo for this sheet", name=row.name)
            this, _ = perform(db, this, author, act.Undo(newest.id))
            row = sheet_named(this, row.address)
        changes: list[act.Action] = [_action(cell, row) for cell in cells]
        if (round, table, player) != (None, None, None):
            at = row.assignment
            own = own or (same_as is None and row.status == CONFLICT)
            changes.append(
                act.AssignSheet(
                    number,
                    player or at.player or at.mistaken or None,
                    at.round if round is None else round,
                    at.table if table is None and player is None else table,
                    own,
                )
            )
        elif own:
            changes.append(act.SamePaper(number, None))
        if confirm:
            changes.append(act.ConfirmSheet(number))
        if ignore is not None:
            changes.append(act.Ignore(number, ignore))
        if same_as is not None:
            changes.append(act.SamePaper(number, sheet_named(this, same_as).sheet.id))
        if not (changes or undo):
            raise UsageError(
                "{sheet}: say what to change, like --set C2=f++, --player, --confirm or --undo",
                sheet=sheet,
            )
        before = this
        if changes:
            this, _ = perform(db, this, author, *changes)
    for text, values in notes_on(before, this):  # now that it is saved
        note(text, **values)
    print(_summary(sheet_named(this, row.address)))


def _summary(row: SheetResult) -> str:
    w, brief, at = terminal_words(), row.sheet.brief, row.assignment
    points = "" if brief.total is None else ": " + w.tn("{n} point", "{n} points", brief.total)
    parts = [
        w.t("round {round}", round=at.round) if at.round is not None else "",
        w.t("table {table}", table=at.table) if at.table is not None else "",
        escape_control(at.player or ""),
        w.t("please check") if brief.review else "",
        w.t("does not count") if not row.counts else "",
    ]
    where = ", ".join(filter(None, parts))
    return f"{escape_control(row.name)}{points}" + (f" ({where})" if where else "")


def _action(correction: Correction, row: SheetResult) -> act.Action:
    """A correction as an action of the event."""
    if correction.photo is not None or correction.sheet:
        raise UsageError(
            "--set {text}: the sheet is already named; leave the number out", text=correction.text
        )
    kind, number = row.sheet.kind, row.sheet.id
    field, value = meaning_of(correction, kind, row.sheet.brief.size or 0, f"{row.file.name}#1.3")
    match place_of(field):
        case "line", (side, coat):
            return act.CorrectLine(number, side, coat.value, **value)
        case "choice", (side,):
            return act.CorrectChoice(number, side, value)
        case _, cell:
            of_cell = act.CorrectSquare if kind == KINGDOM.name else act.CorrectShield
            return of_cell(number, cell, **value)


def remove(
    photos: Annotated[
        list[str],
        typer.Argument(metavar="PHOTO...", help="File names, or how they end; #7: page 7."),
    ],
    event: Event = None,
    store: Store = None,
    undo: Annotated[bool, typer.Option("--undo", help="Restore them.")] = False,
    who: Who = None,
) -> None:
    """Their files, readings and corrections are kept, in `kdscan export --archive` too.

    Examples:

    $ kdscan remove IMG_0412.jpg --event 'Spring cup'

    $ kdscan remove IMG_0412.jpg --event 'Spring cup' --undo
    """
    w = terminal_words()
    done = w.t("restored") if undo else w.t("removed")
    with open_store(store, make=False) as opened, opened.write() as db:
        wanted = [act.RemovePhoto(name, removed=not undo) for name in photos]
        this, entries = perform(db, find_event(db, event), Author(who or user()), *wanted)
        actions = [entry.action for entry in entries if isinstance(entry.action, act.RemovePhoto)]
        keys = {action.photo for action in actions}
        files = [name for name, key in photo_keys(this) if key in keys]
    for file in files:  # now that it is saved
        print(f"{file}: {done}")
