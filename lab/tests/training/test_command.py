"""The training tool, from an event's corrections to a network; bad input gives a one-line error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kdscan.event.actions import CorrectShield
from kdscan.event.events import open_event
from kdscan.event.export import save_labels
from kdscan.event.jobs import Batch
from kdscan.event.store import open_store
from kdscan.event.tasks import sources
from kdscan.inference.store import default_models
from lab.synth.tool import run
from tests.event.entries import do, event_of
from tests.event.workers import Here

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "models"


def tool(module: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`python -m MODULE ARGUMENTS` in another folder."""
    command = (sys.executable, "-m", module, *arguments)
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=1500)


def taught(folder: Path) -> Path:
    """The labelled set of an event in which a person put two shields right."""
    with open_store(str(folder / "s.sqlite")) as store:
        with store.write() as db:
            event = open_event(db, "cup")
        batch = Batch(store, event, Here(), default_models().version)
        batch.run(sources([str(ROOT / "samples/01.jpg")]))
        (sheet,) = event_of(store, "cup").sheets
        cells = ((0, 3), (4, 6))
        do(store, *(CorrectShield(sheet, cell, "checked", 1) for cell in cells), event="cup")
        assert save_labels(store, "cup", folder / "labels") == (1, 2)
    return folder / "labels"


@pytest.mark.slow
@pytest.mark.torch
def test_corrections_of_an_event_teach_the_published_network(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    labels = str(taught(tmp_path))
    ran = tool(
        *("lab.training", "make", "marks-19", "--models", str(MODELS), "--start", str(MODELS)),
        *("--labels", labels, "--version", "20", "--effort", "0.015"),
        *("--set", "steps=200", "--set", "rate=1e-4", "--set", "batch=4", "--set", "count=400"),
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    weights = tmp_path / "data/training/marks-20/run.pt"
    assert all(bool(v.isfinite().all()) for v in torch.load(weights).values())

    ran = tool("lab.training", "test", labels, "--weights", str(weights), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["shields"] == 2

    # It went on from what the published network knows: nearly all of another sheet is read.
    samples = str(ROOT / "samples")
    ran = tool("lab.training", "test", samples, "--weights", str(weights), cwd=tmp_path)
    assert json.loads(ran.stdout)["cell"] > 0.8


@pytest.mark.torch
@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ("make refine-2", "no state of a training of this version; remove it"),
        ("make locate-2 --set rate=1", "was begun with other settings"),
        ("make locate-2 --set rates=1", "unknown field `rates`"),
        ("make marks-4 --start a-file", "a-file is no checkpoint of a MarksNet"),
        ("make marks-4 --start .", "install kdscan again"),
        ("make locate-2 --labels samples", "labelled sheets teach marks alone"),
        ("make marks-4 --labels .", "kdscan export --event NAME --labels"),
        ("test samples --weights a-file", "a-file is no checkpoint of a MarksNet"),
        ("make marks-99", "there are: locate-2, marks-2, marks-3"),
        ("make marks-2", "the weights from which marks-2 was trained are missing"),
        ("make marks-3", "is not the file of weights from which marks-3 was trained"),
        ("make tiles-2", "--boards or --photos"),
        ("cards", "these models are of format"),
        ("make tiles-2 --boards .", "no such table of squares"),
        ("calibrate-totals models --models models", "python -m lab.synth"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_remedy(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    remedy: str,
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from lab.training.__main__ import app

    monkeypatch.chdir(tmp_path)
    Path("a-file").touch()
    Path("models").mkdir()
    Path("models/manifest.json").write_text('{"trust": 1}', "utf-8")
    for name in ("marks-2", "marks-3", "marks-4", "locate-2", "refine-2", "tiles-2"):
        parent = {"marks-2": "1", "marks-3": "2"}.get(name, "")
        write_recipe(Path("lab/recipes", f"{name}.toml"), name, parent)
    Path("lab/weights").mkdir()
    Path("lab/weights/marks-2.npz").touch()
    Path("samples").mkdir()
    for name in ("01.jpg", "01.json"):
        Path("samples", name).symlink_to(ROOT / "samples" / name)
    for name in ("locate-2", "refine-2"):
        Path(f"data/training/{name}/run/00000001").mkdir(parents=True)
    state = {"step": 1, "training": {"steps": 6, "batch": 6, "rate": 0.1, "average": 0}}
    Path("data/training/locate-2/run/00000001/state.json").write_text(json.dumps(state), "utf-8")
    said = complaint(lambda: app(arguments.split()), capsys)
    assert remedy in said
    assert json.loads(Path("models/manifest.json").read_text("utf-8")) == {"trust": 1}


def write_recipe(path: Path, name: str, parent: str) -> None:
    """A recipe that says as little as it may."""
    path.parent.mkdir(parents=True, exist_ok=True)
    network, version = name.split("-")
    text = f'network = "{network}"\nversion = "{version}"\nabout = ""\n[held_back]\n'
    if parent:
        text += f'[parent]\nversion = "{parent}"\nmodel = ""\nweights = "{parent}"\n'
    text += "[training]\nsteps = 6\nbatch = 6\nrate = 0.1\naverage = 0\n"
    path.write_text(text, "utf-8")


def complaint(command: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> str:
    """What a tool says on stderr when it cannot do what it is asked, on one line."""
    with pytest.raises(SystemExit) as ended:
        run(command)
    assert ended.value.code in (2, 6)
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return " ".join(said.replace("│", " ").split())


@pytest.mark.parametrize("package", ["torch", "reportlab"])
def test_what_is_not_installed_is_named_with_its_extra(
    package: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise ModuleNotFoundError(name=package)

    said = complaint(command, capsys)
    assert f"needs {package}" in said and "pip install -e '.[train]'" in said
