"""Writes the report, piece by piece: an event of any size needs the memory of one photo.

Every text goes through the catalogues; names of players and files are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from kdscan.game.problem import Problem
from kdscan.kinds.common.values import percent
from kdscan.locale import Words
from kdscan.locale import errors as error_words
from kdscan.locale.problems import told
from kdscan.tournament.event import EventState
from kdscan.tournament.games import Game, Seat
from kdscan.tournament.report.doubtful import CROP_PX
from kdscan.tournament.report.pictures import Album, Pictures
from kdscan.tournament.report.plots import places_svg, totals_svg
from kdscan.tournament.report.style import STYLE
from kdscan.tournament.results import REVIEW, Result
from kdscan.tournament.rules import rules_of
from kdscan.tournament.store.records import short_name
from kdscan.tournament.words import decided_by, half, signed

MOST_DOUBTS = 12
"""So many doubtful places of a sheet are shown, the least sure ones: a sheet that has more needs
a better photo."""


def write_report(
    state: EventState, rows: Iterable[Result], album: Album, w: Words
) -> Iterator[str]:
    """The report's HTML in pieces; nothing in it is loaded from anywhere.

    rows: the event's results; they are gone through once. w: the language.
    """
    name, title, nothing = (
        escape(state.event.name),
        w.t("Sheets"),
        w.t("No sheet has been read yet."),
    )
    yield (
        f'<!doctype html>\n<html lang="{w.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name} – kdscan</title><style>{STYLE}</style></head><body>"
        f"<header><h1>{name}</h1><p>{_summary(state, w)}</p></header><main>"
    )
    yield from _standings(state, w)
    yield _to_settle(state, w)
    yield from _plots(state, w)
    yield from _games(state.games, w)
    yield f'<section id="sheets"><h2>{title}</h2><div class="sheets">'
    whose = {
        seat.sheet.key: (game, seat)
        for game in state.games
        for seat in game.seats
        if seat.sheet is not None
    }
    for row in rows:
        if row.counts and row.sheet is not None:
            yield _card(row, album.pictures(row), whose.get(row.sheet.id), w)
    if not state.sheets:
        yield f"<p>{nothing}</p>"
    yield "</div></section></main><footer>"
    yield w.t("Made by kdscan; nothing in this file is loaded from elsewhere.")
    yield "</footer></body></html>\n"


def _summary(state: EventState, w: Words) -> str:
    played = sum(game.finished and not game.bye for game in state.games)
    rules, players = rules_of(state.event), len(state.standings)
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
        w.tn("{n} sheet", "{n} sheets", len(state.sheets)) if state.sheets else "",
    ]
    return " · ".join(part for part in parts if part)


def _standings(state: EventState, w: Words) -> Iterator[str]:
    if not state.standings:
        return
    title, place, sb = w.t("Standings"), w.t("place"), "Sonneborn-Berger"
    player, score, byes, tie = w.t("Player"), w.t("Score"), w.t("Byes"), w.t("Tie broken by")
    wdl, wdl_long = w.t("W D L"), w.t("Won, drawn, lost")
    spread, spread_long = w.t("Spread"), w.t("points spread of all rounds but the best")
    yield (
        f"<section><h2>{title}</h2>"
        f'<div class="wide" tabindex="0" role="region" aria-label="{title}">'
        f'<table><thead><tr><th scope="col"><abbr title="{place}">#</abbr></th>'
        f'<th scope="col" class="name">{player}</th><th scope="col">{score}</th>'
        f'<th scope="col"><abbr title="{wdl_long}">{wdl}</abbr></th>'
        f'<th scope="col">{byes}</th>'
        f'<th scope="col"><abbr title="{spread_long}">{spread}</abbr></th>'
        f'<th scope="col"><abbr title="{sb}">SB</abbr></th>'
        f'<th scope="col" class="name">{tie}</th></tr></thead><tbody>'
    )
    before = None
    for line in state.standings:
        rank = "" if line.rank == before else f"{line.rank}."
        before = line.rank
        medal = f' class="medal m{line.rank}"' if line.rank <= 3 and line.score else ""
        yield (
            f'<tr{medal}><td>{rank}</td><th scope="row" class="name">{escape(line.player)}</th>'
            f"<td><b>{half(line.score)}</b></td><td>{line.wins} {line.draws} {line.losses}</td>"
            f"<td>{line.byes or ''}</td><td>{signed(line.spread)}</td>"
            f'<td>{line.sonneborn_berger:.3g}</td><td class="name">'
            f"{decided_by(w, line.decided_by)}</td></tr>"
        )
    note = w.t(
        "A win is 1 point, a draw ½, a bye 1. Ties as at the Mind Sports Olympiad: head to head "
        "where one has beaten all others in the tie, or lost to all; the points spread without "
        "the best result; Sonneborn-Berger; else shared."
    )
    if rules_of(state.event).seats > 2:
        note += " " + w.t("A table of three or four counts as a game against each of the others.")
    yield f"</tbody></table></div><p class=note>{note}</p></section>"


def _plots(state: EventState, w: Words) -> Iterator[str]:
    names = [p.name for p in state.players]
    plots = [
        (w.t("Points of all sheets"), totals_svg([sheet.total for sheet in state.sheets], w)),
        (w.t("Places, round by round"), places_svg(names, state.games, w)),
    ]
    shown = [(title, svg) for title, svg in plots if svg]
    if shown:
        title = w.t("Plots")
        yield f'<section id="plots"><h2>{title}</h2><div class="plots">'
        for title, svg in shown:
            yield f"<figure><figcaption>{title}</figcaption>{svg}</figure>"
        yield "</div></section>"


def _games(games: Iterable[Game], w: Words) -> Iterator[str]:
    t = w.t
    player, points, number, decided = t("Player"), t("Points"), t("Table"), t("Decided by")
    for round_, of_round in groupby(games, key=lambda game: game.round):
        here = list(of_round)
        most = max(2, *(len(game.seats) for game in here)) if here else 2
        title = t("Round {n}", n=round_)
        heads = f'<th scope="col" class="name">{player}</th><th scope="col">{points}</th>'
        yield (
            f'<section class="round"><h2>{title}</h2>'
            f'<div class="wide" tabindex="0" role="region" aria-label="{title}">'
            f'<table><thead><tr><th scope="col">{number}</th>{heads * most}'
            f'<th scope="col" class="name">{decided}</th></tr></thead><tbody>'
        )
        for game in here:
            outcome = game.outcome
            seats = "".join(
                _seat(seat, game, won=outcome is not None and outcome.winner == i)
                for i, seat in enumerate(game.seats)
            )
            seats += '<td class="name"></td><td></td>' * (most - len(game.seats))
            why = decided_by(w, outcome.decided_by) if outcome else t("open")
            yield f'<tr><td>{game.table}</td>{seats}<td class="name">{why}</td></tr>'
        yield "</tbody></table></div></section>"


def _seat(seat: Seat, game: Game, *, won: bool) -> str:
    missing = "" if game.bye or game.walkover is not None else "?"
    won = won and not game.bye
    total = missing if seat.total is None else str(seat.total)
    name = escape(seat.player)
    link = f'<a href="#sheet-{seat.sheet.key}">{total}</a>' if seat.sheet else total
    mark = ' class="name won"' if won else ' class="name"'
    return f"<td{mark}>{name}{' ♛' if won else ''}</td><td>{link}</td>"


def _where(w: Words, round_: int | None, table: int | None) -> str:
    if round_ is None:
        return ""
    if table is None:
        return w.t("round {round}", round=round_)
    return w.t("round {round}, table {table}", round=round_, table=table)


def _to_settle(state: EventState, w: Words) -> str:
    items = []
    for finding in state.findings:
        where = f"{_where(w, finding.round, finding.table)}: " if finding.table else ""
        show = w.t("show")
        links = " ".join(f'<a href="#sheet-{key}">{show}</a>' for key in finding.sheets)
        text = escape(w.t(finding.text, **finding.values))
        items.append(f"<li>{where}{text} {links}</li>")
    for name, why in state.failed:
        items.append(f"<li><code>{escape(name)}</code>: {escape(error_words.told(why, w))}</li>")
    title, nothing = w.t("To settle"), w.t("Nothing: every game is settled.")
    inside = f"<ul>{''.join(items)}</ul>" if items else f"<p>{nothing}</p>"
    return f'<section id="settle"><h2>{title}</h2>{inside}</section>'


def _card(row: Result, pictures: Pictures, seat: tuple[Game, Seat] | None, w: Words) -> str:
    assert row.sheet is not None and row.data is not None
    total = (row.data.get("score") or {}).get("total")
    player = seat[1].player if seat else (row.place.player or "")
    title = escape(player or short_name(row.file.name))
    where = _where(w, row.place.round, row.place.table)
    if seat:
        where = _where(w, seat[0].round, seat[0].table)
    if row.data["kind"] == "duel_spellbook":
        where = " · ".join(part for part in (w.t("spellbook"), where) if part)
    worth = "" if total is None else f'<span class="total">{total}</span>'
    sure = w.t("{sure} sure", sure=percent(row.data["confidence"]))
    if row.overrides.get("confirmed") is True:
        sure = w.t("checked by a person")
    look, by_hand = w.t("look"), w.t("corrected by hand")
    flag = f'<span class="flag">{look}</span>' if row.status == REVIEW else ""
    image = ""
    if pictures.sheet:
        wide, high = pictures.size_wh
        alt = w.t("{name}: the photo with what was read drawn over it", name=title)
        image = f'<img width="{wide}" height="{high}" alt="{alt}" src="{pictures.sheet}">'
    known = [
        Problem(one["code"], one["severity"], one["message"])
        for one in row.data.get("problems", ())
    ]
    problems = "".join(f'<li class="problem">{escape(told(problem, w))}</li>' for problem in known)
    corrected = f"<li>{by_hand}</li>" if row.overrides else ""
    file = f"<li><code>{escape(row.file.name)}</code></li>"
    return (
        f'<article id="sheet-{row.sheet.id}"><h3>{title} {worth}{flag}</h3>'
        f"<p class=note>{' · '.join(part for part in (escape(where), sure) if part)}</p>"
        f"{image}{_doubts(pictures, w)}<ul class=note>{problems}{corrected}{file}</ul></article>"
    )


def _doubts(pictures: Pictures, w: Words) -> str:
    if not pictures.doubts:
        return ""
    shown, or_ = [], w.t("or")
    worst = sorted(pictures.doubts, key=lambda one: one[0].choices[0][1])[:MOST_DOUBTS]
    for doubt, uri in (one for one in pictures.doubts if one in worst):
        (read, sure), *others = doubt.choices
        more = "".join(f"<br>{or_} {name} {percent(p)}" for name, p in others)
        shown.append(
            f'<figure><img width="{CROP_PX}" height="{CROP_PX}" alt="{doubt.place}" src="{uri}">'
            f"<figcaption><b>{doubt.place}</b> {read} {percent(sure)}{more}</figcaption></figure>"
        )
    left = len(pictures.doubts) - len(shown)
    more = w.t("… and {n} more", n=left)
    return f'<div class="doubts">{"".join(shown)}</div>' + (
        f"<p class=note>{more}</p>" * (left > 0)
    )
