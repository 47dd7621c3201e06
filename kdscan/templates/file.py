"""A known print as one file, `NAME.kdprint`, for keeping and for sharing.

A zip in which nothing is compressed twice:

    print.json      geometry and counts, the fields of `PrintHead`
    picture.png     `KnownPrint.bgr`
    known.png       `KnownPrint.known`, 16 bits per place
    signature.f32   `KnownPrint.signature`, little-endian, so that no picture has to be decoded to
                    tell prints apart

Files come from strangers: sizes are checked before anything is unpacked or decoded. The picture
is decoded when it is first looked at, so that fifty known prints cost little.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import LayoutError
from kdscan.files.read import read_error
from kdscan.files.write import write_file
from kdscan.imaging.formats import png
from kdscan.imaging.picture import frozen
from kdscan.paper.parts import Castle, LineStyle
from kdscan.paper.toml import record_from_values
from kdscan.rules.duel.board import MAX_CROSSES
from kdscan.templates.known import (
    KNOWN_STEP,
    PRINT_WH,
    SIGNATURE,
    SIGNATURE_SHAPE,
    CellGeometry,
    KnownPrint,
    signature_of,
)
from kdscan.templates.names import checked_name
from kdscan.templates.zipped import BROKEN, MAX_BYTES, packed, part_of, unpacked

FORMAT = "kdscan-print/1"

_HEAD, _SIGNATURE = "print.json", "signature.f32"
_PICTURE, _KNOWN = "picture.png", "known.png"
_MAX_HEAD_BYTES = 256 << 10
_MOST_POINTS, _MOST_POLYGONS = 400, 40
_REACH = 2.0  # cells: nothing printed in a cell lies farther from its centre
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

_SIZES = {
    _PICTURE: (PRINT_WH, 8, 2),
    _KNOWN: ((PRINT_WH[0] // KNOWN_STEP, PRINT_WH[1] // KNOWN_STEP), 16, 0),
}
"""Width and height, bit depth, and colour type (PNG: 0 grey, 2 red, green, blue)."""


@dataclass(frozen=True)
class PrintHead:
    """The content of a print's file besides pictures; see `KnownPrint`.

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


class FiledPrint(KnownPrint):
    """A known print as stored in a file; pictures are decoded on first use.

    head: the file's JSON. data: the whole file. source: names it in messages.
    """

    head: PrintHead
    data: bytes
    source: str

    def __init__(self, head: PrintHead, data: bytes, source: str) -> None:
        values = {name: getattr(head, name) for name in _SHARED}
        for name, value in {**values, "head": head, "data": data, "source": source}.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return FiledPrint, (self.head, self.data, self.source)

    @cached_property
    def bgr(self) -> NDArray[np.uint8]:
        picture = self._decoded(_PICTURE, cv2.IMREAD_COLOR)
        return np.asarray(frozen(picture), np.uint8)

    @cached_property
    def known(self) -> NDArray[np.float32]:
        levels = self._decoded(_KNOWN, cv2.IMREAD_UNCHANGED)
        return frozen(levels.astype(np.float32) / np.float32(65535))

    @cached_property
    def signature(self) -> NDArray[np.float32]:
        if self.head.signature != SIGNATURE:
            return signature_of(self.thumbnail)
        values = np.frombuffer(unpacked(self.data, _SIGNATURE), "<f4").astype(np.float32)
        # Longer ones would come before every other print.
        if values.size != np.prod(SIGNATURE_SHAPE) or not (np.abs(values) <= 1).all():
            raise _damaged(self.source)
        return values.reshape(SIGNATURE_SHAPE)

    def _decoded(self, name: str, flags: int) -> NDArray[Any]:
        """A picture; raises LayoutError if it cannot be decoded although its checksum is right."""
        found = cv2.imdecode(np.frombuffer(unpacked(self.data, name), np.uint8), flags)
        if found is None or found.shape[1::-1] != _SIZES[name][0]:
            raise _damaged(self.source)
        return found

    @property
    def picture_png(self) -> bytes:
        """The print's picture as a PNG file."""
        return unpacked(self.data, _PICTURE)


_SHARED = tuple({f.name for f in fields(KnownPrint)} & {f.name for f in fields(PrintHead)})


def to_filed(known: KnownPrint, learned: str = "") -> FiledPrint:
    """A print as the content of a file; learned: YYYY-MM-DD, today if omitted.

    Raises LayoutError for an invalid name.
    """
    if isinstance(known, FiledPrint):
        return known
    values = {name: getattr(known, name) for name in _SHARED}
    values |= {"name": checked_name(known.name), "aspect": float(known.aspect)}
    day = learned or datetime.now(UTC).date().isoformat()
    head = PrintHead(FORMAT, learned=day, signature=SIGNATURE, **values)
    levels = np.round(np.clip(known.known, 0, 1) * 65535).astype(np.uint16)
    parts = {
        _SIGNATURE: known.signature.astype("<f4").tobytes(),
        _PICTURE: png(known.bgr),
        _KNOWN: png(levels),
    }
    return FiledPrint(head, _packed(head, parts), head.name)


