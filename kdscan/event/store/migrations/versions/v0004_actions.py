"""What people did is a log of actions; players, rounds and corrections are what it says.

All that older versions stored was said by whoever ran the desk, or trusted like that, so it stays
in force: the standings are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

from kdscan.event.store import schema

revision = "0004"
down_revision = "0003"

Row = Mapping[Any, Any]


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
    def rows(name: str) -> Sequence[Row]:
        table = tables[name]
        query = sa.select(table).where(table.c.event_id == event["id"]).order_by(table.c.id)
        return db.execute(query).mappings().all()

    seat, game, action = tables["seat"], tables["game"], tables["action"]
    seats = sa.select(seat).join(game).where(game.c.event_id == event["id"])
    seated = db.execute(seats.order_by(seat.c.game_id, seat.c.number)).mappings().all()
    first = (db.scalar(sa.select(sa.func.max(action.c.id))) or 0) + 1
    log = actions_of(event, rows("player"), rows("game"), seated, rows("correction"), first)
    if log:
        db.execute(action.insert(), [dict(row, event_id=event["id"]) for row in log])
        if db.dialect.name == "postgresql":  # its sequence has not seen these numbers
            last = sa.literal(log[-1]["id"])
            sequence = sa.func.pg_get_serial_sequence("action", "id")
            db.execute(sa.select(sa.func.setval(sequence, last)))
    details = {k: v for k, v in event["details"].items() if k not in ("rules", "clock", "shown")}
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

    def add(action: Mapping[str, Any], who: str = "", at: datetime | None = None) -> int:
        number = first + len(log)
        # Each by itself, because what was done at one time is undone together: older stores undid
        # each correction by a row of its own.
        at = (at or event["created_at"]) + timedelta(microseconds=len(log) + 1)
        common = {"who": who, "role": "desk", "session": ""}
        log.append({"id": number, "at": at, "action": dict(action), **common})
        return number

    details = event["details"]
    if rules := {k: v for k, v in (details.get("rules") or {}).items() if v not in (None, False)}:
        add({"type": "set_rules", **rules})
    names = {player["id"]: player["name"][:200] for player in players}
    for number, player in enumerate(players, 1):
        code = str((player["details"] or {}).get("code") or number)
        add({"type": "add_player", "name": names[player["id"]], "code": code, "number": number})
    tables: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    where = {game["id"]: (game["round"], game["table"]) for game in games}
    for seat in seats:
        round_, table = where[seat["game_id"]]
        tables[round_][table].append(names[seat["player_id"]])
    for round_, by_table in sorted(tables.items()):
        last = max(by_table)
        seated = [by_table.get(table, []) for table in range(1, last + 1)]
        add({"type": "pair_round", "tables": seated, "round": round_})
    numbers: dict[int, int] = {}
    for row in corrections:
        who, at = row["who"], row["at"]
        if row["undoes"] is not None:
            if row["undoes"] in numbers:
                numbers[row["id"]] = add(
                    {"type": "undo", "action": numbers[row["undoes"]]}, who, at
                )
            continue
        for action in _action(row, names, where):
            numbers[row["id"]] = add(action, who, at)
    for player in players:
        if not player["active"]:
            add({"type": "drop_player", "name": names[player["id"]]})
    if details.get("clock"):
        add({"type": "start_clock", "minutes": None, "ends": details["clock"]})
    if details.get("shown") == "pairings":
        add({"type": "show", "what": "pairings"})
    return log


def _action(
    row: Row, names: Mapping[int, str], where: Mapping[int, tuple[int, int]]
) -> Iterator[Mapping[str, Any]]:
    """What a correction did; nothing for notes of what the log says anyway."""
    kind, _, of = row["field"].partition(":")
    new, sheet = row["new"], {"sheet": row["sheet_id"]}
    if row["game_id"] in where and kind == "result" and isinstance(new, dict):
        round_, table = where[row["game_id"]]
        old = row["old"] if isinstance(row["old"], dict) else {}
        yield {
            **_result(new, names),
            "round": round_,
            "table": table,
            "read": {names[int(k)]: v for k, v in old.items() if k.isdecimal() and int(k) in names},
        }
    elif row["sheet_id"] is None:
        if kind in ("photo", "page", "file"):
            removed = bool(new)
            yield {"type": "remove_photo", "photo": row["field"], "removed": removed}
    elif kind == "cell":
        cell = [int(n) for n in of.split(",")]
        action = "correct_square" if "terrain" in new else "correct_shield"
        yield {"type": action, **sheet, "cell": cell, **new}
    elif kind == "line":
        side, _, coat = of.partition(",")
        yield {"type": "correct_line", **sheet, "side": int(side), "coat": coat, **new}
    elif kind == "choice":
        yield {"type": "correct_choice", **sheet, "side": int(of), "coat": new}
    elif kind == "value":
        yield {"type": "correct_wizard", **sheet, "coat": new}
    elif kind == "castle" and new is not None:
        yield {"type": "correct_castle", **sheet, "used": bool(new)}
    elif kind == "variants":
        yield {"type": "set_variants", **sheet, **new}
    elif kind == "confirmed" and new is True:
        yield {"type": "confirm_sheet", **sheet}
    elif kind == "ignored":
        yield {"type": "ignore", **sheet, "ignored": new is True}
    elif kind == "same_as" and new is not None:
        yield {"type": "same_paper", **sheet, "of": new or None}
    elif kind == "place" and isinstance(new, dict):
        place = {key: new.get(key) for key in ("round", "table")}
        yield {"type": "assign_sheet", **sheet, **place, "player": _player(new)}


def _player(place: Mapping[str, Any]) -> str | None:
    return place.get("player") or place.get("code") or None


def _result(new: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, Any]:
    if "walkover" in new:
        return {"type": "walkover", "winner": names.get(int(new["walkover"]))}
    points = {names[int(k)]: int(v) for k, v in new.items() if k.isdecimal() and int(k) in names}
    return {"type": "enter_result", "points": points}
