"""`kdscan serve`: the page for phones and the tournament desk."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated

import segno
import typer

from kdscan.cli.known_templates import known_templates
from kdscan.cli.shared import Processes, Store, can_show, terminal_words, warn
from kdscan.errors import UsageError
from kdscan.event.events import open_row
from kdscan.event.prints import EventPrints, add_new_prints
from kdscan.event.store import open_store
from kdscan.files import default_folder
from kdscan.inference.store import default_models
from kdscan.web.addresses import own_certificate, reachable
from kdscan.web.requests import HERE
from kdscan.web.server import run
from kdscan.web.sessions import Settings, codes_of
from kdscan.workers.pool import cores

QR_BLOCKS = "█▀▄"
"""The characters of a compact QR code; terminals without them get one twice as large, of spaces."""


def serve(
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to listen on; 127.0.0.1: this machine only."),
    ] = "0.0.0.0",
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port to listen on; 0: any free one.")
    ] = 8000,
    store: Store = None,
    event: Annotated[
        str, typer.Option(metavar="NAME", help="The event that uploads belong to.")
    ] = "Table",
    workers: Processes = None,
    code: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="The code that players sign in with, instead of a random one."
        ),
    ] = None,
    no_learn: Annotated[
        bool,
        typer.Option(
            "--no-learn", help="Do not learn pads automatically; the desk can switch this on."
        ),
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TLS certificate (PEM), to serve https.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The certificate's private key (PEM).")
    ] = None,
    https: Annotated[
        bool,
        typer.Option(
            "--https",
            help="Serve https with a certificate of its own, so that the camera works in the page.",
        ),
    ] = False,
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Reverse proxy whose X-Forwarded headers are trusted."
        ),
    ] = None,
    root_path: Annotated[
        str,
        typer.Option(metavar="PATH", help="Path below which the proxy shows the page: /kdscan."),
    ] = "",
) -> None:
    """The terminal shows the address as a QR code. Players sign in with the code in it; the second
    link is for those who run the event. Stop with Ctrl-C; everything uploaded is kept.

    Examples:

    $ kdscan serve

    $ kdscan serve --https

    $ kdscan serve --event 'Spring cup' --store cup.sqlite

    $ kdscan serve --host 127.0.0.1 --port 8080
    """
    if bool(certificate) != bool(key):
        raise UsageError("--certificate and --key must be given together")
    if code is not None and not (6 <= len(code) <= 40 and code.isalnum() and code.isascii()):
        raise UsageError("--code must be 6 to 40 letters and digits")
    for address in () if proxy is None else proxy.split(","):
        try:
            ip_network(address.strip())
        except ValueError as error:  # nobody would ever be that proxy
            raise UsageError(
                "--proxy {address}: write its address, like 10.0.0.2", address=proxy
            ) from error
    if https and certificate:
        raise UsageError("--https makes a certificate; leave it out with --certificate")
    root_path = f"/{root_path.strip('/')}".rstrip("/")
    addresses = reachable(host)
    if https:
        certificate, key = own_certificate(
            default_folder() / "https", ["localhost", "127.0.0.1", *addresses]
        )
    tls = None
    if certificate:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            tls.load_cert_chain(certificate, key)
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise UsageError(
                "--certificate {path}: it does not work with that key ({why}); both must be PEM "
                "files",
                path=certificate,
                why=getattr(error, "strerror", None) or error,
            ) from error
    default_models().check()
    listening = _listen(host, port)
    with open_store(store) as opened:
        with opened.write() as db:
            this = open_row(db, event)
            if this.game == "duel":
                add_new_prints(opened, db, this.id, known_templates())
        if no_learn:
            EventPrints(opened, this.id).switch(False)
        secret, join_code, desk_code = codes_of(opened)
        settings = Settings(
            event=event,
            secret=secret,
            join_code=(code or join_code).upper(),
            desk_code=desk_code,
            open_here=host in HERE and code is None,
            proxy=proxy,
            root_path=root_path,
            workers=workers or cores(),
        )
        scheme, port = "https" if tls else "http", listening.getsockname()[1]
        here, *urls = (
            f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}{root_path}"
            for name in ("127.0.0.1", *addresses)
        )
        greet(urls, here, settings, own=https)
        while chosen := asyncio.run(run(opened, settings, listening, tls)):
            settings, listening = replace(settings, event=chosen), _listen(host, port)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            "--host {host} --port {port}: cannot listen there ({error}); choose another port, "
            "like --port 8001, or an address of this machine",
            host=host,
            port=port,
            error=str(error.strerror).split(" (while")[0],
        ) from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # for every connection
    return listening


def greet(addresses: list[str], local: str, settings: Settings, own: bool) -> None:
    """Print the addresses of the page, and on a terminal the QR code of the players' link.

    local: the address on this machine itself. own: the certificate is kdscan's own, of which
    browsers warn.
    """
    t = terminal_words().t
    if settings.open_here:
        alone = t("this machine only, no code needed")
        print(f"{addresses[0]}/  ({alone})", flush=True)
        return
    if not addresses:
        warn("This machine is in no network: phones cannot reach the page.")
    address, *others = addresses or [local]
    link = f"{address}/j/{settings.join_code}"
    if sys.stdout.isatty() and addresses:
        segno.make(link, error="m").terminal(compact=can_show(QR_BLOCKS))
    players, desk = t("players:"), t("desk:")
    width = max(len(players), len(desk))
    by_hand = t("or {address} and the code {code}", address=f"{address}/", code=settings.join_code)
    print(f"{players:<{width}}  {link}  ({by_hand})")
    for other in others:
        print(f"{'':<{width}}  {other}/j/{settings.join_code}")
    secret = t("keep this one to yourself")
    print(f"{desk:<{width}}  {address}/j/{settings.desk_code}  ({secret})")
    if own:
        print(t("The browser warns, because this machine signed the certificate: go on."))
    sys.stdout.flush()
