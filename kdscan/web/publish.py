"""What an event prints and publishes for the desk: sheets, cards, slips, standings, results, its
report and archive, and a link to the standings that needs no code."""

from __future__ import annotations

import hashlib
import hmac
import io
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from msgspec import Meta
from starlette.responses import Response

from kdscan.errors import UsageError
from kdscan.event.actions import SetRules
from kdscan.event.archive import save_event
from kdscan.event.events import events, find_event, forget_event, open_event
from kdscan.event.export import rows_with_sheets, write_csv
from kdscan.event.model import Event
from kdscan.event.report.page import Album, write_report
from kdscan.event.standings import contents, half, signed, so_far
from kdscan.event.swiss import pairing_rows
from kdscan.files.tables import BYTE_ORDER_MARK, write_table
from kdscan.paper.book import load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import Card, impose, sheet_pdf, slips_pdf, table_pdf
from kdscan.paper.style import Language, PrintStyle
from kdscan.paper.tickets import Place, book_tickets_for, tickets_for
from kdscan.web import overviews, schemas
from kdscan.web.operations import Code, get, post
from kdscan.web.requests import ApiError, Call, JsonAnswer, Services, address, not_found
from kdscan.web.sessions import set_cookie

PDF, CSV, ZIP = "application/pdf", "text/csv", "application/zip"

Round = Annotated[int, Meta(ge=0, le=999, description="the last one if left out")]

What = Annotated[Literal["sheets", "cards"], Meta(description="what is printed")]

NOT_OPENED = {409: "It cannot be opened, or deleted; `message` says why."}
NONE_PAIRED = {409: "No such round has been paired."}


