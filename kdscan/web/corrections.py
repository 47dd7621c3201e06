"""What people say of sheets: it is checked, kept, and answered with the sheet as it stands then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES as LINE_SQUARES
from kdscan.kinds.common.fields import VARIANTS, WIZARD, CellField, ChoiceField, LineField
from kdscan.records import KINDS
from kdscan.tournament.names import UnknownPlayer
from kdscan.web import bodies, schemas
from kdscan.web.answers import ApiError, JsonAnswer
from kdscan.web.api import ask, body_as, id_of, refused, services_of, session_of
from kdscan.web.operation import WRONG_KIND, Handler, Operation

Fields = dict[str, Any]
"""Fields of corrections with their new values."""


def correct(body: bodies.Correction) -> Fields:
    """What one shield really holds."""
    if body.cell == (2, 3):
        raise ApiError(409, "impossible", "the castle holds no coat")
    if body.coat is None and body.crosses:
        raise ApiError(409, "impossible", "an empty shield has no crosses")
    return {str(CellField(body.cell)): {"coat": body.coat, "crosses": body.crosses}}


def square(body: bodies.Square) -> Fields:
    """What one square of a kingdom really holds."""
    if (body.terrain, body.crowns) not in KINDS:
        raise ApiError(409, "impossible", "the box holds no such square")
    return {str(CellField(body.cell)): {"terrain": body.terrain, "crowns": body.crowns}}


def variants(body: bodies.Extras) -> Fields:
    """Which extra rules a kingdom is scored by."""
    return {VARIANTS: {"middle_kingdom": body.middle_kingdom, "harmony": body.harmony}}


def line(body: bodies.Line) -> Fields:
    """What one side's line of a spellbook really shows."""
    most = LINE_SQUARES[Coat(body.coat)]
    if body.filled > most:
        raise ApiError(409, "impossible", f"a line of this coat has {most} squares")
    new = {"filled": body.filled, "struck": body.struck, "used": body.used}
    return {str(LineField(body.player, Coat(body.coat))): new}


def choice(body: bodies.Choice) -> Fields:
    """The coat that one side of a spellbook chose."""
    return {str(ChoiceField(body.player)): body.coat}


def wizard(body: bodies.Wizard) -> Fields:
    """For which coat the filled coat's wizard pays."""
    return {WIZARD: body.coat}


def confirm(_: bodies.Nothing) -> Fields:
    """That a sheet is as on paper."""
    return {"confirmed": True}


async def name(request: Request) -> Response:
    """POST /api/sheets/{id}/name"""
    body = await body_as(request, bodies.NamedPlayer)
    sheets, who = services_of(request).sheets, session_of(request)
    try:
        return JsonAnswer(await ask(sheets.name, id_of(request), body.name, who))
    except UnknownPlayer as error:
        raise refused(request, error) from error


async def undo(request: Request) -> Response:
    """POST /api/sheets/{id}/undo"""
    await body_as(request, bodies.Nothing)
    return JsonAnswer(
        await ask(services_of(request).sheets.undo, id_of(request), session_of(request))
    )


def _of_sheet(what: str, handler: Handler, summary: str, body: Any) -> Operation:
    """Something that people say of a sheet; the answer is the sheet as it stands then."""
    path = f"/api/sheets/{{id}}/{what}"
    return Operation("POST", path, handler, summary, schemas.Sheet, body, more_errors=WRONG_KIND)


def _correction(
    what: str, fields_of: Callable[[Any], Fields], kind: str | None, summary: str, body: Any
) -> Operation:
    """A correction. fields_of: gives its fields. kind: the only sheets that have such fields."""

    async def handler(request: Request) -> Response:
        fields = fields_of(await body_as(request, body))
        sheets, who = services_of(request).sheets, session_of(request)
        return JsonAnswer(await ask(sheets.correct, id_of(request), fields, who, of=kind))

    handler.__name__, handler.__doc__ = fields_of.__name__, f"POST /api/sheets/{{id}}/{what}"
    return _of_sheet(what, handler, summary, body)


OPERATIONS = (
    _correction(
        "corrections",
        correct,
        "duel_map",
        "Say what a shield holds; what follows from it is worked out again",
        bodies.Correction,
    ),
    _correction(
        "squares", square, "kingdom", "Say what a square of a kingdom holds", bodies.Square
    ),
    _correction(
        "variants",
        variants,
        "kingdom",
        "Say which extra rules a kingdom is scored by",
        bodies.Extras,
    ),
    _correction(
        "lines",
        line,
        "duel_spellbook",
        "Say what a side's line of a spellbook shows; the maps beside it are paid anew",
        bodies.Line,
    ),
    _correction(
        "choices",
        choice,
        "duel_spellbook",
        "Say which coat a side of a spellbook chose; the maps beside it are paid anew",
        bodies.Choice,
    ),
    _correction(
        "wizard",
        wizard,
        "duel_map",
        "Say for which coat the filled coat's wizard pays",
        bodies.Wizard,
    ),
    _correction("confirm", confirm, None, "Say that a sheet is as on paper", bodies.Nothing),
    _of_sheet("name", name, "Say whose a sheet is", bodies.NamedPlayer),
    _of_sheet("undo", undo, "Take the newest correction back", bodies.Nothing),
)
