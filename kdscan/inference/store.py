"""The model store: models by name, verified against their checksums, loaded on first use.

`models/manifest.json` names the file of each model in use and its SHA-256; a file with another
SHA-256 is refused. So is a classifier whose labels, which are in the file's metadata, are not those
that this version of kdscan knows.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kdscan.errors import ModelError
from kdscan.imaging.picture import Floats, Network
from kdscan.paper.layout import layouts
from kdscan.rules.duel.board import COATS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES


@dataclass(frozen=True)
class StruckBy:
    """Logistic regression from the logits of strokes through a line's squares to a struck line.

    largest, second, mean: weights of these statistics of the squares' logits; bias: intercept.
    """

    largest: float = 1.0
    second: float = 0.0
    mean: float = 0.0
    bias: float = 0.0

    def logit(self, passing: Floats) -> float:
        """Logit of a struck line from the (K,) logits of its squares."""
        ascending = np.sort(passing)
        second = ascending[-2] if len(passing) > 1 else ascending[-1]
        total = self.largest * ascending[-1] + self.second * second
        return float(total + self.mean * passing.mean() + self.bias)

    @classmethod
    def from_json(cls, text: str) -> StruckBy:
        return cls(**json.loads(text))


FORMAT = "kdscan-models/3"

MARKS = [str(c) if c else "empty" for c in COATS]
"""Labels of the marks network's coat logits, in this order."""

LABELS = {
    "marks": MARKS,
    "ink_reader": MARKS,
    "squares": [f"{terrain} {crowns}" for terrain, crowns in SQUARE_CLASSES],
}
"""Labels of classifiers; a model with others is refused."""

NETWORKS = (
    *("locate", "refine", "marks", "cover", "ink", "ink_reader", "geometry"),
    *("spellbook", "tiles", "squares"),
)
"""Names of all models that reading needs."""

MAP_NETWORKS = ("locate", "refine", "marks", "cover")
"""The models that every map needs, in the order in which they run."""

ANY, OWN, TEMPLATE = "any", "own", "template"
"""Groups of sheets, each with its own calibration: of any design, those that kdscan prints, and
those of known templates."""


def calibrated_as(layout: str, template: bool = False) -> str:
    """The calibration group of a sheet. template: whether it was read with a known template."""
    return TEMPLATE if template else OWN if layout in layouts() else ANY


