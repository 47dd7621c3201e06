"""How many processor cores this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
"""Where Linux mounts version 2 of its control groups; a container sees its own group here."""


def cores(cgroups: Path = CGROUPS, own: Path = Path("/proc/self/cgroup")) -> int:
    """Number of cores that this process may use, at least 1: those it may run on, and no more than
    the quota of its container or service allows (`docker run --cpus`, systemd's `CPUQuota=`).

    cgroups: the mounted control groups. own: the file that names this process's group.
    """
    return min([_allowed(), *_quotas(cgroups, own)])


def _allowed() -> int:
    """Number of cores that the system may run this process on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(cgroups: Path, own: Path) -> Iterator[int]:
    """The quotas of this process's control group and of those around it, in whole cores, rounded
    up. See `cpu.max` in Linux's documentation of cgroup v2."""
    try:
        lines = own.read_text("utf-8").splitlines()
    except (OSError, ValueError):  # not Linux; a name that is no text
        return
    name = next((line[len("0::/") :] for line in lines if line.startswith("0::/")), "")
    group = cgroups / name
    for folder in (group, *group.parents):
        try:
            quota, period = (folder / "cpu.max").read_text("utf-8").split()
            if quota != "max":
                yield ceil(int(quota) / int(period))
        except (OSError, ValueError):  # the outermost group has none; an emulated one may be empty
            continue
