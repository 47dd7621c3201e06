"""The sheets of an event: what was said of them, whose they are, which photos show one sheet, and
which are interpreted together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from math import inf

from kdscan.event import actions as act
from kdscan.event.dedupe import Compared, Entry, same_sheets
from kdscan.event.games import Table
from kdscan.event.log import Author
from kdscan.event.log import Entry as LogEntry
from kdscan.event.names import CUT, Assignment
from kdscan.event.record import EventRecord, derived
from kdscan.event.sheets import Sheet, SheetSaid, is_linked
from kdscan.paper.ids import MOST_LETTERS, SheetId
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK
from kdscan.sheets.common import VARIANTS, extras_json

Group = tuple[tuple[int, ...], bool]
"""Sheets that are interpreted together, and whether they are of one table although they are in
several photos."""


@lru_cache(maxsize=20_000)
def parsed(code: str | None) -> SheetId | None:
    """What a printed code says."""
    return SheetId.parse(code) if code else None


@dataclass(frozen=True, eq=False)
class EventSheets(EventRecord):
    """An event's sheets, as far as no other is needed to know their results."""

    def said_of(self, sheet: Sheet) -> SheetSaid:
        """What was said about a sheet's values."""
        rules: dict[str, object] = {}
        given: Sequence[LogEntry[act.OnField]] = self.said.fields.get(sheet.id, ())
        if sheet.type is KINGDOM:
            fixed = self.rules.game == KINGDOM.game
            own = [entry for entry in given if isinstance(entry.action, act.SetVariants)]
            if fixed:
                given = [entry for entry in given if entry not in own]
            extras = extras_json(self.rules.variants)
            if sheet.brief.extras != (*extras.values(),) and (fixed or not own):
                rules[VARIANTS] = extras
        firm: dict[str, LogEntry[act.OnField]] = {}
        claims: dict[str, LogEntry[act.OnField]] = {}
        closed = self.said.over(self.assignments[sheet.id].round)
        for entry in given:
            name = entry.action.field
            claims.pop(name, None)  # the newest word comes last
            if self.is_firm(entry):
                firm.pop(name, None)
                claims = {} if name == "confirmed" else claims
                firm[name] = entry
            elif name not in firm and "confirmed" not in firm:
                claims[name] = entry
        return SheetSaid(firm, claims, rules, closed)

    @derived("photos", "names", "seats", "first_names")
    def _by_code(self) -> Mapping[int, Assignment]:
        """Whose each sheet is by its code; the round may be that of its file."""
        whose: dict[int, Assignment] = {}
        for sheet in self.sheets.values():
            file, code = self.first_names.get(sheet.photo_id), parsed(sheet.code)
            round_ = file[1].details.get("round") if file else None
            if code is None:
                whose[sheet.id] = Assignment(round_)
                continue
            round_ = round_ if code.round is None else code.round
            full = len(sheet.code or "") >= MOST_LETTERS - 1  # no word ends with a hyphen
            event = code.event + CUT if full else code.event
            player = self.names.coded(code.player)
            if player is None and code.player and self.has_players:
                whose[sheet.id] = Assignment(round_, code.table, None, event, code.player)
                continue
            name = player.name if player else code.player or None
            whose[sheet.id] = self._at_table(Assignment(round_, code.table, name, event))
        return whose

    def _at_table(self, at: Assignment) -> Assignment:
        if at.table is None and at.round is not None and at.player:
            return replace(at, table=self.seats.get((at.round, at.player)))
        return at

    @derived("_by_code", "said.assigned", "said.given")
    def _of_photos(self) -> Mapping[int, Assignment]:
        """What is said of each photo of a sheet alone. The desk's word is final; a player's counts
        where no code says it."""
        said, assigned = self.said, dict(self._by_code)
        for number in (said.assigned.keys() | said.given.keys()) & assigned.keys():
            at, given = assigned[number], said.given.get(number)
            words = said.assigned.get(number, ())
            of_desk = tuple(word for word in words if word[0].role == "desk")
            if self.has_players and (of_desk or at.player or at.mistaken):
                words = of_desk
            if words:
                entry, player_number = words[-1]
                action, player = entry.action, said.players.get(player_number or 0)
                player = player or self.names.called(action.player or "")
                name = player.name if player else action.player
                at = self._at_table(Assignment(action.round, action.table, name, word=entry))
            if words or at.event is None:
                assigned[number] = replace(at, given=given)
        return assigned

    @derived("_of_photos", "compared")
    def assignments(self) -> Mapping[int, Assignment]:
        """Whose each sheet is, and where it was played; removed ones too. Of several photos of one
        sheet the desk's newest word on any of them counts, else a code, else who spoke first. A
        player who says otherwise since waits for the desk."""
        papers: dict[int, list[int]] = defaultdict(list)
        for number, best in self.compared.same.items():
            papers[best].append(number)

        def weight(at: Assignment) -> tuple[int, int]:
            if (word := at.word) is None:
                return 2 * bool(at.player or at.mistaken), 0
            return (1, -word.id) if self.has_players and word.role == "player" else (3, word.id)

        agreed = dict(self._of_photos)
        for best, others in papers.items():
            claims = [agreed[number] for number in (best, *others)]
            first = max(claims, key=weight)
            for at in claims:
                word = at.given or (at.word if at.player != first.player else None)
                if word and word.id > weight(first)[1]:
                    first = replace(first, given=word)
            agreed |= dict.fromkeys((best, *others), first)
        return agreed

    def may_give(self, author: Author, before: Assignment, name: str) -> bool:
        """Whether a player may say whose a sheet is without the desk: it is his own, or nobody's
        and his opponent's, and its round is not over."""
        own = self.names.player(author.who)
        if own is None or self.said.over(before.round) is not None:
            return False
        tables = self.tables.get(before.round or max(self.tables, default=0), {})
        opposed = any({own.name, name} <= {*seats} for seats in tables.values())
        return own.name == name or (before.player is None and opposed)

    @property
    def late(self) -> Set[int]:
        """Sheets that came when their round was over, or once the desk had excluded them, and of
        which it has not spoken since: they change no result. None of a round of which all came
        then, as in older stores."""
        return self._late | self.compared.late | self.again

    @derived("compared", "said.assigned")
    def again(self) -> Set[int]:
        """Sheets that the desk excluded and somebody photographed again, until the desk says whose
        they are."""
        return {n for n in self.compared.again if not self.is_given_by_desk(n)}

    def is_given_by_desk(self, sheet_id: int) -> bool:
        """Whether the desk has said whose a sheet is."""
        return any(word.role == "desk" for word, _ in self.said.assigned.get(sheet_id, ()))

    @cached_property
    def _late(self) -> frozenset[int]:
        """Those of which that is known by this photo of them alone."""
        came: dict[tuple[int | None, bool], set[int]] = defaultdict(set)
        for sheet_id in self._counted:
            round_ = self._of_photos[sheet_id].round
            if over := self.said.over(round_):
                in_time = self.photos[self.sheets[sheet_id].photo_id].added_at <= over.at
                accepted = any(entry.id > over.id for entry in self.firm_on.get(sheet_id, ()))
                came[round_, in_time or accepted].add(sheet_id)
        return frozenset(
            n for (r, good), ids in came.items() if not good and (r, True) in came for n in ids
        )

    @derived("_counted", "assignments", "said.paired", "said.closed", "said.clocks")
    def ends(self) -> Mapping[int, datetime]:
        """Since when a sheet that does not say its round comes too late for a round: its clock has
        run out, or it is over. Not of a round of which all sheets came later."""
        first: dict[int, datetime] = {}
        for sheet_id in self._counted:
            round_, photo = self.assignments[sheet_id].round, self.sheets[sheet_id].photo_id
            if round_:
                came = self.photos[photo].added_at
                first[round_] = min(first.get(round_, came), came)
        ends = {}
        for round_, came in first.items():
            over, clock = self.said.over(round_), self.said.clocks.get(round_)
            moments = [moment for moment in (over and over.at, clock) if moment]
            if moments and came <= min(moments):
                ends[round_] = min(moments)
        return ends

    @derived("photos", "first_names", "said.removed")
    def _counted(self) -> list[int]:
        """The sheets that are not removed, in the order of their files' names."""
        named, removed = self.first_names, self.said.removed
        sheets = [
            sheet
            for sheet in self.sheets.values()
            if sheet.photo_id in named
            and not (removed and self.is_removed(self.photos[sheet.photo_id], sheet.page))
        ]
        sheets.sort(key=lambda sheet: (named[sheet.photo_id][0], sheet.page, sheet.number))
        return [sheet.id for sheet in sheets]

    @derived("photos", "names", "said.ignored", "said.removed")
    def _excluded(self) -> Mapping[int, float]:
        """When the desk ignored sheets, or removed their photos, in seconds."""
        ignored, removed = self.said.ignored, self.said.removed
        when = {}
        for sheet in self.sheets.values() if self.has_players else ():
            photo = self.photos[sheet.photo_id]
            word = removed.get(photo.key()) or removed.get(photo.key(sheet.page))
            if word := ignored.get(sheet.id, word):
                when[sheet.id] = word.at.timestamp()
        return when

    @cached_property
    def compared(self) -> Compared:
        """Which photos show one sheet. Only sheets that have something in common with another are
        compared further."""
        same_as, alike, excluded = self.said.same_as, self.memo.alike, self._excluded
        counting = (n for n in self._counted if n not in self.said.ignored)
        sheets = [self.sheets[n] for n in (*counting, *excluded)]
        codes = {sheet.id: sheet.code for sheet in sheets}
        for sheet in sheets:  # one sheet per round bears a code without a round
            if (printed := parsed(sheet.code)) and printed.round is None:
                round_ = self._of_photos[sheet.id].round
                codes[sheet.id] = None if round_ is None else f"{sheet.code} {round_}"
        bearers = Counter(codes.values())
        readings = Counter(sheet.brief.marks for sheet in sheets)
        for sheet in sheets:
            if sheet.brief.marks and same_as.get(sheet.id) is None:
                alike.add(sheet.brief.marks, coded=bool(codes[sheet.id]))
        named = {*same_as, *same_as.values()}
        entries = []
        for sheet in sheets:
            brief, code = sheet.brief, codes[sheet.id]
            if not (
                sheet.id in named
                or (code and bearers[code] > 1)
                or readings[brief.marks] > 1
                or alike.near(brief.marks, coded=bool(code))
            ):
                continue
            words = [
                entry
                for entry in self.firm_on.get(sheet.id, ())
                if isinstance(entry.action, act.OnField | act.SamePaper)
            ]
            corrected = any(isinstance(entry.action, act.OnField) for entry in words)
            over = self.said.over(self._of_photos[sheet.id].round)
            entries.append(
                Entry(
                    sheet.id,
                    code,
                    brief,
                    same_as.get(sheet.id),
                    sheet.kind,
                    (brief.confirmed, corrected),
                    came=self.photos[sheet.photo_id].added_at.timestamp(),
                    judged=max((entry.at.timestamp() for entry in words), default=-1.0),
                    late=sheet.id in self._late,
                    over=over.at.timestamp() if over else inf,
                    excluded=excluded.get(sheet.id, inf),
                )
            )
        return same_sheets(entries, alike)

    @derived("photos")
    def pages(self) -> Mapping[tuple[int, int], Sequence[int]]:
        """The sheets of each photo's page, in their order there."""
        pages: dict[tuple[int, int], list[int]] = defaultdict(list)
        for sheet in sorted(self.sheets.values(), key=lambda sheet: sheet.number):
            pages[sheet.photo_id, sheet.page].append(sheet.id)
        return pages

    @derived("photos")
    def uses_spellbooks(self) -> bool:
        return any(sheet.type is SPELLBOOK for sheet in self.sheets.values())

    @derived("_counted", "assignments", "said.ignored")
    def _at_tables(self) -> Mapping[Table, Sequence[int]]:
        """The sheets that may count at each table, where spellbooks are used."""
        tables: dict[Table, list[int]] = defaultdict(list)
        for sheet_id in self._counted if self.uses_spellbooks else ():
            at = self.assignments[sheet_id]
            if at.round and at.table and sheet_id not in self.said.ignored:
                tables[at.round, at.table].append(sheet_id)
        return tables

    def _table_of(self, sheet_id: int) -> Table:
        at = self.assignments[sheet_id]
        return at.round or 0, at.table or 0

    def around(self, ids: Iterable[int]) -> set[int]:
        """These sheets and all whose worth may depend on what is said of them: those of their
        pages and tables."""
        near = set(ids) & self.sheets.keys()
        for sheet in [self.sheets[n] for n in near]:
            near.update(self.pages[sheet.photo_id, sheet.page])
            near.update(self._at_tables.get(self._table_of(sheet.id), ()))
        return near

    def groups(self, near: Collection[int]) -> Mapping[int, Group]:
        """The sheets with which each of these is interpreted, where something depends on that:
        where somebody said something, and games whose two maps and spellbook are in several photos.
        """
        fields, groups = self.said.fields, dict[int, Group]()
        ids = [n for n in near if n in fields or self.sheets[n].brief.extras]
        for page in {(self.sheets[n].photo_id, self.sheets[n].page) for n in ids}:
            together = tuple(self.pages[page])
            spoken_of = [n for n in together if self.said_of(self.sheets[n])]
            if spoken_of and is_linked([self.sheets[n].kind for n in together]):
                groups |= dict.fromkeys(together, (together, False))
            else:
                groups |= {n: ((n,), False) for n in spoken_of}
        for at in self._at_tables.keys() & map(self._table_of, near):
            apart = self.compared.same.keys() | self.late
            sheets = [self.sheets[n] for n in self._at_tables[at] if n not in apart]
            maps = [s for s in sheets if s.type is DUEL_MAP]
            books = [s for s in sheets if s.type is SPELLBOOK]
            in_pages = {(s.photo_id, s.page) for s in (*maps, *books)}
            if (len(maps), len(books)) == (2, 1) and len(in_pages) > 1:
                game = tuple(s.id for s in (*maps, *books))
                groups |= dict.fromkeys(game, (game, True))
        return groups
