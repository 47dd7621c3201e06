"""A layout: the design of one map side, in millimetres.

The same numbers print the sheet (`kdscan.paper.printing`), draw it for training
(`lab.synth`) and tell the reader where to look. A club adds its own as a TOML
file whose keys are the fields of `Layout`.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kdscan.errors import LayoutError
from kdscan.files.read import read_error, read_text
from kdscan.paper.checks import page_problems
from kdscan.paper.parts import Layout, Markers, Page, Point

AnyPage = TypeVar("AnyPage", bound=Page)

_FOLDER = Path(__file__).parent / "layouts"


def layouts() -> tuple[str, ...]:
    """Names of the built-in layouts, sorted."""
    return built_in(_FOLDER)


def load_layout(name_or_path: str | Path) -> Layout:
    """Load a built-in layout by its name, or any layout by the path of its TOML file.

    Raises LayoutError if there is none, or if it is broken; the message says where.
    """
    return load(Layout, _FOLDER, name_or_path)


@cache
def own_layouts() -> tuple[tuple[Layout, Markers], ...]:
    """Each built-in layout with its markers, in the order of their names."""
    own = map(load_layout, layouts())
    return tuple((layout, layout.markers) for layout in own if layout.markers is not None)


def is_read(layout: Layout) -> bool:
    """Whether codes on sheets of a layout are read: its markers, grid and a code lie as a built-in
    one's do."""
    return any(
        (layout.page_mm, layout.grid_mm, layout.cell_mm, layout.markers)
        == (own.page_mm, own.grid_mm, own.cell_mm, markers)
        and set(_places(layout)) & set(_places(own))
        for own, markers in own_layouts()
    )


def _places(layout: Layout) -> list[tuple[Point, float]]:
    return [(code.center_mm, code.size_mm) for code in layout.codes]


@cache
def built_in(folder: Path) -> tuple[str, ...]:
    """Names of the TOML files in a folder of the package, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def load(kind: type[AnyPage], folder: Path, name_or_path: str | Path) -> AnyPage:
    """Load a built-in page of `folder` by its name, or any by the path of its TOML file.

    Raises LayoutError if there is none, or for the first of its problems.
    """
    source = str(name_or_path)
    if source in built_in(folder):
        page: AnyPage = _built_in(kind, folder / f"{source}.toml")
        return page
    try:
        text = read_text(Path(name_or_path))
    except FileNotFoundError as error:
        raise LayoutError(
            "{path}: there is no layout of this name and no such file; built in: {known}.",
            path=source,
            known=", ".join(built_in(folder)),
        ) from error
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a null byte
        raise LayoutError("{where}: {error}", where=source, error=read_error(error)) from error
    page = page_from_toml(kind, text, source)
    for problem in page_problems(page):
        raise LayoutError("{where}: {error}", where=source, error=problem)
    return page


@cache
def _built_in(kind: type[Any], path: Path) -> Any:
    """A page of the package, whose problems its tests look for."""
    return page_from_toml(kind, path.read_text(encoding="utf-8"), path.stem)


def page_from_toml(kind: type[AnyPage], text: str, source: str) -> AnyPage:
    """Read a page, checked by the types and limits of its fields; `source` names it in error
    messages.

    Raises LayoutError.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or too long a number
        raise LayoutError("{where}: not a TOML file: {error}", where=source, error=error) from error
    data.pop("cell_png", None)  # in layouts learned by older versions
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise LayoutError("{where}: {error}", where=source, error=error) from error


def layout_to_toml(layout: Layout) -> str:
    """Write a layout so that `page_from_toml` gives it back; defaults are left out."""
    plain, tables = [], list[str]()
    for key, value in msgspec.to_builtins(layout, enc_hook=float).items():
        if isinstance(value, dict):  # after all plain keys, as TOML requires
            tables += ["", f"[{key}]", *(f"{name} = {_value(v)}" for name, v in value.items())]
        else:
            plain.append(f"{key} = {_value(value)}")
    return "\n".join([*plain, *tables, ""])


def _value(value: Any) -> str:
    """A value in TOML; long lists take a line an item."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        items = [*map(_value, value)]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= 88 else "[\n  " + ",\n  ".join(items) + ",\n]"
    # JSON's escapes are TOML's, except for DEL, which JSON leaves unescaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
