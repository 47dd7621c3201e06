"""Templates as files, and this user's folder of them.

A template is one file, `NAME.kdprint`, a zip in which nothing is compressed twice:

    print.json      geometry and counts, the fields of `TemplateHead`
    picture.png     `Template.bgr`
    known.png       `Template.coverage`, 16 bits per place
    signature.f32   `Template.signature`, little-endian, so that no picture has to be decoded to
                    tell templates apart

Files come from strangers: sizes are checked before anything is unpacked or decoded. The picture
is decoded when it is first looked at, so that fifty templates cost little.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import KdscanError, LayoutError, UsageError
from kdscan.files import (
    default_folder,
    folder_read_error,
    keep_file,
    read_error,
    remove_file,
    write_file,
)
from kdscan.imaging.formats import png
from kdscan.imaging.picture import Bgr, Plane, frozen
from kdscan.paper.layout import Castle, LineStyle
from kdscan.rules.duel.board import MAX_CROSSES
from kdscan.templates.template import (
    COVERAGE_STEP,
    SIGNATURE,
    SIGNATURE_SHAPE,
    SUFFIX,
    TEMPLATE_WH,
    CellGeometry,
    Template,
    checked_name,
    folded,
    named,
    same_name,
    signature_of,
)

FORMAT = "kdscan-print/1"

MAX_BYTES = 8 << 20
"""Most bytes of a file and of each part; a picture has 2.2 million before PNG compression."""

_HEAD, _SIGNATURE = "print.json", "signature.f32"
_PICTURE, _COVERAGE = "picture.png", "known.png"
_MAX_HEAD_BYTES = 256 << 10
_MOST_POINTS, _MOST_POLYGONS = 400, 40
_REACH = 2.0  # cells: nothing printed in a cell lies farther from its centre
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that equal templates make equal files

_SIZES = {
    _PICTURE: (TEMPLATE_WH, 8, 2),
    _COVERAGE: ((TEMPLATE_WH[0] // COVERAGE_STEP, TEMPLATE_WH[1] // COVERAGE_STEP), 16, 0),
}
"""Width and height, bit depth, and colour type (PNG: 0 grey, 2 red, green, blue)."""

_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError),
    *(RuntimeError, ValueError, KeyError, OverflowError, msgspec.MsgspecError),
)
"""Exceptions of zipfile and msgspec for malformed content."""


@dataclass(frozen=True)
class TemplateHead:
    """The content of a template's file besides pictures; see `Template`.

    learned: date, YYYY-MM-DD. signature: `SIGNATURE` of the kdscan that computed the signature; one
    of another version is recomputed.
    """

    format: str
    name: str
    cell: CellGeometry
    castle: Castle
    lines: LineStyle
    aspect: float
    residual: float
    sheets: int
    learned: str
    signature: int
    by_itself: bool = False


_SHARED = tuple({f.name for f in fields(Template)} & {f.name for f in fields(TemplateHead)})


class StoredTemplate(Template):
    """A template as stored in a file; pictures are decoded on first use.

    head: the file's JSON. data: the whole file. source: names it in messages.
    """

    head: TemplateHead
    data: bytes
    source: str

    def __init__(self, head: TemplateHead, data: bytes, source: str) -> None:
        values = {name: getattr(head, name) for name in _SHARED}
        for name, value in {**values, "head": head, "data": data, "source": source}.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredTemplate, (self.head, self.data, self.source)

    @cached_property
    def bgr(self) -> Bgr:
        return np.asarray(frozen(self._decoded(_PICTURE, cv2.IMREAD_COLOR)), np.uint8)

    @cached_property
    def coverage(self) -> Plane:
        levels = self._decoded(_COVERAGE, cv2.IMREAD_UNCHANGED)
        return frozen(levels.astype(np.float32) / np.float32(65535))

    @cached_property
    def signature(self) -> Plane:
        if self.head.signature != SIGNATURE:
            return signature_of(self.thumbnail)
        values = np.frombuffer(_part(self.data, _SIGNATURE), "<f4").astype(np.float32)
        # Longer ones would come before every other template.
        if values.size != np.prod(SIGNATURE_SHAPE) or not (np.abs(values) <= 1).all():
            raise _damaged(self.source)
        return values.reshape(SIGNATURE_SHAPE)

    @property
    def picture_png(self) -> bytes:
        """The picture as a PNG file."""
        return _part(self.data, _PICTURE)

    def _decoded(self, name: str, flags: int) -> NDArray[Any]:
        """A picture; raises LayoutError if it cannot be decoded although its checksum is right."""
        picture = cv2.imdecode(np.frombuffer(_part(self.data, name), np.uint8), flags)
        if picture is None or picture.shape[1::-1] != _SIZES[name][0]:
            raise _damaged(self.source)
        return picture


def to_stored(template: Template, learned: str = "") -> StoredTemplate:
    """A template as the content of a file; learned: YYYY-MM-DD, today if omitted.

    Raises LayoutError for an invalid name.
    """
    if isinstance(template, StoredTemplate):
        return template
    values = {name: getattr(template, name) for name in _SHARED}
    values |= {"name": checked_name(template.name), "aspect": float(template.aspect)}
    day = learned or date.today().isoformat()
    head = TemplateHead(FORMAT, learned=day, signature=SIGNATURE, **values)
    levels = np.round(np.clip(template.coverage, 0, 1) * 65535).astype(np.uint16)
    parts = {
        _SIGNATURE: template.signature.astype("<f4").tobytes(),
        _PICTURE: png(template.bgr),
        _COVERAGE: png(levels),
    }
    return StoredTemplate(head, _packed(head, parts), head.name)


def renamed(template: StoredTemplate, name: str) -> StoredTemplate:
    """The same template under another name; raises LayoutError for an invalid one."""
    head = replace(template.head, name=checked_name(name))
    parts = {part: _part(template.data, part) for part in (_SIGNATURE, _PICTURE, _COVERAGE)}
    return StoredTemplate(head, _packed(head, parts), template.source)


def parse_template(data: bytes, source: str, *, thoroughly: bool = False) -> StoredTemplate:
    """A template from a file's content; source: names it in messages.

    thoroughly: decode the pictures too, for files that come from elsewhere.
    Raises LayoutError if it is damaged, too large, from a newer version, or no template at all.
    """
    if len(data) > MAX_BYTES:
        raise LayoutError(
            "{where}: {size} MB is too large for a template, which has at most {most} MB",
            where=source,
            size=ceil(len(data) / 1e6),
            most=round(MAX_BYTES / 1e6),
        )
    try:
        text = _part(data, _HEAD, _MAX_HEAD_BYTES)
        version = msgspec.json.decode(text, type=dict[str, Any]).get("format")
        if isinstance(version, str) and version != FORMAT and version.startswith("kdscan-print/"):
            raise LayoutError(
                "{where}: a template of another version of kdscan ({found}, not {known}); install "
                "the newest kdscan, or learn the template again",
                where=source,
                found=version,
                known=FORMAT,
            )
        head = msgspec.json.decode(text, type=TemplateHead)
        _check(head)
        if {name: _png_size(_part(data, name)) for name in _SIZES} != _SIZES:
            raise ValueError("pictures of another size")
        _part(data, _SIGNATURE)
    except (*_BROKEN, RecursionError) as error:
        raise _damaged(source) from error
    template = StoredTemplate(head, data, source)
    if thoroughly:
        _ = template.bgr, template.coverage, template.signature
    return template


def load_template(path: Path | str, *, thoroughly: bool = False) -> StoredTemplate:
    """Read a template's file; raises LayoutError, see `parse_template`."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise LayoutError("{where}: {error}", where=path, error=read_error(error)) from error
    return parse_template(data, str(path), thoroughly=thoroughly)


