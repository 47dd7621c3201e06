"""What ships, in words: a card a model, and the tables of models/README.md and README.md.

All of it is made from the manifest, the recipes, what publishing measured and `reading.toml`, so
that none of them can say anything else than the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kdscan.errors import UsageError
from kdscan.inference.store import Models
from kdscan.training.recipe import Recipe, load_recipe, weights_path

MADE = "<!-- made by python -m kdscan.training cards -->"
TELLS = {
    "steps": "steps",
    "batch": "examples a step",
    "rate": "highest learning rate",
    "average": "steps in the moving average of weights, at most",
    "seed": "seed",
    "count": "examples drawn at a time",
    "views": "showings of each",
    "small": "share of steps with small crops",
    "photos": "photos drawn once",
    "pages": "pages drawn once",
    "again": "share of the steps trained once more with what was held back",
}
"""How a card calls the values of a recipe."""


class PhotoSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Photos that no model was trained on. board: percent of boards with all 34 shields right.
    asks: percent that ask for a look. silent: totals that are wrong and ask for none.
    wrong_after: totals still wrong when all that was asked is answered."""

    name: str
    photos: int
    board: float
    silent: int
    asks: float
    wrong_after: int


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How whole photos are read by these versions."""

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
    """The versions in use: network → NAME-VERSION; raises ModelError where no list says."""
    used = Models(models).manifest["models"]
    files = {name: str(entry["file"]) for name, entry in used.items()}
    return {name: file.split("/")[0] for name, file in files.items()}


def measured(models: Path, name: str) -> dict[str, Any]:
    """What publishing measured of a version."""
    found: dict[str, Any] = json.loads((models / name / "measured.json").read_text("utf-8"))
    return found


def card(recipe: Recipe, found: Mapping[str, Any], kept: bool) -> str:
    """The card of a version, Markdown. kept: whether its weights are there to train on."""
    rows = list(_facts(recipe, found))
    text = [f"# {recipe.network} {recipe.version}", "", MADE, "", *_table("made", "", rows), ""]
    text += [recipe.about.strip(), "", "## Measured", ""]
    text += _table("held back", "", [(name, _told(v)) for name, v in found["figures"].items()])
    text += ["", f"`python -m kdscan.training make {recipe.name}` trains by this recipe again."]
    if kept:
        text += ["", f"Training goes on from `models/weights/{recipe.name}.npz`."]
    if missing := recipe.unknown():
        text += ["", f"Nobody noted its {', '.join(missing)}: the usual values are taken."]
    return "\n".join(text) + "\n"


def _facts(recipe: Recipe, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parent, training, held = recipe.parent, recipe.training, recipe.held_back
    yield "weights", f"{found['parameters']:,} in {found['bytes']:,} bytes"
    yield "SHA-256", f"`{found['sha256']}`"
    if parent is not None:
        yield "goes on from", f"{recipe.network} {parent.version}, `{parent.model}`"
    for name, value in msgspec.structs.asdict(training).items():
        if value:
            yield TELLS[name], _told(value)
    if held.count:
        yield "held back", f"{held.count:,} from seed {held.seed:,}"
    if held.kingdoms:
        yield "held back", f"kingdoms, {held.kingdoms}"
    for head, value in found.get("temperatures", {}).items():
        yield f"temperature of {head}", _told(value)


def _told(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 0.1 else f"{value:.4f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)


def _table(left: str, right: str, rows: list[tuple[str, str]]) -> list[str]:
    return [f"| {left} | {right} |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)]


def overview(models: Path) -> str:
    """The page of models/README.md: what ships."""
    text = ["# Models in use", "", MADE, ""]
    text += ["| model | weights | bytes | goes on from | steps | highest rate | held back |"]
    text += ["|---|---|---|---|---|---|---|"]
    for name in shipped(models).values():
        recipe, found = load_recipe(models, name), measured(models, name)
        parent = f"{recipe.network} {recipe.parent.version}" if recipe.parent else "–"
        held = recipe.held_back.kingdoms or recipe.held_back.count or "–"
        row = [f"[{recipe.network} {recipe.version}]({name}/card.md)"]
        row += [f"{found['parameters']:,}", f"{found['bytes']:,}", parent]
        row += [f"{recipe.training.steps:,}", f"{recipe.training.rate:g}", f"{held}"]
        text.append(f"| {' | '.join(row)} |")
    text += [
        "",
        "Recipes stand in `recipes/`, weights to train on in `weights/`, the models before",
    ]
    text += ["these in [CHANGELOG.md](CHANGELOG.md). How they are made:"]
    text += ["[kdscan/training](../kdscan/training/README.md)."]
    return "\n".join(text) + "\n"


def reading_table(reading: Reading) -> str:
    """How well it reads, as a table for README.md."""
    models = " and ".join(name.replace("-", " ") for name in reading.models)
    rows = [
        f"| {models} | board | wrong in silence | asks for a look | wrong after its questions |"
    ]
    rows += ["|---|---|---|---|---|"]
    for one in reading.sets:
        figures = f"{one.board:g}% | {one.silent} | {one.asks:g}% | {one.wrong_after}"
        rows.append(f"| {one.name}: {one.photos} photos | {figures} |")
    return "\n".join(rows)


def pages(root: Path) -> dict[Path, str]:
    """Every page that is made, and what it says; root: of the repository.

    Raises UsageError where README.md has no place for its table.
    """
    models = root / "models"
    made = {models / "README.md": overview(models)}
    for name in shipped(models).values():
        kept = weights_path(models, name).is_file()
        text = card(load_recipe(models, name), measured(models, name), kept)
        made[models / name / "card.md"] = text
    readme = root / "README.md"
    before, start, rest = readme.read_text("utf-8").partition(MADE)
    _, end, after = rest.partition("\n\n")
    if not start or not end:
        raise UsageError(f"{readme} has no place for its table, a line that says {MADE}")
    made[readme] = f"{before}{MADE}\n{reading_table(load_reading(models))}\n\n{after}"
    return made


def write(root: Path) -> list[Path]:
    """Write the pages that say something else than they should; returns them."""
    changed = []
    for path, text in pages(root).items():
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            changed.append(path)
    return changed
