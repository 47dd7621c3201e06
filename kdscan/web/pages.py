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
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from kdscan.i18n import LANGUAGES
from kdscan.i18n.problems import PROBLEMS
from kdscan.web import sessions
from kdscan.web.answers import JsonAnswer, not_found
from kdscan.web.middleware import is_own
from kdscan.web.prints import may_teach
from kdscan.web.requests import KEEP_FOREVER, body_of, services_of, session_of, words_of
from kdscan.web.sessions import Session
from kdscan.web.shared import is_code

NAMES = tuple(
    zip(
        LANGUAGES,
        ("English", "Deutsch", "español", "français", "polski", "українська", "русский"),
        strict=True,
    )
)
"""Every language with its own name for itself."""

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
def version() -> str:
    """An identifier of all static files together, which changes when one of them does."""
    digest = hashlib.sha256()
    for name, path in static_files().items():
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of a static file; a new version has a new address."""
    return f"/static/{version()}/{name}"


@cache
def modules(script: str) -> list[str]:
    """The modules that a script imports, directly or not. Listed in the page, they are loaded at
    once; otherwise browsers discover them one after the other."""
    found = [script]
    for name in found:  # grows meanwhile
        text = (STATIC / "js" / f"{name}.js").read_text("utf-8")
        found += [one for one in re.findall(r'from "./(\w+).js"', text) if one not in found]
    return found[1:]


def _html(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    spoken = words_of(request)
    text = _templates.get_template(template).render(
        t=spoken.t, language=spoken.language, static=static_url, languages=NAMES, **values
    )
    return HTMLResponse(text, status, {"Vary": "Accept-Language, Cookie"})


def _page(request: Request, script: str, session: Any = None) -> Response:
    """A page with its script; session: what the script knows of it, if it is nobody's."""
    spoken = words_of(request)
    if session is None:
        session = sessions.session_info(
            services_of(request).settings, session_of(request), may_teach(request)
        )
    return _html(
        request,
        "page.html",
        script=script,
        modules=modules(script),
        words={
            "language": spoken.language,
            "messages": spoken.messages,
            "problems": PROBLEMS,
        },
        session=session,
        leave=session["role"] != "public" and not services_of(request).settings.open_here,
    )


def home(request: Request) -> Response:
    """GET /"""
    return _page(request, "main")


def desk(request: Request) -> Response:
    """GET /desk"""
    if session_of(request).role != "desk":
        return RedirectResponse("/join", 303)
    return _page(request, "desk")


def standings(request: Request) -> Response:
    """GET /standings"""
    return _page(request, "standings")


def public(request: Request) -> Response:
    """GET /public/CODE: the standings, for whoever has the link."""
    code = str(request.path_params["code"])
    return _page(request, "standings", {"role": "public", "code": code, "csrf": "", "who": ""})


async def join_form(
    request: Request, problem: str = "", status: int = 200, **typed: str
) -> Response:
    """GET /join. typed: what its fields hold: code, name, game."""
    fields = {"code": "", "name": "", "game": ""} | {key: text[:60] for key, text in typed.items()}
    return _html(request, "join.html", status, problem=problem, **fields)


async def join(request: Request) -> Response:
    """POST /join: the code, a name, and perhaps the game to which the player was invited."""
    form = parse_qs((await body_of(request)).decode("utf-8", "replace"))
    code, name, game = (form.get(field, [""])[0] for field in ("code", "name", "game"))
    settings = services_of(request).settings
    role = sessions.role_of(code, settings)
    if role is None:
        problem = words_of(request).t("This code is not valid. Check it and try again.")
        return await join_form(request, problem, 403, code=code, name=name, game=game)
    known: Session | None = request.state.session
    who = "".join(c for c in name if c.isprintable()).strip()[:60]
    session = sessions.new_session(role, who)
    if known is not None and known.role == role:
        # Joining again: earlier uploads still belong to the same session.
        session = Session(known.id, role, who or known.who, session.ends)
    answer = RedirectResponse("/desk" if role == "desk" else _start(game), 303)
    sessions.set_cookie(answer, session, settings, request)
    return answer


async def join_by_link(request: Request) -> Response:
    """GET /j/CODE: opened by the QR code. Viewing it changes nothing, the button does.

    ?game=CODE: a game of several phones; whoever has already joined goes there at once.
    """
    game = request.query_params.get("game", "")
    if is_code(game) and request.state.session is not None:
        return RedirectResponse(_start(game), 303)
    return await join_form(request, code=str(request.path_params["code"]), game=game)


async def leave(request: Request) -> Response:
    """POST /api/leave: end the session at once, wherever its cookie is stored."""
    await body_of(request)
    await run_in_threadpool(services_of(request).revoked.add, session_of(request))
    answer = Response(status_code=204)
    answer.delete_cookie(sessions.COOKIE)
    return answer


def _start(game: str) -> str:
    """Where a player starts."""
    return f"/#/shared/{game}" if is_code(game) else "/"


async def language(request: Request) -> Response:
    """GET /language/CODE: switch the language and return to the page where it was chosen."""
    code = str(request.path_params["code"])
    if code not in LANGUAGES:
        raise not_found("language")
    here = "/"
    with suppress(ValueError):  # an invalid address
        referer = request.headers.get("referer", "")
        if is_own(referer, request):
            back = urlsplit(referer)
            here += back.path.lstrip("/\\")  # two slashes would name another host
            here += f"?{back.query}" if back.query else ""
    answer = RedirectResponse(here, 303)
    answer.set_cookie("language", code, max_age=365 * 24 * 3600, samesite="lax")
    return answer


async def static(request: Request) -> Response:
    """GET /static/VERSION/NAME"""
    name = str(request.path_params["name"])
    path = static_files().get(name)
    if path is None or request.path_params["version"] != version():
        raise not_found("file")
    headers = {"Cache-Control": KEEP_FOREVER, "Vary": "Accept-Encoding"}
    media_type = TYPES[path.suffix]
    if path.suffix == ".png" or "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(path, media_type=media_type, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(_gzipped(path), media_type=media_type, headers=headers)


@cache
def _gzipped(path: Path) -> bytes:
    return gzip.compress(path.read_bytes())


async def service_worker(request: Request) -> Response:
    """GET /sw.js, with the list of files to keep."""
    text = (STATIC / "sw.js").read_text("utf-8").replace("{version}", version())
    files = [*map(static_url, static_files()), "/manifest.webmanifest"]
    text = text.replace("/*files*/", ", ".join(map(json.dumps, files)))
    return Response(text, media_type=TYPES[".js"], headers={"Cache-Control": "no-cache"})


async def manifest(request: Request) -> Response:
    """GET /manifest.webmanifest: what a phone needs to install the page."""
    spoken = words_of(request)
    icons = [
        {"src": static_url("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
        {"src": static_url("icon-192.png"), "sizes": "192x192", "type": "image/png"},
        {
            "src": static_url("icon-512.png"),
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "any maskable",
        },
    ]
    content = {
        "name": "kdscan",
        "short_name": "kdscan",
        "description": spoken.t("Photograph the finished map, check what is doubtful, done."),
        "lang": spoken.language,
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#e6d5ae",
        "theme_color": "#8b1a1a",
        "icons": icons,
    }
    return JsonAnswer(content)
