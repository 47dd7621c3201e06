"""What `kdscan` promises to those who import it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kdscan


def test_public_names_are_pinned() -> None:
    assert sorted(kdscan.__all__) == [
        "KdscanError",
        "Photo",
        "SheetReading",
        "correct",
        "draw_overlay",
        "load_photos",
        "read_photo",
    ]


def test_every_public_name_is_there() -> None:
    for name in kdscan.__all__:
        assert getattr(kdscan, name).__name__ == name


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="nothing_such"):
        kdscan.nothing_such  # noqa: B018


def test_importing_costs_nothing() -> None:
    code = "import sys, kdscan; print(*sorted({'numpy', 'cv2', 'onnxruntime'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
