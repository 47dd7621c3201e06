"""Prints as files: round trips, and hostile files."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from kdscan.errors import LayoutError
from kdscan.templates.file import load_print, parse_print, renamed, to_filed
from kdscan.templates.known import SIGNATURE, KnownPrint
from kdscan.templates.zipped import MAX_BYTES
from tests.templates.made import made_print

PARTS = ("print.json", "signature.f32", "picture.png", "known.png")


def rebuilt(data: bytes, **changes: bytes | None) -> bytes:
    """A file with other parts, named as in `picture=b"..."`; None leaves one out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for part in PARTS:
            content = changes.get(part.split(".")[0], old.read(part))
            if content is not None:
                new.writestr(zipfile.ZipInfo(part), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def with_values(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        values = json.loads(old.read("print.json"))
    change(values)
    return rebuilt(data, print=json.dumps(values).encode())


def png(height: int, width: int, *, channels: int = 3) -> bytes:
    return cv2.imencode(".png", np.zeros((height, width, channels), np.uint8))[1].tobytes()


def alike(one: KnownPrint, other: KnownPrint) -> None:
    assert (one.name, one.cell, one.castle, one.lines) == (
        other.name, other.cell, other.castle, other.lines,
    )  # fmt: skip
    assert (one.aspect, one.residual, one.sheets) == (other.aspect, other.residual, other.sheets)
    np.testing.assert_array_equal(one.bgr, other.bgr)
    np.testing.assert_allclose(one.known, other.known, atol=1e-5)
    np.testing.assert_array_equal(one.signature, other.signature)


def test_a_print_comes_back_as_it_was() -> None:
    known = made_print()
    there = to_filed(known, "2026-01-02")
    back = parse_print(there.data, "club.kdprint", thoroughly=True)
    alike(back, known)
    assert back.head.learned == "2026-01-02"
    assert back.normalized[64].shape == (368, 496)
    assert not back.bgr.flags.writeable and not back.known.flags.writeable


def test_equal_prints_make_equal_files() -> None:
    assert to_filed(made_print(), "2026-01-02").data == to_filed(made_print(), "2026-01-02").data


def test_the_picture_is_decoded_on_first_use_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one = parse_print(to_filed(made_print()).data, "club")
    _ = one.signature
    assert "bgr" not in vars(one) and "known" not in vars(one)
    _ = one.bgr
    assert "bgr" in vars(one)


def test_a_print_crosses_a_process_as_its_file() -> None:
    one = to_filed(made_print())
    _ = one.bgr
    sent = pickle.dumps(one)
    assert len(sent) < len(one.data) + 5000
    alike(pickle.loads(sent), one)


def test_renamed() -> None:
    one = renamed(to_filed(made_print("club"), "2026-01-02"), "  Old   club ")
    again = parse_print(one.data, "x", thoroughly=True)
    assert again.name == "Old club" and again.head.learned == "2026-01-02"
    alike(again, made_print("Old club"))


def test_no_file_is_made_of_a_print_that_no_file_could_be_named_after() -> None:
    with pytest.raises(LayoutError):
        to_filed(made_print("../club"))


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path, why in (
        (tmp_path / "none.kdprint", "there is no such file"),
        (tmp_path, "this is a folder"),
        (Path("a\0b"), "the file could not be read"),
    ):
        with pytest.raises(LayoutError, match=why):
            load_print(path)


DATA = to_filed(made_print()).data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        b"no zip at all" * 100,
        DATA[: len(DATA) // 2],
        DATA[:-40],
        DATA[:3000] + bytes([DATA[3000] ^ 255]) + DATA[3001:],
        rebuilt(DATA, picture=None),
        rebuilt(DATA, print=None),
        rebuilt(DATA, print=b"[" * 100_000),
        rebuilt(DATA, print=b"\xff\xfe{"),
        rebuilt(DATA, print=b"[]"),
        rebuilt(DATA, print=b"{}"),
        rebuilt(DATA, print=b" " * 300_000 + b"{}"),
        rebuilt(DATA, picture=b"GIF89a"),
        rebuilt(DATA, picture=png(735, 992)),
        rebuilt(DATA, picture=png(736, 992, channels=4)),
        rebuilt(DATA, known=png(92, 124, channels=1)),
        rebuilt(DATA, signature=None),
    ],
)
def test_what_is_no_print_is_refused_with_the_remedy(data: bytes) -> None:
    with pytest.raises(LayoutError, match=r"club\.kdprint: .*export it again"):
        parse_print(data, "club.kdprint")


def test_a_small_file_that_unpacks_to_much_is_refused() -> None:
    bomb = rebuilt(DATA, picture=b"\0" * (200 << 20))
    assert len(bomb) < MAX_BYTES
    with pytest.raises(LayoutError):
        parse_print(bomb, "club.kdprint")
    with pytest.raises(LayoutError, match="has at most"):
        parse_print(b"\0" * (MAX_BYTES + 1), "club.kdprint")


def test_a_broken_picture_with_a_right_checksum_is_refused() -> None:
    picture = zipfile.ZipFile(io.BytesIO(DATA)).read("picture.png")
    broken = rebuilt(DATA, picture=picture[:40] + b"\0" * 40)
    one = parse_print(broken, "club.kdprint")
    with pytest.raises(LayoutError, match="damaged"):
        _ = one.bgr
    with pytest.raises(LayoutError, match="damaged"):
        parse_print(broken, "club.kdprint", thoroughly=True)


def test_a_signature_of_other_numbers_is_refused() -> None:
    long = np.full(3 * 2852, 1e9, "<f4").tobytes()
    for signature in (b"", b"\0" * 100, b"\xff" * (4 * 3 * 2852), long):
        with pytest.raises(LayoutError, match="damaged"):
            parse_print(rebuilt(DATA, signature=signature), "club.kdprint", thoroughly=True)


def test_a_signature_of_another_version_is_computed_anew() -> None:
    old = with_values(rebuilt(DATA, signature=b""), lambda v: v.update(signature=0))
    signature = parse_print(old, "club.kdprint").signature
    np.testing.assert_array_equal(signature, made_print().signature)


def test_signatures_are_those_of_their_version() -> None:
    """When this fails raise `SIGNATURE`: files hold signatures of the old kind."""
    assert SIGNATURE == 1
    expected = [
        [-0.0192, 0.0199, 0.006, -0.0127],
        [
            0.0008,
            -0.0070,
            -0.0081,
            -0.0016,
        ],
        [-0.0013, 0.0043, 0.0055, -0.0012],
    ]
    np.testing.assert_allclose(made_print().signature[:, 300::700], expected, atol=3e-4)


def test_a_newer_file_says_so() -> None:
    newer = with_values(DATA, lambda v: v.update(format="kdscan-print/2", ribbon=3))
    with pytest.raises(LayoutError, match="another version"):
        parse_print(newer, "club.kdprint")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "../../etc/passwd"),
        ("name", "a" * 61),
        ("name", "kdscan-a5"),
        ("name", 7),
        ("aspect", 0.0),
        ("aspect", 1e400),
        ("sheets", 0),
        ("sheets", 1.5),
        ("sheets", 10**30),
        ("residual", -1.0),
        ("lines", "wavy"),
        ("learned", "yesterday"),
        ("cell", {"shield": [[9.0, 0.0]], "circles": [], "radius": 0.1}),
        ("cell", {"shield": [[0.0, 0.0]] * 1000, "circles": [], "radius": 0.1}),
        ("cell", {"shield": [], "circles": [[0.0, 0.0]] * 9, "radius": 0.1}),
        ("cell", {"shield": [], "circles": [], "radius": 3.0}),
        ("cell", []),
        ("castle", {"roofs": [[[0.0]]], "keep": []}),
        ("castle", {"roofs": [[]], "keep": []}),
        ("castle", {"roofs": [], "keep": [[]]}),
        ("signature", "1"),
        ("more", 1),
    ],
)
def test_numbers_that_no_print_has_are_refused(key: str, value: object) -> None:
    data = with_values(DATA, lambda v: v.update({key: value}))
    with pytest.raises(LayoutError, match=r"club\.kdprint: "):
        parse_print(data, "club.kdprint")
