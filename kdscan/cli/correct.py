"""`kdscan correct`: a person's corrections of a sheet in an event."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kdscan.cli.options import MOST_ROUNDS, MOST_TABLES, Event, Store, Who
from kdscan.cli.terminal import terminal_words, user
from kdscan.errors import UsageError
from kdscan.files.names import escape_control

if TYPE_CHECKING:
    from kdscan.cli.corrections import Correction
    from kdscan.event.results import SheetResult


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
    from kdscan.cli.corrections import parse_corrections
    from kdscan.event.correcting import correct_sheet, find_row, undo_last
    from kdscan.event.names import names_of, player_named
    from kdscan.event.results import CONFLICT
    from kdscan.event.store import open_store
    from kdscan.event.store.events import find_event, players

    cells = parse_corrections(sets or ())
    if own and same_as is not None:
        raise UsageError("--distinct and --same-as cannot be combined")
    with open_store(store, make=False) as kept, kept.write() as db:
        this = find_event(db, event)
        row = find_row(db, this, sheet)
        if undo:
            if not undo_last(db, row.sheet, who or user()):
                raise UsageError("{name}: there is nothing to undo for this sheet", name=row.name)
            row = find_row(db, this, sheet)
        changes: dict[str, Any] = dict(_field(one, row) for one in cells)
        if player is not None:
            player = player_named(db, this, player, round or row.place.round)
        place: dict[str, Any] = {"round": round, "table": table, "player": player}
        given = {key: value for key, value in place.items() if value is not None}
        if player is not None:
            given["code"] = None  # a person's word replaces it
        if given:
            changes["place"] = asdict(row.place) | given
            own = own or (same_as is None and row.status == CONFLICT)
        if confirm:
            changes["confirmed"] = True
        if ignore is not None:
            changes["ignored"] = ignore
        if own or same_as is not None:
            changes["same_as"] = 0 if own else _other(row, find_row(db, this, same_as or ""))
        if not (changes or undo):
            raise UsageError(
                "{sheet}: say what to change, like --set C2=f++, --player, --confirm or --undo",
                sheet=sheet,
            )
        correct_sheet(db, row.sheet, changes, who or user(), row.data)
    with open_store(store, make=False) as kept, kept.read() as db:
        this = find_event(db, event)
        row = find_row(db, this, row.address)
        print(_summary(row, names_of(players(db, this.id)).of(row.place)))


def _other(row: SheetResult, other: SheetResult) -> int:
    """The id of the sheet of which this row shows another photo."""
    if row.sheet.id == other.sheet.id:
        raise UsageError("--same-as {name}: that is the same photo; name another", name=other.name)
    return other.sheet.id


def _summary(row: SheetResult, player: str | None) -> str:
    w, total = terminal_words(), row.value("score", "total")
    points = "" if total is None else ": " + w.tn("{n} point", "{n} points", total)
    parts = [
        w.t("round {round}", round=row.place.round) if row.place.round is not None else "",
        w.t("table {table}", table=row.place.table) if row.place.table is not None else "",
        escape_control(player or ""),
        w.t("please check") if row.data["review"] else "",
        w.t("does not count") if not row.counts else "",
    ]
    where = ", ".join(part for part in parts if part)
    return f"{escape_control(row.name)}{points}" + (f" ({where})" if where else "")


def _field(one: Correction, row: SheetResult) -> tuple[str, Any]:
    """A correction as the store represents it."""
    if one.photo is not None or one.sheet:
        raise UsageError(
            "--set {text}: the sheet is already named; leave the number out", text=one.text
        )
    from kdscan.cli.corrections import field_of

    example = f"{row.file.name}#1.3"
    return field_of(one, row.data["kind"], row.data.get("size", 0), example)
