"""What people say of sheets: each handler checks it, and answers the sheet as it stands then."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES as LINE_SQUARES
from kdscan.kinds.common.fields import VARIANTS, WIZARD, CellField, ChoiceField, LineField
from kdscan.locale import words
from kdscan.locale.errors import error_json, told
from kdscan.records import KINDS
from kdscan.tournament.names import UnknownPlayer
from kdscan.web import bodies
from kdscan.web.answers import ApiError, JsonAnswer
from kdscan.web.api import ask, body_as, id_of, language_of, services_of, session_of


async def correct(request: Request) -> Response:
    """POST /api/sheets/{id}/corrections"""
    said = await body_as(request, bodies.Correction)
    if said.cell == (2, 3):
        raise ApiError(409, "impossible", "the castle holds no coat")
    if said.coat is None and said.crosses:
        raise ApiError(409, "impossible", "an empty shield has no crosses")
    new = {"coat": said.coat, "crosses": said.crosses}
    return await _corrected(request, {str(CellField(said.cell)): new}, "duel_map")


async def square(request: Request) -> Response:
    """POST /api/sheets/{id}/squares"""
    said = await body_as(request, bodies.Square)
    if (said.terrain, said.crowns) not in KINDS:
        raise ApiError(409, "impossible", "the box holds no such square")
    new = {"terrain": said.terrain, "crowns": said.crowns}
    return await _corrected(request, {str(CellField(said.cell)): new}, "kingdom")


async def variants(request: Request) -> Response:
    """POST /api/sheets/{id}/variants"""
    said = await body_as(request, bodies.Extras)
    new = {"middle_kingdom": said.middle_kingdom, "harmony": said.harmony}
    return await _corrected(request, {VARIANTS: new}, "kingdom")


async def line(request: Request) -> Response:
    """POST /api/sheets/{id}/lines"""
    said = await body_as(request, bodies.Line)
    most = LINE_SQUARES[Coat(said.coat)]
    if said.filled > most:
        raise ApiError(409, "impossible", f"a line of this coat has {most} squares")
    new = {"filled": said.filled, "struck": said.struck, "used": said.used}
    return await _corrected(
        request, {str(LineField(said.player, Coat(said.coat))): new}, "duel_spellbook"
    )


async def choice(request: Request) -> Response:
    """POST /api/sheets/{id}/choices"""
    said = await body_as(request, bodies.Choice)
    return await _corrected(request, {str(ChoiceField(said.player)): said.coat}, "duel_spellbook")


async def confirm(request: Request) -> Response:
    """POST /api/sheets/{id}/confirm"""
    await body_as(request, bodies.Nothing)
    return await _corrected(request, {"confirmed": True}, None)


async def wizard(request: Request) -> Response:
    """POST /api/sheets/{id}/wizard"""
    said = await body_as(request, bodies.Wizard)
    return await _corrected(request, {WIZARD: said.coat}, "duel_map")


async def name(request: Request) -> Response:
    """POST /api/sheets/{id}/name"""
    said = await body_as(request, bodies.NamedPlayer)
    shelf, who = services_of(request).shelf, session_of(request)
    try:
        return JsonAnswer(await ask(shelf.name, id_of(request), said.name, who))
    except UnknownPlayer as error:
        message = told(error_json(error), words(language_of(request)))
        raise ApiError(409, "refused", message, known=error.known) from error


async def _corrected(request: Request, said: dict[str, Any], of: str | None) -> Response:
    shelf, who = services_of(request).shelf, session_of(request)
    return JsonAnswer(await ask(shelf.correct, id_of(request), said, who, of=of))


async def undo(request: Request) -> Response:
    """POST /api/sheets/{id}/undo"""
    await body_as(request, bodies.Nothing)
    return JsonAnswer(
        await ask(services_of(request).shelf.undo, id_of(request), session_of(request))
    )
