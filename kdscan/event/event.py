"""The current state of an event: games and their sheets, the table, and what is to be settled."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from kdscan.event.games import Game, SheetScore, Table
from kdscan.event.gather import Finding, Planned, gather
from kdscan.event.names import Names, Seats, seats_of
from kdscan.event.results import FAILED, Result, SheetResult, results
from kdscan.event.rules import rules_of
from kdscan.event.standings import Standing, standings
from kdscan.event.store.corrections import corrections, not_undone
from kdscan.event.store.events import players
from kdscan.event.store.games import games
from kdscan.event.store.records import Correction, Event, Player
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.rules.winner import worth
from kdscan.sheets.base import is_player_sheet

WALKOVER = "walkover"
"""Key in the value of `result`: the id of the player who wins because the opponent did not come."""


@dataclass(frozen=True)
class EventState:
    """players: all, including those who dropped out. games: by round and table, read or planned.

    sheets: all that count, seated or not. names: of those for people, by their keys, as
    `kdscan correct` takes them. failed: names of files and why they were not read, as
    `kdscan.i18n.errors` tells it.
    """

    event: Event
    players: tuple[Player, ...]
    games: tuple[Game, ...]
    findings: tuple[Finding, ...]
    standings: tuple[Standing, ...]
    sheets: tuple[SheetScore, ...]
    failed: tuple[tuple[str, Json], ...]
    names: Mapping[int, str]

    @property
    def last_round(self) -> int:
        """The last round that was planned or played; 0 before the first."""
        return max((game.round for game in self.games), default=0)

    @property
    def played_round(self) -> int:
        """The last round with a finished game; 0 if there is none."""
        played = (game.round for game in self.games if game.played)
        return max(played, default=0)

    @property
    def round_over(self) -> bool:
        """Whether all games of that round are finished."""
        return all(game.finished for game in self.games if game.round == self.played_round)

    def game(self, round_: int, table: int) -> Game:
        """The game at a table that was planned or played."""
        return next(game for game in self.games if (game.round, game.table) == (round_, table))


def event_state(db: Connection, event: Event, rows: Iterable[Result] | None = None) -> EventState:
    """Compute an event's games and standings from its sheets, corrections and plan.

    rows: `results` of the event, if already computed.
    """
    entered = players(db, event.id)
    names = {player.id: player.name for player in entered}
    seats = seats_of(db, event.id)
    scores, failed, called, counting = [], [], {}, []
    together: Counter[int] = Counter()  # the sheets of each photo
    for row in results(db, event.id) if rows is None else rows:
        if isinstance(row, SheetResult):
            together[row.photo.id] += 1
            if row.counts:
                counting.append(row)
                called[row.sheet.id] = row.photo.id, row.name, row.address
            if (score := sheet_score(row, seats.names)) is not None:
                scores.append(score)
        elif row.status == FAILED:
            failed.append((row.name, row.problem or {}))
    shown = {
        key: address if together[photo] > 1 else name
        for key, (photo, name, address) in called.items()
    }
    planned = _planned(db, event.id, names)
    played, findings = gather(scores, planned, rules_of(event).most)
    findings += tuple(_unused_books(counting, seats))
    table = standings([player.name for player in entered], played)
    return EventState(
        event, tuple(entered), played, findings, table, tuple(scores), tuple(failed), shown
    )


def _unused_books(rows: Sequence[SheetResult], seats: Seats) -> Iterator[Finding]:
    """Spellbooks with a chosen coat that pay nobody, because their game is not known. rows: those
    that count."""
    maps = Counter((r.photo.id, r.page) for r in rows if r.data["kind"] == "duel_map")
    for row in rows:
        book = row.data["kind"] == "duel_spellbook" and maps[row.photo.id, row.page] != 2
        if book and any(side["chosen_coat"] for side in row.data["players"]):
            at = seats.of(row.place)
            if at.round is None or at.table is None:
                text = mark("a spellbook adds no points, because its table is not known")
                yield Finding("unplaced", text, {}, at.round, None, (row.sheet.id,))


def sheet_score(row: SheetResult, known: Names) -> SheetScore | None:
    """A row of the results as a sheet of a game; None if it does not count.

    known: the event's players.
    """
    if not row.counts or not is_player_sheet(row.data["kind"]):
        return None
    place = row.place
    return SheetScore(
        key=row.sheet.id,
        round=place.round,
        table=place.table,
        player=known.of(place),
        worth=worth(row.data),
        review=row.data["review"],
        rivals=row.rivals,
        cut_off=bool(row.data.get("photograph_again")),
        event=place.event,
    )


def _planned(db: Connection, event_id: int, names: Mapping[int, str]) -> dict[Table, Planned]:
    """The games as they were paired, and what arbiters entered. names: of players, by id."""
    said: dict[int | None, list[Correction]] = defaultdict(list)
    for row in corrections(db, event_id, field="result"):
        said[row.game_id].append(row)
    found = {}
    for game in games(db, event_id):
        held, before = _stated(said[game.id])
        walkover = names[int(held[WALKOVER])] if WALKOVER in held else None
        points = {
            names[int(k)]: int(v) for k, v in held.items() if k != WALKOVER and int(k) in names
        }
        seen = {names[seat]: before.get(str(seat)) for seat in game.seats}
        seats = tuple(names[seat] for seat in game.seats)
        found[game.round, game.table] = Planned(seats, points, walkover, seen)
    return found


def _stated(rows: Iterable[Correction]) -> tuple[Json, Json]:
    """A game's result (each row adds points to earlier ones, or replaces a walkover), and what its
    sheets were worth, as far as known. Whoever enters the same result again has seen what is known
    now."""
    held: Json = {}
    before: Json = {}
    for row in not_undone(rows):
        if isinstance(row.new, dict):
            known = row.old or {}
            new = [who for who, points in row.new.items() if held.get(who) in (None, points)]
            before |= {who: known.get(who) for who in (known if WALKOVER in row.new else new)}
            both_points = WALKOVER not in held and WALKOVER not in row.new
            held = held | row.new if both_points else row.new
    return held, before
