"""How many cores a process may use, as Linux describes its limits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kdscan.workers.cores import cores


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


@pytest.mark.parametrize(
    ("quotas", "counted"),
    [
        ({}, 8),
        ({"": "max 100000"}, 8),
        ({"": "200000 100000"}, 2),
        ({"": "150000 100000"}, 2),
        ({"": "50000 100000"}, 1),
        ({"": "1600000 100000"}, 8),
        ({"desk/kdscan": "300000 100000"}, 3),
        ({"desk": "200000 100000", "desk/kdscan": "300000 100000"}, 2),
        ({"other": "100000 100000"}, 8),
        ({"": "", "desk": "200000 100000"}, 2),
        ({"": "300000"}, 8),
    ],
)
def test_the_least_quota_around_a_process_counts(
    tmp_path: Path, quotas: dict[str, str], counted: int
) -> None:
    own = tmp_path / "own"
    own.write_text("1:name=systemd:/elsewhere\n0::/desk/kdscan\n")
    for group, quota in quotas.items():
        folder = tmp_path / "cgroups" / group
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cpu.max").write_text(quota + "\n")
    assert cores(tmp_path / "cgroups", own) == counted


def test_without_control_groups_the_cores_count_that_the_system_allows(tmp_path: Path) -> None:
    assert cores(tmp_path, tmp_path / "missing") == 8


def test_a_group_whose_name_is_no_text_has_no_quota(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_bytes(b"0::/\xff\n")
    assert cores(tmp_path, own) == 8


def test_where_no_process_is_bound_to_cores_all_of_them_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")  # macOS, Windows
    assert cores(tmp_path, tmp_path / "missing") == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores(tmp_path, tmp_path / "missing") == 1
