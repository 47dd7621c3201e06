"""Before every handler: the proxy, headers, session, request rate, and the request's origin."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from contextlib import suppress
from email.utils import formatdate
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kdscan.web import sessions
from kdscan.web.answers import ApiError, refuse_if
from kdscan.web.sessions import Rate, RateLimiter, Session, Settings

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=(), payment=()",
}

HSTS = "max-age=31536000"
"""Browsers that came by https once keep using it for a year."""

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
"""Paths that need no session, because nothing there reveals anything about a game."""

READS = frozenset({"GET", "HEAD", "OPTIONS"})

FROM_BROWSERS = ("origin", "referer", "cookie", "sec-fetch-site")
"""A browser sends at least one of these with every request that a page can trigger."""

WRONG_CODE, SIGNED_IN = 403, 303
"""Statuses of the page's answers to a wrong code and to a right one."""

HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine that no other reaches."""


class Proxy:
    """ASGI middleware: believes what named reverse proxies say of the client, https and the host.

    trusted: their addresses or networks, separated by commas; None for none. A path prefix is not
    supported: the page has a host of its own.
    """

    def __init__(self, app: ASGIApp, trusted: str | None) -> None:
        self._app = app
        self._trusted = [ip_network(text.strip()) for text in (trusted or "").split(",") if text]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if scope["type"] == "http" and client and self._trusts(client[0]):
            headers = MutableHeaders(raw=list(scope["headers"]))
            scope = {**scope, "headers": headers.raw}
            hops = [hop.strip() for hop in headers.get("x-forwarded-for", "").split(",")]
            for hop in filter(None, reversed(hops)):
                scope["client"] = (hop, 0)
                if not self._trusts(hop):
                    break
            if headers.get("x-forwarded-proto") in ("http", "https"):
                scope["scheme"] = headers["x-forwarded-proto"]
            if host := headers.get("x-forwarded-host", "").split(",")[0].strip():
                headers["host"] = host
        await self._app(scope, receive, send)

    def _trusts(self, address: str) -> bool:
        with suppress(ValueError):
            return any(ip_address(address) in network for network in self._trusted)
        return False


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
        request = Request(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_headers(MutableHeaders(scope=message), request)
                if answer is None and _joins(request):
                    if message["status"] == WRONG_CODE:
                        self._guesses.spend(_address(request))
                    elif message["status"] == SIGNED_IN:
                        self._sessions.spend(_address(request))
            await send(message)

        answer = self._refusal(request, scope)
        await (answer or self._app)(scope, receive, send_with_headers)

    def _refusal(self, request: Request, scope: Scope) -> Response | None:
        """The answer that rejects a request, or None."""
        try:
            _check_host(request.headers.get("host", ""))
            session = self._who(request)
            self._slow_down(request, session)
            if session is None and not _is_open(_path(request)):
                if _wants_page(request):
                    return RedirectResponse("/join", 303)
                raise ApiError(401, "no_session", "show the code: Authorization: Bearer CODE")
            if request.method not in READS:
                self._same_site(request, session)
        except ApiError as error:
            return error.answer()
        scope.setdefault("state", {})["session"] = session
        return None

    def _who(self, request: Request) -> Session | None:
        scheme, _, code = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            refuse_if(self._guesses.wait(_address(request)))  # a correct code might be a guess too
            role = sessions.role_of(code, self._settings)
            if role is None:
                self._guesses.spend(_address(request))
                raise ApiError(401, "wrong_code", "this code is not valid")
            return sessions.bearer(role, _address(request))
        cookie = request.cookies.get(sessions.COOKIE)
        session = sessions.verify(cookie, self._settings) if cookie else None
        if session is not None and session in self._revoked:
            session = None
        if session is None and self._settings.open_here and is_here(request.headers):
            return sessions.bearer("desk", _address(request))
        return session

    def _slow_down(self, request: Request, session: Session | None) -> None:
        asker = session.id if session else _address(request)
        path = _path(request)
        if path.startswith("/static/"):
            return
        if path == "/api/photos" and request.method == "POST":
            refuse_if(self._uploads.take(asker))
        elif _joins(request):  # only wrong codes count: a club shares one address
            refuse_if(self._guesses.wait(_address(request)))
            refuse_if(self._sessions.wait(_address(request)))
        else:
            refuse_if(self._requests.take(asker))

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
        if session is None or _joins(request):
            return  # a form, which has no token; it takes the code, perhaps that of another role
        if self._settings.open_here and not any(h in headers for h in FROM_BROWSERS):
            return  # a program on this machine; a browser would have sent one of these
        given = headers.get("x-csrf-token", "")
        if not hmac.compare_digest(
            given.encode(), sessions.csrf_token(session, self._settings.secret).encode()
        ):
            raise ApiError(403, "no_csrf_token", "X-CSRF-Token is missing or wrong: load the page")


def is_here(headers: Headers | Mapping[str, str]) -> bool:
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


def _path(request: Request) -> str:
    """The path by which the handler is chosen; that of `request.url` depends on the Host header."""
    return str(request.scope["path"])


def _is_open(path: str) -> bool:
    return any(path == one or (one.endswith("/") and path.startswith(one)) for one in OPEN)


def _wants_page(request: Request) -> bool:
    return request.method == "GET" and not _path(request).startswith("/api/")


def _joins(request: Request) -> bool:
    return _path(request) == "/join" and request.method == "POST"


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def add_headers(headers: MutableHeaders, request: Request) -> None:
    """Add the headers that every answer has, unless it has others of these names.

    Pages set the round's clock by `Date`: some requests wait for news before they are answered.
    """
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    if request.scope["scheme"] == "https":
        headers.setdefault("Strict-Transport-Security", HSTS)
    headers.setdefault("Cache-Control", "private, no-cache")
    headers["Date"] = formatdate(usegmt=True)
