"""The HTML pages, in the reader's language, and the files that they load."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, RedirectResponse, Response

from kdscan.i18n import LANGUAGES, NAMES
from kdscan.i18n.problems import PROBLEMS
from kdscan.web import api, sessions
from kdscan.web.middleware import is_own
from kdscan.web.operations import document, page
from kdscan.web.requests import KEEP_FOREVER, ROOT, Call, JsonAnswer, address, not_found
from kdscan.web.sessions import Session
from kdscan.web.shared import is_code

STATIC = Path(__file__).parent / "static"
FONTS = STATIC.parents[1] / "paper" / "fonts"

TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ttf": "font/ttf",
}

_templates = Environment(
    loader=PackageLoader("kdscan.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@cache
def static_files() -> dict[str, Path]:
    """Files that browsers may load, by name; nothing else is ever opened."""
    files = {p.relative_to(STATIC).as_posix(): p for p in STATIC.rglob("*") if p.suffix in TYPES}
    files["fonts/Vollkorn-Regular.ttf"] = FONTS / "Vollkorn-Regular.ttf"
    return {name: path for name, path in sorted(files.items()) if name != "sw.js"}


@cache
def static_version() -> str:
    """An identifier of all static files together, which changes when one of them does."""
    digest = hashlib.sha256()
    for name, path in static_files().items():
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of a static file; a new version has a new address."""
    return address(f"/static/{static_version()}/{name}")


@cache
def modules(script: str) -> list[str]:
    """The modules that a script imports, directly or not. Listed in the page, they are loaded at
    once; otherwise browsers discover them one after the other."""
    found = [script]
    for name in found:  # grows meanwhile
        text = (STATIC / "js" / f"{name}.js").read_text("utf-8")
        found += [one for one in re.findall(r'from "./(\w+).js"', text) if one not in found]
    return found[1:]


def _html(
    call: Call, template: str, status: int = 200, media_type: str = "text/html", **values: Any
) -> Response:
    text = _templates.get_template(template).render(
        t=call.words.t,
        language=call.words.language,
        static=static_url,
        root=address("/"),
        languages=NAMES.items(),
        **values,
    )
    return Response(text, status, {"Vary": "Accept-Language, Cookie"}, media_type)


def _page(call: Call, script: str, session: Any = None) -> Response:
    """A page with its script; session: what the script knows of it, if it is nobody's."""
    session, spoken = session or api.session(call), call.words
    return _html(
        call,
        "page.html",
        script=script,
        modules=modules(script),
        words={
            "language": spoken.language,
            "messages": spoken.messages,
            "problems": PROBLEMS,
        },
        session=session,
        leave=session["role"] != "public" and not call.services.settings.open_here,
    )


@page("/")
def home(call: Call) -> Response:
    """The page for phones."""
    return _page(call, "main")


@page("/desk")
def desk_page(call: Call) -> Response:
    """The desk of a tournament."""
    if call.who.role != "desk":
        return RedirectResponse(address("/join"), 303)
    return _page(call, "desk")


@page("/standings")
def standings_page(call: Call) -> Response:
    """The standings, for a projector too."""
    return _page(call, "standings")


@page("/public/{code}")
def public(call: Call, code: str) -> Response:
    """The standings, for whoever has the link."""
    return _page(call, "standings", {"role": "public", "code": code, "csrf": "", "who": ""})


@page("/join")
def empty_form(call: Call) -> Response:
    """The form to sign in."""
    return _join_form(call)


def _join_form(call: Call, problem: str = "", status: int = 200, **typed: str) -> Response:
    """The form to sign in. typed: what its fields hold: code, name, game."""
    fields = {"code": "", "name": "", "game": ""} | {key: text[:60] for key, text in typed.items()}
    return _html(call, "join.html", status, problem=problem, **fields)


