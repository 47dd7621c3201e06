"""The training tool, from an event's corrections to a network; bad input gives a one-line error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import typer

from kdscan.event.batch.paths import sources
from kdscan.event.batch.run import Run
from kdscan.event.batch.tasks import perform
from kdscan.event.labels import save_labels
from kdscan.event.store import open_store
from kdscan.event.store.corrections import add_correction
from kdscan.event.store.events import ensure_event
from kdscan.event.store.readings import sheets
from kdscan.inference.store import default_models
from lab.synth.__main__ import main as synth
from lab.synth.tool import run
from tests.event.workers import Here

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "models"


def tool(module: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`python -m kdscan.MODULE ARGUMENTS`."""
    command = (sys.executable, "-m", f"kdscan.{module}", *arguments)
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=1500)


def taught(folder: Path) -> Path:
    """The labelled set of an event in which a person put two shields right."""
    with open_store(str(folder / "s.sqlite")) as store:
        with store.write() as db:
            event = ensure_event(db, "cup")
        run = Run(store, event, default_models().version)
        run.read(sources([str(ROOT / "samples/01.jpg")]), Here(perform))
        with store.write() as db:
            (sheet,) = sheets(db, event.id)
            for cell in ("cell:0,3", "cell:4,6"):
                new = {"coat": "checked", "crosses": 1}
                add_correction(db, event.id, cell, new, "Ada", sheet_id=sheet.id)
        assert save_labels(store, "cup", folder / "labels") == (1, 2)
    return folder / "labels"


@pytest.mark.slow
@pytest.mark.torch
def test_corrections_of_an_event_teach_the_published_network(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    labels = str(taught(tmp_path))
    ran = tool(
        *("training", "fit", "marks", "--start", str(MODELS), "--labels", labels),
        *("--steps", "3", "--rate", "1e-4", "--batch", "4"),
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    weights = tmp_path / "data/training/marks.pt"
    assert all(bool(v.isfinite().all()) for v in torch.load(weights).values())

    ran = tool("training", "test", labels, "--weights", str(weights), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["shields"] == 2

    # It went on from what the published network knows: nearly all of another sheet is read.
    samples = str(ROOT / "samples")
    ran = tool("training", "test", samples, "--weights", str(weights), cwd=tmp_path)
    assert json.loads(ran.stdout)["cell"] > 0.8


@pytest.mark.torch
@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ("fit nothing", "'nothing' is not one of"),
        ("fit refine --resume", "no state of a training of this version; remove it"),
        ("fit locate", "continue it with --resume"),
        ("fit locate --resume --rate 1", "was begun with other settings"),
        ("fit marks --start gone.onnx", "does not exist"),
        ("fit marks --start a-file --labels samples", "a-file is no checkpoint of a MarksNet"),
        ("fit marks --start . --labels samples", "install kdscan again"),
        ("fit marks --labels gone", "does not exist"),
        ("fit locate --labels samples", "labelled sheets teach marks alone"),
        ("fit marks --labels .", "kdscan export --event NAME --labels"),
        ("fit marks --steps 2", "not in the range x>=3"),
        ("test .", "kdscan export --event NAME --labels"),
        ("test samples --weights a-file", "a-file is no checkpoint of a MarksNet"),
        ("make", "Missing argument"),
        ("make marks-99", "there are: marks-2, marks-3"),
        ("make marks-2", "the weights from which marks-2 was trained are missing"),
        ("make marks-3", "is not the file of weights from which marks-3 was trained"),
        ("make tiles-2", "--boards or --photos"),
        ("make marks-2 --trained a-file", "a-file is no checkpoint of a MarksNet"),
        ("make marks-2 --effort 0", "not in the range"),
        ("cards", "these models are of format"),
        ("kingdoms", "--boards or --photos"),
        ("kingdoms --boards .", "no such table of squares"),
        ("calibrate-totals . --models models", "python -m lab.synth"),
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
    for name, parent in (("marks-2", "1"), ("marks-3", "2"), ("tiles-2", "")):
        write_recipe(Path("lab/recipes", f"{name}.toml"), name, parent)
    Path("lab/weights").mkdir()
    Path("lab/weights/marks-2.npz").touch()
    Path("samples").mkdir()
    for name in ("01.jpg", "01.json"):
        Path("samples", name).symlink_to(ROOT / "samples" / name)
    for name in ("locate", "refine"):
        Path(f"data/training/{name}/00000001").mkdir(parents=True)
    kept = {"name": "locate", "steps": 3, "rate": 0.1, "batch": 2, "count": 2, "views": 2}
    kept |= {"step": 1}
    Path("data/training/locate/00000001/run.json").write_text(json.dumps(kept), "utf-8")
    said = complaint(lambda: app(arguments.split()), capsys)
    assert remedy in said
    assert json.loads(Path("models/manifest.json").read_text("utf-8")) == {"trust": 1}


@pytest.mark.torch
@pytest.mark.parametrize(("count", "taken"), [(25, 6), (6, 6), (3, 3)])
def test_a_short_training_goes_on_by_the_command_that_began_it(
    count: int, taken: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It draws no more sheets than its 6 steps show, whatever --count says."""
    pytest.importorskip("torch")
    from lab.training import trainer
    from lab.training.commands.maps import fit

    counts = []

    def train(task: object, run: Any, *_: object, **__: object) -> None:
        counts.append(run.count)
        home = tmp_path / "marks" / "00000002"
        home.mkdir(parents=True, exist_ok=True)
        (home / "run.json").write_text(json.dumps(asdict(run) | {"step": 2}), "utf-8")

    monkeypatch.setattr(trainer, "train", train)
    for resume in (False, True):
        fit("marks", tmp_path, steps=6, batch=2, count=count, views=2, resume=resume)
    assert counts == [taken, taken]


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ("photos --level odd", "'odd' is not one of"),
        ("photos --count 0", "not in the range"),
        ("photos --count 1 --long-side 400 --code CUP/1//A", "add --own"),
        ("photos --count 1 --long-side 400 --own --ground pale", "leave out --ground or --own"),
        ("photos --count 1 --long-side 400 --table --dice", "leave out --table or --dice"),
        ("a-file/photos --count 1", "a-file"),
    ],
)
def test_synthetic_photos_likewise(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    remedy: str,
) -> None:
    app = typer.Typer()
    app.command()(synth)
    monkeypatch.chdir(tmp_path)
    Path("a-file").touch()
    assert remedy in complaint(lambda: app(arguments.split()), capsys)


def write_recipe(path: Path, name: str, parent: str) -> None:
    """A recipe that says as little as it may."""
    path.parent.mkdir(exist_ok=True)
    network, version = name.split("-")
    batch = {"marks": 6, "tiles": 12}[network]
    text = f'network = "{network}"\nversion = "{version}"\nabout = ""\n[held_back]\n'
    if parent:
        text += f'[parent]\nversion = "{parent}"\nmodel = ""\nweights = "{parent}"\n'
    text += f"[training]\nsteps = 3\nbatch = {batch}\nrate = 0.1\naverage = 0\n"
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
