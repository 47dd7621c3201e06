"""What the desk, the standings page and the projector show: pure functions of an event.

Each is computed once for a version of the event, however many browsers ask.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from itertools import combinations
from typing import get_args

from msgspec.structs import replace

from kdscan.event.export import event_table, table_game
from kdscan.event.log import Author
from kdscan.event.model import FAILED, Event, SheetResult
from kdscan.event.names import short_name
from kdscan.event.swiss import met_before
from kdscan.i18n import Words, mark
from kdscan.web import schemas
from kdscan.web.schemas import Card, CardKind
from kdscan.web.views import localized_error, picture, sheet_brief

TOTALS = 100
"""Most totals that are listed, the highest first."""

ORDER: tuple[CardKind, ...] = get_args(CardKind)
"""Kinds of cards by urgency."""

_KINDS: Mapping[str, CardKind] = {
    "changed": "changed",
    "unlawful": "rules",
    "code_conflict": "conflict",
    "two_sheets": "twice",
    "points_differ": "differs",
    "cut_off": "again",
    "missing_sheet": "missing",
    "unplaced": "owner",
    "unknown_player": "owner",
}


@lru_cache(1)
def standings(event: Event) -> schemas.Standings:
    """The standings page."""
    whole = (score for score in event.scores if not score.brief.retake)
    best = sorted(whole, key=lambda score: (-score.total, score.key))
    totals: list[schemas.Total] = [
        {"name": one.whose, "total": one.total, "review": one.brief.review} for one in best[:TOTALS]
    ]
    return {
        **event_table(event),
        "clock": event.said.clock,
        "shown": event.said.shown,
        "state": str(event.version),
        "totals": totals,
    }


@lru_cache(1)
def desk(event: Event) -> schemas.DeskView:
    """What the desk sees, except what it may undo. Errors of photos are in English."""
    return {
        "clock": event.said.clock,
        "shown": event.said.shown,
        "state": str(event.version),
        "last": max(event.entries, default=0),
        "cards": cards(event),
        "to_come": 0,
        "sheets": list(map(sheet_brief, event.sheet_rows)),
        "players": list(event.names.players),
        "byes": sorted(event.said.byes.get(event.last_round + 1, ())),
        "half_byes": event.rules.half_byes,
        "closed": event.said.closed is not None,
        "games": [table_game(game) for game in event.games],
        "met": [met_before(event, n + 1) for n in range(event.last_round)],
        "last_round": event.last_round,
        "rounds": event.rules.rounds,
        "seats": event.rules.seats,
        "undo": None,
    }


def desk_view(event: Event, author: Author, w: Words) -> schemas.DeskView:
    """What one desk sees now. w: the language of errors.

    Sheets that are missing in the last round are to come until its clock has run out.
    """
    view, clock = desk(event), event.said.clock
    over = clock is not None and datetime.fromisoformat(clock) <= datetime.now(UTC)
    shown: list[Card] = []
    for card in view["cards"]:
        if card.problem:
            card = replace(card, problem=localized_error(card.problem, w))
        if over or card.kind != "missing" or card.round != view["last_round"]:
            shown.append(card)
    later = len(view["cards"]) - len(shown)
    undo: schemas.Undoable | None = None
    if (entry := event.newest(author)) is not None:
        text, values = entry.action.sentence(event)
        undo = {
            "id": entry.id,
            "text": text,
            "values": {name: short_name(str(value)) for name, value in values.items()},
            "sheet": getattr(entry.action, "sheet", None),
        }
    return {**view, "cards": shown, "to_come": later, "undo": undo}


def cards(event: Event) -> list[Card]:
    """Everything that a person should settle, the most urgent first."""

    def urgency(card: Card) -> tuple[float, int, int, float, str]:
        # A doubtful sheet that may change who wins a game comes before one to photograph again.
        order = ORDER.index("again") - 0.5 if card.decides else ORDER.index(card.kind)
        return order, -(card.round or 0), card.table or 0, card.confidence or 0.0, card.key

    return sorted([*_of_findings(event), *_of_rows(event)], key=urgency)


def _of_findings(event: Event) -> Iterator[Card]:
    waiting: dict[int, list[str]] = defaultdict(list)  # whose points are not yet known, by round
    for game in event.games:
        missing = (seat.player for seat in game.seats if seat.total is None and not game.finished)
        waiting[game.round] += missing
    for finding in event.findings:
        if (
            finding.code == "needs_look"  # the sheet's own card says it
            or (finding.code == "missing_sheet" and finding.table is None)  # it has not begun
            or (finding.code == "unplaced" and not event.has_players)  # a pile of photos
        ):
            continue
        kind = _KINDS[finding.code]
        if kind == "owner" and "count" in finding.values:
            kind = "opponent"
        who = str(finding.values.get("player", ""))
        nobodys = finding.sheets and not event.assignments[finding.sheets[0]].player
        yield Card(
            kind,
            "-".join(map(str, (kind, finding.round, finding.table, *finding.sheets, who))),
            finding.text,
            {name: str(value) for name, value in finding.values.items()},
            [sheet_brief(event.row(n)) for n in finding.sheets],
            finding.round,
            finding.table,
            None if nobodys or who in ("", "–") else who,
            waiting[finding.round or event.last_round],
            changes=[
                wait.action
                for n in finding.sheets
                if kind == "changed"
                for wait in event.sheets[n].brief.waits
            ],
        )


def _of_rows(event: Event) -> Iterator[Card]:
    decisive: set[int] = set()  # whose range of totals overlaps with another's of the game
    for game in event.games:
        seats = () if game.unplayed else game.seats
        seated = [event.sheets[s.sheet.key] for s in seats if s.sheet and s.points is None]
        for one, other in combinations(seated, 2):
            if one.brief.low <= other.brief.high and other.brief.low <= one.brief.high:
                decisive |= {one.id, other.id}
    codes = ("code_conflict", "cut_off", "changed")
    settled_elsewhere = {n for one in event.findings if one.code in codes for n in one.sheets}
    for row in event.rows:
        if row.status == FAILED:
            photo = row.photo
            yield Card(
                "failed",
                f"failed-{row.file.id}-{row.page}",
                mark("{name} could not be read"),
                {"name": short_name(row.name)},
                file=row.name,
                problem=row.problem,  # type: ignore[arg-type]
                picture=picture(photo, row.page, "view") if photo and photo.pages else None,
            )
        if not isinstance(row, SheetResult) or not row.counts or not row.sheet.brief.review:
            continue
        sheet, at = row.sheet, row.assignment
        if sheet.id in settled_elsewhere:
            continue
        yield Card(
            "look",
            f"look-{sheet.id}",
            mark("{name} needs a look"),
            {"name": at.player or short_name(row.file.name)},
            [sheet_brief(row)],
            at.round,
            at.table,
            at.player,
            decides=sheet.id in decisive,
            confidence=sheet.brief.confidence,
        )
