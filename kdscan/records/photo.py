"""Photos and read-only arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


class FrozenArrays:
    """Base of frozen records: arrays in them cannot be written to either."""

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, frozen(value))


@dataclass(frozen=True, eq=False, init=False)
class Photo:
    """A decoded picture: EXIF rotation applied, no alpha, 8 bit.

    It can be pickled, to be read by another process.

    name: where it came from, for people.
    page: page of a PDF or TIFF, from 0.
    width, height: pixels.
    half: (H / 2, W / 2, 3) uint8 if the file was first decoded at exactly half its size, else None.
    """

    name: str
    page: int
    width: int
    height: int
    half: NDArray[np.uint8] | None
    _whole: Callable[[], NDArray[np.uint8]]

    def __init__(self, bgr: NDArray[np.uint8], name: str = "", page: int = 0) -> None:
        """bgr: (H, W, 3) uint8, channels in OpenCV's order."""
        whole = _picture(bgr)
        self._set(name, page, (whole.shape[1], whole.shape[0]), None, lambda: whole)

    @classmethod
    def halved(
        cls,
        half: NDArray[np.uint8],
        whole: Callable[[], NDArray[np.uint8]],
        name: str = "",
        page: int = 0,
    ) -> Photo:
        """A photo decoded at exactly half its size; `whole` decodes it in full when needed."""
        photo = cls.__new__(cls)
        size_wh = 2 * half.shape[1], 2 * half.shape[0]
        photo._set(name, page, size_wh, _picture(half), whole)
        return photo

    def _set(
        self,
        name: str,
        page: int,
        size_wh: tuple[int, int],
        half: NDArray[np.uint8] | None,
        whole: Callable[[], NDArray[np.uint8]],
    ) -> None:
        width, height = size_wh
        values = {"name": name, "page": page, "width": width, "height": height}
        for key, value in (values | {"half": half, "_whole": whole}).items():
            object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Callable[..., Photo], tuple[object, ...]]:
        if self.half is None:
            return Photo, (self.bgr, self.name, self.page)
        return Photo.halved, (self.half, self._whole, self.name, self.page)

    def __repr__(self) -> str:
        page = f", page {self.page}" if self.page else ""
        return f"<Photo {self.name!r}{page}: {self.width} x {self.height}>"

    @cached_property
    def bgr(self) -> NDArray[np.uint8]:
        """(H, W, 3) uint8, channels in OpenCV's order."""
        return _picture(self._whole())


def check_photo(given: object) -> None:
    """Raise TypeError unless a photo was given: paths, bytes and arrays have to be loaded first."""
    if not isinstance(given, Photo):
        kind = type(given).__name__
        raise TypeError(f"this is read from the photos that load_photos yields, not from a {kind}")


def _picture(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if not isinstance(bgr, np.ndarray):
        raise TypeError(f"a photo is an array, not a {type(bgr).__name__}; load_photos reads files")
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"a photo is (H, W, 3) uint8, not {bgr.shape} {bgr.dtype}")
    return frozen(bgr)