@page("/join", "POST")
async def join(call: Call) -> Response:
    """The code, a name, and perhaps the game to which the player was invited."""
    form = parse_qs((await call.small_body()).decode("utf-8", "replace"))
    code, name, game = (form.get(field, [""])[0] for field in ("code", "name", "game"))
    settings = call.services.settings
    role = sessions.role_of(code, settings)
    if role is None:
        problem = call.words.t("This code is not valid. Check it and try again.")
        return _join_form(call, problem, 403, code=code, name=name, game=game)
    known: Session | None = call.state.session
    who = "".join(c for c in name if c.isprintable()).strip()[:60]
    session = sessions.new_session(role, who)
    if known is not None and known.role == role:
        # Joining again: earlier uploads still belong to the same session.
        session = Session(known.id, role, who or known.who, session.ends)
    answer = RedirectResponse(address("/desk") if role == "desk" else _start(game), 303)
    sessions.set_cookie(answer, session, settings, call)
    return answer


@page("/j/{code}")
def join_by_link(call: Call, code: str, game: str = "") -> Response:
    """Opened by the QR code. Viewing it changes nothing, the button does.

    game: one of several phones; whoever has already joined goes there at once.
    """
    if is_code(game) and call.state.session is not None:
        return RedirectResponse(_start(game), 303)
    return _join_form(call, code=code, game=game)


@page("/api/leave", "POST")
async def leave(call: Call) -> Response:
    """End the session at once, wherever its cookie is stored."""
    await call.small_body()
    await run_in_threadpool(call.services.revoked.add, call.who)
    answer = Response(status_code=204)
    answer.delete_cookie(sessions.COOKIE, path=address("/"))
    return answer


def _start(game: str) -> str:
    """Where a player starts."""
    return address(f"/#/shared/{game}" if is_code(game) else "/")


@page("/language/{code}")
def language(call: Call, code: str) -> Response:
    """Switch the language and return to the page where it was chosen."""
    if code not in LANGUAGES:
        raise not_found()
    here = address("/")
    with suppress(ValueError):  # an invalid address
        referer = call.headers.get("referer", "")
        if is_own(referer, call):
            back = urlsplit(referer)
            here += back.path.removeprefix(here).lstrip("/\\")  # two would name another host
            here += f"?{back.query}" if back.query else ""
    answer = RedirectResponse(here, 303)
    answer.set_cookie("language", code, max_age=365 * 24 * 3600, path=address("/"), samesite="lax")
    return answer


@page("/static/{version}/{name:path}")
def static(call: Call, version: str, name: str) -> Response:
    """A file that the pages load."""
    path = static_files().get(name)
    if path is None or version != static_version():
        raise not_found()
    headers = {"Cache-Control": KEEP_FOREVER, "Vary": "Accept-Encoding"}
    media_type = TYPES[path.suffix]
    if path.suffix == ".png" or "gzip" not in call.headers.get("accept-encoding", ""):
        return FileResponse(path, media_type=media_type, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(_gzipped(path), media_type=media_type, headers=headers)


@cache
def _gzipped(path: Path) -> bytes:
    return gzip.compress(path.read_bytes())


@page("/sw.js")
def service_worker(call: Call) -> Response:
    """The service worker, with the list of files to keep."""
    text = (STATIC / "sw.js").read_text("utf-8").replace("{version}", static_version())
    files = [*map(static_url, static_files()), address("/manifest.webmanifest")]
    text = text.replace("/*files*/", ", ".join(map(json.dumps, files)))
    return Response(text, media_type=TYPES[".js"], headers={"Cache-Control": "no-cache"})


@page("/manifest.webmanifest")
def manifest(call: Call) -> Response:
    """What a phone needs to install the page."""
    return _html(call, "manifest.webmanifest", media_type="application/json")


@page("/openapi.json")
def openapi(call: Call) -> Response:
    """What programs may ask of the page."""
    return JsonAnswer({**document(), "servers": [{"url": ROOT.get() or "/"}]})


@page("/health")
def health(call: Call) -> Response:
    """For whoever monitors the program."""
    services = call.services
    return JsonAnswer({"workers": len(services.pool.pids), "waiting": len(services.reader.waiting)})
