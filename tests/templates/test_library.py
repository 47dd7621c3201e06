"""Templates as files and in a folder: round trips, hostile files, names."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from kdscan.errors import KdscanError, LayoutError, UsageError
from kdscan.templates.library import Library, own_library, parse_template, renamed, to_stored
from kdscan.templates.template import SIGNATURE, Template, checked_name
from tests.templates.made import made_template

PARTS = ("print.json", "signature.f32", "picture.png", "known.png")
DATA = to_stored(made_template()).data


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


def png(height: int, width: int, channels: int = 3) -> bytes:
    return cv2.imencode(".png", np.zeros((height, width, channels), np.uint8))[1].tobytes()


def assert_same(template: Template, other: Template) -> None:
    for field in ("name", "cell", "castle", "lines", "aspect", "residual", "sheets", "by_itself"):
        assert getattr(template, field) == getattr(other, field)
    np.testing.assert_array_equal(template.bgr, other.bgr)
    np.testing.assert_allclose(template.coverage, other.coverage, atol=1e-5)
    np.testing.assert_array_equal(template.signature, other.signature)


def test_file_round_trip() -> None:
    stored = to_stored(made_template(), "2026-01-02")
    assert stored.data == to_stored(made_template(), "2026-01-02").data
    back = parse_template(stored.data, "club.kdprint", thoroughly=True)
    assert_same(back, made_template())
    assert back.head.learned == "2026-01-02"
    assert not back.bgr.flags.writeable and not back.coverage.flags.writeable
    new = renamed(stored, "  Old   club ")
    assert_same(parse_template(new.data, "x"), made_template("Old club"))
    assert to_stored(made_template()).head.learned == date.today().isoformat()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zip at all" * 100,
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
        rebuilt(DATA, known=png(92, 124, channels=1)),
        rebuilt(DATA, signature=None),
        rebuilt(DATA, picture=b"\0" * (200 << 20)),
    ],
)
def test_damaged_file_is_refused_with_the_remedy(data: bytes) -> None:
    with pytest.raises(LayoutError, match=r"club\.kdprint: .*export it again"):
        parse_template(data, "club.kdprint")


def test_broken_picture_and_signature_with_right_checksums_are_refused() -> None:
    picture = zipfile.ZipFile(io.BytesIO(DATA)).read("picture.png")
    long = np.full(3 * 2852, 1e9, "<f4").tobytes()
    for broken in (
        rebuilt(DATA, picture=picture[:40] + b"\0" * 40),
        *(rebuilt(DATA, signature=s) for s in (b"", b"\0" * 100, b"\xff" * (12 * 2852), long)),
    ):
        parse_template(broken, "club.kdprint")
        with pytest.raises(LayoutError, match="damaged"):
            parse_template(broken, "club.kdprint", thoroughly=True)


def test_signatures_belong_to_their_version() -> None:
    """When this fails raise `SIGNATURE`: files hold signatures of the old kind."""
    assert SIGNATURE == 1
    expected = [
        [-0.0192, 0.0199, 0.006, -0.0127],
        [0.0008, -0.0070, -0.0081, -0.0016],
        [-0.0013, 0.0043, 0.0055, -0.0012],
    ]
    np.testing.assert_allclose(made_template().signature[:, 300::700], expected, atol=3e-4)


def test_file_of_a_newer_version_is_named_as_such() -> None:
    newer = with_values(DATA, lambda v: v.update(format="kdscan-print/2", ribbon=3))
    with pytest.raises(LayoutError, match="another version"):
        parse_template(newer, "club.kdprint")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "../../etc/passwd"),
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
        ("castle", {"roofs": [], "keep": [[]]}),
        ("signature", "1"),
    ],
)
def test_content_that_no_template_has_is_refused(key: str, value: object) -> None:
    data = with_values(DATA, lambda v: v.update({key: value}))
    with pytest.raises(LayoutError):
        parse_template(data, "club.kdprint")


def names(library: Library) -> list[str]:
    return [template.name for template in library.load()]


def test_own_library_is_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert own_library().load() == ()
    assert not list(tmp_path.iterdir())  # looking makes nothing
    own_library().save(made_template("Żubr"))
    assert (tmp_path / "kdscan/prints/Żubr.kdprint").is_file()


def test_templates_are_sorted_found_replaced_and_forgotten(tmp_path: Path) -> None:
    library = Library(tmp_path / "prints")
    for name in ("moor", "Atlas", "dune"):
        library.save(made_template(name))
    assert names(library) == ["Atlas", "dune", "moor"]
    assert library.get(" ATLAS ").name == "Atlas"
    library.save(made_template("atlas", 2))
    assert library.get("Atlas").data == to_stored(made_template("atlas", 2)).data
    library.forget("atlas")
    assert names(library) == ["dune", "moor"]
    with pytest.raises(LayoutError, match=r"'atlas'; known: dune, moor"):
        library.forget("dune", "atlas")
    assert names(library) == ["dune", "moor"]


def test_damaged_files_are_reported_and_skipped(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.save(made_template("good"))
    (tmp_path / "bad.kdprint").write_bytes(b"PK\x03\x04 damaged")
    (tmp_path / "notes.txt").write_text("not a template")
    errors: list[str] = []
    assert [t.name for t in library.load(lambda e: errors.append(str(e)))] == ["good"]
    assert len(errors) == 1 and "bad.kdprint" in errors[0]
    library.forget("bad")  # by the file's name, as it has no other
    library.load(lambda e: pytest.fail(str(e)))


def test_folder_that_cannot_be_used_is_reported(tmp_path: Path) -> None:
    (tmp_path / "prints").write_text("in the way")
    library, errors = Library(tmp_path / "prints"), list[KdscanError]()
    assert library.load(errors.append) == ()
    assert "this folder cannot be read" in str(errors[0]) and len(errors) == 1
    with pytest.raises(UsageError, match="this folder cannot be read"):
        library.forget("club")
    with pytest.raises(UsageError, match="this folder cannot be written"):
        library.save(made_template())


@pytest.mark.parametrize(
    "name",
    ["", " ", ".hidden", "a/b", "a\\b", "a:b", "a\nb\0", "x" * 61, "end.", "-o", "unknown",
     "KDSCAN-A5", "CON", "aux.2", "Com¹", "a\x1b[31m", "<b>", 'a"b'],
)  # fmt: skip
def test_names_that_no_template_may_have(name: str) -> None:
    with pytest.raises(LayoutError, match="name"):
        checked_name(name)
    with pytest.raises(LayoutError, match="name"):
        to_stored(made_template(name))


def test_names_of_all_languages() -> None:
    for name in ("Żubr 2", "Клуб", "Con Brio", "COM10", "d'Or", "国", "Cafe\u0301", "नाव"):
        assert checked_name(f"  {name}  ")
    assert checked_name("Cafe\u0301") == "Café"
