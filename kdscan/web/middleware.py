"""Before every handler: the proxy, headers, session, request rate, and the request's origin."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from contextlib import suppress
from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from kdscan.web import sessions
from kdscan.web.requests import HERE, ROOT, ApiError, Call, address, refuse_if
from kdscan.web.sessions import Rate, RateLimiter, Session, Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=(), payment=()",
}

OPEN = (
    "/join",
    "/j/",
    "/public/",
    "/api/public/",
    "/static/",
    "/language/",
    "/manifest.webmanifest",
    "/sw.js",
    "/openapi.json",
    "/health",
)
"""How paths begin that need no session: nothing there reveals anything about a game."""

FROM_BROWSERS = ("origin", "referer", "cookie", "sec-fetch-site")
"""A browser sends at least one of these with every request that a page can trigger."""

PREFIX = re.compile(r"(/[\w.~-]+)*/?", re.ASCII)
"""Paths below which a page is shown."""


class Proxy(ProxyHeadersMiddleware):
    """ASGI middleware: believes what named reverse proxies say of the client, https and the host.

    trusted: their addresses or networks, separated by commas; None for none. root: the path below
    which they show the page, whether they take it off each request or not; without one, what they
    say in X-Forwarded-Prefix.
    """

    def __init__(self, app: ASGIApp, trusted: str | None, root: str = "") -> None:
        super().__init__(app, trusted or [])  # type: ignore[arg-type]
        self._root = root

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = MutableHeaders(raw=list(scope["headers"]))
            client, path, root = scope.get("client"), scope["path"], self._root
            if client and client[0] in self.trusted_hosts:
                host, prefix = (
                    headers.get(f"x-forwarded-{name}", "").split(",")[0].strip()
                    for name in ("host", "prefix")
                )
                if host:
                    headers["host"] = host
                root = root or (prefix.rstrip("/") if PREFIX.fullmatch(prefix) else "")
            ROOT.set(root)
            if root and path == root:  # relative addresses need the slash
                await RedirectResponse(address("/"))(scope, receive, send)
                return
            path = root + path.removeprefix(root)
            scope = {**scope, "root_path": root, "path": path, "headers": headers.raw}
        await super().__call__(scope, receive, send)


class Middleware:
    """ASGI middleware. Requests that it lets through have `scope["state"]["session"]`."""

    def __init__(self, app: ASGIApp, settings: Settings, revoked: sessions.RevokedSessions) -> None:
        self._app = app
        self._settings = settings
        self._revoked = revoked
        self._requests = RateLimiter(Rate(burst=600, per_second=30))
        self._uploads = RateLimiter(Rate(burst=200, per_second=2))
        self._guesses = RateLimiter(settings.guesses)
        self._sessions = RateLimiter(Rate(burst=60, per_second=0.1))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request, path = Request(scope), scope["path"].removeprefix(ROOT.get())
        client = request.client.host if request.client else ""
        joins = (request.method, path) == ("POST", "/join")
        refusal: Response | None = None

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_headers(MutableHeaders(scope=message), request)
                if joins and not refusal and message["status"] == 403:  # a wrong code
                    self._guesses.spend(client)
                elif joins and not refusal and message["status"] == 303:  # signed in
                    self._sessions.spend(client)
            await send(message)

        try:
            _check_host(request.headers.get("host", ""))
            session = scope.setdefault("state", {})["session"] = self._who(request, client)
            if joins:  # only wrong codes count: a club shares one address
                refuse_if(self._guesses.wait(client) or self._sessions.wait(client))
            elif not path.startswith("/static/"):
                sends = (request.method, path) == ("POST", "/api/photos")
                limiter = self._uploads if sends else self._requests
                refuse_if(limiter.take(session.id if session else client))
            if session is None and not path.startswith(OPEN):
                if request.method != "GET" or path.startswith("/api/"):
                    raise ApiError(401, "no_session", "show the code: Authorization: Bearer CODE")
                refusal = RedirectResponse(address("/join"), 303)
            elif request.method not in ("GET", "HEAD", "OPTIONS"):
                # The form to join has no token; it takes the code, perhaps that of another role.
                self._same_site(request, None if joins else session)
        except ApiError as error:
            refusal = error.answer(Call(scope).words)
        await (refusal or self._app)(scope, receive, send_with_headers)

    def _who(self, request: Request, client: str) -> Session | None:
        scheme, _, code = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            refuse_if(self._guesses.wait(client))  # a correct code might be a guess too
            role = sessions.role_of(code, self._settings)
            if role is None:
                self._guesses.spend(client)
                raise ApiError(401, "wrong_code", "this code is not valid")
            return sessions.bearer(role, client)
        cookie = request.cookies.get(sessions.COOKIE)
        session = sessions.verify(cookie, self._settings) if cookie else None
        if session is not None and session in self._revoked:
            session = None
        if session is None and self._settings.open_here and is_here(request.headers):
            return sessions.bearer("desk", client)
        return session

    def _same_site(self, request: Request, session: Session | None) -> None:
        """Reject changes that another site's page makes a browser request."""
        headers = request.headers
        if headers.get("authorization"):
            return  # browsers never send this by themselves
        origin = headers.get("origin")
        if origin and not is_own(origin, request):
            raise ApiError(403, "other_site", "this came from another site")
        if headers.get("sec-fetch-site") not in (None, "same-origin", "none"):
            raise ApiError(403, "other_site", "this came from another site")
        if session is None:
            return
        if self._settings.open_here and not any(h in headers for h in FROM_BROWSERS):
            return  # a program on this machine; a browser would have sent one of these
        given = headers.get("x-csrf-token", "")
        if not hmac.compare_digest(
            given.encode(), sessions.csrf_token(session, self._settings.secret).encode()
        ):
            raise ApiError(403, "no_csrf_token", "X-CSRF-Token is missing or wrong: load the page")


def is_here(headers: Mapping[str, str]) -> bool:
    """Whether a request comes from a browser on this machine, by a name of this machine and not
    through a proxy.

    Checking the name guards against a site whose own name resolves to this machine.
    """
    if any(name in headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via")):
        return False
    return urlsplit(f"//{headers.get('host', '')}").hostname in HERE


def is_own(address: str, request: Request) -> bool:
    """Whether an address is of the host that a request came to; proxies may name the scheme's own
    port or not."""
    with suppress(ValueError):
        there, here = urlsplit(address), urlsplit(f"//{request.headers.get('host', '')}")
        port = {"http": 80, "https": 443}.get(there.scheme)
        names = there.hostname is not None and there.hostname == here.hostname
        return names and (there.port or port) == (here.port or port)
    return False


def _check_host(host: str) -> None:
    """Raise ApiError for an invalid Host header, because addresses of this page are built from
    it."""
    with suppress(ValueError):
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for an invalid port
        if parts.netloc == host:
            return
    raise ApiError(400, "bad_request", "the Host header is invalid")


def add_headers(headers: MutableHeaders, request: Request) -> None:
    """Add the headers that every answer has, unless it has others of these names.

    Pages set the round's clock by `Date`: some requests wait for news before they are answered.
    """
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    if request.scope["scheme"] == "https":
        # Browsers that came by https once keep using it for a year.
        headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    headers.setdefault("Cache-Control", "private, no-cache")
    headers["Date"] = formatdate(usegmt=True)
