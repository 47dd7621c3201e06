"""Reads each file that stdin names as `kdscan score` does, and tells in JSON what came of it."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path

import cv2

from kdscan.cli.reading import read_all
from kdscan.document import photo_json
from kdscan.sheets.common import ReadOptions


def used_seconds() -> float:
    """Processor time of this process and of its children, ended or not: the decoder lives on from
    file to file, and counted only when it ends, all its time would be charged to one file."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_lived, _children()))


def _children() -> list[Path]:
    found: list[Path] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            found += [Path("/proc", pid) for pid in task.read_text("ascii").split()]
    return found


def _lived(process: Path) -> float:
    """Seconds of processor time of a living process: fields 14 and 15 of proc(5)."""
    user, system = (process / "stat").read_text("ascii").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """A line of JSON for each line of stdin."""
    cv2.setNumThreads(1)
    for line in sys.stdin:
        start, bugs, entries = used_seconds(), [], []
        try:
            reports = read_all([line.rstrip("\n")], [], ReadOptions(), lambda number, name: None)
            entries = [photo_json(report) for _, report, _ in reports]
        except Exception:
            bugs.append(traceback.format_exc(limit=-2))
        errors = [entry["error"] for entry in entries if entry["error"]]
        bugs += [error["message"] for error in errors if error["code"] == "bug"]
        most = max(
            resource.getrusage(who).ru_maxrss
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        said = {
            "bugs": bugs,
            "seconds": used_seconds() - start,
            "mb": most / 1024,
            "read": sum(bool(entry["sheets"]) for entry in entries),
            "refused": len(errors),
        }
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
