"""Operations on photos, sheets, games and the event as a whole."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from kdscan.event.actions import RemovePhoto, Undo
from kdscan.event.corrections import NotForPlayers, OnSheet, desk_only
from kdscan.event.events import check_sender
from kdscan.event.names import listed_names, short_name
from kdscan.event.swiss import notes_on
from kdscan.sheets.base import decides_game
from kdscan.web import overviews, schemas
from kdscan.web.operations import DESK_ONLY, NONE_SUCH, Id, PageNumber, Wait, get, post
from kdscan.web.prints import may_teach
from kdscan.web.requests import KEEP_FOREVER, WRONG_KIND, ApiError, Call, not_found
from kdscan.web.sessions import csrf_token
from kdscan.web.shared import join_link
from kdscan.web.tasks import Look, Size
from kdscan.web.uploads import add_upload, check_room, try_again
from kdscan.web.views import (
    check_visible,
    game_json,
    photo_json,
    photo_name,
    photos_json,
    sheets_json,
    visible_photo,
)

REFUSED = {409: "Impossible; `message` says why, in the language of `Accept-Language`."}

MAX_LOOK = 400_000
"""Most bytes of a live picture; 640 pixels as JPEG have 60,000."""

Offset = Annotated[
    int, Meta(ge=0, description="how many bytes came before, see `/api/uploads/{token}`")
]
Token = Annotated[str, Meta(description="the sender's name for an upload that can be resumed")]
Sheets = Annotated[
    str,
    Meta(
        pattern="^(0|[1-9][0-9]{0,99})(,(0|[1-9][0-9]{0,99})){1,3}$",
        description="like 3,4 or 3,4,5",
    ),
]


@get("/api/session")
def session(call: Call) -> schemas.SessionInfo:
    """Who is asking, and what may be sent."""
    settings = call.services.settings
    return {
        "role": call.who.role,
        "teaches": may_teach(call),
        "who": call.who.who,
        "csrf": csrf_token(call.who, settings.secret),
        "join": "" if settings.open_here else join_link(call),
        "event": settings.event,
        "max_bytes": settings.max_bytes,
    }


@post(
    "/api/photos",
    body=bytes,
    errors=DESK_ONLY
    | {409: "Another number of bytes has come.", 415: "A form; send the file itself."},
    status=201,
)
async def upload(
    call: Call,
    name: Annotated[str, Meta(description="the file's name")] = "",
    token: Token = "",
    offset: Offset = 0,
) -> schemas.Accepted:
    """Send a photo; the body is the unchanged file, or the rest of it."""
    services, store, event_id = call.services, call.store, call.event.id
    if call.event.said.closed and call.who.role != "desk":
        raise NotForPlayers("the event is over; ask the desk")
    await run_in_threadpool(check_room, store, call.event, call.who, services.settings)
    with services.parts.file(call.who, token, offset) as file:
        await call.save_photo(file)
        async with services.receiving:
            file.seek(0)
            photo, state = await run_in_threadpool(
                lambda: add_upload(store, event_id, file.read(), clean_name(name), call.who)
            )
    await run_in_threadpool(_restore, call, photo)
    if state == "waiting":
        services.reader.enqueue(photo, sender=call.who.id)
    return {"id": photo, "state": state}


def _restore(call: Call, photo: int) -> None:
    """A photo that was deleted, and is sent again, is back, unless the desk deleted it."""
    event, author = call.services.live.event(), call.author
    key = event.photos[photo].key()
    if key not in event.said.removed:
        return
    if event.has_players and author.role != "desk":
        raise NotForPlayers("the desk has decided this; ask there")
    back = RemovePhoto(removed=False, photo=key)
    call.services.live.perform(replace(author, role="desk"), back)


@get("/api/uploads/{token}")
def uploaded(call: Call, token: Token) -> schemas.Received:
    """How much came of an upload that was cut off; only the rest has to be sent again."""
    return {"bytes": call.services.parts.received(call.who, token)}


def clean_name(name: str) -> str:
    """A file's name without folders, and without characters that no terminal or page should
    print."""
    plain = "".join(c for c in short_name(name) if c.isprintable())
    return plain.strip()[-120:] or "photo"


@get("/api/photos")
def photos(call: Call) -> schemas.Photos:
    """This session's photos."""
    with call.store.read() as db:
        return {"photos": photos_json(db, call.event, call.who, call.words)}


@get("/api/photos/{id}")
async def photo(call: Call, id: Id, wait: Wait = 0) -> schemas.Photo:
    """A photo with its pages and sheets; `wait`: until it was read."""
    if wait:
        visible_photo(call.event, id, call.who)
        waiting = call.services.reader.waiting
        await call.services.news.wait(lambda: id not in waiting, wait)
        await call.refresh()
    return await run_in_threadpool(_photo, call, id)


def _photo(call: Call, id: int) -> schemas.Photo:
    row = visible_photo(call.event, id, call.who)
    with call.store.read() as db:
        return photo_json(db, call.event, row, call.who, call.words)