def _file(content: bytes, media_type: str, event: Event, what: str) -> Response:
    """An answer that a browser saves under the event's name."""
    name = quote(f"{event.name} {what}", safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(content, media_type=media_type, headers=headers)


def _paired(call: Call, wanted: int) -> int:
    """The round, or the last one for 0; raises `UsageError` if it was not paired."""
    event, wanted = call.event, wanted or call.event.last_round
    event.seats_at(wanted, min(event.tables.get(wanted, {1: ()})))
    return wanted


@get("/api/publish/slips.pdf", PDF, desk=True, errors=NONE_PAIRED)
def slips_file(call: Call, round: Round = 0) -> Response:
    """A round's slips: table, players, and room for points and signatures (desk)."""
    event, w, round = call.event, call.words, _paired(call, round)
    tables = {n: seats for n, seats in event.tables[round].items() if len(seats) > 1}
    title = event.name + " · " + w.t("Round {n}", n=round)
    data = slips_pdf(title, w.t("Table"), w.t("Points"), tables)
    return _file(data, PDF, event, f"slips {round}.pdf")


@get("/api/publish/standings.pdf", PDF, desk=True)
def standings_file(call: Call) -> Response:
    """The standings, to post (desk)."""
    t, event = call.words.t, call.event
    names = ["#", t("Player"), t("Score"), t("Won, drawn, lost"), t("Spread")]
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
    title = f"{event.name} · {so_far(call.words, event)}"
    if cards := overviews.desk_view(event, call.author, call.words)["cards"]:
        title += " · " + t("To settle") + f": {len(cards)}"
    return _file(table_pdf(title, names, rows), PDF, event, "standings.pdf")


@get("/api/publish/{what}.pdf", PDF, desk=True, errors=NONE_PAIRED)
def sheets_file(call: Call, what: What, round: Round = 0) -> Response:
    """A round's maps with names and codes, their spellbooks on the backs, or cards to lay beside
    kingdoms of tiles (desk)."""
    event, round = call.event, _paired(call, round)
    language: Language = call.words.language  # type: ignore[assignment]
    places = [Place(**row) for row in pairing_rows(event, round)]
    tickets = tickets_for(places, event.name, (), language)
    style = PrintStyle(language)
    if what == "cards":
        data = sheet_pdf(Card(), impose(Card(), "a4"), tickets, style)
    else:
        layout, book = load_layout("kdscan-a5"), load_book("kdscan-a5-spellbook")
        backs = book_tickets_for(places, event.name, (), language)
        data = sheet_pdf(layout, impose(layout, "a4"), tickets, style, book, backs)
    return _file(data, PDF, event, f"{what} {round}.pdf")


@get("/api/publish/standings.csv", CSV, desk=True)
def standings_table(call: Call) -> Response:
    """The standings for a spreadsheet (desk)."""
    out = io.StringIO()
    lines = [asdict(line) for line in call.event.standings]
    write_table(lines, list(lines[0]) if lines else ["rank", "player"], out)
    return _file((BYTE_ORDER_MARK + out.getvalue()).encode(), CSV, call.event, "standings.csv")


@get("/api/publish/results.csv", CSV, desk=True)
def results_table(call: Call) -> Response:
    """Every sheet with what was read and said, for a spreadsheet (desk)."""
    out = io.StringIO()
    with call.store.read() as db:
        write_csv(rows_with_sheets(db, call.event), out, call.words)
    return _file((BYTE_ORDER_MARK + out.getvalue()).encode(), CSV, call.event, "results.csv")


@get("/api/publish/report.html", "text/html", desk=True)
def report_file(call: Call) -> Response:
    """The report: standings, games and all sheets with their pictures (desk)."""
    event, w = call.event, call.words
    with call.store.read() as db:
        pieces = write_report(event, rows_with_sheets(db, event), Album(call.store, w), w)
        data = "".join(pieces).encode()
    return _file(data, "text/html", event, "report.html")


@get("/api/publish/archive.zip", ZIP, desk=True)
def archive_file(call: Call) -> Response:
    """The event with all its photos, to keep or to open elsewhere (desk)."""
    with tempfile.TemporaryDirectory(prefix="kdscan-") as folder:
        path = Path(folder, "event.zip")
        save_event(call.store, call.event.name, path)
        return _file(path.read_bytes(), ZIP, call.event, "archive.zip")


def public_code(services: Services) -> str:
    """The code of the public link: whoever has it sees the standings and nothing else."""
    given = f"public:{services.settings.event}".encode()
    return hmac.new(services.settings.secret, given, hashlib.sha256).hexdigest()[:16]


@get("/api/public/{code}", news=True)
def public_standings(call: Call, code: Code) -> schemas.Standings:
    """The standings, for whoever has the public link."""
    if not hmac.compare_digest(code.encode(), public_code(call.services).encode()):
        raise not_found()
    return overviews.standings(call.event)


@get("/api/events", desk=True)
def list_events(call: Call) -> schemas.Events:
    """The events of the store, and which one is open (desk)."""
    with call.store.read() as db:
        rows = events(db)
    return {
        "events": [{"name": e.name, "game": e.game, "open": e.id == call.event.id} for e in rows],
        "link": call.host + address(f"/public/{public_code(call.services)}"),
    }


@post("/api/events", schemas.EventName, desk=True, errors=NOT_OPENED)
def choose_event(call: Call, body: schemas.ChosenEvent) -> Response:
    """Open an event, made if there is none, and start the page again with it (desk)."""
    restart = getattr(call.app.state, "restart", None)
    if restart is None:
        raise ApiError(409, "impossible", "this page was not started by `kdscan serve`")
    rules = SetRules(middle_kingdom=body.middle_kingdom or None, harmony=body.harmony or None)
    with call.store.write() as db:
        game = open_event(db, body.name, body.game, rules).game
    answer = JsonAnswer({"name": body.name, "game": game, "open": True})
    if "authorization" not in call.headers:
        set_cookie(answer, call.who, replace(call.services.settings, event=body.name), call)
    restart(body.name)
    return answer


@post("/api/events/delete", desk=True, errors=NOT_OPENED)
def delete_event(call: Call, body: schemas.DeletedEvent) -> schemas.Events:
    """Delete an event with its photos for good (desk), unless it is open."""
    with call.store.read() as db:
        this = find_event(db, body.name)
    if this.id == call.event.id:
        raise UsageError("{name} is open; open another event first", name=this.name)
    if body.typed != this.name:
        raise UsageError(
            "To delete {name} for good ({some}), type its name.",
            name=this.name,
            some=contents(call.words, this),
        )
    forget_event(call.store, this.id)
    return list_events(call)
