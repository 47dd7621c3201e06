"""A worker's answer is read completely, or not trusted."""

from __future__ import annotations

import io

import pytest

from kdscan.workers.frames import Frame, FrameError, read_frame, write_frame


def test_frames_travel_whole() -> None:
    out = io.BytesIO()
    write_frame(out, Frame({"a": 1}, (b"xyz", b"")))
    frame = read_frame(io.BytesIO(out.getvalue()))
    assert (frame.header, frame.blobs) == ({"a": 1}, (b"xyz", b""))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"\0\0\0\x02{}",
        b"\0\0\0\x02[]",
        b"\0\0\0\x02xx",
        b'\0\0\0\x0e{"blobs":[-1]}',
        b'\0\0\0\x0b{"blobs":3}',
        b'\0\0\0\x0f{"blobs":["a"]}',
        b'\0\0\0\x0f{"blobs":[1.5]}',
        b"\0\1\0\0" + b"[" * 65_536,
        b"\0\xf4\x24\x01",
        b'\0\0\0\x17{"blobs":[399999999,2]}',
    ],
)
def test_frames_that_cannot_be_are_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(data))


def test_a_stream_that_ends_early_is_told_from_a_whole_one() -> None:
    out = io.BytesIO()
    write_frame(out, Frame({}, (b"xyz",)))
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(out.getvalue()[:-1]))
