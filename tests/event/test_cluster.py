"""On a real cluster of two processes, one of which is killed: the same rows as on one machine."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from kdscan.errors import UsageError
from kdscan.event.events import open_event
from kdscan.event.jobs import Batch, Progress, Workers
from kdscan.event.store import Store, open_store
from kdscan.event.tasks import sources
from kdscan.inference.store import default_models
from tests.command import Command
from tests.conftest import new_store
from tests.event.entries import exported
from tests.event.workers import Here

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.cluster

SAMPLES = Path(__file__).parent.parent.parent / "samples"
PHOTOS = ("02.jpg", "04.jpg", "08.jpg", "09.jpg")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


def start(store: Store, workers: Workers) -> Batch:
    with store.write() as db:
        event = open_event(db, "cup")
    return Batch(store, event, workers, default_models().version)


def test_the_command_line_finds_the_cluster(address: str, tmp_path: Path, run: Command) -> None:
    store = str(tmp_path / "s.sqlite")
    given = [str(SAMPLES / "04.jpg"), "--event", "cup", "--store", store, "--cluster", address]
    assert "sheets: 1" in run("batch", *given).out
    run("batch", *given, "--workers", "2", code=2)


@pytest.mark.database
def test_a_worker_killed_in_the_middle_changes_no_row(
    address: str, postgres: str, tmp_path: Path
) -> None:
    from kdscan.event.cluster import Cluster

    folder = tmp_path / "cup"
    folder.mkdir()
    for name in PHOTOS:
        shutil.copy(SAMPLES / name, folder)
    (folder / "bad.jpg").write_text("no picture")
    files = sources([str(folder)])
    with open_store(str(tmp_path / "alone.sqlite")) as alone:
        start(alone, Here()).run(files)
        expected = exported(alone)

    killed: list[int] = []
    with distributed.Client(address, set_as_default=False) as client:
        processes = client.run(os.getpid)

    def kill_one(progress: Progress) -> None:
        if progress.read >= 2 and not killed:
            killed.append(next(iter(processes.values())))
            os.kill(killed[0], signal.SIGKILL)

    for url in new_store(postgres):
        with open_store(url, str(tmp_path / "photos")) as store:
            with Cluster(address) as cluster:
                start(store, cluster).run(files, kill_one)
            assert len(killed) == 1
            assert exported(store) == expected


def test_no_scheduler_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    from kdscan.event import cluster

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with pytest.raises(UsageError, match="no scheduler"):
        cluster.Cluster("tcp://127.0.0.1:9")


def test_a_scheduler_without_workers_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    from kdscan.event import cluster

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as idle,
        pytest.raises(UsageError, match="no workers"),
    ):
        cluster.Cluster(idle.scheduler_address)
