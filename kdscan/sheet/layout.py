"""A layout: what one map side looks like on paper, in millimetres.

The same numbers print the sheet (`kdscan.sheet.printing`), draw it for training
(`kdscan.synth`) and tell the reader where to look. A club adds its own as a TOML
file whose keys are the fields of `Layout`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kdscan.errors import LayoutError
from kdscan.files.read import read_text
from kdscan.sheet.checks import check_layout
from kdscan.sheet.parts import Castle, Code, Layout, LineStyle, Paper, Point, Polygon
from kdscan.sheet.toml import layout_from_toml, layout_to_toml

__all__ = [
    "Castle",
    "Code",
    "Layout",
    "LineStyle",
    "Paper",
    "Point",
    "Polygon",
    "check_layout",
    "layout_from_toml",
    "layout_to_toml",
    "layouts",
    "load_layout",
]

_FOLDER = Path(__file__).parent / "layouts"


def layouts() -> tuple[str, ...]:
    """Names of the layouts that kdscan brings along, sorted."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_layout(name_or_path: str | Path) -> Layout:
    """Load a built-in layout by its name, or any layout by the path of its TOML file.

    Raises LayoutError when there is none, or when it is broken; the message says where.
    """
    source = str(name_or_path)
    if source in layouts():
        return _built_in(source)
    return _checked(layout_text(Path(name_or_path), layouts()), source)


@cache
def _built_in(name: str) -> Layout:
    return _checked((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"), name)


def _checked(text: str, source: str) -> Layout:
    layout = layout_from_toml(text, source)
    try:
        check_layout(layout)
    except LayoutError as error:
        raise LayoutError("{where}: {error}", where=source, error=error) from error
    return layout


def layout_text(path: Path, known: tuple[str, ...]) -> str:
    """The text of a layout file; `known`: what is built in, for the message when there is none."""
    try:
        return read_text(path)
    except FileNotFoundError as error:
        raise LayoutError(
            "{path}: there is no layout of this name and no such file; built in: {known}.",
            path=path,
            known=", ".join(known),
        ) from error
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name with a null byte
        reason = error.strerror if isinstance(error, OSError) else "not a text file in UTF-8"
        raise LayoutError("{path}: cannot be read: {reason}.", path=path, reason=reason) from error