def save_template(template: Template, path: Path | str) -> None:
    """Write a template's file (.kdprint) atomically; raises UsageError if it cannot be written."""
    write_file(Path(path), to_stored(template).data)


def _check(head: TemplateHead) -> None:
    """Raise ValueError or LayoutError for content outside the range of real templates."""
    if head.format != FORMAT:
        raise ValueError(head.format)
    checked_name(head.name)
    date.fromisoformat(head.learned)
    castle = (*head.castle.roofs, *head.castle.keep)
    polygons = (head.cell.shield, *castle)
    points = [xy for polygon in (*polygons, head.cell.circles) for xy in polygon]
    for value, low, high in (
        (head.aspect, 0.2, 5.0),
        (head.residual, 0.0, 1.0),
        (head.sheets, 1, 1_000_000),
        (head.cell.radius, 0.0, 0.5),
        (len(head.cell.circles), 0, MAX_CROSSES),
        (len(polygons), 0, _MOST_POLYGONS),
        (min(map(len, castle), default=1), 1, _MOST_POINTS),
        (max(map(len, polygons)), 0, _MOST_POINTS),
        (max((abs(v) for xy in points for v in xy), default=0.0), 0.0, _REACH),
    ):
        if not low <= value <= high:
            raise ValueError(f"{value} is out of range")


