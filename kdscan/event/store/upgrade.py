"""Brings the tables of an older store up to those of `schema`, in one transaction.

Until version 0004 players, games and corrections had tables of their own; what they say is a log of
actions now. All of it was said by whoever ran the desk, or trusted like that, so it stays in force:
the standings are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select

from kdscan.event.events import events, load
from kdscan.event.store import schema
from kdscan.event.store.schema import EventRow, insert
from kdscan.files import Json

Row = Mapping[Any, Any]

KNOWN = ("0001", "0002", "0003", "0004")
"""All versions of the tables, the oldest first; `schema` describes the last."""

REPLACED = ("correction", "seat", "game", "player")
"""Tables that the log replaces."""

MOVED = ("rules", "clock", "shown")
"""Details of an event that the log says now."""

ADDED = """ALTER TABLE event ADD COLUMN version INTEGER DEFAULT 1 NOT NULL
ALTER TABLE photo ADD COLUMN version INTEGER DEFAULT 1 NOT NULL
ALTER TABLE sheet ADD COLUMN basis VARCHAR(30)
ALTER TABLE sheet ADD COLUMN state JSON
ALTER TABLE sheet ADD COLUMN brief JSON"""

DROPPED = """DROP TABLE correction
DROP TABLE seat
DROP TABLE game
DROP TABLE player
DROP INDEX ix_sheet_event_review
ALTER TABLE sheet DROP COLUMN total
ALTER TABLE sheet DROP COLUMN confidence
ALTER TABLE sheet DROP COLUMN review"""

_version = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""What a store says of its own tables; the name is that of the tool which once upgraded them."""


def version_of(db: Connection) -> str | None:
    """The version of a store's tables; None without any."""
    return db.scalar(select(_version)) if inspect(db).has_table(_version.name) else None


def upgrade(db: Connection) -> None:
    """Create the tables of a new store, or bring those of an older one up to date."""
    version, run = version_of(db), db.exec_driver_sql
    if version is None:
        schema.metadata.create_all(db)
        _version.create(db, checkfirst=True)
        db.execute(_version.insert().values(version_num=KNOWN[-1]))
        return
    if version < "0002":  # older rows keep only the texts of their errors
        for table in ("photo", "file"):
            run(f"ALTER TABLE {table} ADD COLUMN error_said JSON")
    if version < "0003":
        schema.known_print.create(db)
    schema.action.create(db)
    for statement in ADDED.splitlines():
        run(statement)
    old = MetaData()
    old.reflect(db, only=REPLACED)
    tables = {name: old.tables[name] for name in REPLACED}
    rows = {
        name: db.execute(select(table).order_by(table.c.id)).mappings().all()
        for name, table in tables.items()
    }
    for event in events(db):
        add_log(db, event, rows)
    for statement in DROPPED.splitlines():
        run(statement)
    db.execute(_version.update().values(version_num=KNOWN[-1]))
    for event in events(db):  # states of sheets that the older version did not store
        load(db, event.id, write=True)


def add_log(db: Connection, event: EventRow, rows: Mapping[str, Sequence[Row]]) -> None:
    """Make the log of an event that says what the rows of the tables `REPLACED` say, which are in
    the order of their ids; its details say it no longer."""
    numbers = count(1)

    def add(kind: str, who: str = "", at: datetime | None = None, **fields: Any) -> int:
        # Each by itself, because what was done at one time is undone together: older stores undid
        # each correction by a row of its own.
        at = (at or event.created_at) + timedelta(microseconds=next(numbers))
        by: Json = {"event_id": event.id, "at": at, "who": who, "role": "desk", "session": ""}
        return insert(db, schema.action, by | {"action": {"type": kind, **fields}})

    def own(table: str) -> list[Row]:
        return [row for row in rows[table] if row["event_id"] == event.id]

    details, players = event.details, own("player")
    if rules := {k: v for k, v in (details.get("rules") or {}).items() if v not in (None, False)}:
        add("set_rules", **rules)
    names = {player["id"]: player["name"][:200] for player in players}
    for number, player in enumerate(players, 1):
        code = str((player["details"] or {}).get("code") or number)
        add("add_player", name=names[player["id"]], code=code, number=number)
    tables: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    where = {game["id"]: (game["round"], game["table"]) for game in own("game")}
    for seat in sorted(rows["seat"], key=lambda seat: (seat["game_id"], seat["number"])):
        if seat["game_id"] in where:
            round_, table = where[seat["game_id"]]
            tables[round_][table].append(names[seat["player_id"]])
    for round_, by_table in sorted(tables.items()):
        seated = [by_table.get(table, []) for table in range(1, max(by_table) + 1)]
        add("pair_round", tables=seated, round=round_)
    added: dict[int, int] = {}
    for row in own("correction"):
        by = row["who"], row["at"]
        if row["undoes"] in added:
            added[row["id"]] = add("undo", *by, action=added[row["undoes"]])
        elif row["undoes"] is None and (action := _action(row, names, where)):
            added[row["id"]] = add(action.pop("type"), *by, **action)
    for player in players:
        if not player["active"]:
            add("drop_player", name=names[player["id"]])
    if details.get("clock"):
        add("start_clock", minutes=None, ends=details["clock"])
    if details.get("shown") == "pairings":
        add("show", what="pairings")
    left = {name: value for name, value in details.items() if name not in MOVED}
    this = schema.event.update().where(schema.event.c.id == event.id)
    db.execute(this.values(details=left))


def _action(row: Row, names: Mapping[int, str], where: Mapping[int, tuple[int, int]]) -> Json:
    """What a correction did; empty for notes of what the log says anyway."""
    kind, _, of = row["field"].partition(":")
    new, sheet = row["new"], row["sheet_id"]

    def by_name(given: Any) -> Json:
        """Values of players by their names instead of their numbers."""
        by = given.items() if isinstance(given, dict) else ()
        return {names[int(k)]: v for k, v in by if k.isdecimal() and int(k) in names}

    if row["game_id"] in where and kind == "result" and isinstance(new, dict):
        round_, table = where[row["game_id"]]
        at = {"round": round_, "table": table, "read": by_name(row["old"])}
        if "walkover" in new:
            return {"type": "walkover", "winner": names.get(int(new["walkover"])), **at}
        points = {name: int(value) for name, value in by_name(new).items()}
        return {"type": "enter_result", "points": points, **at}
    if sheet is None:
        removes = kind in ("photo", "page", "file")
        gone: Json = {"type": "remove_photo", "photo": row["field"], "removed": bool(new)}
        return gone if removes else {}
    action: Json = {}
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
    return action and {**action, "sheet": sheet}