def models_folder() -> Path:
    """The folder of models: inside the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "models", package.parent / "models"):
        if (folder / "manifest.json").is_file():
            return folder
    raise ModelError("the models are missing; install kdscan again")


def _network(name: str) -> cached_property[Network]:
    return cached_property(lambda models: models._open(name)[0])


@dataclass(frozen=True)
class Models:
    """The `NETWORKS` of a folder; each ONNX session is created on first use."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        try:
            manifest: dict[str, Any] = json.loads(
                (self.folder / "manifest.json").read_text("utf-8")
            )
        except (OSError, ValueError) as error:
            raise ModelError(
                "the list of models cannot be read ({why}); install kdscan again", why=error
            ) from error
        if manifest.get("format") != FORMAT:
            raise ModelError(
                "these models are of format {found}, not {known}; install kdscan again",
                found=manifest.get("format"),
                known=FORMAT,
            )
        return manifest

    def check(self) -> None:
        """Raise `ModelError` for the first model that is missing or does not match its checksum."""
        for name in NETWORKS:
            self._checked(name)

    @cached_property
    def version(self) -> str:
        """The models in use, `locate-1 marks-1 refine-1 3f2a…`: equal only for equal files."""
        used = sorted(self.manifest["models"].values(), key=lambda entry: str(entry["file"]))
        names = " ".join(str(entry["file"]).split("/")[0] for entry in used)
        together = hashlib.sha256("".join(str(entry["sha256"]) for entry in used).encode())
        return f"{names} {together.hexdigest()[:12]}"

    def path(self, name: str) -> Path:
        """The file of a model; raises ModelError if the manifest names none."""
        entry = self.manifest["models"].get(name)
        if entry is None:
            raise ModelError("no model is named {name}; install kdscan again", name=name)
        return self.folder / str(entry["file"])

    locate = _network("locate")
    """See `kdscan.detection.locate.locate`."""

    refine = _network("refine")
    """See `kdscan.detection.find.register`."""

    marks = _network("marks")
    """See `kdscan.marks.network`."""

    cover = _network("cover")
    """Occlusion: rectified sheets (B, 3, 336, 464) BGR 0..1 → logits (B, 5, 7)."""

    ink = _network("ink")
    """Ink segmentation, see `kdscan.templates`."""

    geometry = _network("geometry")
    """Lines, shield and circles of a print, see `kdscan.templates.geometry`."""

    tiles = _network("tiles")
    """Votes for kingdoms, see `kdscan.sheets.kingdom`."""

    squares = _network("squares")
    """Logits of `SQUARE_CLASSES`."""

    @cached_property
    def ink_reader(self) -> Network:
        """Marks from the ink on a known print, see `kdscan.templates.ink_reader`."""
        return self._open("ink_reader")[0]

    @cached_property
    def spellbook(self) -> Network:
        """See `kdscan.sheets.spellbook`."""
        return self._spellbook[0]

    @cached_property
    def struck_by(self) -> StruckBy:
        """How the logits of strokes through a line's squares combine into the logit of a struck
        line."""
        try:
            return StruckBy.from_json(self._spellbook[1].get("struck_by", ""))
        except (ValueError, TypeError) as error:
            raise ModelError(
                "the model spellbook does not say how lines are struck; install kdscan again"
            ) from error

    @cached_property
    def _spellbook(self) -> tuple[Network, dict[str, str]]:
        return self._open("spellbook")

    def preload(self, threads: int = 1) -> None:
        """Open `MAP_NETWORKS` now. threads: intra-op threads of each; results do not depend on
        it."""
        for name in MAP_NETWORKS:
            if name not in self.__dict__:
                self.__dict__[name] = self._open(name, threads)[0]

    def calibration(self, group: str, views: int) -> NDArray[np.float64]:
        """(2,): slope and offset for the log odds of totals, see `MarkProbs.calibration`.

        group: see `calibrated_as`; `ANY` stands in for a group without a calibration. views: number
        of averaged views, on which the calibration depends.
        """
        trust = self.manifest.get("trust", {})
        fitted = trust.get(group) or trust.get(ANY, {})
        return np.array(fitted.get("total", {}).get(str(views), (1.0, 0.0)), np.float64)

    def _open(self, name: str, threads: int = 1) -> tuple[Network, dict[str, str]]:
        """A model ready to run, and the metadata inside its file; raises ModelError."""
        data = self._checked(name)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # it keeps its peak
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(
                data, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises its own classes, all treated alike
            raise ModelError(
                "the model {name} cannot be loaded ({why}); install kdscan again",
                name=name,
                why=error,
            ) from error
        metadata: dict[str, str] = session.get_modelmeta().custom_metadata_map
        labels = json.loads(metadata.get("labels", "null"))
        if name in LABELS and labels != LABELS[name]:
            raise ModelError(
                "the model {name} knows other labels ({labels}); install kdscan again",
                name=name,
                labels=labels,
            )
        input_names = [tensor.name for tensor in session.get_inputs()]

        def network(*batches: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
            return tuple(session.run(None, dict(zip(input_names, batches, strict=True))))

        return network, metadata

    def _checked(self, name: str) -> bytes:
        """A model's bytes; raises ModelError unless they match the manifest's checksum."""
        path = self.path(name)
        try:
            data: bytes = path.read_bytes()
        except OSError as error:
            raise ModelError(
                "the model {name} is missing ({why}); install kdscan again", name=name, why=error
            ) from error
        if hashlib.sha256(data).hexdigest() != self.manifest["models"][name]["sha256"]:
            raise ModelError(
                "the model {name} is damaged (checksum differs); install kdscan again", name=name
            )
        return data


@cache
def default_models() -> Models:
    """The models that ship with kdscan."""
    return Models(models_folder())