def _packed(head: TemplateHead, parts: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    text = msgspec.json.format(msgspec.json.encode(head), indent=1)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {_HEAD: text, **parts}.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), content)
    return out.getvalue()


def _part(data: bytes, name: str, most: int = MAX_BYTES) -> bytes:
    """A part of a zip whose checksum is right; raises ValueError for more bytes than `most`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name) as part:
        content = part.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{name} is too large")
    return content


def _png_size(data: bytes) -> tuple[tuple[int, int], int, int]:
    """Width and height, bit depth and colour type of a PNG file; raises ValueError for other
    files."""
    if not data.startswith(_PNG):
        raise ValueError("no PNG")
    width, height, bits, colour = struct.unpack_from(">IIBB", data, len(_PNG))
    return (width, height), bits, colour


def _damaged(source: str) -> LayoutError:
    return LayoutError(
        "{where}: this is not a kdscan template, or it is damaged; export it again where it comes "
        "from, or learn the template again",
        where=source,
    )


Damaged = Callable[[KdscanError], None]
"""Called with the error of each file that is skipped."""


@dataclass(frozen=True)
class Library:
    """The templates in a folder, one file each; the folder need not exist."""

    folder: Path

    def load(self, damaged: Damaged = lambda _: None) -> tuple[StoredTemplate, ...]:
        """All templates, sorted by name; what cannot be read is reported to `damaged` and skipped.

        Of several files with a template of the same name the first one counts.
        """
        try:
            files = self._files()
        except UsageError as error:
            damaged(error)
            return ()
        templates: dict[str, StoredTemplate] = {}
        for path in files:
            try:
                template = load_template(path)
                templates.setdefault(folded(template.name), template)
            except LayoutError as error:
                damaged(error)
        return tuple(template for _, template in sorted(templates.items()))

    def get(self, name: str) -> StoredTemplate:
        """The template of a name, ignoring case; raises LayoutError if there is none."""
        return named(self.load(), name)

    def save(self, template: Template) -> StoredTemplate:
        """Save a template, replacing one of the same name.

        Raises LayoutError for an invalid name, UsageError if it cannot be written.
        """
        stored = to_stored(template)
        path = self.folder / f"{stored.name}{SUFFIX}"
        keep_file(path, stored.data)
        self._remove(stored.name, but=path)
        return stored

    def forget(self, *names: str) -> None:
        """Remove templates, and damaged files of these names; raises LayoutError, and removes none,
        if there is none of one name."""
        in_files = [_name_in(path) for path in self._files()]
        for name in names:
            if not any(same_name(other, name) for other in in_files):
                self.get(name)
        for name in names:
            self._remove(name)

    def _remove(self, name: str, but: Path | None = None) -> None:
        """Remove the files with a template of a name, except `but`."""
        for path in self._files():
            if (but is None or not path.samefile(but)) and same_name(_name_in(path), name):
                remove_file(path)

    def _files(self) -> list[Path]:
        try:
            return sorted(p for p in self.folder.iterdir() if p.suffix == SUFFIX and p.is_file())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise folder_read_error(self.folder, error) from error


def own_library() -> Library:
    """This user's templates."""
    return Library(default_folder() / "prints")


def known_templates() -> tuple[StoredTemplate, ...]:
    """The templates that this user has learned; damaged files are skipped."""
    return own_library().load()


def _name_in(path: Path) -> str:
    """The name of the template in a file; the file's own name if that cannot be read."""
    try:
        return load_template(path).name
    except LayoutError:
        return path.stem
