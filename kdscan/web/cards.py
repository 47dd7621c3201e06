"""The queue of cards that a person should settle in an event, the most urgent first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, cast

from kdscan.event.apply_corrections import Overrides
from kdscan.event.event import EventState
from kdscan.event.results import FAILED, OK, Result, SheetResult
from kdscan.event.store.records import short_name
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.i18n.problems import AGAINST_RULES
from kdscan.rules.problem import is_open
from kdscan.rules.winner import known_total
from kdscan.sheets.common import cell_values
from kdscan.web.photo_state import picture
from kdscan.web.schemas import ErrorText
from kdscan.web.schemas_event import Card, CardKind, SheetBrief, SheetLine

ORDER: tuple[CardKind | Literal["decides"], ...] = (
    *("conflict", "twice", "owner", "differs", "decides", "again"),
    *("opponent", "look", "failed", "missing", "rules"),  # a failed photo may be the missing one
)
"""Kinds by urgency; "decides": a doubtful sheet that may change who wins a game."""

_KINDS: Mapping[str, CardKind] = {
    "code_conflict": "conflict",
    "two_sheets": "twice",
    "points_differ": "differs",
    "cut_off": "again",
    "missing_sheet": "missing",
    "unplaced": "owner",
    "unknown_player": "owner",
}


def cards(state: EventState, rows: Sequence[Result], turning: Collection[int]) -> list[Card]:
    """The cards of an event. rows: all of its results; turning: sheets that may change who wins."""
    shown = {row.sheet.id: row for row in rows if isinstance(row, SheetResult)}
    found = [*_of_findings(state, shown), *_of_rows(rows, turning, state)]
    return sorted(found, key=_urgency)


def _urgency(card: Card) -> tuple[int, int, int, float, str]:
    kind = "decides" if card["decides"] else card["kind"]
    sure = card["confidence"] if card["confidence"] is not None else 0.0
    return ORDER.index(kind), -(card["round"] or 0), card["table"] or 0, sure, card["key"]


def _of_findings(state: EventState, shown: Mapping[int, SheetResult]) -> Iterator[Card]:
    missing = missing_players(state)
    for finding in state.findings:
        if finding.code == "needs_look" or (
            finding.code == "missing_sheet" and finding.table is None
        ):
            continue  # the sheet's own card tells it; a round that has not begun lacks nothing yet
        if finding.code == "unplaced" and not state.players:  # a pile of photos, no tournament
            continue
        kind = _KINDS[finding.code]
        if kind == "owner" and "count" in finding.values:
            kind = "opponent"
        round_ = finding.round or state.last_round or None
        who = str(finding.values.get("player", ""))
        key = "-".join(map(str, (kind, finding.round, finding.table, *finding.sheets, who)))
        sheets = [sheet_brief(shown[key]) for key in finding.sheets if key in shown]
        card = _card(kind, key, finding.text, finding.values, *sheets)
        card["round"], card["table"] = finding.round, finding.table
        card["player"] = who if who not in ("", "?") else None
        card["players"] = missing.get(round_, []) if round_ else []
        yield card


def missing_players(state: EventState) -> dict[int, list[str]]:
    """Players whose points are not yet known, by round."""
    found: dict[int, list[str]] = {}
    for game in state.games:
        if not game.finished:
            names = [seat.player for seat in game.seats if seat.total is None]
            found.setdefault(game.round, []).extend(names)
    return found


def _of_rows(rows: Iterable[Result], turning: Collection[int], state: EventState) -> Iterator[Card]:
    told = {
        key
        for one in state.findings
        if one.code in ("code_conflict", "cut_off")
        for key in one.sheets
    }
    for row in rows:
        if row.status == FAILED:
            values = {"name": short_name(row.name)}
            text = mark("{name} could not be read")
            card = _card("failed", f"failed-{row.file.id}-{row.page}", text, values)
            card["file"], card["photo"] = row.name, row.file.photo_id
            card["problem"] = cast(ErrorText | None, row.problem)
            yield card
        elif isinstance(row, SheetResult) and row.counts and row.sheet.id not in told:
            yield from _of_sheet(row, turning)


def _of_sheet(row: SheetResult, turning: Collection[int]) -> Iterator[Card]:
    kind: CardKind
    if row.data["review"]:
        kind, text = "look", mark("{name} needs a look")
    elif (
        row.status == OK
        and row.overrides.get("confirmed") is not True
        and any(still_asked(one, row.overrides) for one in row.data["problems"])
    ):
        kind, text = "rules", mark("{name} was read with certainty, but no lawful game leads to it")
    else:
        return
    key, place = row.sheet.id, row.place
    values = {"name": place.player or short_name(row.file.name)}
    card = _card(kind, f"{kind}-{key}", text, values, sheet_brief(row))
    card["round"], card["table"], card["player"] = place.round, place.table, place.player
    card["confidence"] = row.data["confidence"]
    card["decides"] = kind == "look" and key in turning
    yield card


def still_asked(problem: Json, overrides: Overrides) -> bool:
    """Whether a broken rule is still an open question. overrides: the sheet's corrections."""
    cells = ((row, col) for row, col in problem["cells"])
    return problem["code"] in AGAINST_RULES and is_open(cells, cell_values(overrides))


def _card(
    kind: CardKind, key: str, text: str, values: Mapping[str, object], *sheets: SheetBrief
) -> Card:
    """A card that has no round, player or file yet."""
    return {
        "kind": kind,
        "key": key,
        "text": text,
        "values": {name: str(value) for name, value in values.items()},
        "round": None,
        "table": None,
        "player": None,
        "sheets": list(sheets),
        "players": [],
        "decides": False,
        "confidence": None,
        "file": None,
        "problem": None,
        "photo": None,
    }


def sheet_line(row: SheetResult) -> SheetLine:
    """A sheet in a list."""
    sheet = row.sheet
    return {
        "id": sheet.id,
        "kind": sheet.kind,
        "photo": sheet.photo_id,
        "page": sheet.page,
        "name": short_name(row.file.name),
        "player": row.place.player,
        "round": row.place.round,
        "table": row.place.table,
        "total": known_total(row.data),
        "confidence": row.data["confidence"],
        "thumb": picture(row.photo, sheet.page, "thumb"),
    }


def sheet_brief(row: SheetResult) -> SheetBrief:
    """A sheet in a card or in the desk's list."""
    return {
        **sheet_line(row),
        "review": row.data["review"],
        "confirmed": row.overrides.get("confirmed") is True,
        "status": row.status,
    }
