"""What an event prints and publishes for the desk: sheets, cards, slips, standings, results, its
report and archive, and a link to the standings that needs no code."""

from __future__ import annotations

import hashlib
import hmac
import io
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kdscan.errors import UsageError
from kdscan.event.actions import SetRules
from kdscan.event.archive import save_event
from kdscan.event.events import events, open_event
from kdscan.event.export import rows_with_sheets, write_csv
from kdscan.event.model import Event
from kdscan.event.report.page import write_report
from kdscan.event.report.pictures import Album
from kdscan.event.swiss import pairing_rows
from kdscan.event.words import half, signed
from kdscan.files.tables import BYTE_ORDER_MARK, write_table
from kdscan.i18n import Words
from kdscan.paper.book import load_book
from kdscan.paper.card import Card
from kdscan.paper.layout import load_layout
from kdscan.paper.lists import slips_pdf, table_pdf
from kdscan.paper.printing import impose, sheet_pdf
from kdscan.paper.style import PrintStyle
from kdscan.paper.text import Language
from kdscan.paper.tickets import Place, book_tickets_for, tickets_for
from kdscan.web import overviews, schemas
from kdscan.web.answers import ApiError, JsonAnswer, not_found
from kdscan.web.operations import NEWS, NONE_SUCH, Query, get, post
from kdscan.web.requests import (
    Services,
    event_of,
    news,
    refused,
    services_of,
    session_of,
    words_of,
)
from kdscan.web.sessions import set_cookie

PDF, CSV, ZIP = "application/pdf", "text/csv", "application/zip"

ROUND: Query = {"round": ({"type": "integer", "minimum": 1}, "the last one if left out", False)}

NOT_OPENED = {409: "It cannot be opened; `message` says why."}
NONE_PAIRED = {409: "No such round has been paired."}


