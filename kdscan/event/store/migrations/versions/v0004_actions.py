"""What people did is a log of actions; players, rounds and corrections are what it says.

All that older versions stored was said by whoever ran the desk, or trusted like that, so it stays
in force: the standings are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

from kdscan.event.store import schema

revision = "0004"
down_revision = "0003"

Row = Mapping[Any, Any]

MOVED = ("rules", "clock", "shown")
"""Details of an event that the log says now."""


def upgrade() -> None:
    """Make the log of every event, and drop what it replaces."""
    db, replaced = op.get_bind(), ("correction", "seat", "game", "player")
    schema.action.create(db)
    for table in ("event", "photo"):
        op.add_column(table, sa.Column("version", sa.Integer, nullable=False, server_default="1"))
    for column in (("basis", sa.String(30)), ("state", sa.JSON), ("brief", sa.JSON)):
        op.add_column("sheet", sa.Column(*column))
    tables = sa.MetaData()
    tables.reflect(db, only=("event", "action", *replaced))
    for event in db.execute(sa.select(tables.tables["event"])).mappings().all():
        _convert(db, tables.tables, event)
    for name in replaced:
        op.drop_table(name)
    op.drop_index("ix_sheet_event_review", "sheet")
    for name in ("total", "confidence", "review"):
        op.drop_column("sheet", name)


def _convert(db: sa.Connection, tables: Mapping[str, sa.Table], event: Row) -> None:
    def rows(query: sa.Select[Any]) -> Sequence[Row]:
        return db.execute(query).mappings().all()

    def of_event(name: str) -> Sequence[Row]:
        at = tables[name].c
        return rows(sa.select(tables[name]).where(at.event_id == event["id"]).order_by(at.id))

    seat, game, action = tables["seat"], tables["game"], tables["action"]
    seats = sa.select(seat).join(game).where(game.c.event_id == event["id"])
    seated = rows(seats.order_by(seat.c.game_id, seat.c.number))
    first = (db.scalar(sa.select(sa.func.max(action.c.id))) or 0) + 1
    log = actions_of(
        event, of_event("player"), of_event("game"), seated, of_event("correction"), first
    )
    if log:
        db.execute(action.insert(), [dict(row, event_id=event["id"]) for row in log])
        if db.dialect.name == "postgresql":  # its sequence has not seen these numbers
            last = sa.literal(log[-1]["id"])
            sequence = sa.func.pg_get_serial_sequence("action", "id")
            db.execute(sa.select(sa.func.setval(sequence, last)))
    details = {k: v for k, v in event["details"].items() if k not in MOVED}
    changed = tables["event"].update().where(tables["event"].c.id == event["id"])
    db.execute(changed.values(details=details))


def actions_of(
    event: Row,
    players: Sequence[Row],
    games: Sequence[Row],
    seats: Iterable[Row],
    corrections: Sequence[Row],
    first: int = 1,
) -> list[dict[str, Any]]:
    """The log that says what the rows of an older store say; its entries are numbered from `first`.
    Rows are in the order of their ids, seats in that of the game and the number."""
    log: list[dict[str, Any]] = []

    def add(kind: str, who: str = "", at: datetime | None = None, **fields: Any) -> int:
        number = first + len(log)
        # Each by itself, because what was done at one time is undone together: older stores undid
        # each correction by a row of its own.
        at = (at or event["created_at"]) + timedelta(microseconds=len(log) + 1)
        common = {"who": who, "role": "desk", "session": ""}
        log.append({"id": number, "at": at, "action": {"type": kind, **fields}, **common})
        return number

    details = event["details"]
    if rules := {k: v for k, v in (details.get("rules") or {}).items() if v not in (None, False)}:
        add("set_rules", **rules)
    names = {player["id"]: player["name"][:200] for player in players}
    for number, player in enumerate(players, 1):
        code = str((player["details"] or {}).get("code") or number)
        add("add_player", name=names[player["id"]], code=code, number=number)
    tables: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    where = {game["id"]: (game["round"], game["table"]) for game in games}
    for seat in seats:
        round_, table = where[seat["game_id"]]
        tables[round_][table].append(names[seat["player_id"]])
    for round_, by_table in sorted(tables.items()):
        seated = [by_table.get(table, []) for table in range(1, max(by_table) + 1)]
        add("pair_round", tables=seated, round=round_)
    numbers: dict[int, int] = {}
    for row in corrections:
        by = row["who"], row["at"]
        if row["undoes"] is None:
            action = _action(row, names, where)
            if action:
                numbers[row["id"]] = add(action.pop("type"), *by, **action)
        elif row["undoes"] in numbers:
            numbers[row["id"]] = add("undo", *by, action=numbers[row["undoes"]])
    for player in players:
        if not player["active"]:
            add("drop_player", name=names[player["id"]])
    if details.get("clock"):
        add("start_clock", minutes=None, ends=details["clock"])
    if details.get("shown") == "pairings":
        add("show", what="pairings")
    return log


def _action(
    row: Row, names: Mapping[int, str], where: Mapping[int, tuple[int, int]]
) -> dict[str, Any] | None:
    """What a correction did; None for notes of what the log says anyway."""
    kind, _, of = row["field"].partition(":")
    new = row["new"]

    def numbers(given: Any) -> dict[str, Any]:
        """Players' numbers as their names."""
        by = given.items() if isinstance(given, dict) else ()
        return {names[int(k)]: v for k, v in by if k.isdecimal() and int(k) in names}

    if row["game_id"] in where and kind == "result" and isinstance(new, dict):
        round_, table = where[row["game_id"]]
        at = {"round": round_, "table": table, "read": numbers(row["old"])}
        if "walkover" in new:
            return {"type": "walkover", "winner": names.get(int(new["walkover"])), **at}
        points = {name: int(value) for name, value in numbers(new).items()}
        return {"type": "enter_result", "points": points, **at}
    if row["sheet_id"] is None:
        if kind in ("photo", "page", "file"):
            return {"type": "remove_photo", "photo": row["field"], "removed": bool(new)}
        return None
    action: dict[str, Any] = {}
    match kind:
        case "cell":
            name = "correct_square" if "terrain" in new else "correct_shield"
            action = {"type": name, "cell": [int(n) for n in of.split(",")], **new}
        case "line":
            side, _, coat = of.partition(",")
            action = {"type": "correct_line", "side": int(side), "coat": coat, **new}
        case "choice":
            action = {"type": "correct_choice", "side": int(of), "coat": new}
        case "value":
            action = {"type": "correct_wizard", "coat": new}
        case "castle" if new is not None:
            action = {"type": "correct_castle", "used": bool(new)}
        case "variants":
            action = {"type": "set_variants", **new}
        case "confirmed" if new is True:
            action = {"type": "confirm_sheet"}
        case "ignored":
            action = {"type": "ignore", "ignored": new is True}
        case "same_as" if new is not None:
            action = {"type": "same_paper", "of": new or None}
        case "place" if isinstance(new, dict):
            player = new.get("player") or new.get("code") or None
            at = {key: new.get(key) for key in ("round", "table")}
            action = {"type": "assign_sheet", **at, "player": player}
    return action and {**action, "sheet": row["sheet_id"]}
