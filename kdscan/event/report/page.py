"""Writes the report piece by piece: an event of any size needs the memory of one photo.

`templates/report.html` defines its appearance, and this module its content. Every text goes through
the catalogues, and everything is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined

from kdscan.event.export import Row, value
from kdscan.event.games import Game, Seat
from kdscan.event.model import REVIEW, Event, SheetResult, short_name
from kdscan.event.report.pictures import CROP_PX, Album, Pictures
from kdscan.event.report.plots import places_svg, totals_svg
from kdscan.event.words import decided_by, half, signed, value_text, where
from kdscan.files import Json
from kdscan.i18n import Words
from kdscan.i18n import errors as error_words
from kdscan.i18n.problems import problem_text
from kdscan.rules.grid import cell_name
from kdscan.rules.problem import problem_from
from kdscan.sheets.common import CellField, parse_field, percent

MOST_DOUBTS = 12
"""Most doubtful places of a sheet that are shown, the least certain first; a sheet with more needs
a better photo."""

_templates = Environment(
    loader=PackageLoader("kdscan.event.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def write_report(state: Event, rows: Iterable[Row], album: Album, w: Words) -> Iterator[str]:
    """The report's HTML in pieces; nothing in it is loaded from anywhere.

    rows: the event's results, iterated once. w: the language.
    """
    names = [player.name for player in state.names.players]
    plots = [
        (w.t("Points of all sheets"), totals_svg([score.total for score in state.scores], w)),
        (w.t("Places, round by round"), places_svg(names, state.games, w)),
    ]
    rounds = groupby(state.games, key=lambda game: game.round)
    return _templates.get_template("report.html").generate(
        state=state,
        rules=state.rules,
        summary=_summary(state, w),
        findings=[
            (
                where(w, one.round, one.table) if one.table else "",
                w.t(one.text, **one.values),
                one.sheets,
            )
            for one in state.findings
        ],
        plots=[(title, svg) for title, svg in plots if svg],
        rounds=[(number, list(games)) for number, games in rounds],
        cards=_cards(state, rows, album, w),
        crop=CROP_PX,
        language=w.language,
        t=w.t,
        error=partial(error_words.error_text, words=w),
        decided_by=partial(decided_by, w),
        seats_of=_seats_of,
        half=half,
        signed=signed,
        percent=percent,
    )


def _summary(state: Event, w: Words) -> str:
    played = sum(game.played for game in state.games)
    rules, players = state.rules, len(state.standings)
    extras = [
        w.t("Kingdomino") if rules.game == "kingdomino" else "",
        f"{rules.variants.size} × {rules.variants.size}" if rules.game == "kingdomino" else "",
        w.t("Middle Kingdom") if rules.middle_kingdom else "",
        w.t("Harmony") if rules.harmony else "",
    ]
    parts = [
        *extras,
        w.tn("{n} player", "{n} players", players) if players else "",
        w.tn("{n} round", "{n} rounds", state.played_round) if state.played_round > 1 else "",
        w.tn("{n} game", "{n} games", played) if played else "",
        w.tn("{n} sheet", "{n} sheets", len(state.scores)) if state.scores else "",
    ]
    return _joined(parts)


def _joined(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)


def _seats_of(games: Sequence[Game]) -> int:
    """Number of seats of the largest table of a round."""
    return max(2, *(len(game.seats) for game in games))


def _cards(state: Event, rows: Iterable[Row], album: Album, w: Words) -> Iterator[Json]:
    """The sheets that count, one after another, each with its pictures."""
    seats = {
        seat.sheet.key: (game, seat)
        for game in state.games
        for seat in game.seats
        if seat.sheet is not None
    }
    for row, read in rows:
        if isinstance(row, SheetResult) and row.counts and read is not None:
            pictures = album.pictures(row, read)
            yield _card(row, read.current, pictures, seats.get(row.sheet.id), w)


def _card(
    row: SheetResult, data: Json, pictures: Pictures, seated: tuple[Game, Seat] | None, w: Words
) -> Json:
    place = row.assignment
    player, at = place.player, where(w, place.round, place.table)
    if seated:
        game, seat = seated
        player, at = seat.player, where(w, game.round, game.table)
    kind = w.t("spellbook") if data["kind"] == "duel_spellbook" else ""
    sure = w.t("{sure} sure", sure=percent(data["confidence"]))
    brief = row.sheet.brief
    if brief.confirmed:
        sure = w.t("checked by {who}", who=brief.confirmed_by or "?")
    worst = sorted(pictures.doubts, key=lambda one: one[0].choices[0][1])[:MOST_DOUBTS]
    return {
        "id": row.sheet.id,
        "title": player or short_name(row.file.name),
        "note": _joined((kind, at, sure)),
        "total": value(data, "score", "total"),
        "look": row.status == REVIEW,
        "picture": pictures.sheet,
        "size_wh": pictures.size_wh,
        "doubts": [one for one in pictures.doubts if one in worst],
        "left": len(pictures.doubts) - len(worst),
        "problems": [problem_text(problem_from(one), w) for one in data.get("problems", ())],
        "corrected": brief.corrected,
        "said": [_said(one, w) for one in data.get("said", ()) if one["field"] != "confirmed"],
        "file": row.file.name,
    }


def _said(one: Json, w: Words) -> str:
    """Who said what of a value: `D1: line → line 3 (Ada)`."""
    at = parse_field(one["field"])
    place = cell_name(at.cell) if isinstance(at, CellField) else one["field"]
    text = f"{place}: {value_text(one['old'], w)} → {value_text(one['new'], w)} ({one['who']})"
    waits = w.t("This change waits for the desk.")
    return f"{text}. {waits}" if one["source"] == "waits" else text