def _file(content: bytes, media_type: str, event: Event, what: str) -> Response:
    """An answer that a browser saves under the event's name."""
    name = quote(f"{event.name} {what}", safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(content, media_type=media_type, headers=headers)


def _round_of(request: Request, event: Event) -> int:
    text = request.query_params.get("round", "")
    wanted = int(text) if text.isdecimal() and len(text) < 6 else event.last_round
    try:
        event.seats_at(wanted, min(event.tables.get(wanted, {1: ()})))
    except UsageError as error:
        raise refused(request, error) from error
    return wanted


def _sheets(request: Request, *, cards: bool) -> Response:
    """The sheets or cards of a round, with names and codes of the event."""
    event = event_of(request)
    round_ = _round_of(request, event)
    language: Language = words_of(request).language  # type: ignore[assignment]
    places = [Place(**row) for row in pairing_rows(event, round_)]
    tickets = tickets_for(places, event.name, (), language)
    style = PrintStyle(language)
    if cards:
        front = Card()
        data = sheet_pdf(front, impose(front, "a4"), tickets, style)
    else:
        layout, book = load_layout("kdscan-a5"), load_book("kdscan-a5-spellbook")
        backs = book_tickets_for(places, event.name, (), language)
        data = sheet_pdf(layout, impose(layout, "a4"), tickets, style, book, backs)
    return _file(data, PDF, event, f"{'cards' if cards else 'sheets'} {round_}.pdf")


@get("/api/publish/sheets.pdf", PDF, query=ROUND, desk=True, errors=NONE_PAIRED)
def sheets_file(request: Request) -> Response:
    """A round's maps with names and codes, their spellbooks on the backs (desk)."""
    return _sheets(request, cards=False)


@get("/api/publish/cards.pdf", PDF, query=ROUND, desk=True, errors=NONE_PAIRED)
def cards_file(request: Request) -> Response:
    """A round's cards, to lay beside kingdoms of tiles (desk)."""
    return _sheets(request, cards=True)


@get("/api/publish/slips.pdf", PDF, query=ROUND, desk=True, errors=NONE_PAIRED)
def slips_file(request: Request) -> Response:
    """A round's slips: table, players, and room for points and signatures (desk)."""
    event, w = event_of(request), words_of(request)
    round_ = _round_of(request, event)
    tables = {n: seats for n, seats in event.tables[round_].items() if len(seats) > 1}
    title = event.name + " · " + w.t("Round {n}", n=round_)
    data = slips_pdf(title, w.t("Table"), w.t("Points"), tables)
    return _file(data, PDF, event, f"slips {round_}.pdf")


def _standings_rows(event: Event, w: Words) -> tuple[list[str], list[list[str]]]:
    names = ["#", w.t("Player"), w.t("Score"), w.t("Won, drawn, lost"), w.t("Spread")]
    rows = [
        [
            str(line.rank),
            line.player,
            half(line.score),
            f"{line.wins} · {line.draws} · {line.losses}",
            signed(line.spread),
        ]
        for line in event.standings
    ]
    return names, rows


@get("/api/publish/standings.pdf", PDF, desk=True)
def standings_file(request: Request) -> Response:
    """The standings, to post (desk)."""
    event = event_of(request)
    names, rows = _standings_rows(event, words_of(request))
    return _file(table_pdf(event.name, names, rows), PDF, event, "standings.pdf")


@get("/api/publish/standings.csv", CSV, desk=True)
def standings_table(request: Request) -> Response:
    """The standings for a spreadsheet (desk)."""
    event = event_of(request)
    out = io.StringIO()
    lines = [asdict(line) for line in event.standings]
    write_table(lines, list(lines[0]) if lines else ["rank", "player"], out)
    return _file((BYTE_ORDER_MARK + out.getvalue()).encode(), CSV, event, "standings.csv")


@get("/api/publish/results.csv", CSV, desk=True)
def results_table(request: Request) -> Response:
    """Every sheet with what was read and said, for a spreadsheet (desk)."""
    event, out = event_of(request), io.StringIO()
    with services_of(request).store.read() as db:
        write_csv(rows_with_sheets(db, event), out, words_of(request))
    return _file((BYTE_ORDER_MARK + out.getvalue()).encode(), CSV, event, "results.csv")


@get("/api/publish/report.html", "text/html", desk=True)
def report_file(request: Request) -> Response:
    """The report: standings, games and all sheets with their pictures (desk)."""
    services, event, w = services_of(request), event_of(request), words_of(request)
    with services.store.read() as db:
        pieces = write_report(event, rows_with_sheets(db, event), Album(services.store, w), w)
        data = "".join(pieces).encode()
    return _file(data, "text/html", event, "report.html")


@get("/api/publish/archive.zip", ZIP, desk=True)
def archive_file(request: Request) -> Response:
    """The event with all its photos, to keep or to open elsewhere (desk)."""
    event = event_of(request)
    with tempfile.TemporaryDirectory(prefix="kdscan-") as folder:
        path = Path(folder, "event.zip")
        save_event(services_of(request).store, event.name, path)
        return _file(path.read_bytes(), ZIP, event, "archive.zip")


def public_code(services: Services) -> str:
    """The code of the public link: whoever has it sees the standings and nothing else."""
    given = f"public:{services.settings.event}".encode()
    return hmac.new(services.settings.secret, given, hashlib.sha256).hexdigest()[:16]


@get("/api/publish/link", desk=True)
def public_link(request: Request) -> schemas.PublicLink:
    """The address at which everybody sees the standings without a code (desk)."""
    code = public_code(services_of(request))
    return {"link": f"{request.url.scheme}://{request.url.netloc}/public/{code}"}


@get("/api/public/{code}", query=NEWS, errors=NONE_SUCH)
async def public_standings(request: Request) -> schemas.Standings | schemas.Unchanged:
    """The standings, for whoever has the public link."""
    services = services_of(request)
    given, code = request.path_params["code"], public_code(services)
    if not hmac.compare_digest(given.encode(), code.encode()):
        raise not_found("event")
    if (unchanged := await news(request)) is not None:
        return unchanged
    return await run_in_threadpool(
        lambda: services.overviews.of(event_of(request), overviews.standings)
    )


@get("/api/events", desk=True)
def list_events(request: Request) -> schemas.Events:
    """The events of the store, and which one is open (desk)."""
    services = services_of(request)
    with services.store.read() as db:
        rows = events(db)
    open_now = services.live.name
    return {"events": [{"name": e.name, "game": e.game, "open": e.name == open_now} for e in rows]}


@post("/api/events", schemas.EventName, desk=True, errors=NOT_OPENED)
def choose_event(request: Request, body: schemas.ChosenEvent) -> Response:
    """Open an event, made if there is none, and start the page again with it (desk)."""
    services, session = services_of(request), session_of(request)
    restart = getattr(request.app.state, "restart", None)
    if restart is None:
        raise ApiError(409, "impossible", "this page was not started by `kdscan serve`")
    rules = SetRules(middle_kingdom=body.middle_kingdom or None, harmony=body.harmony or None)
    try:
        with services.store.write() as db:
            game = open_event(db, body.name, body.game, rules).game
    except UsageError as error:
        raise refused(request, error) from error
    answer = JsonAnswer({"name": body.name, "game": game, "open": True})
    if "authorization" not in request.headers:
        settings = replace(services.settings, event=body.name)
        set_cookie(answer, session, settings, request)
    restart(body.name)
    return answer