def renamed(known: FiledPrint, name: str) -> FiledPrint:
    """The same print under another name; raises LayoutError for an invalid one."""
    head = replace(known.head, name=checked_name(name))
    parts = {part: unpacked(known.data, part) for part in (_SIGNATURE, _PICTURE, _KNOWN)}
    return FiledPrint(head, _packed(head, parts), known.source)


def parse_print(data: bytes, source: str, *, thoroughly: bool = False) -> FiledPrint:
    """A print from a file's content; source: names it in messages.

    thoroughly: decode the pictures too, for files that come from elsewhere.
    Raises LayoutError if it is damaged, too large, from a newer version, or no print at all.
    """
    if len(data) > MAX_BYTES:
        raise LayoutError(
            "{where}: {size} MB is too large for a print, which has at most {most} MB",
            where=source,
            size=ceil(len(data) / 1e6),
            most=round(MAX_BYTES / 1e6),
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            values = json.loads(part_of(archive, _HEAD, _MAX_HEAD_BYTES))
            sizes = {name: _png_size(part_of(archive, name)) for name in _SIZES}
            part_of(archive, _SIGNATURE)
    except (*BROKEN, RecursionError) as error:
        raise _damaged(source) from error
    found = values.get("format") if isinstance(values, dict) else None
    if isinstance(found, str) and found != FORMAT and found.startswith("kdscan-print/"):
        raise LayoutError(
            "{where}: a print of another version of kdscan ({found}, not {known}); install the "
            "newest kdscan, or learn the print again",
            where=source,
            found=found,
            known=FORMAT,
        )
    if found != FORMAT or sizes != _SIZES:
        raise _damaged(source)
    head = record_from_values(PrintHead, values, source)
    _check(head, source)
    one = FiledPrint(head, data, source)
    if thoroughly:
        _ = one.bgr, one.known, one.signature
    return one


def load_print(path: Path | str, *, thoroughly: bool = False) -> FiledPrint:
    """Read a print's file; raises LayoutError, see `parse_print`."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise LayoutError("{where}: {error}", where=path, error=read_error(error)) from error
    return parse_print(data, str(path), thoroughly=thoroughly)


def save_print(known: KnownPrint, path: Path | str) -> None:
    """Write a print's file (.kdprint) atomically; raises UsageError if it cannot be written."""
    write_file(Path(path), to_filed(known).data)


def _check(head: PrintHead, source: str) -> None:
    """Raise LayoutError for numbers outside the range of real prints."""
    try:
        checked_name(head.name)
        _check_day(head.learned)
        _check_cell(head)
    except LayoutError as error:
        raise LayoutError("{where}: {error}", where=source, error=error) from error


def _check_day(day: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError as error:
        raise LayoutError("`{key}` is {value}, out of range", key="learned", value=day) from error


def _check_cell(head: PrintHead) -> None:
    polygons = (head.cell.shield, *head.castle.roofs, *head.castle.keep)
    points = [xy for polygon in (*polygons, head.cell.circles) for xy in polygon]
    amounts = {
        "aspect": (head.aspect, 0.2, 5.0),
        "residual": (head.residual, 0.0, 1.0),
        "sheets": (head.sheets, 1, 1_000_000),
        "cell.radius": (head.cell.radius, 0.0, 0.5),
        "cell.circles": (len(head.cell.circles), 0, MAX_CROSSES),
        "castle": (len(polygons), 0, _MOST_POLYGONS),
        "castle: points": (min(map(len, polygons[1:]), default=1), 1, _MOST_POINTS),
        "cell.shield": (max(map(len, polygons)), 0, _MOST_POINTS),
        "cell": (max((abs(v) for xy in points for v in xy), default=0.0), 0.0, _REACH),
    }
    for key, (value, low, high) in amounts.items():
        if not low <= value <= high:
            raise LayoutError("`{key}` is {value}, out of range", key=key, value=value)


def _packed(head: PrintHead, parts: dict[str, bytes]) -> bytes:
    text = json.dumps(asdict(head), ensure_ascii=False, indent=1).encode("utf-8")
    return packed({_HEAD: text, **parts})


def _png_size(data: bytes) -> tuple[tuple[int, int], int, int]:
    """Width and height, bit depth and colour type of a PNG file; raises ValueError for other
    files."""
    if not data.startswith(_PNG):
        raise ValueError("no PNG")
    width, height, bits, colour = struct.unpack_from(">IIBB", data, len(_PNG))
    return (width, height), bits, colour


def _damaged(source: str) -> LayoutError:
    return LayoutError(
        "{where}: this is not a kdscan print, or it is damaged; export it again where it comes "
        "from, or learn the print again",
        where=source,
    )
