"""Reads each file that stdin names as `kdscan score` does, and tells in JSON what came of it."""

from __future__ import annotations

import json
import resource
import sys
import time
import traceback

import cv2

from kdscan.cli.reading import read_all
from kdscan.kinds.common.options import ReadOptions
from kdscan.pipeline.document import photo_json


def used_seconds() -> float:
    """Processor time of this process, and of its children that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def main() -> None:
    """A line of JSON for each line of stdin."""
    cv2.setNumThreads(1)
    for line in sys.stdin:
        start, bugs, entries = used_seconds(), [], []
        try:
            reports = read_all([line.rstrip("\n")], [], ReadOptions(), lambda number, name: None)
            entries = [photo_json(report) for report, _ in reports]
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
