"""Writes the report, piece by piece: an event of any size needs the memory of one photo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from kdscan.report import cell_name
from kdscan.tournament.event import EventState
from kdscan.tournament.games import Game, Seat
from kdscan.tournament.report.pictures import Album, Pictures
from kdscan.tournament.report.plots import places_svg, totals_svg
from kdscan.tournament.report.style import STYLE
from kdscan.tournament.results import OK, REVIEW, Result

_WHY = {
    "head_to_head": "head to head",
    "spread": "spread",
    "sonneborn_berger": "Sonneborn-Berger",
    "shared": "shared",
    "score": "",
    "largest_domain": "larger domain",
    "crowns": "more crowns",
    "draw": "draw",
    "bye": "bye",
}


def write_report(state: EventState, rows: Iterable[Result], album: Album) -> Iterator[str]:
    """The report's HTML in pieces; nothing in it is loaded from anywhere.

    rows: the event's results; they are gone through once.
    """
    name = escape(state.event.name)
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name} – kdscan</title><style>{STYLE}</style></head><body>"
        f"<header><h1>{name}</h1><p>{_summary(state)}</p></header><main>"
    )
    yield from _standings(state)
    yield _to_settle(state)
    yield from _plots(state)
    yield from _games(state.games)
    yield '<section id="sheets"><h2>Sheets</h2><div class="sheets">'
    whose = {
        seat.sheet.key: (game, seat)
        for game in state.games
        for seat in game.seats
        if seat.sheet is not None
    }
    for row in rows:
        if row.status in (OK, REVIEW) and row.sheet is not None:
            yield _card(row, album.pictures(row), whose.get(row.sheet.id))
    if not state.sheets:
        yield "<p>No sheet has been read yet.</p>"
    yield "</div></section>"
    yield "</main><footer>Made by kdscan; nothing in this file is loaded from elsewhere.</footer>"
    yield "</body></html>\n"


def _summary(state: EventState) -> str:
    played = sum(game.finished and not game.bye for game in state.games)
    parts = [
        f"{len(state.standings)} players" if state.standings else "",
        f"{state.last_round} rounds" if state.last_round > 1 else "",
        f"{played} games" if played else "",
        f"{len(state.sheets)} sheets" if state.sheets else "",
    ]
    return " · ".join(part for part in parts if part)


def _standings(state: EventState) -> Iterator[str]:
    if not state.standings:
        return
    yield (
        "<section><h2>Standings</h2>"
        '<div class="wide" tabindex="0" role="region" aria-label="Standings"><table><thead><tr>'
        '<th scope="col"><abbr title="place">#</abbr></th>'
        '<th scope="col" class="name">Player</th><th scope="col">Score</th>'
        '<th scope="col"><abbr title="won, drawn, lost">W D L</abbr></th>'
        '<th scope="col">Byes</th>'
        '<th scope="col"><abbr title="points spread of all rounds but the best">Spread</abbr></th>'
        '<th scope="col"><abbr title="Sonneborn-Berger">SB</abbr></th>'
        '<th scope="col" class="name">Tie broken by</th></tr></thead><tbody>'
    )
    before = None
    for line in state.standings:
        rank = "" if line.rank == before else f"{line.rank}."
        before = line.rank
        medal = f' class="medal m{line.rank}"' if line.rank <= 3 and line.score else ""
        yield (
            f'<tr{medal}><td>{rank}</td><th scope="row" class="name">{escape(line.player)}</th>'
            f"<td><b>{_half(line.score)}</b></td><td>{line.wins} {line.draws} {line.losses}</td>"
            f"<td>{line.byes or ''}</td><td>{line.spread:+d}</td>"
            f'<td>{line.sonneborn_berger:g}</td><td class="name">'
            f"{_WHY.get(line.decided_by, '')}</td></tr>"
        )
    yield (
        "</tbody></table></div><p class=note>A win is 1 point, a draw ½, a bye 1. Ties as at the"
        " Mind Sports Olympiad: head to head where one has beaten all others in the tie, or lost"
        " to all; the points spread without the best result; Sonneborn-Berger; else shared.</p>"
        "</section>"
    )


def _plots(state: EventState) -> Iterator[str]:
    plots = [
        ("Points of all sheets", totals_svg([sheet.total for sheet in state.sheets])),
        ("Places, round by round", places_svg([p.name for p in state.players], state.games)),
    ]
    shown = [(title, svg) for title, svg in plots if svg]
    if shown:
        yield '<section id="plots"><h2>Plots</h2><div class="plots">'
        for title, svg in shown:
            yield f"<figure><figcaption>{title}</figcaption>{svg}</figure>"
        yield "</div></section>"


def _games(games: Iterable[Game]) -> Iterator[str]:
    for round_, of_round in groupby(games, key=lambda game: game.round):
        yield (
            f'<section class="round"><h2>Round {round_}</h2>'
            f'<div class="wide" tabindex="0" role="region" aria-label="Round {round_}">'
            "<table><thead><tr>"
            '<th scope="col">Table</th><th scope="col" class="name">Player</th>'
            '<th scope="col">Points</th><th scope="col" class="name">Player</th>'
            '<th scope="col">Points</th><th scope="col" class="name">Decided by</th></tr></thead>'
            "<tbody>"
        )
        for game in of_round:
            outcome = game.outcome
            seats = "".join(
                _seat(seat, outcome is not None and outcome.winner == i and not game.bye)
                for i, seat in enumerate(game.seats)
            )
            if game.bye:
                seats += '<td class="name"></td><td></td>'
            why = _WHY[outcome.decided_by] if outcome else "open"
            yield f'<tr><td>{game.table}</td>{seats}<td class="name">{why}</td></tr>'
        yield "</tbody></table></div></section>"


def _seat(seat: Seat, won: bool) -> str:
    total = "?" if seat.total is None else str(seat.total)
    name = escape(seat.player)
    link = f'<a href="#sheet-{seat.sheet.key}">{total}</a>' if seat.sheet else total
    mark = ' class="name won"' if won else ' class="name"'
    return f"<td{mark}>{name}{' ♛' if won else ''}</td><td>{link}</td>"


def _to_settle(state: EventState) -> str:
    items = []
    for finding in state.findings:
        where = f"Round {finding.round}, table {finding.table}: " if finding.table else ""
        links = " ".join(f'<a href="#sheet-{key}">show</a>' for key in finding.sheets)
        items.append(f"<li>{where}{escape(finding.message)} {links}</li>")
    for name, message in state.failed:
        items.append(f"<li><code>{escape(name)}</code>: {escape(message)}</li>")
    inside = f"<ul>{''.join(items)}</ul>" if items else "<p>Nothing: every game is settled.</p>"
    return f'<section id="settle"><h2>To settle</h2>{inside}</section>'


def _card(row: Result, pictures: Pictures, seat: tuple[Game, Seat] | None) -> str:
    assert row.sheet is not None and row.data is not None
    total = (row.data.get("score") or {}).get("total")
    player = seat[1].player if seat else (row.place.player or "")
    title = escape(player or row.file.name.replace("\\", "/").rsplit("/", 1)[-1])
    where = f"round {row.place.round}" if row.place.round is not None else ""
    if seat:
        where = f"round {seat[0].round}, table {seat[0].table}"
    worth = "" if total is None else f'<span class="total">{total}</span>'
    sure = f"{100 * row.data['confidence']:.0f}% sure"
    flag = '<span class="flag">look</span>' if row.status == REVIEW else ""
    image = ""
    if pictures.sheet:
        w, h = pictures.size_wh
        image = (
            f'<img width="{w}" height="{h}"'
            f' alt="The sheet of {title} as read: {total} points" src="{pictures.sheet}">'
        )
    problems = "".join(
        f'<li class="problem">{escape(problem["message"])}</li>'
        for problem in row.data.get("problems", ())
    )
    corrected = "<li>corrected by hand</li>" if row.said else ""
    file = f"<li><code>{escape(row.file.name)}</code></li>"
    return (
        f'<article id="sheet-{row.sheet.id}"><h3>{title} {worth}{flag}</h3>'
        f"<p class=note>{' · '.join(part for part in (escape(where), sure) if part)}</p>"
        f"{image}{_doubts(pictures)}<ul class=note>{problems}{corrected}{file}</ul></article>"
    )


def _doubts(pictures: Pictures) -> str:
    if not pictures.doubts:
        return ""
    shown = []
    for doubt, uri in pictures.doubts:
        cell = doubt.cell
        others = "".join(
            f"<br>or {_marks(coat, crosses)} {100 * p:.0f}%"
            for (coat, crosses), p in doubt.alternatives
        )
        name = cell_name((cell.row, cell.col))
        read = f"{_marks(cell.coat, cell.crosses)} {100 * cell.confidence:.0f}%"
        shown.append(
            f'<figure><img width="144" height="144" alt="Cell {name}" src="{uri}">'
            f"<figcaption><b>{name}</b> {read}{others}</figcaption></figure>"
        )
    return f'<div class="doubts">{"".join(shown)}</div>'


def _marks(coat: object, crosses: int) -> str:
    name = "empty" if coat is None else str(coat).replace("_", " ")
    return name + (" " + "×" * crosses if crosses else "")


def _half(score: float) -> str:
    whole = int(score)
    return f"{whole or ''}½" if score != whole else str(whole)
