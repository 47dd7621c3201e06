"""Errors as JSON with their parameters, so that they can be shown in any language, even years
later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kdscan.errors import KdscanError
from kdscan.i18n import ENGLISH, Words, mark

ErrorJson = dict[str, Any]
"""The output of `error_json`."""

EDGES = (
    mark("left edge"),
    mark("right edge"),
    mark("top edge"),
    mark("bottom edge"),
    mark("left and top edges"),
    mark("left and bottom edges"),
    mark("right and top edges"),
    mark("right and bottom edges"),
    mark("left and right edges"),
    mark("top and bottom edges"),
    mark("edges"),
)
"""Sides of a picture in errors' texts."""


def error_json(error: KdscanError) -> ErrorJson:
    """An error for storage: its stable `code`, its English `message`, and what expresses it in any
    language: `text`, a key of the catalogues, and the `values` for its braces.

    A value is a number, a text, or another error's text and values.
    """
    return {"code": error.code, "message": str(error), **_parts(error)}


def _parts(error: KdscanError) -> dict[str, Any]:
    return {"text": error.text, "values": {k: _plain(v) for k, v in error.values.items()}}


def _plain(value: object) -> object:
    if isinstance(value, KdscanError):
        return _parts(value)
    return value if isinstance(value, int | float) else str(value)


def error_text(error: Mapping[str, Any], words: Words) -> str:
    """A stored error in that language; one that an older version stored only as a text,
    unchanged."""
    if error.get("text") is None:
        message = error.get("message", "")
        return words.t(message)
    return _text(error, words)


def _text(error: Mapping[str, Any], words: Words) -> str:
    values = {
        name: _text(value, words)
        if isinstance(value, dict)
        else words.t(value)
        if name == "what" and isinstance(value, str)
        else value
        for name, value in error["values"].items()
    }
    text = error["text"]
    try:
        return words.t(text, **values)
    except (LookupError, ValueError):  # a translation of another version has different braces
        return ENGLISH.t(text, **values)
