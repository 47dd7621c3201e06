"""What an event looks like from above: the queue of doubtful sheets, games, standings.

Worked out anew only when a reading, a correction or a game was added, however many
browsers ask.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, func, select

from kdscan.sheet.ids import SheetId
from kdscan.tournament.event import arbiters_points, names_by_code
from kdscan.tournament.games import Game, SheetScore, gather
from kdscan.tournament.rules import Rules, rules_of
from kdscan.tournament.standings import standings
from kdscan.tournament.store import Store, schema
from kdscan.tournament.store.corrections import corrections, in_force
from kdscan.tournament.store.events import players
from kdscan.tournament.store.games import games
from kdscan.tournament.store.photos import files
from kdscan.tournament.store.readings import sheets
from kdscan.tournament.store.records import Correction, Event, FileRow, Sheet
from kdscan.web.standing import standing_sheets

Json = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A sheet of the event as it stands, and whose it is as far as anybody knows."""

    json: Json
    name: str
    round: int | None
    table: int | None
    player: str | None

    @property
    def scored(self) -> bool:
        """Whether it is worth points: spellbooks are not."""
        return "score" in self.json

    @property
    def score(self) -> SheetScore:
        total, domains = self.json["score"]["total"], self.json["domains"]
        largest = max((len(domain["cells"]) for domain in domains), default=0)
        crowns = sum(domain.get("crowns", 0) for domain in domains)
        at = (self.round, self.table, self.player)
        return SheetScore(self.json["id"], *at, total, largest, crowns, self.json["review"])


class Tables:
    """One event from above."""

    def __init__(self, store: Store, event: Event) -> None:
        self._store, self._event, self._rules = store, event, rules_of(event)
        self._lock = threading.Lock()
        self._seen: tuple[Any, ...] = ()
        self._lines: list[Line] = []
        self._standings: Json = {}

    def queue(self) -> Json:
        """The sheets to look at, those that matter most first."""
        with self._lock:
            self._renew()
            return {"state": _name(self._seen), "sheets": queue_json(self._lines)}

    def standings(self) -> Json:
        """Table, games and totals."""
        with self._lock:
            self._renew()
            return {"state": _name(self._seen)} | self._standings

    def state(self) -> str:
        """A name for what stands now: it changes with everything that shows here."""
        with self._store.read() as db:
            return _name(self._state(db))

    def _renew(self) -> None:
        with self._store.read() as db:
            seen = self._state(db)
            if seen == self._seen:
                return
            self._lines = _lines(db, self._event.id, self._rules)
            scored = [line for line in self._lines if line.scored]
            self._standings = standings_json(db, self._event, scored)
            self._seen = seen

    def _state(self, db: Connection) -> tuple[Any, ...]:
        """What changes with every change that shows here."""
        tables = (schema.reading, schema.correction, schema.game, schema.seat, schema.player)
        newest = [db.scalar(select(func.max(table.c.id))) for table in tables]
        return (*newest, db.scalar(select(func.count()).select_from(schema.seat)))


def _name(seen: Sequence[Any]) -> str:
    return "-".join(str(number or 0) for number in seen)


def _lines(db: Connection, event_id: int, rules: Rules) -> list[Line]:
    said: defaultdict[int, list[Correction]] = defaultdict(list)
    for row in corrections(db, event_id):
        if row.sheet_id is not None:
            said[row.sheet_id].append(row)
    named: dict[int, FileRow] = {}
    for file in files(db, event_id):
        if file.photo_id is not None:
            named.setdefault(file.photo_id, file)
    known = names_by_code(players(db, event_id))
    found = []
    for _, page in groupby(sheets(db, event_id), lambda sheet: (sheet.photo_id, sheet.page)):
        here = list(page)
        together = standing_sheets(here, [said[sheet.id] for sheet in here], rules)
        for sheet, json in zip(here, together, strict=True):
            held = in_force(said[sheet.id])
            if not ("ignored" in held and held["ignored"].new is True):
                place = held["place"].new if "place" in held else None
                found.append(_line(sheet, json, place, named.get(sheet.photo_id), known))
    return found


