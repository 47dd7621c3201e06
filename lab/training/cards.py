"""Generated documentation of the models in use: model cards, and tables of the READMEs.

Everything is generated from the manifest, the recipes, the published measurements and
`reading.toml`, so that the pages cannot contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kdscan.errors import UsageError
from kdscan.inference.store import Models
from lab.training.recipe import Recipe, load_recipe
from lab.training.weights import weights_path

GENERATED = "<!-- made by python -m lab.training cards -->"
FIELD_TITLES = {
    "steps": "steps",
    "batch": "examples a step",
    "rate": "highest learning rate",
    "average": "steps in the moving average of weights, at most",
    "seed": "seed",
    "count": "examples drawn at a time",
    "views": "showings of each",
    "photos": "photos drawn once",
    "pages": "pages drawn once",
    "again": "share of the steps trained once more with what was held back",
}
"""Titles of a recipe's fields in a model card."""


class PhotoSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Results on photos that no model was trained on.

    board: percentage of boards with all 34 shields right. asks: percentage marked for review.
    silent: number of wrong totals not marked for review. wrong_after: totals still wrong after all
    marked shields are corrected.
    """

    name: str
    photos: int
    board: float
    silent: int
    asks: float
    wrong_after: int


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well these versions read whole photos."""

    models: tuple[str, ...]
    sets: tuple[PhotoSet, ...]


def load_reading(models: Path) -> Reading:
    """`models`/reading.toml; raises UsageError for anything else."""
    path = models / "reading.toml"
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Reading)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


def shipped(models: Path) -> dict[str, str]:
    """The versions in use: network → NAME-VERSION; raises ModelError without a valid manifest."""
    used = Models(models).manifest["models"]
    files = {name: str(entry["file"]) for name, entry in used.items()}
    return {name: file.split("/")[0] for name, file in files.items()}


def measured(models: Path, name: str) -> dict[str, Any]:
    """The measurements published with a version."""
    found: dict[str, Any] = json.loads((models / name / "measured.json").read_text("utf-8"))
    return found


def card(recipe: Recipe, found: Mapping[str, Any], kept: bool) -> str:
    """The model card of a version, Markdown. kept: whether its weights are stored for training."""
    figures = [(name, _format(value)) for name, value in found["figures"].items()]
    parts = [
        f"# {recipe.network} {recipe.version}",
        GENERATED,
        _table("made", _facts(recipe, found)),
        recipe.about.strip(),
        "## Measured",
        _table("held back", figures),
        f"`python -m lab.training make {recipe.name}` trains by this recipe again.",
    ]
    if kept:
        parts.append(f"Training goes on from `lab/weights/{recipe.name}.npz`.")
    if missing := recipe.unknown():
        parts.append(f"Nobody noted its {', '.join(missing)}: the usual values are taken.")
    return "\n\n".join(parts) + "\n"


def _facts(recipe: Recipe, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parent, training, held = recipe.parent, recipe.training, recipe.held_back
    yield "weights", f"{found['parameters']:,} in {found['bytes']:,} bytes"
    yield "SHA-256", f"`{found['sha256']}`"
    if parent is not None:
        yield "goes on from", f"{recipe.parent_name.replace('-', ' ')}, `{parent.model}`"
    for name, value in msgspec.structs.asdict(training).items():
        if value:
            yield FIELD_TITLES[name], _format(value)
    if held.count:
        yield "held back", f"{held.count:,} from seed {held.seed:,}"
    if held.kingdoms:
        yield "held back", f"kingdoms, {held.kingdoms}"
    for head, value in found.get("temperatures", {}).items():
        yield f"temperature of {head}", _format(value)


def _format(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 0.1 else f"{value:.4f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)


def _table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"| {title} |  |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)])


def overview(models: Path) -> str:
    """The page models/README.md: the models in use."""
    heads = "model | weights | bytes | trained from | steps | peak learning rate | held-out"
    rows = [f"| {heads} |", "|---|---|---|---|---|---|---|"]
    for name in shipped(models).values():
        recipe, found = load_recipe(models, name), measured(models, name)
        parent = recipe.parent_name.replace("-", " ") or "–"
        held = recipe.held_back.kingdoms or recipe.held_back.count or "–"
        row = [f"[{recipe.network} {recipe.version}]({name}/card.md)"]
        row += [f"{found['parameters']:,}", f"{found['bytes']:,}", parent]
        row += [f"{recipe.training.steps:,}", f"{recipe.training.rate:g}", f"{held}"]
        rows.append(f"| {' | '.join(row)} |")
    where = """Recipes are in `lab/recipes/`, weights for further training in `lab/weights/`.
Earlier models are listed in [CHANGELOG.md](CHANGELOG.md).
[lab/training](../lab/training/README.md) describes how models are made.
"""
    return "\n\n".join(["# Models in use", GENERATED, "\n".join(rows), where])


def reading_table(reading: Reading) -> str:
    """The table of results for README.md."""
    models = " and ".join(name.replace("-", " ") for name in reading.models)
    titles = "board | silently wrong | flagged for review | wrong after review"
    rows = [f"| {models} | {titles} |", "|---|---|---|---|---|"]
    for one in reading.sets:
        figures = f"{one.board:g}% | {one.silent} | {one.asks:g}% | {one.wrong_after}"
        rows.append(f"| {one.name}: {one.photos} photos | {figures} |")
    return "\n".join(rows)


def pages(root: Path) -> dict[Path, str]:
    """All generated pages: path → text. root: of the repository.

    Raises UsageError if README.md has no place for its table.
    """
    models = root / "models"
    made = {models / "README.md": overview(models)}
    for name in shipped(models).values():
        kept = weights_path(models, name).is_file()
        text = card(load_recipe(models, name), measured(models, name), kept)
        made[models / name / "card.md"] = text
    readme = root / "README.md"
    before, start, rest = readme.read_text("utf-8").partition(GENERATED)
    _, end, after = rest.partition("\n\n")
    if not start or not end:
        raise UsageError(f"{readme} has no place for its table: add the line {GENERATED}")
    made[readme] = f"{before}{GENERATED}\n{reading_table(load_reading(models))}\n\n{after}"
    return made


def write(root: Path) -> list[Path]:
    """Write the pages that are not up to date; returns them."""
    changed = []
    for path, text in pages(root).items():
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            changed.append(path)
    return changed
