"""An interrupted and resumed training ends with the same weights as an uninterrupted one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from kdscan.errors import UsageError
from lab.training.recipe import Training

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch

SIZE, STEPS = 4, 20
HOW = Training(STEPS, SIZE, 0.01, average=5000, seed=5)


class Killed(Exception):
    """What a training meets in the middle."""


def small_net() -> Any:
    """Everything that a training has to keep: norms, what is dropped out, weights."""
    nn = torch.nn
    return nn.Sequential(
        *(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.3)),
        *(nn.Flatten(), nn.Linear(4 * 36, 1)),
    )


def batch(rng: np.random.Generator, examples: list[int]) -> tuple[Any, ...]:
    pictures = rng.normal(size=(len(examples), 1, 8, 8)) + np.array(examples)[:, None, None, None]
    true = torch.tensor(examples, dtype=torch.float32)[:, None]
    return torch.from_numpy(pictures.astype(np.float32)), true


def loss(out: tuple[Any, ...], batch: tuple[Any, ...]) -> dict[str, Any]:
    return {"off": (out[0].float() - batch[1]).square().mean()}


def task(steps_before_it_is_killed: int = 1_000_000) -> Any:
    from lab.training.task import Task

    count = iter(range(steps_before_it_is_killed))

    def counted(out: tuple[Any, ...], batch: tuple[Any, ...]) -> dict[str, Any]:
        if next(count, None) is None:
            raise Killed
        return loss(out, batch)

    return Task(small_net, batch, counted)


def square(number: int) -> int | None:
    """What is drawn; one in seven comes to nothing."""
    return None if number % 7 == 3 else number % 5


def nothing() -> None:
    """What a process that draws has to do first."""


def drawn(folder: Path) -> Any:
    from lab.training.supply import RenderedSupply

    return RenderedSupply(folder / "sheets", square, nothing, count=10, views=2)


def given(folder: Path) -> Any:
    from lab.training.supply import FixedSupply

    return FixedSupply(range(9))


def trained(folder: Path, supply: Any, task: Any) -> dict[str, Any]:
    from lab.training.trainer import train

    shown = supply(folder)
    return dict(train(task, HOW, shown, folder, save_every_s=0.0).state_dict())


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize("supply", [given, drawn])
def test_what_was_broken_off_ends_like_what_was_not(tmp_path: Path, supply: Any) -> None:
    whole = trained(tmp_path / "whole", supply, task())
    for steps in (1, 7):  # twice: it goes on from what went on
        with pytest.raises(Killed):
            trained(tmp_path / "parts", supply, task(steps))
    assert equal(whole, trained(tmp_path / "parts", supply, task()))
    assert not equal(whole, {name: torch.zeros_like(value) for name, value in whole.items()})
    assert equal(whole, torch.load(tmp_path / "parts.pt"))


def test_a_loss_that_is_no_number_ends_the_training_and_leaves_its_state(tmp_path: Path) -> None:
    from lab.training.trainer import latest

    count = iter((1.0, 1.0, float("nan")))

    def spoilt(out: tuple[Any, ...], batch: tuple[Any, ...]) -> dict[str, Any]:
        return {name: next(count) * part for name, part in loss(out, batch).items()}

    with pytest.raises(RuntimeError, match="non-finite"):
        trained(tmp_path / "run", given, replace(task(), loss=spoilt))
    found = latest(tmp_path / "run")
    assert found is not None and found[0].step == 2
    assert all(part.isfinite().all() for part in torch.load(tmp_path / "run.pt").values())


def test_a_state_is_whole_or_the_one_before(tmp_path: Path) -> None:
    from lab.training.trainer import latest

    with pytest.raises(Killed):
        trained(tmp_path / "run", given, task(4))
    (tmp_path / "run" / "00000017.part").mkdir()  # a kill while it was written
    found = latest(tmp_path / "run")
    assert found is not None
    assert found[0].step == 4
    files = [*(tmp_path / "run").rglob("*.*")]
    assert {path.parent.name for path in files if path.is_file()} == {"00000004"}


def test_what_is_there_is_not_overwritten_nor_mixed(tmp_path: Path) -> None:
    from lab.training.trainer import train

    trained(tmp_path / "run", given, task())
    other = structs.replace(HOW, rate=0.02)
    with pytest.raises(UsageError, match="begun with other settings"):
        train(task(), other, given(tmp_path), tmp_path / "run")
    (tmp_path / "run" / f"{STEPS:08d}" / "network.pt").write_bytes(b"no weights")
    with pytest.raises(UsageError, match="broken"):
        trained(tmp_path / "run", given, task())


def spilt(number: int) -> int:
    raise ValueError("the ink was spilt")


def test_each_example_is_shown_so_often_and_leaves(tmp_path: Path) -> None:
    from lab.training.supply import RenderPool

    supply = drawn(tmp_path)
    shown: list[list[int]] = []
    with RenderPool(supply, showings=60, workers=2) as painters:
        for step in range(15):
            painters.schedule(step * SIZE)
            shown.append(supply.examples(step, SIZE))
            assert len(list((tmp_path / "sheets").iterdir())) <= 3
    flat = [e for step in shown for e in step]
    for block in range(3):
        numbers = [n for n in range(10 * block, 10 * block + 10) if square(n) is not None]
        seen = flat[20 * block : 20 * block + 20]
        assert set(seen) == {n % 5 for n in numbers}
        assert flat[20 * block : 20 * block + 10] != flat[20 * block + 10 : 20 * block + 20]
