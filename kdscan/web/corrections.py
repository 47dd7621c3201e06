"""Corrections of sheets by people: each is checked, stored, and answered with the corrected
sheet."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from starlette.requests import Request

from kdscan.errors import UsageError
from kdscan.files import Json
from kdscan.rules.duel.board import CASTLE
from kdscan.rules.duel.coats import SQUARES as LINE_SQUARES
from kdscan.rules.duel.coats import Coat
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.common import VARIANTS, WIZARD, CellField, ChoiceField, LineField
from kdscan.web import bodies, schemas
from kdscan.web.answers import ApiError
from kdscan.web.operation import WRONG_KIND, post
from kdscan.web.requests import id_of, refused, services_of, session_of

Fields = Json
"""Fields of corrections and their new values."""

FieldsOf = Callable[[Any], Fields]


def correction(what: str, kind: str | None = None) -> Callable[[FieldsOf], FieldsOf]:
    """Declare a correction by the function that turns its body into fields.

    kind: the only kind of sheet that has such fields.
    """

    def declare(fields_of: FieldsOf) -> FieldsOf:
        @post(f"/api/sheets/{{id}}/{what}", schemas.Sheet, errors=WRONG_KIND)
        @wraps(fields_of)
        def handler(request: Request, body: object) -> schemas.Sheet:
            sheets, who = services_of(request).sheets, session_of(request)
            return sheets.correct(id_of(request), fields_of(body), who, of=kind)

        return fields_of

    return declare


@correction("corrections", "duel_map")
def correct(body: bodies.Correction) -> Fields:
    """Correct a shield; everything that depends on it is recomputed."""
    if body.cell == CASTLE:
        raise ApiError(409, "impossible", "the castle holds no coat")
    if body.coat is None and body.crosses:
        raise ApiError(409, "impossible", "an empty shield has no crosses")
    return {str(CellField(body.cell)): {"coat": body.coat, "crosses": body.crosses}}


@correction("squares", "kingdom")
def square(body: bodies.Square) -> Fields:
    """Correct a square of a kingdom."""
    if (body.terrain, body.crowns) not in SQUARE_CLASSES:
        raise ApiError(409, "impossible", "the box holds no such square")
    return {str(CellField(body.cell)): {"terrain": body.terrain, "crowns": body.crowns}}


@correction("variants", "kingdom")
def variants(body: bodies.Extras) -> Fields:
    """Set the extra rules by which a kingdom is scored."""
    return {VARIANTS: {"middle_kingdom": body.middle_kingdom, "harmony": body.harmony}}


@correction("lines", "duel_spellbook")
def line(body: bodies.Line) -> Fields:
    """Correct a side's line of a spellbook; the wizard's points of the maps beside it are
    recomputed."""
    most = LINE_SQUARES[Coat(body.coat)]
    if body.filled > most:
        raise ApiError(409, "impossible", f"a line of this coat has {most} squares")
    new = {"filled": body.filled, "struck": body.struck, "used": body.used}
    return {str(LineField(body.player, Coat(body.coat))): new}


@correction("choices", "duel_spellbook")
def choice(body: bodies.Choice) -> Fields:
    """Correct the coat that a side of a spellbook chose; the wizard's points beside it are
    recomputed."""
    return {str(ChoiceField(body.player)): body.coat}


@correction("wizard", "duel_map")
def wizard(body: bodies.Wizard) -> Fields:
    """Set the coat for which the filled coat's wizard pays."""
    return {WIZARD: body.coat}


@correction("confirm")
def confirm(body: bodies.Nothing) -> Fields:
    """Confirm that a sheet was read correctly."""
    return {"confirmed": True}


@post("/api/sheets/{id}/name", errors=WRONG_KIND)
def name(request: Request, body: bodies.NamedPlayer) -> schemas.Sheet:
    """Set whose a sheet is."""
    sheets, who = services_of(request).sheets, session_of(request)
    try:
        return sheets.name(id_of(request), body.name, who)
    except UsageError as error:
        raise refused(request, error) from error


@post("/api/sheets/{id}/undo", errors=WRONG_KIND)
def undo(request: Request, body: bodies.Undo) -> schemas.Sheet:
    """Undo the newest correction."""
    sheets, who = services_of(request).sheets, session_of(request)
    return sheets.undo(id_of(request), who, body.correction)