@post("/api/photos/{id}/again")
async def again(call: Call, id: Id) -> schemas.Photo:
    """Try again to read a photo that could not be read."""
    row = visible_photo(call.event, id, call.who)
    check_sender(call.event, call.author, id)
    await run_in_threadpool(try_again, call.store, row)
    await call.refresh()
    answer = await run_in_threadpool(_photo, call, id)
    if answer["state"] == "waiting":
        call.services.reader.enqueue(id, sender=call.who.id)
    return answer


@post("/api/photos/{id}/remove", errors=REFUSED)
def remove(call: Call, id: Id) -> schemas.Photos:
    """Delete a photo that this session sent first; in an event with players only the desk may."""
    row = visible_photo(call.event, id, call.who)
    check_sender(call.event, call.author, id)
    if call.event.has_players and call.who.role != "desk":
        raise desk_only()
    gone = RemovePhoto(photo_name(call.event, id), photo=row.key())
    call.event, _ = call.services.live.perform(replace(call.author, role="desk"), gone)
    return photos(call)


@get("/api/photos/{id}/pages/{page}/{size}.jpg", "image/jpeg")
async def view(
    call: Call, id: Id, page: PageNumber, size: Annotated[Size, Meta(description="how large")]
) -> Response:
    """A page as a picture."""
    row = visible_photo(call.event, id, call.who)
    if row.pages is None or page >= row.pages:
        raise not_found()
    path = await call.services.pictures.get(row, page, f"{size}.jpg")
    if path is None:
        raise not_found()
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": KEEP_FOREVER})


@post("/api/look", body=bytes, errors={503: "No worker could look."})
async def look(call: Call) -> schemas.Look:
    """Locate a map in a camera's live picture, and say what to improve; nothing is kept."""
    pool, data = call.services.pool, await call.small_body(MAX_LOOK)
    if pool.busy:  # photos that were sent have priority
        return {"hint": "busy", "outline": None}
    return await asyncio.wrap_future(pool.submit(Look(data)))


@get("/api/sheets/{id}")
def sheet(call: Call, id: Id) -> schemas.Sheet:
    """A sheet with its current reading."""
    check_visible(call.event, call.who, id)
    with call.store.read() as db:
        return sheets_json(db, call.event, [id])[0]


@post("/api/actions", errors=NONE_SUCH | REFUSED | DESK_ONLY)
def act(call: Call, body: schemas.Actions) -> schemas.Done:
    """Do something in the event: correct, confirm and assign sheets, and at the desk everything
    else. All of it is done, or nothing; it is undone together."""
    first, before = body.actions[0], call.event if body.want == "desk" else None
    call.event, entries = call.services.live.perform(call.author, *body.actions, last=body.last)
    done: schemas.Done = {
        "actions": [entry.id for entry in entries],
        "state": str(call.event.version),
        "sheet": None,
        "desk": None,
        "notes": [],
    }
    if body.want == "sheet":
        target = call.event.entries[first.action].action if isinstance(first, Undo) else first
        if isinstance(target, OnSheet):
            with call.store.read() as db:
                done["sheet"] = sheets_json(db, call.event, [target.sheet])[0]
    elif before is not None and call.who.role == "desk":
        done["desk"] = desk(call)
        done["notes"] = [call.words.t(t, **v) for t, v in notes_on(before, call.event)]
    return done


@get("/api/desk", news=True, desk=True)
def desk(call: Call) -> schemas.DeskView:
    """Everything that is to be settled in the event, its sheets, players and rounds (desk)."""
    return overviews.desk_view(call.event, call.author, call.words)


@post("/api/players", body=bytes, errors=REFUSED, desk=True)
async def listed(call: Call) -> schemas.PlayerList:
    """The names in a list of players, pasted or saved by a spreadsheet, to look at before they are
    entered (desk)."""
    names, players = listed_names(await call.small_body()), call.event.names
    return {
        "new": [name for name in names if players.player(name) is None],
        "known": [players.spelling(name) or name for name in names if players.player(name)],
    }


@get("/api/standings", news=True)
def standings(call: Call) -> schemas.Standings:
    """The event's table, games and totals."""
    return overviews.standings(call.event)


@get(
    "/api/games",
    errors=NONE_SUCH | {409: "These sheets are no game."},
)
def game(call: Call, sheets: Sheets) -> schemas.Game:
    """Two maps, with their spellbook if it is included, or kingdoms as a game."""
    ids = list(map(int, sheets.split(",")))
    if len(set(ids)) != len(ids):
        raise ApiError(409, "impossible", "a game needs different sheets")
    check_visible(call.event, call.who, *ids)
    with call.store.read() as db:
        table = sheets_json(db, call.event, ids, one_table=True)
    if not decides_game([sheet["kind"] for sheet in table]):
        raise ApiError(409, "wrong_kind", WRONG_KIND)
    return {"sheets": table, "game": game_json(table)}
