"""Full disks: an error with its remedy, old outputs whole, and a store that is whole again."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lab.benchmarks.trials import Trial, kdscan
from lab.benchmarks.trials.kills import COMMANDS, EVENT, OLD, damaged, seed

ENOUGH = {0, 2, 5, 7, 8}
"""Exit codes with which a command may end where there is no room."""

SMALL_DISK = """
mount -t tmpfs -o size="$1" none "$2" && cp -a "$3/." "$2/" && cd "$2" || exit 99
"${@:5}"; code=$?
cp -a "$2/." "$4/"; exit $code
"""
"""bash: a disk of $1 bytes over the folder $2 with what lies in $3, a command there, and what
came of it copied to $4."""


def can_mount() -> bool:
    """Whether this user may make small disks of their own."""
    try:
        words = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def full(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Commands on disks that have room for a part of what they write."""
    if not can_mount():
        raise RuntimeError("no small disks can be made here: unshare and tmpfs are needed")
    origin, disk, after = folder / "origin", folder / "disk", folder / "after"
    for place in (origin, disk):
        place.mkdir()
    seed(origin)
    commands = [*COMMANDS, ("batch", "more", *EVENT, "--round", "2", "--workers", "1")]
    shutil.copytree(origin / "photos", origin / "more")
    for path in (origin / "more").iterdir():
        path.write_bytes(path.read_bytes() + b"more")
    used = sum(path.stat().st_size + 4096 for path in origin.rglob("*"))
    while True:
        words = rng.choice(commands)
        out = words[-1] if words[-1].startswith("out.") else None
        if out:
            (origin / out).write_bytes(OLD)
        shutil.rmtree(after, ignore_errors=True)
        after.mkdir()
        room = used + int(4096 * 2 ** rng.uniform(0, 9))
        places = map(str, (room, disk, origin, after))
        inside = ["unshare", "-rm", "bash", "-c", SMALL_DISK, "bash", *places]
        ended = kdscan(*words, folder=folder, before=inside)
        faults = [*ended.faults, *damaged(after / "cup.sqlite", after / out if out else None)]
        if ended.code not in ENOUGH:
            faults.append(f"exit code {ended.code}: {ended.err[-200:]}")
        if out:
            (origin / out).unlink()
        filled = int(ended.code in {2, 8})
        yield Trial(f"{words[0]} with {room - used} bytes", tuple(faults), counts={"full": filled})