def _line(
    sheet: Sheet,
    json: Json,
    place: Json | None,
    file: FileRow | None,
    known: Mapping[str, str],
) -> Line:
    """Whose sheet it is: a person's word, then the printed code's, then the file's."""
    name = file.name.replace("\\", "/").rsplit("/", 1)[-1] if file else "photo"
    if place is not None:
        return Line(json, name, place.get("round"), place.get("table"), place.get("player"))
    code = SheetId.parse(sheet.code) if sheet.code else None
    round_ = file.details.get("round") if file else None
    if code is None:
        return Line(json, name, round_, None, None)
    player = known.get(code.player.upper(), code.player or None)
    return Line(json, name, round_ if code.round is None else code.round, code.table, player)


def queue_json(lines: Sequence[Line]) -> list[Json]:
    """Doubtful sheets: first those that may turn a game, then by the chance that they are wrong."""
    turning = turning_games(lines)
    doubtful = [line for line in lines if line.json["review"]]
    doubtful.sort(key=lambda x: (x.json["id"] not in turning, x.json["confidence"], x.json["id"]))
    return [
        {
            "id": line.json["id"],
            "kind": line.json["kind"],
            "photo": line.json["photo"],
            "page": line.json["page"],
            "name": line.name,
            "player": line.player,
            "round": line.round,
            "table": line.table,
            "total": line.json["score"]["total"] if line.scored else None,
            "range": line.json["range"] if line.scored else None,
            "confidence": line.json["confidence"],
            "decides": line.json["id"] in turning,
            "thumb": f"/api/photos/{line.json['photo']}/pages/{line.json['page']}/thumb.jpg",
        }
        for line in doubtful
    ]


def turning_games(lines: Iterable[Line]) -> set[int]:
    """Ids of maps whose range reaches that of the other map at their table."""
    at: defaultdict[tuple[int, int], list[Line]] = defaultdict(list)
    for line in lines:
        if line.scored and line.round is not None and line.table is not None:
            at[line.round, line.table].append(line)
    found = set()
    for pair in at.values():
        if len(pair) == 2:
            (low, high), (other_low, other_high) = (line.json["range"] for line in pair)
            if low <= other_high and other_low <= high:
                found |= {line.json["id"] for line in pair}
    return found


def standings_json(db: Connection, event: Event, lines: Sequence[Line]) -> Json:
    """The standings page's data."""
    entered = players(db, event.id)
    names = {player.id: player.name for player in entered}
    seated = games(db, event.id)
    planned = {(g.round, g.table): [names[p] for p in g.seats] for g in seated}
    said = arbiters_points(db, event.id, names)
    played, _ = gather([line.score for line in lines], planned, said, rules_of(event).most)
    active = [player.name for player in entered if player.active]
    best = sorted(lines, key=lambda line: (-line.json["score"]["total"], line.json["id"]))
    return {
        "event": event.name,
        "standings": [_standing_json(s) for s in standings(active, played)] if played else [],
        "games": [_game_json(game) for game in played],
        "totals": [
            {
                "name": line.player or line.name,
                "total": line.json["score"]["total"],
                "review": line.json["review"],
            }
            for line in best[:100]
        ],
    }


def _standing_json(one: Any) -> Json:
    names = ("rank", "player", "score", "wins", "draws", "losses", "byes", "spread")
    return {name: getattr(one, name) for name in (*names, "sonneborn_berger", "decided_by")}


def _game_json(game: Game) -> Json:
    outcome = game.outcome
    return {
        "round": game.round,
        "table": game.table,
        "seats": [{"player": seat.player, "total": seat.total} for seat in game.seats],
        "bye": game.bye,
        "finished": game.finished,
        "winner": outcome.winner if outcome else None,
        "decided_by": outcome.decided_by if outcome else None,
    }
