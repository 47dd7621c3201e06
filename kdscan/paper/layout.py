"""A layout: the design of one map side, in millimetres.

The same numbers print the sheet (`kdscan.paper.printing`), draw it for training
(`lab.synth`) and tell the reader where to look. A club adds its own as a TOML
file whose keys are the fields of `Layout`.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kdscan.errors import LayoutError
from kdscan.files.read import read_error, read_text
from kdscan.paper.checks import layout_problems
from kdscan.paper.parts import Layout

Record = TypeVar("Record")

_FOLDER = Path(__file__).parent / "layouts"


def layouts() -> tuple[str, ...]:
    """Names of the built-in layouts, sorted."""
    return built_in(_FOLDER)


def load_layout(name_or_path: str | Path) -> Layout:
    """Load a built-in layout by its name, or any layout by the path of its TOML file.

    Raises LayoutError if there is none, or if it is broken; the message says where.
    """
    return load(Layout, _FOLDER, layout_problems, name_or_path)


def built_in(folder: Path) -> tuple[str, ...]:
    """Names of the TOML files in a folder of the package, sorted."""
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


Problems = Callable[[Record], Iterator[LayoutError]]


def load(
    kind: type[Record], folder: Path, problems: Problems[Record], name_or_path: str | Path
) -> Record:
    """Load a built-in record of `folder` by its name, or any by the path of its TOML file.

    Raises LayoutError if there is none, or for the first of its problems.
    """
    source = str(name_or_path)
    if source in (known := built_in(folder)):
        where = folder / f"{source}.toml"
        ready: Record = _built_in(kind, where)  # type: ignore[arg-type]  # hashable
        return ready
    record = record_from_toml(kind, _text(Path(name_or_path), known), source)
    for problem in problems(record):
        raise LayoutError("{where}: {error}", where=source, error=problem)
    return record


@cache
def _built_in(kind: type[Record], path: Path) -> Record:
    """A layout of the package, whose problems its tests look for."""
    return record_from_toml(kind, path.read_text(encoding="utf-8"), path.stem)


def _text(path: Path, known: tuple[str, ...]) -> str:
    """The text of a layout file; known: names of built-in ones, for the message if there is
    none."""
    try:
        return read_text(path)
    except FileNotFoundError as error:
        raise LayoutError(
            "{path}: there is no layout of this name and no such file; built in: {known}.",
            path=path,
            known=", ".join(known),
        ) from error
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a null byte
        raise LayoutError("{where}: {error}", where=path, error=read_error(error)) from error


def record_from_toml(kind: type[Record], text: str, source: str) -> Record:
    """Read a record of dataclasses, such as `Layout`, checked by the types and limits of its
    fields; `source` names it in error messages.

    Raises LayoutError.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or too long a number
        raise LayoutError("{where}: not a TOML file: {error}", where=source, error=error) from error
    data.pop("cell_png", None)  # in layouts learned by older versions
    try:
        record = msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise LayoutError("{where}: {error}", where=source, error=error) from error
    for problem in _unknown_keys(data, record, ""):
        raise LayoutError("{where}: {error}", where=source, error=problem)
    return record


def _unknown_keys(data: Any, record: Any, where: str) -> Iterator[LayoutError]:
    """An error for each key that no field of the record, or of a part of it, has."""
    if dataclasses.is_dataclass(record):
        names = [field.name for field in dataclasses.fields(record)]
        for key, value in data.items():
            if key in names:
                yield from _unknown_keys(value, getattr(record, key), _join(where, key))
            else:
                yield LayoutError(
                    "unknown key `{key}`; known are {known}.",
                    key=_join(where, key),
                    known=", ".join(names),
                )
    elif isinstance(record, tuple):
        for i, (value, part) in enumerate(zip(data, record, strict=True)):
            yield from _unknown_keys(value, part, f"{where}[{i}]")


def layout_to_toml(layout: Layout) -> str:
    """Write a layout so that `record_from_toml` gives it back; defaults are left out."""
    return "\n".join(_table(layout, "")) + "\n"


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
            plain.append(f"{field.name} = {_value(value)}")
    return plain + tables


def _value(value: Any, indent: str = "") -> str:
    if dataclasses.is_dataclass(value):
        pairs = ((f, getattr(value, f.name)) for f in dataclasses.fields(value))
        items = [f"{f.name} = {_value(item, indent)}" for f, item in pairs if item != f.default]
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, str):
        # JSON's escapes are TOML's, except for DEL, which JSON leaves unescaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return _list([_value(item, indent + "  ") for item in value], indent)
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
