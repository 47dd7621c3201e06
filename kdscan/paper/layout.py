"""A layout: the design of one map side, in millimetres.

The same numbers print the sheet (`kdscan.paper.printing`), draw it for training
(`lab.synth`) and tell the reader where to look. A club adds its own as a TOML
file whose keys are the fields of `Layout`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kdscan.errors import LayoutError
from kdscan.files.read import read_error, read_text

if TYPE_CHECKING:
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
    from kdscan.paper.checks import layout_problems
    from kdscan.paper.parts import Layout

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
        ready: Record = _built_in(kind, where, problems)  # type: ignore[arg-type]  # hashable
        return ready
    return _checked(kind, _text(Path(name_or_path), known), source, problems)


@cache
def _built_in(kind: type[Record], path: Path, problems: Problems[Record]) -> Record:
    return _checked(kind, path.read_text(encoding="utf-8"), path.stem, problems)


def _checked(kind: type[Record], text: str, source: str, problems: Problems[Record]) -> Record:
    from kdscan.paper.toml import record_from_toml

    record = record_from_toml(kind, text, source)
    for problem in problems(record):
        raise LayoutError("{where}: {error}", where=source, error=problem)
    return record


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
