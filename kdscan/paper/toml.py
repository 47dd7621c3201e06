"""Layouts as TOML text, both ways.

The keys of a file are the fields of `kdscan.paper.parts.Layout` and its parts, and their types
define the valid values, so a new field needs no code here.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import math
import tomllib
import types
import typing
from typing import Any, TypeVar

from kdscan.errors import LayoutError
from kdscan.i18n import mark
from kdscan.paper.parts import Layout

Record = TypeVar("Record")


def record_from_toml(kind: type[Record], text: str, source: str) -> Record:
    """Read a record of dataclasses, such as `Layout`, checked for form only; `source` names it in
    error messages.

    Raises LayoutError.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or too long a number
        raise LayoutError("{where}: not a TOML file: {error}", where=source, error=error) from error
    data.pop("cell_png", None)  # in layouts learned by older versions
    return record_from_values(kind, data, source)


def record_from_values(kind: type[Record], data: object, source: str) -> Record:
    """A record from parsed TOML or JSON, checked by its fields' types; raises LayoutError."""
    try:
        record: Record = _record(kind, data, "")
    except LayoutError as error:
        raise LayoutError("{where}: {error}", where=source, error=error) from error
    return record


def layout_to_toml(layout: Layout) -> str:
    """Write a layout so that `record_from_toml` gives it back; defaults are left out."""
    return "\n".join(_table(layout, "")) + "\n"


_hints = functools.cache(typing.get_type_hints)
"""Types of a record's fields; finding them takes longer than reading the file."""


def _record(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise LayoutError("`{where}` must be a table, not {value!r}", where=where, value=value)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    hints = _hints(kind)
    for key in value:
        if key not in fields:
            close = difflib.get_close_matches(key, fields, 1)
            if close:
                raise LayoutError(
                    "unknown key `{key}`; did you mean `{close}`?",
                    key=_join(where, key),
                    close=close[0],
                )
            raise LayoutError(
                "unknown key `{key}`; known are {known}.",
                key=_join(where, key),
                known=", ".join(fields),
            )
    missing = [
        name
        for name, field in fields.items()
        if name not in value and field.default is dataclasses.MISSING
    ]
    if missing:
        raise LayoutError("`{key}` is missing.", key=_join(where, missing[0]))
    return kind(**{key: _value(hints[key], item, _join(where, key)) for key, item in value.items()})


def _value(kind: Any, value: object, where: str) -> Any:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):  # only `X | None` is used, and TOML has no null
        return _value(args[0], value, where)
    if dataclasses.is_dataclass(kind):
        return _record(kind, value, where)
    if origin is typing.Literal:
        if value not in args:
            raise LayoutError(
                "`{where}` must be one of {known}, not {value!r}.",
                where=where,
                known=", ".join(map(str, args)),
                value=value,
            )
        return value
    if origin is tuple:
        return _items(args, value, where)
    return _scalar(kind, value, where)


def _items(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise LayoutError("`{where}` must be a list, not {value!r}.", where=where, value=value)
    if kinds[-1] is Ellipsis:
        kinds = kinds[:1] * len(value)
    elif len(value) != len(kinds):
        raise LayoutError(
            "`{where}` must have {n} items, not {found}.",
            where=where,
            n=len(kinds),
            found=len(value),
        )
    pairs = enumerate(zip(kinds, value, strict=True))
    return tuple(_value(kind, item, f"{where}[{i}]") for i, (kind, item) in pairs)


def _scalar(kind: type, value: object, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 2**53 else math.inf
    if type(value) is not kind:
        names = {
            float: mark("a number"),
            int: mark("a whole number"),
            str: mark("a text in quotes"),
            bool: mark("true or false"),
        }
        raise LayoutError(
            "`{where}` must be {what}, not {value!r}.", where=where, what=names[kind], value=value
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise LayoutError(
            "`{where}` must be a finite number, not {value}.", where=where, value=value
        )
    return value


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _table(record: Any, name: str) -> list[str]:
    """Lines of a table: plain keys first, tables after them, as TOML requires."""
    plain, tables = [f"[{name}]"] if name else [], []
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if value == field.default:
            continue
        if dataclasses.is_dataclass(value):
            tables += ["", *_table(value, _join(name, field.name))]
        else:
            plain.append(f"{field.name} = {_text(value)}")
    return plain + tables


def _text(value: Any, indent: str = "") -> str:
    if dataclasses.is_dataclass(value):
        pairs = ((f, getattr(value, f.name)) for f in dataclasses.fields(value))
        items = [f"{f.name} = {_text(item, indent)}" for f, item in pairs if item != f.default]
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, str):
        # JSON's escapes are TOML's, except for DEL, which JSON leaves unescaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return _list([_text(item, indent + "  ") for item in value], indent)
    if isinstance(value, float):
        return repr(float(value))  # the repr of numpy's floats names their type
    return str(value).lower()


def _list(items: list[str], indent: str) -> str:
    line = "[" + ", ".join(items) + "]"
    if len(line) <= 88 and "\n" not in line:
        return line
    a_row = 6 if max(map(len, items)) <= 16 else 1
    rows = [", ".join(items[i : i + a_row]) for i in range(0, len(items), a_row)]
    return "[\n" + "".join(f"{indent}  {row},\n" for row in rows) + indent + "]"
