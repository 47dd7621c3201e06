"""Whatever players and the desk do, in any order: the log alone says what an event shows."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.events import load, open_event, perform
from kdscan.event.log import AnyEntry, Author, entries
from kdscan.event.model import Event
from kdscan.event.store import Store, schema
from kdscan.event.store.photos import add_file, add_photo, add_reading, set_pages
from kdscan.event.store.schema import UPLOADED
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.base import AnyReading, deserialize, serialize
from kdscan.sheets.duel_map.model import MapReading
from tests.event.entries import MODELS, entry, kept
from tests.readings import make_book, make_sheet, paid_game, with_evidence

ZOE = Author("Zoe")
NAMES = ("Hugo", "Eve", "Ann", "Bob")
PLAYERS = [Author(name, "player", name.lower()) for name in NAMES]
GAME = paid_game()


def read(sheet: MapReading, code: str) -> AnyReading:
    """A sheet as the reader would have it, with a range that its doubts make."""
    return deserialize(serialize(with_evidence(sheet, sheet_id=code)))


SHEETS = [
    *(
        read(make_sheet(str(board), doubtful=[CELLS[n]]), f"CUP/1/1/{n}")
        for n, board in enumerate(GAME.maps, 1)
    ),
    read(make_sheet(doubtful=[(0, 1), (2, 2)]), "CUP/1/2/3"),
    with_evidence(make_sheet(str(paid_game(seed=100).maps[0])), sheet_id=None),
]
"""One of each player in the first round; nobody knows whose the last is."""


def naive_fold(log: list[AnyEntry]) -> dict[str, Any]:
    """Players, tables and results, as somebody would work them out with pencil and paper."""
    undone: set[int] = set()
    for n in reversed(log):
        if isinstance(n.action, act.Undo) and n.id not in undone:
            (target,) = [e for e in log if e.id == n.action.action]
            undone |= {e.id for e in log if (e.at, e.who) == (target.at, target.who)}
    players: dict[int, list[Any]] = {}
    tables: dict[int, Any] = {}
    results: dict[tuple[int, int], list[dict[int, int] | int]] = defaultdict(list)

    def number(name: str) -> int:
        known = [n for n, (names, _) in players.items() if name in names]
        return known[-1]

    for action in [e.action for e in log if e.id not in undone]:
        match action:
            case act.AddPlayer():
                players[action.number] = [[action.name], True]
            case act.RenamePlayer():
                players[number(action.name)][0].append(action.to)
            case act.DropPlayer() | act.Rejoin():
                players[number(action.name)][1] = isinstance(action, act.Rejoin)
            case act.PairRound(tables=named, round=round_):
                tables[round_] = [[number(name) for name in seats] for seats in named or ()]
            case act.EnterResult():
                points = {number(name): value for name, value in action.points.items()}
                results[action.round, action.table].append(points)
            case act.Walkover():
                winner = number(action.winner) if action.winner else 0
                results[action.round, action.table].append(winner)
            case act.WithdrawResult():
                results[action.round, action.table].clear()
    stated: dict[tuple[int, int], dict[str, int] | str] = {}
    name_of = {n: names[-1] for n, (names, _) in players.items()}
    for at, given in results.items():
        points = {}
        walkover: str | None = None
        for result in given:
            if isinstance(result, int):
                points, walkover = {}, name_of.get(result, "")
            else:
                points, walkover = points | result, None
        stated[at] = (
            {name_of[n]: value for n, value in points.items()} if walkover is None else walkover
        )
    return {
        "players": {name_of[n]: active for n, (_, active) in players.items()},
        "tables": {r: [[name_of[n] for n in t] for t in ts] for r, ts in tables.items() if ts},
        "results": {at: result for at, result in stated.items() if result != {}},
    }


def shown(event: Event) -> dict[str, Any]:
    """The same of an event."""
    results: dict[tuple[int, int], dict[str, int] | str] = {}
    for game in event.games:
        points = {s.player: s.points for s in game.seats if s.points is not None}
        if game.forfeit or game.walkover is not None:
            results[game.round, game.table] = game.walkover or ""
        elif points:
            results[game.round, game.table] = points
    return {
        "players": {player.name: player.active for player in event.names.players},
        "tables": {r: list(map(list, tables.values())) for r, tables in event.tables.items()},
        "results": results,
    }


class AnyCup(RuleBasedStateMachine):
    """Four players and a desk do whatever they like."""

    stores: ClassVar[list[Store]] = []

    def __init__(self) -> None:
        super().__init__()
        self.store = self.stores[0]
        self.acknowledged: list[int] = []
        with self.store.write() as db:
            event = open_event(db, f"Cup {random.Random().getrandbits(60):x}")
            tables = (NAMES[:2], NAMES[2:])
            players = [act.AddPlayer(name) for name in NAMES]
            event, new = perform(db, event, ZOE, *players, act.PairRound(tables=tables))
            self.acknowledged += [e.id for e in new]
            for author, sheet in zip((*PLAYERS, ZOE), (*SHEETS, self.book()), strict=True):
                photo = add_photo(db, event.id, author.who.encode().hex().zfill(64), ".jpg", 1)
                details = {"session": author.session}
                add_file(db, event.id, author.who, photo.id, source=UPLOADED, details=details)
                set_pages(db, photo, 1)
                add_reading(db, photo, 0, MODELS, entry(sheet), kept(sheet), 0.1)
            self.event = load(db, event.id, write=True)
        self.sheets = sorted(self.event.sheets)
        briefs = {n: self.event.sheets[n].brief for n in self.sheets}
        self.ranges = {n: (b.low, b.high) for n, b in briefs.items() if b.total is not None}
        self.desks: set[int] = set()

    @staticmethod
    def book() -> AnyReading:
        return with_evidence(make_book(GAME.spellbook), sheet_id="CUP/1/1/")

    def act(self, by: Author, *actions: act.Action, killed: bool = False) -> bool:
        try:
            with self.store.write() as db:
                event, new = perform(db, self.event, by, *actions)
                if killed:
                    raise KeyboardInterrupt
        except (UsageError, KeyboardInterrupt):
            return False
        self.event = event
        self.acknowledged += [e.id for e in new]
        if by.role == "desk":
            removed = any(isinstance(action, act.RemovePhoto) for action in actions)
            self.desks |= {*self.sheets} if removed else {getattr(a, "sheet", 0) for a in actions}
        return True

    @initialize()
    def nothing(self) -> None:
        """Hypothesis needs a first step."""

    @rule(data=st.data(), who=st.sampled_from([*PLAYERS, ZOE]), killed=st.booleans())
    def on_a_sheet(self, data: st.DataObject, who: Author, killed: bool) -> None:
        sheet = data.draw(st.sampled_from(self.sheets))
        cell = data.draw(st.sampled_from(CELLS[:12] + ((2, 2), (4, 4))))
        coat, crosses = data.draw(st.sampled_from([(None, 0), ("dot", 4), ("line", 1), ("dot", 1)]))
        name = data.draw(st.sampled_from(NAMES))
        choices: list[act.Action] = [
            act.CorrectShield(sheet, cell, coat, crosses),  # type: ignore[arg-type]
            act.CorrectChoice(sheet, crosses % 2, coat),  # type: ignore[arg-type]
            act.ConfirmSheet(sheet),
            act.AssignSheet(sheet, name, 1, crosses % 3 or None),
        ]
        if who.role == "desk":
            choices += [
                act.Ignore(sheet, crosses > 1),
                act.SamePaper(sheet, data.draw(st.sampled_from([None, *self.sheets]))),
                act.RemovePhoto(data.draw(st.sampled_from(NAMES)), crosses > 1),
            ]
        self.act(who, data.draw(st.sampled_from(choices)), killed=killed)

    @rule(data=st.data(), table=st.integers(1, 2), points=st.integers(0, 60))
    def at_the_desk(self, data: st.DataObject, table: int, points: int) -> None:
        names = list(self.event.names._plain)
        name, round_ = data.draw(st.sampled_from(names)), points % 2 + 1
        waiting = [w.action for s in self.event.sheets.values() for w in s.brief.waits]
        choices: list[act.Action] = [
            act.EnterResult(round_, table, {name: points}),
            act.Walkover(round_, table, name if points % 3 else None),
            act.WithdrawResult(round_, table),
            act.RenamePlayer(name, f"Name {points}"),
            act.DropPlayer(name),
            act.Rejoin(name),
            act.AddPlayer(f"New {points}"),
            act.PairRound(seed=points),
            act.PairRound(again=True, seed=points),
            *[act.Approve((action,)) for action in waiting],
        ]
        self.act(ZOE, data.draw(st.sampled_from(choices)))

    @rule(who=st.sampled_from([*PLAYERS, ZOE]), back=st.integers(1, 8))
    def undo(self, who: Author, back: int) -> None:
        if len(self.event.log) >= back:
            target = self.event.log[-back]
            if self.act(who, act.Undo(target.id)) and who.role == "desk":
                self.desks |= {getattr(e.action, "sheet", 0) for e in self.event.log[-back:]}

    @rule(points=st.integers(0, 60), which=st.integers(0, 3))
    def what_is_done_and_undone_leaves_no_trace(self, points: int, which: int) -> None:
        before = self.event.standings, self.event.findings, shown(self.event)
        at = len(self.event.log)
        sheet = self.sheets[which]
        name = self.event.tables[1][1][0]
        done = (
            act.EnterResult(1, 1, {name: points}),
            act.CorrectShield(sheet, (1, 1), "dot", 2),
            act.Ignore(sheet),
        )
        if self.act(ZOE, *done):
            assert self.act(ZOE, act.Undo(self.event.log[at].id))
            assert (self.event.standings, self.event.findings, shown(self.event)) == before

    @rule()
    def another_program_takes_over(self) -> None:
        with self.store.read() as db:
            self.event = load(db, self.event.id)

    @invariant()
    def no_total_leaves_its_range_without_the_desk(self) -> None:
        for n, (low, high) in self.ranges.items():
            brief = self.event.sheets[n].brief
            if not self.desks & set(self.sheets):
                assert brief.total is not None and low <= brief.total <= high
            if brief.waits:
                codes = [f.code for f in self.event.findings if n in f.sheets]
                row = self.event.row(n)
                assert "changed" in codes or not row.counts or self.removed(n)

    def removed(self, sheet: int) -> bool:
        return self.event.is_removed(self.event.photos[self.event.sheets[sheet].photo_id])

    @invariant()
    def a_fold_from_the_beginning_says_the_same(self) -> None:
        with self.store.read() as db:
            assert [e.id for e in entries(db, self.event.id)] == self.acknowledged
            afresh = load(db, self.event.id)
        assert not afresh.unsaved
        assert afresh.sheets == self.event.sheets
        rows, others = ([(r.name, r.status, r.other) for r in e.rows] for e in (afresh, self.event))
        assert rows == others
        assert (afresh.games, afresh.findings) == (self.event.games, self.event.findings)
        assert afresh.standings == self.event.standings

    @invariant()
    def a_naive_fold_says_the_same(self) -> None:
        assert naive_fold(list(self.event.log)) == shown(self.event)

    def teardown(self) -> None:
        with self.store.write() as db:
            db.execute(schema.event.delete().where(schema.event.c.id == self.event.id))


def test_the_log_alone_says_what_an_event_shows(store: Store) -> None:
    AnyCup.stores = [store]
    run_state_machine_as_test(
        AnyCup,
        settings=settings(
            max_examples=10,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
